"""What the report, the record of the run and the notebooks need."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.files import read_rows
from replication.plan.components import links
from replication.plan.configuration import as_json
from replication.plan.judging import name_of, printed, published, timed_claims, used_by
from replication.plan.layout import BUNDLED, PUBLISHED, RAW

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog

_CITED = ("title", "citation", "doi")


def notebook_inputs(catalog: Catalog, notebook: str) -> dict[str, list[str]]:
    """What a notebook of the same name as a paper of this run reads."""
    if notebook not in catalog.config["papers"]:
        return {"files": []}
    return {"files": catalog.targets(notebook)}


def notebook_spec(catalog: Catalog, notebook: str) -> dict[str, Any]:
    """Specification of `notebook`: effort and folders, see `replication.report.results.Results`."""
    return {"effort": catalog.config["effort"], **catalog.config["roots"]}


def finished(catalog: Catalog) -> dict[str, list[str]]:
    """What the report shows: ledger, artefacts and records of the data sets."""
    return {
        "ledger": [
            catalog.file(name) for name in ("ledger", "ledger_claims", "deviations", "unavailable")
        ],
        "artefacts": [
            catalog.file(name, paper=paper, artefact=artefact)
            for paper in catalog.config["papers"]
            for output, names in (
                ("table", ("table", "markdown", "latex", "sheet")),
                ("figure", ("svg", "pdf")),
            )
            for artefact in catalog.artefacts(paper, output)
            for name in names
        ],
        "cases": [catalog.file("cases", paper=paper) for paper in printed(catalog)],
        "sources": [catalog.file("raw_source", dataset=name) for name in catalog.sources()],
    }


def report_inputs(catalog: Catalog) -> dict[str, list[str]]:
    """Inputs of `report`: what it shows, and the files of its own looks."""
    package = catalog.root / "src" / "replication" / "report"
    assets = sorted(
        path.relative_to(catalog.root).as_posix()
        for folder in ("assets", "templates")
        for path in (package / folder).iterdir()
    )
    return {**finished(catalog), "assets": assets, "findings": [catalog.file("findings")]}


def beside(catalog: Catalog) -> dict[str, str]:
    """Studies of this project that are not part of this run but were made.

    Returns
    -------
    dict of str to str
        Digest of the tables by paper. They are no inputs, or the run would make them.
    """
    found = {}
    for paper, content in catalog.papers.items():
        if content.get("prints", True) or paper in catalog.config["papers"]:
            continue
        files = [file for name in content["artefacts"] for file in made(catalog, paper, name)]
        if files:
            texts = [(catalog.root / file).read_text(encoding="utf-8") for file in files]
            found[paper] = digest(texts)
    return found


def made(catalog: Catalog, paper: str, artefact: str) -> list[str]:
    """Table and figure of an artefact, if all of it is there; measured times are not in git."""
    outputs = catalog.papers[paper]["artefacts"][artefact]["outputs"]
    files = [
        catalog.file(name, paper=paper, artefact=artefact)
        for output, name in (("table", "sheet"), ("figure", "svg"))
        if output in outputs
    ]
    return files if all((catalog.root / file).is_file() for file in files) else []


def digest(content: Any) -> str:
    """Digest of what JSON can hold."""
    return hashlib.sha256(as_json(content).encode()).hexdigest()[:16]


def findings_records(catalog: Catalog) -> list[dict[str, Any]]:
    """Findings that this run, and what was made beside it, can bear out, as their papers list them.

    Returns
    -------
    list of dict
        ``id``, ``paper``, ``prints``, ``artefact`` (the first, which is the evidence), ``tables``.
    """
    return [
        {
            "id": name,
            "paper": paper,
            "prints": catalog.papers[paper].get("prints", True),
            "artefact": artefacts[0],
            "tables": [catalog.file("table", paper=paper, artefact=one) for one in artefacts],
        }
        for paper in [*catalog.config["papers"], *beside(catalog)]
        for name, artefacts in catalog.papers[paper].get("findings", {}).items()
    ]


def findings_inputs(catalog: Catalog) -> dict[str, list[str]]:
    """Inputs of `findings`: the tables that this run makes."""
    return {
        "tables": [
            file
            for one in findings_records(catalog)
            if one["paper"] in catalog.config["papers"]
            for file in one["tables"]
        ]
    }


def findings_spec(catalog: Catalog) -> dict[str, Any]:
    """Specification of `findings`.

    Keys: findings (see `findings_records`); names, by paper; timed; beside.
    """
    return {
        "findings": findings_records(catalog),
        "names": {paper: name_of(entry, paper) for paper, entry in catalog.papers.items()},
        "timed": timed_claims(catalog),
        "beside": beside(catalog),
    }


def run_spec(catalog: Catalog) -> dict[str, Any]:
    """What `report` and `provenance` say about the run as a whole."""
    return {
        **{key: catalog.config[key] for key in ("effort", "seed", "limits")},
        "roots": {**catalog.config["roots"], "raw": RAW},
        "sources": [
            {
                "id": name,
                **{key: catalog.datasets[name][key] for key in ("title", "licence", "homepage")},
                "papers": list(dict.fromkeys(one["paper"] for one in used_by(catalog, name))),
            }
            for name in catalog.sources()
        ],
    }


def report_spec(catalog: Catalog) -> dict[str, Any]:
    """Specification of `report`.

    Keys: effort, seed, limits, roots (results, figures, raw); ``overlay`` (what the command
    line needs for this effort); ``sources`` (id, title, licence, homepage, papers); ``papers``
    (id, title, citation, readings, ``prints``, ``artefacts`` (id, label, outputs, printed)), those
    of the run first, then what was made beside it; ``beside`` (digest of their tables);
    ``readings`` (question, choices, evidence, answers by reading) by id; ``config`` (from which
    the step makes `replication.plan.components.links`, too long for a command) and ``links`` (their
    digest).
    """
    overlay = f"config/{catalog.config['effort']}.yaml"
    others = beside(catalog)
    return {
        **run_spec(catalog),
        "overlay": f" --configfile {overlay}" if (catalog.root / overlay).is_file() else "",
        "papers": [
            {
                "id": paper,
                "name": name_of(catalog.papers[paper], paper),
                **{key: catalog.papers[paper][key] for key in ("title", "citation", "readings")},
                "prints": catalog.papers[paper].get("prints", True),
                "artefacts": [
                    one
                    for one in in_order(catalog, paper)
                    if paper not in others or made(catalog, paper, one["id"])
                ],
            }
            for paper in [*catalog.config["papers"], *others]
        ],
        "beside": others,
        "readings": {
            name: {
                "question": entry["question"],
                "choices": {key: str(value) for key, value in entry["choices"].items()},
                "evidence": entry["evidence"],
                "answers": {key: entry[key] for key in ("reconciled", "literal")},
            }
            for name, entry in catalog.readings.items()
        },
        "config": catalog.config,
        "links": digest(links(catalog, catalog.config["papers"])),
    }


def in_order(catalog: Catalog, paper: str) -> list[dict[str, Any]]:
    """Artefacts of a paper in its order: its tables and figures, its text, then what is ours."""
    listed = [
        row["artefact"]
        for row in read_rows(catalog.root / PUBLISHED / "artefacts.csv")
        if row["paper"] == paper
    ]
    entries: Mapping[str, Mapping[str, Any]] = catalog.papers[paper]["artefacts"]
    ranks = {name: i for i, name in enumerate([*listed, "text"])}
    ordered = sorted(entries, key=lambda name: ranks.get(name, len(ranks)))
    return [
        {
            "id": name,
            **{key: entries[name][key] for key in ("label", "outputs")},
            "printed": name in ranks,
        }
        for name in ordered
    ]


def provenance_inputs(catalog: Catalog) -> dict[str, list[str]]:
    """Inputs of `provenance`: all that the run read and made."""
    papers = [
        paper for paper in catalog.config["papers"] if catalog.papers[paper].get("prints", True)
    ]
    entries = [
        entry
        for paper in catalog.config["papers"]
        for name, entry in catalog.papers[paper]["datasets"].items()
        if name in catalog.computed(paper)
    ]
    workflow = [
        path.relative_to(catalog.root).as_posix()
        for folder in ("config", "workflow/rules")
        for path in (catalog.root / folder).rglob("*")
        if path.suffix in (".yaml", ".smk")
    ]
    return {
        **finished(catalog),
        "data": [
            *(catalog.file("raw_table", dataset=name) for name in catalog.sources()),
            *sorted({f"{BUNDLED}/{one['inline']}" for one in entries if "inline" in one}),
        ],
        "published": [path for paper in papers for path in published(catalog, paper)],
        "workflow": ["Snakefile", "requirements.lock", *sorted(workflow)],
    }


def provenance_spec(catalog: Catalog) -> dict[str, Any]:
    """Specification of `provenance`: effort, seed, limits, roots, sources, papers."""
    return {
        **run_spec(catalog),
        "papers": [
            {"id": paper, **{key: catalog.papers[paper].get(key, "") for key in _CITED}}
            for paper in catalog.config["papers"]
        ],
    }
