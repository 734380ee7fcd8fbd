"""The study: preparation, cells, statistics against independent formulas, tables, figures."""

import itertools
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from kit import computed, costs_here, data_inputs, experiment_of, prepared_inputs, refused
from scikit_posthocs import posthoc_nemenyi_friedman
from scipy.stats import f as f_distribution

from couplings import CategoricalTable
from couplings.measures.registry import measure_entry
from replication.data.store import Tables, write_archive
from replication.errors import UserError
from replication.files import CLASS
from replication.papers.study import analysis, cells, costs, grid, profiles, statistics
from replication.papers.study.cells import RUNS
from replication.papers.study.data import TREATMENTS, coded, prepared
from replication.papers.study.rivals.experiment import rivals
from replication.run.paired import holm

MEASURES_USED = {
    name: {"class": f"couplings.measures.{place}", "label": name.upper()}
    for name, place in {
        "smd": "frequency:SimpleMatching",
        "lin": "frequency:Lin",
        "jaccard": "frequency:Jaccard",
        "caso": "coupled:Caso",
        "burnaby": "frequency:Burnaby",
        "one_hot": "encodings:OneHot",
        "cde": "cde:CDE",
        "coupled_mixed": "coupled_mixed:CoupledMixed",
    }.items()
}
PROTOCOL = {"missing": "value", "bins": 3, "limit": 9000, "restarts": 2, "theta": 0.5, "pairs": 6}
PROTOCOL |= {"replicates": {"least": 2, "most": 4, "error": 0.005, "objects": 1000}}
PROTOCOL |= {"algorithms": list(RUNS)}


def in_order(frame):
    domains = {name: list(dict.fromkeys(cells)) for name, cells in frame.items()}
    return CategoricalTable.from_pandas(pd.DataFrame(frame), domains)


def mixed_table():
    return in_order(
        {
            "colour": ["red", "blue", "red", "?", "red", "blue"],
            "size": ["1.0", "2.0", "3.0", "10.0", "?", "2.0"],
            "same": ["x"] * 6,
        }
    )


LABELS = np.array([0, 0, 1, 1, 2, 2])


def words(made):
    return [
        [made.table.categories[j][code] for j, code in enumerate(row)] for row in made.table.codes
    ]


def test_missing_cells_are_a_value_filled_in_or_dropped():
    own, filled, dropped = (
        coded(mixed_table(), LABELS, ["size"], missing, 3) for missing in TREATMENTS
    )
    assert own.table.attributes == ("colour", "size")  # the constant one is left out
    assert words(own)[3:5] == [["?", "2"], ["red", "?"]]
    assert own.complete.tolist() == [True, True, True, False, False, True]
    # mean 3.6, nearest number 3.0, first bin
    assert words(filled)[3:5] == [["red", "2"], ["red", "0"]]
    assert dropped.rows.tolist() == [0, 1, 2, 5]
    assert dropped.classes.tolist() == [0, 0, 1, 2]
    mostly = CategoricalTable.from_any([["b"], ["?"], ["?"], ["?"], ["b"], ["c"]])
    assert words(coded(mostly, LABELS, [], "impute", 3)) == [["b"]] * 5 + [["c"]]


def test_a_missing_number_becomes_the_mean_of_its_column():
    frame = pd.DataFrame({"a": list("xxy"), "size": ["1", "?", "5"], "age": ["10", "30", "?"]})
    made = SimpleNamespace(rows=slice(None), table=in_order(frame))
    given = SimpleNamespace(prepared=frame, facts={"numeric": ["size", "age"]})
    assert cells.mixed_table(given, made).numeric.tolist() == [[1, 10], [3, 30], [5, 20]]


HOLES = CategoricalTable.from_codes(np.array([[0, 1], [1, 0]]), categories=[["?", "a"]] * 2)
CONSTANT = CategoricalTable.from_codes(np.zeros((3, 1), dtype=int))
test_what_cannot_be_prepared_is_refused = refused(
    UserError,
    lambda table, treatment: coded(table, LABELS[: table.n_objects], [], treatment, 3),
    [
        (mixed_table(), "guess", "'guess' is not known"),
        (HOLES, "drop", "no two rows without a missing cell"),
        (CONSTANT, "value", "no attribute has two different values"),
    ],
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two groups of objects in four categorical attributes, and one number."""
    path = tmp_path_factory.mktemp("study")
    rng = np.random.default_rng(5)
    labels = np.repeat([0, 1], 20)
    codes = np.where(rng.random((40, 4)) < 0.85, 2 * labels[:, None], 1)
    numbers = rng.normal(labels * 3.0, 1.0).round(3)
    frame = pd.DataFrame(codes.astype(str), columns=list("abcd"))
    frame["size"] = numbers.astype(str)
    frame[CLASS] = labels.astype(str)
    prepared_inputs(path / "facts", frame, numeric=["size"])
    table = in_order(frame.drop(columns=CLASS))
    made = Tables({"status": "ok", "reason": ""}, [table], [labels])
    write_archive(path / "tables.npz", {"values": made})
    return path


def experiment(folder, measure=None, name="grid", trials=2, registered=None, **parameters):
    key = "-".join(map(str, (name, measure, *(registered or ()), trials, *parameters.values())))
    return experiment_of(
        folder / f"{key}.partial",
        "study",
        name,
        dataset="toy",
        parameters={**PROTOCOL, **parameters},
        trials=trials,
        seed=3,
        measures={measure: MEASURES_USED[measure]} if measure else {},
        algorithms=registered or {},
        inputs=[
            {"role": "facts", "file": str(folder / "facts.json")},
            {"role": "prepared", "file": str(folder / "facts.csv")},
            {"role": "tables", "file": str(folder / "tables.npz")},
        ],
        preparations=["values"],
    )


RIVALS = {
    name: {"class": f"couplings.cluster.{place}", "label": name}
    for name, place in {
        "limbo": "limbo:Limbo",
        "k_prototypes": "kprototypes:KPrototypes",
        "madd": "mixed_kmeans:AhmadDeyKMeans",
        "mixture": "mixture:MultinomialGaussianMixture",
        "spectralcat": "spectralcat:SpectralCAT",
    }.items()
}


def rivals_of(folder, **parameters):
    made = experiment(folder, "one_hot", name="rivals", registered=RIVALS, **parameters)
    return {one["measure"]: one for one in rivals(made)}


def test_the_papers_rivals_are_scored_as_the_grid_is(folder):
    found = rivals_of(folder)
    assert list(found) == ["one_hot", *RIVALS]
    assert {name: one["outcome"] for name, one in found.items()} == dict.fromkeys(found, "ok")
    assert found["one_hot"]["algorithm"] == "kmeans"
    assert all(one["ari"] > 0.3 for one in found.values())
    assert all(one["replicates"] in (2, 4) for one in found.values())


def test_rivals_that_need_all_pairs_have_a_limit(folder):
    found = rivals_of(folder, limit=39)
    assert {n for n, one in found.items() if one["outcome"] == "left out"} == {
        "limbo",
        "spectralcat",
    }
    assert found["limbo"]["rule"] == "too large"


def cells_of(records):
    return {one["algorithm"]: one for one in records if one["kind"] == "cell"}


def test_a_sum_has_all_algorithms_that_are_defined_for_it(folder):
    found = list(grid.grid(experiment(folder, "smd")))
    cells = cells_of(found)
    for algorithm in ("kmodes", "spectral", "ward", "average"):
        assert cells[algorithm]["outcome"] == "ok"
        assert 0.5 < cells[algorithm]["ari"] <= 1
    assert (cells["rock"]["rule"], cells["kmeans"]["rule"]) == ("no links", "no vectors")
    assert sum(one["kind"] == "pair" for one in found) == PROTOCOL["pairs"]


@pytest.mark.parametrize(
    ("measure", "absent"),
    [
        ("lin", {"kmodes": "not a sum", "rock": "no links", "kmeans": "no vectors"}),
        ("jaccard", {"kmeans": "no vectors"}),
        ("caso", {"kmeans": "no vectors"}),
        ("one_hot", {"rock": "no links"}),
        ("cde", {"rock": "no links"}),
        (
            "coupled_mixed",
            {"kmodes": "vectors only", "spectral": "vectors only", "rock": "no links"},
        ),
    ],
)
def test_what_is_not_defined_is_left_out_by_a_rule(folder, measure, absent):
    cells = cells_of(grid.grid(experiment(folder, measure)))
    rules = {a: one["rule"] for a, one in cells.items() if one["outcome"] != "ok"}
    assert rules == absent


def test_what_is_too_large_is_left_out_by_a_rule(folder):
    cells = cells_of(grid.grid(experiment(folder, "lin", limit=10)))
    assert {a: one["rule"] for a, one in cells.items()}["ward"] == "too large"
    assert cells["spectral"]["rule"] == "too large"
    assert "objects" in cells["ward"]["detail"]
    # the exact factors of a sum need no pairs
    factored, full = (
        cells_of(grid.grid(experiment(folder, "smd", **more)))["spectral"]
        for more in ({"limit": 10}, {})
    )
    assert (factored["outcome"], factored["ari"]) == ("ok", full["ari"])


def test_a_measure_that_sees_nothing_makes_one_cluster(tmp_path):
    labels = np.array([0, 1] * 5)
    table = CategoricalTable.from_codes(np.column_stack([labels, labels[::-1]]))
    data_inputs(tmp_path, table, labels, "values", numeric=[])
    cells = cells_of(grid.grid(experiment(tmp_path, "burnaby")))
    for algorithm in ("kmodes", "spectral", "ward", "average"):
        assert (cells[algorithm]["clusters"], cells[algorithm]["ari"]) == (1, 0)
    assert (cells["rock"]["rule"], cells["kmeans"]["rule"]) == ("no links", "no vectors")


def test_profiles_have_the_baselines(folder):
    found = list(profiles.profiles(experiment(folder)))
    about = next(one for one in found if one["kind"] == "profile")
    assert (about["attributes"], about["values"], about["imbalance"]) == (5, 3.0, 0.0)
    base = {one["baseline"]: one for one in found if one["kind"] == "baseline"}
    assert (base["majority"]["ari"], base["majority"]["purity"]) == (0, 0.5)
    assert abs(base["random"]["ari"]) < 0.2


def test_bins_and_treatments_of_missing_cells(folder, monkeypatch):
    parameters = {"algorithms": ["kmodes"], "compared_bins": [2, 3]}
    found = list(computed(grid.treatments, experiment(folder, "smd", **parameters)))
    assert [one["bins"] for one in found] == [2, 3]  # nothing is missing here
    plain = cells_of(grid.grid(experiment(folder, "smd", algorithms=["kmodes"])))["kmodes"]
    assert found[1]["ari"] == plain["ari"]

    def gaps(made, missing=None, bins=None):
        return replace(prepared(made, missing, bins), complete=np.arange(40) >= share)

    monkeypatch.setattr(grid, "prepared", gaps)
    for share, outcome in ((2, "ok"), (30, "left out")):
        made = experiment(folder, "smd", **parameters, share=share)
        found = list(computed(grid.treatments, made))[2:]
        assert [one["treatment"] for one in found] == ["value", "impute", "drop"]
        assert {one["outcome"] for one in found} == {outcome}
        assert len({one.get("ari") for one in found}) == 1
    assert {one["detail"] for one in found} == {"25% of the rows are complete"}


@pytest.mark.slow
def test_cost(folder, monkeypatch):
    (one,) = costs.cost(experiment(folder, "smd", name="cost"))
    assert one["algorithm"] == "kmodes"
    assert min(one["fit_seconds"], one["run_seconds"]) > 0
    assert 0 < one["before_mib"] <= one["peak_mib"]
    monkeypatch.setattr(costs, "costs", costs_here)
    (one,) = costs.cost(experiment(folder, "coupled_mixed", name="cost"))
    assert one["algorithm"] == "kmeans"
    (one,) = costs.cost(experiment(folder, "lin", name="cost", limit=10))
    assert (one["outcome"], one["rule"]) == ("left out", "too large")


SCORES = pd.DataFrame(
    np.random.default_rng(0).random((9, 4)).round(1) + np.array([0.0, 0.1, 0.2, 0.5]),
    columns=list("abcd"),
    index=[f"s{i}" for i in range(9)],
)


def plain_ranks(row):
    """Ranks by counting: 1 + how many are better + half of how many tie."""
    return [1 + sum(y > x for y in row) + (sum(y == x for y in row) - 1) / 2 for x in row]


def test_friedman_by_its_formula():
    found = statistics.friedman(SCORES)
    rows = [plain_ranks(row) for row in SCORES.round(10).to_numpy().tolist()]
    n, k = SCORES.shape
    mean = np.mean(rows, axis=0)
    np.testing.assert_allclose(found.ranks[list("abcd")], mean)
    # tie-corrected: Conover's form, from the variance of the ranks
    a = sum(x * x for row in rows for x in row)
    c = n * k * (k + 1) ** 2 / 4
    chi2 = n * (k - 1) * (sum((n * m) ** 2 for m in mean) / n - c) / (a - c)
    f = (n - 1) * chi2 / (n * (k - 1) - chi2)
    assert found.p == pytest.approx(f_distribution.sf(f, k - 1, (k - 1) * (n - 1)))


def test_critical_difference_is_that_of_the_published_table():
    # Demsar 2006, table 5: q(0.05) is 2.343, 2.569, 2.728 for 3, 4, 5 methods
    for k, q in ((2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)):
        expected = q * math.sqrt(k * (k + 1) / (6 * 14))
        assert statistics.critical_difference(k, 14) == pytest.approx(expected, rel=1e-3)


def test_nemenyi_agrees_with_the_critical_difference():
    found = statistics.friedman(SCORES)
    pairs = posthoc_nemenyi_friedman(SCORES.round(10).reset_index(drop=True))
    for (i, a), (j, b) in itertools.combinations(enumerate("abcd"), 2):
        apart = abs(found.ranks[a] - found.ranks[b])
        assert (pairs.iloc[i, j] < 0.05) == (apart > found.difference)


def test_friedman_needs_something_to_test():
    assert statistics.friedman(SCORES.iloc[:2]) is None
    assert statistics.friedman(SCORES[["a", "b"]]) is None
    assert statistics.friedman(pd.DataFrame(np.ones((5, 3)))) is None


def compared(a, b, seed=1):
    return statistics.compare(pd.DataFrame({"a": a, "b": b}), np.random.default_rng(seed))


def exact_signed_rank(difference):
    """Two-sided p-value over all signs, for differences without zeros and ties."""
    place = plain_ranks([-abs(x) for x in difference])
    observed = sum(r for r, x in zip(place, difference, strict=True) if x > 0)
    middle = sum(place) / 2
    extreme = total = 0
    for signs in itertools.product((0, 1), repeat=len(place)):
        statistic = sum(r for r, sign in zip(place, signs, strict=True) if sign)
        extreme += abs(statistic - middle) >= abs(observed - middle) - 1e-9
        total += 1
    return extreme / total


def test_wilcoxon_by_enumeration():
    rng = np.random.default_rng(2)
    a, b = rng.random(9), rng.random(9) * 0.6
    found = compared(a, b)
    assert found["p"] == pytest.approx(exact_signed_rank(a - b))
    assert (found["wins"], found["losses"]) == (int((a > b).sum()), int((a < b).sum()))
    place = plain_ranks([-abs(x) for x in a - b])
    above = sum(r for r, x in zip(place, a - b, strict=True) if x > 0)
    assert found["effect"] == pytest.approx(2 * above / sum(place) - 1)
    assert found["low"] <= found["mean_difference"] <= found["high"]


def test_bayesian_signed_rank_by_its_posterior():
    """Dirichlet weights of the Walsh averages, sampled here by gamma variates."""
    difference = np.array([0.3, 0.25, 0.2, 0.1, -0.05, 0.15, 0.4, 0.0])
    found = compared(difference, np.zeros(8), 5)
    rng = np.random.default_rng(11)
    values = np.append(0.0, difference)
    weights = rng.gamma(np.append(0.5, np.ones(8)), size=(20_000, 9))
    weights /= weights.sum(axis=1, keepdims=True)
    sums = np.add.outer(values, values)
    parts = np.array(
        [
            np.einsum("si,ij,sj->s", weights, region, weights)
            for region in ((sums > 0.02) * 1.0, (np.abs(sums) <= 0.02) * 1.0, (sums < -0.02) * 1.0)
        ]
    )
    got = [found[key] for key in ("better", "same", "worse")]
    np.testing.assert_allclose(got, parts.mean(axis=1), atol=0.01)
    assert sum(got) == pytest.approx(1)


def test_holm_by_its_steps():
    p = [0.01, None, 0.04, 0.03, 0.005]
    assert holm(p) == pytest.approx([0.03, None, 0.06, 0.06, 0.02])
    assert holm([None]) == [None]


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, "better"),
        ({"effect": -0.5}, "worse"),
        ({"p_holm": 0.5, "low": -0.01, "high": 0.005}, "the same in practice"),
        ({"p_holm": 0.5}, "undecided"),
        ({"p_holm": None}, "not tested"),
    ],
)
def test_verdicts(change, verdict):
    base = {"p_holm": 0.01, "effect": 0.5, "low": 0.1, "high": 0.2}
    assert analysis.what_remains(base | change) == verdict


def test_what_clusters_by_itself_is_timed_as_one_start(folder, monkeypatch):
    monkeypatch.setattr(costs, "costs", costs_here)

    def alone(name, given, **more):
        made = experiment(folder, name=f"cost_alone_{name}", registered={name: given}, **more)
        return next(costs.alone(made))

    one = alone("limbo", RIVALS["limbo"])
    assert (one["measure"], one["algorithm"], one["outcome"]) == ("limbo", "limbo", "ok")
    assert one["fit_seconds"] > one["run_seconds"] == 0
    one = alone("limbo", RIVALS["limbo"], limit=39)
    assert (one["outcome"], one["rule"]) == ("left out", "too large")
    one = alone("lca", {"class": "couplings.learned.latent_class:LatentClasses", "label": "LCA"})
    assert 0 < one["before_mib"] <= one["peak_mib"]


def test_every_measure_of_the_grid_can_be_recommended(catalog):
    study = catalog.papers["study"]
    used = {m for n, e in study["experiments"].items() if "grid_" in n for m in e["measures"]}
    for name in used:
        registered = catalog.measures[name]["class"].partition(":")[2]
        assert measure_entry(name).class_name == registered
    named = {
        side
        for duel in study["artefacts"]["duels"]["parameters"]["duels"]
        for side in (duel["first"], duel["second"])
    }
    rivals = study["experiments"]["rivals"]
    assert named <= used | {*rivals["measures"], *rivals["algorithms"]}
