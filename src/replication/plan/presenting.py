"""What the report, the record of the run and the notebooks need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replication.plan.computing import user_files
from replication.plan.judging import published, used_by
from replication.plan.layout import BUNDLED, RAW

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
            catalog.file(name)
            for name in ("ledger", "ledger_claims", "deviations", "changes", "unavailable")
        ],
        "artefacts": [
            catalog.file(name, paper=paper, artefact=artefact)
            for paper in catalog.config["papers"]
            for output, names in (
                ("table", ("table", "markdown", "latex", "html")),
                ("figure", ("svg", "pdf")),
            )
            for artefact in catalog.artefacts(paper, output)
            for name in names
        ],
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
    return {**finished(catalog), "assets": assets}


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
    (id, title, citation, readings, ``choices`` (question, answers by reading, evidence),
    ``artefacts`` (id, label, outputs)).
    """
    overlay = f"config/{catalog.config['effort']}.yaml"
    return {
        **run_spec(catalog),
        "overlay": f" --configfile {overlay}" if (catalog.root / overlay).is_file() else "",
        "papers": [
            {
                "id": paper,
                **{key: catalog.papers[paper][key] for key in ("title", "citation", "readings")},
                "choices": [
                    {
                        "question": entry["question"],
                        "answers": {
                            reading: str(entry["choices"].get(entry[reading], entry[reading]))
                            for reading in catalog.papers[paper]["readings"]
                        },
                        "evidence": entry["evidence"],
                    }
                    for name, entry in catalog.readings.items()
                    if name.startswith(f"{paper}.")
                ],
                "artefacts": [
                    {"id": name, **{key: entry[key] for key in ("label", "outputs")}}
                    for name, entry in catalog.papers[paper]["artefacts"].items()
                ],
            }
            for paper in catalog.config["papers"]
        ],
    }


def provenance_inputs(catalog: Catalog) -> dict[str, list[str]]:
    """Inputs of `provenance`: all that the run read and made."""
    papers = [paper for paper in catalog.config["papers"] if not catalog.papers[paper].get("own")]
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
            *sorted(
                {file for one in entries if "user" in one for file in user_files(catalog, one)}
            ),
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
