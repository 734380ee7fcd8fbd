"""Plan a run: read and check the configuration, and find what each job needs."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from replication.files import read_json, write_json
from replication.plan import compute_jobs, report_jobs
from replication.plan.catalog import Catalog, Needs
from replication.plan.checks import check_references, marker
from replication.plan.configuration import ConfigError, as_json, overlaid, read_yaml, validate
from replication.plan.layout import NO_DATASET, roots
from replication.plan.readings import answered, changed, check_name, read_question, resolved
from replication.plan.steps import STEPS

JOBS: dict[str, Callable[..., Needs]] = {
    "download": compute_jobs.download,
    "partitions": compute_jobs.partitions,
    "discretize": compute_jobs.discretize,
    "similarity": compute_jobs.similarity,
    "trials": compute_jobs.trials,
    "experiment": compute_jobs.experiment,
    "timing": partial(compute_jobs.experiment, rule="timing"),
    "tests": compute_jobs.tests,
    "others": compute_jobs.others,
    "claims": report_jobs.claims,
    "table": report_jobs.table,
    "figure": report_jobs.figure,
    "ledger": report_jobs.ledger,
    "granularity": report_jobs.rollup,
    "rollup": report_jobs.rollup,
    "findings": report_jobs.findings,
    "report": report_jobs.report,
    "provenance": report_jobs.provenance,
    "notebook": report_jobs.notebook,
}
"""Function of plan and wildcards that returns the needs of a job, by rule."""
_CLASSES = re.compile(r'"(?:class|run)":"([^"]+)"')
"""Pattern of the functions and classes that a specification names."""


class Plan(Catalog):
    """The configuration of a run, with the inputs, specification and code of each job.

    A specification is JSON with sorted keys. It holds only settings on which its job depends, so
    that other changes to the configuration leave it as it is.
    """

    @classmethod
    def load(
        cls,
        config: dict[str, Any],
        root: Path,
        origin: str = "config/config.yaml",
        check: bool = True,
    ) -> "Plan":
        """Read and check the whole configuration.

        Parameters
        ----------
        config : dict
            Merged content of `config/config.yaml` and its overlays.
        root : Path
            Top of the repository.
        origin : str
            File name that messages give for `config`.
        check : bool
            False if a parent process has checked the same files. The check is slow; it is not
            repeated for the same files and code.

        Raises
        ------
        ConfigError
            At the first mistake.
        """
        if "plugins" in config:
            raise ConfigError(
                f"{origin}: plugins: only the command line allows modules, as --config "
                "plugins=PATH; remove this key"
            )
        if asked := config.get("what_if", ""):
            check_name(str(asked))
        checked = marker(root, config)
        if checked.is_file():
            given, check = read_json(checked), False
        else:
            # texts of the command line become the numbers that they stand for
            given = validate(dict(config), "config", origin).model_dump(exclude_unset=True)
        asked = given.get("what_if", "")
        changes = read_question(root, asked) if asked else {}
        config = given | {"roots": roots(given["effort"], asked)}
        file = "config/readings.yaml"
        readings = read_yaml(root / file, file)
        if check:
            validate(readings, "readings", file)
        readings = answered(readings, changes.get("readings", {}), f"{asked}: readings")

        def read(
            file: str, kind: str, over: Mapping[str, Any], place: str, depth: int
        ) -> dict[str, Any]:
            content = changed(read_yaml(root / file, file), over, f"{asked}: {place}", depth)
            content = resolved(content, readings, file)
            if check:
                validate(content, kind, f"{asked} over {file}" if asked else file)
            return content

        registries = {
            name: read(f"config/{name}.yaml", name, changes.get(name, {}), name, 1)
            for name in ("datasets", "measures", "algorithms")
        }
        file = "config/independent.yaml"
        independent = read_yaml(root / file, file)
        if check:
            validate(independent, "independent", file)
        papers = {}
        for path in sorted((root / "config" / "papers").glob("*.yaml")):
            file = f"config/papers/{path.name}"
            over = changes.get("papers", {}).get(path.stem, {})
            papers[path.stem] = expanded(read(file, "papers", over, f"papers.{path.stem}", 2))
        catalog = cls(
            root, config, **registries, readings=readings, papers=papers, independent=independent
        )
        if check:
            changed(papers, changes.get("papers", {}), f"{asked}: papers")
            check_references(catalog, origin)
            write_json(checked, given)
        return catalog

    @classmethod
    def of_effort(cls, root: Path, effort: str, check: bool = True) -> "Plan":
        """Read and check the configuration as ``make reproduce EFFORT=...`` does.

        The effort is ``full``, or the name of a file in `config` that overrides
        `config/config.yaml`.
        """
        file, overlay = "config/config.yaml", f"config/{effort}.yaml"
        config = read_yaml(Path(root) / file, file)
        if effort == config["effort"]:
            return cls.load(config, root, file, check)
        config = overlaid(config, read_yaml(Path(root) / overlay, overlay))
        return cls.load(config, root, f"{file} + {overlay}", check)

    def ids(self, kind: str) -> list[str]:
        """Return all values of a wildcard, sorted.

        The wildcards are ``paper``, ``dataset``, ``batch``, ``artefact`` and ``notebook``.
        """
        papers = self.papers.items()
        found: dict[str, Iterable[str]] = {
            "paper": self.papers,
            "dataset": (
                *(*self.datasets, NO_DATASET),
                *(name for _, content in papers for name in content["datasets"]),
            ),
            "batch": (
                compute_jobs.batch_of(self, paper, name)
                for paper, content in papers
                for name in (*content["methods"], *content["experiments"])
            ),
            "artefact": (name for _, content in papers for name in content["artefacts"]),
            "notebook": (path.stem for path in (self.root / "notebooks").glob("*.ipynb")),
        }
        return sorted({*found[kind]})

    def inputs(self, rule: str, **ids: str) -> dict[str, list[str]]:
        """Return the input files of a job, by name."""
        reads = {
            name: [pattern.format(**self.config["roots"], **ids)]
            for name, pattern in STEPS[rule].reads.items()
        }
        return reads | self._needs(rule, **ids)[1]

    def spec(self, rule: str, **ids: str) -> str:
        """Return the specification of a job as JSON; equal content gives equal text."""
        return as_json(self._needs(rule, **ids)[0])

    @cached_property
    def _needs(self) -> Callable[..., Needs]:
        """Function that returns the needs of a job, each computed once."""
        return cache(lambda rule, **ids: JOBS[rule](self, **ids))

    @cached_property
    def _digest(self) -> Callable[[frozenset[str]], str]:
        """Function that returns the digest of modules; many jobs start in the same modules."""
        return cache(self.code_sources.digest)

    def code(self, rule: str, **ids: str) -> str:
        """Return the digest of the code that a job can import."""
        return self._digest(frozenset(self.entry_points(rule, **ids)))

    def entry_points(self, rule: str, **ids: str) -> list[str]:
        """Return the modules in which a job starts; `code` follows their imports."""
        points = [STEPS[rule].module, *_CLASSES.findall(self.spec(rule, **ids))]
        match rule:
            case "notebook":
                library = self.root / "src"
                points += [
                    ".".join(path.relative_to(library).with_suffix("").parts)
                    for path in sorted((library / "couplings").rglob("[a-z]*.py"))
                ]
            case "findings":
                points += [
                    f"replication.papers.{paper}.findings"
                    for paper, entry in self.papers.items()
                    if entry.get("findings")
                ]
            case "claims":
                points += self.code_sources.members(f"replication.papers.{ids['paper']}.claims")
            case "table" | "figure":
                points += self.code_sources.members(f"replication.papers.{ids['paper']}.{rule}s")
        return points


def expanded(paper: dict[str, Any]) -> dict[str, Any]:
    """Return a paper with all sections, and one experiment per measure or algorithm of `each`.

    An experiment ``grid`` with ``each: measures`` and the measures ``a`` and ``b`` becomes
    ``grid_a`` and ``grid_b``. An artefact that names ``grid`` gets both. A new measure then adds
    jobs and leaves the others as they are.
    """
    paper = {
        **{"prints": True, "datasets": {}, "preparations": {}, "methods": {}},
        **{"comparisons": [], "experiments": {}, "notes": []},
        **paper,
    }
    parts: dict[str, dict[str, dict[str, Any]]] = {}
    for name, entry in paper["experiments"].items():
        shared = {key: value for key, value in entry.items() if key != "each"}
        kind = entry.get("each")
        parts[name] = {} if kind else {name: entry}
        for one in entry[kind] if kind else ():
            batch = {"batch": f"{entry['batch']}_{one}"} if "batch" in entry else {}
            parts[name][f"{name}_{one}"] = {**shared, kind: [one], **batch}
    artefacts = {}
    for name, entry in paper["artefacts"].items():
        wanted = [one for key in entry.get("experiments", ()) for one in parts.get(key, [key])]
        artefacts[name] = {**entry, "experiments": wanted} if wanted else entry
    experiments = {key: entry for part in parts.values() for key, entry in part.items()}
    return {**paper, "experiments": experiments, "artefacts": artefacts}
