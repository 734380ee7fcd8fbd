"""Count claims: the one count that every text, table and figure shows.

Counted are statements in words. Whole tables and columns, whose numbers have verdicts of their
own, are counted apart, and so are claims that measured times decide. Refuted claims that fall by
one fact are one cause.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from replication.errors import UserError
from replication.files import read_rows
from replication.judge.claims import (
    CAUSE_COLUMNS,
    OURS_COLUMNS,
    PUBLISHED_COLUMNS,
    REFUTED,
    STATED_AS,
    TABLE,
    grade,
    read_count,
)

TIMED = "timed"
"""Stands for the verdict on a claim that measured times decide, in committed files."""


def settled(claims: pd.DataFrame, timed: Collection[str]) -> pd.DataFrame:
    """Return the claims, without verdict and evidence where measured times decide.

    These verdicts depend on the load of the machine, so committed files count them separately.
    """
    found = claims.copy()
    decided = found["id"].isin(timed)
    found.loc[decided, list(OURS_COLUMNS)] = ""
    found.loc[decided, "verdict"] = TIMED
    return found


def described(claims: pd.DataFrame, published: Path) -> pd.DataFrame:
    """Return claims with the columns ``stated`` and ``cause``.

    ``stated`` is one of `STATED_AS`. ``cause`` is the fact by which a refuted claim falls, if
    others fall by it too: ``causes.csv`` of the folder `published` names a claim, or a part of it,
    that measures the fact. Where that one is not refuted in this run, its fact explains nothing and
    ``cause`` is empty.

    Raises `UserError` if a claim names a cause that ``causes.csv`` does not have, or is stated in
    an unknown way.
    """
    rows = read_rows(published / "claims.csv", PUBLISHED_COLUMNS)
    causes = {one["id"]: one for one in read_rows(published / "causes.csv", CAUSE_COLUMNS)}
    for row in rows:
        if row["stated"] not in STATED_AS:
            raise UserError(
                f"data/published/claims.csv: {row['id']}: stated {row['stated']!r}, which is none "
                f"of {', '.join(STATED_AS)}"
            )
        if row["cause"] and row["cause"] not in causes:
            raise UserError(
                f"data/published/claims.csv: {row['id']}: there is no cause {row['cause']!r} in "
                "data/published/causes.csv"
            )
    known = {row["id"]: row for row in rows}
    facts = {name: _fact(claims[claims["id"] == one["claim"]], one) for name, one in causes.items()}
    stated, cause = (
        [known[name][key] if name in known else "" for name in claims["id"]]
        for key in ("stated", "cause")
    )
    refuted = claims["verdict"] == REFUTED
    return claims.assign(
        stated=[one or STATED_AS[0] for one in stated],
        cause=[facts.get(one, "") * bool(fell) for one, fell in zip(cause, refuted, strict=True)],
    )


def _fact(claim: pd.DataFrame, cause: Mapping[str, str]) -> str:
    """Return a fact with its count in this run; empty unless its claim is refuted."""
    for row in claim.to_dict("records"):
        verdict, counted, place = row["verdict"], row["ours"], cause["claim"]
        if cause["part"] and counted:
            part = int(cause["part"]) - 1
            counted = counted.split(";")[part].strip()
            verdict = grade(row["asserts"].split(";")[part].strip(), read_count(counted))
            place += f", part {cause['part']}"
        if verdict == REFUTED:
            return f"{cause['fact']} ({place}{f': {counted}' * bool(counted)})"
    return ""


class ClaimCounts(NamedTuple):
    """Counts of claims.

    Attributes
    ----------
    verdicts : Counter
        Claims in words by verdict; `TIMED` is one of them.
    causes : int
        Facts by which the refuted ones fall, of which several may fall by one.
    tables : Counter
        Whole tables and columns by verdict.
    """

    verdicts: Counter[str]
    causes: int
    tables: Counter[str]

    @property
    def total(self) -> int:
        """Number of claims in words."""
        return self.verdicts.total()


def in_words(claims: pd.DataFrame) -> pd.DataFrame:
    """Return the claims of `described` that are stated in words."""
    return claims[claims["stated"] != TABLE]


def one_per_cause(claims: pd.DataFrame) -> pd.DataFrame:
    """Return the refuted claims in words, of those that fall by one fact the first."""
    refuted = in_words(claims)
    refuted = refuted[refuted["verdict"] == REFUTED]
    return refuted[(refuted["cause"] == "") | ~refuted.duplicated(["paper", "cause"])]


def count_claims(claims: pd.DataFrame) -> ClaimCounts:
    """Count the claims of `described`."""
    tables = claims[claims["stated"] == TABLE]
    return ClaimCounts(
        Counter(in_words(claims)["verdict"]),
        len(one_per_cause(claims)),
        Counter(tables["verdict"]),
    )


def count_by_paper(claims: pd.DataFrame) -> dict[str, ClaimCounts]:
    """Count the claims of `described` paper by paper, in order of appearance."""
    return {str(name): count_claims(rows) for name, rows in claims.groupby("paper", sort=False)}
