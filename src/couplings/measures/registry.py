"""Measures by name: one table for algorithms, recommendations and documentation."""

from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

from couplings._checks import did_you_mean
from couplings.errors import MeasureError


@dataclass(frozen=True)
class Entry:
    """Recipe of one named measure.

    Parameters
    ----------
    place : str
        Module below ``couplings.measures`` and class, as ``module:Class``.
    parameters : mapping from str to object
        Arguments of the class that differ from its defaults.
    aliases : tuple of str
        Alternative names, from the papers.
    """

    place: str
    parameters: MappingProxyType[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    aliases: tuple[str, ...] = ()

    @property
    def class_name(self) -> str:
        """Name of the class."""
        return self.place.partition(":")[2]

    @property
    def constructor(self) -> str:
        """Python expression that creates the measure."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self.class_name}({given})"

    def make(self, **parameters: Any) -> Any:
        """Return a new measure; `parameters` override those of the entry."""
        module, _, name = self.place.partition(":")
        kind = getattr(import_module(f"couplings.measures.{module}"), name)
        return kind(**{**self.parameters, **parameters})


def _entry(place: str, *aliases: str, **parameters: Any) -> Entry:
    return Entry(place, MappingProxyType(parameters), aliases)


REGISTRY = MappingProxyType(
    {
        "simple_matching": _entry("frequency:SimpleMatching", "smd", "overlap", "hamming"),
        "jaccard": _entry("frequency:Jaccard"),
        "eskin": _entry("frequency:Eskin"),
        "inverse_occurrence_frequency": _entry("frequency:InverseOccurrenceFrequency", "iof"),
        "occurrence_frequency": _entry("frequency:OccurrenceFrequency", "of"),
        "occurrence_frequency_sum": _entry("frequency:OccurrenceFrequency", "ofd", link="sum"),
        "lin": _entry("frequency:Lin"),
        "lin1": _entry("frequency:Lin1"),
        "goodall1": _entry("frequency:Goodall", "goodall", variant=1),
        "goodall2": _entry("frequency:Goodall", variant=2),
        "goodall3": _entry("frequency:Goodall3"),
        "goodall3_sum": _entry("frequency:Goodall", variant=3),
        "goodall4": _entry("frequency:Goodall", variant=4),
        "smirnov": _entry("frequency:Smirnov"),
        "burnaby": _entry("frequency:Burnaby"),
        "anderberg": _entry("frequency:Anderberg"),
        "gambaryan": _entry("frequency:Gambaryan"),
        "dilca_m": _entry("dilca:DilcaM"),
        "dilca_rr": _entry("dilca:DilcaRR", "dilca"),
        "pearson": _entry("contexts:Pearson"),
        "ahmad_dey": _entry("contexts:AhmadDey", "add"),
        "ahmad_dey_rss": _entry("contexts:AhmadDey", "delta", aggregation="rss"),
        "caso": _entry("coupled:Caso"),
        "caso_distance": _entry("coupled:CasoDistance"),
        "cado": _entry("coupled:Cado"),
        "one_hot": _entry("encodings:OneHot"),
        "one_hot_pca": _entry("encodings:OneHotPCA"),
        "inverse_document_frequency": _entry("encodings:InverseDocumentFrequency", "idf"),
        "cde": _entry("cde:CDE"),
        "coupled_mixed": _entry("coupled_mixed:CoupledMixed"),
        "hd": _entry("contexts:HD"),
        "uedm": _entry("frequency:UEDM"),
        "udm": _entry("contexts:UDM"),
        "cdcdr": _entry("cdcdr:CDCDR", ties="include"),
    }
)
"""All measures by name."""

_NAMES = MappingProxyType(
    {alias: name for name, entry in REGISTRY.items() for alias in (name, *entry.aliases)}
)


def measure_names() -> tuple[str, ...]:
    """Return the names of all measures, without the papers' alternative names."""
    return tuple(REGISTRY)


def measure_entry(name: str) -> Entry:
    """Return the entry of a measure by its name or an alternative name, or raise `MeasureError`."""
    if name not in _NAMES:
        near = did_you_mean(str(name).lower(), list(_NAMES))
        raise MeasureError(
            f"no measure is called {name!r}{near}; choose one of {', '.join(REGISTRY)}"
        )
    return REGISTRY[_NAMES[name]]


def measure_from(measure: Any, **parameters: Any) -> Any:
    """Return the (unfitted) measure of a name; an instance is returned unchanged.

    Parameters
    ----------
    measure : str or estimator
        Name such as ``"dilca_rr"`` or ``"simple_matching"`` (see `measure_names`; the papers'
        names, such as ``"smd"`` or ``"add"``, also work), or an instance.
    **parameters
        Arguments of the class; only with a name.

    Raises
    ------
    MeasureError
        If the name is unknown, if parameters come with an instance, or if it is not a measure.

    Examples
    --------
    >>> from couplings import measure_from
    >>> measure_from("dilca_m", sigma=0.3)
    DilcaM(sigma=0.3)
    >>> measure_from("ofd")
    OccurrenceFrequency(link='sum')
    """
    if isinstance(measure, str):
        return measure_entry(measure).make(**parameters)
    if isinstance(measure, type):
        raise MeasureError(f"{measure.__name__} is a class; pass an instance: {measure.__name__}()")
    if not hasattr(measure, "fit") or not (
        hasattr(measure, "pairwise") or hasattr(measure, "transform")
    ):
        raise MeasureError(
            f"a measure is a name ({', '.join(list(REGISTRY)[:3])}, ...) or an instance of one of "
            f"the measure classes, not {type(measure).__name__}"
        )
    if parameters:
        raise MeasureError(
            f"{measure!r} already has its parameters; change them with set_params, or pass a name"
        )
    return measure
