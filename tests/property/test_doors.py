"""Every public callable that takes a table takes every kind of table, or says why not.

A call is right if it gives what the same call gives for the `CategoricalTable` (or `MixedTable`) of
the same objects. Else it raises a `CouplingsError`. Nothing else is allowed.
"""

import inspect
import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

import couplings
from couplings import CategoricalTable, CouplingsError, MixedTable
from couplings.associations import associations
from couplings.intervals import value_intervals
from couplings.measures.cde import conditional_influence, occurrence_influence
from couplings.measures.coupled import casv, iaasv, ieasv
from couplings.metrics.factors import feature_correlation, value_coupling

mpl.use("Agg")
pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(3)
KIND = RNG.integers(0, 3, 24)
CODES = np.column_stack(
    [
        np.where(RNG.random(24) < 0.85, KIND, RNG.integers(0, 3, 24)),
        np.where(RNG.random(24) < 0.85, KIND, RNG.integers(0, 3, 24)),
        RNG.integers(0, 2, 24),
    ]
)
"""Codes whose text sorts as they do, so that numbers and texts give one table."""
TEXT = pd.DataFrame(CODES.astype(str), columns=["p", "q", "r"])
LABELS = KIND.astype(int)
TABLE = CategoricalTable.from_any(TEXT)
NUMBER = np.round(KIND * 2.0 + RNG.random(24), 3)
MIXED_FRAME = TEXT.assign(size=NUMBER)
MIXED = MixedTable.from_pandas(MIXED_FRAME)


@pytest.fixture(autouse=True)
def optional_packages(request):
    if "KMedoids" in request.node.name:
        pytest.importorskip("kmedoids")


def polars(frame):
    return pytest.importorskip("polars").from_pandas(frame)


CATEGORICAL = {
    "CategoricalTable": lambda: TABLE,
    "pandas text": lambda: TEXT,
    "pandas objects": lambda: TEXT.astype(object),
    "pandas category": lambda: TEXT.astype("category"),
    "pandas Arrow": lambda: TEXT.astype(pd.ArrowDtype(pa.string())),
    "pandas odd index": lambda: TEXT.set_axis([7] * 24),
    "polars": lambda: polars(TEXT),
    "polars lazy": lambda: polars(TEXT).lazy(),
    "Arrow table": lambda: pa.Table.from_pandas(TEXT),
    "Arrow batch": lambda: pa.RecordBatch.from_pandas(TEXT),
    "array of text": lambda: TEXT.to_numpy(dtype=str),
    "array of objects": lambda: TEXT.to_numpy(dtype=object),
    "masked array": lambda: np.ma.masked_array(TEXT.to_numpy(dtype=object), mask=False),
    "Fortran array": lambda: np.asfortranarray(TEXT.to_numpy(dtype=object)),
    "list of lists": lambda: TEXT.to_numpy(dtype=object).tolist(),
    "list of tuples": lambda: list(map(tuple, TEXT.to_numpy(dtype=object))),
    "list of arrays": lambda: list(TEXT.to_numpy(dtype=object)),
}
"""Kinds of one table of categories: the result is required."""
CODED = {
    "pandas integers": lambda: pd.DataFrame(CODES, columns=list(TEXT)),
    "pandas nullable": lambda: pd.DataFrame(CODES, columns=list(TEXT)).astype("Int8"),
    "polars integers": lambda: polars(pd.DataFrame(CODES, columns=list(TEXT))),
    "array of integers": lambda: CODES,
    "array of small integers": lambda: CODES.astype(np.uint8),
    "array of floats": lambda: CODES.astype(float),
    "matrix": lambda: np.asmatrix(CODES),
    "list of integers": lambda: CODES.tolist(),
}
"""Kinds with numbers that are labels: the result, or an error that says how to mark them."""
MIXED_KINDS = {
    "MixedTable": lambda: MIXED,
    "pandas mixed": lambda: MIXED_FRAME,
    "polars mixed": lambda: polars(MIXED_FRAME),
    "Arrow mixed": lambda: pa.Table.from_pandas(MIXED_FRAME),
    "array of mixed objects": lambda: MIXED_FRAME.to_numpy(dtype=object),
    "list of mixed rows": lambda: MIXED_FRAME.to_numpy(dtype=object).tolist(),
}
"""Kinds of one mixed table."""
ODD = {
    "None": lambda: None,
    "text": lambda: "table.csv",
    "number": lambda: 5,
    "Series": lambda: TEXT["p"],
    "vector": lambda: CODES[:, 0],
    "cube": lambda: CODES.reshape(4, 6, 3),
    "dict of columns": lambda: TEXT.to_dict("list"),
    "list of dicts": lambda: TEXT.to_dict("records"),
    "list of texts": lambda: list(TEXT["p"]),
    "ragged list": lambda: [["x", "y"], ["x"]],
    "empty list": lambda: [],
    "no rows": lambda: TEXT[:0],
    "no columns": lambda: TEXT[[]],
    "one row": lambda: TEXT[:1],
    "one column": lambda: TEXT[["p"]],
    "two columns of one name": lambda: TEXT.set_axis(["p", "p", "q"], axis=1),
    "dates": lambda: TEXT.assign(p=pd.date_range("2020", periods=24)),
    "durations": lambda: TEXT.assign(p=pd.to_timedelta(range(24), "D")),
    "complex": lambda: TEXT.assign(p=np.arange(24) * 1j),
    "complex array": lambda: CODES * 1j,
    "bytes": lambda: TEXT.to_numpy(dtype="S2"),
    "nested": lambda: TEXT.assign(p=[[1]] * 24),
    "types": lambda: TEXT.assign(p=[1, "1"] * 12),
    "fractions": lambda: TEXT.assign(p=NUMBER),
    "only fractions": lambda: pd.DataFrame(RNG.random((24, 3)), columns=list(TEXT)),
    "infinite": lambda: TEXT.assign(p=np.inf),
    "all missing": lambda: TEXT.assign(p=None),
    "missing": lambda: TEXT.assign(p=[None, *TEXT["p"][1:]]),
    "sparse": lambda: csr_array(CODES),
    "records": lambda: TEXT.to_records(index=False),
    "generator": lambda: iter(CODES.tolist()),
    "set": lambda: {"p", "q"},
    "class": lambda: CategoricalTable,
}
"""What is no table, or none of these columns: an error, or whatever is defined."""


def seeded(kind, **more):
    parameters = inspect.signature(kind).parameters
    small = {"random_state": 0, "n_init": 2, "max_iter": 20} | more
    return kind(**{name: value for name, value in small.items() if name in parameters})


def fitted(kind, **more):
    """A call that fits an estimator and returns what it says of the same objects."""

    def call(data):
        model = seeded(kind, **more).fit(data)
        if hasattr(model, "labels_"):
            return np.asarray(model.labels_)
        if getattr(model, "kind", "") == "similarity":
            return model.similarities(data)
        if hasattr(model, "pairwise"):
            return model.pairwise(data)
        return np.asarray(model.transform(data))

    return call


def predicted(kind, **more):
    return lambda data: seeded(kind, **more).fit(TABLE).predict(data)


def drawn(call):
    from matplotlib import pyplot as plt

    def plot(data):
        try:
            ax = call(data)
            return np.vstack([line.get_xydata() for line in ax.lines])
        finally:
            plt.close("all")

    return plot


ESTIMATORS = {
    name: getattr(couplings, name)
    for name in couplings.__all__
    if hasattr(getattr(couplings, name), "fit") and name != "KMeans"
}
NUMERIC = ("KPrototypes", "AhmadDeyKMeans", "MultinomialGaussianMixture", "SpectralCAT")
ONLY_MIXED = {*NUMERIC, "CoupledMixed"} & set(ESTIMATORS)
"""Estimators that need numbers and categories."""
FITTED = couplings.SimpleMatching().fit(TABLE)
CALLS = {
    **{name: fitted(kind) for name, kind in ESTIMATORS.items() if name not in ONLY_MIXED},
    "Ward": fitted(couplings.Ward, measure="simple_matching"),
    "DensityPeaks": fitted(couplings.DensityPeaks, percent=40.0),
    **{
        f"{name}.predict": predicted(ESTIMATORS[name])
        for name in ("KModes", "LatentClasses", "Limbo", "Climbo", "Rock", "EntropyClusters")
        if name in ESTIMATORS
    },
    "SimpleMatching.pairwise": FITTED.pairwise,
    "SimpleMatching.kneighbors": lambda data: FITTED.kneighbors(data)[1],
    "SimpleMatching.transform": lambda data: np.asarray(FITTED.transform(data)),
    "cooccurrence": lambda data: couplings.cooccurrence(data).matrix,
    "symmetric_uncertainty": lambda data: couplings.counts.symmetric_uncertainty(data),
    "associations": lambda data: associations(data).to_numpy(),
    "casv": lambda data: casv(data).data,
    "iaasv": lambda data: iaasv(data).data,
    "ieasv": lambda data: ieasv(data).data,
    "occurrence_influence": occurrence_influence,
    "conditional_influence": conditional_influence,
    "feature_correlation": feature_correlation,
    "value_coupling": lambda data: value_coupling(data, LABELS),
    "internal_indices": lambda data: list(
        couplings.internal_indices(data, LABELS, FITTED).values()
    ),
    "value_intervals": lambda data: (
        value_intervals(couplings.AhmadDey(), data, 5, random_state=0).pairs(0)["high"].to_numpy()
    ),
    "recommend": lambda data: repr(couplings.recommend(data)),
    "describe_table": lambda data: couplings.describe_table(data).reset_index(drop=True).to_csv(),
    "prepare_table": lambda data: couplings.prepare_table(data).codes,
    "cluster_profiles": lambda data: (
        couplings.cluster_profiles(data, LABELS).drop(columns="attribute").to_csv()
    ),
    "choose_k": lambda data: couplings.choose_k(
        data, seeded(couplings.KModes), k_range=[2], n_bootstrap=2
    ).to_numpy(),
    "choose_k by default": lambda data: couplings.choose_k(
        data, k_range=[2], n_bootstrap=1
    ).to_numpy(),
    "plot_objects": drawn(lambda data: couplings.plot_objects(FITTED, data, LABELS)),
    "CategoricalTable.from_any": lambda data: CategoricalTable.from_any(data).codes,
    "CooccurrenceCounts.from_batches": lambda data: (
        couplings.CooccurrenceCounts.from_batches([data]).matrix
    ),
}
MIXED_CALLS = {
    **{name: fitted(ESTIMATORS[name]) for name in ESTIMATORS if name in ONLY_MIXED},
    "MixedDistance": fitted(couplings.MixedDistance),
    "DensityPeaks": fitted(couplings.DensityPeaks, percent=20.0),
    "describe_table": CALLS["describe_table"],
    "prepare_table": CALLS["prepare_table"],
    "cluster_profiles": CALLS["cluster_profiles"],
    "choose_k by default": CALLS["choose_k by default"],
    "plot_objects": drawn(
        lambda data: couplings.plot_objects(couplings.MixedDistance().fit(data), data, LABELS)
    ),
}
KEEP_NUMBERS = {
    "MixedDistance": "takes numbers as numbers",
    "DensityPeaks": "takes an array of numbers as coordinates",
    "CategoricalTable.from_any": "the reader of labels, which refuses numbers in a frame",
    "CooccurrenceCounts.from_batches": "reads its batches by from_any",
    "describe_table": "describes numbers too",
    "prepare_table": "cuts numbers",
    "cluster_profiles": "gives means of numbers",
    "choose_k by default": "follows the kind of the data",
}
"""Calls whose result for columns of integers may be another one, with the reason."""
NO_TABLE = {
    **dict.fromkeys(
        ("accuracy", "adjusted_rand", "external_scores", "inverse_purity", "nmi", "purity"),
        "takes labels, or a contingency table",
    ),
    **dict.fromkeys(
        ("plot_choose_k", "plot_profiles", "plot_value_distances", "plot_values"),
        "draws a result; tested below",
    ),
    **dict.fromkeys(("measure_from", "measure_names"), "takes a name"),
    "read_table": "takes a file",
    "ward_linkage": "takes distances",
    "KMeans": "takes rows of numbers",
}


def outcome(call, data):
    """Return the result of a call, or the `CouplingsError` that it raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(data)
        except CouplingsError as error:
            assert str(error).strip()
            return error


def same(found, expected):
    if isinstance(expected, str):
        return found == expected
    found, expected = np.asarray(found), np.asarray(expected)
    return found.shape == expected.shape and np.allclose(found, expected, equal_nan=True)


@pytest.mark.parametrize("name", CALLS)
def test_every_call_takes_every_kind_of_table(name):
    expected = CALLS[name](TABLE)
    for kind, make in CATEGORICAL.items():
        found = outcome(CALLS[name], make())
        assert not isinstance(found, CouplingsError), (kind, found)
        assert same(found, expected), kind
    for kind, make in CODED.items():
        found = outcome(CALLS[name], make())
        told = isinstance(found, CouplingsError)
        assert told or name in KEEP_NUMBERS or same(found, expected), kind


@pytest.mark.parametrize("name", MIXED_CALLS)
def test_every_call_for_mixed_data_takes_every_kind_of_mixed_table(name):
    expected = MIXED_CALLS[name](MIXED)
    for kind, make in MIXED_KINDS.items():
        found = outcome(MIXED_CALLS[name], make())
        assert not isinstance(found, CouplingsError), (kind, found)
        assert same(found, expected), kind


@pytest.mark.parametrize("name", [*CALLS, *(f"mixed {name}" for name in MIXED_CALLS)])
def test_what_is_no_such_table_is_told(name):
    call = MIXED_CALLS[name[6:]] if name.startswith("mixed ") else CALLS[name]
    for kind, make in {**ODD, **({} if name.startswith("mixed ") else MIXED_KINDS)}.items():
        try:
            outcome(call, make())
        except AttributeError as error:
            # The number of objects, columns or values decides whether these exist.
            assert "has no transform" in str(error) or "has no pairwise" in str(error), kind
        except Exception as error:
            raise AssertionError(f"{kind}: {type(error).__name__}: {error}") from error


def test_every_public_callable_is_walked_or_takes_no_table():
    public = {
        name
        for name in couplings.__all__
        if callable(getattr(couplings, name))
        and not (
            isinstance(getattr(couplings, name), type)
            and issubclass(getattr(couplings, name), Exception)
        )
    }
    walked = {name.partition(".")[0] for name in (*CALLS, *MIXED_CALLS)}
    assert public - walked - set(NO_TABLE) == {"MixedTable"}


def test_a_stream_that_can_be_read_once_is_read_once():
    for name in ("KModes", "cooccurrence", "value_intervals", "describe_table"):
        call = CALLS[name] if name != "KModes" else seeded(couplings.KModes).fit
        call(pa.Table.from_pandas(TEXT).to_reader())


def test_plots_of_results_refuse_other_frames():
    for plot in (couplings.plot_profiles, couplings.plot_choose_k):
        with pytest.raises(CouplingsError, match="shows the result of"):
            plot(TEXT)
    with pytest.raises(CouplingsError, match="shows the result of"):
        couplings.plotting.plot_associations(TEXT)
    with pytest.raises(CouplingsError, match="needs a fitted measure before the table"):
        couplings.plot_objects(TEXT, FITTED, LABELS)
    with pytest.raises(CouplingsError, match="give positions of objects from 0 to 23"):
        couplings.plot_objects(FITTED, TEXT, LABELS, mark=24)
    with pytest.raises(CouplingsError, match="needs a measure of values before the table"):
        value_intervals(TEXT, couplings.AhmadDey())
    for plot in (couplings.plot_values, lambda data: couplings.plot_value_distances(data, "p")):
        with pytest.raises(CouplingsError, match="needs a fitted measure of values"):
            plot(TEXT)
    with pytest.raises(CouplingsError, match="bins='5' is not a positive integer"):
        couplings.prepare_table(TEXT, "5")
    for algorithm in ("kmodes", couplings.KModes):
        with pytest.raises(CouplingsError, match=r"is no clustering; pass an instance"):
            couplings.choose_k(TEXT, algorithm)
