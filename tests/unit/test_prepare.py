import numpy as np
import pandas as pd
import pytest
from kit import refused

from replication.data.discretize import discretize
from replication.data.prepare import prepare, synthetic
from replication.data.store import read_archive, write_archive
from replication.errors import UserError
from replication.files import CLASS
from replication.steps import generator, setting_text


def frame(**columns):
    return pd.DataFrame(columns, dtype=str)


def spec(entry, **source):
    content = {"entry": {"missing": "impute", **entry}, "source": {"class": "y", **source}}
    return {"paper": "dilca", "dataset": "toy", "seed": 1, **content}


RAW = frame(
    a=["u", "v", "v", "?"], b=["1", "2", "?", "6"], c=["p", "q", "q", "p"], y=["n", "m", "n", "m "]
)


def test_impute_fills_modes_and_means():
    out, facts = prepare(RAW, spec({}, numeric=["b"]))
    assert out["a"].tolist() == ["u", "v", "v", "v"]
    assert out["b"].tolist() == ["1", "2", "3.0", "6"]
    assert facts["imputed"] == {"a": "v", "b": "3.0"}
    assert (facts["objects"], facts["attributes"], facts["classes"]) == (4, 3, 3)
    assert facts["values_with_missing"] == 3 + 4 + 2
    assert facts["values_observed"] == 2 + 4 + 2


TIED = frame(a=["u", "v", "?"], y=["n", "n", "m"])


def test_mode_ties_are_broken_by_the_entry_or_by_name():
    assert prepare(TIED, spec({}))[1]["imputed"] == {"a": "u"}
    assert prepare(TIED, spec({"mode_ties": {"a": "v"}}))[1]["imputed"] == {"a": "v"}


test_entries_that_do_not_fit_the_data_are_refused = refused(
    UserError,
    lambda raw, entry: prepare(raw, spec(entry)),
    [
        *(
            (RAW, entry, "no column 'zz' in the data; columns are")
            for entry in (
                *({"attributes": ["zz"]}, {"declared": {"zz": ["1"]}}),
                {"mode_ties": {"zz": "1"}},
            )
        ),
        (frame(a=["?", "?"], y=["n", "m"]), {}, "column 'a' has no values"),
        (frame(a=["?", "?"], y=["n", "m"]), {"missing": "drop"}, "no row is left"),
        (frame(a=["x"], y=["n"], **{CLASS: ["m"]}), {}, "'class label' is the class of a prepared"),
        *(
            (frame(a=[cell, "?"], y=["n", "m"]), {"numeric": ["a"]}, "'a' has no finite mean")
            for cell in ("inf", "nan", "1e400", "x")
        ),
        (
            *(TIED, {"mode_ties": {"a": "w"}}),
            r"mode_ties\.a: 'w' is not a mode; modes are \['u', 'v'\]",
        ),
    ],
)


def test_a_hole_in_a_column_that_is_not_used_may_drop_its_row():
    entry = {"missing": "value", "attributes": ["b"], "missing_in": {"a": "drop"}}
    out, _ = prepare(RAW, spec(entry))
    assert out["b"].tolist() == ["1", "2", "?"]
    assert list(out.columns) == ["b", CLASS]


def test_drop_and_value():
    out, _ = prepare(RAW, spec({"missing": "drop"}))
    assert out["a"].tolist() == ["u", "v"]
    assert out[CLASS].tolist() == ["n", "m"]
    out, facts = prepare(RAW, spec({"missing": "value"}))
    assert out["a"].tolist() == ["u", "v", "v", "?"]
    assert facts["values_observed"] == facts["values_with_missing"] == 9


def test_parts_columns_and_a_column_called_class():
    raw = frame(part=["f", "g"], **{"class": ["1", "2"], "id": ["7", "8"]}, y=["n", "m"])
    out, _ = prepare(raw, spec({"parts": ["g"], "without": ["id"]}))
    assert out.to_dict("list") == {"class": ["2"], CLASS: ["m"]}


def test_columns_that_are_called_as_ours_survive():
    raw = frame(part=["f", "g"], class_label=["1", "2"], y=["n", "m"])
    out, facts = prepare(raw, spec({}))
    assert out.to_dict("list") == {"part": ["f", "g"], "class_label": ["1", "2"], CLASS: ["n", "m"]}
    assert facts["attributes"] == 2
    out, _ = prepare(raw, spec({}, parts=True))
    assert list(out) == ["class_label", CLASS]


def test_synthetic_tables_have_the_declared_sizes_and_are_reproducible():
    entry = {
        "synthetic": {"objects": 11, "attributes": 3, "values": 4, "classes": 2}
        | {"setting": {"sizes": "equal", "terms": [2, 3], "errors": 0.0}},
        "missing": "impute",
    }
    first, facts = synthetic(spec(entry))
    second, _ = synthetic(spec(entry))
    pd.testing.assert_frame_equal(first, second)
    assert first.shape == (11, 4)
    assert {len(values) for values in facts["declared"].values()} == {4}
    assert all(set(first[name]) <= {*values} for name, values in facts["declared"].items())
    assert first[CLASS].value_counts().to_dict() == {"1": 6, "2": 5}


def test_settings_of_the_generator_that_give_no_table_are_refused():
    setting = {"sizes": "equal", "terms": [1, 1], "errors": 0.0}
    sizes = {"objects": 9, "attributes": 1, "values": 2, "classes": 3, "setting": setting}
    with pytest.raises(UserError, match=r"datasets\.toy\.synthetic: the rules contradict"):
        synthetic(spec({"synthetic": sizes, "missing": "impute"}))
    del sizes["setting"]
    with pytest.raises(UserError, match="missing a required argument: 'setting'"):
        synthetic(spec({"synthetic": sizes, "missing": "impute"}))


CELLS = {
    "a": np.array(["u", "v", "v", "u", "u", "v"]),
    "x": np.array(["0", "1", "2", "10", "9", "8"]),
    CLASS: np.array(["n", "n", "n", "m", "m", "m "]),
}
FACTS = {"status": "ok", "numeric": ["x"], "declared": {"a": ["u", "v", "w"]}}


def coded(rule, cells=CELLS, facts=FACTS, **more):
    base = {"paper": "dilca", "dataset": "toy", "seed": 3}
    return discretize(cells, facts, {**base, "preparation": {"labels": "raw", **rule}, **more})


def test_equal_width_declares_every_bin():
    tables = coded({"numeric": "equal_width", "bins": 10})
    table = tables.tables[0]
    assert table.n_values.tolist() == [3, 10]
    assert table.codes[:, 1].tolist() == [0, 0, 1, 9, 8, 7]
    assert tables.facts["label_cuts"] == []
    assert tables.facts["classes"] == ["m", "m ", "n"]


def test_mdl_uses_labels_and_says_so():
    tables = coded({"numeric": "mdl", "labels": "stripped"})
    assert tables.facts["cuts"] == [{"x": [5.0]}]
    assert tables.facts["label_cuts"] == ["x"]
    assert tables.labels[0].tolist() == [1, 1, 1, 0, 0, 0]
    assert tables.tables[0].categories[1] == ("(-inf, 5]", "(5, inf)")


def test_mdl_without_a_cut():
    cells = {**CELLS, CLASS: np.array(["n", "m", "n", "m", "n", "m"])}
    constant = coded({"numeric": "mdl"}, cells)
    assert constant.tables[0].n_values.tolist() == [3, 1]
    bins = coded({"numeric": "mdl_or_equal_width", "bins": 10}, cells)
    assert bins.tables[0].n_values[1] == 10
    # that nothing was cut is the labels' word as well
    assert constant.facts["label_cuts"] == bins.facts["label_cuts"] == ["x"]


def test_samples_are_seeded_and_in_file_order():
    rule = {"numeric": "equal_width", "bins": 2}
    first = coded(rule, sample={"size": 4, "count": 3})
    again = coded(rule, sample={"size": 4, "count": 3})
    assert len(first.tables) == 3
    for one, two in zip(first.tables, again.tables, strict=True):
        np.testing.assert_array_equal(one.codes, two.codes)
    assert coded(rule, sample={"size": 6, "count": 1}).tables[0].n_objects == 6


def test_numbers_that_are_kept_stand_beside_the_codes(tmp_path):
    rule = {"numeric": "keep", "order": "natural", "domain": "observed", "smallest_class": 2}
    tables = coded(rule)
    mixed = tables.tables[0]
    assert mixed.attributes == ("a", "x")
    assert mixed.numeric[:, 0].tolist() == [0, 1, 2, 10, 9]
    # "m " has one object
    assert tables.facts["classes"] == ["m", "n"]
    assert tables.labels[0].tolist() == [1, 1, 1, 0, 0]
    assert tables.rows[0].tolist() == [0, 1, 2, 3, 4]
    write_archive(tmp_path / "mixed.npz", {"mixed": tables})
    again = read_archive(tmp_path / "mixed.npz", "mixed")
    assert again.tables[0].attributes == mixed.attributes
    np.testing.assert_array_equal(again.tables[0].numeric, mixed.numeric)
    np.testing.assert_array_equal(again.tables[0].categorical.codes, mixed.categorical.codes)
    np.testing.assert_array_equal(again.rows[0], tables.rows[0])
    assert coded({"numeric": "keep"}).rows == []


def test_small_classes_take_part_in_cuts_and_in_no_domain():
    cells = {**CELLS, "a": np.array(["u", "v", "v", "u", "u", "w"]), "x": CELLS["x"][::-1]}
    found = coded({"numeric": "equal_width", "bins": 2, "smallest_class": 2}, cells)
    assert found.facts["cuts"] == [{"x": [5.0]}]
    assert found.tables[0].categories == (("u", "v"), ("(-inf, 5]", "(5, inf)"))


DROPPED = {"numeric": "drop", "constant": "drop", "domain": "observed"}
CONSTANT = np.array(["p"] * 6)


def test_numbers_and_constant_attributes_may_be_left_out():
    (table,) = coded(DROPPED, {**CELLS, "b": CONSTANT}).tables
    assert (table.attributes, table.categories) == (("a",), (("u", "v"),))


@pytest.mark.parametrize(
    ("column", "domain"), [("10 9 10", ("9", "10")), ("b 10 a", ("10", "a", "b"))]
)
def test_the_natural_order_is_that_of_numbers_if_all_are(column, domain):
    cells = {"a": np.array(column.split()), CLASS: np.array(["n", "m", "n"])}
    rule = {"numeric": "category", "order": "natural"}
    found = coded(rule, cells, {"numeric": [], "declared": {}})
    assert found.tables[0].categories == (domain,)


BINS = {"numeric": "equal_width", "bins": 2}
test_tables_that_cannot_be_coded_are_refused = refused(
    UserError,
    lambda rule, more: coded(rule, **more),
    [
        (BINS, {"facts": {**FACTS, "declared": {"a": ["u"]}}}, r"declared\.a: the data hold 'v'"),
        (
            *(BINS, {"facts": {**FACTS, "declared": {}, "numeric": ["a", "x"]}}),
            "column 'a' holds text that is not a number",
        ),
        (BINS, {"sample": {"size": 7, "count": 1}}, "sample: 7 is more than the 6 rows"),
        (DROPPED, {"cells": {**CELLS, "a": CONSTANT}}, "all attributes are constant"),
    ],
)


def test_seeds_depend_on_names_and_trial_only():
    draw = generator(7, "a", "b", trial=2).integers(1 << 30)
    assert draw == generator(7, "a", "b", trial=2).integers(1 << 30)
    others = [
        generator(7, "a", "c", trial=2),
        generator(7, "a", "b"),
        generator(8, "a", "b", trial=2),
    ]
    assert all(draw != other.integers(1 << 30) for other in others)


def test_settings_have_short_texts():
    assert setting_text(0.30000000000000004) == "0.3"
    assert setting_text(None) == ""
