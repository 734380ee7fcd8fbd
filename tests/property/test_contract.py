"""The contract of every measure and algorithm of the registries: a new entry is held to it too.

The entries come from `config/measures.yaml`, `config/algorithms.yaml` and the library's own list of
names. What is stated here by hand is what an entry is let off from, with the reason; everything
else holds for all.
"""

import ast
import pickle
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from kit import ROOT
from registries import ALGORITHMS, MEASURES
from sklearn.base import clone

from couplings import CategoricalTable, MixedTable, cooccurrence
from couplings.cluster._base import MixedClustering, Takes
from couplings.cluster.kmeans import KMeans
from couplings.cluster.kprototypes import KPrototypes
from couplings.cluster.spectral import CategoricalSpectral
from couplings.errors import CouplingsError, NotFittedError
from couplings.measures.base import ValueMeasure
from couplings.measures.frequency import SimpleMatching
from couplings.measures.registry import measure_from
from couplings.metrics.external import external_scores

VALUES = [entry for entry in MEASURES if issubclass(entry.kind, ValueMeasure)]
MIXED = [entry for entry in MEASURES if entry not in VALUES]
DISTANCES = [entry for entry in VALUES if entry.kind.kind == "dissimilarity"]
SIMILARITIES = [entry for entry in VALUES if entry not in DISTANCES]

every = pytest.mark.parametrize("entry", [*MEASURES, *ALGORITHMS], ids=str)
every_measure = pytest.mark.parametrize("entry", MEASURES, ids=str)
every_value_measure = pytest.mark.parametrize("entry", VALUES, ids=str)
every_distance = pytest.mark.parametrize("entry", DISTANCES, ids=str)
every_algorithm = pytest.mark.parametrize("entry", ALGORITHMS, ids=str)

NO_TWIN = {
    "OneHot": "a column of zeros and ones per value; the worked example is the definition",
    "InverseDocumentFrequency": "a constant per value; the worked example is the definition",
    "Cado": "a function of the values of Caso, which has a twin",
    "CasoDistance": "a function of the values of Caso, which has a twin",
    "CDCDR": "an eigenproblem: tests/property/test_cdcdr holds it against its definition",
    "SigDT": "a tree: tests/unit/test_papers_disc holds its tests of cells against loops",
    "CategoricalSpectral": "an eigenproblem: scipy and scikit-learn solve it too, in tests/parity",
}
"""Classes that are held against something else than loops over their definition."""

WEIGHS_NOTHING = {"Goodall3": "to agree in an attribute of one value counts nothing"}
"""Measures whose constant attributes tell nothing apart, and why."""


def table_of(n=60, n_values=(2, 4, 3, 5), seed=0):
    """Related attributes, every value of which occurs."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(n)
    columns = [
        np.minimum((v * (0.7 * hidden + 0.3 * rng.random(n))).astype(int), v - 1) for v in n_values
    ]
    return CategoricalTable.from_codes(np.column_stack(columns), n_values)


def mixed_of(table, seed=1):
    rng = np.random.default_rng(seed)
    numeric = table.codes[:, :2] + rng.normal(size=(table.n_objects, 2))
    return MixedTable(table, numeric, ("x", "y"))


def fitted(entry, table):
    data = table if issubclass(entry.kind, ValueMeasure) else mixed_of(table)
    return entry.make(random_state=0).fit(data)


def between(entry, table):
    """What the measure says of all pairs of objects: dissimilarities or similarities."""
    found = asked(entry, fitted(entry, table), table)
    return np.linalg.norm(found[:, None] - found[None], axis=2) if entry in MIXED else found


def relabelled(table, seed=2):
    rng = np.random.default_rng(seed)
    columns = [
        rng.permutation(v)[column] for v, column in zip(table.n_values, table.codes.T, strict=True)
    ]
    return CategoricalTable.from_codes(np.column_stack(columns), table.n_values)


@every_measure
def test_it_is_symmetric_finite_and_never_negative_and_not_everything_is_alike(entry):
    found = between(entry, table_of())
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, found.T, rtol=1e-12, atol=1e-12)
    assert found.min() >= 0
    assert np.ptp(found) > 0


@every_distance
def test_objects_are_at_zero_from_themselves_unless_the_paper_says_otherwise(entry):
    table = table_of()
    for dtype in (np.float64, np.float32):
        assert not np.diagonal(fitted(entry, table).pairwise(table, dtype=dtype)).any()
    if entry.takes("self_distance"):
        as_printed = entry.make(self_distance="paper", random_state=0).fit(table)
        np.testing.assert_array_equal(as_printed.pairwise(table), as_printed.space_.pairwise(table))


@every_measure
def test_the_order_of_the_objects_does_not_matter(entry):
    table = table_of()
    order = np.random.default_rng(3).permutation(table.n_objects)
    if entry in MIXED:
        rows = fitted(entry, table).transform(mixed_of(table))
        mixed = mixed_of(table)
        again = MixedTable(table.take(order), mixed.numeric[order], ("x", "y"))
        other = entry.make().fit(again).transform(again)
        np.testing.assert_allclose(other, rows[order], rtol=1e-9, atol=1e-9)
        return
    expected = between(entry, table)[np.ix_(order, order)]
    np.testing.assert_allclose(between(entry, table.take(order)), expected, rtol=1e-12, atol=1e-12)


@every_value_measure
def test_neither_the_order_of_the_attributes_nor_the_names_of_values_matter(entry):
    if entry.takes("random_state"):
        pytest.skip("draws its starts in the order of the values")
    table = table_of()
    expected = between(entry, table)
    for other in (table.select([2, 0, 3, 1]), relabelled(table)):
        np.testing.assert_allclose(between(entry, other), expected, rtol=1e-9, atol=1e-9)


@every_value_measure
def test_equal_objects_are_equal_to_all_others(entry):
    table = table_of(n_values=(2, 2, 3))
    found = between(entry, table)
    _, inverse = np.unique(table.codes, axis=0, return_inverse=True)
    for group in range(inverse.max() + 1):
        rows = found[inverse.ravel() == group]
        np.testing.assert_allclose(rows, rows[[0]].repeat(len(rows), axis=0), atol=1e-12)


@every_value_measure
def test_a_constant_attribute_is_no_obstacle(entry):
    found = between(entry, table_of(n_values=(2, 1, 3)))
    assert np.isfinite(found).all()
    assert np.ptp(found) > 0


@every_value_measure
def test_weighted_distinct_rows_are_the_rows(entry):
    table = table_of(n_values=(2, 3, 2, 2))
    rows, weights, inverse = table.distinct()
    assert rows.n_objects < table.n_objects
    whole = entry.make(random_state=0).fit(table).space_.pairwise(table)
    collapsed = entry.make(random_state=0).fit(cooccurrence(rows, weights)).space_.pairwise(rows)
    np.testing.assert_array_equal(whole, collapsed[np.ix_(inverse, inverse)])


@every_value_measure
def test_frames_and_counts_are_the_table(entry):
    table = table_of()
    frame = table.to_pandas()
    expected = fitted(entry, table).space_.pairwise(table)
    for data in (frame, cooccurrence(table)):
        found = entry.make(random_state=0).fit(data)
        np.testing.assert_array_equal(found.space_.pairwise(table), expected)


@every_distance
def test_what_differs_from_every_value_differs_from_the_only_value_too(entry):
    table = table_of(n_values=(2, 1, 3))
    measure = entry.make(random_state=0, unknown="mismatch").fit(table)
    new = CategoricalTable.from_codes(
        table.codes[:1], categories=[("0", "1"), ("new",), ("0", "1", "2")]
    )
    apart = measure.pairwise(new, table.take(np.arange(1)))
    if entry.kind is SimpleMatching:
        assert apart == 1
    assert apart > 0 or entry.kind.__name__ in WEIGHS_NOTHING


@every_value_measure
def test_a_missing_cell_elsewhere_leaves_the_values_of_a_column_of_integers(entry):
    frame = pd.DataFrame({"a": [10, 20, 10, 30] * 3, "b": list("xyxxyy") * 2})
    floats = frame.assign(a=frame["a"].where(np.arange(12) < 11))[:11]
    learned = [
        entry.make(random_state=0).fit(one[:11].astype("category")) for one in (frame, floats)
    ]
    assert learned[0].categories_ == learned[1].categories_


def twins():
    """Names of the classes that tests compare with loops over the definition: their marks."""
    found = set()
    for path in [*sorted((ROOT / "tests").rglob("test_*.py"))]:
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "twin_of" in text else ():
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "twin_of"
            ):
                found |= {ast.literal_eval(argument) for argument in node.args}
    return found


TWINS = twins()


@every
def test_it_has_a_twin_or_a_reason_to_have_none(entry):
    name = entry.kind.__name__
    assert (name in TWINS) != (name in NO_TWIN), (
        f"{name}: compare it with loops over its definition in tests/property, and mark that test "
        f'@pytest.mark.twin_of("{name}"); or say in NO_TWIN why that is not possible'
    )


def test_twins_and_exemptions_are_of_classes_that_there_are():
    known = {entry.kind.__name__ for entry in [*MEASURES, *ALGORITHMS]}
    assert set(NO_TWIN) <= known


@every
def test_clones_have_the_same_parameters_and_no_others(entry):
    made = entry.make(random_state=3)
    copy = clone(made)
    assert type(copy) is entry.kind
    assert copy.get_params(deep=False) == made.get_params(deep=False)
    assert entry.parameters.items() <= copy.get_params(deep=False).items()
    with pytest.raises(CouplingsError, match=r"no parameter 'poem'.*its parameters"):
        entry.make().set_params(poem=1)


@every_measure
def test_a_pickled_measure_says_the_same(entry):
    table = table_of()
    measure = fitted(entry, table)
    again = pickle.loads(pickle.dumps(measure))
    np.testing.assert_array_equal(asked(entry, again, table), asked(entry, measure, table))


def asked(entry, measure, table):
    """What a measure is asked for: vectors, similarities or distances."""
    if entry in MIXED:
        return measure.transform(mixed_of(table))
    return measure.similarities(table) if entry in SIMILARITIES else measure.pairwise(table)


@every_measure
def test_before_fit_other_columns_and_no_objects_are_errors(entry):
    table = table_of()
    with pytest.raises(NotFittedError, match=f"this {entry.kind.__name__} is not fitted"):
        asked(entry, entry.make(), table)
    fewer = CategoricalTable.from_codes(table.codes[:, :2], table.n_values[:2])
    with pytest.raises(CouplingsError):
        asked(entry, fitted(entry, table), fewer)
    with pytest.raises(CouplingsError):
        entry.make().fit(np.empty((0, 3), dtype=object))


def data_for(entry, table):
    """What the algorithm clusters, and what it takes besides."""
    if issubclass(entry.kind, MixedClustering | KPrototypes):
        return mixed_of(table), {}
    if issubclass(entry.kind, KMeans):
        return np.eye(5)[table.codes[:, 3]] + table.codes[:, [0]], {}
    if entry.parameters.get("affinity") == "identity":
        measure = measure_from("caso").fit(table)
        return table, {"matrices": measure}
    if "recurrence" in entry.parameters:
        return measure_from("smd").fit(table).space_.condensed(table), {}
    return table, {}


def clustered(entry, table, k=3, **more):
    data, besides = data_for(entry, table)
    clusters = "n_clusters"
    given = {"random_state": 0, **more}
    if entry.parameters.get("affinity") == "gauss":
        given["bandwidth"] = 1.0
    if entry.takes("theta"):
        given["theta"] = 0.2
    return entry.make(**{clusters: k}, **given).fit(data, **besides)


@every_algorithm
def test_labels_are_clusters_from_zero_on_the_same_again_and_when_pickled(entry):
    table = table_of()
    found = clustered(entry, table)
    labels = found.labels_
    assert labels.shape == (table.n_objects,)
    assert labels.dtype.kind in "iu"
    assert labels.min() >= 0
    assert 1 < len(np.unique(labels)) <= (table.n_objects if "rock" in str(entry) else 3)
    np.testing.assert_array_equal(clustered(entry, table).labels_, labels)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).labels_, labels)


@every_algorithm
def test_more_clusters_than_objects_none_and_no_objects_are_errors(entry):
    for k in (0, 1000) if entry.takes("n_clusters") else ():  # others find their own number
        with pytest.raises(CouplingsError):
            clustered(entry, table_of(), k=k)
    given = {"bandwidth": 1.0} if issubclass(entry.kind, CategoricalSpectral) else {}
    with pytest.raises(CouplingsError):
        entry.make(**given).fit(np.empty((0, 3)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@every_algorithm
def test_it_ends_after_as_many_passes_as_it_may(entry):
    found = clustered(entry, table_of(), max_iter=1)
    draws = entry.parameters.get("search") == "random"  # it limits the passes of a sweep
    assert draws or not entry.takes("max_iter") or getattr(found, "n_iter_", 1) == 1


@pytest.mark.parametrize("seed", range(20))
def test_no_external_score_depends_on_the_names_or_the_order_of_clusters_and_classes(seed):
    rng = np.random.default_rng(seed)
    k, c = rng.integers(1, 6, size=2)
    clusters, classes = rng.integers(0, k, 12), rng.integers(0, c, 12)
    expected = external_scores(classes, clusters)
    for _ in range(10):
        found = external_scores(rng.permutation(c)[classes], rng.permutation(k)[clusters])
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-14)


@every_algorithm
def test_an_algorithm_says_what_the_workflow_gives_it(entry):
    assert entry.kind.takes in get_args(Takes)
