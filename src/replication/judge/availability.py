"""Step `available`: say which tables and figures the data sets of this machine suffice for.

A data set that a run has tried to get is as its record says; of the others, the bundled copies are
there. A table or figure is *complete*, *partial* (some of its data sets are missing), or *missing*
(all of them are).
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from replication.data.fetch import read_origins
from replication.data.parse import table_columns
from replication.data.prepare import kept_gaps
from replication.files import read_json
from replication.plan.layout import BUNDLED, NO_DATASET
from replication.plan.lineage import Job, inputs_of, job_of
from replication.plan.plan import Plan
from replication.steps import COMPLETE_ROWS, UNAVAILABLE

COMPLETE, PARTIAL, MISSING = "complete", "partial", "missing"


def run(effort: str = "full") -> None:
    """Print data sets that are missing, and per paper the tables and figures by what they have."""
    plan = Plan.of_effort(Path(), effort)
    print("\n".join(lines(plan, statuses(plan))))


def statuses(plan: Plan, bundled_only: bool = False) -> dict[str, str]:
    """Return the status of every data set of a run, as `source.json` gives it."""
    relations = {name: row["relation"] for name, row in read_origins(plan.root / BUNDLED).items()}
    found = {}
    for name in plan.sources():
        relation, record = relations.get(name), plan.root / plan.file("raw_source", dataset=name)
        found[name] = COMPLETE_ROWS if relation == COMPLETE_ROWS else "available"
        if relation is None:
            found[name] = UNAVAILABLE
        if record.is_file() and not bundled_only:
            found[name] = read_json(record, "status")["status"]
    return found


def artefacts(plan: Plan, status: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return what each table or figure of a run has: complete, partial or missing.

    Parameters
    ----------
    plan : Plan
        The run.
    status : mapping
        Status of its data sets, see `statuses`.

    Returns
    -------
    dict
        By paper and artefact. One without a data set from a file is complete.
    """
    known: dict[tuple[str, str], bool] = {}
    found = {}
    for paper in plan.config["papers"]:
        for artefact in plan.artefacts(paper):
            used = list(_used(plan, Job("table", {"paper": paper, "artefact": artefact})))
            for one in used:
                if one not in known:
                    known[one] = _served(plan, *one, status)
            lacking = [one for one in used if not known[one]]
            every = len(lacking) == len(used) > 0
            found[paper, artefact] = MISSING if every else PARTIAL if lacking else COMPLETE
    return found


def _used(plan: Plan, job: Job) -> Iterator[tuple[str, str]]:
    """Yield the data sets, each with its paper, from which a job computes."""
    waiting, seen = [job], set()
    for one in waiting:
        ids = one.ids
        if one.rule == "discretize":
            yield ids["paper"], ids["dataset"]
            continue
        for file in inputs_of(plan, one):
            behind = job_of(plan, file)
            if behind and file not in seen and behind.ids.get("dataset") != NO_DATASET:
                waiting += [behind] if behind not in waiting else []
            seen.add(file)


def _served(plan: Plan, paper: str, dataset: str, status: Mapping[str, str]) -> bool:
    """Return whether the rows that are there are all that a paper uses of a data set."""
    source = plan.papers[paper]["datasets"][dataset].get("source")
    if source is None or status[source] == "available":
        return True
    if status[source] == UNAVAILABLE:
        return False
    spec: dict[str, Any] = json.loads(plan.spec("discretize", paper=paper, dataset=dataset))
    return not kept_gaps(table_columns(plan.datasets[source]), spec)


def lines(plan: Plan, status: Mapping[str, str]) -> Iterator[str]:
    """Yield lines that name the missing data sets, and the artefacts that lack some of them."""
    for kind in (UNAVAILABLE, COMPLETE_ROWS):
        names = [name for name, one in status.items() if one == kind]
        if names:
            yield f"data sets, {kind}: {', '.join(names)}"
    found = artefacts(plan, status)
    for paper in plan.config["papers"]:
        own = {name: one for (of, name), one in found.items() if of == paper}
        parts = [f"{sum(one == COMPLETE for one in own.values())} complete"]
        parts += filter(None, (_listed(own, kind) for kind in (PARTIAL, MISSING)))
        yield f"{paper}: {'; '.join(parts)}"


def _listed(found: Mapping[str, str], kind: str) -> str:
    names = [name for name, one in found.items() if one == kind]
    return f"{len(names)} {kind} ({', '.join(names)})" if names else ""
