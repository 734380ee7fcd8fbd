from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from kit import (
    ROOT,
    coded_inputs,
    computed,
    costs_here,
    experiment_of,
    learnt_inputs,
    outlined,
    parsed,
    recorded,
)
from scipy.stats import ttest_ind, ttest_rel

from couplings.table import CategoricalTable
from replication.data.store import Tables
from replication.errors import UserError
from replication.judge.published import load
from replication.papers.caso import evaluations, examples, experiments
from replication.papers.caso.analysis import change
from replication.papers.caso.examples import ExactTable
from replication.plan.readings import resolved
from replication.run import cost, statistics
from replication.run.paired import compared, correct
from replication.steps import load_class

READINGS = parsed(ROOT / "config/readings.yaml")
CONFIG, MEASURES, ALGORITHMS = (
    resolved(parsed(ROOT / file), READINGS, file)
    for file in ("config/papers/caso.yaml", "config/measures.yaml", "config/algorithms.yaml")
)


def example(name):
    frame = pd.read_csv(ROOT / f"data/bundled/printed/{name}.csv", dtype=str)
    labels = frame.pop("class") if "class" in frame else pd.Series(["none"] * len(frame))
    return frame.iloc[:, 1:], labels


def random_frame(n, seed, m=4, v=3):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    codes = np.where(rng.random((n, m)) < 0.7, labels[:, None], rng.integers(0, v, (n, m)))
    return pd.DataFrame(codes.astype(str), columns=[f"a{j}" for j in range(m)]), labels.astype(str)


def run_experiment(name, tmp_path, dataset="", data=None, trials=3, **parameters):
    """Records of an experiment as configured, with a small table and small parameters."""
    entry = CONFIG["experiments"][name]
    similarities = {one: MEASURES[one] for one in entry.get("similarities", [])}
    inputs = []
    if data is not None:
        frame, labels = data
        classes, codes = np.unique(labels, return_inverse=True)
        facts = {"status": "ok", "reason": "", "classes": classes.tolist(), "label_cuts": []}
        tables = Tables(facts, [CategoricalTable.from_pandas(frame)], [codes])
        file = tmp_path / f"{name}.{dataset}.npz"
        inputs = coded_inputs(file, plain=tables)
        inputs += learnt_inputs(file.with_suffix(".learnt.npz"), tables, "plain", similarities)
    experiment = experiment_of(
        tmp_path / f"{name}.{dataset}.partial",
        "caso",
        name,
        dataset=dataset,
        parameters={**entry.get("parameters", {}), **parameters},
        trials=trials,
        measures={one: MEASURES[one] for one in entry.get("measures", [])},
        algorithms={one: ALGORITHMS[one] for one in entry.get("algorithms", [])},
        similarities={one: {"settings": [{}]} for one in similarities},
        preparations=["plain"],
        inputs=inputs,
    )
    common = {"paper": "caso", "experiment": name, "dataset": dataset, "status": "ok", "reason": ""}
    return [{**common, **one} for one in computed(load_class(entry["run"]), experiment)]


SMALL = {
    "equivalence": {"tables": 12},
    "special_cases": {"tables": 8},
    "bounds": {"triples": 200},
    "evaluations": {"sample": 8},
    "growth": {"values": [2, 4, 6], "attributes": [2, 4, 6], "objects": 200, "pairs": 4},
    "seconds": {
        **{"values": [3, 4, 6], "attributes": [3, 4, 6], "objects": 100, "pairs": 4},
        "largest_power_set": 4,
    },
    "seconds_data": {"pairs": 4, "reuse_objects": 4},
    "rock": {"first": 0.25, "last": 0.75, "step": 0.25},
}


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Records of an experiment on some data sets; small random tables stand in for real ones."""
    folder = tmp_path_factory.mktemp("records")

    @cache
    def found(name, *datasets):
        rows = []
        for i, dataset in enumerate(datasets or [""]):
            examples = ("movie", "information_table")
            data = example(dataset) if dataset in examples else random_frame(14 + i, i)
            small = SMALL.get(name, {}) | ({"sample": 10} if dataset == "letter" else {})
            rows += run_experiment(name, folder, dataset, data if dataset else None, **small)
        return rows

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cost, "costs", costs_here)
        yield found


RUN = dict.fromkeys(("bounds", "evaluations", "structure", "rare_values"), "zoo")
RUN |= {"partitions": "zoo", "rock": "zoo", "relative": "information_table"}
RUN |= {"equivalence": "", "special_cases": ""}
"""Data sets of experiments; tables of their own have none."""


@pytest.mark.parametrize("name", RUN)
def test_records_of_small_tables(records, snapshot, name):
    assert outlined(records(name, *filter(None, [RUN[name]]))) == snapshot


def test_set_functions_and_measures_of_the_example():
    frame, _ = example("information_table")
    table = ExactTable(frame.to_numpy().tolist())
    assert table.values_of(1, [0, 1, 2]) == {"B1", "B2"}
    assert table.objects_of(1, ["B1", "B2"]) == {0, 1, 2, 5}
    assert table.related(1, 0, "B2") == {"A2", "A4"}
    assert table.conditional(0, ["A1"], 1, "B1") == Fraction(1, 2)
    assert table.intra(1, "B1", "B2") == Fraction(1, 2)
    assert table.shared(1, 0, "B1", "B2") == Fraction(1, 2)
    assert table.inter(1, "B1", "B2") == Fraction(1, 4)
    assert table.casv(1, "B1", "B2") == Fraction(1, 8)
    assert table.caso(1, 2) == Fraction(3, 4)
    assert table.cado(1, "B1", "B2") == (2 - 1) * Fraction(3, 4)
    assert table.add(1, "B1", "B2") == Fraction(3, 4)


def test_relative_steps_end_in_one_half_with_32_8_6_2_evaluations(records):
    whole = {
        one["relation"]: (one["similarity"], one["evaluations"])
        for one in records("relative", "information_table")
    }
    expected = dict(zip(examples.RELATIONS, (32, 8, 6, 2), strict=True))
    assert whole == {relation: ("1/2", count) for relation, count in expected.items()}
    steps = [one["relation"] for one in records("relative", "information_table")]
    assert [steps.count(relation) for relation in examples.RELATIONS] == [16, 4, 3, 1]


def test_statements_hold_on_random_tables(records):
    found = {one["statement"]: one for one in records("equivalence") + records("special_cases")}
    assert len(found) == 14
    for name, one in found.items():
        assert one["exceptions"] == 0, name
        assert one["cases"] > 0
        assert one["largest_difference"] <= 1e-12


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        # a frequent value exceeds the printed bound with itself
        (
            {"a": "xxxxyy", "b": "pqpqpq"},
            {"iaasv_above_self": 1, "iaasv_above_apart": 0}
            | {"iaasv_self_greatest": 4 / 6, "bound": 0.6},
        ),
        # balanced columns make CADO a multiple of ADD
        (
            {"a": "xxyyxxyy", "b": "ppqqpqpq", "c": "rrsssrrs"},
            {"ratio_least": 0.5, "ratio_greatest": 0.5},
        ),
    ],
    ids=["frequent", "balanced"],
)
def test_bounds_by_hand(tmp_path, columns, expected):
    frame = pd.DataFrame({name: list(cells) for name, cells in columns.items()})
    (found,) = run_experiment("bounds", tmp_path, "d", (frame, ["0"] * len(frame)))
    assert {key: found[key] for key in expected} == pytest.approx(expected)


def test_table_ii_breaks_the_triangle_inequality(records):
    (found,) = records("bounds", "information_table")
    frame, _ = example("information_table")
    table = ExactTable(frame.to_numpy().tolist())

    def cado(u, v):
        cells = enumerate(zip(table.rows[u], table.rows[v], strict=True))
        return sum(table.cado(j, x, y) for j, (x, y) in cells)

    triples = list(permutations(range(6), 3))
    assert found["triples"] == len(triples)
    for name, of in (("caso", table.caso), ("cado", cado)):
        failures = sum(of(u, v) + of(v, w) < of(u, w) for u, v, w in triples)
        assert found[f"{name}_triangle_failures"] == failures > 0
    assert found["caso_asymmetric"] == found["cado_asymmetric"] == 0


def uncounted(told, *case):
    return replace(told(*case), evaluations=-1)


def test_evaluations_of_the_example_agree_with_the_counter(records, monkeypatch):
    found = records("evaluations", "information_table", "zoo")
    for one in found:
        assert one["disordered"] == one["miscounted"] == one["unequal"] == 0
        totals = [int(one[relation]) for relation in examples.RELATIONS]
        assert totals == sorted(totals, reverse=True)
    for relation, told in examples.RELATIVE.items():
        wrong = {**examples.RELATIVE, relation: partial(uncounted, told)}
        monkeypatch.setattr(evaluations, "RELATIVE", wrong)
        (one,) = records.__wrapped__("evaluations", "information_table")
        assert one["miscounted"] == one["power_counted" if relation == "power" else "counted"]
    # pairs of values 6, 3, 3 in attributes with 4, 3, 3 values
    assert found[0]["comparisons"] == 24
    assert int(found[0]["universal"]) == 6 * 2 * (3 + 3) + 2 * 3 * 2 * (4 + 3)


def test_growth_counts_the_power_set(records):
    power = [one for one in records("growth") if one["relation"] == "power"]
    counted = [one["per_comparison"] for one in power if one["axis"] == "values"]
    assert counted == [2 * 2**r for r in (2, 4, 6)]
    assert all(one["counted"] is True for one in power)


def test_keeping_value_similarities_computes_fewer(records):
    found = {one["what"]: one for one in records("seconds_data", "zoo")}
    kept, again = (found[f"values {how}"]["evaluations"] for how in ("kept", "computed again"))
    assert kept < again == 6 * 4
    assert set(found) >= {*examples.RELATIONS, "add", "cado"}


def test_seconds_on_synthetic_tables_grow_along_both_axes(records):
    sizes = {(one["axis"], one["values"], one["attributes"]) for one in records("seconds")}
    values = {("values", size, 4) for size in (3, 4, 6)}
    assert sizes == values | {("attributes", 4, size) for size in (3, 4, 6)}


def test_structure_takes_a_sample_beside_all_rows(records):
    rows = records("structure", "letter")
    assert {one["rows"] for one in rows} == {"all", "sample"}
    assert {one["objects"] for one in rows if one["rows"] == "sample"} == {10}
    assert len(rows) == 2 * len(CONFIG["experiments"]["structure"]["similarities"])


def test_rare_values_by_hand(tmp_path):
    frame = pd.DataFrame({"a": ["r", *"xxxyyyy"], "b": list("ppppqqqq")})
    found = run_experiment("rare_values", tmp_path, "d", (frame, ["0"] * 8), shares=[0.0], rare=0.2)
    smd = {one["share"]: one for one in found if one["measure"] == "smd"}
    # r differs from 7 others; in all 7 + 12 + 16 mismatches of 2 x 28 comparisons
    assert smd[0.0]["comparisons"] == pytest.approx(7 / 56)
    assert smd[0.0]["distance"] == pytest.approx(7 / 35)
    assert smd[0.2] | {"share": 0.0} == smd[0.0]
    cado = next(one for one in found if (one["measure"], one["share"]) == ("cado", 0.0))
    assert cado["distance"] > smd[0.0]["distance"]


def test_starts_are_shared_by_the_dissimilarities(tmp_path):
    # frequencies of 2 everywhere: CADO is ADD, and so are its clusterings
    frame = pd.DataFrame({"a": list("xxyyzz"), "b": list("ppqqrr"), "c": list("ststuu")})
    found = run_experiment("partitions", tmp_path, "d", (frame, list("001122")), trials=4)
    scores = {}
    for one in found:
        scores.setdefault((one["algorithm"], one["measure"]), []).append(one["ac"])
    for algorithm in CONFIG["experiments"]["partitions"]["algorithms"]:
        assert scores[algorithm, "cado"] == scores[algorithm, "add"]
        assert len(scores[algorithm, "cado"]) == 4


def test_tests_without_variation_have_no_p_value():
    found = compared({"x": ([1.0, 1.0], [0.5, 0.5])}, "starts")
    assert [one["p"] for one in found] == [None, None]
    assert found[1]["difference"] == 0.5


def test_pairs_stand_in_the_order_of_their_runs_and_holm_goes_over_all(records, tmp_path):
    frame = pd.DataFrame(
        {
            "dataset": ["d"] * 6,
            "m": ["b", "a"] * 3,
            "run": [2, 2, 0, 1, 1, 0],
            "x": [0.5, 0.9, 0.1, 0.8, 0.3, 0.6],
        }
    )
    pairs = experiments.pairs_of(frame, "m", "a", "b", "x", "run")
    assert pairs == {"d": ([0.6, 0.8, 0.9], [0.1, 0.3, 0.5])}
    whole, inside = compared(pairs, "starts")
    assert (whole["n"], whole["p"], inside["n"]) == (1, None, 3)
    a, b = pairs["d"]
    assert inside["p"] == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue)
    assert inside["p_paired"] == pytest.approx(ttest_rel(a, b).pvalue)
    rows = [{"p": p} for p in (0.04, None, 0.01)]
    correct(rows)
    assert [row.get("p_holm") for row in rows] == [0.04, None, 0.02]
    (entry,) = CONFIG["comparisons"]
    found = records("partitions", "zoo", "shuttle"), records("rock", "movie", "voting")
    inputs = [
        recorded(tmp_path / f"{name}.parquet", rows, experiment=name)
        for name, rows in zip(("partitions", "rock"), found, strict=True)
    ]
    choices = {name: one["reconciled"] for name, one in READINGS.items()}
    spec = {"paper": "caso", "choices": choices, "inputs": inputs}
    found = experiments.coupled(statistics.Comparison(spec, entry), **entry["parameters"])
    assert {row["algorithm"] for row in found} == {"KM", "SC", "ROCK"}
    assert {row["over"] for row in found} == {"starts", "row orders", "data sets"}
    with pytest.raises(UserError, match="name it under `experiments`"):
        statistics.Comparison({"paper": "caso", "inputs": []}, entry).records("worked")


@pytest.mark.parametrize("name", ["movie", "information_table"])
def test_bundled_tables_are_the_published_ones(name):
    printed = load("caso", ROOT / "data/published")
    frame, _ = example(name)
    artefact = {"movie": "table01", "information_table": "table02"}[name]
    cells = printed[printed["artefact"] == artefact]
    ours = {(i, column): row[column] for i, row in frame.iterrows() for column in frame}
    rows = list(cells["dataset"].unique())
    for cell in cells.to_dict("records"):
        if cell["metric"] != "Class":
            key = (rows.index(cell["dataset"]), cell["metric"].lower())
            assert ours[key] == cell["value"]


def of_trials(cado, add):
    """Records of one algorithm on one data set, a trial with the same start for both measures."""
    sides = {"cado": cado, "add": add}
    return pd.DataFrame(
        [
            {"measure": name, "trial": trial, "ac": score}
            for name, scores in sides.items()
            for trial, score in enumerate(scores)
        ]
    )


def test_a_change_between_measures_with_the_same_starts_has_the_variance_of_pairs():
    scores = [0.5, 0.7, 0.9, 0.6]
    same = change(of_trials(scores, scores), "ac")
    assert (same.ours.value, same.ours.sd) == (0.0, 0.0)
    assert same.independent_sd == pytest.approx(2**0.5 * np.std(scores, ddof=1) / 0.675)
    # the order of the rows does not matter, the trial does
    turned = of_trials(scores, scores).sort_values("ac", ascending=False)
    assert change(turned, "ac") == same
    other = change(of_trials(scores, scores[::-1]), "ac")
    assert other.ours.sd > 0
    assert other.independent_sd == pytest.approx(same.independent_sd)
