"""Step `explain`: where one number is from, from the print to the downloaded file.

Nothing is computed: the plan says which files a verdict was made of, and which those. Each step of
the chain is shown with its file and hash, the digest of its code, its parameters, the lines of the
configuration and of the source that stand behind it, and the command that makes it again.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from replication.errors import UserError, remedy
from replication.files import read_json, read_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.plan.catalog import Catalog
from replication.plan.chain import (
    Made,
    claim_test,
    configured,
    maker,
    product,
    programmed,
    sources,
)
from replication.plan.judging import artefact_inputs, claims_records, published
from replication.plan.layout import NO_DATASET, PUBLISHED

_ROLES = {
    "claims": "claims",
    "table": "table",
    "tests": "records",
    "trials": "records",
    "experiment": "records",
    "clustering": "records",
    "timing": "records",
    "similarity": "similarity",
    "discretize": "coded data",
    "prepare": "prepared table",
    "download": "source",
}
_LABELS = {"trials": "trial_labels", "clustering": "experiment_labels"}
_GIVEN = "given"
_SHOWN = 4
_LONG = 360


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("paper", help="id of the paper")
    parser.add_argument("number", help="id of a printed number or of a claim")
    parser.add_argument("--effort", default="full", help="effort of the run (default: full)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    try:
        # The run has checked the configuration, and a check takes longer than all of the rest.
        catalog = Catalog.of_effort(Path(), args.effort, check=False)
        lines = list(explain(catalog, args.paper, args.number))
    except UserError:
        raise
    except Exception:
        # A mistake in it, made since then, has a message.
        Catalog.of_effort(Path(), args.effort)
        raise
    print("\n".join(lines))
    return 0


def explain(catalog: Catalog, paper: str, number: str) -> Iterator[str]:
    """Lines of the chain behind one printed number or claim.

    Parameters
    ----------
    catalog : Catalog
        The configuration of the run in question.
    paper : str
        Its paper.
    number : str
        Id of a row of ``data/published``.

    Yields
    ------
    str

    Raises
    ------
    UserError
        If there is no such number.
    """
    if paper not in catalog.papers:
        raise UserError(f"unknown paper {paper!r}; {remedy(paper, catalog.papers)}")
    file, line, cell = _printed(catalog, paper, number)
    claim = "claim" in cell
    said = cell["claim"] if claim else f"{cell['metric']} {cell['printed'] or cell['value']}"
    about = [cell[name] for name in ("artefact", "dataset", "method", "where") if cell.get(name)]
    yield _line("number", f"{number}: {said} ({', '.join(about)})")
    yield _line("", f"{file}:{line}")
    if cell.get("note"):
        yield _line("", f"{cell['note']}")
    if claim:
        first, wanted = Made("claims", {"paper": paper}), _evidence(catalog, paper, number)
        target, columns = catalog.file("claims", paper=paper), CLAIM_COLUMNS
    elif cell["artefact"] in catalog.papers[paper]["artefacts"]:
        ids = {"paper": paper, "artefact": cell["artefact"]}
        first, wanted = Made("table", ids), _records(catalog, paper, cell)
        target, columns = catalog.file("verdicts", **ids), VERDICT_COLUMNS
    else:
        yield _line(
            "", "no verdict: a setting or an input of the authors, which nothing reproduces"
        )
        return
    path = catalog.root / target
    rows = (
        [row for row in read_rows(path, columns) if row["id"] == number] if path.is_file() else []
    )
    yield from _step(catalog, first, target, "verdict")
    if claim and (test := claim_test(catalog.root, paper, number)):
        yield _line("", f"source {test}")
    for row in rows:
        yield _line("", f"{_judged(row)}")
    if path.is_file() and not rows:
        yield _line("", "no verdict: not a printed result")
    yield from _below(catalog, wanted)


def _below(catalog: Catalog, wanted: Sequence[str]) -> Iterator[str]:
    """Everything below the verdict; of many jobs of one kind, the first ones."""
    jobs: dict[str, list[tuple[Made | None, str]]] = {
        role: [] for role in (*_ROLES.values(), _GIVEN)
    }
    seen: list[Made | str] = []
    waiting = list(wanted)
    for file in waiting:
        made = maker(catalog, file)
        if (made or file) in seen:
            continue
        seen.append(made or file)
        role = jobs[_ROLES[made.rule] if made else _GIVEN]
        role.append((made, product(catalog, made) if made else file))
        if made and len(role) <= _SHOWN:
            waiting += sources(catalog, made)
    for role, found in jobs.items():
        for made, file in found[:_SHOWN]:
            if made:
                yield from _step(catalog, made, file, role)
                if labels := _LABELS.get(made.rule):
                    kept = catalog.file(labels, **made.ids)
                    yield _line("labels", _with_hash(catalog.root / kept, kept))
            else:
                yield _line(role, _with_hash(catalog.root / file, file))
        if len(found) > _SHOWN:
            yield _line(role, f"{len(found) - _SHOWN} more, such as {found[_SHOWN][1]}")


def _step(catalog: Catalog, made: Made, file: str, role: str) -> Iterator[str]:
    """Lines about one job and the file that it made."""
    yield _line(role, _with_hash(catalog.root / file, file))
    if content := _content(catalog.root / file, made):
        yield _line("", f"{content}")
    yield _line("", f"rule {made.rule}, code {catalog.code(made.rule, **made.ids)}")
    for place in programmed(catalog, made):
        yield _line("", f"source {place}")
    for place in configured(catalog, made):
        yield _line("", f"configuration {place}")
    yield _line("", f"parameters {_parameters(catalog.spec(made.rule, **made.ids))}")
    yield _line("", f"again: snakemake --force {file}{_overlay(catalog)}")


def _content(path: Path, made: Made) -> str:
    """What is in the file of a job, in a few words."""
    if not path.is_file():
        return "not there: it was not part of the last run"
    if made.rule == "download":
        record = read_json(path.with_name("source.json"))
        files = ", ".join(f"{one['name']} {one['sha256']}" for one in record.get("files", []))
        return f"{record['status']}, route: {record.get('route') or 'none'}; {files}"
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as stream:
            rows = sum(1 for _ in csv.reader(stream)) - 1
        return f"{rows} rows"
    return ""


def _printed(catalog: Catalog, paper: str, number: str) -> tuple[str, int, dict[str, str]]:
    """File, line and row of a printed number or claim."""
    known: list[str] = []
    for file in [*published(catalog, paper), f"{PUBLISHED}/claims.csv"]:
        with (catalog.root / file).open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            line = reader.line_num + 1
            for row in reader:
                if row["id"] == number and row["paper"] == paper:
                    return file, line + 1, row
                line = reader.line_num
                if row["paper"] == paper:
                    known.append(row["id"])
    raise UserError(f"{paper}: there is no number or claim {number!r}; {remedy(number, known)}")


def _records(catalog: Catalog, paper: str, cell: Mapping[str, str]) -> list[str]:
    """Inputs of a table that belong to the data set and the method of a printed number."""
    records = artefact_inputs(catalog, paper, cell["artefact"])
    for key, wanted in (("dataset", cell["dataset_id"]), ("method", cell["method_id"])):
        fitting = [one for one in records if one.get(key, wanted) in (wanted, NO_DATASET)]
        # a number about several data sets, or a method that an experiment names otherwise
        if wanted and fitting:
            records = fitting
    return list(dict.fromkeys(one["file"] for one in records))


def _evidence(catalog: Catalog, paper: str, number: str) -> list[str]:
    """Files of the evidence that the verdict on a claim names; all of them before there is one."""
    records = claims_records(catalog, paper)
    path = catalog.root / catalog.file("claims", paper=paper)
    rows = read_rows(path, CLAIM_COLUMNS) if path.is_file() else []
    named = {row["artefact"] for row in rows if row["id"] == number}
    return [one["file"] for one in records if one["id"] in named or not rows]


def _judged(row: Mapping[str, str]) -> str:
    """A verdict and what it rests on, in a line."""
    if "claim" in row:
        return f"{row['verdict']}, ours {row['ours'] or 'none'}: {row['evidence']}"
    words = [f"{row['reading']}: {row['verdict']}, ours {row['reproduced'] or 'none'}"]
    words += [f"{name} {row[name]}" for name in ("sd", "setting", "difference") if row[name]]
    if row["spread_min"]:
        words.append(f"range {row['spread_min']} to {row['spread_max']}")
    if row["oracle"] == "yes":
        words.append("oracle")
    return "; ".join([", ".join(words), *([row["reason"]] if row["reason"] else [])])


def _parameters(spec: str) -> str:
    """A specification without the files it lists, cut to a few lines."""
    content: dict[str, Any] = {
        key: value for key, value in json.loads(spec).items() if key not in ("inputs", "files")
    }
    parts = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in content.items()]
    text = ", ".join(sorted(parts, key=len))  # short ones first: the end may be cut off
    return text if len(text) <= _LONG else f"{text[:_LONG]}... ({len(text)} characters)"


def _line(role: str, text: str) -> str:
    return f"{role:<15}{text}"


def _with_hash(path: Path, file: str) -> str:
    if not path.is_file():
        return file
    return f"{file}  sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}"


def _overlay(catalog: Catalog) -> str:
    effort = catalog.config["effort"]
    overlay = f"config/{effort}.yaml"
    return f" --configfile {overlay}" if (catalog.root / overlay).is_file() else ""
