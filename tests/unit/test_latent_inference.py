"""Latent classes: errors by numerical derivatives, the bootstrap test, covariates, outcomes."""

import numpy as np
import pandas as pd
import pytest
from kit import refused_calls
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from scipy.stats import norm

from couplings import CategoricalTable, CouplingsError, LatentClasses, plot_profiles

RNG = np.random.default_rng(0)
N = 300
COVARIATES = RNG.normal(size=(N, 2))
GROUP = (RNG.random(N) < 1 / (1 + np.exp(-COVARIATES @ [1.0, -0.5]))).astype(int)
CODES = np.column_stack(
    [np.where(RNG.random(N) < 0.75, GROUP, RNG.integers(0, 3, N)) for _ in range(4)]
)
HOLED = CategoricalTable.from_codes(np.where(RNG.random(CODES.shape) < 0.05, -1, CODES))
TABLE = CategoricalTable.from_codes(CODES)
SHARP = {"tol": 1e-14, "max_iter": 20_000, "random_state": 0, "missing": "ignore"}


def parts(x, table, design):
    """Prior probabilities, shares and coefficients of two classes, from free logits."""
    q = design.shape[1]
    coefficients = np.column_stack([np.zeros(q), x[:q]])
    logits = np.split(x[q:], np.cumsum(2 * (table.n_values - 1))[:-1])
    shares = [softmax(np.vstack([part.reshape(-1, 2), np.zeros(2)]), axis=0) for part in logits]
    return softmax(design @ coefficients, axis=1), shares, coefficients


def climbed(x, table, design, a):
    prior, shares, coefficients = parts(x, table, design)
    logs = log_softmax(design @ coefficients, axis=1)
    for share, column in zip(shares, table.codes.T, strict=True):
        logs[column >= 0] += np.log(share[column[column >= 0]])
    extra = a * np.log(prior[0]).sum() if design.shape[1] == 1 else 0
    return np.logaddexp(*logs.T).sum() + a * sum(np.log(s).sum() for s in shares) + extra


@pytest.mark.slow
@pytest.mark.parametrize("a", [0.0, 0.5])
@pytest.mark.parametrize("covariates", [None, COVARIATES])
def test_the_optimum_and_its_errors_by_numerical_derivatives(a, covariates):
    model = LatentClasses(2, a, **SHARP).fit(HOLED, covariates=covariates)
    design = np.ones((N, 1)) if covariates is None else np.column_stack([np.ones(N), covariates])
    q = design.shape[1]
    first = model.coefficients_
    if first is None:
        first = np.log(model.weights_ / model.weights_[0])[None]
    blocks = np.split(model.value_shares_, np.cumsum(HOLED.n_values)[:-1])
    x = np.concatenate([first[:, 1], *(np.log(b[:-1] / b[-1]).ravel() for b in blocks)])
    # nothing is higher nearby
    best = minimize(lambda x: -climbed(x, HOLED, design, a), x)
    assert -best.fun == pytest.approx(climbed(x, HOLED, design, a), abs=1e-6)

    def flat(x):
        prior, shares, coefficients = parts(x, HOLED, design)
        return np.concatenate([prior.mean(axis=0), np.vstack(shares).ravel(), coefficients.ravel()])

    step = 1e-3 * np.eye(len(x))
    f = lambda x: climbed(x, HOLED, design, a)  # noqa: E731
    hessian = np.array(
        [[f(x + s + t) - f(x + s - t) - f(x - s + t) + f(x - s - t) for t in step] for s in step]
    )
    jacobian = np.array([flat(x + s) - flat(x - s) for s in step]).T / 2e-3
    errors = np.sqrt(np.diag(jacobian @ np.linalg.inv(-hessian / 4e-6) @ jacobian.T))
    found = model.intervals(HOLED, covariates=covariates)
    values = found[found["kind"] == "value"].sort_values(["attribute", "value", "cluster"])
    shares = found[found["kind"] == "share"].sort_values("cluster")
    coefficients = found[found["kind"] == "coefficient"].sort_values(["attribute", "cluster"])
    ours = np.concatenate([shares["se"], values["se"], coefficients["se"]])
    np.testing.assert_allclose(ours, errors[: len(ours)], atol=1e-5)
    np.testing.assert_allclose(coefficients["inside"], first.ravel() if q > 1 else [])
    inside = values["inside"]
    assert ((values["low"] > 0) & (values["low"] < inside) & (inside < values["high"])).all()


def test_the_bootstrap_agrees_and_does_not_depend_on_threads():
    model = LatentClasses(2, 0, **{**SHARP, "tol": 1e-9}).fit(TABLE)
    exact = model.intervals(TABLE)
    drawn = model.intervals(TABLE, n_bootstrap=300, n_jobs=2)
    np.testing.assert_allclose(drawn["se"], exact["se"], rtol=0.25)
    np.testing.assert_allclose(drawn["low"], exact["low"], atol=0.05)
    pd.testing.assert_frame_equal(drawn, model.intervals(TABLE, n_bootstrap=300, n_jobs=1))
    axes = plot_profiles(exact)
    assert [ax.get_title(loc="left").split(",")[0] for ax in axes] == ["cluster 0", "cluster 1"]
    assert all(len(ax.containers) == 2 for ax in axes)  # bars, and their intervals


def test_pooled_attributes_have_the_error_of_one_distribution():
    noise = np.column_stack([CODES, RNG.integers(0, 2, N)])
    model = LatentClasses(2, 0, **SHARP, select=True).fit(CategoricalTable.from_codes(noise))
    assert model.relevant_.tolist() == [True] * 4 + [False]
    found = model.intervals(CategoricalTable.from_codes(noise))
    p = noise[:, 4].mean()
    pooled = found[found["attribute"] == "a4"]
    np.testing.assert_allclose(pooled["se"], np.sqrt(p * (1 - p) / N), rtol=1e-6)


def test_boundaries_and_too_many_classes_are_named():
    rows = np.repeat([[0, 0, 0], [1, 1, 0], [1, 1, 1]], 10, axis=0)
    table = CategoricalTable.from_codes(rows)
    model = LatentClasses(2, 0, random_state=0).fit(table)
    with pytest.warns(UserWarning, match=r"\d+ shares are at the boundary"):
        found = model.intervals(table)
    assert found.loc[found["attribute"] == "a0", "se"].isna().all()
    assert found.loc[found["kind"] == "share", "se"].to_numpy() == pytest.approx(
        np.sqrt(2 / 9 / 30)
    )
    many = LatentClasses(3, 0.1, random_state=0).fit(table)
    with pytest.warns(UserWarning, match="not identified: it has 11 parameters, the table"):
        many.intervals(table)


@pytest.mark.slow
def test_the_bootstrap_test_finds_two_classes():
    two = LatentClasses(2, n_init=3, random_state=0).fit(TABLE)
    few = LatentClasses(1, n_init=3, random_state=0).likelihood_ratio_test(TABLE, n_bootstrap=19)
    enough = two.likelihood_ratio_test(HOLED.drop_missing(), n_bootstrap=19)
    assert few.p_value == 0.05
    assert enough.p_value > 0.05
    one = LatentClasses(1, 0).fit(TABLE).log_likelihood_
    top = LatentClasses(2, 0, random_state=0).fit(TABLE).log_likelihood_
    assert few.statistic == pytest.approx(2 * (top - one), abs=1e-3)
    assert (few.replicates > -1e-6).all()
    again = two.likelihood_ratio_test(HOLED.drop_missing(), n_bootstrap=19, n_jobs=1)
    assert np.array_equal(enough.replicates, again.replicates)


@pytest.mark.parametrize("method", ["bch", "ml"])
def test_outcomes_of_classes_without_errors_are_those_of_groups(method):
    group = np.repeat([0, 1], 40)
    table = CategoricalTable.from_codes(np.repeat(group[:, None], 30, axis=1))
    model = LatentClasses(2, 0, random_state=0).fit(table)
    y = pd.Series(RNG.normal(size=80)).where(np.arange(80) != 3)
    found = model.distal(table, y, method)
    means = y.groupby(model.labels_).agg(["mean", "std", "count"])
    assert found.frame["estimate"].to_numpy() == pytest.approx(means["mean"].to_numpy())
    error = means["std"] * np.sqrt((means["count"] - 1) / means["count"] ** 2)
    assert found.frame["se"].to_numpy() == pytest.approx(error.to_numpy(), rel=0.2)
    wald = (means["mean"][0] - means["mean"][1]) ** 2 / (found.frame["se"] ** 2).sum()
    assert found.statistic == pytest.approx(wald, rel=0.05)
    labels = np.where(RNG.random(80) < 0.3, "yes", "no")
    shares = model.distal(table, labels, method).frame
    p = (labels[model.labels_ == 1] == "yes").mean()
    yes = shares[(shares["cluster"] == 1) & (shares["value"] == "yes")].iloc[0]
    assert yes["estimate"] == pytest.approx(p)
    assert yes["se"] == pytest.approx(np.sqrt(p * (1 - p) / 40), rel=0.05)
    ends = norm.interval(0.95, yes["estimate"], yes["se"])
    assert yes[["low", "high"]].tolist() == pytest.approx(ends)


@pytest.mark.parametrize("method", ["bch", "ml"])
def test_stepmix_has_the_same_optimum_covariates_and_outcomes(method):
    stepmix = pytest.importorskip("stepmix.stepmix")
    exact = {"n_init": 5, "random_state": 0, "abs_tol": 1e-10, "max_iter": 5000, "progress_bar": 0}
    model = LatentClasses(2, 0, **SHARP).fit(TABLE)
    y = GROUP * 2 + RNG.normal(size=N)
    label = np.where(RNG.random(N) < 0.7, GROUP, 1 - GROUP).astype(str)
    for outcome, kind, name in ((y, "gaussian_diag", "means"), (label, "categorical", "pis")):
        theirs = stepmix.StepMix(
            2, n_steps=3, correction=method.upper(), assignment="modal",
            measurement="categorical", structural=kind, **exact,
        ).fit(CODES, outcome.astype(float)[:, None])  # fmt: skip
        wanted = theirs.get_parameters()["structural"][name]
        # their classes in our order
        same = np.mean(theirs.predict(CODES) == model.labels_) > 0.5
        wanted = wanted if same else wanted[::-1]
        found = model.distal(TABLE, outcome, method).frame["estimate"].to_numpy()
        assert np.abs(found - np.ravel(wanted)).max() < (1e-4 if method == "bch" else 5e-3)
    theirs = stepmix.StepMix(2, measurement="categorical", **exact).fit(CODES)
    assert theirs.score(CODES) * N == pytest.approx(model.log_likelihood_, abs=1e-5)
    ours = model.predict(TABLE)
    assert np.mean(theirs.predict(CODES) == ours) in (0, 1)
    newton = {"method": "newton-raphson", "max_iter": 1, "intercept": True}
    theirs = stepmix.StepMix(
        2, n_steps=1, measurement="categorical", structural="covariate",
        structural_params=newton, **exact,
    ).fit(CODES, COVARIATES)  # fmt: skip
    ours = LatentClasses(2, 0, **SHARP).fit(TABLE, covariates=COVARIATES)
    assert theirs.score(CODES, COVARIATES) == pytest.approx(ours.log_likelihood_ / N, abs=1e-6)
    np.testing.assert_allclose(ours.predict_proba(TABLE, COVARIATES), ours.posterior_, atol=1e-12)


PLAIN = LatentClasses(2, random_state=0).fit(TABLE)
KNOWN = LatentClasses(2, random_state=0).fit(TABLE, covariates=COVARIATES)
OTHERS = CategoricalTable.from_codes(CODES[CODES[:, 0] < 2])
test_what_is_given_has_to_fit = refused_calls(
    CouplingsError,
    [
        (lambda: PLAIN.predict(TABLE, COVARIATES), "fit had no covariates"),
        (lambda: KNOWN.predict(TABLE), "fit had some covariates"),
        (lambda: KNOWN.predict(TABLE, COVARIATES[:, :1]), r"pass values of shape \(300, 2\)"),
        (lambda: PLAIN.intervals(OTHERS), "differ from those of fit"),
        (lambda: KNOWN.intervals(TABLE), "pass the same table and covariates"),
        (lambda: PLAIN.intervals(TABLE, level=1), "level=1 is not a number"),
        (lambda: PLAIN.distal(TABLE, np.zeros(299)), "299 outcomes for 300 objects"),
        (lambda: PLAIN.distal(TABLE, np.zeros(300), "two"), "method='two' is not known"),
        (lambda: PLAIN.likelihood_ratio_test(TABLE, n_bootstrap=0), "n_bootstrap=0 is not a pos"),
    ],
)
