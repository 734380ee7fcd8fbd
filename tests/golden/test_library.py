"""What the library answers on small tables: a golden page per estimator, for changes to look at.

Whether an answer is right, definitions, laws and peers say; these pages show what has moved.
`pytest tests/golden --snapshot-update` accepts it.
"""

import dataclasses
import functools
import inspect
import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from pages import Page, digest
from registries import ALGORITHMS, MEASURES, Entry
from scipy.spatial.distance import pdist

import couplings
from couplings import CategoricalTable, LatentClasses, discretize, large, measure_from
from couplings.cluster.kmeans import KMeans
from couplings.measures.base import ValueMeasure
from couplings.metrics import external, factors, internal

RNG = np.random.default_rng(11)
N = 60
GROUP = RNG.integers(0, 4, N)
CODES = np.where(RNG.random((N, 5)) < 0.6, GROUP[:, None] % 3, RNG.integers(0, 4, (N, 5)))
FRAME = pd.DataFrame(np.array(["a", "b", "c", "d"])[CODES], columns=list("pqrst"))
WIDE = FRAME.astype(pd.CategoricalDtype(list("fabcde")))
"""With values that do not occur."""
HOLED = FRAME.mask(RNG.random(FRAME.shape) < 0.1)
FEW = pd.DataFrame(np.array(["x", "y", "z"])[CODES[:30, :2] % 3], columns=list("pq"))
"""Nine distinct rows, so that clusters become empty and ties decide."""
MIXED = FRAME.assign(u=GROUP + RNG.normal(scale=0.8, size=N), v=RNG.normal(size=N))
WEIGHTS = RNG.integers(0, 4, N)
METHODS = (
    "predict", "predict_proba", "transform", "pairwise", "score_samples", "score", "oddness",
    "typical", "intervals", "represented", "bandwidth",
    "get_feature_names_out", "kneighbors",
)  # fmt: skip
"""Methods that take no more than objects."""
FREE = (
    "measure_", "space_", "embedding_", "value_embedding_", "value_coordinates_", "cluster_centers_"
)  # fmt: skip
"""Attributes that other lines show, or with axes whose signs are free."""

MORE = [
    ("KModes", {"init": "dense", "measure": "ahmad_dey"}),
    ("Ward", {"ties": "chain"}),
    ("Limbo", {"phi": 0.5, "branching": 2}),
    ("Climbo", {}),
    ("Climbo", {"distance": "mass"}),
    ("DensityPeaks", {"percent": 20.0}),
    ("DensityPeaks", {"percent": 50.0, "measure": "ahmad_dey_rss"}),
    ("LatentClasses", {"pseudo_count": 0.5, "missing": "ignore", "select": True}),
]
"""Settings of public clusterings that no entry has."""
ON_NUMBERS = ("KPrototypes", "AhmadDeyKMeans", "MultinomialGaussianMixture", "SpectralCAT")
"""Clusterings of categories together with numbers."""
ENTRIES = [
    *ALGORITHMS,
    *(Entry(f"{n}{i}", getattr(couplings, n), s) for i, (n, s) in enumerate(MORE)),
]


def numbers(value):
    """The beginning of an array of numbers and a digest of all its five-digit numbers."""
    array = np.ravel(value)
    if array.dtype == object and not all(isinstance(one, str) for one in array):
        return type(value).__name__
    if array.dtype.kind not in "fiub":
        return " ".join(str(one) for one in array[:6]) + f" {digest(str(array.tolist()))[:8]}"
    # zero has no sign here
    words = [f"{one:.5g}" for one in np.where(np.abs(array) < 1e-9, 0.0, array)]
    return f"{np.shape(value)} {' '.join(words[:8])} {digest(' '.join(words))[:8]}"


def told(value):
    """A result in one line, or some."""
    if isinstance(value, pd.DataFrame):
        return "; ".join(f"{name}: {numbers(column)}" for name, column in value.items())
    if dataclasses.is_dataclass(value) or hasattr(value, "_asdict"):
        value = value._asdict() if hasattr(value, "_asdict") else vars(value)
        return "; ".join(f"{name}: {told(one)}" for name, one in value.items())
    if isinstance(value, list | tuple) and any(np.ndim(one) for one in value):
        return "; ".join(map(told, value))
    return numbers(value)


def answers(model, new):
    """Lines with the fitted attributes of an estimator, and what it says of new objects."""
    for name in sorted(dir(type(model)) + list(vars(model))):
        if name.endswith("_") and not name.startswith("_") and name not in FREE:
            try:
                yield f"{name}: {told(getattr(model, name))}"
            except (AttributeError, couplings.CouplingsError) as error:
                yield f"{name}: {type(error).__name__}"
    for name in METHODS:
        method = getattr(model, name, None)
        if callable(method):
            needed = [
                one
                for one in inspect.signature(method).parameters.values()
                if one.default is one.empty
            ]
            try:
                found = method(*[new][: len(needed)])
                # the order of equally near objects is free
                found = found[0] if name == "kneighbors" else found
                # equal eigenvalues leave the axes of an embedding free
                yield f"{name}: {told(pdist(found) if name == 'transform' else found)}"
            except (TypeError, couplings.CouplingsError) as error:
                yield f"{name}: {type(error).__name__}"


def fits(make, *tables):
    """Lines on an estimator fitted on some tables, with weights if it takes them."""
    for data in tables:
        new = data.iloc[::7]
        try:
            model = make().fit(data)
        except (TypeError, couplings.CouplingsError) as error:
            yield f"fit: {type(error).__name__}"
            continue
        yield from answers(model, new)
        if "sample_weight" in inspect.signature(make().fit).parameters:
            yield "with weights"
            weights = WEIGHTS[: len(data)]
            yield from answers(make().fit(data, sample_weight=weights), new)


def rules(entry):
    """Lines on what missing and unseen values do to a measure."""
    new = HOLED.iloc[:8].replace("a", "unseen")
    for missing, unknown in (
        ("mismatch", "mismatch"),
        ("value", "typical"),
        ("mismatch", "typical"),
    ):
        try:
            model = entry.make(missing=missing, unknown=unknown, random_state=0).fit(HOLED)
            yield f"{missing}, {unknown}: {told(model.pairwise(new, HOLED))}"
        except (TypeError, ValueError, couplings.CouplingsError) as error:
            yield f"{missing}: {type(error).__name__}"


def check(snapshot, lines):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "\n".join(lines) + "\n" == snapshot(extension_class=Page)


@pytest.mark.parametrize("entry", MEASURES, ids=str)
def test_golden_measure(snapshot, entry):
    tables = (FRAME, WIDE) if issubclass(entry.kind, ValueMeasure) else (MIXED,)
    check(snapshot, [*fits(functools.partial(entry.make, random_state=0), *tables), *rules(entry)])


def tables_for(entry):
    if issubclass(entry.kind, KMeans):
        return (pd.DataFrame(CODES[:, :3], columns=["p", 1, 2]),)
    if entry.kind.__name__ in ON_NUMBERS:
        return MIXED, FEW.assign(u=CODES[:30, 2] % 2, v=1.0 * CODES[:30, 0])
    # equal eigenvalues of few rows leave their embedding free
    return (FRAME,) if entry.kind is couplings.CategoricalSpectral else (FRAME, FEW)


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_golden_clustering(snapshot, capsys, entry):
    lines = []
    for k in (3, 6):
        made = functools.partial(entry.make, n_clusters=k, random_state=7, verbose=True)
        lines += [f"{k} clusters", *fits(made, *tables_for(entry))]
        if entry.takes("measure"):
            lines += fits(functools.partial(made, measure="goodall3"), FRAME)
        if entry.takes("missing"):
            lines += fits(functools.partial(made, missing="value"), HOLED)
    lines.append(capsys.readouterr().out)
    check(snapshot, lines)


def latent():
    """Lines on what is inferred from latent classes."""
    covariates, outcome = MIXED[["u", "v"]].to_numpy(), MIXED["u"].mask(CODES[:, 0] == 3)
    plain = LatentClasses(3, random_state=0, missing="ignore").fit(HOLED)
    model = LatentClasses(2, random_state=0).fit(FRAME, covariates=covariates)
    yield from answers(model, FRAME)
    yield told(model.intervals(FRAME, covariates=covariates))
    yield told(plain.intervals(HOLED))
    for method, weights in itertools.product(("bch", "ml"), (None, WEIGHTS)):
        if weights is not None:
            plain.fit(HOLED, sample_weight=weights)
        for one in (outcome, FRAME["q"]):
            yield told(plain.distal(HOLED, one, method, sample_weight=weights))
    yield told(plain.likelihood_ratio_test(HOLED, n_bootstrap=9))


def batches():
    """Lines on tables in batches, with values that do not occur."""
    data = large.LargeTable.from_batches([WIDE.iloc[i : i + 13] for i in range(0, N, 13)])
    measure = measure_from("ahmad_dey").fit(data.counts())
    for name, matrices in (
        ("BatchKModes", [measure]), ("BatchSpectral", [measure]), ("BatchLatentClasses", []),
    ):  # fmt: skip
        for k, more in ((3, {}), (6, {}), (6, {"update": "minimiser"} if "KM" in name else {})):
            model = getattr(large, name)(k, random_state=0, **more).fit(data, *matrices)
            yield from (name, *answers(model, data))
    # the sample lacks a value
    model = large.BatchLatentClasses(2, sample=12, random_state=0).fit(data)
    yield from ("of a sample", *answers(model, data))
    model = large.SampleAndAssign(couplings.Ward(3), measure, sample=40).fit(data)
    yield from ("SampleAndAssign", *answers(model, data))


def functions():
    """Lines on scores and on functions of a table."""
    table, labels = CategoricalTable.from_any(FRAME), GROUP % 3
    for found in (labels, CODES[:, 0], np.zeros(N, int), np.arange(N)):
        yield told(list(external.external_scores(GROUP, found).values()))
    for name in ("simple_matching", "ahmad_dey_rss", "dilca_m"):
        space = measure_from(name).fit(table).space_
        yield told(list(internal.internal_indices(table, labels, space).values()))
    counts = couplings.cooccurrence(table)
    yield told([factors.feature_correlation(counts), factors.value_coupling(table, labels)])
    nameless = dataclasses.replace(counts, attributes=None)
    for one, other in ((counts, nameless), (nameless, counts), (counts, counts)):
        both = one + other
        yield told([*both.n_values, *both.marginals]) + str(both.attributes)
    for numbers_of in ("u", "v"):
        x = MIXED[numbers_of].to_numpy()
        cuts = [discretize.equal_width_cuts(x, 4), discretize.mdl_cuts(x, GROUP)]
        yield told([*cuts, discretize.automatic_categories(x)])
        yield told(discretize.apply_cuts(x, cuts[0]))
    mixed = CategoricalTable.from_any(MIXED.astype(str))
    yield couplings.describe_table(mixed).to_string()
    yield str(couplings.prepare_table(mixed).categories)
    yield told(couplings.cluster_profiles(FRAME, labels))
    found = couplings.choose_k(FRAME, couplings.KModes(random_state=0), k_range=[2, 3, 4])
    yield told(found)
    yield told(couplings.MixedDistance().fit(MIXED).pairwise(MIXED.iloc[::9], MIXED))


@pytest.mark.parametrize("kind", [latent, batches, functions], ids=lambda kind: kind.__name__)
def test_golden_answers(snapshot, kind):
    check(snapshot, kind())
