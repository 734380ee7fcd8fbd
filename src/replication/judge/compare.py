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
from replication.plan.layout import FILES
from replication.plan.plan import Plan
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
CHANGE_COLUMNS = ("kind", "place", "one", "other")
"""Columns of a change: one of `KINDS`, row and column, both cells."""
_MEASURED_OF_A_CLAIM = ("verdict", "ours", "evidence", "value", "readings", "under", "other_form")
_KEYS = ("id", "reading")
_ROUNDING = 1e-9
_SHOWN = 8

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
        counts.update(found["kind"])
        for line in lines(found):
            print(f"{name}: {line}")
    for line in summary(one, other):
        print(line)
    if set(counts) <= {TIME}:
        print(f"{second} matches {first}{'; only timings differ' if counts else ''}")
        return 0
    counted = ", ".join(f"{n} {kind} ({KINDS[kind]})" for kind, n in sorted(counts.items()))
    print(f"{second} differs from {first}: {counted}")
    return 1


# --- runs and records -----------------------------------------------------------------------------


def read(folder: Path, catalog: Plan) -> Run:
    """Read a run or a record.

    Raises
    ------
    UserError
        If the folder holds neither.
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
    """Yield a row of `DIGEST_COLUMNS` for the label vectors of each paper, job and data set.

    It does not depend on the files into which the vectors are divided.
    """
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
        CLAIMS: [{"columns": _MEASURED_OF_A_CLAIM, "where": {"id": measured.get("claims", [])}}],
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


# --- the comparison -------------------------------------------------------------------------------


def compare(one: Run, other: Run, catalog: Plan) -> Iterator[tuple[str, pd.DataFrame]]:
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
            sides = [row.sha256_x, row.sha256_y]
            if not all(sides):
                there = ["there" if digest else "missing" for digest in sides]
                found = _change(FILE, "digest", *there)
            elif row.of == "labels":
                found = _change(NUMBER, "label vectors", f"{row.rows_x} rows", f"{row.rows_y} rows")
            else:
                found = _cells(one, other, paper, row.name, catalog)
            yield f"{row.of} {row.name} of {paper}", found


def _change(*cells: str) -> pd.DataFrame:
    return pd.DataFrame([cells], columns=CHANGE_COLUMNS)


def _cells(one: Run, other: Run, paper: str, artefact: str, catalog: Plan) -> pd.DataFrame:
    """Return the cells in which a table differs; the file if the cells do not show it.

    A record has only digests of its tables; their cells are those of the last commit.
    """

    def table(run: Run, figures: Path | None) -> pd.DataFrame:
        path = FILES["table"].format(figures=figures, paper=paper, artefact=artefact)
        if run.figures:
            return read_raw(Path(path))
        # a name of this project, and no shell
        words = ["git", "show", f"HEAD:./{path}"]
        shown = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
        return _texts(shown.stdout or "none\n")

    figures = one.figures or other.figures
    sides = table(one, figures), table(other, other.figures or figures)
    found = changes(*sides, measured_cells(catalog, paper, DIGESTS, artefact))
    found = found[found["kind"] != TIME]
    if found.empty or any(side.empty for side in sides):
        return _change(FILE, "content", "one", "another")
    return found


def changes(one: pd.DataFrame, other: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Return the cells in which two tables differ, by `CHANGE_COLUMNS`.

    Rows are matched by ``id`` and ``reading`` if they have them, otherwise by position.
    """
    sides = _keyed(one), _keyed(other)
    found = [
        (FILE, _named(row), *said)
        for (first, second), said in (
            (sides, ("a row", "no such row")),
            (sides[::-1], ("no such row", "a row")),
        )
        for _, row in first[~first.index.isin(second.index)].iterrows()
    ]
    shared = sides[0].index[sides[0].index.isin(sides[1].index)]
    columns = sides[0].columns.union(sides[1].columns, sort=False)
    first, second = (
        side.loc[shared].reindex(columns=columns, fill_value="").reset_index(drop=True)
        for side in sides
    )
    measured = _measured(first, rules)
    differ = (first != second) & ~(first.apply(_numbers) == second.apply(_numbers))
    for i in differ.index[differ.any(axis=1)]:
        row, now, names = first.loc[i], second.loc[i], columns[differ.loc[i]]
        # the deviation of a result moves with it
        noisy = [_noise(row, now, name) for name in names.intersection(list(NOISY))]
        follows = NOISE if noisy and all(noisy) else NUMBER
        for name in names:
            x, y = _numbers(pd.Series([row[name], now[name]]))
            close = abs(x - y) <= _ROUNDING * max(1.0, abs(x))
            kind = WORD if np.isnan(x + y) else ROUNDING if close else follows
            kind = TIME if measured.loc[i, name] else kind
            if kind != TIME or (row[name] and now[name]):  # a record has no measured cells
                found.append((kind, f"{_named(row)}: {name}", row[name], now[name]))
    return pd.DataFrame(found, columns=CHANGE_COLUMNS)


def _numbers(cells: pd.Series) -> pd.Series:
    """Return the numbers in a column of texts; NaN for other texts."""
    return pd.to_numeric(cells, errors="coerce")


def _noise(row: pd.Series, now: pd.Series, name: str) -> bool:
    """Return whether a result moved by no more than its deviation, or stayed in its range."""
    deviations, ends = NOISY[name]
    before, (after,) = _numbers(row.reindex([name, *deviations, *ends])), _numbers(now[[name]])
    near = (abs(after - before[name]) <= before[list(deviations)]).any()
    return bool(near or (ends and before[ends[0]] <= after <= before[ends[1]]))


def _keyed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the keys of its rows as index, if it has any."""
    keys = [name for name in _KEYS if name in frame]
    if "id" in keys and not frame.duplicated(keys).any():
        return frame.set_index(keys, drop=False)
    return frame.reset_index(drop=True)


def _named(row: pd.Series) -> str:
    """Return the id of a row; without one, its first three cells that are not results."""
    if "id" in row:
        return " ".join(row[name] for name in _KEYS if row.get(name))
    results = row.str.contains(".", regex=False) & _numbers(row).notna()
    return ", ".join(map(_short, row[(row != "") & ~results][:3])) or "row"


# --- messages -------------------------------------------------------------------------------------


def lines(found: pd.DataFrame) -> Iterator[str]:
    """Yield a line for each of the first changes of each kind: verdicts, then by relative size."""
    sides = found[["one", "other"]].apply(_numbers)
    by = sides["other"] - sides["one"]
    found = found.assign(
        by=by,
        size=-(by.abs() / sides.abs().max(axis=1)).fillna(np.inf),
        last=~found["place"].str.endswith("verdict"),
    ).sort_values(["last", "size"], kind="stable")
    for kind, of_kind in found.groupby(pd.Categorical(found["kind"], KINDS), observed=True):
        for row in of_kind[:_SHOWN].itertuples():
            moved = "" if np.isnan(row.by) else f" ({row.by:+.3g})"
            yield f"{kind}: {row.place}: {_short(row.one)} -> {_short(row.other)}{moved}"
        if len(of_kind) > _SHOWN:
            yield f"{kind}: {len(of_kind) - _SHOWN} more"


def summary(one: Run, other: Run) -> Iterator[str]:
    """Yield how many numbers moved, towards print or away from it, and which verdicts changed."""
    for part, said in ((VERDICTS, "numbers"), (CLAIMS, "claims")):
        keys = [name for name in _KEYS if name in one.parts[part]]
        both = one.parts[part].merge(other.parts[part], on=keys)
        if "difference_x" in both:
            steps = _numbers(both["difference_x"]).abs() - _numbers(both["difference_y"]).abs()
            nearer, farther = (steps > 0).sum(), (steps < 0).sum()
            if total := nearer + farther:
                yield f"{total} {said} moved: {nearer} nearer to print, {farther} farther"
        turned = both[(both["verdict_x"] != "") & (both["verdict_x"] != both["verdict_y"])]
        pairs = (turned["verdict_x"] + " -> " + turned["verdict_y"]).value_counts()
        if counted := ", ".join(f"{n} {change}" for change, n in pairs.items()):
            yield f"verdicts on {said} that changed: {counted}"


def _short(cell: str) -> str:
    return cell if len(cell) <= 60 else f"{cell[:57]}..."
