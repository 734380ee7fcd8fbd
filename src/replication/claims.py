"""Step `claims`: what a paper says in words, each claim tested on what this workflow computed.

One function per claim lives in ``replication.papers.<paper>.claims``, registered in its
``CLAIMS``. It sees tables, experiments, tests and printed numbers, and nothing else, so that every
verdict rests on a file of the run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.inputs import expand
from replication.published import load
from replication.rows import read_rows, write_rows
from replication.steps import load_class, specification

if TYPE_CHECKING:
    import pandas as pd

CONFIRMED = "confirmed"
REFUTED = "refuted"
MIXED = "mixed"
NOT_TESTABLE = "not testable"
NOT_RUN = "not run"
CLAIM_VERDICTS = (CONFIRMED, MIXED, REFUTED, NOT_TESTABLE, NOT_RUN)

COLUMNS = ("id", "paper", "where", "claim", "verdict", "evidence", "value", "artefact")
PUBLISHED_COLUMNS = ("id", "paper", "where", "claim", "quantity", "kind", "inputs")


@dataclass(frozen=True)
class Finding:
    """Verdict on one claim.

    Attributes
    ----------
    verdict : str
        One of `CLAIM_VERDICTS`.
    evidence : str
        What was found, in a sentence or two, with the numbers.
    value : str
        The number that decides, such as ``9/11``; may be empty.
    artefact : str
        Table, experiment or test that holds the evidence.
    """

    verdict: str
    evidence: str
    value: str = ""
    artefact: str = ""


class MissingEvidenceError(Exception):
    """What a claim needs was not part of this run; the claim is then *not run*."""


def counted(held: int, total: int) -> str:
    """Verdict of a claim about several cases: confirmed if all hold, refuted if none, else mixed.

    Raises
    ------
    ValueError
        If there is no case, or more hold than there are.
    """
    if not 0 <= held <= total or total == 0:
        raise ValueError(f"{held} of {total} cases is no count")
    return CONFIRMED if held == total else REFUTED if held == 0 else MIXED


class ClaimBook(dict[str, Callable[["Evidence"], Finding]]):
    """Functions that test claims, by the id of the claim."""

    def about(self, name: str) -> Callable[[Callable], Callable]:
        """Decorator that registers the test of one claim.

        Raises
        ------
        ValueError
            If the claim has a test already.
        """
        if name in self:
            raise ValueError(f"claim {name} is tested twice")

        def register(function: Callable[[Evidence], Finding]) -> Callable[[Evidence], Finding]:
            self[name] = function
            return function

        return register


class Evidence:
    """What was computed and what is printed, as data frames.

    Parameters
    ----------
    spec : dict
        ``paper``, ``effort``, ``inputs``: one record per file with ``role`` (``table``,
        ``experiment`` or ``tests``), ``id`` and ``file``, and ``dataset`` for experiments.
    published : Path
        Folder of the printed numbers.
    """

    def __init__(self, spec: Mapping[str, Any], published: Path) -> None:
        self.paper: str = spec["paper"]
        self.effort: str = spec["effort"]
        self._inputs: list[dict[str, str]] = expand(spec["inputs"])
        self._published = published

    def table(self, artefact: str) -> pd.DataFrame:
        """Numbers of one artefact: the CSV behind its table.

        Raises
        ------
        MissingEvidenceError
            If the artefact is not part of this run, or nothing was computed for it.
        """
        frame = self._frames("table", artefact)
        if frame.empty:
            raise MissingEvidenceError(f"{artefact} has no numbers (effort {self.effort})")
        return frame

    def experiment(self, name: str, datasets: Iterable[str] = ()) -> pd.DataFrame:
        """Records of one experiment over its data sets.

        Parameters
        ----------
        name : str
            Id of the experiment.
        datasets : iterable of str
            Data sets that must be there; none for whatever was run.

        Raises
        ------
        MissingEvidenceError
            If nothing was computed, or one of `datasets` was not.
        """
        frame = self._frames("experiment", name)
        frame = frame[frame["status"] == "ok"]
        absent = sorted(set(datasets) - set(frame["dataset"]))
        if absent or frame.empty:
            raise MissingEvidenceError(
                f"experiment {name} was not run on {', '.join(absent) or 'any data set'} "
                f"(effort {self.effort})"
            )
        return frame.dropna(axis="columns", how="all")

    def tests(self) -> pd.DataFrame:
        """Statistical tests between the methods of the paper."""
        return self._frames("tests", self.paper)

    @cached_property
    def printed(self) -> pd.DataFrame:
        """Printed cells of the paper, every cell a text; see `replication.published.load`."""
        return load(self.paper, self._published)

    def need(self, frame: pd.DataFrame, column: str, values: Iterable[object]) -> None:
        """Require that a column of a frame holds all of some values.

        Raises
        ------
        MissingEvidenceError
            If it does not.
        """
        absent = sorted({str(value) for value in values} - {str(one) for one in frame[column]})
        if absent:
            raise MissingEvidenceError(
                f"not part of this run (effort {self.effort}): {', '.join(absent)}"
            )

    def _frames(self, role: str, name: str) -> pd.DataFrame:
        import pandas as pd

        files = [one["file"] for one in self._inputs if (one["role"], one["id"]) == (role, name)]
        if not files:
            raise MissingEvidenceError(f"no {role} {name!r} in this run (effort {self.effort})")
        return pd.concat(
            [pd.read_csv(file, keep_default_na=False, na_values=[""]) for file in files],
            ignore_index=True,
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="paper and its files (JSON)")
    parser.add_argument("--inputs", type=Path, nargs="*", default=[], help="files named in --spec")
    parser.add_argument("--published", type=Path, required=True, help="folder of printed numbers")
    parser.add_argument("--output", type=Path, required=True, help="claims with verdicts (CSV)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    spec = specification(args.spec)
    book: ClaimBook = load_class(f"replication.papers.{spec['paper']}.claims:CLAIMS")
    claims = [
        claim
        for claim in published_claims(args.published / "claims.csv")
        if claim["paper"] == spec["paper"]
    ]
    rows = judge(book, claims, Evidence(spec, args.published))
    write_rows(args.output, COLUMNS, rows)
    return 0


def published_claims(path: Path) -> list[dict[str, str]]:
    """Claims of all papers.

    Raises
    ------
    UserError
        If the columns are others.
    """
    return read_rows(path, PUBLISHED_COLUMNS)


def judge(
    book: Mapping[str, Callable[[Evidence], Finding]],
    claims: Iterable[Mapping[str, str]],
    evidence: Evidence,
) -> list[dict[str, str]]:
    """Verdicts of the claims of one paper.

    Parameters
    ----------
    book : mapping
        Test of each claim.
    claims : iterable of mapping
        The claims, by `PUBLISHED_COLUMNS`.
    evidence : Evidence
        What was computed.

    Returns
    -------
    list of dict
        One row per claim, by `COLUMNS`.

    Raises
    ------
    UserError
        If a claim has no test, or a test no claim.
    ValueError
        If a test returns an unknown verdict, or a verdict without evidence.
    """
    claims = list(claims)
    names = {claim["id"] for claim in claims}
    if odd := sorted(names ^ set(book)):
        raise UserError(
            f"claims and tests of {evidence.paper} do not match: {', '.join(odd)}; every claim of "
            "data/published/claims.csv has one test in the claims module of its paper"
        )
    rows = []
    for claim in claims:
        try:
            finding = book[claim["id"]](evidence)
        except MissingEvidenceError as missing:
            finding = Finding(NOT_RUN, str(missing))
        if finding.verdict not in CLAIM_VERDICTS or not finding.evidence:
            raise ValueError(f"{claim['id']}: not a finding: {finding}")
        rows.append(
            {
                **{name: claim[name] for name in ("id", "paper", "where", "claim")},
                "verdict": finding.verdict,
                "evidence": finding.evidence,
                "value": finding.value,
                "artefact": finding.artefact,
            }
        )
    return rows
