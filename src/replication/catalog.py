"""The configuration as one checked object: what there is to do, and what each job needs to know.

`Catalog.load` reads the registries and the papers, checks them against the schemas and against
each other, and answers two kinds of questions: which files are wanted, and what is the
specification of one job. A specification holds only what that job depends on, as JSON with sorted
keys; a change elsewhere in the configuration leaves it as it was.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replication.configuration import ConfigError, plain, read_yaml, typed, validate
from replication.digest import code_digest
from replication.inputs import compact
from replication.references import check_references
from replication.rows import read_rows

RAW = "data/raw"
BUNDLED = "data/bundled"
PUBLISHED = "data/published"
USER = "data/user"
BASELINE = "data/baseline"

FILES = {
    "raw_table": RAW + "/{dataset}/table.csv",
    "raw_source": RAW + "/{dataset}/source.json",
    "prepared": "{results}/prepared/{paper}/{dataset}.csv",
    "facts": "{results}/prepared/{paper}/{dataset}.json",
    "tables": "{results}/tables/{paper}/{dataset}.{preparation}.npz",
    "similarity": "{results}/similarity/{paper}/{dataset}.{preparation}.{measure}.npz",
    "trials": "{results}/trials/{paper}/{dataset}.{method}.{reading}.csv",
    "tests": "{results}/tests/{paper}.csv",
    "experiment": "{results}/experiments/{paper}/{experiment}.{dataset}.csv",
    "claims": "{results}/claims/{paper}.csv",
    "verdicts": "{results}/verdicts/{paper}/{artefact}.csv",
    "table": "{figures}/{paper}/{artefact}.csv",
    "markdown": "{figures}/{paper}/{artefact}.md",
    "latex": "{figures}/{paper}/{artefact}.tex",
    "html": "{figures}/{paper}/{artefact}.html",
    "svg": "{figures}/{paper}/{artefact}.svg",
    "pdf": "{figures}/{paper}/{artefact}.pdf",
    "ledger": "{results}/ledger/verdicts.csv",
    "summary": "{results}/ledger/summary.csv",
    "unavailable": "{results}/ledger/unavailable.csv",
    "ledger_claims": "{results}/ledger/claims.csv",
    "notebook": "{results}/notebooks/{notebook}.html",
    "coverage": "{results}/ledger/coverage.csv",
    "deviations": "{results}/ledger/deviations.csv",
    "changes": "{results}/ledger/changes.csv",
    "granularity": "{figures}/granularity.md",
    "rollup": "{figures}/rollup.md",
    "report": "{results}/report.html",
    "crate": "{results}/ro-crate-metadata.json",
}
"""Where every file is, by the name that the rest of this module uses."""

MODULES = {
    "download": "replication.fetch",
    "prepare": "replication.prepare",
    "discretize": "replication.discretize",
    "similarity": "replication.similarity",
    "trials": "replication.trials",
    "tests": "replication.statistics",
    "experiment": "replication.experiment",
    "timing": "replication.experiment",
    "claims": "replication.claims",
    "table": "replication.tables",
    "figure": "replication.figures",
    "ledger": "replication.ledger",
    "granularity": "replication.granularity",
    "rollup": "replication.rollup",
    "report": "replication.report",
    "provenance": "replication.provenance",
    "notebook": "replication.results",
}
"""Module behind every rule."""

_PARSED = ("columns", "numeric", "class", "identifiers")
_FOR_READERS = ("title", "description", "licence", "citation", "uci", "doi", "homepage", "note")
_PRINTED_ONLY = ("printed", "reachable")
_SECTIONS = ("methods", "experiments")
_CITED = ("title", "citation", "doi")
NO_DATASET = "none"
"""Stands for the data set in the name of an experiment that needs none."""

Registry = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Catalog:
    """The checked configuration.

    Attributes
    ----------
    root : Path
        Top of the repository.
    config : dict
        What to run: `config/config.yaml` with whatever was laid over it.
    datasets, measures, algorithms, readings : dict
        The registries, by id.
    papers : dict
        The papers, by id, whether they are run or not.
    """

    root: Path
    config: dict[str, Any]
    datasets: Registry
    measures: Registry
    algorithms: Registry
    readings: Registry
    papers: Registry

    @classmethod
    def load(
        cls, config: Mapping[str, Any], root: Path, origin: str = "config/config.yaml"
    ) -> Catalog:
        """Read and check everything.

        Parameters
        ----------
        config : mapping
            The merged content of `config/config.yaml` and of whatever was laid over it.
        root : Path
            Top of the repository.
        origin : str
            What to call `config` in messages.

        Returns
        -------
        Catalog

        Raises
        ------
        ConfigError
            At the first mistake.
        """
        root = Path(root)
        schemas = root / "workflow" / "schemas"
        schema = schemas / "config.schema.yaml"
        config = typed(plain(config), read_yaml(schema, str(schema)))
        validate(config, schema, origin)
        registries = {}
        for name in ("datasets", "measures", "algorithms", "readings"):
            file = f"config/{name}.yaml"
            registries[name] = read_yaml(root / file, file)
            validate(registries[name], schemas / f"{name}.schema.yaml", file)
        papers = {}
        for path in sorted((root / "config" / "papers").glob("*.yaml")):
            file = f"config/papers/{path.name}"
            paper = read_yaml(path, file)
            validate(paper, schemas / "paper.schema.yaml", file)
            if paper["id"] != path.stem:
                raise ConfigError(
                    f"{file}: id: is {paper['id']!r}, must be the name of the file, {path.stem!r}"
                )
            papers[path.stem] = expanded({**{key: {} for key in _SECTIONS}, **paper})
        catalog = cls(root, config, **registries, papers=papers)
        check_references(catalog, origin)
        catalog.check_grids()
        return catalog

    # ------------------------------------------------------------------ what there is to do

    def file(self, name: str, **ids: str) -> str:
        """Path of one file, relative to the top of the repository.

        Parameters
        ----------
        name : str
            A key of `FILES`.
        **ids : str
            What the pattern asks for.

        Returns
        -------
        str
        """
        return FILES[name].format(**self.config["roots"], **ids)

    def computed(self, paper: str) -> list[str]:
        """Data sets of a paper that the limits let through, in the paper's order.

        Files of the reader's own are never left out.
        """
        entries = self.papers[paper]["datasets"]
        limit = self.config["limits"]["datasets"]
        if limit == "all":
            return list(entries)
        return [name for name, entry in entries.items() if name in limit or "user" in entry]

    def sources(self) -> list[str]:
        """Data sets of the registry that the papers of this run need, sorted."""
        return sorted(
            {
                self.papers[paper]["datasets"][dataset]["source"]
                for paper in self.config["papers"]
                for dataset in self.computed(paper)
                if "source" in self.papers[paper]["datasets"][dataset]
            }
        )

    def artefacts(self, paper: str, output: str = "table") -> list[str]:
        """Artefacts of a paper that have a given output, ``table`` or ``figure``."""
        entries = self.papers[paper]["artefacts"]
        return [name for name, entry in entries.items() if output in entry["outputs"]]

    def ids(self, kind: str) -> list[str]:
        """All ids of one kind, sorted: the values that a wildcard can take.

        Parameters
        ----------
        kind : str
            ``paper``, ``dataset``, ``preparation``, ``measure``, ``method``, ``reading``,
            ``artefact``, ``experiment``, ``timing`` (an experiment that runs alone) or
            ``notebook``.

        Returns
        -------
        list of str
        """
        if kind == "paper":
            return sorted(self.papers)
        if kind == "measure":
            return sorted(self.measures)
        if kind == "notebook":
            return sorted(path.stem for path in (self.root / "notebooks").glob("*.ipynb"))
        if kind in ("experiment", "timing"):
            return sorted(
                name
                for paper in self.papers.values()
                for name, entry in paper["experiments"].items()
                if entry.get("alone", False) == (kind == "timing")
            )
        section = {
            "dataset": "datasets",
            "preparation": "preparations",
            "method": "methods",
            "reading": "readings",
            "artefact": "artefacts",
        }[kind]
        found = {name for paper in self.papers.values() for name in paper[section]}
        if kind == "reading":
            found |= {
                name
                for paper in self.papers.values()
                for entry in paper["methods"].values()
                for name in entry.get("beside", {})
            }
        return sorted(found | {*self.datasets, NO_DATASET} if kind == "dataset" else found)

    def targets(self, paper: str) -> list[str]:
        """Files that are wanted of one paper: its tables, figures and tests."""
        wanted = [
            self.file(name, paper=paper, artefact=artefact)
            for output, names in (
                ("table", ("table", "markdown", "latex", "html", "verdicts")),
                ("figure", ("svg", "pdf")),
            )
            for artefact in self.artefacts(paper, output)
            for name in names
        ]
        if self.papers[paper].get("comparisons"):
            wanted.append(self.file("tests", paper=paper))
        if not self.papers[paper].get("own"):
            wanted.append(self.file("claims", paper=paper))
        return wanted

    # ------------------------------------------------------------------ what one job needs

    def inputs(self, rule: str, **ids: str) -> dict[str, list[str]]:
        """Input files of one job, by name.

        Parameters
        ----------
        rule : str
            Name of the rule.
        **ids : str
            Its wildcards.

        Returns
        -------
        dict of str to list of str
        """
        return getattr(self, f"_{rule}_inputs")(**ids)

    def spec(self, rule: str, **ids: str) -> str:
        """Everything that one job needs from the configuration, as JSON.

        Parameters
        ----------
        rule : str
            Name of the rule.
        **ids : str
            Its wildcards.

        Returns
        -------
        str
            The same text for the same content.
        """
        return as_json(getattr(self, f"_{rule}_spec")(**ids))

    def policy(self) -> str:
        """How data sets are obtained, as JSON."""
        return as_json(self.config["data"])

    def code(self, rule: str, **ids: str) -> str:
        """Digest of the code that one job can reach.

        Parameters
        ----------
        rule : str
            Name of the rule.
        **ids : str
            Its wildcards.

        Returns
        -------
        str
        """
        points = [MODULES[rule]]
        if rule == "similarity":
            points.append(self.measures[ids["measure"]]["class"])
        if rule == "trials":
            points.append(self.algorithms[self._pipeline(**ids)["algorithm"]]["class"])
        if rule in ("experiment", "timing"):
            entry = self.papers[ids["paper"]]["experiments"][ids["experiment"]]
            points.append(entry["run"])
            for registry in ("measures", "algorithms"):
                points += [
                    getattr(self, registry)[name]["class"] for name in entry.get(registry, [])
                ]
        if rule == "notebook":
            library = self.root / "src"
            points += [
                ".".join(path.relative_to(library).with_suffix("").parts)
                for path in sorted((library / "couplings").rglob("[a-z]*.py"))
            ]
        if rule in ("table", "figure", "claims"):
            module = rule if rule == "claims" else f"{rule}s"
            points.append(f"replication.papers.{ids['paper']}.{module}")
        return code_digest(points, self.root)

    def _download_spec(self, dataset: str) -> dict[str, Any]:
        """Specification of `download`: the entry without what is only for readers."""
        return {k: v for k, v in self.datasets[dataset].items() if k not in _FOR_READERS}

    def _prepare_inputs(self, paper: str, dataset: str) -> dict[str, list[str]]:
        entry = self.papers[paper]["datasets"][dataset]
        if "source" in entry:
            raw = entry["source"]
            return {
                "table": [self.file("raw_table", dataset=raw)],
                "source": [self.file("raw_source", dataset=raw)],
            }
        if "inline" in entry:
            return {"table": [f"{BUNDLED}/{entry['inline']}"], "source": []}
        if "user" in entry:
            files = self._user_files(entry)
            if not files:
                raise ConfigError(
                    f"config/papers/{paper}.yaml: datasets.{dataset}.user: there is no file "
                    f"{USER}/{entry['user']}, nor a folder of Parquet files; put it there, or "
                    "correct its name"
                )
            return {"table": files, "source": []}
        return {"table": [], "source": []}

    def _user_files(self, entry: dict[str, Any]) -> list[str]:
        """The file of the reader's own, or the Parquet files of the folder."""
        path = self.root / USER / entry["user"]
        if path.is_file():
            return [f"{USER}/{entry['user']}"]
        return [file.relative_to(self.root).as_posix() for file in sorted(path.rglob("*.parquet"))]

    def _prepare_spec(self, paper: str, dataset: str) -> dict[str, Any]:
        """Specification of `prepare`: paper, dataset, entry, source, seed (if one is used)."""
        entry = self.papers[paper]["datasets"][dataset]
        source = self.datasets[entry["source"]] if "source" in entry else {}
        return {
            "paper": paper,
            "dataset": dataset,
            "entry": {k: v for k, v in entry.items() if k not in (*_PRINTED_ONLY, "sample")},
            "source": {key: source[key] for key in _PARSED if key in source},
            "seed": self.config["seed"] if "synthetic" in entry else None,
        }

    def _discretize_spec(self, paper: str, dataset: str, preparation: str) -> dict[str, Any]:
        """Specification of `discretize`: paper, dataset, preparation (entry), sample, seed."""
        entry = self.papers[paper]["datasets"][dataset]
        rule = self.papers[paper]["preparations"][preparation]
        sample = entry.get("sample")
        if sample:
            sample = {**sample, "count": self.config["limits"]["samples"]}
        return {
            "paper": paper,
            "dataset": dataset,
            "preparation": {key: value for key, value in rule.items() if key != "readings"},
            "sample": sample,
            "seed": self.config["seed"] if sample else None,
        }

    def _similarity_spec(
        self, paper: str, dataset: str, preparation: str, measure: str
    ) -> dict[str, Any]:
        """Specification of `similarity`: measure, class, parameters, settings."""
        entry = self.measures[measure]
        grid = self._grids(paper).get((dataset, preparation, measure), ("", {}))[1]
        return {
            "measure": measure,
            "class": entry["class"],
            "parameters": entry.get("parameters", {}),
            "settings": settings(grid),
        }

    def _grids(self, paper: str) -> dict[tuple[str, str, str], tuple[str, dict[str, list]]]:
        """Where a similarity is asked for, and with which grid, by data set, preparation, measure.

        Raises
        ------
        ConfigError
            If two places ask for the same similarity with different grids.
        """
        found: dict[tuple[str, str, str], tuple[str, dict[str, list]]] = {}
        content = self.papers[paper]
        for artefact, entry in content["artefacts"].items():
            wanted = [
                (pipeline["preparation"], pipeline["measure"], f"methods.{method}", grid)
                for method in entry.get("methods", [])
                for grid in [content["methods"][method].get("grid", {})]
                for pipeline in self._pipelines(paper, method).values()
                if "measure" in pipeline
            ] + [
                (preparation, measure, f"artefacts.{artefact}", entry.get("grid", {}))
                for preparation, measure, _ in _direct(entry)
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

    def check_grids(self) -> None:
        """Check that nobody asks for one similarity with two grids.

        Raises
        ------
        ConfigError
            If somebody does.
        """
        for paper in self.papers:
            self._grids(paper)

    def _pipeline(self, paper: str, method: str, reading: str, **_: str) -> dict[str, str]:
        return self._pipelines(paper, method)[reading]

    def _pipelines(self, paper: str, method: str) -> dict[str, dict[str, str]]:
        """Pipelines of a method by reading, those beside the paper's readings last."""
        content = self.papers[paper]
        entry = content["methods"][method]
        return {name: entry[name] for name in content["readings"]} | entry.get("beside", {})

    def _trials_inputs(
        self, paper: str, dataset: str, method: str, reading: str
    ) -> dict[str, list[str]]:
        pipeline = self._pipeline(paper, method, reading)
        ids = {"paper": paper, "dataset": dataset, "preparation": pipeline["preparation"]}
        return {
            "tables": [self.file("tables", **ids)],
            "similarity": [
                self.file("similarity", measure=measure, **ids)
                for measure in [pipeline.get("measure")]
                if measure
            ],
        }

    def _trials_spec(self, paper: str, dataset: str, method: str, reading: str) -> dict[str, Any]:
        """Specification of `trials`.

        Keys: paper, dataset, method, reading, preparation, measure, algorithm (id, class,
        parameters, settings), select, fixed, row_orders, seed. Without a measure the algorithm
        works on the table, and ``settings`` is its grid.
        """
        pipeline = self._pipeline(paper, method, reading)
        entry = self.papers[paper]["methods"][method]
        algorithm = self.algorithms[pipeline["algorithm"]]
        return {
            "paper": paper,
            "dataset": dataset,
            "method": method,
            "reading": reading,
            "preparation": pipeline["preparation"],
            "measure": pipeline.get("measure", ""),
            "algorithm": {
                "id": pipeline["algorithm"],
                "class": algorithm["class"],
                "parameters": algorithm.get("parameters", {}),
                "settings": None if "measure" in pipeline else settings(entry.get("grid", {})),
            },
            "select": entry.get("select"),
            "fixed": entry.get("fixed"),
            "row_orders": self.config["limits"]["row_orders"],
            "seed": self.config["seed"],
        }

    def _experiment_records(
        self, paper: str, experiment: str, dataset: str
    ) -> list[dict[str, str]]:
        """Files of one data set that an experiment may ask for, one record per file."""
        if dataset == NO_DATASET:
            return []
        records = [
            {"role": role, "file": self.file(role, paper=paper, dataset=dataset)}
            for role in ("facts", "prepared")
        ]
        for preparation in self.papers[paper]["experiments"][experiment].get("preparations", []):
            file = self.file("tables", paper=paper, dataset=dataset, preparation=preparation)
            records.append({"role": "tables", "preparation": preparation, "file": file})
        return records

    def _experiment_inputs(self, paper: str, experiment: str, dataset: str) -> dict[str, list[str]]:
        records = self._experiment_records(paper, experiment, dataset)
        return {"files": [record["file"] for record in records]}

    def _experiment_spec(self, paper: str, experiment: str, dataset: str) -> dict[str, Any]:
        """Specification of `experiment`: see `replication.experiment.Experiment`."""
        entry = self.papers[paper]["experiments"][experiment]
        trials, limit = entry.get("trials", 1), self.config["limits"]["trials"]
        return {
            "paper": paper,
            "experiment": experiment,
            "dataset": "" if dataset == NO_DATASET else dataset,
            "run": entry["run"],
            "parameters": {
                **entry.get("parameters", {}),
                **entry.get("by_dataset", {}).get(dataset, {}),
                **entry.get("by_effort", {}).get(self.config["effort"], {}),
            },
            "trials": trials if limit == "printed" else min(trials, limit),
            "seed": self.config["seed"],
            **{
                registry: {
                    name: {
                        key: getattr(self, registry)[name].get(key)
                        for key in ("class", "parameters", "label")
                        if key in getattr(self, registry)[name]
                    }
                    for name in entry.get(registry, [])
                }
                for registry in ("measures", "algorithms")
            },
            "inputs": self._experiment_records(paper, experiment, dataset),
        }

    _timing_inputs, _timing_spec = _experiment_inputs, _experiment_spec

    def _experiment_files(self, paper: str, experiment: str) -> list[dict[str, str]]:
        """Records of an experiment over the data sets that are computed, one per file."""
        entry = self.papers[paper]["experiments"][experiment]
        computed = self.computed(paper)
        names = (
            [name for name in entry["datasets"] if name in computed]
            if ("datasets" in entry)
            else [NO_DATASET]
        )
        return [
            {
                "dataset": name,
                "file": self.file("experiment", paper=paper, experiment=experiment, dataset=name),
            }
            for name in names
        ]

    def _claims_records(self, paper: str) -> list[dict[str, str]]:
        content = self.papers[paper]
        records = [
            {
                "role": "table",
                "id": artefact,
                "file": self.file("table", paper=paper, artefact=artefact),
            }
            for artefact in self.artefacts(paper)
        ]
        for experiment in content["experiments"]:
            records += [
                {"role": "experiment", "id": experiment, **record}
                for record in self._experiment_files(paper, experiment)
            ]
        if content.get("comparisons"):
            records.append({"role": "tests", "id": paper, "file": self.file("tests", paper=paper)})
        return records

    def _claims_inputs(self, paper: str) -> dict[str, list[str]]:
        return {
            "files": [record["file"] for record in self._claims_records(paper)],
            "published": [*self._published(paper), f"{PUBLISHED}/claims.csv"],
        }

    def _claims_spec(self, paper: str) -> dict[str, Any]:
        """Specification of `claims`: see `replication.claims.Evidence`."""
        return {
            "paper": paper,
            "effort": self.config["effort"],
            "inputs": compact(self._claims_records(paper)),
        }

    def _comparison_datasets(self, paper: str, methods: Sequence[str]) -> list[str]:
        """Computed data sets to which each of these methods is applied, in whatever artefacts."""
        entries = self.papers[paper]["artefacts"].values()
        used = [
            {
                dataset
                for entry in entries
                if method in entry.get("methods", [])
                for dataset in entry.get("datasets", [])
            }
            for method in methods
        ]
        return [dataset for dataset in self.computed(paper) if all(dataset in one for one in used)]

    def _tests_records(self, paper: str) -> list[dict[str, str]]:
        found = {}
        for comparison in self.papers[paper].get("comparisons", []):
            methods, reading = comparison["methods"], comparison["reading"]
            for dataset in self._comparison_datasets(paper, methods):
                for method in methods:
                    ids = {"dataset": dataset, "method": method, "reading": reading}
                    found[tuple(ids.values())] = ids
        return [{**ids, "file": self.file("trials", paper=paper, **ids)} for ids in found.values()]

    def _tests_inputs(self, paper: str) -> dict[str, list[str]]:
        return {"trials": [record["file"] for record in self._tests_records(paper)]}

    def _tests_spec(self, paper: str) -> dict[str, Any]:
        """Specification of `tests`: paper, comparisons, methods (id to select)."""
        comparisons = self.papers[paper].get("comparisons", [])
        used = {method for comparison in comparisons for method in comparison["methods"]}
        return {
            "paper": paper,
            "comparisons": comparisons,
            "methods": {
                method: {"select": self.papers[paper]["methods"][method].get("select")}
                for method in sorted(used)
            },
        }

    def _method(self, paper: str, method: str) -> dict[str, Any]:
        entry = self.papers[paper]["methods"][method]
        found = {key: entry.get(key) for key in ("label", "grid", "select", "fixed")}
        return found | ({"beside": sorted(entry["beside"])} if "beside" in entry else {})

    def _artefact_inputs(self, paper: str, artefact: str) -> list[dict[str, str]]:
        """What an artefact is made of, one record per file, in the order of its rows.

        A record has ``role`` (``trials``, ``similarity``, ``tables``, ``facts``, ``experiment``),
        ``dataset``, ``file``, and whatever else tells the files of one role apart: ``method``,
        ``reading``, ``preparation``, ``measure``, ``experiment``.
        """
        content = self.papers[paper]
        entry = content["artefacts"][artefact]
        records = []

        def add(role: str, **ids: str) -> None:
            pattern = {k: v for k, v in ids.items() if role != "similarity" or k != "reading"}
            records.append({"role": role, **ids, "file": self.file(role, paper=paper, **pattern)})

        computed = self.computed(paper)
        for dataset in entry.get("datasets", []):
            if dataset not in computed:
                continue
            for method in entry.get("methods", []):
                for reading in self._pipelines(paper, method):
                    add("trials", dataset=dataset, method=method, reading=reading)
            if "preparations" in entry:
                add("facts", dataset=dataset)
            for preparation in [
                *entry.get("preparations", []),
                *([entry["preparation"]] if "preparation" in entry else []),
            ]:
                add("tables", dataset=dataset, preparation=preparation)
            for preparation, measure, reading in _direct(entry):
                add(
                    "similarity",
                    dataset=dataset,
                    preparation=preparation,
                    measure=measure,
                    reading=reading,
                )
        for experiment in entry.get("experiments", []):
            records += [
                {"role": "experiment", "experiment": experiment, **record}
                for record in self._experiment_files(paper, experiment)
            ]
        return records

    def _table_inputs(self, paper: str, artefact: str) -> dict[str, list[str]]:
        records = self._artefact_inputs(paper, artefact)
        return {
            "files": [record["file"] for record in records],
            "published": self._published(paper),
        }

    def _published(self, paper: str) -> list[str]:
        """Files of the printed numbers of a paper."""
        found = (self.root / PUBLISHED).glob(f"{paper}_*.csv")
        return [f"{PUBLISHED}/{path.name}" for path in sorted(found)]

    def _table_spec(self, paper: str, artefact: str) -> dict[str, Any]:
        """Specification of `table`.

        Keys: paper, artefact, effort; the keys of the artefact's entry (kind, label, score, ...);
        ``datasets`` (id, printed), ``methods`` (id, label, grid, select, fixed, and ``beside`` if
        it has pipelines beside the readings), ``readings``,
        ``choices`` (reading to choice to answer), ``notes``, ``inputs`` (one record
        per file, written short by `replication.inputs`) and ``left_out`` (dataset, reason).
        """
        content = self.papers[paper]
        spec = self._artefact_spec(paper, artefact)
        if content.get("own"):
            spec["own"] = True
        spec["notes"] = [
            note
            for note in content.get("notes", [])
            if note.get("artefact", artefact) == artefact
            and (
                "dataset" not in note
                or note["dataset"] in content["artefacts"][artefact].get("datasets", [])
            )
            and (
                "method" not in note
                or not content["methods"]
                or note["method"] in content["artefacts"][artefact].get("methods", [])
            )
        ]
        spec["choices"] = {
            reading: {
                name: entry[reading]
                for name, entry in self.readings.items()
                if name.startswith(f"{paper}.")
            }
            for reading in content["readings"]
        }
        return spec

    def _artefact_spec(self, paper: str, artefact: str) -> dict[str, Any]:
        content = self.papers[paper]
        entry = content["artefacts"][artefact]
        computed = self.computed(paper)
        reason = f"left out by limits.datasets (effort {self.config['effort']})"
        return {
            **{key: value for key, value in entry.items() if key != "outputs"},
            "paper": paper,
            "artefact": artefact,
            "effort": self.config["effort"],
            "readings": content["readings"],
            "datasets": [
                {
                    "id": name,
                    "printed": content["datasets"][name]["printed"],
                    **(
                        {"reachable": content["datasets"][name].get("reachable", {})}
                        if entry["kind"] == "dataset_characteristics"
                        else {}
                    ),
                }
                for name in entry.get("datasets", [])
            ],
            "methods": [
                {"id": method, **self._method(paper, method)} for method in entry.get("methods", [])
            ],
            "inputs": compact(self._artefact_inputs(paper, artefact)),
            "left_out": [
                {"dataset": name, "reason": reason}
                for name in entry.get("datasets", [])
                if name not in computed
            ],
        }

    def _figure_inputs(self, paper: str, artefact: str) -> dict[str, list[str]]:
        return {"files": self._table_inputs(paper, artefact)["files"]}

    def _figure_spec(self, paper: str, artefact: str) -> dict[str, Any]:
        """Specification of `figure`: that of `table` without notes and choices."""
        return self._artefact_spec(paper, artefact)

    def _printed(self) -> list[str]:
        """Papers of this run that print something: all but this project's own studies."""
        return [paper for paper in self.config["papers"] if not self.papers[paper].get("own")]

    def _ledger_inputs(self) -> dict[str, list[str]]:
        return {
            "verdicts": [record["file"] for record in self._ledger_spec()["artefacts"]],
            "claims": [self.file("claims", paper=paper) for paper in self._printed()],
            "baseline": [path for path in [self.baseline()] if (self.root / path).is_file()],
            "sources": [self.file("raw_source", dataset=name) for name in self.sources()],
            "published": [path for paper in self._printed() for path in self._published(paper)],
        }

    def baseline(self) -> str:
        """File of the verdicts that were recorded for this effort."""
        return f"{BASELINE}/{self.config['effort']}.csv"

    def _ledger_spec(self) -> dict[str, Any]:
        """Specification of `ledger`.

        Keys: effort; ``papers`` (id, title); ``artefacts`` (paper, artefact, label, file), in the
        order of the verdict files; ``sources`` (dataset, file, used_by), in the order of the
        source files.
        """
        papers = self._printed()
        return {
            "effort": self.config["effort"],
            "papers": [{"id": paper, "title": self.papers[paper]["title"]} for paper in papers],
            "artefacts": [
                {
                    "paper": paper,
                    "artefact": artefact,
                    "label": self.papers[paper]["artefacts"][artefact]["label"],
                    "file": self.file("verdicts", paper=paper, artefact=artefact),
                }
                for paper in papers
                for artefact in self.artefacts(paper)
            ],
            "sources": [
                {
                    "dataset": name,
                    "file": self.file("raw_source", dataset=name),
                    "used_by": self._used_by(name),
                }
                for name in self.sources()
            ],
        }

    def _granularity_inputs(self) -> dict[str, list[str]]:
        """The printed numbers."""
        return {"published": [file for paper in self._printed() for file in self._published(paper)]}

    def _granularity_spec(self) -> dict[str, Any]:
        """Specification of `granularity`: papers (id, title)."""
        return self._rollup_spec()

    def _rollup_spec(self) -> dict[str, Any]:
        """Specification of `rollup`: papers (id, title)."""
        return {
            "papers": [
                {"id": paper, "title": self.papers[paper]["title"]} for paper in self._printed()
            ]
        }

    def _notebook_inputs(self, notebook: str) -> dict[str, list[str]]:
        """What a notebook of the same name as a paper of this run reads."""
        if notebook not in self.config["papers"]:
            return {"files": []}
        return {"files": self.targets(notebook)}

    def _notebook_spec(self, notebook: str) -> dict[str, Any]:
        """Specification of `notebook`: effort and folders, see `replication.results.Results`."""
        return {"effort": self.config["effort"], **self.config["roots"]}

    def _finished(self) -> dict[str, list[str]]:
        """What the report shows: ledger, artefacts and records of the data sets."""
        return {
            "ledger": [
                self.file(name)
                for name in ("ledger", "ledger_claims", "deviations", "changes", "unavailable")
            ],
            "artefacts": [
                self.file(name, paper=paper, artefact=artefact)
                for paper in self.config["papers"]
                for output, names in (
                    ("table", ("table", "markdown", "latex", "html")),
                    ("figure", ("svg", "pdf")),
                )
                for artefact in self.artefacts(paper, output)
                for name in names
            ],
            "sources": [self.file("raw_source", dataset=name) for name in self.sources()],
        }

    def _report_inputs(self) -> dict[str, list[str]]:
        package = self.root / "src" / "replication" / "report"
        assets = sorted(
            path.relative_to(self.root).as_posix()
            for folder in ("assets", "templates")
            for path in (package / folder).iterdir()
        )
        return {**self._finished(), "assets": assets}

    def _run_spec(self) -> dict[str, Any]:
        """What `report` and `provenance` say about the run as a whole."""
        return {
            **{key: self.config[key] for key in ("effort", "seed", "limits")},
            "roots": {**self.config["roots"], "raw": RAW},
            "sources": [
                {
                    "id": name,
                    **{key: self.datasets[name][key] for key in ("title", "licence", "homepage")},
                    "papers": list(dict.fromkeys(one["paper"] for one in self._used_by(name))),
                }
                for name in self.sources()
            ],
        }

    def _report_spec(self) -> dict[str, Any]:
        """Specification of `report`.

        Keys: effort, seed, limits, roots (results, figures, raw); ``overlay`` (what the command
        line needs for this effort); ``sources`` (id, title, licence, homepage, papers); ``papers``
        (id, title, citation, readings, ``choices`` (question, answers by reading, evidence),
        ``artefacts`` (id, label, outputs)).
        """
        overlay = f"config/{self.config['effort']}.yaml"
        return {
            **self._run_spec(),
            "overlay": f" --configfile {overlay}" if (self.root / overlay).is_file() else "",
            "papers": [
                {
                    "id": paper,
                    **{key: self.papers[paper][key] for key in ("title", "citation", "readings")},
                    "choices": [
                        {
                            "question": entry["question"],
                            "answers": {
                                reading: str(entry["choices"].get(entry[reading], entry[reading]))
                                for reading in self.papers[paper]["readings"]
                            },
                            "evidence": entry["evidence"],
                        }
                        for name, entry in self.readings.items()
                        if name.startswith(f"{paper}.")
                    ],
                    "artefacts": [
                        {"id": name, **{key: entry[key] for key in ("label", "outputs")}}
                        for name, entry in self.papers[paper]["artefacts"].items()
                    ],
                }
                for paper in self.config["papers"]
            ],
        }

    def _provenance_inputs(self) -> dict[str, list[str]]:
        papers = [paper for paper in self.config["papers"] if not self.papers[paper].get("own")]
        entries = [
            entry
            for paper in self.config["papers"]
            for name, entry in self.papers[paper]["datasets"].items()
            if name in self.computed(paper)
        ]
        workflow = [
            path.relative_to(self.root).as_posix()
            for folder in ("config", "workflow/rules")
            for path in (self.root / folder).rglob("*")
            if path.suffix in (".yaml", ".smk")
        ]
        return {
            **self._finished(),
            "data": [
                *(self.file("raw_table", dataset=name) for name in self.sources()),
                *sorted({f"{BUNDLED}/{one['inline']}" for one in entries if "inline" in one}),
                *sorted(
                    {file for one in entries if "user" in one for file in self._user_files(one)}
                ),
            ],
            "published": [path for paper in papers for path in self._published(paper)],
            "workflow": ["Snakefile", "requirements.lock", *sorted(workflow)],
        }

    def _provenance_spec(self) -> dict[str, Any]:
        """Specification of `provenance`: effort, seed, limits, roots, sources, papers."""
        return {
            **self._run_spec(),
            "papers": [
                {"id": paper, **{key: self.papers[paper].get(key, "") for key in _CITED}}
                for paper in self.config["papers"]
            ],
        }

    def _used_by(self, source: str) -> list[dict[str, Any]]:
        """Papers, their names for a data set, and their artefacts that need it."""
        return [
            {
                "paper": paper,
                "dataset": dataset,
                "artefacts": [
                    name
                    for name, entry in self.papers[paper]["artefacts"].items()
                    if dataset in entry.get("datasets", [])
                ],
            }
            for paper in self.config["papers"]
            for dataset in self.computed(paper)
            if self.papers[paper]["datasets"][dataset].get("source") == source
        ]


def expanded(paper: dict[str, Any]) -> dict[str, Any]:
    """Paper whose experiments with ``each: measures`` became one experiment per measure.

    An experiment ``grid`` over the measures ``a`` and ``b`` becomes ``grid_a`` and ``grid_b``, and
    an artefact that names ``grid`` gets both: a new measure makes new jobs and touches no others.

    Parameters
    ----------
    paper : dict
        Content of the paper's file.

    Returns
    -------
    dict
    """
    parts: dict[str, dict[str, dict[str, Any]]] = {}
    for name, entry in paper["experiments"].items():
        if entry.get("each") == "measures":
            shared = {key: value for key, value in entry.items() if key != "each"}
            parts[name] = {
                f"{name}_{measure}": {**shared, "measures": [measure]}
                for measure in entry["measures"]
            }
        else:
            parts[name] = {name: entry}
    artefacts = {}
    for name, entry in paper["artefacts"].items():
        if "experiments" in entry:
            wanted = [one for key in entry["experiments"] for one in parts.get(key, {key: {}})]
            entry = {**entry, "experiments": wanted}
        artefacts[name] = entry
    experiments = {key: entry for part in parts.values() for key, entry in part.items()}
    return {**paper, "experiments": experiments, "artefacts": artefacts}


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


def as_json(content: Any) -> str:
    """Compact JSON, the same for the same content."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def unavailable(path: Path) -> list[str]:
    """Lines that say what could not be had, from the ledger's list.

    Parameters
    ----------
    path : Path
        `unavailable.csv` of the ledger.

    Returns
    -------
    list of str
        Empty if the file is not there or has no row.
    """
    if not Path(path).is_file():
        return []
    rows = read_rows(path)
    if not rows:
        return []
    names = ", ".join(dict.fromkeys(row["dataset"] for row in rows))
    remedies = dict.fromkeys(row.get("remedy", "") for row in rows)
    return [
        f"NOT AVAILABLE: {names}. What needs these data sets is marked as not run; see {path}.",
        *(f"  {remedy}" for remedy in remedies if remedy),
    ]


def _direct(entry: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Similarities that an artefact shows itself, as (preparation, measure, reading)."""
    found = []
    if "measure" in entry:
        found.append((entry["preparation"], entry["measure"], "reconciled"))
    if "printed_measure" in entry:
        preparation = entry.get("printed_preparation", entry["preparation"])
        found.append((preparation, entry["printed_measure"], "printed"))
    return found
