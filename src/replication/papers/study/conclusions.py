"""Conclusions of the study, each with the share of the defensible analyses under which it holds.

A *variant* is one analysis. Variants differ in the index, the correction for several comparisons,
whether designed tables are included, and whether related data sets count each or once together; in
a comparison also in the difference that counts as none. A conclusion holds or fails in each
variant; it is called fragile if neither share is at least `ROBUST`. Sentences follow from these
shares alone.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.study.analysis import Pair
from replication.papers.study.statistics import ALPHA, Families, merged, ranks, signed_rank

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

        Returns
        -------
        DataFrame
            One row per variant and pair with at least three common data sets: `VARIANT`,
            ``first``, ``second``, mean ``difference``, corrected ``p``, and ``verdict``: better,
            worse, or undecided.
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
    """Return corrected p-values, shape (n,).

    They are sorted here: where statsmodels sorts them, it collects the garbage of the process.
    """
    from statsmodels.stats.multitest import multipletests

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
