"""Step `diff`: list the differences between two runs, or between the record and a run, by kind.

A run is a folder such as ``results/full``. A record, such as ``data/record/full``, holds the
verdicts, claims and tests of a run, and a digest of every table and every group of label vectors.
Measured times and memory may differ from run to run; nothing else may.
"""

import hashlib
import io
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replication.errors import UserError
from replication.files import read_raw, rows_text, write_rows
from replication.judge.claims import OURS_COLUMNS
from replication.plan.plan import Plan
from replication.plan.steps import FILES
from replication.run.labels import COLUMNS, each_labels
from replication.run.records import record_rows

TIME, ROUNDING, NOISE, NUMBER, WORD, FILE = "time", "rounding", "noise", "number", "word", "file"
KINDS = {
    TIME: "measured on this machine",
    ROUNDING: "differs by less than a billionth",
    NOISE: "within the deviation or range of the first",
    NUMBER: "another number",
    WORD: "another verdict or text",
    FILE: "missing, new, or with other rows",
}
NOISY = {
    "reproduced": (("sd",), ("spread_min", "spread_max")),
    "mean": (("sd",), ("low", "high")),
    "fscore": (("sd", "standard_error"), ()),
}
"""Columns of repeated results, each with the columns of its deviation and of its range."""
VERDICTS, CLAIMS, TESTS, DIGESTS = PARTS = ("verdicts", "claims", "tests", "digests")
"""Files of a record."""
DIGEST_COLUMNS = ("of", "paper", "name", "rows", "sha256")
Change = tuple[str, str, str, str]
"""One of `KINDS`, row and column, both cells."""
_ROUNDING = 1e-9

Rules = Sequence[Mapping[str, Any]]
"""Measured cells: their ``columns``, and ``where`` if not in every row."""


@dataclass(frozen=True)
class Run:
    """Tables of `PARTS` with texts as cells, and the folder of the figures (None for a record)."""

    parts: Mapping[str, pd.DataFrame]
    figures: Path | None

    def of(self, part: str, paper: str) -> pd.DataFrame:
        """Rows of one paper."""
        return self.parts[part][self.parts[part]["paper"] == paper]


def run(first: Path, second: Path, /, record: bool = False) -> int:
    """Compare two folders, each a run or a record. With --record, write the second into the first.

    The exit code is 0 if only measured times differ, else 1.
    """
    # the runs have checked the configuration
    catalog = Plan.of_effort(Path(), "full", check=False)
    other = read(second, catalog)
    if record:
        write_record(first, other, catalog)
        return 0
    one, counts = read(first, catalog), Counter[str]()
    for name, found in compare(one, other, catalog):
        for kind, place, *cells in found:
            short = (cell if len(cell) <= 60 else f"{cell[:57]}..." for cell in cells)
            print(f"{name}: {kind}: {place}: {' -> '.join(short)}")
            counts[kind] += 1
    for line in summary(one, other):
        print(line)
    if set(counts) <= {TIME}:
        print(f"{second} matches {first}{'; only timings differ' if counts else ''}")
        return 0
    counted = ", ".join(f"{n} {kind} ({KINDS[kind]})" for kind, n in sorted(counts.items()))
    print(f"{second} differs from {first}: {counted}")
    return 1


def read(folder: Path, catalog: Plan) -> Run:
    """Read a run or a record.

    Raises `UserError` if the folder holds neither.
    """
    if (folder / f"{DIGESTS}.csv").is_file():
        return Run({part: read_raw(folder / f"{part}.csv") for part in PARTS}, None)
    roots = {"results": folder, "figures": folder / "figures"}
    if not roots["figures"].is_dir():
        roots["figures"] = folder.parent.parent / catalog.config["roots"]["figures"]
    if not Path(FILES["ledger"].format(**roots)).is_file():
        raise UserError(
            f"{folder}: there is no ledger in this folder; run `make reproduce`, or name another "
            "run"
        )
    tests = [Path(FILES["tests"].format(**roots, paper=paper)) for paper in catalog.papers]
    rows = [row for path in tests if path.is_file() for row in record_rows(path)]
    digests = [
        _of_table(catalog, ids)
        for paper in catalog.papers
        for artefact in catalog.artefacts(paper)
        for ids in [{**roots, "paper": paper, "artefact": artefact}]
        # a committed table without verdicts is not of this run
        if all(Path(FILES[name].format(**ids)).is_file() for name in ("verdicts", "table"))
    ]
    columns = dict.fromkeys(["paper", *(name for row in rows for name in row)])
    parts = {
        VERDICTS: read_raw(Path(FILES["ledger"].format(**roots))),
        CLAIMS: read_raw(Path(FILES["ledger_claims"].format(**roots))),
        TESTS: _texts(rows_text(list(columns), rows)),
        DIGESTS: pd.DataFrame([*digests, *_of_labels(folder / "labels")], columns=DIGEST_COLUMNS),
    }
    return Run(parts, roots["figures"])


def _texts(content: str) -> pd.DataFrame:
    """Return the table in the text of a CSV file, with texts as cells."""
    return pd.read_csv(io.StringIO(content), dtype=str, na_filter=False)


def _of_table(catalog: Plan, ids: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the row of `DIGEST_COLUMNS` of a table, without its measured cells."""
    paper, artefact = ids["paper"], ids["artefact"]
    frame = read_raw(Path(FILES["table"].format(**ids)))
    rows = stable(frame, measured_cells(catalog, paper, DIGESTS, artefact)).to_dict("records")
    text = rows_text(list(frame) if rows else (), rows)
    return "table", paper, artefact, str(len(rows)), hashlib.sha256(text.encode()).hexdigest()


def _of_labels(folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield a row of `DIGEST_COLUMNS` per paper, job and data set, for any division into files."""
    groups = defaultdict[tuple[str, str], set[bytes]](set)
    for path in folder.rglob("*.parquet"):
        for key, labels in each_labels(path):
            of = dict(zip(COLUMNS, key, strict=False))
            text = repr(key).encode() + labels.astype("<i4").tobytes()
            group = groups[str(of["paper"]), f"{of['job']} {of['dataset']}".strip()]
            group.add(hashlib.sha256(text).digest())
    for name, rows in sorted(groups.items()):
        yield "labels", *name, str(len(rows)), hashlib.sha256(b"".join(sorted(rows))).hexdigest()


def write_record(folder: Path, run: Run, catalog: Plan) -> None:
    """Write a run as a record, without its measured cells."""
    for part, frame in run.parts.items():
        for paper in frame["paper"].unique():
            own = frame["paper"] == paper
            frame[own] = stable(frame[own], measured_cells(catalog, paper, part))
        path = folder / f"{part}.csv"
        write_rows(path, list(frame), frame.to_dict("records"))
        print(f"{path}: {len(frame)} rows")


def measured_cells(catalog: Plan, paper: str, part: str, artefact: str = "") -> Rules:
    """Return the measured cells of a part of a record, or of a table, as `config/papers` says."""
    measured = catalog.papers[paper].get("measured", {})
    tables = measured.get("tables", {})
    return {
        CLAIMS: [{"columns": OURS_COLUMNS, "where": {"id": measured.get("claims", [])}}],
        VERDICTS: [
            {**rule, "where": {**rule.get("where", {}), "artefact": [name]}}
            for name, rules in tables.items()
            for rule in rules
        ],
        DIGESTS: tables.get(artefact, []),
    }.get(part, [])


def stable(frame: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Return a table with its measured cells empty."""
    return frame.mask(_measured(frame, rules), "")


def _measured(frame: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Return a table of booleans that is True in measured cells."""
    found = pd.DataFrame(False, index=frame.index, columns=frame.columns)
    for rule in rules:
        rows = np.ones(len(frame), dtype=bool)
        for key, values in rule.get("where", {}).items():
            rows &= frame.reindex(columns=[key])[key].isin(values)
        found.loc[rows, found.columns.isin(rule["columns"])] = True
    return found


def compare(one: Run, other: Run, catalog: Plan) -> Iterator[tuple[str, list[Change]]]:
    """Yield the name of each part that both runs have, and the cells in which it differs."""
    papers = [set(run.parts[DIGESTS]["paper"]) for run in (one, other)]
    for paper in (name for name in catalog.papers if all(name in known for known in papers)):
        for part in (VERDICTS, CLAIMS, TESTS):
            rules = measured_cells(catalog, paper, part)
            yield f"{part} of {paper}", changes(one.of(part, paper), other.of(part, paper), rules)
        both = one.of(DIGESTS, paper).merge(
            other.of(DIGESTS, paper), on=["of", "paper", "name"], how="outer"
        )
        for row in both[both["sha256_x"] != both["sha256_y"]].fillna("").itertuples():
            if not row.sha256_x or not row.sha256_y:
                there = ("there", "missing") if row.sha256_x else ("missing", "there")
                found = [(FILE, "digest", *there)]
            elif row.of == "labels":
                found = [(NUMBER, "label vectors", f"{row.rows_x} rows", f"{row.rows_y} rows")]
            else:
                found = _cells(one, other, paper, row.name, catalog)
            yield f"{row.of} {row.name} of {paper}", found


def _cells(one: Run, other: Run, paper: str, artefact: str, catalog: Plan) -> list[Change]:
    """Return the cells in which a table differs, for a record from those of the last commit."""

    def table(run: Run) -> pd.DataFrame:
        figures = run.figures or one.figures or other.figures
        path = FILES["table"].format(figures=figures, paper=paper, artefact=artefact)
        if run.figures:
            return read_raw(Path(path))
        # a name of this project, and no shell
        words = ["git", "show", f"HEAD:./{path}"]
        shown = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
        return _texts(shown.stdout or "none\n")

    sides = table(one), table(other)
    found = changes(*sides, measured_cells(catalog, paper, DIGESTS, artefact))
    found = [change for change in found if change[0] != TIME]
    if not found or any(side.empty for side in sides):
        return [(FILE, "content", "one", "another")]
    return found


def changes(one: pd.DataFrame, other: pd.DataFrame, rules: Rules) -> list[Change]:
    """Return the cells in which two tables differ.

    Rows are matched by ``id`` and ``reading`` if they have them, otherwise by position.
    """
    first, second = _keyed(one), _keyed(other)
    found = [
        *((FILE, key, "a row", "no such row") for key in first.index.difference(second.index)),
        *((FILE, key, "no such row", "a row") for key in second.index.difference(first.index)),
    ]
    shared = first.index.intersection(second.index)
    first, second = first.loc[shared].align(second.loc[shared], axis=1, fill_value="")
    before, after = (
        side.apply(pd.to_numeric, errors="coerce").astype(float) for side in (first, second)
    )
    moved = (first != second) & ~(before == after)
    near = _near(before, after)
    noisy = moved[near.columns]
    kinds = pd.DataFrame(NUMBER, index=first.index, columns=first.columns)
    # the deviation of a result moves with it
    kinds[noisy.any(axis=1) & (near | ~noisy).all(axis=1)] = NOISE
    kinds = kinds.mask((after - before).abs() <= _ROUNDING * before.abs().clip(lower=1), ROUNDING)
    kinds = kinds.mask((after + before).isna(), WORD).mask(_measured(first, rules), TIME)
    moved &= (kinds != TIME) | (first != "") & (second != "")  # a record has no measured cells
    for i, j in np.argwhere(moved):
        place = shared[i] if "id" in first else f"{shared[i]} ({first.iloc[i, 0]})"
        cells = first.iloc[i, j], second.iloc[i, j]
        found.append((kinds.iloc[i, j], f"{place}: {first.columns[j]}", *cells))
    return found


def _near(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Return whether results of `NOISY` moved within their deviation or stay in their range."""
    near = pd.DataFrame(index=before.index)
    for name in before.columns.intersection(list(NOISY)):
        deviations, ends = NOISY[name]
        known = before.reindex(columns=[*deviations, *ends])
        step = (after[name] - before[name]).abs()
        near[name] = known[list(deviations)].ge(step, axis=0).any(axis=1)
        if ends:
            near[name] |= after[name].between(known[ends[0]], known[ends[1]])
    return near


def _keyed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose index names its rows: their id and reading, or else their position."""
    keys = frame.columns.intersection(["id", "reading"])
    if "id" in keys and not frame.duplicated(keys).any():
        return frame.set_axis([" ".join(key).strip() for key in frame[keys].to_numpy()])
    return frame.set_axis([f"row {i + 1}" for i in range(len(frame))])


def summary(one: Run, other: Run) -> Iterator[str]:
    """Yield how many numbers moved, towards print or away from it, and which verdicts changed."""
    numbers = one.parts[VERDICTS].merge(other.parts[VERDICTS], on=["id", "reading"])
    first, second = (
        pd.to_numeric(numbers[f"difference_{side}"], errors="coerce").abs() for side in "xy"
    )
    nearer, farther = (first > second).sum(), (first < second).sum()
    if nearer + farther:
        yield f"{nearer + farther} numbers moved: {nearer} nearer to print, {farther} farther"
    claims = one.parts[CLAIMS].merge(other.parts[CLAIMS], on="id")
    for said, both in (("numbers", numbers), ("claims", claims)):
        turned = both[(both["verdict_x"] != "") & (both["verdict_x"] != both["verdict_y"])]
        pairs = (turned["verdict_x"] + " -> " + turned["verdict_y"]).value_counts()
        if counted := ", ".join(f"{n} {change}" for change, n in pairs.items()):
            yield f"verdicts on {said} that changed: {counted}"
