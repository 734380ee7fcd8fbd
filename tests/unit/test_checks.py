"""Parameters out of range, and data that are no distances, are refused alike everywhere."""

from functools import partial

import numba
import numpy as np
import pandas as pd
import pytest
from kit import refused, refused_calls

import couplings
from couplings import _checks
from couplings._kernels import threads as kernel_threads
from couplings.cluster.kmeans import kmeans_runs
from couplings.cluster.mixture import MultinomialGaussianMixture
from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.ward import ward
from couplings.discretize import apply_cuts, equal_width_cuts
from couplings.errors import CouplingsError, MissingValuesError, TableError
from couplings.metrics.external import external_scores
from couplings.mixed import MixedTable
from couplings.table import CategoricalTable

RNG = np.random.default_rng(0)
TABLE = CategoricalTable.from_codes(RNG.integers(0, 3, (30, 4)))
MIXED = MixedTable(TABLE, RNG.normal(size=(30, 2)), ("x", "y"))
FRAME = TABLE.to_pandas().assign(x=MIXED.numeric[:, 0])
ROWS = RNG.normal(size=(30, 3))
DISTANCES = np.abs(np.subtract.outer(ROWS[:, 0], ROWS[:, 0]))

CATEGORICAL = ("CategoricalSpectral", "Climbo", "KModes", "LatentClasses", "Limbo", "Rock")
MIXTURES = ("AhmadDeyKMeans", "KPrototypes", "MultinomialGaussianMixture", "SpectralCAT")
DATA = dict.fromkeys(CATEGORICAL, TABLE) | dict.fromkeys(MIXTURES, MIXED)
DATA |= {"DensityPeaks": ROWS, "KMeans": ROWS, "Ward": DISTANCES}


@pytest.mark.parametrize("name", DATA)
def test_the_number_of_clusters_and_the_seed_are_checked_alike(name):
    kind = getattr(couplings, name)
    for value in (2.0, "2", None, True, 0, -1, 31, np.float64(2)):
        with pytest.raises(CouplingsError, match=r"=.*is not an integer from 1 to 30"):
            kind(value).fit(DATA[name])
    for value in ("abc", -1, 1.5, True, [1, 2]) if "random_state" in kind(2).get_params() else ():
        with pytest.raises(CouplingsError, match=r"random_state=.*integer of at least 0"):
            kind(2, random_state=value).fit(DATA[name])


@pytest.mark.parametrize("state", [np.random.RandomState(1), np.random.SeedSequence(1)])
def test_other_sources_of_randomness_are_taken(state):
    assert kmeans_runs(ROWS, 2, [state]).labels.shape == (1, 30)


@pytest.mark.parametrize("count", [0, 1])
def test_an_integer_pseudo_count_is_the_number(count):
    mixtures = [
        MultinomialGaussianMixture(2, pseudo_count=one, random_state=0).fit(MIXED)
        for one in (count, float(count))
    ]
    assert np.array_equal(mixtures[0].posterior_, mixtures[1].posterior_)
    assert np.isfinite(mixtures[0].log_likelihoods_).all()


SIMILAR = DISTANCES.max() - DISTANCES
HOLED = np.where(DISTANCES[1, 2] == DISTANCES, np.nan, DISTANCES)
test_matrices_bins_and_threads_are_checked = refused_calls(
    CouplingsError,
    [
        (
            lambda: couplings.Ward(2).fit(np.array([1.0, -2.0, 3.0])),
            "found values from -2.0 to 3.0",
        ),
        (lambda: couplings.Ward(2).fit(np.triu(DISTANCES)), "not symmetric"),
        (lambda: couplings.Ward(2, diagonal="drop").fit(DISTANCES), "diagonal='drop'"),
        *(
            (partial(equal_width_cuts, [1.0, 2.0], bins), r"bins=.*is not a positive integer")
            for bins in (2.5, "3", True, 0, None)
        ),
        *(
            (_checks.threads("KModes", n_jobs).__enter__, r"n_jobs=.*positive integer, -1 or None")
            for n_jobs in (0, -2, 1.0, True, "all")
        ),
    ],
)


def test_ward_may_ignore_the_diagonal():
    told = couplings.Ward(2, diagonal="ignore").fit_predict(SIMILAR)
    assert np.array_equal(told, ward(SIMILAR[np.triu_indices(30, 1)], 2))


test_labels_are_complete_and_of_one_kind = refused(
    CouplingsError,
    lambda labels: external_scores(labels, [0, 0, 1]),
    [
        ([1.0, np.nan, 1.0], "labels_true: 1 of the labels are missing"),
        (np.array(["a", None, "b"], dtype=object), "1 of the labels are missing"),
        (np.array(["a", float("nan"), "b"], dtype=object), "missing"),
        (np.array(["a", pd.NA, "b"], dtype=object), "missing"),
        (np.array([1, "1", 2], dtype=object), "mixed types .number, text."),
        (np.array([True, 1, 2], dtype=object), "mixed types .bool, number."),
        ([1, "1", 2], "mixed types .number, text."),
        ([True, 1, 2], "mixed types .bool, number."),
        ([object(), object(), object()], "labels of type object have no order; use text"),
        (np.array(["2020-01-01", "NaT", "2020-01-01"], dtype="M8[D]"), "missing"),
    ],
)


@pytest.mark.parametrize("name", ["AhmadDeyKMeans", "SpectralCAT", "MultinomialGaussianMixture"])
def test_missing_cells_of_a_frame_have_a_remedy_that_works(name):
    frame = FRAME.copy()
    frame.loc[3, "a1"] = np.nan
    with pytest.raises(MissingValuesError, match=r"'a1' \(1\).*fillna.*dropna"):
        getattr(couplings, name)(2, random_state=0).fit(frame)
    frame["a1"] = frame["a1"].astype(object).fillna("?")
    assert len(getattr(couplings, name)(2, random_state=0).fit_predict(frame)) == 30


@pytest.mark.parametrize("name", MIXTURES)
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (TABLE, "all columns are categorical; a mixed table needs both kinds"),
        (ROWS, "all columns are numeric; a mixed table needs both kinds"),
        ("a", "is not a table; pass"),
        (None, "is not a table; pass"),
    ],
)
def test_what_is_no_mixed_table_is_named(name, data, message):
    with pytest.raises(TableError, match=message):
        getattr(couplings, name)(2).fit(data)


def test_cuts_of_the_widest_range_do_not_overflow():
    x = [-1.7e308, 0.0, 1.7e308]
    cuts = equal_width_cuts(x, 4)
    np.testing.assert_allclose(cuts, [-0.85e308, 0.0, 0.85e308])
    assert apply_cuts(x, cuts).tolist() == [0, 1, 3]
    assert equal_width_cuts([2.0, 2.0], 3).size == 0


def test_what_does_not_fit_is_refused_before_it_is_made(monkeypatch):
    space = couplings.SimpleMatching().fit(TABLE).space_
    monkeypatch.setattr(_checks, "_memory", lambda: 1000.0)
    with pytest.raises(CouplingsError, match=r"30 x 30 float64 takes 7.2 KB.*has 1 KB.*KModes"):
        space.pairwise(TABLE)
    with pytest.raises(CouplingsError, match="ward: the dissimilarities of all pairs of 30"):
        couplings.Ward(2).fit(DISTANCES)
    with pytest.raises(CouplingsError, match=r"Rock: the links of \d+ .*increase theta"):
        couplings.Rock(2, theta=0.2).fit(TABLE)
    monkeypatch.setattr(_checks, "_memory", lambda: 100.0)
    with pytest.raises(CouplingsError, match=r"Rock: the neighbours of 30 objects.*sample"):
        NeighbourGraph.from_table(TABLE, 0.5)


@pytest.mark.parametrize(("said", "less"), [("12345", True), ("max", False)])
def test_a_container_may_have_less(monkeypatch, tmp_path, request, said, less):
    (tmp_path / "memory.max").write_text(f"{said}\n")
    monkeypatch.setattr(_checks, "_CONTAINER_LIMIT", tmp_path / "memory.max")
    request.addfinalizer(_checks._memory.cache_clear)
    _checks._memory.cache_clear()
    assert (_checks._memory() == 12345) is less
    assert _checks._memory() >= 12345


def test_threads_are_limited_and_given_back():
    before = numba.get_num_threads()
    with _checks.threads("KModes", 2):
        assert numba.get_num_threads() == min(2, before)
    assert numba.get_num_threads() == before


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one thread only")
def test_little_work_and_one_job_take_no_threads():
    much = 10.0 * kernel_threads.LEAST_WORK
    assert kernel_threads.threaded(much)
    assert not kernel_threads.threaded(100)
    with _checks.threads("KModes", 1):
        assert not kernel_threads.threaded(much)
    assert kernel_threads.threaded(much)
