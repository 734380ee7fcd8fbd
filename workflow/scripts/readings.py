"""Count printed numbers that each reading makes exact: readings.py [reading ...] [--output file].

The program needs a finished full run. For each reading whose reconciled answer is not the literal
one, it repeats the jobs that depend on it with the literal answer and leaves all other readings as
they are. A number that is printed several times counts once. Jobs that measure time, and jobs on
random samples that were never published or on generated tables, are not repeated, because none of
their numbers can be exact. Row orders, which change the spread of a number only, are fewer than in
the full run.
"""

import argparse
import importlib
import json
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
from replication.plan.components import RECONCILED
from replication.plan.configuration import read_yaml
from replication.plan.layout import PUBLISHED, STEPS
from replication.plan.lineage import Job, inputs_of, job_of
from replication.plan.plan import Plan
from replication.plan.readings import RECORD

ROOT = Path(__file__).resolve().parents[2]
WHOLE = "all"
"""In place of an artefact: all numbers of the paper."""
COLUMNS = ("reading", "paper", "artefact", "reconciled", "literal", "pairs", "equal")
"""Exact numbers under both answers; mismatched pairs, and those of them that are exact."""
_OUTPUTS = {
    "discretize": {"prepared": "prepared", "facts": "facts", "output": "tables"},
    "similarity": {"output": "similarity"},
    "trials": {"output": "trials", "labels": "labels"},
    "tests": {"output": "tests"},
    "experiment": {"output": "experiments"},
    "table": {"csv": "table", "verdicts": "verdicts"},
}
"""Steps that are run again: arguments that name what they write."""


def main(names: list[str], output: Path) -> None:
    """Measure readings, by default all whose answers differ; write each result at once."""
    config = read_yaml(Path("config/config.yaml"), "config/config.yaml")
    config["limits"] |= {"row_orders": 2, "samples": 2}
    base = Plan.load(dict(config), Path())
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


def measured(
    base: Plan, config: dict[str, Any], reading: str, answer: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a reading, with the `COLUMNS`."""
    asked = Path("results/readings", f"{reading.replace('.', '-').replace('_', '-')}.yaml")
    write_json(asked, {"question": reading, "readings": {reading: answer}})
    plan = Plan.load({**config, "what_if": str(asked)}, Path(), check=False)
    jobs = followers(base, plan)
    papers = list(dict.fromkeys(job.ids["paper"] for job in jobs))
    results, place = (Path(one.config["roots"]["results"]) for one in (base, plan))
    shutil.rmtree(place, ignore_errors=True)
    for path in (path for paper in papers for path in results.glob(f"*/{paper}*")):
        copy = place / path.relative_to(results)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(path, copy) if path.is_dir() else shutil.copy(path, copy)
    for job in jobs:
        run_again(plan, job)
    for paper in papers:
        for row in gained(numbers(base, paper), numbers(plan, paper)):
            yield {"reading": reading, "paper": paper, **row}
    shutil.rmtree(place.parent)


def followers(base: Plan, plan: Plan) -> list[Job]:
    """Return the jobs behind the verdicts that differ from `base`, each after those it reads."""
    found: dict[str, Job | None] = {}
    roots = [one.config["roots"]["results"] for one in (base, plan)]

    def follows(file: str) -> bool:
        job = job_of(plan, file)
        if job is None or job.rule not in _OUTPUTS:
            return False
        if (key := str(job)) not in found:
            before = [follows(one) for one in inputs_of(plan, job)]
            specs = [one.spec(job.rule, **job.ids) for one in (base, plan)]
            same = specs[0] == specs[1].replace(roots[1], roots[0]) and not any(before)
            data = plan.papers[job.ids["paper"]]["datasets"].get(job.ids.get("dataset"), {})
            drawn = not data.keys().isdisjoint(("sample", "synthetic"))
            sampled = job.rule in ("trials", "experiment") and drawn
            found[key] = None if same or sampled else job
        return found[key] is not None

    for paper in plan.printed():
        for artefact in plan.artefacts(paper):
            follows(plan.file("verdicts", paper=paper, artefact=artefact))
    return [job for job in found.values() if job]


def run_again(plan: Plan, job: Job) -> None:
    """Run the step of a job in this process."""
    inputs = plan.inputs(job.rule, **job.ids)
    given: dict[str, Any] = {"spec": json.loads(plan.spec(job.rule, **job.ids))}
    match job.rule:
        case "discretize":
            given |= {name: [*map(Path, inputs[name])] for name in ("table", "source")}
        case "similarity":
            given["tables"] = Path(*inputs["tables"])
        case "table":
            given["published"] = Path(PUBLISHED)
        case "trials" | "experiment":
            given["code"] = plan.code(job.rule, **job.ids)
    for argument, name in _OUTPUTS[job.rule].items():
        given[argument] = Path(plan.file(name, **job.ids))
        shutil.rmtree(given[argument], ignore_errors=True)
    importlib.import_module(STEPS[job.rule]).run(**given)


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
