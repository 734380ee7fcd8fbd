"""Show the tables and figures of a run in a notebook; no result is computed here."""

import json
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
VARIABLE = "REPLICATION_RUN"
"""Environment variable in which the workflow names the folders of its run."""


def show(paper: str, artefact: str, root: Path = ROOT) -> Any:
    """Return the figure of an artefact, or else its table, for a notebook.

    Parameters
    ----------
    paper, artefact : str
        Their ids, such as ``dilca`` and ``fig12``.
    root : Path, optional
        Top of the repository.

    Returns
    -------
    IPython.display.SVG or IPython.display.Markdown
        From the run for which the workflow executes the notebook, otherwise from ``figures``. A
        sentence with the command that computes the paper stands for an artefact that is not there.
    """
    from IPython.display import SVG, Markdown

    run = json.loads(os.environ.get(VARIABLE, '{"figures": "figures"}'))
    base = root / run["figures"] / paper / artefact
    if (drawing := base.with_suffix(".svg")).is_file():
        return SVG(filename=str(drawing))
    if (table := base.with_suffix(".md")).is_file():
        return Markdown(filename=str(table))
    return Markdown(
        f"{run['figures']} has no {artefact} of {paper}. "
        f"To compute its tables, run `snakemake paper_{paper}`."
    )
