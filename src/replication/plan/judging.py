"""What the jobs of the steps that judge and draw need: specification and input files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replication.errors import UserError
from replication.plan.computing import (
    choices,
    direct,
    experiment_entry,
    outputs_of,
    trials_entry,
)
from replication.plan.layout import PUBLISHED

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog, Entry, Needs


def claims_entries(catalog: Catalog, paper: str) -> list[Entry]:
    """Evidence of the claims, as `Records` takes it: tables, experiments and tests of the paper."""
    entries = [
        {
            "role": "table",
            "artefact": artefact,
            "file": catalog.file("table", paper=paper, artefact=artefact),
        }
        for artefact in catalog.artefacts(paper)
    ]
    entries += [
        experiment_entry(catalog, paper, name) for name in catalog.papers[paper]["experiments"]
    ]
    return entries + _tests(catalog, paper)


def _tests(catalog: Catalog, paper: str) -> list[Entry]:
    """Statistical tests of a paper, if it has any."""
    has_any = catalog.papers[paper]["comparisons"]
    return [{"role": "tests", "file": catalog.file("tests", paper=paper)}] if has_any else []


def claims(catalog: Catalog, paper: str) -> Needs:
    """`claims` reads the evidence, the printed numbers and claims; see `judge.claims.Evidence`."""
    entries = claims_entries(catalog, paper)
    spec = {"paper": paper, "effort": catalog.config["effort"], "inputs": entries}
    return spec, {
        "files": outputs_of(entries),
        "published": [*published(catalog, paper), f"{PUBLISHED}/claims.csv"],
    }


def artefact_entries(catalog: Catalog, paper: str, artefact: str) -> list[Entry]:
    """What an artefact is made of, as `replication.run.records.Records` takes it.

    The roles are ``trials`` (of a ``method``), ``facts``, ``tables``, ``similarity``,
    ``experiment`` and ``tests``.
    """
    entry = catalog.papers[paper]["artefacts"][artefact]
    computed = catalog.computed(paper)
    datasets = [name for name in entry.get("datasets", []) if name in computed]
    entries = [
        trials_entry(catalog, paper, method, datasets) for method in entry.get("methods", [])
    ]
    roles = ["facts"] if "preparations" in entry else []
    roles += ["tables"] if "preparations" in entry or "preparation" in entry else []
    roles += ["similarity"] if direct(entry) else []
    for role in roles:
        file = catalog.file(role, paper=paper, dataset="{dataset}")
        entries.append({"role": role, "datasets": datasets, "file": file})
    entries += [experiment_entry(catalog, paper, name) for name in entry.get("experiments", [])]
    return entries + (_tests(catalog, paper) if entry.get("tests") else [])


def published(catalog: Catalog, paper: str) -> list[str]:
    """Files of the printed numbers of a paper."""
    found = (catalog.root / PUBLISHED).glob(f"{paper}_*.csv")
    return [f"{PUBLISHED}/{path.name}" for path in sorted(found)]


def table(catalog: Catalog, paper: str, artefact: str) -> Needs:
    """`table` reads the records of an artefact and the printed numbers.

    Besides the keys of `artefact_spec`: ``choices`` (reading to answers of the questions that
    tables ask), ``notes``, ``inputs`` (see `artefact_entries`), ``similarities``, and ``prints``
    where the paper prints nothing.
    """
    content = catalog.papers[paper]
    entry = content["artefacts"][artefact]
    about = {
        "artefact": [artefact],
        "dataset": entry.get("datasets", []),
        # a paper without methods names those that it prints
        "method": entry.get("methods", []) if content["methods"] else None,
    }
    inputs = artefact_entries(catalog, paper, artefact)
    spec = artefact_spec(catalog, paper, artefact) | {
        "inputs": inputs,
        "similarities": direct(entry),
        "choices": {reading: choices(catalog, paper, reading) for reading in content["readings"]},
        "notes": [
            note
            for note in content["notes"]
            if all(
                known is None or key not in note or note[key] in known
                for key, known in about.items()
            )
        ],
    }
    if not content["prints"]:
        spec["prints"] = False
    return spec, {"files": outputs_of(inputs), "published": published(catalog, paper)}


def artefact_spec(catalog: Catalog, paper: str, artefact: str) -> Entry:
    """What `table` and `figure` of an artefact both depend on.

    Keys: paper, artefact, effort, seed; the keys of the artefact's entry (kind, label, score, ...);
    ``readings``; ``datasets`` (id, printed); ``methods`` (id, label, grid, select, fixed, and
    ``beside`` if it has pipelines beside the readings) and ``left_out`` (dataset, reason).
    """
    content = catalog.papers[paper]
    entry = content["artefacts"][artefact]
    config, computed = catalog.config, catalog.computed(paper)
    reason = f"left out by limits.datasets (effort {config['effort']})"
    datasets, methods = [], []
    for name in entry.get("datasets", []):
        known = content["datasets"][name]
        datasets.append({"id": name, "printed": known["printed"]})
        if entry["kind"] == "dataset_characteristics":
            datasets[-1]["reachable"] = known.get("reachable", {})
    for name in entry.get("methods", []):
        known = content["methods"][name]
        found = {key: known.get(key) for key in ("label", "grid", "select", "fixed")}
        beside = {"beside": sorted(known["beside"])} if "beside" in known else {}
        methods.append({"id": name, **found, **beside})
    return {
        **{key: value for key, value in entry.items() if key != "outputs"},
        "paper": paper,
        "artefact": artefact,
        "effort": config["effort"],
        "seed": config["seed"],
        "readings": content["readings"],
        "datasets": datasets,
        "methods": methods,
        "left_out": [
            {"dataset": name, "reason": reason}
            for name in entry.get("datasets", [])
            if name not in computed
        ],
    }


def figure(catalog: Catalog, paper: str, artefact: str) -> Needs:
    """`figure` draws the table of its artefact.

    Raises
    ------
    UserError
        If the artefact is a table alone.
    """
    file = catalog.file("table", paper=paper, artefact=artefact)
    if artefact not in catalog.artefacts(paper, "figure"):
        raise UserError(
            f"config/papers/{paper}.yaml: artefacts.{artefact} is a table and has no figure; "
            f"ask for {file}"
        )
    return artefact_spec(catalog, paper, artefact), {"table": [file]}


def ledger(catalog: Catalog) -> Needs:
    """`ledger` reads verdicts, claims, records of sources and printed numbers.

    Keys: effort; ``papers`` (id, title); ``artefacts`` (paper, artefact, label, file), in the
    order of the verdict files; ``sources`` (dataset, file, used_by), in the order of the
    source files.
    """
    papers = catalog.printed()
    artefacts = [
        {
            "paper": paper,
            "artefact": artefact,
            "label": catalog.papers[paper]["artefacts"][artefact]["label"],
            "file": catalog.file("verdicts", paper=paper, artefact=artefact),
        }
        for paper in papers
        for artefact in catalog.artefacts(paper)
    ]
    sources = [
        {
            "dataset": name,
            "file": catalog.file("raw_source", dataset=name),
            "used_by": used_by(catalog, name),
        }
        for name in catalog.sources()
    ]
    spec = {
        "effort": catalog.config["effort"],
        "papers": [{"id": paper, "title": catalog.papers[paper]["title"]} for paper in papers],
        "artefacts": artefacts,
        "sources": sources,
    }
    return spec, {
        "verdicts": [one["file"] for one in artefacts],
        "claims": [catalog.file("claims", paper=paper) for paper in papers],
        "sources": [one["file"] for one in sources],
        "published": [path for paper in papers for path in published(catalog, paper)],
    }


def rollup(catalog: Catalog) -> Needs:
    """`rollup` and `granularity`: papers (id, name), and the claims that measured times decide."""
    papers = [{"id": paper, "name": catalog.papers[paper]["name"]} for paper in catalog.printed()]
    files = [file for paper in catalog.printed() for file in published(catalog, paper)]
    return {"papers": papers, "timed": timed_claims(catalog)}, {"published": files}


def timed_claims(catalog: Catalog) -> list[str]:
    """Claims of this run that measured times decide."""
    entries = [catalog.papers[paper].get("measured", {}) for paper in catalog.printed()]
    return [claim for entry in entries for claim in entry.get("claims", [])]


def used_by(catalog: Catalog, source: str) -> list[Entry]:
    """Papers, their names for a data set, and their artefacts that need it."""
    return [
        {
            "paper": paper,
            "dataset": dataset,
            "artefacts": [
                name
                for name, entry in catalog.papers[paper]["artefacts"].items()
                if dataset in entry.get("datasets", [])
            ],
        }
        for paper in catalog.config["papers"]
        for dataset in catalog.computed(paper)
        if catalog.papers[paper]["datasets"][dataset].get("source") == source
    ]
