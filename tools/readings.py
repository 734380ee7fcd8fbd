"""Count printed numbers that each reading makes exact: readings.py [reading ...] [--output file].

The program needs a finished full run. For each reading whose reconciled answer is not the literal
one, it asks what if the answer were the literal one, all other readings as they are. Outputs of the
full run whose jobs are specified alike are linked into the folder of that question, and Snakemake
makes what is missing and what follows from it. A number that is printed several times counts once.
Jobs that measure time, and data sets that are random samples that were never published or generated
tables, are left as they are, because none of their numbers can be exact. Row orders, which change
the spread of a number only, are fewer than in the full run.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from replication import processor
from replication.files import read_rows, write_json, write_rows
from replication.judge.chance import ALL, base_rates
from replication.judge.verdicts import EXACT
from replication.plan import outputs
from replication.plan.components import RECONCILED
from replication.plan.configuration import read_yaml
from replication.plan.lineage import Job, files_of, inputs_of, job_of
from replication.plan.plan import Plan
from replication.plan.readings import RECORD

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path("results/readings")
"""Folder of the questions."""
WHOLE = "all"
"""In place of an artefact: all numbers of the paper."""
COLUMNS = ("reading", "paper", "artefact", "reconciled", "literal", "pairs", "equal")
"""Exact numbers under both answers; mismatched pairs, and those of them that are exact."""
AGAIN = ("discretize", "similarity", "trials", "experiment", "tests", "table")
"""Rules whose jobs are repeated."""


def main(names: list[str], output: Path) -> None:
    """Measure readings, by default all whose answers differ; write each result at once."""
    config = read_yaml(Path("config/config.yaml"), "config/config.yaml")
    whole = Plan.load(dict(config), Path())
    limits = {"row_orders": 2, "samples": 2, "datasets": kept(whole)}
    config["limits"] |= limits
    write_json(FOLDER / "limits.yaml", {"limits": limits})
    base = Plan.load(dict(config), Path(), check=False)
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    origin = {"commit": commit.strip(), "date": date.today().isoformat()}
    columns = (*COLUMNS, *origin)
    rows: list[dict[str, Any]] = list(read_rows(output, columns)) if output.exists() else []
    for name, entry in base.readings.items():
        differ = entry.get("steers") != RECORD and entry["reconciled"] != entry["literal"]
        if differ and (not names or name in names):
            found = [row | origin for row in measured(base, config, name, entry["literal"])]
            rows = [row for row in rows if row["reading"] != name] + found
            rows.sort(key=lambda row: list(base.readings).index(row["reading"]))
            write_rows(output, columns, rows)


def kept(plan: Plan) -> list[str]:
    """Return the data sets that are neither random samples nor generated tables."""
    known, drawn = set(), set()
    for paper in plan.printed():
        for name, entry in plan.papers[paper]["datasets"].items():
            known.add(name)
            if not entry.keys().isdisjoint(("sample", "synthetic")):
                drawn.add(name)
    return sorted(known - drawn)


def measured(
    base: Plan, config: dict[str, Any], reading: str, answer: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a reading, with the `COLUMNS`."""
    asked = FOLDER / f"{reading.replace('.', '-').replace('_', '-')}.yaml"
    write_json(asked, {"question": reading, "readings": {reading: answer}})
    plan = Plan.load({**config, "what_if": str(asked)}, Path(), check=False)
    place = Path(plan.config["roots"]["results"])
    shutil.rmtree(place, ignore_errors=True)
    other = seed(base, plan, jobs_behind(plan))
    papers = [paper for paper in plan.printed() if any(job.ids["paper"] == paper for job in other)]
    make(verdict_files(plan, papers), asked)
    for paper in papers:
        reconciled, literal = numbers(base, paper), numbers(plan, paper)
        # data sets that were left out have the numbers that they had
        apart = ~reconciled["dataset"].isin(config["limits"]["datasets"])
        apart &= reconciled["dataset"].isin(base.papers[paper]["datasets"])
        again = literal[~literal["id"].isin(reconciled["id"][apart])]
        literal = pd.concat([again, reconciled[apart]])
        for row in gained(reconciled, literal):
            yield {"reading": reading, "paper": paper, **row}
    shutil.rmtree(place.parent)
    outputs.record(Path(), plan.config["roots"]).unlink(missing_ok=True)


def verdict_files(plan: Plan, papers: list[str]) -> list[str]:
    """Return the files of verdicts on all artefacts of papers."""
    return [
        plan.file("verdicts", paper=paper, artefact=artefact)
        for paper in papers
        for artefact in plan.artefacts(paper)
    ]


def jobs_behind(plan: Plan) -> list[Job]:
    """Return the jobs from which the verdicts follow."""
    waiting = dict.fromkeys(verdict_files(plan, plan.printed()))
    files, found = list(waiting), dict[str, Job]()
    for file in files:
        job = job_of(plan, file)
        if job and str(job) not in found:
            found[str(job)] = job
            new = [one for one in inputs_of(plan, job) if one not in waiting]
            waiting |= dict.fromkeys(new)
            files += new
    return list(found.values())


def seed(base: Plan, plan: Plan, jobs: list[Job]) -> list[Job]:
    """Link the outputs of jobs that `base` specifies alike; return the jobs that it does not."""
    roots = [one.config["roots"]["results"] for one in (base, plan)]
    other = []
    for job in jobs:
        specs = [one.spec(job.rule, **job.ids) for one in (base, plan)]
        if job.rule in AGAIN and specs[0] != specs[1].replace(roots[1], roots[0]):
            other.append(job)
            continue
        for source, target in zip(files_of(base, job), files_of(plan, job), strict=True):
            if source != target:
                link(Path(source), Path(target))
    return other


def link(source: Path, target: Path) -> None:
    """Link a file, or all files of a folder, if it exists; jobs replace files, they change none."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, copy_function=os.link)
    elif source.is_file():
        target.hardlink_to(source)


def make(targets: list[str], asked: Path) -> None:
    """Let Snakemake make files under the literal answer, by `AGAIN` alone."""
    command = [sys.executable, "-m", "snakemake", "--cores", "all", "--rerun-triggers", "mtime"]
    command += ["--configfile", str(FOLDER / "limits.yaml"), "--config", f"what_if={asked}"]
    command += ["--allowed-rules", *AGAIN, "--", *targets]
    if targets:
        subprocess.run(command, check=True)  # noqa: S603


def numbers(plan: Plan, paper: str) -> pd.DataFrame:
    """Return the reconciled verdict on each distinct printed number of a paper."""
    files = [plan.file("verdicts", paper=paper, artefact=one) for one in plan.artefacts(paper)]
    rows = pd.DataFrame([row for file in files for row in read_rows(Path(file))])
    rows = rows.assign(other=rows["reading"] != RECONCILED).sort_values("other", kind="stable")
    rows = rows.drop_duplicates("id").sort_index()
    return rows.drop_duplicates(["paper", "dataset", "method", "metric", "printed"])


def gained(reconciled: pd.DataFrame, literal: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the counts of a paper, and of each artefact whose number of exact cells differs.

    Parameters
    ----------
    reconciled, literal : DataFrame
        Verdicts on the same printed numbers, under either answer of a reading.

    Yields
    ------
    dict
        The last five `COLUMNS`, first for the `WHOLE` paper. The pairs are those of the reconciled
        answer; an artefact without mismatched pairs has those of the whole paper.
    """
    sides = {"reconciled": reconciled, "literal": literal}
    exact = pd.DataFrame(
        {
            key: rows["verdict"].eq(EXACT).groupby(rows["artefact"]).sum()
            for key, rows in sides.items()
        }
    )
    rates = base_rates(reconciled)
    rates = rates[rates["method"] == ALL].set_index("artefact")
    rates["equal"] = (rates["exact_rate"] * rates["pairs"]).astype(float).round().astype(int)
    chance = rates[["pairs", "equal"]]
    yield {"artefact": WHOLE, **exact.sum(), **chance.sum()}
    moved = exact[exact["reconciled"] != exact["literal"]]
    for artefact, row in moved.join(chance).fillna(chance.sum()).astype(int).iterrows():
        yield {"artefact": artefact, **row}


if __name__ == "__main__":
    processor.fix(sys.orig_argv)
    parser = argparse.ArgumentParser(description="Count the numbers that each reading makes exact.")
    parser.add_argument("names", nargs="*", metavar="reading", help="by default all that differ")
    parser.add_argument("--output", type=Path, default=ROOT / "data/record/readings.csv")
    main(**vars(parser.parse_args()))
