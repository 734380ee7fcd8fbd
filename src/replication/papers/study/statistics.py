"""Compare methods over data sets, and draw conclusions that say how far they depend on choices.

A score matrix has one row per data set and one column per method; higher is better. The data sets
are the sample of every test. Scores are rounded to `DIGITS` before they are ranked, so that scores
which differ by the order of a sum tie.

A *variant* is one analysis. Variants differ in the index, the correction for several comparisons,
whether designed tables are included, and whether related data sets count each or once together; in
a comparison also in the difference that counts as none. A conclusion holds or fails in each
variant; it is called fragile if neither share is at least `ROBUST`. Sentences follow from these
shares alone.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from baycomp import SignedRankTest
from scipy import stats

DIGITS = 10
ALPHA = 0.05
"""Significance level of p-values, which are corrected if there are several."""
ROPE = 0.01
"""Largest difference of ARI that counts as none: tables print hundredths."""
RESAMPLES = 10_000
"""Draws of the bootstrap."""
DRAWS = 2_000
"""Draws of the posterior, which give its means to about 0.005."""

Pair = tuple[str, str]
"""Two methods, the first against the second."""
Families = Sequence[Sequence[str]]
"""Groups of related data sets."""


class Friedman(NamedTuple):
    """Results of Friedman's test and of Nemenyi's comparison.

    Attributes
    ----------
    datasets : int
        N.
    ranks : Series
        Mean rank of each method, best first; 1 is the best rank, and ties share their ranks.
    p : float
        By Iman and Davenport's form of the statistic, corrected for ties.
    difference : float
        Critical difference of mean ranks by Nemenyi, at `ALPHA`.
    """

    datasets: int
    ranks: pd.Series
    p: float
    difference: float


def ranks(scores: pd.DataFrame) -> pd.DataFrame:
    """Return ranks within each data set, 1 for the best; ties share the mean of their ranks."""
    return scores.round(DIGITS).rank(axis=1, ascending=False)


def friedman(scores: pd.DataFrame) -> Friedman | None:
    """Run Friedman's test on scores without gaps, shape (N, k).

    None for fewer than three data sets or methods, or if all methods always tie.

    References
    ----------
    Demsar, Journal of Machine Learning Research 7 (2006).
    """
    n, k = scores.shape
    rounded = scores.round(DIGITS)
    if n < 3 or k < 3 or (rounded.max(axis=1) == rounded.min(axis=1)).all():
        return None
    chi2 = float(stats.friedmanchisquare(*(rounded[name] for name in rounded)).statistic)
    below = n * (k - 1) - chi2
    statistic = (n - 1) * chi2 / below if below > 1e-9 else math.inf
    p = float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))
    places = ranks(scores).mean().sort_values(kind="stable")
    return Friedman(n, places, p, critical_difference(k, n))


def critical_difference(methods: int, datasets: int) -> float:
    """Return Nemenyi's critical difference of mean ranks."""
    q = float(stats.studentized_range.ppf(1 - ALPHA, methods, np.inf)) / math.sqrt(2)
    return q * math.sqrt(methods * (methods + 1) / (6 * datasets))


def compare(
    scores: pd.DataFrame, rng: np.random.Generator, families: Families = ()
) -> dict[str, Any]:
    """Compare two methods over data sets.

    Parameters
    ----------
    scores : DataFrame, shape (N, 2)
        Scores of the methods a and b, data sets in the index.
    rng : Generator
        Random numbers of bootstrap and posterior.
    families : sequence of sequence of str
        Groups of data sets that are not independent of each other.

    Returns
    -------
    dict
        ``datasets``; ``wins``, ``ties``, ``losses`` of a; ``mean_difference`` a - b with a 95 %
        bootstrap interval ``low``, ``high`` over data sets; ``effect`` (matched-pairs
        rank-biserial correlation, zeros by Pratt); ``p`` of `signed_rank`; ``better``, ``same``,
        ``worse`` (probabilities that the mean difference over two new data sets lies above, within
        or below `ROPE`: posterior means of the Bayesian signed-rank test, whose statistic consists
        of such pairs); ``p_merged`` (as ``p``, with families averaged). Numbers that need more data
        sets are None.
    """
    difference = _differences(scores)
    n, above, below = len(difference), difference > 0, difference < 0
    result: dict[str, Any] = {
        "datasets": n,
        "wins": int(above.sum()),
        "ties": int((difference == 0).sum()),
        "losses": int(below.sum()),
        "mean_difference": float(difference.mean()) if n else None,
        **dict.fromkeys(("low", "high", "effect", "p", "better", "same", "worse")),
        "p_merged": signed_rank(_differences(merged(scores, families))),
    }
    if n < 3:
        return result
    low = high = difference[0]
    if np.ptp(difference) > 0:
        settings: dict[str, Any] = {"n_resamples": RESAMPLES, "method": "percentile", "rng": rng}
        low, high = stats.bootstrap((difference,), np.mean, **settings).confidence_interval
    place = stats.rankdata(np.abs(difference))
    more, less = place[above].sum(), place[below].sum()
    # the sample holds the probabilities; probs() would count which of the three is largest
    means = SignedRankTest(
        difference, np.zeros(n), rope=ROPE, nsamples=DRAWS, random_state=int(rng.integers(2**32))
    ).sample.mean(axis=0)
    return {
        **result,
        **{"low": float(low), "high": float(high), "p": signed_rank(difference)},
        "effect": float((more - less) / (more + less)) if more + less else 0.0,
        **dict(zip(("better", "same", "worse"), map(float, means), strict=True)),
    }


def _differences(scores: pd.DataFrame) -> np.ndarray:
    first, second = (scores.iloc[:, i].to_numpy(dtype=np.float64) for i in (0, 1))
    return np.round(first - second, DIGITS)


def signed_rank(difference: np.ndarray) -> float | None:
    """Return the p-value of the two-sided Wilcoxon signed-rank test, zeros by Pratt.

    `difference` holds differences of scores, float64 of shape (N,). The p-value is 1 if all are 0,
    and None for fewer than three.
    """
    rounded = np.round(difference, DIGITS)
    if len(rounded) < 3:
        return None
    return float(stats.wilcoxon(rounded, zero_method="pratt").pvalue) if rounded.any() else 1.0


def merged(scores: pd.DataFrame, families: Families) -> pd.DataFrame:
    """Return scores by data set, with each family averaged into one row."""
    family = {name: "+".join(group) for group in families for name in group}
    return scores.groupby([family.get(name, name) for name in scores.index], sort=False).mean()


CORRECTIONS = ("holm", "fdr_bh")
"""Holm's and Benjamini and Hochberg's, as statsmodels names them."""
VARIANT = ["index", "designs", "families", "correction"]
"""Choices that tell the variants apart."""
ROPES = (0.0, 0.01, 0.02)
"""Differences that count as none, in conclusions that one method is better."""
ROBUST = 0.9
"""Least share of the variants under which a conclusion that holds is not fragile."""
FRAGILE, HOLDS, FAILS = "fragile", "holds", "does not hold"

Tables = Mapping[str, pd.DataFrame]
"""Scores by index: data sets as rows, methods as columns."""


@dataclass(frozen=True)
class Choices:
    """Choices of data sets and their weights, in which the variants differ.

    Attributes
    ----------
    designs : sequence of str
        Data sets that are designs, not samples, or very small; half of the variants omit them.
    families : sequence of sequence of str
        Related data sets, which count each in half of the variants and once together in the others.
    """

    designs: Sequence[str] = ()
    families: Families = ()

    def tables(self, tables: Tables) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        """Yield the scores under every choice of index, data sets and weights."""
        for index, designs, families in itertools.product(tables, ("in", "out"), ("each", "once")):
            table = tables[index]
            if designs == "out":
                table = table.drop(index=table.index.intersection(list(self.designs)))
            if families == "once":
                table = merged(table, self.families)
            yield {"index": index, "designs": designs, "families": families}, table

    def tests(self, tables: Tables, pairs: Iterable[Pair]) -> pd.DataFrame:
        """Run Wilcoxon tests of pairs of methods in every variant, corrected over the pairs.

        One row per variant and pair with at least three common data sets: `VARIANT`, ``first``,
        ``second``, mean ``difference``, corrected ``p``, and ``verdict``: better, worse, or
        undecided.
        """
        pairs = list(pairs)
        rows = [
            (*variant.values(), correction, first, second, gaps.mean(), p)
            for variant, table in self.tables(tables)
            for first, second in pairs
            if {first, second} <= set(table)
            for gaps in [(table[first] - table[second]).dropna().to_numpy()]
            if (p := signed_rank(gaps)) is not None
            for correction in CORRECTIONS
        ]
        found = pd.DataFrame(rows, columns=[*VARIANT, "first", "second", "difference", "p"])
        for (*_, correction), part in found.groupby(VARIANT, sort=False)["p"]:
            found.loc[part.index, "p"] = _corrected(part.to_numpy(), correction)
        decided = found["p"] < ALPHA
        sides = [decided & (found["difference"] > 0), decided & (found["difference"] < 0)]
        return found.assign(verdict=np.select(sides, ["better", "worse"], "undecided"))


def _corrected(p: np.ndarray, method: str) -> np.ndarray:
    """Return corrected p-values, shape (n,)."""
    from statsmodels.stats.multitest import multipletests

    # where statsmodels sorts, it collects the garbage of the process
    order = np.argsort(p)
    return multipletests(p[order], method=method, is_sorted=True)[1][np.argsort(order)]


@dataclass(frozen=True)
class Conclusion:
    """A statement with its variants.

    Attributes
    ----------
    statement : str
        The sentence, without a full stop.
    unit : str
        Meaning of ``value`` in each variant.
    rows : list of dict
        The variants: `VARIANT`, ``value``, ``holds``, and in a comparison ``rope``.
    """

    statement: str
    unit: str
    rows: list[dict[str, Any]] = field(repr=False)

    @property
    def share(self) -> float:
        """Share of the variants under which the conclusion holds."""
        return sum(row["holds"] for row in self.rows) / len(self.rows)

    @property
    def standing(self) -> str:
        """`HOLDS` or `FAILS` in nine tenths of the variants, otherwise `FRAGILE`."""
        failed = self.share <= round(1 - ROBUST, 9)
        return HOLDS if self.share >= ROBUST else FAILS if failed else FRAGILE

    @property
    def sentence(self) -> str:
        """The statement, preceded by its standing and followed by its share."""
        before = {FRAGILE: "Fragile: ", FAILS: "Not supported: "}.get(self.standing, "")
        return f"{before}{self.statement} (in {self.share:.0%} of {len(self.rows)} variants)."


def better(tests: pd.DataFrame, pair: Pair, statement: str) -> Conclusion | None:
    """Conclude that the first of a pair is better, by more than a difference that counts as none.

    The tests may have the pair in either order.
    """
    for (first, second), sign, wanted in ((pair, 1, "better"), (pair[::-1], -1, "worse")):
        part = tests[(tests["first"] == first) & (tests["second"] == second)]
        rows = [
            {**row, "rope": rope, "value": gain, "holds": row["verdict"] == wanted and gain > rope}
            for row, rope in itertools.product(part.to_dict("records"), ROPES)
            for gain in [sign * row["difference"]]
        ]
        if rows:
            return Conclusion(statement, "mean difference", rows)
    return None


def none(tests: pd.DataFrame, verdicts: Sequence[str], statement: str) -> Conclusion | None:
    """Conclude that no pair has one of the verdicts; ``{n}`` stands for the number of pairs."""
    total = len(tests[["first", "second"]].drop_duplicates())
    rows = [
        {**dict(zip(VARIANT, key, strict=True)), "value": found, "holds": not found}
        for key, part in tests.groupby(VARIANT, sort=False)
        for found in [int(part["verdict"].isin(verdicts).sum())]
    ]
    unit = f"number of {total} that are {' or '.join(verdicts)}"
    return Conclusion(statement.format(n=total), unit, rows) if rows else None


def first_by_rank(
    choices: Choices, tables: Tables, method: str, statement: str
) -> Conclusion | None:
    """Conclude that a method has the best mean rank, from tables without gaps."""
    rows = [
        {**variant, "value": places[method], "holds": places.idxmin() == method}
        for variant, table in choices.tables(tables)
        if method in table and len(table)
        for places in [ranks(table).mean()]
    ]
    return Conclusion(statement, "mean rank", rows) if rows else None


def chosen(choices: Choices, tables: Tables, name: str = "chosen") -> dict[str, pd.DataFrame]:
    """Add to tables without gaps the scores of choosing a method by rank on the other data sets.

    The column `name` holds, for each data set, the score of the method with the best mean rank on
    all data sets outside its family.
    """
    home = {one: "+".join(group) for group in choices.families for one in group}
    found = {}
    for index, table in tables.items():
        places, kin = ranks(table), pd.Series(table.index, table.index).replace(home)
        scores = [
            table.loc[one, places[kin != kin[one]].mean().idxmin()]
            for one in table.index
            if (kin != kin[one]).any()
        ]
        found[index] = table.assign(**{name: scores}) if len(scores) == len(table) else table
    return found


def standing(tests: pd.DataFrame) -> dict[Pair, str]:
    """Return in words, for each pair, how many variants decide better and how many worse."""
    return {
        pair: f"{(verdicts == 'better').sum()} / {(verdicts == 'worse').sum()} of {len(verdicts)}"
        for pair, verdicts in tests.groupby(["first", "second"], sort=False)["verdict"]
    }
