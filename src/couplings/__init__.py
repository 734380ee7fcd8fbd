"""Similarity of categorical data: fast measures, clusterings and scores.

Names are loaded on first use, so that importing one measure costs only what it needs.
"""

from importlib import import_module
from typing import Any

_MODULES = {
    "AhmadDey": "couplings.measures.ahmad_dey",
    "CategoricalTable": "couplings.table",
    "CooccurrenceCounts": "couplings.counts",
    "CouplingsError": "couplings.errors",
    "DilcaM": "couplings.measures.dilca",
    "DilcaRR": "couplings.measures.dilca",
    "Goodall3": "couplings.measures.frequency",
    "Jaccard": "couplings.measures.overlap",
    "Lin": "couplings.measures.frequency",
    "MeasureError": "couplings.errors",
    "MissingValuesError": "couplings.errors",
    "NotFittedError": "couplings.errors",
    "ObjectSpace": "couplings.space",
    "OccurrenceFrequency": "couplings.measures.frequency",
    "Pearson": "couplings.measures.pearson",
    "SimpleMatching": "couplings.measures.overlap",
    "TableError": "couplings.errors",
    "ValueMatrices": "couplings.values",
    "Ward": "couplings.cluster.ward",
    "adjusted_rand": "couplings.metrics.external",
    "cooccurrence": "couplings.counts",
    "dilca_m_path": "couplings.measures.dilca",
    "external_scores": "couplings.metrics.external",
    "nmi": "couplings.metrics.external",
    "symmetric_uncertainty": "couplings.information",
    "ward": "couplings.cluster.ward",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    """Import the module behind `name` when it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module 'couplings' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
