"""Return specifications of the jobs that judge, draw and report, and the files that fan in."""

import hashlib
from typing import Any

from replication.files import read_rows
from replication.plan.catalog import Catalog, Entry, Needs
from replication.plan.components import links
from replication.plan.compute_jobs import (
    choices,
    experiment_entry,
    outputs_of,
    shown_similarities,
    trials_entry,
)
from replication.plan.configuration import as_json
from replication.plan.layout import BUNDLED, PUBLISHED, RAW
from replication.plan.readings import DECIDED_BY, MEANINGS

_CLAIMS = ("claims", "causes")
"""Files that say how the claims are counted."""
_SHOWN = ("title", "citation", "licence", "homepage")


def claims_entries(catalog: Catalog, paper: str) -> list[Entry]:
    """Return the inputs of the claims, as `Records` takes them: tables, experiments, tests."""
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
    """Return the entry of the statistical tests of a paper, if it has any."""
    has_any = catalog.papers[paper]["comparisons"]
    return [{"role": "tests", "file": catalog.file("tests", paper=paper)}] if has_any else []


def claims(catalog: Catalog, paper: str) -> Needs:
    """Return the needs of `claims`, see `replication.judge.claims.Evidence`."""
    entries = claims_entries(catalog, paper)
    spec = {"paper": paper, "effort": catalog.config["effort"], "inputs": entries}
    return spec, {
        "files": outputs_of(entries),
        "published": [*published(catalog, paper), f"{PUBLISHED}/claims.csv"],
    }


def artefact_entries(catalog: Catalog, paper: str, artefact: str) -> list[Entry]:
    """Return the inputs of an artefact, as `replication.run.records.Records` takes them.

    The roles are ``trials`` (of a ``method``), ``facts``, ``tables``, ``similarity``,
    ``experiment`` and ``tests``.
    """
    entry = catalog.papers[paper]["artefacts"][artefact]
    computed = catalog.computed(paper)
    datasets = [name for name in entry.get("datasets", []) if name in computed]
    entries = [
        trials_entry(catalog, paper, method, datasets) for method in entry.get("methods", [])
    ]
    shown = {
        "facts": "preparations" in entry,
        "tables": "preparations" in entry or "preparation" in entry,
        "similarity": bool(shown_similarities(entry)),
    }
    entries += [
        {
            "role": role,
            "datasets": datasets,
            "file": catalog.file(role, paper=paper, dataset="{dataset}"),
        }
        for role in filter(shown.get, shown)
    ]
    entries += [experiment_entry(catalog, paper, name) for name in entry.get("experiments", [])]
    reads = {*entry.get("reads", [])} & {"independent", "ledger"}
    if catalog.compared(paper, artefact):
        reads.add("independent")
    if not catalog.config["limits"]["independent"]:
        reads.discard("independent")
    entries += [{"role": name, "file": catalog.file(name)} for name in sorted(reads)]
    return entries + (_tests(catalog, paper) if entry.get("tests") else [])


def published(catalog: Catalog, paper: str) -> list[str]:
    """Return the files of the printed numbers of a paper."""
    found = (catalog.root / PUBLISHED).glob(f"{paper}_*.csv")
    return [f"{PUBLISHED}/{path.name}" for path in sorted(found)]


def table(catalog: Catalog, paper: str, artefact: str) -> Needs:
    """Return the needs of `table`: records of an artefact and printed numbers.

    Keys: those of `artefact_spec`; ``choices`` (by reading, the answers that tables ask for);
    ``notes``; ``inputs`` (see `artefact_entries`); ``similarities``; and ``prints`` if the paper
    prints nothing.
    """
    content = catalog.papers[paper]
    entry = content["artefacts"][artefact]
    about = {
        "artefact": [artefact],
        "dataset": entry.get("datasets", []),
        # a paper without methods has names of methods in its printed numbers only
        "method": entry.get("methods", []) if content["methods"] else None,
    }
    inputs = artefact_entries(catalog, paper, artefact)
    spec = artefact_spec(catalog, paper, artefact) | {
        "inputs": inputs,
        "similarities": shown_similarities(entry),
        "choices": {reading: choices(catalog, paper, reading) for reading in content["readings"]},
        "notes": [
            {key: value for key, value in note.items() if key != "holds"}
            for note in content["notes"]
            if all(
                known is None or key not in note or note[key] in known
                for key, known in about.items()
            )
        ],
    }
    if not content["prints"]:
        spec["prints"] = False
    files = published(catalog, paper)
    reads = entry.get("reads", [])
    if "published" in reads:
        spec["published"] = PUBLISHED
        spec["papers"] = {
            one: {
                name: known["source"]
                for name, known in catalog.papers[one]["datasets"].items()
                if "source" in known
            }
            for one in catalog.printed()
        }
        files = [file for one in catalog.printed() for file in published(catalog, one)]
    if "independent" in reads:
        spec["independent"] = {
            "methods": catalog.independent["methods"],
            "sources": {name: one["title"] for name, one in catalog.independent["sources"].items()},
            "compared": catalog.independent["compared"],
        }
        spec["published"] = PUBLISHED
        files.append(f"{PUBLISHED}/independent.csv")
    if compared := catalog.compared(paper, artefact):
        used = {*compared["methods"].values()}
        spec["independent"] = compared | {
            "sources": {name: one["title"] for name, one in catalog.independent["sources"].items()},
            "pooled": {
                name: one["sources"]
                for name, one in catalog.independent["methods"].items()
                if name in used
            },
        }
    return spec, {"files": outputs_of(inputs), "published": files}


def artefact_spec(catalog: Catalog, paper: str, artefact: str) -> Entry:
    """Return the specification that `table` and `figure` of an artefact share.

    Keys: paper, artefact, effort, seed; the keys of the artefact's entry (kind, label, score, ...);
    ``readings``; ``datasets`` (id, printed); ``methods`` (id, label, grid, select, fixed, and
    ``beside`` if it has further pipelines); ``left_out`` (dataset, reason); and ``history`` if the
    paper has one.
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
        **({"history": content["history"]} if "history" in content else {}),
    }


def figure(catalog: Catalog, paper: str, artefact: str) -> Needs:
    """Return the needs of `figure`: nothing beside the table of its artefact."""
    return artefact_spec(catalog, paper, artefact) | {"name": catalog.papers[paper]["name"]}, {}


def ledger(catalog: Catalog) -> Needs:
    """Return the needs of `ledger`: verdicts, claims, source records, printed numbers.

    Keys: ``papers`` (ids).
    """
    papers = catalog.printed()
    return {"papers": papers}, {
        "verdicts": [
            catalog.file("verdicts", paper=paper, artefact=artefact)
            for paper in papers
            for artefact in catalog.artefacts(paper)
        ],
        "claims": [catalog.file("claims", paper=paper) for paper in papers],
        "sources": [catalog.file("raw_source", dataset=name) for name in catalog.sources()],
        "published": [path for paper in papers for path in published(catalog, paper)],
    }


def rollup(catalog: Catalog) -> Needs:
    """Return the needs of `rollup` and `granularity`: papers, and timed claims.

    Papers with ``headline`` are counted together, the others below.
    """
    papers = [
        {
            "id": paper,
            **{key: catalog.papers[paper].get(key, "") for key in ("name", "note")},
            "headline": catalog.papers[paper].get("headline", True),
        }
        for paper in catalog.printed()
    ]
    files = [file for paper in catalog.printed() for file in published(catalog, paper)]
    files += [f"{PUBLISHED}/{name}.csv" for name in ("about", "artefacts", *_CLAIMS, "codings")]
    return {"papers": papers, "timed": timed_claims(catalog)}, {"published": files}


def timed_claims(catalog: Catalog) -> list[str]:
    """Return the claims of this run that are decided by measured times."""
    return [
        claim
        for paper in catalog.printed()
        for claim in catalog.papers[paper].get("measured", {}).get("claims", [])
    ]


def notebook(catalog: Catalog, notebook: str) -> Needs:
    """Return the needs of `notebook`: the files of the paper of the same name, if any.

    Keys: the folders of the run, see `replication.report.results`.
    """
    files = catalog.targets(notebook) if notebook in catalog.config["papers"] else []
    return dict(catalog.config["roots"]), {"files": files}


def report_inputs(catalog: Catalog) -> dict[str, list[str]]:
    """Return the artefacts, and the records of the data sets."""
    return {
        "artefacts": [file for paper in catalog.config["papers"] for file in catalog.shown(paper)],
        "sources": [catalog.file("raw_source", dataset=name) for name in catalog.sources()],
    }


def beside(catalog: Catalog) -> dict[str, str]:
    """Return the digest of the tables of each study of this project with results from another run.

    The key is the paper. The tables are not inputs, or this run would make them.
    """
    found = {}
    for paper, content in catalog.papers.items():
        if content["prints"] or paper in catalog.config["papers"]:
            continue
        files = [
            file for name in content["artefacts"] for file in existing_files(catalog, paper, name)
        ]
        if files:
            found[paper] = digest([(catalog.root / file).read_text("utf-8") for file in files])
    return found


def existing_files(catalog: Catalog, paper: str, artefact: str) -> list[str]:
    """Return table and figure of an artefact, if both exist (times are not in git)."""
    outputs = catalog.papers[paper]["artefacts"][artefact]["outputs"]
    files = [
        catalog.file(name, paper=paper, artefact=artefact)
        for output, name in (("table", "sheet"), ("figure", "svg"))
        if output in outputs
    ]
    return files if all((catalog.root / file).is_file() for file in files) else []


def digest(content: Any) -> str:
    """Return the digest of content that can be written as JSON."""
    return hashlib.sha256(as_json(content).encode()).hexdigest()[:16]


def findings(catalog: Catalog) -> Needs:
    """Return the needs of `findings`: tables of this run, and studies from another run.

    Keys: findings (``id``, ``paper``, ``prints``, ``tables``, and ``artefact``, the first of them,
    which is the evidence); names, by paper; headline (papers whose numbers and claims are
    counted); timed; beside.
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
        "headline": [
            paper for paper, entry in catalog.papers.items() if entry.get("headline", True)
        ],
        "timed": timed_claims(catalog),
        "beside": beside(catalog),
    }
    own = [one for one in found if one["paper"] in catalog.config["papers"]]
    tables = [file for one in own for file in one["tables"]]
    return spec, {
        "tables": tables,
        "published": [f"{PUBLISHED}/{name}.csv" for name in ("about", *_CLAIMS)],
    }


def run_spec(catalog: Catalog) -> Entry:
    """Return the facts about the run that `report` and `provenance` share."""
    return {key: catalog.config[key] for key in ("effort", "seed", "limits")}


def report(catalog: Catalog) -> Needs:
    """Return the needs of `report`: the files that it shows, and its templates and assets.

    Keys: effort, seed, limits, roots (results, figures, raw); ``overlay`` (options of the command
    line for this effort); ``timed`` (claims that measured times decide);
    ``sources`` (id, title, citation, licence, homepage, papers); ``papers``
    (id, title, citation, readings, ``prints``, ``artefacts`` (id, label, outputs, printed)): those
    of the run, then studies from another run; ``beside`` (digest of the tables of those studies);
    ``meanings`` of the readings of numbers; ``readings`` by id (question, choices, evidence,
    answers by reading); ``config``, from which the step computes
    `replication.plan.components.links`, too long for a command; and ``links``, the digest of these.
    """
    others = beside(catalog)
    package = catalog.root / "src" / "replication" / "report"
    assets = [path for folder in ("assets", "templates") for path in (package / folder).iterdir()]
    spec = {
        **run_spec(catalog),
        "roots": {**catalog.config["roots"], "raw": RAW},
        "sources": [
            {
                "id": name,
                **{key: catalog.datasets[name][key] for key in _SHOWN},
                "papers": [one for one in catalog.config["papers"] if name in catalog.sources(one)],
            }
            for name in catalog.sources()
        ],
        "overlay": catalog.overlay,
        "timed": timed_claims(catalog),
        "papers": [
            {
                "id": paper,
                **{key: catalog.papers[paper][key] for key in ("name", "prints", "readings")},
                **{key: catalog.papers[paper][key] for key in ("title", "citation")},
                "note": catalog.papers[paper].get("note", ""),
                "artefacts": [
                    one
                    for one in artefacts_in_print_order(catalog, paper)
                    if paper not in others or existing_files(catalog, paper, one["id"])
                ],
            }
            for paper in [*catalog.config["papers"], *others]
        ],
        "beside": others,
        "meanings": MEANINGS
        | {
            name: meaning
            for paper in catalog.config["papers"]
            for name, meaning in catalog.papers[paper].get("beside", {}).items()
        },
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
        "config": {key: value for key, value in catalog.config.items() if key != "roots"},
        "links": digest(links(catalog, catalog.config["papers"])),
    }
    return spec, {
        **report_inputs(catalog),
        "cases": [catalog.file("cases", paper=paper) for paper in catalog.printed()],
        "assets": sorted(path.relative_to(catalog.root).as_posix() for path in assets),
    }


def artefacts_in_print_order(catalog: Catalog, paper: str) -> list[Entry]:
    """Return the artefacts in the paper's order: tables and figures, text, then our additions."""
    rows = read_rows(catalog.root / PUBLISHED / "artefacts.csv")
    listed = [*(row["artefact"] for row in rows if row["paper"] == paper), "text"]
    ranks = {name: i for i, name in enumerate(listed)}
    entries = sorted(
        catalog.papers[paper]["artefacts"].items(), key=lambda one: ranks.get(one[0], len(ranks))
    )
    return [
        {"id": name, "printed": name in ranks, **{key: entry[key] for key in ("label", "outputs")}}
        for name, entry in entries
    ]


def provenance(catalog: Catalog) -> Needs:
    """Return the needs of `provenance`: all files that the run read or wrote.

    Keys: effort, seed, limits, papers.
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
        {"id": paper}
        | {key: catalog.papers[paper].get(key, "") for key in ("title", "citation", "doi")}
        for paper in papers
    ]
    tables = [catalog.file("raw_table", dataset=name) for name in catalog.sources()]
    return {**run_spec(catalog), "papers": cited}, {
        **report_inputs(catalog),
        "data": [*tables, *sorted(bundled)],
        "published": [path for paper in catalog.printed() for path in published(catalog, paper)],
        "workflow": ["workflow/Snakefile", "requirements.lock", *sorted(workflow)],
    }
