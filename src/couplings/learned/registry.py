"""The methods that cluster a table by themselves, without a measure, by name."""

from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from types import MappingProxyType
from typing import Any

STARTS = 10
"""Starts of a method with `n_init`: as many as everything random has in the evidence."""


@dataclass(frozen=True)
class Method:
    """How to make one method.

    Parameters
    ----------
    place : str
        Module below ``couplings`` and class, as ``package.module:Class``.
    title : str
        Its name in a sentence.
    parameters : mapping from str to object
        Arguments of the class that are not left to its defaults.
    """

    place: str
    title: str
    parameters: MappingProxyType[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def constructor(self) -> str:
        """Python expression that makes the method; the number of clusters is to be added."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self.place.partition(':')[2]}({given})"

    def make(self, n_clusters: int, random_state: Any = None) -> Any:
        """Return a new estimator, not fitted; a seed is given where the method is random."""
        module, _, name = self.place.partition(":")
        kind = getattr(import_module(f"couplings.{module}"), name)
        chance = {"n_init": STARTS, "random_state": random_state}
        known = signature(kind).parameters
        given = {name: value for name, value in chance.items() if name in known}
        return kind(n_clusters, **given, **self.parameters)


def _method(place: str, title: str, **parameters: Any) -> Method:
    return Method(place, title, MappingProxyType(parameters))


METHODS = MappingProxyType(
    {
        "latent_classes": _method(
            "learned.latent_class:LatentClasses", "latent class analysis", pseudo_count=0.1
        ),
        "entropy_srs": _method(
            "learned.entropy:EntropyClusters",
            "expected entropy of the attributes",
            criterion="attributes",
        ),
        "entropy_ee": _method(
            "learned.entropy:EntropyClusters",
            "expected entropy of the values",
            criterion="values",
        ),
        "hd_ndw": _method("learned.ndw:HDNDW", "HD-NDW", reading="repaired"),
        "disc": _method("learned.disc:DISC", "DISC", reading="repaired"),
        "coforest": _method("learned.coforest:COForest", "COForest", reading="repaired"),
        "harr_v": _method("learned.harr:HARR", "HARR-V", variant="V"),
        "harr_m": _method("learned.harr:HARR", "HARR-M", variant="M"),
        "limbo": _method("cluster.limbo:Limbo", "LIMBO"),
    }
)
"""Every such method under its name in the evidence of `recommend`."""
