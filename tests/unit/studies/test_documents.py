import pytest
import yaml

from earnest.studies import documents


@pytest.fixture(scope="module")
def schema(root):
    return yaml.safe_load((root / "config/schemas/config.schema.yaml").read_text())


@pytest.fixture
def study(root):
    return yaml.safe_load((root / "config/config.yaml").read_text())


def test_defaults_come_from_the_schema_and_the_document_is_not_changed(schema, study):
    result = documents.completed(study, schema)
    assert result["estimates"]["level"] == 0.95
    assert result["mixtures"]["margin_lu"] == 8
    assert result["tasks"][0]["foreground"] is None
    assert "level" not in study["estimates"]


def test_the_order_of_keys_is_that_of_the_schema(schema, study):
    turned = yaml.safe_load(yaml.safe_dump(study, sort_keys=True))
    turned["classifier"] = {"options": {"max_depth": 3, "C": 1}}
    study["classifier"] = {"options": {"C": 1, "max_depth": 3}}
    assert repr(documents.completed(turned, schema)) == repr(documents.completed(study, schema))


def test_defaults_are_not_shared_between_documents(schema, study):
    documents.completed(study, schema)["draws"]["sizes"].append(1)
    assert documents.completed(study, schema)["draws"]["sizes"] == [25, 50, 100, 200, 300]


@pytest.mark.parametrize(
    ("place", "key", "value", "message"),
    [
        ((), "data_sets", [], "unknown key 'data_sets' at the top level; did you mean 'datasets'?"),
        (
            ("mixtures",),
            "margin_lufs",
            8,
            "unknown key 'margin_lufs' at mixtures; did you mean 'margin_lu'?",
        ),
        (
            ("tasks", 2),
            "forground",
            "dog",
            "unknown key 'forground' at tasks.2; did you mean 'foreground'?",
        ),
        (("mixtures",), "shards", 0, "mixtures.shards: 0 is less than the minimum of 1"),
    ],
)
def test_each_problem_names_key_place_and_nearest(schema, study, place, key, value, message):
    target = study
    for step in place:
        target = target[step]
    target[key] = value
    with pytest.raises(documents.DocumentError) as caught:
        documents.completed(study, schema)
    assert message in str(caught.value).splitlines()


def test_a_misspelt_value_names_the_nearest(schema, study):
    study["draws"] = {"samplers": ["random", "farthst"]}
    with pytest.raises(
        documents.DocumentError, match=r"draws\.samplers\.1.*did you mean 'farthest'\?"
    ):
        documents.completed(study, schema)


def test_all_problems_are_listed_at_once(schema, study):
    del study["tasks"]
    study["studdy"] = "x"
    with pytest.raises(documents.DocumentError) as caught:
        documents.completed(study, schema)
    assert len(str(caught.value).splitlines()) == 2


@pytest.fixture(params=["config", "tables", "predictions", "own"])
def any_schema(root, request):
    """The schema of each kind of study."""
    return yaml.safe_load((root / f"config/schemas/{request.param}.schema.yaml").read_text())


def test_every_key_of_a_study_schema_has_a_description_and_is_closed(any_schema):
    def walk(node, place):
        if "properties" in node:
            assert node["additionalProperties"] is False, place
            for key, below in node["properties"].items():
                assert below.get("description", "").strip(), f"{place}.{key} has no description"
                if "properties" not in below and "items" not in below.get("items", {}):
                    walk(below, f"{place}.{key}")
                walk(below, f"{place}.{key}")
        if isinstance(node.get("items"), dict):
            walk(node["items"], f"{place}[]")

    walk(any_schema, "study")


def test_every_value_of_a_study_schema_states_its_unit(any_schema):
    def leaves(node, place):
        for key, below in node.get("properties", {}).items():
            if "properties" in below or "properties" in below.get("items", {}):
                yield from leaves(below, f"{place}.{key}")
                yield from leaves(below.get("items", {}), f"{place}.{key}")
            else:
                yield f"{place}.{key}", below["description"]

    for place, description in leaves(any_schema, "study"):
        assert description.rstrip().endswith(")."), f"{place} ends without its unit: {description}"
