"""What the findings, the report, the record of the run and the notebooks need."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from replication.files import read_rows
from replication.plan.components import links
from replication.plan.configuration import as_json
from replication.plan.judging import published, timed_claims, used_by
from replication.plan.layout import BUNDLED, PUBLISHED, RAW
from replication.plan.readings import DECIDED_BY

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog, Entry, Needs

_CITED = ("title", "citation", "doi")
_SHOWN = {"table": ("table", "markdown", "latex", "sheet"), "figure": ("svg", "pdf")}


def notebook(catalog: Catalog, notebook: str) -> Needs:
    """A notebook of the same name as a paper of this run reads what that paper wants.

    Keys: effort and folders, see `replication.report.results.Results`.
    """
    files = catalog.targets(notebook) if notebook in catalog.config["papers"] else []
    return {"effort": catalog.config["effort"], **catalog.config["roots"]}, {"files": files}


def finished(catalog: Catalog) -> dict[str, list[str]]:
    """What the report shows: ledger, artefacts and records of the data sets."""
    return {
        "ledger": [
            catalog.file(name) for name in ("ledger", "ledger_claims", "deviations", "unavailable")
        ],
        "artefacts": [
            catalog.file(name, paper=paper, artefact=artefact)
            for paper in catalog.config["papers"]
            for output, names in _SHOWN.items()
            for artefact in catalog.artefacts(paper, output)
            for name in names
        ],
        "cases": [catalog.file("cases", paper=paper) for paper in catalog.printed()],
        "sources": [catalog.file("raw_source", dataset=name) for name in catalog.sources()],
    }


def beside(catalog: Catalog) -> dict[str, str]:
    """Studies of this project that are not part of this run but were made.

    Returns
    -------
    dict of str to str
        Digest of the tables by paper. They are no inputs, or the run would make them.
    """
    found = {}
    for paper, content in catalog.papers.items():
        if content["prints"] or paper in catalog.config["papers"]:
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


def findings(catalog: Catalog) -> Needs:
    """`findings` reads the tables that this run makes, and those of what was made beside it.

    Keys: findings (``id``, ``paper``, ``prints``, ``artefact``, the first, which is the evidence,
    ``tables``); names, by paper; timed; beside.
    """
    found = [
        {
            "id": name,
            "paper": paper,
            "prints": catalog.papers[paper]["prints"],
            "artefact": artefacts[0],
            "tables": [catalog.file("table", paper=paper, artefact=one) for one in artefacts],
        }
        for paper in [*catalog.config["papers"], *beside(catalog)]
        for name, artefacts in catalog.papers[paper].get("findings", {}).items()
    ]
    spec = {
        "findings": found,
        "names": {paper: entry["name"] for paper, entry in catalog.papers.items()},
        "timed": timed_claims(catalog),
        "beside": beside(catalog),
    }
    own = [one for one in found if one["paper"] in catalog.config["papers"]]
    return spec, {"tables": [file for one in own for file in one["tables"]]}


def run_spec(catalog: Catalog) -> Entry:
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


def report(catalog: Catalog) -> Needs:
    """`report` reads what it shows, and the files of its own looks.

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
    package = catalog.root / "src" / "replication" / "report"
    assets = [path for folder in ("assets", "templates") for path in (package / folder).iterdir()]
    spec = {
        **run_spec(catalog),
        "overlay": f" --configfile {overlay}" if (catalog.root / overlay).is_file() else "",
        "papers": [
            {
                "id": paper,
                **{key: catalog.papers[paper][key] for key in ("name", "prints", "readings")},
                **{key: catalog.papers[paper][key] for key in ("title", "citation")},
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
                "decided_by": DECIDED_BY[entry["decided_by"]],
                "answers": {key: entry[key] for key in ("reconciled", "literal")},
            }
            for name, entry in catalog.readings.items()
        },
        "config": catalog.config,
        "links": digest(links(catalog, catalog.config["papers"])),
    }
    return spec, {
        **finished(catalog),
        "assets": sorted(path.relative_to(catalog.root).as_posix() for path in assets),
        "findings": [catalog.file("findings")],
    }


def in_order(catalog: Catalog, paper: str) -> list[Entry]:
    """Artefacts of a paper in its order: its tables and figures, its text, then what is ours."""
    listed = [
        row["artefact"]
        for row in read_rows(catalog.root / PUBLISHED / "artefacts.csv")
        if row["paper"] == paper
    ]
    ranks = {name: i for i, name in enumerate([*listed, "text"])}
    entries = sorted(
        catalog.papers[paper]["artefacts"].items(), key=lambda one: ranks.get(one[0], len(ranks))
    )
    return [
        {"id": name, "printed": name in ranks, **{key: entry[key] for key in ("label", "outputs")}}
        for name, entry in entries
    ]


def provenance(catalog: Catalog) -> Needs:
    """`provenance` names all that the run read and made.

    Keys: effort, seed, limits, roots, sources, papers.
    """
    papers, root = catalog.config["papers"], catalog.root
    bundled = {
        f"{BUNDLED}/{entry['inline']}"
        for paper in papers
        for name, entry in catalog.papers[paper]["datasets"].items()
        if "inline" in entry and name in catalog.computed(paper)
    }
    workflow = [
        path.relative_to(root).as_posix()
        for folder in ("config", "workflow/rules")
        for path in (root / folder).rglob("*")
        if path.suffix in (".yaml", ".smk")
    ]
    cited = [
        {"id": paper, **{key: catalog.papers[paper].get(key, "") for key in _CITED}}
        for paper in papers
    ]
    tables = [catalog.file("raw_table", dataset=name) for name in catalog.sources()]
    return {**run_spec(catalog), "papers": cited}, {
        **finished(catalog),
        "data": [*tables, *sorted(bundled)],
        "published": [path for paper in catalog.printed() for path in published(catalog, paper)],
        "workflow": ["Snakefile", "requirements.lock", *sorted(workflow)],
    }
