"""The measures and algorithms of `config/` and of the library's own list of names."""

import importlib
import inspect
from dataclasses import dataclass

from kit import ROOT, parsed

from couplings import measure_names
from couplings.measures.registry import REGISTRY, measure_from
from replication.plan.readings import resolved


@dataclass(frozen=True)
class Entry:
    name: str
    kind: type
    parameters: dict

    @classmethod
    def all_of(cls, registry):
        file, readings = (parsed(ROOT / f"config/{name}.yaml") for name in (registry, "readings"))
        entries = resolved(file, readings, registry)
        for name, entry in entries.items():
            module, _, label = entry["class"].partition(":")
            kind = getattr(importlib.import_module(module), label)
            yield cls(name, kind, entry.get("parameters", {}))

    def make(self, **more):
        given = {name: value for name, value in more.items() if self.takes(name)}
        return self.kind(**{**self.parameters, **given})

    def takes(self, parameter):
        return parameter in inspect.signature(self.kind).parameters

    def __str__(self):
        return self.name


def library_entries():
    """The names of the library that no entry of the configuration makes."""
    made = {(entry.kind, str(sorted(entry.parameters.items()))) for entry in MEASURES}
    for name in measure_names():
        entry = Entry(
            f"couplings-{name}", type(measure_from(name)), dict(REGISTRY[name].parameters)
        )
        if (entry.kind, str(sorted(entry.parameters.items()))) not in made:
            yield entry


MEASURES = list(Entry.all_of("measures"))
MEASURES += list(library_entries())
ALGORITHMS = list(Entry.all_of("algorithms"))
