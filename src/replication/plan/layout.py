"""Name the folders of the data and of a run."""

from pathlib import Path

RAW = "data/raw"
BUNDLED = "data/bundled"
PUBLISHED = "data/published"

NO_DATASET = "none"
"""Name used in place of a data set by experiments without one."""


def roots(effort: str, question: str = "") -> dict[str, str]:
    """Return the folders of results and figures, of its own for every effort and what-if file."""
    results = f"results/whatif-{Path(question).stem}/{effort}" if question else f"results/{effort}"
    return {
        "results": results,
        "figures": "figures" if results == "results/full" else f"{results}/figures",
    }
