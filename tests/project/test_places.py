"""The test of a module is found by its name, or stands here."""

import ast
from pathlib import Path

# Modules that are parts of one thing, tested where that thing is: its tests say more than theirs
# could. A test file that is named like no module stands here too.
TESTED_IN = {
    "audio/test_clips": "audio/containers audio/loudness",
    "commands/test_commands": (
        "commands/__init__ commands/files commands/terminal protocols/ownpool/embedding"
    ),
    "commands/test_command_options": (
        "commands/compare commands/estimate protocols/ownpool/evaluated"
    ),
    "datasets/test_demo": (
        "datasets/demo/backgrounds datasets/demo/damaged datasets/demo/foregrounds"
        " datasets/demo/recordings datasets/demo/sounds"
    ),
    "datasets/test_fetching": "datasets/registry",
    "datasets/test_sources": (
        "datasets/__init__ datasets/dcase2016_task2 datasets/desed datasets/labels"
        " datasets/recordings datasets/releases datasets/usm datasets/vocalsound"
        " datasets/wilddesed"
    ),
    "datasets/test_table_downloads": "datasets/keel datasets/pmlb",
    "datasets/test_verification": "datasets/hashes",
    "embeddings/backends/test_pretrained": (
        "embeddings/__init__ embeddings/protocol embeddings/backends/beats"
        " embeddings/backends/clap embeddings/backends/hub_folders embeddings/backends/panns"
        " embeddings/backends/spectrogram_transformer embeddings/backends/speech"
    ),
    "embeddings/backends/test_trained": "embeddings/backbones",
    "embeddings/networks/test_networks": (
        "embeddings/networks/architectures embeddings/networks/checkpoints"
        " embeddings/networks/devices embeddings/networks/options"
        " embeddings/networks/spectrograms"
    ),
    "embeddings/networks/test_training": (
        "embeddings/networks/features embeddings/networks/validation"
    ),
    "embeddings/test_reuse": "embeddings/joining",
    "estimates/test_intervals": (
        "estimates/bootstrap estimates/calibrated estimates/class_prior estimates/confidence"
        " estimates/counts estimates/design_based estimates/linearised"
        " estimates/post_stratified estimates/subset estimates/support estimates/thresholded"
        " estimates/weighted pools/pool"
    ),
    "estimates/test_auto": "estimates/answer estimates/auto_columns",
    "estimates/test_estimators": "estimates/known estimates/totals pools/checks",
    "io/test_full_disk": "io/encoding",
    "samplers/test_medoids": "compiling",
    "io/test_strict": "io/cells",
    "mixing/test_gains": "mixing/rendering mixing/sums",
    "mixing/test_plan": "mixing/pairing mixing/pairs",
    "pools/test_large": (
        "pools/density pools/distances pools/geometry pools/neighbours samplers/approximate"
        " samplers/traversal"
    ),
    "protocols/crossval/test_correlations": (
        "protocols/crossval/published protocols/crossval/weight_quality"
    ),
    "protocols/crossval/test_keel": "protocols/crossval/published",
    "datasets/test_predictions": "protocols/crossval/predictions",
    "protocols/ownpool/test_comparing": "protocols/ownpool/models reports/pages/comparison",
    "protocols/ownpool/test_evaluating": (
        "protocols/ownpool/chances protocols/ownpool/recommending protocols/ownpool/unseen"
        " protocols/ownpool/validity"
    ),
    "protocols/ownpool/test_inputs": (
        "io/spreadsheets protocols/ownpool/posteriors protocols/ownpool/reading"
    ),
    "protocols/subsets/test_estimating": "io/schemas protocols/subsets/drawing",
    "studies/test_kinds": (
        "studies/clips studies/crossval studies/grid studies/mixtures studies/ownpool"
        " studies/problems studies/sounds studies/study"
    ),
    "tasks/test_calibration": "tasks/heads",
    "tasks/test_pools": "tasks/kinds",
    "tasks/test_classifiers": "tasks/probes",
    "test_records": "estimates/registry io/tables/column samplers/registry weights/registry",
    "weights/test_importance": "weights/diagnostics weights/methods",
    "weights/test_many": ("pools/posteriors weights/domain_classifier weights/many_fits"),
    "reports/pages/test_subsets": (
        "reports/audio reports/charts reports/figures reports/findings reports/rendering"
        " reports/view reports/words reports/sections/asked reports/sections/backgrounds"
        " reports/sections/curves reports/sections/errors reports/sections/headline"
        " reports/sections/listen reports/sections/measures reports/sections/provenance"
        " reports/sections/section reports/sections/short reports/sections/subconcepts"
        " reports/sections/support reports/sections/weights"
    ),
    "reports/pages/test_crossval": (
        "reports/subconcept_figures reports/subconcept_words reports/sections/answers"
        " reports/sections/beside reports/sections/correlations reports/sections/datasets"
        " reports/sections/gaps reports/sections/left_out reports/sections/optimism"
        " reports/sections/recognition"
    ),
    "reports/test_reading": "reports/inputs",
    "reports/sections/test_contrasts": "reports/contrast_figures",
    "reports/test_colours": "reports/joint_figures reports/words",
}


def public_modules(root: Path) -> set[str]:
    """Return the modules, such as `audio/clips`, with public functions or classes."""
    library = root / "earnest"
    return {
        path.relative_to(library).with_suffix("").as_posix()
        for path in library.rglob("*.py")
        if any(
            isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            for node in ast.parse(path.read_text()).body
        )
    }


def place_of(module: str) -> str:
    """Return where the test of a module is looked for; of a package, beside its folder."""
    module = module.removesuffix("/__init__")
    folder, _, stem = module.rpartition("/")
    return f"{folder}/test_{stem}" if folder else f"test_{stem}"


def unit_tests(root: Path) -> set[str]:
    unit = root / "tests/unit"
    return {path.relative_to(unit).with_suffix("").as_posix() for path in unit.rglob("test_*.py")}


def test_every_module_has_a_test_of_its_name_or_stands_in_the_list(root: Path) -> None:
    listed = {module for modules in TESTED_IN.values() for module in modules.split()}
    unnamed = {m for m in public_modules(root) if place_of(m) not in unit_tests(root)}
    assert sorted(unnamed - listed) == []
    assert sorted(listed - unnamed) == [], "listed, but gone or with a test of its own"


def test_every_test_is_named_like_a_module_or_stands_in_the_list(root: Path) -> None:
    library = root / "earnest"
    modules = [path.relative_to(library).with_suffix("") for path in library.rglob("*.py")]
    named = {place_of(path.as_posix()) for path in modules}
    assert sorted(unit_tests(root) - named - set(TESTED_IN)) == []
    assert sorted(set(TESTED_IN) - unit_tests(root)) == [], "listed, but there is no such file"
