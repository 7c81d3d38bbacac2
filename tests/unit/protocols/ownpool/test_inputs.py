"""Tables of a pool of one's own: read as they stand, and every error with its place and remedy."""

import numpy as np
import pandas as pd
import pytest

from earnest.io.spreadsheets import safe_text
from earnest.protocols.ownpool import UnusableInput, read
from tests.made_own import made_pool, some_labels, write


@pytest.fixture
def table():
    """Four items of two classes."""
    return pd.DataFrame(
        {
            "item_id": ["a", "b", "c", "d"],
            "prediction": ["x", "x", "y", "y"],
            "posterior_x": [0.9, 0.6, 0.2, 0.5],
            "posterior_y": [0.1, 0.4, 0.8, 0.5],
        }
    )


LABELS = {0: "x", 2: "x"}


def test_a_table_is_read_as_it_stands(tmp_path, table):
    inputs = read(*write(tmp_path, table, {2: "x", 0: "x"}))
    assert inputs.labelled.tolist() == [0, 2]
    assert inputs.labels.tolist() == ["x", "x"]
    assert inputs.pool.classes == ("x", "y")
    assert inputs.pool.posteriors.tolist() == table[["posterior_x", "posterior_y"]].values.tolist()
    assert inputs.pool.recordings is None
    assert inputs.sampler is inputs.design is inputs.pool.embeddings is None
    assert inputs.notes == ()


def test_names_that_other_readers_turn_into_something_else_stay(tmp_path):
    table = pd.DataFrame({"item_id": ["007", "7", "NA", "nan"], "confidence": 0.5})
    table["prediction"] = ["NA", "1.0", "True", "NA"]
    inputs = read(*write(tmp_path, table, {0: "NA", 3: "True"}))
    assert inputs.item_ids.tolist() == ["007", "7", "NA", "nan"]
    assert inputs.pool.classes == ("1.0", "NA", "True")
    assert inputs.labels.tolist() == ["NA", "True"]


def test_parquet_and_tsv_say_the_same_as_csv(tmp_path, table):
    table["item_id"] = [1, 2, 3, 4]
    _, labels = write(tmp_path, table, LABELS)
    table.to_parquet(tmp_path / "pool.parquet")
    table.to_csv(tmp_path / "pool.tsv", sep="\t", index=False)
    first, *others = (read(tmp_path / f"pool.{kind}", labels) for kind in ("csv", "parquet", "tsv"))
    for other in others:
        assert (other.pool.posteriors == first.pool.posteriors).all()
        assert other.item_ids.tolist() == first.item_ids.tolist() == ["1", "2", "3", "4"]


def test_confidence_alone_is_shared_evenly_by_the_other_classes(tmp_path):
    table = pd.DataFrame({"item_id": list("abc"), "prediction": list("xyz")})
    table["confidence"] = [0.8, 0.5, 0.2]
    inputs = read(*write(tmp_path, table, {0: "x", 1: "z"}))
    assert inputs.only_confidence
    assert inputs.pool.posteriors == pytest.approx(
        np.array([[0.8, 0.1, 0.1], [0.25, 0.5, 0.25], [0.4, 0.4, 0.2]])
    )


def test_posteriors_may_miss_a_sum_of_one_by_rounding(tmp_path, table):
    table["posterior_x"] += 0.0009
    found = read(*write(tmp_path, table, LABELS)).pool.posteriors
    assert found.sum(axis=1) == pytest.approx(np.ones(4), abs=1e-15)


def test_a_label_that_is_never_predicted_is_allowed_and_said(tmp_path, table):
    inputs = read(*write(tmp_path, table, {0: "x", 1: "z"}))
    assert inputs.pool.classes == ("x", "y", "z")
    assert (inputs.pool.posteriors[:, 2] == 0).all()
    assert inputs.notes == (
        "classes that are labels but never predicted: 'z'; no prediction can meet 1 of the 2"
        " labels",
    )


def test_what_is_worth_knowing_is_noted(tmp_path, table):
    table["prediction"] = ["y", "x", "y", "y"]
    table["confidence"], table["confidense"] = 0.5, 1
    notes = " ".join(read(*write(tmp_path, table, LABELS)).notes)
    assert "'confidense'" in notes
    assert "1 items are predicted to be of another class than the most probable" in notes
    assert "the column 'confidence' beside them is not" in notes


def changed(column, row, value):
    def change(table):
        table[column] = table[column].astype(object)
        table.loc[row, column] = value

    return change


POOL_ERRORS = {
    "twice": (changed("item_id", 2, "a"), "item_id 'a' is there twice, in rows 1 and 3"),
    "unnamed": (changed("item_id", 1, ""), r"row 2 \(''\), column 'item_id': the cell is empty"),
    "lines": (
        changed("item_id", 1, "b\nc"),
        r"row 2 \(line 3\): a cell does not end in its line: '\"b'; is a quotation mark missing",
    ),
    "missing": (
        changed("prediction", 3, ""),
        r"row 4 \('d'\), column 'prediction': .*predict every",
    ),
    "text": (
        changed("posterior_x", 1, "much"),
        r"row 2 \('b'\), column 'posterior_x': 'much' is no",
    ),
    "nan": (changed("posterior_y", 0, "nan"), "'nan' is no number from 0 to 1"),
    "comma": (changed("posterior_y", 0, "0,1"), "'0,1' is no number"),
    "large": (changed("posterior_x", 2, 1.2), r"row 3 \('c'\), column 'posterior_x': '1.2'"),
    "sum": (
        changed("posterior_x", 2, 0.3),
        r"row 3 \('c'\): columns posterior_\* sum to 1.1 instead",
    ),
    "unheard": (changed("prediction", 0, "z"), "'z' has no column 'posterior_z'"),
    "no id": (lambda t: t.insert(0, "item", t.pop("item_id")), "did you mean 'item'"),
    "no prediction": (
        lambda t: t.pop("prediction"),
        "no column 'prediction'",
    ),
    "unsure": (
        lambda t: (t.pop("posterior_x"), t.pop("posterior_y")),
        "no column 'confidence' and none that begins with 'posterior_'",
    ),
}


@pytest.mark.parametrize("name", POOL_ERRORS)
def test_a_pool_that_cannot_be_used(tmp_path, table, name):
    change, words = POOL_ERRORS[name]
    paths = write(tmp_path, table, LABELS)
    change(table)
    table.to_csv(paths[0], index=False)
    with pytest.raises(UnusableInput, match=words) as caught:
        read(*paths)
    assert "pool.csv" in str(caught.value)


LABEL_ERRORS = {
    "unknown": ("item_id,label\na,x\nq,x\nr,x\n", r"2 items are not in .*pool.csv: 'q', 'r'"),
    "twice": ("item_id,label\na,x\na,y\n", "item_id 'a' is there twice"),
    "empty": ("item_id,label\na,x\nb,\n", r"row 2 \('b'\), column 'label': .*label the item"),
    "few": ("item_id,label\na,x\n", "1 label is too few"),
    "none": ("item_id,label\n", "the table has no rows"),
    "nothing": ("", "cannot be read: the file is empty"),
    "ragged": ("item_id,label\na,x\nb,x,3\n", "line 3: 2 cells expected, found 3"),
    "semicolon": ("item_id;label\na;x\n", "no column 'item_id'"),
    "column": ("item_id,label,label\na,x,x\nb,x,x\n", "column 'label' is there twice"),
    "case": ("item_id,label\na,X\nb,y\n", "'X' and the class 'x' of the pool differ only by case"),
    "others": ("item_id,label\na,1\nb,0\n", "none of its labels .* is a class of the pool"),
}


@pytest.mark.parametrize("name", LABEL_ERRORS)
def test_labels_that_cannot_be_used(tmp_path, table, name):
    text, words = LABEL_ERRORS[name]
    pool, labels = write(tmp_path, table, LABELS)
    labels.write_text(text)
    with pytest.raises(UnusableInput, match=words) as caught:
        read(pool, labels)
    assert "labels.csv" in str(caught.value)


def test_files_that_are_no_tables(tmp_path, table):
    _, labels = write(tmp_path, table, LABELS)
    with pytest.raises(UnusableInput, match="there is no file"):
        read(tmp_path / "gone.csv", labels)
    (tmp_path / "latin.csv").write_bytes("item_id,prediction,confidence\né,x,1\n".encode("latin-1"))
    with pytest.raises(UnusableInput, match=r"latin.csv cannot be read"):
        read(tmp_path / "latin.csv", labels)
    (tmp_path / "false.parquet").write_text("item_id,label")
    with pytest.raises(UnusableInput, match=r"false.parquet cannot be read"):
        read(tmp_path / "false.parquet", labels)


def test_one_class_alone_has_nothing_to_get_wrong(tmp_path):
    table = pd.DataFrame({"item_id": list("ab"), "prediction": "x", "confidence": 0.9})
    with pytest.raises(UnusableInput, match="'x' is the only class"):
        read(*write(tmp_path, table, {0: "x", 1: "x"}))


def test_vectors_that_are_not_those_of_the_pool(tmp_path, table):
    paths = write(tmp_path, table, LABELS)

    def refused(array, **options):
        np.save(tmp_path / "e.npy", array, **options)
        with pytest.raises(UnusableInput) as caught:
            read(*paths, embeddings=tmp_path / "e.npy")
        return str(caught.value)

    assert "has 3 rows, but the pool has 4 items" in refused(np.ones((3, 2)))
    assert "shape (4,)" in refused(np.ones(4))
    bad = np.ones((4, 2))
    bad[[1, 3], 0] = np.nan, np.inf
    assert "2 vectors are not finite: row 2 (b), row 4 (d)" in refused(bad)
    assert "holds no plain array" in refused(np.array([[{}]] * 4), allow_pickle=True)
    assert "of <U1" in refused(np.full((4, 2), "x"))
    np.save(tmp_path / "e.npy", np.arange(8).reshape(4, 2))
    found = read(*paths, embeddings=tmp_path / "e.npy").pool.embeddings
    assert found.dtype == np.float64


def test_recorded_chances(tmp_path, table):
    table["inclusion_probability"] = [0.5, "", 0.25, ""]
    design = read(*write(tmp_path, table, LABELS)).design
    assert design.turns is None
    assert design.inclusion.tolist() == [0.5, 0.25]
    table["inclusion_probability"] = [0.5, "", "", ""]
    with pytest.raises(UnusableInput, match=r"row 3 \('c'\).*needs its chance"):
        read(*write(tmp_path, table, LABELS))
    table["inclusion_probability"] = 1
    with pytest.raises(UnusableInput, match="every labelled item has chance 1"):
        read(*write(tmp_path, table, LABELS))
    table["sampler"] = "uncertainty"
    with pytest.raises(UnusableInput, match="contradicts it"):
        read(*write(tmp_path, table, LABELS))


def test_chances_that_do_not_add_up_to_the_pool_are_noted(tmp_path):
    frame, truth, _ = made_pool(100)
    frame["inclusion_probability"] = 0.9
    (note,) = read(*write(tmp_path, frame, some_labels(truth, 20))).notes
    assert "stand for 22 items, but the pool has 100" in note


def test_the_sampler_of_the_labelled_rows(tmp_path, table):
    table["sampler"] = ["random", "", "random", "farthest"]
    paths = write(tmp_path, table, LABELS)
    assert read(*paths).sampler == "random"
    assert read(*paths, sampler="kmedoids").sampler == "kmedoids"
    assert read(*write(tmp_path, table, {0: "x", 3: "y"})).sampler is None


def test_names_of_formulas_come_back(tmp_path):
    names = ["=1+1", "-7", "'x", "x", "@", "\t9"]
    assert [safe_text(name)[:2] for name in names] == ["'=", "'-", "''", "x", "'@", "'\t"]
    assert len({safe_text(name) for name in names}) == len(names)
    table = pd.DataFrame({"item_id": names, "confidence": 0.6})
    table["prediction"] = ["p", "q"] * 3
    pool, labels = write(tmp_path, table, {0: "p", 1: "q"})
    for row, name in enumerate(names):
        other = names[(row + 1) % len(names)]
        frame = pd.DataFrame({"item_id": [safe_text(name), other], "label": ["p", "q"]})
        frame.to_csv(labels, index=False)
        assert set(read(pool, labels).labelled) == {row, (row + 1) % len(names)}


def test_a_name_that_may_be_either_of_two_items_is_refused(tmp_path):
    table = pd.DataFrame({"item_id": ["=x", "'=x", "y"], "confidence": 0.6})
    table["prediction"] = ["p", "q", "p"]
    pool, labels = write(tmp_path, table, {0: "p", 2: "q"})
    assert read(pool, labels).labelled.tolist() == [0, 2]
    labels.write_text("item_id,label\n'=x,p\ny,q\n")
    with pytest.raises(UnusableInput, match="may be that item or the one without"):
        read(pool, labels)


def test_subconcepts_need_their_sizes_and_two_classes(tmp_path, table):
    table["subconcept_a"], table["subconcept_b"] = [0.8, 0.4, 0.1, 0.5], [0.2, 0.6, 0.9, 0.5]
    paths = write(tmp_path, table, LABELS)
    inputs = read(*paths)
    assert inputs.subconcepts.tolist() == ["a", "b", "b", "a"]
    assert "no table of subconcepts" in inputs.notes[0]
    sizes = tmp_path / "sizes.csv"
    sizes.write_text("subconcept,side,train_size\na,majority,100\nb,minority,25\n")
    utilities = read(*paths, subconcepts=sizes, positive="y").pool.utilities
    # 1 x .8 + 4 x .2, and so on
    assert utilities["predicted"] == pytest.approx([1.6, 2.8, 3.7, 2.5])
    with pytest.raises(UnusableInput, match="for two classes, one of them named"):
        read(*paths, subconcepts=sizes)
    sizes.write_text("subconcept,side,train_size\na,majority,100\nc,minority,25\n")
    with pytest.raises(UnusableInput, match="different subconcepts: 'b'"):
        read(*paths, subconcepts=sizes, positive="y")
    with pytest.raises(UnusableInput, match="positive class 'w' is not one of 'x', 'y'"):
        read(*paths, positive="w")


def birds(count=60, **columns):
    """A pool of two birds, with confidence alone, and labels of its first items."""
    names = np.array(["robin", "wren"])[np.arange(count) % 2]
    table = pd.DataFrame({"item_id": [f"i{n}" for n in range(count)], "prediction": names})
    return table.assign(confidence=0.9, **columns), dict(enumerate(names[:20]))


def test_classes_of_two_cases_within_the_pool_are_refused(tmp_path):
    table, labels = birds()
    table.loc[::4, "prediction"] = "Robin"
    with pytest.raises(UnusableInput, match="'Robin' and 'robin' differ only by case"):
        read(*write(tmp_path, table, labels))
    paths = write(tmp_path, table, labels)
    inputs = read(*paths, accept_new_classes=["Robin"])
    assert inputs.pool.classes == ("Robin", "robin", "wren")
    table, labels = birds(posterior_robin=0.5, posterior_wren=0.25, posterior_Wren=0.25)
    with pytest.raises(UnusableInput, match=r"columns posterior_\*: 'Wren' and 'wren' differ only"):
        read(*write(tmp_path, table, labels))


def test_a_misspelt_label_is_asked_about(tmp_path):
    table, labels = birds()
    paths = write(tmp_path, table, labels | {3: "wran"})
    with pytest.raises(UnusableInput, match=r"'wran' \(1 labels\) .* did you mean 'wren'"):
        read(*paths)
    assert read(*paths, accept_new_classes=["wran"]).pool.classes == ("robin", "wran", "wren")


def test_a_label_with_letters_of_another_script_is_shown_by_code_points(tmp_path):
    table, labels = birds()
    with pytest.raises(UnusableInput, match=r"'wren' \(ASCII\) and .*U\+0435\) differ only"):
        read(*write(tmp_path, table, labels | {3: "wr\u0435n"}))


def test_confidence_of_one_class_is_refused(tmp_path):
    rng = np.random.default_rng(0)
    present = rng.random(400) < 0.2
    chance = 1 / (1 + np.exp(-1.5 * (rng.normal(size=400) + 2.2 * present - 1.5)))
    table = pd.DataFrame({"item_id": [f"i{n}" for n in range(400)]})
    table["prediction"] = np.where(chance > 0.5, "present", "absent")
    labels = dict(enumerate(np.where(present, "present", "absent")[:60]))
    wrong = int((chance.round(4) < 0.5).sum())
    words = rf"{wrong} of 400 are below 1/2.*probability of 'present' in every row"
    with pytest.raises(UnusableInput, match=words):
        read(*write(tmp_path, table.assign(confidence=chance.round(4)), labels))
    right = np.maximum(chance, 1 - chance).round(4)
    inputs = read(*write(tmp_path, table.assign(confidence=right), labels))
    assert inputs.pool.posteriors.max(axis=1) == pytest.approx(right)


def test_exchanged_columns_are_refused_and_a_threshold_is_not(tmp_path):
    frame, truth, _ = made_pool(90)
    labels = some_labels(truth, 30)
    turned = {"posterior_cat": "posterior_dog", "posterior_dog": "posterior_owl"}
    turned["posterior_owl"] = "posterior_cat"
    with pytest.raises(UnusableInput, match=r"90 of 90 items .* is the largest"):
        read(*write(tmp_path, frame.rename(columns=turned), labels))
    rare = np.linspace(0, 1, 90)
    frame = pd.DataFrame({"item_id": frame["item_id"], "posterior_no": 1 - rare})
    frame["posterior_yes"], frame["prediction"] = rare, np.where(rare > 0.2, "yes", "no")
    (note,) = read(*write(tmp_path, frame, {0: "no", 80: "yes"})).notes
    assert "27 items are predicted to be of another class" in note


def test_nullable_chances_of_parquet_are_read(tmp_path, table):
    table["inclusion_probability"] = [0.5, np.nan, 0.25, np.nan]
    _, labels = write(tmp_path, table, LABELS)
    table.convert_dtypes().to_parquet(tmp_path / "pool.parquet")
    assert read(tmp_path / "pool.parquet", labels).design.inclusion.tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("ids", "label", "hint"),
    [
        (["012", "013"], "12", "zeros in front, which spreadsheets drop"),
        (["a ", "b"], "a", "case, spaces or letters"),
        (["clips/a.wav", "b"], "a.wav", "only the folder"),
        (["clips/a.wav", "b"], "clips\\a.wav", "only the folder"),
    ],
)
def test_an_item_that_is_nearly_there_is_named(tmp_path, ids, label, hint):
    pool = pd.DataFrame({"item_id": ids, "prediction": ["x", "y"], "confidence": 0.9})
    paths = write(tmp_path, pool, {0: "x", 1: "y"})
    paths[1].write_text(f"item_id,label\n{label},x\n{ids[1]},y\n")
    with pytest.raises(UnusableInput, match=hint):
        read(*paths)


def test_arrays_that_are_none_are_named_without_advice_to_load_them_unsafely(tmp_path, table):
    paths = write(tmp_path, table, LABELS)
    for data, words in ((b"1,2\n3,4\n", "it is text"), (b"", "the file is empty")):
        (tmp_path / "e.npy").write_bytes(data)
        with pytest.raises(UnusableInput, match=words) as caught:
            read(*paths, embeddings=tmp_path / "e.npy")
        assert "allow_pickle" not in str(caught.value)
