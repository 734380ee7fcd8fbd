"""What fits into the memory of this machine."""

import os

from couplings.errors import MeasureError


def memory_bytes() -> int:
    """Return the bytes of memory that this machine has; 0 where it does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def check_memory(n_bytes: int, what: str) -> None:
    """Raise `MeasureError` before something is computed that cannot fit into memory.

    Parameters
    ----------
    n_bytes : int
        Memory that it needs.
    what : str
        What needs it, for the message.
    """
    available = memory_bytes()
    if available and n_bytes > available:
        raise MeasureError(
            f"{what} take {n_bytes / 1e9:.3g} GB, this machine has {available / 1e9:.3g} GB; "
            "cluster without all pairs (KModes, CategoricalSpectral with an additive measure), or "
            "a sample that the other objects join (couplings.large.SampleAndAssign)"
        )
