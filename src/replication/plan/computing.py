"""What the steps that compute need: inputs and specification of each of their jobs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.plan.configuration import ConfigError, as_json
from replication.plan.layout import BUNDLED, NO_DATASET
from replication.plan.readings import TABLES
from replication.steps import TOGETHER, compact

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog

_PARSED = ("columns", "numeric", "class", "identifiers")
_FOR_READERS = ("title", "description", "licence", "citation", "uci", "doi", "homepage", "note")
_PRINTED_ONLY = ("printed", "reachable")


def download_spec(catalog: Catalog, dataset: str) -> dict[str, Any]:
    """Specification of `download`: the entry without what is only for readers."""
    return {k: v for k, v in catalog.datasets[dataset].items() if k not in _FOR_READERS}


def prepare_inputs(catalog: Catalog, paper: str, dataset: str) -> dict[str, list[str]]:
    """Inputs of `prepare`: the raw table and its record."""
    entry = catalog.papers[paper]["datasets"][dataset]
    if "source" in entry:
        raw = entry["source"]
        return {
            "table": [catalog.file("raw_table", dataset=raw)],
            "source": [catalog.file("raw_source", dataset=raw)],
        }
    if "inline" in entry:
        return {"table": [f"{BUNDLED}/{entry['inline']}"], "source": []}
    return {"table": [], "source": []}


def prepare_spec(catalog: Catalog, paper: str, dataset: str) -> dict[str, Any]:
    """Specification of `prepare`: paper, dataset, entry, source, seed (if one is used)."""
    entry = catalog.papers[paper]["datasets"][dataset]
    source = catalog.datasets[entry["source"]] if "source" in entry else {}
    return {
        "paper": paper,
        "dataset": dataset,
        "entry": {k: v for k, v in entry.items() if k not in (*_PRINTED_ONLY, "sample")},
        "source": {key: source[key] for key in _PARSED if key in source},
        "seed": catalog.config["seed"] if "synthetic" in entry else None,
    }


def discretize_inputs(
    catalog: Catalog, paper: str, dataset: str, preparation: str
) -> dict[str, list[str]]:
    """Inputs of `discretize`: the prepared table and its counts."""
    ids = {"paper": paper, "dataset": dataset}
    return {"table": [catalog.file("prepared", **ids)], "facts": [catalog.file("facts", **ids)]}


def discretize_spec(catalog: Catalog, paper: str, dataset: str, preparation: str) -> dict[str, Any]:
    """Specification of `discretize`: paper, dataset, preparation (entry), sample, seed."""
    entry = catalog.papers[paper]["datasets"][dataset]
    rule = catalog.papers[paper]["preparations"][preparation]
    sample = entry.get("sample")
    if sample:
        sample = {**sample, "count": catalog.config["limits"]["samples"]}
    return {
        "paper": paper,
        "dataset": dataset,
        "preparation": {key: value for key, value in rule.items() if key != "readings"},
        "sample": sample,
        "seed": catalog.config["seed"] if sample else None,
    }


def similarity_inputs(
    catalog: Catalog, paper: str, dataset: str, preparation: str, measure: str
) -> dict[str, list[str]]:
    """Inputs of `similarity`: the coded data."""
    ids = {"paper": paper, "dataset": dataset, "preparation": preparation}
    return {"tables": [catalog.file("tables", **ids)]}


def similarity_spec(
    catalog: Catalog, paper: str, dataset: str, preparation: str, measure: str
) -> dict[str, Any]:
    """Specification of `similarity`: measure, fits (class, parameters, setting).

    One fit per point of the grid of a measure; or, where several measures are learnt together, one
    per measure and point, with the ``measure`` in the setting.
    """

    def fit(name: str, own: Mapping[str, Any], setting: Mapping[str, Any]) -> dict[str, Any]:
        entry = catalog.measures[name]
        parameters = {**entry.get("parameters", {}), **own}
        return {"class": entry["class"], "parameters": parameters, "setting": setting}

    if measure == TOGETHER:
        wanted = _learnt_together(catalog, paper, dataset, preparation)
        fits = [fit(name, own, {"measure": name, **own}) for name, own in wanted]
    else:
        grid = grids(catalog, paper).get((dataset, preparation, measure), ("", {}))[1]
        fits = [fit(measure, setting, setting) for setting in settings(grid)]
    return {"measure": measure, "fits": fits}


def together(
    catalog: Catalog, paper: str, dataset: str, preparation: str, measure: str = TOGETHER
) -> list[str]:
    """Measures that the experiments of a paper take from one file of `similarity`, sorted."""
    wanted = _learnt_together(catalog, paper, dataset, preparation)
    return list(dict.fromkeys(name for name, _ in wanted))


def _learnt_together(
    catalog: Catalog, paper: str, dataset: str, preparation: str
) -> list[tuple[str, dict[str, Any]]]:
    """Measures and parameters that experiments take from one file, sorted, each once."""
    wanted = {
        (name, as_json(point)): point
        for entry in catalog.papers[paper]["experiments"].values()
        if dataset in entry.get("datasets", []) and preparation in entry.get("preparations", [])
        for name, points in varied(entry).items()
        for point in points
    }
    return [(name, wanted[name, text]) for name, text in sorted(wanted)]


def varied(entry: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Points of the grids of the measures that an experiment takes from the rule `similarity`.

    Parameters
    ----------
    entry : mapping
        Experiment; ``similarities`` is a list of measures, or of each a list of grids.

    Returns
    -------
    dict of str to list of dict
        Measure to its settings; one without parameters where nothing is varied.
    """
    listed = entry.get("similarities", [])
    if not isinstance(listed, Mapping):
        return {name: [{}] for name in listed}
    return {
        name: [point for grid in grids for point in settings(grid)]
        for name, grids in listed.items()
    }


def grids(catalog: Catalog, paper: str) -> dict[tuple[str, str, str], tuple[str, dict[str, list]]]:
    """Where a similarity is asked for, and with which grid, by data set, preparation, measure.

    Raises
    ------
    ConfigError
        If two places ask for the same similarity with different grids.
    """
    found: dict[tuple[str, str, str], tuple[str, dict[str, list]]] = {}
    content = catalog.papers[paper]
    for artefact, entry in content["artefacts"].items():
        wanted = [
            (pipeline["preparation"], pipeline["measure"], f"methods.{method}", grid)
            for method in entry.get("methods", [])
            for grid in [content["methods"][method].get("grid", {})]
            for pipeline in pipelines(catalog, paper, method).values()
            if "measure" in pipeline
        ] + [
            (preparation, measure, f"artefacts.{artefact}", entry.get("grid", {}))
            for preparation, measure, _ in direct(entry)
        ]
        for preparation, measure, place, grid in wanted:
            for dataset in entry.get("datasets", []):
                key = (dataset, preparation, measure)
                first = found.setdefault(key, (place, grid))
                if first[1] != grid:
                    raise ConfigError(
                        f"config/papers/{paper}.yaml: {place}.grid: is {as_json(grid)}, but "
                        f"{first[0]} asks for the same similarity ({dataset}, {preparation}, "
                        f"{measure}) with {as_json(first[1])}; make them equal, or register "
                        "the measure under a second id"
                    )
    return found


def check_grids(catalog: Catalog) -> None:
    """Check that nobody asks for one similarity with two grids.

    Raises
    ------
    ConfigError
        If somebody does.
    """
    for paper in catalog.papers:
        grids(catalog, paper)


def pipeline(catalog: Catalog, paper: str, method: str, reading: str, **_: str) -> dict[str, str]:
    """Preparation, measure and algorithm of a method in one reading."""
    return pipelines(catalog, paper, method)[reading]


def pipelines(catalog: Catalog, paper: str, method: str) -> dict[str, dict[str, str]]:
    """Pipelines of a method by reading, those beside the paper's readings last."""
    content = catalog.papers[paper]
    entry = content["methods"][method]
    return {name: entry[name] for name in content["readings"]} | entry.get("beside", {})


def trials_inputs(
    catalog: Catalog, paper: str, dataset: str, method: str, reading: str
) -> dict[str, list[str]]:
    """Inputs of `trials`: the coded data, and the similarity if the method has one.

    Where a paper's last reading, the text as it stands, applies the same algorithm to the table
    itself, also its label vectors and its table: equal tables are clustered once.
    """
    steps = pipeline(catalog, paper, method, reading)
    ids = {"paper": paper, "dataset": dataset, "preparation": steps["preparation"]}
    other = catalog.papers[paper]["readings"][-1]
    theirs = pipeline(catalog, paper, method, other)
    shared = (
        other != reading
        and "measure" not in {**steps, **theirs}
        and steps["algorithm"] == theirs["algorithm"]
    )
    one = {"paper": paper, "dataset": dataset}
    return {
        "tables": [catalog.file("tables", **ids)],
        "similarity": [
            catalog.file("similarity", measure=measure, **ids)
            for measure in [steps.get("measure")]
            if measure
        ],
        "known": [
            catalog.file("trial_labels", method=method, reading=other, **one),
            catalog.file("tables", preparation=theirs["preparation"], **one),
        ]
        if shared
        else [],
    }


def trials_spec(
    catalog: Catalog, paper: str, dataset: str, method: str, reading: str
) -> dict[str, Any]:
    """Specification of `trials`.

    Keys: paper, dataset, method, reading, preparation, measure, algorithm (id, class,
    parameters, settings), select, fixed, row_orders, seed. Without a measure the algorithm
    works on the table, and ``settings`` is its grid.
    """
    steps = pipeline(catalog, paper, method, reading)
    entry = catalog.papers[paper]["methods"][method]
    algorithm = catalog.algorithms[steps["algorithm"]]
    return {
        "paper": paper,
        "dataset": dataset,
        "method": method,
        "reading": reading,
        "preparation": steps["preparation"],
        "measure": steps.get("measure", ""),
        "algorithm": {
            "id": steps["algorithm"],
            "class": algorithm["class"],
            "parameters": algorithm.get("parameters", {}),
            "settings": None if "measure" in steps else settings(entry.get("grid", {})),
        },
        "select": entry.get("select"),
        "fixed": entry.get("fixed"),
        "row_orders": catalog.config["limits"]["row_orders"],
        "seed": catalog.config["seed"],
    }


def experiment_records(
    catalog: Catalog, paper: str, experiment: str, dataset: str
) -> list[dict[str, str]]:
    """Files of one data set that an experiment may ask for, one record per file."""
    if dataset == NO_DATASET:
        return []
    records = [
        {"role": role, "file": catalog.file(role, paper=paper, dataset=dataset)}
        for role in ("facts", "prepared")
    ]
    entry = catalog.papers[paper]["experiments"][experiment]
    for preparation in entry.get("preparations", []):
        ids = {"paper": paper, "dataset": dataset, "preparation": preparation}
        file = catalog.file("tables", **ids)
        records.append({"role": "tables", "preparation": preparation, "file": file})
        if entry.get("similarities"):
            file = catalog.file("similarity", measure=TOGETHER, **ids)
            records.append({"role": "similarity", "preparation": preparation, "file": file})
    return records


def experiment_inputs(
    catalog: Catalog, paper: str, experiment: str, dataset: str
) -> dict[str, list[str]]:
    """Inputs of `experiment`: the files of one data set that it may ask for."""
    records = experiment_records(catalog, paper, experiment, dataset)
    return {"files": [record["file"] for record in records]}


def experiment_spec(catalog: Catalog, paper: str, experiment: str, dataset: str) -> dict[str, Any]:
    """Specification of `experiment`: see `replication.run.experiment.Experiment`."""
    entry = catalog.papers[paper]["experiments"][experiment]
    trials, limit = entry.get("trials", 1), catalog.config["limits"]["trials"]
    return {
        "paper": paper,
        "experiment": experiment,
        "dataset": "" if dataset == NO_DATASET else dataset,
        "run": entry["run"],
        "parameters": {
            **entry.get("parameters", {}),
            **entry.get("by_dataset", {}).get(dataset, {}),
            **entry.get("by_effort", {}).get(catalog.config["effort"], {}),
        },
        "trials": trials if limit == "printed" else min(trials, limit),
        "seed": catalog.config["seed"],
        **{
            registry: {
                name: {
                    key: getattr(catalog, registry)[name].get(key)
                    for key in ("class", "parameters", "label")
                    if key in getattr(catalog, registry)[name]
                }
                for name in entry.get(registry, [])
            }
            for registry in ("measures", "algorithms")
        },
        "similarities": {
            name: {"label": catalog.measures[name]["label"], "settings": points}
            for name, points in varied(entry).items()
        },
        "inputs": experiment_records(catalog, paper, experiment, dataset),
    }


def experiment_files(catalog: Catalog, paper: str, experiment: str) -> list[dict[str, str]]:
    """Records of an experiment over the data sets that are computed, one per file."""
    entry = catalog.papers[paper]["experiments"][experiment]
    computed = catalog.computed(paper)
    names = (
        [name for name in entry["datasets"] if name in computed]
        if ("datasets" in entry)
        else [NO_DATASET]
    )
    return [
        {
            "dataset": name,
            "file": catalog.file("experiment", paper=paper, experiment=experiment, dataset=name),
        }
        for name in names
    ]


def comparison_datasets(catalog: Catalog, paper: str, methods: Sequence[str]) -> list[str]:
    """Computed data sets to which each of these methods is applied, in whatever artefacts."""
    entries = catalog.papers[paper]["artefacts"].values()
    used = [
        {
            dataset
            for entry in entries
            if method in entry.get("methods", [])
            for dataset in entry.get("datasets", [])
        }
        for method in methods
    ]
    return [dataset for dataset in catalog.computed(paper) if all(dataset in one for one in used)]


def tests_records(catalog: Catalog, paper: str) -> list[dict[str, str]]:
    """Trials of the compared methods, and compared experiments, one record per file."""
    found = {}
    experiments = {}
    for comparison in catalog.papers[paper].get("comparisons", []):
        for name in comparison.get("experiments", []):
            experiments[name] = experiment_files(catalog, paper, name)
        if "methods" not in comparison:
            continue
        methods, reading = comparison["methods"], comparison["reading"]
        for dataset in comparison_datasets(catalog, paper, methods):
            for method in methods:
                ids = {"dataset": dataset, "method": method, "reading": reading}
                found[tuple(ids.values())] = ids
    return [
        *(
            {"role": "trials", **ids, "file": catalog.file("trials", paper=paper, **ids)}
            for ids in found.values()
        ),
        *(
            {"role": "experiment", "experiment": name, **record}
            for name, records in experiments.items()
            for record in records
        ),
    ]


def tests_inputs(catalog: Catalog, paper: str) -> dict[str, list[str]]:
    """Inputs of `tests`: the trials of the compared methods, records of compared experiments."""
    return {"records": [record["file"] for record in tests_records(catalog, paper)]}


def tests_spec(catalog: Catalog, paper: str) -> dict[str, Any]:
    """Specification of `tests`: see `replication.run.statistics.Comparison`.

    Keys: paper, comparisons, methods (id to select and fixed), inputs, and where a function
    compares, choices (answers of the first reading to the questions that tables ask) and seed.
    """
    comparisons = catalog.papers[paper].get("comparisons", [])
    used = {method for comparison in comparisons for method in comparison.get("methods", [])}
    own = any("run" in comparison for comparison in comparisons)
    first = catalog.papers[paper]["readings"][0]
    return {
        "paper": paper,
        "comparisons": comparisons,
        "methods": {
            method: {
                key: catalog.papers[paper]["methods"][method].get(key)
                for key in ("select", "fixed")
            }
            for method in sorted(used)
        },
        "inputs": compact(tests_records(catalog, paper)),
        **(
            {"choices": choices(catalog, paper, first), "seed": catalog.config["seed"]}
            if own
            else {}
        ),
    }


def choices(catalog: Catalog, paper: str, reading: str) -> dict[str, str]:
    """Answers of a reading to the questions that the tables of a paper ask."""
    return {
        name: entry[reading]
        for name, entry in catalog.readings.items()
        if name.startswith(f"{paper}.") and entry.get("steers") == TABLES
    }


def settings(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Points of a grid, the last parameter varying fastest; one empty point without a grid.

    Parameters
    ----------
    grid : mapping of str to sequence
        Values by parameter.

    Returns
    -------
    list of dict
    """
    return [dict(zip(grid, point, strict=True)) for point in itertools.product(*grid.values())]


def direct(entry: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Similarities that an artefact shows itself, as (preparation, measure, reading)."""
    found = []
    if "measure" in entry:
        found.append((entry["preparation"], entry["measure"], "reconciled"))
    if "literal_measure" in entry:
        preparation = entry.get("literal_preparation", entry["preparation"])
        found.append((preparation, entry["literal_measure"], "literal"))
    return found
