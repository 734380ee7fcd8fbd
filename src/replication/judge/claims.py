"""Step `claims`: judge the claims in the text of a paper by the results of this workflow.

``data/published/claims.csv`` gives the quantifier of each part of a claim, and whether the claim
says "much". One function per claim, in ``replication.papers.<paper>.claims``, lists the cases in
which each part holds, on our numbers and, in columns of their own, on the printed ones. `grade`
and `whole` derive the verdict from quantifiers and counts; a function of a paper cannot set it.
"""

import copy
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from replication.errors import UserError
from replication.files import read_rows, write_rows
from replication.judge.published import load
from replication.judge.verdicts import EXACT, NOT_RUN, WITHIN_NOISE, in_unit
from replication.run.records import Records, available
from replication.steps import load_class

CONFIRMED, NEARLY, MIXED = "confirmed", "nearly", "mixed"
REFUTED, NOT_TESTABLE = "refuted", "not testable"
CLAIM_VERDICTS = (CONFIRMED, NEARLY, MIXED, REFUTED, NOT_TESTABLE, NOT_RUN)

QUANTIFIERS = {
    "all": "a general statement; it covers all cases",
    "theorem": "a statement of mathematics about every case; one counterexample refutes it",
    "almost": "a general statement that allows exceptions",
    "most": "more than half of the cases",
    "half": "at least half of the cases",
    "some": "at least one case",
    "value": "printed values; the cases are the values, each met or not",
    "significant": "statistical significance at the level that the paper names; the cases are the "
    "comparisons",
    "order": "one or several stated orders; the cases are the pairs",
    "print": "printed numbers must agree with each other; no run is needed",
    "authors": "a fact about the authors' machine, data or opinion, which cannot be tested",
}
MUCH = 0.05
"""Smallest difference of two scores in [0, 1] that counts as "much", "clearly" or "far"; scores
with a smaller difference are "close"."""
RATIO = 0.2
"""The same difference as a share of the smaller score, in the relative form of these words."""
FORMS = ABSOLUTE, RELATIVE = ("absolute", "relative")
"""Forms of "much", "close" and "small"; if the other form gives another verdict, both are shown."""
FORM = "form"
"""Id of the question which of `FORMS` is meant."""
FEW = 5
"""Largest number that is "small" in the absolute form; in the relative form, less than half is."""
EQUAL = 1e-9
"""Largest difference of equal numbers."""
SIGNIFICANCE_LEVEL = 0.05
"""Level of the papers' significance tests."""
ABOUT = 0.1
"""Largest relative difference of two numbers of which one is "about" or "nearly" the other."""
_NAMED = 3
"""Largest number of cases that a sentence of evidence names; more are in the table of cases."""
MORE_CASES = " more cases"
"""Ends the list of named cases if there are more."""
EXCEPTIONS = 0.9
"""Smallest share of cases with which a general statement holds apart from exceptions."""

STATED_COLUMNS = ("id", "paper", "where", "claim", "asserts", "margin")
CLAIM_COLUMNS = (
    *STATED_COLUMNS,
    *("verdict", "ours", "print_verdict", "print", "evidence", "value", "artefact"),
    *("readings", "under", "other_form"),
)
OURS_COLUMNS = ("verdict", "ours", "evidence", "value", "readings", "under", "other_form")
"""Columns that our numbers decide."""
PUBLISHED_COLUMNS = (
    *STATED_COLUMNS,
    "quantity",
    "kind",
    "inputs",
    "found",
    "test",
    "stated",
    "cause",
)
STATED_AS = WORDS, TABLE = ("words", "table")
"""How a paper states a claim: in words, or as a whole table or column, each number of which has a
verdict of its own."""
CAUSE_COLUMNS = ("id", "fact", "claim", "part")
"""Columns of ``causes.csv``: a measured fact by which several claims fall, and the claim, or the
part of it, whose cases measure it."""

HOLDS, FAILS, UNDECIDED = ANSWERS = ("yes", "no", "cannot be told")
"""Values of ``holds`` in a case."""


class Count(NamedTuple):
    """Number of cases in which a part of a claim holds, and of all its cases, of at least one.

    `undecided` cases, such as times too close for the clock or ties that rounding breaks, do not
    count as `held`.
    """

    held: int
    total: int
    undecided: int = 0

    def __str__(self) -> str:
        """Return a text such as ``9/11``, or ``3/6 (2 cannot be told)``."""
        rest = f" ({self.undecided} {UNDECIDED})" if self.undecided else ""
        return f"{self.held}/{self.total}{rest}"


def read_count(text: str) -> Count:
    """Return the count that a text such as ``3/6 (2 cannot be told)`` stands for."""
    held, total, *undecided = map(int, re.findall(r"\d+", text))
    return Count(held, total, *undecided)


def answer(holds: bool | None) -> str:
    """Return one of `ANSWERS`: True means yes, False no, None cannot be told."""
    return UNDECIDED if holds is None else HOLDS if holds else FAILS


def count(cases: Iterable[str]) -> Count:
    """Count cases, given as one of `ANSWERS` each."""
    cases = [*cases]
    return Count(cases.count(HOLDS), len(cases), cases.count(UNDECIDED))


CASE_COLUMNS = ("part", "case", "ours", "printed", "holds", "print_holds", "margin", "n")


def cases(
    names: Iterable[object],
    holds: Iterable[bool | None] | None = None,
    *,
    ours: Iterable[object] | None = None,
    printed: Iterable[object] | None = None,
    print_holds: Iterable[bool | None] | None = None,
    margin: Iterable[float] | None = None,
    n: Iterable[int] | int = 1,
    part: int = 1,
) -> pd.DataFrame:
    """Return a table of the cases of one part of a claim.

    Parameters
    ----------
    names : iterable
        Name of each case, such as a data set.
    holds, print_holds : iterable of bool or None, optional
        Whether the claim holds in the case, on our values and on the printed ones; None if that
        cannot be told. If one of them is not given, no case is counted on that side.
    ours, printed : iterable, optional
        Our value and the printed one.
    margin : iterable of float, optional
        By how much it holds; negative where it does not.
    n : iterable of int, or int
        Number of cases that a row stands for, such as random tables.
    part : int
        Part of the claim, from 1.

    Returns
    -------
    DataFrame
        With `CASE_COLUMNS`; ``holds`` and ``print_holds`` are one of `ANSWERS`, or None where
        nothing is counted. Join parts with `pandas.concat`.
    """
    sides = {"holds": holds, "print_holds": print_holds}
    given = {"ours": ours, "printed": printed, "margin": margin}
    case = [str(name) for name in names]
    values = {
        "part": part,
        "case": case,
        "n": n if isinstance(n, int) else list(n),
        **{key: None if side is None else [*map(answer, side)] for key, side in sides.items()},
        **{key: None if values is None else list(values) for key, values in given.items()},
    }
    return pd.DataFrame(values, columns=list(CASE_COLUMNS), index=range(len(case)), dtype=object)


@dataclass(frozen=True)
class Outcome:
    """Result of the test of one claim.

    Attributes
    ----------
    cases : DataFrame or None
        Its cases, with `CASE_COLUMNS`, if it has any.
    artefact : str
        Tables, experiments or test that hold the evidence, separated by blanks.
    note : str
        One sentence with facts that the cases do not show.
    value : str
        Number of interest, such as ``n^1.02``.
    """

    cases: pd.DataFrame | None
    artefact: str = ""
    note: str = ""
    value: str = ""

    def counts(self, column: str) -> list[Count]:
        """Count the cases of each part, in the column ``holds`` or ``print_holds``.

        The list is empty if the column has no cases.
        """
        if self.cases is None:
            return []
        parts = self.cases[self.cases[column].notna()].groupby("part")
        return [count(rows[column].repeat(rows["n"].astype(int))) for _, rows in parts]

    def evidence(self) -> str:
        """Return the note, the cases that fail, ours next to print, and the counts."""
        if self.cases is None:
            return self.note
        failed, counted = [], []
        for column, where in (("holds", ""), ("print_holds", "on the printed values ")):
            for part, of in enumerate(self.counts(column), 1):
                first = f"part {part} " if self.cases["part"].max() > 1 else ""
                open_ = f", {of.undecided} {UNDECIDED}" if of.undecided else ""
                rows = self.cases[(self.cases["part"] == part) & (self.cases[column] == FAILS)]
                if column == "holds" and len(rows):
                    failed.append(f"{first}not for {_exceptions(rows)}")
                counted.append(f"{where}{first}holds in {of.held} of {of.total}{open_}")
        sentences = [self.note, _sentence(failed), _sentence(counted)]
        return " ".join(filter(None, sentences))


def _exceptions(failed: pd.DataFrame) -> str:
    """Return the names of the cases in which a claim fails, by margin, largest first.

    Ours has the unit of the printed value, and one digit more.
    """
    if failed["margin"].notna().any():
        failed = failed.sort_values("margin", key=lambda one: one.astype(float), kind="stable")
    shown = []
    for one in failed[:_NAMED].to_dict("records"):
        ours, printed = (one[name] if pd.notna(one[name]) else "" for name in ("ours", "printed"))
        print_ = f"{printed:.4g}" if isinstance(printed, float) else str(printed)
        number = in_unit(print_, ours) if isinstance(ours, float) else str(ours)
        values = [f"ours {number}"] * (number != "") + [f"printed {print_}"] * (print_ != "")
        shown.append(one["case"] + (f" ({', '.join(values)})" if values else ""))
    more = f" and {len(failed) - _NAMED}{MORE_CASES}" if len(failed) > _NAMED else ""
    return f"{', '.join(shown)}{more}"


def _sentence(clauses: Sequence[str]) -> str:
    """Return clauses as one sentence; empty without any."""
    text = "; ".join(clauses)
    return f"{text[:1].upper()}{text[1:]}{'.' * bool(text)}"


class MissingEvidenceError(Exception):
    """Evidence that a claim needs is not part of this run; the claim is then *not run*."""


def grade(quantifier: str, cases: Count) -> str:
    """Return the verdict on one part of a claim.

    A general statement (``all``, ``value``, ``significant``, ``order``, ``print``) is *confirmed*
    if it holds in every case, *nearly* if it holds in at least 90 % of them, *mixed* in at least
    half, and *refuted* otherwise. One counterexample refutes a ``theorem``. ``almost`` is confirmed
    in at least 90 % of the cases, ``most`` in more than half, ``half`` in at least half, ``some``
    in one case. ``most`` is mixed in exactly half of the cases, and refuted in fewer.

    Parameters
    ----------
    quantifier : str
        One of `QUANTIFIERS`.
    cases : Count
        The part is *not testable* if the undecided cases could change the verdict.
    """
    if quantifier == "authors":
        return NOT_TESTABLE
    least = _graded(quantifier, cases.held, cases.total)
    most = _graded(quantifier, cases.held + cases.undecided, cases.total)
    return least if least == most else NOT_TESTABLE


def _graded(quantifier: str, held: int, total: int) -> str:
    # in whole numbers, so that 9 of 10 is 90 %
    almost = 10 * held >= round(10 * EXCEPTIONS) * total
    confirmed = {
        "some": held > 0,
        "half": 2 * held >= total,
        "most": 2 * held > total,
        "almost": almost,
    }
    if confirmed.get(quantifier, held == total):
        return CONFIRMED
    if quantifier == "theorem" or 2 * held < total:
        return REFUTED
    return NEARLY if almost else MIXED


def whole(parts: Sequence[str]) -> str:
    """Return the verdict on a claim from the verdicts on its parts, all of which it asserts.

    *Confirmed* if all parts are confirmed; *nearly* if all are confirmed or nearly; *refuted* if
    more than half of the testable ones are refuted; *not testable* if a part is not testable and
    none is refuted or mixed; otherwise *mixed*.
    """
    if 2 * parts.count(REFUTED) > len(parts) - parts.count(NOT_TESTABLE):
        return REFUTED
    if REFUTED in parts:
        return MIXED
    return next(one for one in (MIXED, NOT_TESTABLE, NEARLY, CONFIRMED) if one in parts)


def asserted(claim: Mapping[str, str]) -> list[str]:
    """Return the quantifiers of the parts of a claim.

    Raises `UserError` if a quantifier or the margin of the claim is unknown.
    """
    parts = [part.strip() for part in claim["asserts"].split(";")]
    place = f"data/published/claims.csv: {claim['id']}"
    for part in set(parts) - set(QUANTIFIERS):
        raise UserError(f"{place}: asserts {part!r}, which is none of {', '.join(QUANTIFIERS)}")
    if claim["margin"] not in ("", "much"):
        raise UserError(f"{place}: margin {claim['margin']!r} is neither empty nor 'much'")
    return parts


def met(rows: pd.DataFrame) -> list[bool]:
    """Return for rows of verdicts whether each number is exact or within noise."""
    return rows["verdict"].isin([EXACT, WITHIN_NOISE]).tolist()


def about(one: float, other: float) -> bool:
    """Return whether a number is about another one: within `ABOUT` of it."""
    return abs(one - other) <= ABOUT * abs(other)


class ClaimBook(dict[str, Callable[["Evidence"], Outcome]]):
    """Functions that test claims, by the ids of the claims."""

    def about(self, name: str, *given: Any, **named: Any) -> Callable[[Callable], Callable]:
        """Return a decorator that registers a function as the test of a claim.

        The function takes the evidence, then the other arguments that are given here. It may be
        registered for several claims.

        Raises `ValueError` if the claim has a test already.
        """
        if name in self:
            raise ValueError(f"claim {name} is tested twice")

        def register(function: Callable[..., Outcome]) -> Callable[..., Outcome]:
            self[name] = lambda evidence: function(evidence, *given, **named)
            return function

        return register


class Evidence(Records):
    """Computed and printed numbers of a paper, as data frames.

    Parameters
    ----------
    spec : dict
        ``paper``, ``effort``, ``inputs``: entries of `Records` with the roles ``table`` (of an
        ``artefact``), ``experiment`` and ``tests``.
    published : Path
        Folder of the printed numbers.

    Attributes
    ----------
    much : bool
        Whether the claim says "much", "clearly" or "far"; see `of`.
    asked : dict
        Choices of each question that the test of the claim asked, the counted one first; see
        `choice`.
    """

    def __init__(self, spec: Mapping[str, Any], published: Path) -> None:
        self.paper: str = spec["paper"]
        self.effort: str = spec["effort"]
        self.much = False
        self.asked: dict[str, tuple[str, ...]] = {}
        self._chosen: Mapping[str, str] = {}
        super().__init__(spec["inputs"], f"--spec of the claims of {self.paper}")
        # read once for all claims
        self._printed = cache(partial(load, self.paper, published))
        self._table = cache(self._read_table)
        self._wide = cache(self._scores_by_method)

    def of(self, claim: Mapping[str, str], chosen: Mapping[str, str] | None = None) -> "Evidence":
        """Return a copy with the margin of one claim, and with other answers to some questions."""
        evidence = copy.copy(self)
        evidence.much = claim["margin"] == "much"
        evidence.asked, evidence._chosen = {}, chosen or {}
        return evidence

    def choice(self, question: str, *choices: str) -> str:
        """Return the answer to a question that the paper leaves open, by default the first one.

        A claim is judged under all combinations of the answers to the questions that it asks.
        """
        self.asked[question] = choices
        return self._chosen.get(question, choices[0])

    def _least(self, one: Any, other: Any) -> Any:
        """Return the smallest large difference: `MUCH`, or `RATIO` of the smaller score."""
        absolute = self.choice(FORM, *FORMS) == ABSOLUTE
        return MUCH if absolute else RATIO * np.minimum(np.abs(one), np.abs(other))

    def ahead(self, one: Any, other: Any) -> Any:
        """Return whether scores in [0, 1] are larger than others, by the margin of the claim."""
        ahead = one - other > EQUAL
        return ahead & (one - other >= self._least(one, other) - EQUAL) if self.much else ahead

    def close(self, one: Any, other: Any) -> Any:
        """Return whether scores in [0, 1] are close: neither is much larger."""
        return abs(one - other) < self._least(one, other)

    def small(self, part: Any, of: Any) -> Any:
        """Return whether a number is a small part of another: below half, or at most `FEW`."""
        relative = self.choice(FORM, *reversed(FORMS)) == RELATIVE
        return part < 0.5 * of if relative else part <= FEW

    def files(self, role: str, **wanted: str) -> list[Path]:
        """Return the files of a role with these ids, at least one.

        Raises `MissingEvidenceError` if this run has none.
        """
        found = super().files(role, **wanted)
        if not found:
            name = " ".join([role, *map(repr, wanted.values())])
            raise MissingEvidenceError(f"no {name} in this run (effort {self.effort})")
        return found

    def table(self, artefact: str, reading: str = "") -> pd.DataFrame:
        """Return the numbers in the CSV file of an artefact, or those under one reading.

        Raises `MissingEvidenceError` if the artefact is not part of this run, or nothing was
        computed for it.
        """
        frame = self._table(artefact).copy()
        if reading and not frame.empty:
            frame = frame[frame["reading"] == reading]
        if frame.empty:
            raise MissingEvidenceError(f"{artefact} has no numbers (effort {self.effort})")
        return frame

    def wide(self, artefact: str, reading: str = "", column: str = "reproduced") -> pd.DataFrame:
        """Return numbers of an artefact by data set (rows) and method, ours or the printed ones.

        Without a `reading` they are the printed numbers. Errors are those of `table`.
        """
        return self._wide(artefact, reading, column).copy()

    def _scores_by_method(self, artefact: str, reading: str, column: str) -> pd.DataFrame:
        if reading:
            rows = self.table(artefact)
            return rows[rows["reading"] == reading].pivot_table(column, "dataset", "method")
        cells = self.printed.query("artefact == @artefact and value != ''")
        return cells.astype({"value": float}).pivot_table("value", "dataset_id", "method_id")

    def _read_table(self, artefact: str) -> pd.DataFrame:
        """Return the CSV file of an artefact."""
        return pd.read_csv(
            self.file("table", artefact=artefact),
            keep_default_na=False,
            na_values=[""],
            true_values=["yes"],
            false_values=["no"],
        )

    def experiment(self, name: str, datasets: Iterable[str] = ()) -> pd.DataFrame:
        """Return the records of an experiment on all its data sets, which must hold `datasets`.

        Raises `MissingEvidenceError` if nothing was computed, or one of `datasets` is missing.
        """
        frame = available(self.frame("experiment", experiment=name))
        absent = sorted(set(datasets) - set(frame["dataset"]))
        if absent or frame.empty:
            raise MissingEvidenceError(
                f"experiment {name} was not run on {', '.join(absent) or 'any data set'} "
                f"(effort {self.effort})"
            )
        return frame.dropna(axis="columns", how="all")

    @property
    def printed(self) -> pd.DataFrame:
        """Printed cells of the paper as texts; see `replication.judge.published.load`."""
        return self._printed()

    def datasets(self, artefact: str) -> list[str]:
        """Return the ids of the data sets in a printed artefact, in its order."""
        return self.printed.query("artefact == @artefact")["dataset_id"].unique().tolist()

    def names(self) -> dict[str, str]:
        """Return the printed names of data sets, by their ids."""
        return dict(zip(self.printed["dataset_id"], self.printed["dataset"], strict=True))

    def stated(self, *metrics: str) -> list[float]:
        """Return the first number that the paper prints under each of some metrics."""
        cells = self.printed.drop_duplicates("metric").set_index("metric")["value"]
        return [float(cells[metric]) for metric in metrics]

    def need(self, frame: pd.DataFrame, column: str, values: Iterable[object]) -> pd.DataFrame:
        """Return a frame after checking that a column of it holds some values.

        Raises `MissingEvidenceError` if a value is missing.
        """
        if absent := sorted(set(map(str, values)) - set(map(str, frame[column]))):
            raise MissingEvidenceError(
                f"not part of this run (effort {self.effort}): {', '.join(absent)}"
            )
        return frame


def run(spec: dict[str, Any], published: Path, output: Path, cases: Path) -> None:
    """Run the step."""
    paper = spec["paper"]
    book: ClaimBook = load_class(f"replication.papers.{paper}.claims:CLAIMS")
    claims = read_rows(published / "claims.csv", PUBLISHED_COLUMNS)
    own = (claim for claim in claims if claim["paper"] == paper)
    rows, found = judge(book, own, Evidence(spec, published))
    write_rows(output, CLAIM_COLUMNS, rows)
    cases.mkdir(parents=True, exist_ok=True)
    for name, frame in found.items():
        write_rows(cases / f"{name}.csv", CASE_COLUMNS, frame.to_dict("records"))


def judge(
    book: Mapping[str, Callable[[Evidence], Outcome]],
    claims: Iterable[Mapping[str, str]],
    evidence: Evidence,
) -> tuple[list[dict[str, str]], dict[str, pd.DataFrame]]:
    """Return the verdicts on the claims of a paper, by `CLAIM_COLUMNS`, and their cases by claim.

    Raises
    ------
    UserError
        If a claim has no test, or a test no claim.
    ValueError
        If the cases do not fit what the claim asserts, or there is no evidence.
    """
    claims = list(claims)
    if odd := sorted({claim["id"] for claim in claims} ^ set(book)):
        raise UserError(
            f"claims and tests of {evidence.paper} do not match: {', '.join(odd)}; every claim of "
            "data/published/claims.csv has one test in the claims module of its paper"
        )
    rows, cases = [], {}
    for claim in claims:
        row = {name: claim[name] for name in STATED_COLUMNS}
        test, counted = book[claim["id"]], evidence.of(claim)
        found, told = _tested(claim, test, counted)
        rows.append(row | told | (_varied(claim, test, counted, told) if found else {}))
        if found and found.cases is not None:
            cases[claim["id"]] = found.cases
    return rows, cases


def _tested(
    claim: Mapping[str, str], test: Callable[[Evidence], Outcome], evidence: Evidence
) -> tuple[Outcome | None, dict[str, str]]:
    """Return the outcome of a claim, None without evidence, and the cells of its verdict."""
    try:
        found = test(evidence)
    except MissingEvidenceError as missing:
        return None, {"verdict": NOT_RUN, "ours": "", "evidence": str(missing)}
    return found, _judged(claim, found)


def _varied(
    claim: Mapping[str, str],
    test: Callable[[Evidence], Outcome],
    counted: Evidence,
    told: Mapping[str, str],
) -> dict[str, str]:
    """Return the cells on all answers to the questions of a claim, and on the other form."""
    if told["verdict"] == NOT_TESTABLE:
        return {}
    forms = counted.asked.get(FORM, ())[1:]
    under = _readings(claim, test, counted, (told["verdict"], told["ours"]))
    questions = list(dict.fromkeys(question for answers in under for question, _ in answers))
    held = sum(verdict in (CONFIRMED, NEARLY) for verdict, _ in under.values())
    shown = [
        f"{', '.join(chosen for _, chosen in answers)} {verdict} {ours}"
        for answers, (verdict, ours) in under.items()
    ]
    others = [(form, *_asked(claim, test, counted.of(claim, {FORM: form}))) for form in forms]
    return {
        "readings": f"{held}/{len(under)}" if questions else "",
        "under": f"{', '.join(questions)}: {'; '.join(shown)}" if questions else "",
        "other_form": "; ".join(
            f"{form}: {verdict} {ours}"
            for form, verdict, ours in others
            if verdict != told["verdict"]
        ),
    }


def _asked(
    claim: Mapping[str, str], test: Callable[[Evidence], Outcome], evidence: Evidence
) -> tuple[str, str]:
    """Return the verdict on a claim by some evidence, and the counts of its cases."""
    _, one = _tested(claim, test, evidence)
    return one["verdict"], one["ours"]


Answers = tuple[tuple[str, str], ...]
"""Questions that a test asked, in its order, each with the answer that it got."""


def _readings(
    claim: Mapping[str, str],
    test: Callable[[Evidence], Outcome],
    counted: Evidence,
    first: tuple[str, str],
) -> dict[Answers, tuple[str, str]]:
    """Return verdict and counts under each combination of answers, the counted one `first`.

    An answer may lead to a question that no other answer asks. The test is therefore repeated with
    another answer to each question that it asked, until no new combination appears.
    """
    found: dict[Answers, tuple[str, str]] = {}
    places: dict[str, tuple[str, ...]] = {}
    tried: set[frozenset[tuple[str, str]]] = set()
    waiting: list[dict[str, str]] = [{}]
    while waiting:
        chosen = waiting.pop(0)
        if frozenset(chosen.items()) in tried:
            continue
        tried.add(frozenset(chosen.items()))
        evidence, result = counted, first
        if chosen:
            evidence = counted.of(claim, chosen)
            result = _asked(claim, test, evidence)
        asked = {name: choices for name, choices in evidence.asked.items() if name != FORM}
        places |= asked
        given = {name: chosen.get(name, choices[0]) for name, choices in asked.items()}
        found.setdefault(tuple(given.items()), result)
        waiting += [
            given | {name: other}
            for name, choices in asked.items()
            for other in choices
            if other != given[name]
        ]

    def place(answers: Answers) -> list[int]:
        given = dict(answers)
        return [
            choices.index(given[name]) if name in given else 0 for name, choices in places.items()
        ]

    return {answers: found[answers] for answers in sorted(found, key=place)}


def _judged(claim: Mapping[str, str], found: Outcome) -> dict[str, str]:
    """Return the cells of verdict, counts and evidence of one claim."""
    parts, evidence = asserted(claim), found.evidence()
    ours, printed = found.counts("holds"), found.counts("print_holds")
    decided = printed if parts == ["print"] else ours
    if not evidence:
        raise ValueError(f"{claim['id']}: its test gives no evidence; add cases or a note")
    for counts in filter(None, (ours, printed)):
        if len(counts) != len(parts):
            raise ValueError(
                f"{claim['id']} asserts {len(parts)} part(s), its test counts {len(counts)}"
            )
    if not decided and parts != ["authors"]:
        raise ValueError(f"{claim['id']}: its test counts no case that decides it")
    return {
        "verdict": verdict(parts, decided) or NOT_TESTABLE,
        "ours": "; ".join(map(str, ours)),
        "print_verdict": verdict(parts, printed),
        "print": "; ".join(map(str, printed)),
        "evidence": evidence,
        "value": found.value,
        "artefact": found.artefact,
    }


def verdict(parts: Sequence[str], counts: Sequence[Count]) -> str:
    """Return the verdict on a claim from quantifiers and counts of its parts; empty without any."""
    return whole([*map(grade, parts, counts)]) if counts else ""
