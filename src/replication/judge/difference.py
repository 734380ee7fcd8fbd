"""Step `diff`: which verdicts and claims another run moved, and by how much, as Markdown."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from replication.errors import UserError
from replication.files import read_rows, write_text
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import CLAIM_VERDICTS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.verdicts import MARKS, VERDICTS, parse_printed
from replication.steps import setting_text

Row = Mapping[str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("before", type=Path, help="folder of a run, or of its ledger")
    parser.add_argument("after", type=Path, help="folder of another run, or of its ledger")
    parser.add_argument("--question", type=Path, help="file of changes that the other run tried")
    parser.add_argument("--output", type=Path, help="comparison (Markdown); else it is printed")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    difference = compare(*(read_ledger(folder) for folder in (args.before, args.after)))
    # a run is called by its folder, whichever of the two was named
    names = [one.parent if one.name == "ledger" else one for one in (args.before, args.after)]
    text = page(
        difference,
        *map(str, names),
        args.question.read_text(encoding="utf-8") if args.question else "",
    )
    if args.output:
        write_text(args.output, text)
    else:
        print(text, end="")
    return 0


@dataclass(frozen=True)
class Ledger:
    """Verdicts and claims of one run, in the order of the papers."""

    verdicts: list[dict[str, str]]
    claims: list[dict[str, str]]


@dataclass(frozen=True)
class Move:
    """One printed number under one reading, in two runs.

    Attributes
    ----------
    before, after : mapping
        Its rows of the ledgers.
    """

    before: Row
    after: Row

    @property
    def verdict_changed(self) -> bool:
        """Whether the verdict is another one."""
        return self.before["verdict"] != self.after["verdict"]

    @property
    def by(self) -> float | None:
        """By how much our number moved; None if one run has none."""
        if not (self.before["reproduced"] and self.after["reproduced"]):
            return None
        return float(self.after["reproduced"]) - float(self.before["reproduced"])

    @property
    def nearer(self) -> float | None:
        """By how much our number came nearer to print; negative if it went away."""
        if not (self.before["difference"] and self.after["difference"]):
            return None
        return abs(float(self.before["difference"])) - abs(float(self.after["difference"]))


@dataclass(frozen=True)
class Difference:
    """What differs between two runs.

    Attributes
    ----------
    before, after : Ledger
        The runs.
    moves : list of Move
        Numbers that moved or changed their verdict, in the order of the first ledger.
    claims : list of tuple of mapping
        Claims whose verdict or count changed: before and after.
    gained, lost : int
        Numbers that only the second or only the first run has.
    """

    before: Ledger
    after: Ledger
    moves: list[Move]
    claims: list[tuple[Row, Row]]
    gained: int
    lost: int


def read_ledger(folder: Path) -> Ledger:
    """Ledger of a run.

    Parameters
    ----------
    folder : Path
        Such as ``results/full``, or its folder ``ledger``.

    Raises
    ------
    UserError
        If there is none.
    """
    place = folder / "ledger" if (folder / "ledger").is_dir() else folder
    if not (place / "verdicts.csv").is_file():
        raise UserError(f"{folder}: holds no ledger; run the workflow first, or name another run")
    return Ledger(
        read_rows(place / "verdicts.csv", VERDICT_COLUMNS),
        read_rows(place / "claims.csv", CLAIM_COLUMNS),
    )


def compare(before: Ledger, after: Ledger) -> Difference:
    """Numbers and claims that two runs have in common and that differ."""
    new = {_key(row): row for row in after.verdicts}
    known = {_key(row) for row in before.verdicts}
    pairs = [Move(row, new[_key(row)]) for row in before.verdicts if _key(row) in new]
    claims = {claim["id"]: claim for claim in after.claims}
    both = [(claim, claims[claim["id"]]) for claim in before.claims if claim["id"] in claims]
    return Difference(
        before,
        after,
        [
            move
            for move in pairs
            if move.verdict_changed or move.before["reproduced"] != move.after["reproduced"]
        ],
        [
            (old, now)
            for old, now in both
            if (old["verdict"], old["ours"]) != (now["verdict"], now["ours"])
        ],
        gained=sum(key not in known for key in new),
        lost=sum(key not in new for key in known),
    )


def _key(row: Row) -> tuple[str, str]:
    return row["id"], row["reading"]


# --- the page -------------------------------------------------------------------------------------


def page(difference: Difference, before: str, after: str, question: str = "") -> str:
    """Comparison of two runs as Markdown.

    Parameters
    ----------
    difference : Difference
        What `compare` found.
    before, after : str
        Names of the runs.
    question : str
        Text of the file of changes behind the second run; empty if there is none.
    """
    moves, claims = difference.moves, difference.claims
    changed = [move for move in moves if move.verdict_changed]
    parts = [
        f"# {before} and {after}",
        *(["What was changed:", f"```yaml\n{question.strip()}\n```"] if question else []),
        _summary(difference),
        _counts(difference),
    ]
    if changed:
        parts += ["## Verdicts that changed", *_changed(changed)]
    if moves:
        parts += ["## Numbers that moved", _moved(moves)]
    if claims:
        parts += ["## Claims that changed", _claims(claims)]
    return "\n\n".join(parts) + "\n"


def _summary(difference: Difference) -> str:
    """What to see, in a few sentences."""
    moves = difference.moves
    if not moves and not difference.claims:
        return "Nothing moved: every number, verdict and claim is the same."
    changed = [move for move in moves if move.verdict_changed]
    nearer = [move.nearer for move in moves if move.nearer is not None]
    kept = Counter(
        old["verdict"] != now["verdict"] for old, now in difference.claims
    )  # by whether the verdict changed
    text = (
        f"{_many(len(moves), 'number')} of {len(difference.before.verdicts)} moved, "
        f"{sum(one > 0 for one in nearer)} nearer to print and {sum(one < 0 for one in nearer)} "
        f"farther; {_many(len(changed), 'verdict')} changed. "
        f"{_many(kept[True], 'claim')} of {len(difference.before.claims)} changed the verdict, "
        f"{kept[False]} more the count behind it."
    )
    if difference.gained or difference.lost:
        text += (
            f" The runs do not hold the same numbers: {difference.lost} are in the first only, "
            f"{difference.gained} in the second only."
        )
    return text


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _counts(difference: Difference) -> str:
    """Verdicts per paper and reading of what moved, in both runs."""
    touched = dict.fromkeys((m.before["paper"], m.before["reading"]) for m in difference.moves)
    tallies = [
        Counter((row["paper"], row["reading"], row["verdict"]) for row in one.verdicts)
        for one in (difference.before, difference.after)
    ]
    rows = [
        [
            paper,
            reading,
            *(_arrow(*(t[paper, reading, name] for t in tallies)) for name in VERDICTS),
        ]
        for paper, reading in touched
    ]
    papers = dict.fromkeys(old["paper"] for old, _ in difference.claims)
    said = [
        Counter((claim["paper"], claim["verdict"]) for claim in one.claims)
        for one in (difference.before, difference.after)
    ]
    claims = [
        [paper, *(_arrow(*(one[paper, name] for one in said)) for name in CLAIM_VERDICTS)]
        for paper in papers
    ]
    tables = []
    if rows:
        tables.append(_table(["paper", "reading", *VERDICTS], rows))
    if claims:
        tables.append(_table(["claims of", *CLAIM_VERDICTS], claims))
    return "\n\n".join(tables)


def _arrow(before: object, after: object) -> str:
    return str(before) if before == after else f"{before} → {after}"


def _changed(moves: Sequence[Move]) -> list[str]:
    """One table per paper of the verdicts that changed, in the order of the artefacts."""
    parts = []
    for paper in dict.fromkeys(move.before["paper"] for move in moves):
        rows = [
            [
                move.before["artefact"],
                move.before["dataset"],
                move.before["method"],
                move.before["metric"],
                move.before["reading"],
                move.before["printed"],
                _number(move, move.before),
                _number(move, move.after),
                f"{_verdict(move.before)} → {_verdict(move.after)}",
            ]
            for move in moves
            if move.before["paper"] == paper
        ]
        heads = ["artefact", "data", "method", "number", "reading", "printed", "before", "after"]
        parts += [f"### {paper}", _table([*heads, "verdict"], rows)]
    return parts


def _verdict(row: Row) -> str:
    return f"{MARKS[row['verdict']]} {row['verdict']}"


def _number(move: Move, row: Row) -> str:
    """Our number with two digits more than are printed, in the printed unit."""
    if not row["reproduced"]:
        return ""
    printed = parse_printed(move.before["printed"])
    value = float(row["reproduced"])
    if printed is None or printed.digits is None:
        return setting_text(value)
    unit = "%" if printed.scale == 100 else ""
    return f"{value * printed.scale:.{printed.digits + 2}f}{unit}"


def _moved(moves: Sequence[Move]) -> str:
    """How far the numbers of each artefact moved, and whether towards print."""
    groups: dict[tuple[str, str, str], list[Move]] = {}
    for move in moves:
        one = move.before
        groups.setdefault((one["paper"], one["artefact"], one["reading"]), []).append(move)
    rows = []
    for key, some in groups.items():
        steps = [(abs(move.by), move) for move in some if move.by is not None]
        nearer = [move.nearer for move in some if move.nearer is not None]
        cells = ["", "", ""]
        if steps:
            largest, move = max(steps, key=lambda step: step[0])
            names = (move.before["dataset"], move.before["method"], move.before["metric"])
            mean = sum(size for size, _ in steps) / len(steps)
            cells = [f"{mean:.4g}", f"{largest:.4g}", ", ".join(filter(None, names))]
        rows.append(
            [
                *key,
                str(len(some)),
                str(sum(move.verdict_changed for move in some)),
                str(sum(one > 0 for one in nearer)),
                str(sum(one < 0 for one in nearer)),
                *cells,
            ]
        )
    heads = ["paper", "artefact", "reading", "moved", "new verdict", "nearer", "farther"]
    return _table([*heads, "mean move", "largest", "where"], rows)


def _claims(claims: Iterable[tuple[Row, Row]]) -> str:
    return _table(
        ["claim", "where", "it says", "verdict", "cases that bear it out"],
        [
            [
                old["id"],
                old["where"],
                old["claim"],
                _arrow(old["verdict"], now["verdict"]),
                _arrow(old["ours"], now["ours"]),
            ]
            for old, now in claims
        ],
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")
