"""Conclusions of the study, each with the share of the defensible analyses under which it holds.

A *variant* is one analysis: an index, a correction for the number of comparisons, with or without
the designed tables, related data sets counted once each or once together; of a comparison, also
the difference that counts as none. A conclusion is a statement that holds or fails in each of them.
What holds in fewer than `ROBUST` of its variants is called fragile, whatever the sentence would
say, and the sentences are made from these shares alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from replication.papers.study.analysis import Pair
from replication.papers.study.statistics import ALPHA, Families, merged, ranks, signed_rank

CORRECTIONS = {"holm": "Holm", "fdr_bh": "Benjamini-Hochberg"}
ROPES = (0.0, 0.01, 0.02)
"""Differences that count as none, where a conclusion says that one method is better."""
ROBUST = 0.9
"""Share of the variants from which on a conclusion is not called fragile."""
FRAGILE, HOLDS, FAILS = "fragile", "holds", "does not hold"

Tables = Mapping[str, pd.DataFrame]
"""Scores by index: data sets as rows, methods as columns."""


@dataclass(frozen=True)
class Choices:
    """What the variants differ in, apart from the index and the correction.

    Attributes
    ----------
    designs : sequence of str
        Data sets that are designs, not samples, or very small: left out once.
    families : sequence of sequence of str
        Related data sets: counted once each, and once together.
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
        """Wilcoxon tests of pairs of methods in every variant, corrected over the pairs.

        Returns
        -------
        DataFrame
            One row per variant and pair that at least three data sets have: ``first``, ``second``,
            ``index``, ``designs``, ``families``, ``correction``, mean ``difference``, corrected
            ``p``, and ``verdict``: better, worse, or undecided.
        """
        from statsmodels.stats.multitest import multipletests

        parts = []
        pairs = list(pairs)
        for variant, table in self.tables(tables):
            rows = []
            for first, second in pairs:
                if {first, second} <= set(table):
                    gaps = (table[first] - table[second]).dropna().to_numpy()
                    if (p := signed_rank(gaps)) is not None:
                        row = {"first": first, "second": second, "difference": gaps.mean()}
                        rows.append({**variant, **row, "raw": p})
            for correction in CORRECTIONS if rows else ():
                part = pd.DataFrame(rows).assign(correction=correction)
                parts.append(part.assign(p=multipletests(part["raw"], method=correction)[1]))
        if not parts:
            return pd.DataFrame(columns=["first", "second", "difference", "verdict"])
        found = pd.concat(parts, ignore_index=True)
        decided = found["p"] < ALPHA
        found["verdict"] = "undecided"
        found.loc[decided & (found["difference"] > 0), "verdict"] = "better"
        found.loc[decided & (found["difference"] < 0), "verdict"] = "worse"
        return found


@dataclass(frozen=True)
class Conclusion:
    """A statement with its variants.

    Attributes
    ----------
    statement : str
        What is said, without a full stop.
    unit : str
        What ``value`` is in each variant.
    rows : list of dict
        The variants: ``index``, ``correction``, ``designs``, ``families``, ``rope``, ``value``,
        ``holds``.
    """

    statement: str
    unit: str
    rows: list[dict[str, Any]] = field(repr=False)

    @property
    def share(self) -> float:
        """Share of the variants under which it holds."""
        return sum(row["holds"] for row in self.rows) / len(self.rows)

    @property
    def standing(self) -> str:
        """Whether it holds, does not, or is fragile: neither in nine tenths of the variants."""
        if self.share >= ROBUST:
            return HOLDS
        return FAILS if self.share <= round(1 - ROBUST, 9) else FRAGILE

    @property
    def sentence(self) -> str:
        """What may be said of it."""
        before = {FRAGILE: "Fragile: ", FAILS: "Not borne out: "}.get(self.standing, "")
        return f"{before}{self.statement} (in {self.share:.0%} of {len(self.rows)} variants)."


def better(tests: pd.DataFrame, pair: Pair, statement: str) -> Conclusion | None:
    """Say that the first of a pair is better, by more than a difference that counts as none.

    The tests may have the pair in either order.
    """
    rows = []
    for (first, second), sign, wanted in ((pair, 1, "better"), (pair[::-1], -1, "worse")):
        part = tests[(tests["first"] == first) & (tests["second"] == second)]
        for row, rope in itertools.product(part.to_dict("records"), ROPES):
            gain = sign * row["difference"]
            holds = row["verdict"] == wanted and gain > rope
            rows.append({**row, "rope": rope, "value": gain, "holds": holds})
        if rows:
            break
    return _made(statement, "mean difference", rows)


def none(tests: pd.DataFrame, verdicts: Sequence[str], statement: str) -> Conclusion | None:
    """Say that no pair has one of the verdicts; ``{n}`` stands for the number of pairs."""
    variant = ["index", "correction", "designs", "families"]
    total = len(tests[["first", "second"]].drop_duplicates())
    rows = []
    for key, part in tests.groupby(variant, sort=False) if total else ():
        found = int(part["verdict"].isin(verdicts).sum())
        rows.append({**dict(zip(variant, key, strict=True)), "value": found, "holds": not found})
    unit = f"number of {total} that are {' or '.join(verdicts)}"
    return _made(statement.format(n=total), unit, rows)


def first_by_rank(
    choices: Choices, tables: Tables, method: str, statement: str
) -> Conclusion | None:
    """Say that a method has the best mean rank; tables without gaps."""
    rows = []
    for variant, table in choices.tables(tables):
        if method in table and len(table):
            places = ranks(table).mean()
            rows.append({**variant, "value": places[method], "holds": places.idxmin() == method})
    return _made(statement, "mean rank", rows)


def chosen(choices: Choices, tables: Tables, name: str = "chosen") -> dict[str, pd.DataFrame]:
    """Tables without gaps, and the method that has the best mean rank on the other data sets.

    The column `name` has its score on the data set that had no part in the choice, nor had those
    of its family.
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


def _made(statement: str, unit: str, rows: Iterable[Mapping[str, Any]]) -> Conclusion | None:
    """Conclusion of some variants, None without any."""
    keys = ("index", "correction", "designs", "families", "rope", "value", "holds")
    kept = [{key: row.get(key) for key in keys} for row in rows]
    return Conclusion(statement, unit, kept) if kept else None


def standing(tests: pd.DataFrame) -> dict[Pair, str]:
    """In how many of its variants each pair is better, and in how many worse, in words."""
    found = {}
    for pair, part in tests.groupby(["first", "second"], sort=False):
        counts = part["verdict"].value_counts()
        found[pair] = f"{counts.get('better', 0)} / {counts.get('worse', 0)} of {len(part)}"
    return found
