"""Tables larger than memory, on one machine or on a cluster.

Names are loaded on first use, as those of `couplings`.
"""

from importlib import import_module
from typing import Any

_MODULES = {
    "BatchKModes": "couplings.large.kmodes",
    "BatchSpectral": "couplings.large.spectral",
    "DaskTable": "couplings.large.dask",
    "LargeTable": "couplings.large.data",
    "PartitionedTable": "couplings.large.data",
    "SampleAndAssign": "couplings.large.sample",
    "SparkTable": "couplings.large.spark",
    "count_parquet": "couplings.large.counting",
    "draw": "couplings.large.sample",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    """Import the module behind `name` when it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module 'couplings.large' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
