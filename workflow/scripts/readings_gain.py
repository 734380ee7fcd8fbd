"""Count the printed numbers that each reading makes exact, and write data/record/readings.csv.

    python workflow/scripts/readings_gain.py              all readings
    python workflow/scripts/readings_gain.py dilca.ward   some, the others stay as they are

The script needs a finished full run. For each reading whose reconciled answer is not the literal
one, it repeats the jobs that depend on it with the literal answer and leaves all other readings as
they are. A number that is printed several times counts once. Jobs that measure time, and jobs on
random samples that were never published, are not repeated, because none of their numbers can be
exact. Row orders, which change the spread of a number only, are fewer than in the full run.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

import pandas as pd

from replication.__main__ import main as step
from replication.files import read_rows, write_rows
from replication.judge.chance import ALL, base_rates
from replication.judge.verdicts import EXACT
from replication.plan.configuration import read_yaml
from replication.plan.lineage import Job, inputs_of, job_of
from replication.plan.plan import Plan
from replication.plan.readings import RECORD
from replication.show.rollup import first_reading

OUTPUT = Path("data/record/readings.csv")
COLUMNS = ("reading", "paper", "reconciled", "literal", "pairs", "equal", "commit", "date")
"""Exact numbers under both answers; mismatched pairs, and those of them that are exact."""
NUMBER = ["paper", "dataset", "method", "metric", "printed"]
LIMITS = {"row_orders": 2, "samples": 2}
FOLDERS = ("prepared", "tables", "similarity", "trials", "labels", "experiments", "timings")
WORDS = {
    "discretize": {"prepared": "prepared", "facts": "facts", "output": "tables"},
    "similarity": {"output": "similarity"},
    "trials": {"output": "trials", "labels": "labels"},
    "experiment": {"output": "experiments"},
    "table": {"csv": "table", "verdicts": "verdicts"},
}
"""Steps that are run again, each with its options for files that it writes."""


def jobs(plan: Plan, papers: Iterable[str]) -> dict[tuple[str, ...], Job]:
    """Return the jobs behind the verdicts of papers, each after those whose results it reads."""
    found: dict[tuple[str, ...], Job] = {}

    def visit(file: str) -> None:
        job = job_of(plan, file)
        if job and (key := (job.rule, *job.ids.values())) not in found:
            for one in inputs_of(plan, job):
                visit(one)
            found[key] = job

    for paper in papers:
        for file in verdict_files(plan, paper):
            visit(file)
    return found


def verdict_files(plan: Plan, paper: str) -> list[str]:
    """Return the files of the verdicts of a paper."""
    return [plan.file("verdicts", paper=paper, artefact=one) for one in plan.artefacts(paper)]


def specification(plan: Plan, job: Job | None) -> str:
    """Return the specification of a job, without the place of the results."""
    text = plan.spec(job.rule, **job.ids) if job else ""
    return text.replace(plan.config["roots"]["results"], "")


def sampled(plan: Plan, job: Job) -> bool:
    """Return whether a job clusters random samples, whose numbers can never be exact."""
    entry = plan.papers[job.ids["paper"]]["datasets"].get(job.ids.get("dataset"), {})
    return job.rule == "trials" and "sample" in entry


def run_again(plan: Plan, job: Job) -> None:
    """Run the step of a job."""
    words = ["--spec", plan.spec(job.rule, **job.ids)]
    if job.rule == "discretize":
        for name in ("table", "source"):
            words += [f"--{name}", *plan.inputs(job.rule, **job.ids)[name]]
    elif job.rule == "similarity":
        words += ["--tables", *plan.inputs(job.rule, **job.ids)["tables"]]
    elif job.rule == "table":
        words += ["--published", "data/published"]
    else:
        words += ["--code", plan.code(job.rule, **job.ids)]
    for option, name in WORDS[job.rule].items():
        words += [f"--{option}", plan.file(name, **job.ids)]
        shutil.rmtree(words[-1], ignore_errors=True)
    if step([job.rule, *words]):
        sys.exit(f"error: {job.rule} of {', '.join(job.ids.values())} failed, see above")


def numbers(plan: Plan, paper: str) -> pd.DataFrame:
    """Return the reconciled verdict on each printed number of a paper."""
    rows = [row for file in verdict_files(plan, paper) for row in read_rows(Path(file))]
    return first_reading(pd.DataFrame(rows)).drop_duplicates(NUMBER)


def measured(base: Plan, config: dict, reading: str, answer: str) -> list[dict[str, object]]:
    """Return a row per paper in which a reading changes anything, with its literal answer."""
    asked = Path("results/readings", f"{reading.replace('.', '-').replace('_', '-')}.yaml")
    asked.parent.mkdir(parents=True, exist_ok=True)
    asked.write_text(json.dumps({"question": reading, "readings": {reading: answer}}))
    plan = Plan.load({**config, "what_if": str(asked)}, Path())
    known, stale = jobs(base, base.printed()), dict[tuple[str, ...], Job]()
    for key, job in jobs(plan, plan.printed()).items():
        before = [job_of(plan, file) for file in inputs_of(plan, job)]
        changed = specification(base, known.get(key)) != specification(plan, job)
        follows = any(one and (one.rule, *one.ids.values()) in stale for one in before)
        if job.rule in WORDS and (changed or follows) and not sampled(plan, job):
            stale[key] = job
    papers = list(dict.fromkeys(job.ids["paper"] for job in stale.values()))
    roots = [Path(one.config["roots"]["results"]) for one in (base, plan)]
    shutil.rmtree(roots[1], ignore_errors=True)
    for place in (Path(folder, paper) for folder in (*FOLDERS, "verdicts") for paper in papers):
        if (roots[0] / place).exists():
            shutil.copytree(roots[0] / place, roots[1] / place)
    for job in stale.values():
        run_again(plan, job)
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, check=False, capture_output=True, text=True).stdout  # noqa: S603
    rows = []
    for paper in papers:
        before, after = numbers(base, paper), numbers(plan, paper)
        rates = base_rates(before)
        rates = rates[rates["method"] == ALL]
        equal = round((rates["exact_rate"] * rates["pairs"]).sum())
        counts = [(one["verdict"] == EXACT).sum() for one in (before, after)]
        values = (reading, paper, *counts, rates["pairs"].sum(), equal, commit.strip())
        rows.append(dict(zip(COLUMNS, (*values, date.today().isoformat()), strict=True)))
    shutil.rmtree(roots[1].parent)
    return rows


def main(wanted: Sequence[str]) -> None:
    """Measure the readings with these ids, or all, and write each result at once."""
    config = read_yaml(Path("config/config.yaml"), "config/config.yaml")
    config["limits"] |= LIMITS
    base = Plan.load(dict(config), Path())
    rows: list[dict] = list(read_rows(OUTPUT, COLUMNS)) if OUTPUT.exists() else []
    for reading, entry in base.readings.items():
        steers = entry.get("steers") != RECORD and entry["reconciled"] != entry["literal"]
        if steers and (not wanted or reading in wanted):
            found = measured(base, config, reading, entry["literal"])
            rows = [row for row in rows if row["reading"] != reading] + found
            rows.sort(key=lambda row: list(base.readings).index(row["reading"]))
            write_rows(OUTPUT, COLUMNS, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
