"""Associations of attributes: definitions of others, pandas' pairs of cells, error paths."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, contingency, entropy
from sklearn.metrics import mutual_info_score

from couplings import CategoricalTable, CouplingsError, cooccurrence, plotting
from couplings.associations import associations


def frame_of(seed, n=150, missing=0.15):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 4, n)
    frame = pd.DataFrame(
        {
            name: np.array(list("pqrstuv"))[np.where(rng.random(n) < 0.6, kind, 0) % size]
            for name, size in (("a", 2), ("b", 3), ("c", 7), ("d", 4))
        }
    )
    return frame.mask(rng.random(frame.shape) < missing)


def bergsma(table):
    """Bergsma's equations, one after the other."""
    n, (r, c) = table.sum(), table.shape
    phi = max(0, chi2_contingency(table, correction=False)[0] / n - (r - 1) * (c - 1) / (n - 1))
    rows, columns = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return np.sqrt(phi / min(rows - 1, columns - 1))


def theirs(x, y, kind):
    table = pd.crosstab(x, y).to_numpy()
    both = x.notna() & y.notna()
    information = mutual_info_score(x[both], y[both])
    own, other = entropy(table.sum(axis=1)), entropy(table.sum(axis=0))
    return {
        "cramers_v": lambda: bergsma(table),
        "cramers_v_uncorrected": lambda: contingency.association(table, method="cramer"),
        "theils_u": lambda: information / own,
        "symmetric_uncertainty": lambda: 2 * information / (own + other),
        "mutual_information": lambda: information,
        "p_chi2": lambda: chi2_contingency(table, correction=False).pvalue,
        "p_g": lambda: chi2_contingency(
            table, correction=False, lambda_="log-likelihood"
        ).pvalue,
        "n": lambda: both.sum(),
    }[kind]()  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [
        "cramers_v",
        "cramers_v_uncorrected",
        "theils_u",
        "symmetric_uncertainty",
        "mutual_information",
        "p_chi2",
        "p_g",
        "n",
    ],
)
def test_every_kind_is_that_of_scipy_on_the_cells_that_both_have(kind):
    for seed in range(5):
        frame = frame_of(seed)
        found = associations(frame, kind)
        assert list(found) == list(found.index) == list("abcd")
        for x in frame:
            for y in frame:
                if x == y and kind.startswith("p_"):
                    continue  # scipy refuses nothing here, but both are 0 up to underflow
                expected = theirs(frame[x], frame[y].rename("other"), kind)
                assert found.loc[x, y] == pytest.approx(expected, abs=1e-10), (x, y)


def test_counts_and_other_tables_give_the_same():
    frame = frame_of(1, missing=0)
    table = CategoricalTable.from_any(frame)
    expected = associations(frame)
    pd.testing.assert_frame_equal(associations(cooccurrence(table)), expected)
    pd.testing.assert_frame_equal(associations(pytest.importorskip("polars").from_pandas(frame)),
                                  expected)  # fmt: skip


def test_constant_attributes_have_no_association():
    frame = frame_of(2).assign(same="x")
    # where b is known, the other is always m
    frame["sometimes"] = np.where(frame["b"].notna(), "m", "f")
    for kind in ("cramers_v", "theils_u", "symmetric_uncertainty", "p_chi2", "p_g"):
        found = associations(frame, kind)
        assert found["same"].isna().all()
        assert found.loc["same"].isna().all()
        assert np.isnan(found.loc["b", "sometimes"])
        assert np.isfinite(found.loc["a", "sometimes"])
    assert associations(frame, "mutual_information").loc["same"].eq(0).all()


def test_independent_attributes_are_near_zero_only_when_corrected():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 12, (60, 6)).astype(str)
    pairs = np.triu_indices(6, 1)
    assert associations(rows).to_numpy()[pairs].mean() < 0.1
    assert associations(rows, "cramers_v_uncorrected").to_numpy()[pairs].mean() > 0.3
    p = associations(rng.integers(0, 3, (400, 30)).astype(str), "p_chi2").to_numpy()
    assert 0.02 < (p[np.triu_indices(30, 1)] < 0.05).mean() < 0.09


def test_the_picture_shows_the_numbers():
    found = associations(frame_of(3).assign(same="x"))
    ax = plotting.plot_associations(found)
    texts = [text.get_text() for text in ax.texts]
    assert texts[:4] == [f"{value:.2f}" for value in found.iloc[0, :4]]
    assert len(texts) == 16


def test_an_unknown_kind_and_numbers_are_refused():
    with pytest.raises(CouplingsError, match="kind='cramer'"):
        associations(frame_of(0), "cramer")
    with pytest.raises(CouplingsError, match="'age' is numeric"):
        associations(frame_of(0).assign(age=np.arange(150.0)))
