"""Read the tables and figures of one paper from a run, for notebooks.

No result is computed here.
"""

import json
import os
from pathlib import Path
from typing import Any

from replication.errors import UserError, remedy
from replication.plan.configuration import overlaid, read_yaml
from replication.plan.layout import roots

ROOT = Path(__file__).resolve().parents[3]
VARIABLE = "REPLICATION_RUN"
"""Environment variable in which the workflow names the run of a notebook."""


class Results:
    """Files of one paper from one run.

    Parameters
    ----------
    paper : str
        Id of the paper.
    effort : str, optional
        ``full`` or the name of an overlay such as ``quick``. By default the run for which the
        workflow executes the notebook, otherwise ``full``.
    root : Path, optional
        Top of the repository.

    Attributes
    ----------
    paper, effort : str
        The paper and the effort of its run.
    results, figures : Path
        Folders of the run.

    Raises
    ------
    UserError
        If there is no such paper or effort.
    """

    def __init__(self, paper: str, effort: str | None = None, root: Path = ROOT) -> None:
        papers = [path.stem for path in (root / "config/papers").glob("*.yaml")]
        if paper not in papers:
            raise UserError(f"unknown paper {paper!r}; known: {', '.join(sorted(papers))}")
        run = _run(effort, root)
        self.paper, self.effort = paper, run["effort"]
        self.results, self.figures = root / run["results"], root / run["figures"]

    @property
    def status(self) -> str:
        """One sentence: the number of results, or the command that computes them."""
        if count := len(self._artefacts):
            return f"{self.paper}, effort {self.effort}: {count} artefacts in {self.figures.name}/."
        overlay = "" if self.effort == "full" else f" --configfile config/{self.effort}.yaml"
        return (
            f"{self.paper} was not run with effort {self.effort}. "
            f"To compute its tables, run `snakemake paper_{self.paper}{overlay}`."
        )

    def show(self, *artefacts: str) -> list[Any]:
        """Return the figure, or else the table, of each artefact in this run, for a notebook.

        A sentence stands for an artefact that a run does not have; nothing if there is no run.
        """
        from IPython.display import SVG, Markdown

        shown: list[Any] = []
        for artefact in artefacts if self._artefacts else ():
            base = self.figures / self.paper / artefact
            if (drawing := base.with_suffix(".svg")).is_file():
                shown.append(SVG(filename=str(drawing)))
            elif (table := base.with_suffix(".md")).is_file():
                shown.append(Markdown(filename=str(table)))
            else:
                known = remedy(artefact, self._artefacts)
                shown.append(Markdown(f"{self.paper} has no artefact {artefact!r}; {known}"))
        return shown

    @property
    def _artefacts(self) -> list[str]:
        """Names of the artefacts of the paper in this run."""
        return sorted(path.stem for path in (self.figures / self.paper).glob("*.csv"))


def _run(effort: str | None, root: Path) -> dict[str, str]:
    """Return effort and folders of a run."""
    if effort is None and os.environ.get(VARIABLE):
        return json.loads(os.environ[VARIABLE])
    config = read_yaml(root / "config/config.yaml", "config/config.yaml")
    if effort not in (None, config["effort"]):
        file = f"config/{effort}.yaml"
        config = overlaid(config, read_yaml(root / file, file))
    return {"effort": config["effort"], **roots(config["effort"])}
