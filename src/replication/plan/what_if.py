"""What if: a few lines laid over the configuration, in a place of their own beside the base run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from replication.errors import remedy
from replication.plan.configuration import ConfigError, read_yaml, validate
from replication.plan.readings import RECORD

REGISTRIES = ("measures", "algorithms", "datasets", "papers")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


class Question:
    """A file of changes, such as ``config/what-if/ward.yaml``.

    Parameters
    ----------
    root : Path
        Top of the repository.
    file : str
        The file, relative to `root` or absolute; empty for no change at all.

    Raises
    ------
    ConfigError
        If the file cannot be read or changes nothing that there is.
    """

    def __init__(self, root: Path = Path(), file: str = "") -> None:
        self.file = file
        self.name = Path(file).stem
        self.changes: dict[str, Any] = {}
        if not file:
            return
        if not _NAME.fullmatch(self.name):
            raise ConfigError(
                f"{file}: its name is that of a folder of results; use lower-case letters, "
                "digits, - and _"
            )
        self.changes = read_yaml(root / file, file)
        validate(self.changes, root / "workflow" / "schemas" / "what_if.schema.yaml", file)

    def __bool__(self) -> bool:
        return bool(self.file)

    def answer(self, readings: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Registry of readings whose reconciled answers are those of this question.

        Raises
        ------
        ConfigError
            If a reading or an answer is unknown, or steers nothing.
        """
        answered = dict(readings)
        for name, answer in self.changes.get("readings", {}).items():
            place = f"{self.file}: readings.{name}"
            if name not in readings:
                raise ConfigError(f"{place}: unknown reading; {remedy(name, readings)}")
            entry = readings[name]
            if answer not in entry["choices"]:
                raise ConfigError(
                    f"{place}: unknown answer {answer!r}; {remedy(answer, entry['choices'])}"
                )
            if entry.get("steers") == RECORD or answer not in entry.get("values", {answer: None}):
                raise ConfigError(
                    f"{place}: this answer is a record of what was tried, no step of the workflow "
                    "takes it; change parameters by their ids instead (docs/what-if.md)"
                )
            answered[name] = {**entry, "reconciled": answer}
        return answered

    def over(self, registry: str, content: dict[str, Any], name: str = "") -> dict[str, Any]:
        """Content of a file of the configuration with the changes of this question.

        Parameters
        ----------
        registry : str
            One of `REGISTRIES`.
        content : dict
            What the file holds.
        name : str
            Id of the paper, for ``papers``.

        Raises
        ------
        ConfigError
            If the question changes an entry that is not there.
        """
        changes = self.changes.get(registry, {})
        if registry == "papers":
            changes = changes.get(name, {})
            for section, entries in changes.items():
                known = content.get(section)
                if not isinstance(known, Mapping) or not isinstance(entries, Mapping):
                    continue
                for one in entries:
                    if one not in known:
                        raise ConfigError(
                            f"{self.file}: papers.{name}.{section}.{one}: there is no such entry; "
                            f"{remedy(one, known)}"
                        )
        else:
            for one in changes:
                if one not in content:
                    raise ConfigError(
                        f"{self.file}: {registry}.{one}: there is no such entry; "
                        f"{remedy(one, content)}"
                    )
        return merged(content, changes)

    def check_papers(self, papers: Mapping[str, Any]) -> None:
        """Check that the papers that are changed exist.

        Raises
        ------
        ConfigError
            If one does not.
        """
        for paper in self.changes.get("papers", {}):
            if paper not in papers:
                raise ConfigError(
                    f"{self.file}: papers.{paper}: unknown paper; {remedy(paper, papers)}"
                )

    def origin(self, file: str) -> str:
        """What to call a file of the configuration in messages."""
        return f"{self.file} over {file}" if self else file

    def roots(self, effort: str) -> dict[str, str]:
        """Where its results and figures go."""
        results = f"results/whatif-{self.name}/{effort}"
        return {"results": results, "figures": f"{results}/figures"}


def merged(content: Any, changes: Any) -> Any:
    """Content with changes laid over it: maps are merged, anything else is replaced."""
    if isinstance(content, Mapping) and isinstance(changes, Mapping):
        return {
            **content,
            **{
                key: merged(content[key], value) if key in content else value
                for key, value in changes.items()
            },
        }
    return changes
