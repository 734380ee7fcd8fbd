"""Hold the configuration as one object that knows the paths of all files."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from replication.files import read_rows
from replication.plan.code import Sources
from replication.plan.steps import FILES
from replication.steps import UNAVAILABLE

Entry = dict[str, Any]
Registry = dict[str, Entry]
Needs = tuple[Entry, dict[str, list[str]]]
"""The specification of a job, and its input files by name."""
_SHOWN = {"table": ("table", "markdown", "latex", "sheet"), "figure": ("svg", "pdf")}


@dataclass(frozen=True)
class Catalog:
    """The configuration, as `replication.plan.plan.Plan` reads and checks it.

    Attributes
    ----------
    config : dict
        Content of `config/config.yaml` with its overlays.
    datasets, measures, algorithms, readings, papers : dict
        The registries, by id. ``papers`` also holds papers that are not run.
    independent : dict
        Label vectors that others published: ``sources``, ``methods``, ``compared``.
    """

    root: Path
    config: dict[str, Any]
    datasets: Registry
    measures: Registry
    algorithms: Registry
    readings: Registry
    papers: Registry
    independent: Entry

    @cached_property
    def code_sources(self) -> Sources:
        """The code of the repository."""
        return Sources(self.root)

    @cached_property
    def overlay(self) -> str:
        """The option of the command line for the file of this effort, if there is one."""
        file = f"config/{self.config['effort']}.yaml"
        return f" --configfile {file}" if (self.root / file).is_file() else ""

    def file(self, name: str, **ids: str) -> str:
        """Return the path of a file in `FILES`, relative to the top of the repository."""
        return FILES[name].format(**self.config["roots"], **ids)

    def computed(self, paper: str) -> list[str]:
        """Return the data sets of a paper within the limits, in the paper's order."""
        limit = self.config["limits"]["datasets"]
        return [name for name in self.papers[paper]["datasets"] if limit == "all" or name in limit]

    def printed(self) -> list[str]:
        """Return the papers of this run that print numbers: all except our own studies."""
        return [paper for paper in self.config["papers"] if self.papers[paper]["prints"]]

    def sources(self, *papers: str) -> list[str]:
        """Return the data sets of the registry that papers need, sorted; by default of this run."""
        return sorted(
            {
                entry["source"]
                for paper in papers or self.config["papers"]
                for entry in map(self.papers[paper]["datasets"].get, self.computed(paper))
                if "source" in entry
            }
        )

    def records_of_data(self) -> list[str]:
        """Return the files that say how the data of this run came, label vectors included."""
        found = [self.file("raw_source", dataset=name) for name in self.sources()]
        others = [self.file("partitions_source")] if self.config["limits"]["independent"] else []
        return found + others

    def compared(self, paper: str, artefact: str) -> Entry:
        """Return the comparison of a printed table with label vectors of others, if any."""
        found = (one for one in self.independent["compared"] if one["paper"] == paper)
        return next((one for one in found if one["artefact"] == artefact), {})

    def artefacts(self, paper: str, output: str = "table") -> list[str]:
        """Return the artefacts of a paper with a given output, ``table`` or ``figure``."""
        entries = self.papers[paper]["artefacts"]
        return [name for name, entry in entries.items() if output in entry["outputs"]]

    def shown(self, paper: str) -> list[str]:
        """Return the files of the tables and figures of a paper."""
        return [
            self.file(name, paper=paper, artefact=artefact)
            for output, names in _SHOWN.items()
            for artefact in self.artefacts(paper, output)
            for name in names
        ]

    def targets(self, paper: str) -> list[str]:
        """Return the final files of one paper: tables, figures, tests and claims."""
        verdicts = [
            self.file("verdicts", paper=paper, artefact=artefact)
            for artefact in self.artefacts(paper)
        ]
        whole = {"tests": self.papers[paper]["comparisons"], "claims": self.papers[paper]["prints"]}
        others = [self.file(name, paper=paper) for name in filter(whole.get, whole)]
        return [*self.shown(paper), *verdicts, *others]

    def unavailable(self) -> list[str]:
        """Return lines that name the data sets that could not be had, and the command to get them.

        The ledger of the last run lists them.
        """
        file = self.file("unavailable")
        rows = read_rows(self.root / file) if (self.root / file).is_file() else []
        if not rows:
            return []
        whole, rest = (
            [row["dataset"] for row in rows if (row["status"] == UNAVAILABLE) == wanted]
            for wanted in (True, False)
        )
        missing = ", ".join([*whole, *(f"{name} (complete rows only)" for name in rest)])
        retry, files = f"make retry reproduce EFFORT={self.config['effort']}", "data/README.md"
        lines = [
            f"NOT AVAILABLE: {missing}. Results that need them are marked as not run; see {file}.",
            f"  With a network, or REPLICATION_MIRROR naming a folder of the files: {retry}",
        ]
        without = [
            name
            for name in whole
            if not any({"url", "archive"} & {*one} for one in self.datasets[name]["files"])
        ]
        if without:
            lines.append(f"  No address serves {', '.join(without)}; see {files}.")
        return lines
