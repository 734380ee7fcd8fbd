"""Return specifications of the jobs that compute, and the files that fan in, see `plan.steps`.

A job of `discretize`, `similarity`, `experiment` or `timing` is one data set of one paper. A job of
`trials` is one batch of methods and experiments on one data set.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from replication.plan.catalog import Catalog, Entry, Needs, Registry
from replication.plan.configuration import as_json
from replication.plan.layout import BUNDLED, NO_DATASET
from replication.plan.readings import TABLES
from replication.plan.steps import STEPS
from replication.specs import AlgorithmSpec, MethodSpec, PipelineSpec

_PARSED = ("columns", "numeric", "class", "identifiers", "complete_rows")
_FOR_READERS = ("title", "description", "licence", "citation", "uci", "doi", "homepage", "note")
_PRINTED_ONLY = ("printed", "reachable")
_USED = ("class", "parameters", "label")
FOLDERS = {rule: next(iter(STEPS[rule].outputs)) for rule in ("experiment", "timing", "trials")}
"""Name in `FILES` of the folder of records, by the rule that runs the experiment."""


def download(catalog: Catalog, dataset: str) -> Needs:
    """Return the needs of `download`: the entry of the data set without texts for readers."""
    return {k: v for k, v in catalog.datasets[dataset].items() if k not in _FOR_READERS}, {}


def partitions(catalog: Catalog) -> Needs:
    """Return the needs of `partitions`: the files of each source of label vectors."""
    used = ("folder", "files", "datasets", "left_out")
    return {
        "sources": {
            name: {key: entry[key] for key in used if key in entry}
            for name, entry in catalog.independent["sources"].items()
        }
    }, {}


def others(catalog: Catalog) -> Needs:
    """Return the needs of `others`: prepared tables with the classes."""
    owner = catalog.independent["tables_of"]
    datasets = catalog.computed(owner)
    spec = {"tables_of": owner, "compared": catalog.independent["compared"], "datasets": datasets}
    return spec, {
        name: [catalog.file(name, paper=owner, dataset=one) for one in datasets]
        for name in ("prepared", "facts")
    }


def discretize(catalog: Catalog, paper: str, dataset: str) -> Needs:
    """Return the needs of `discretize`: raw table and its record, a bundled table, or no file."""
    content, config = catalog.papers[paper], catalog.config
    entry = content["datasets"][dataset]
    inputs = {"table": [f"{BUNDLED}/{entry['inline']}"] if "inline" in entry else [], "source": []}
    if raw := entry.get("source"):
        inputs = {name: [catalog.file(f"raw_{name}", dataset=raw)] for name in inputs}
    source = catalog.datasets[raw] if raw else {}
    count = config["limits"]["samples"]
    sample = {"size": entry["sample"], "count": count} if "sample" in entry else None
    spec = {
        "paper": paper,
        "dataset": dataset,
        "entry": {k: v for k, v in entry.items() if k not in (*_PRINTED_ONLY, "sample")},
        "source": {key: source[key] for key in _PARSED if key in source}
        | ({"parts": True} if len(source.get("files", ())) > 1 else {}),
        "preparations": {
            name: {k: v for k, v in content["preparations"][name].items() if k != "readings"}
            for name in preparations(catalog, paper, dataset)
        },
        "sample": sample,
        "seed": config["seed"] if sample or "synthetic" in entry else None,
    }
    return spec, inputs


def preparations(catalog: Catalog, paper: str, dataset: str) -> list[str]:
    """Return the preparations that are used on a data set, in the paper's order."""
    content = catalog.papers[paper]
    wanted = {name for name, _, _ in _requested_fits(catalog, paper, dataset)}
    for entry in (
        *_listing(content["artefacts"], dataset),
        *_listing(content["experiments"], dataset),
    ):
        wanted |= {*entry.get("preparations", []), entry.get("preparation", "")}
    for method in methods(catalog, paper, dataset):
        wanted |= {one["preparation"] for one in pipelines(catalog, paper, method).values()}
    return [name for name in content["preparations"] if name in wanted]


def similarity(catalog: Catalog, paper: str, dataset: str) -> Needs:
    """Return the needs of `similarity`: fits by preparation, see `replication.run.similarity`."""
    found: dict[str, dict[tuple[str, str], Entry]] = {}
    for preparation, measure, points in _requested_fits(catalog, paper, dataset):
        entry = catalog.measures[measure]
        for point in points:
            found.setdefault(preparation, {})[measure, as_json(point)] = {
                "measure": measure,
                "class": entry["class"],
                "parameters": {**entry.get("parameters", {}), **point},
                "setting": point,
            }
    fits = {name: list(one.values()) for name, one in sorted(found.items())}
    return {"preparations": fits}, {}


def _requested_fits(
    catalog: Catalog, paper: str, dataset: str
) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Yield preparation, measure and settings of all fits."""
    content = catalog.papers[paper]
    for method in methods(catalog, paper, dataset):
        grid = settings(content["methods"][method].get("grid", {}))
        for one in pipelines(catalog, paper, method).values():
            if "measure" in one:
                yield one["preparation"], one["measure"], grid
    for entry in _listing(content["artefacts"], dataset):
        grid = settings(entry.get("grid", {}))
        for preparation, measure in shown_similarities(entry).values():
            yield preparation, measure, grid
    for entry in _listing(content["experiments"], dataset):
        for preparation in entry.get("preparations", []):
            for measure, points in requested_settings(entry).items():
                yield preparation, measure, points


def _listing(entries: Registry, dataset: str) -> list[Entry]:
    """Return the artefacts or experiments that list a data set."""
    return [entry for entry in entries.values() if dataset in entry.get("datasets", [])]


def requested_settings(entry: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the settings, by measure, that an experiment takes from the rule `similarity`.

    ``similarities`` of the entry is a list of measures, or a map of measures to lists of grids.
    """
    listed = entry.get("similarities", [])
    if not isinstance(listed, Mapping):
        listed = {name: [{}] for name in listed}
    return {
        name: [point for grid in grids for point in settings(grid)]
        for name, grids in listed.items()
    }


def settings(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the points of a grid, the last parameter varying fastest; ``[{}]`` if it is empty."""
    return [dict(zip(grid, point, strict=True)) for point in itertools.product(*grid.values())]


def shown_similarities(entry: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return preparation and measure, by reading, of the similarity that an artefact shows."""
    preparation = entry.get("preparation", "")
    literal = entry.get("literal_preparation", preparation), entry.get("literal_measure", "")
    found = {"reconciled": (preparation, entry.get("measure", "")), "literal": literal}
    return {reading: steps for reading, steps in found.items() if steps[1]}


def pipelines(catalog: Catalog, paper: str, method: str) -> dict[str, dict[str, str]]:
    """Return the pipelines of a method by reading, those of `beside` last."""
    content = catalog.papers[paper]
    entry = content["methods"][method]
    return {name: entry[name] for name in content["readings"]} | entry.get("beside", {})


def methods(catalog: Catalog, paper: str, dataset: str) -> list[str]:
    """Return the methods that artefacts apply to a data set, in the paper's order."""
    content = catalog.papers[paper]
    wanted = {
        method
        for entry in _listing(content["artefacts"], dataset)
        for method in entry.get("methods", [])
    }
    return [name for name in content["methods"] if name in wanted]


def batch_of(catalog: Catalog, paper: str, name: str) -> str:
    """Return the batch of a method, or of an experiment that clusters; by default its id."""
    content = catalog.papers[paper]
    entry = content["methods"].get(name) or content["experiments"][name]
    return str(entry.get("batch", name))


def trials(catalog: Catalog, paper: str, dataset: str, batch: str) -> Needs:
    """Return the needs of `trials`: the methods and experiments of a batch on a data set."""
    journal = catalog.file("journal", rule="trials", paper=paper, dataset=dataset, part=batch)
    clustered = [
        method_spec(catalog, paper, dataset, name, journal)
        for name in methods(catalog, paper, dataset)
        if batch_of(catalog, paper, name) == batch
    ]
    files = [file for one in clustered for file in (one.tables, one.similarity) if file]
    spec, inputs = experiment(catalog, paper, dataset, "trials", batch)
    files += inputs["files"]
    contents = [one.content for one in clustered]
    return {**spec, "methods": contents}, {"files": list(dict.fromkeys(files))}


def method_spec(
    catalog: Catalog, paper: str, dataset: str, method: str, journal: str
) -> MethodSpec:
    """Return the specification of a method on a data set."""
    entry = catalog.papers[paper]["methods"][method]
    ids = {"paper": paper, "dataset": dataset}
    steps = pipelines(catalog, paper, method)
    measured = any("measure" in one for one in steps.values())
    readings = []
    for reading, one in steps.items():
        known = catalog.algorithms[one["algorithm"]]
        algorithm = AlgorithmSpec(one["algorithm"], known["class"], known.get("parameters", {}))
        readings.append(
            PipelineSpec(
                reading,
                one["preparation"],
                one.get("measure", ""),
                settings(entry.get("grid", {})),
                algorithm,
            )
        )
    return MethodSpec(
        paper=paper,
        dataset=dataset,
        method=method,
        tables=catalog.file("tables", **ids),
        similarity=catalog.file("similarity", **ids) if measured else "",
        readings=readings,
        select=entry.get("select"),
        fixed=entry.get("fixed"),
        row_orders=catalog.config["limits"]["row_orders"],
        seed=catalog.config["seed"],
        journal=journal,
    )


def experiment_rule(entry: Mapping[str, Any]) -> str:
    """Return the rule of an experiment: `timing`, `trials` or `experiment`."""
    if entry.get("alone"):
        return "timing"
    return "trials" if "batch" in entry else "experiment"


def experiments(catalog: Catalog, paper: str, dataset: str, rule: str) -> list[str]:
    """Return the experiments that a rule runs on a data set."""
    return [
        name
        for name, entry in catalog.papers[paper]["experiments"].items()
        if experiment_rule(entry) == rule and dataset in entry.get("datasets", [NO_DATASET])
    ]


def experiment(
    catalog: Catalog, paper: str, dataset: str, rule: str = "experiment", batch: str = "all"
) -> Needs:
    """Return the needs of `experiment`, or of another rule that runs experiments."""
    journal = catalog.file("journal", rule=rule, paper=paper, dataset=dataset, part=batch)
    found = [
        {**experiment_spec(catalog, paper, name, dataset), "journal": journal}
        for name in experiments(catalog, paper, dataset, rule)
        if rule != "trials" or batch_of(catalog, paper, name) == batch
    ]
    files = [one["file"] for entry in found for one in entry["inputs"]]
    return {"experiments": found}, {"files": list(dict.fromkeys(files))}


def parameters(catalog: Catalog, entry: Mapping[str, Any], dataset: str) -> Entry:
    """Return the keyword arguments of an experiment on a data set."""
    return {
        **entry.get("parameters", {}),
        **entry.get("by_dataset", {}).get(dataset, {}),
        **entry.get("by_effort", {}).get(catalog.config["effort"], {}),
    }


def experiment_spec(catalog: Catalog, paper: str, experiment: str, dataset: str) -> Entry:
    """Return the specification that `replication.run.experiment.Experiment` takes."""
    entry = catalog.papers[paper]["experiments"][experiment]
    trials, limit = entry.get("trials", 1), catalog.config["limits"]["trials"]
    needed = entry.get("preparations", [])
    roles = [] if dataset == NO_DATASET else ["facts", "prepared", *(["tables"] if needed else [])]
    if roles and entry.get("similarities"):
        roles.append("similarity")
    return {
        "paper": paper,
        "experiment": experiment,
        "dataset": "" if dataset == NO_DATASET else dataset,
        "run": entry["run"],
        "parameters": parameters(catalog, entry, dataset),
        "trials": trials if limit == "printed" else min(trials, limit),
        "seed": catalog.config["seed"],
        **{
            kind: {
                name: {key: known[name][key] for key in _USED if key in known[name]}
                for name in entry.get(kind, [])
            }
            for kind, known in (("measures", catalog.measures), ("algorithms", catalog.algorithms))
        },
        "similarities": {
            name: {"label": catalog.measures[name]["label"], "settings": points}
            for name, points in requested_settings(entry).items()
        },
        "preparations": needed,
        "inputs": [
            {"role": role, "file": catalog.file(role, paper=paper, dataset=dataset)}
            for role in roles
        ],
    }


def experiment_entry(catalog: Catalog, paper: str, experiment: str) -> Entry:
    """Return the records of an experiment on all computed data sets, as `Records` takes them."""
    entry = catalog.papers[paper]["experiments"][experiment]
    computed = catalog.computed(paper)
    return {
        "role": "experiment",
        "experiment": experiment,
        "datasets": [
            name for name in entry.get("datasets", [NO_DATASET]) if name in (*computed, NO_DATASET)
        ],
        "file": _record(catalog, paper, FOLDERS[experiment_rule(entry)], experiment),
    }


def trials_entry(catalog: Catalog, paper: str, method: str, datasets: Iterable[str]) -> Entry:
    """Return the records of a method on some data sets, as `Records` takes them."""
    file = _record(catalog, paper, "trials", method)
    return {"role": "trials", "method": method, "datasets": list(datasets), "file": file}


def _record(catalog: Catalog, paper: str, folder: str, name: str) -> str:
    """Return the file of records of a method or experiment, with ``{dataset}`` for the data set."""
    ids = {"batch": batch_of(catalog, paper, name)} if folder == "trials" else {}
    return f"{catalog.file(folder, paper=paper, dataset='{dataset}', **ids)}/{name}.parquet"


def outputs_of(entries: Iterable[Entry]) -> list[str]:
    """Return the outputs of rules that hold the files of entries; records are in folders."""
    files = {
        entry["file"].replace("{dataset}", dataset): entry["role"] in ("trials", "experiment")
        for entry in entries
        for dataset in entry.get("datasets", [""])
    }
    outputs = (str(Path(file).parent) if folder else file for file, folder in files.items())
    return list(dict.fromkeys(outputs))


def tests(catalog: Catalog, paper: str) -> Needs:
    """Return the needs of `tests`, see `replication.run.statistics.Comparison`.

    Keys: paper, comparisons, methods (``select`` and ``fixed`` by id), reading (the first), choices
    (its answers that tables ask for), seed and inputs.
    """
    content = catalog.papers[paper]
    reading = content["readings"][0]
    applied = {one: methods(catalog, paper, one) for one in catalog.computed(paper)}
    entries: dict[str, Entry] = {}
    chosen = {}
    for comparison in content["comparisons"]:
        for name in comparison.get("experiments", []):
            entries[name] = experiment_entry(catalog, paper, name)
        compared = comparison.get("methods", [])
        shared = [one for one, known in applied.items() if {*compared} <= {*known}]
        for name in compared:
            entries[name] = trials_entry(catalog, paper, name, shared)
            chosen[name] = {key: content["methods"][name].get(key) for key in ("select", "fixed")}
    inputs = list(entries.values())
    spec = {
        "paper": paper,
        "comparisons": content["comparisons"],
        "methods": chosen,
        "reading": reading,
        "choices": choices(catalog, paper, reading),
        "seed": catalog.config["seed"],
        "inputs": inputs,
    }
    return spec, {"records": outputs_of(inputs)}


def choices(catalog: Catalog, paper: str, reading: str) -> dict[str, str]:
    """Return the answers of a reading to the questions that the tables of a paper ask."""
    return {
        name: entry[reading]
        for name, entry in catalog.readings.items()
        if name.startswith(f"{paper}.") and entry.get("steers") == TABLES
    }
