"""What a run has written about one paper, for notebooks and for whoever wants to look.

Nothing is computed here: tables, figures, verdicts and claims are read from their files.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.files import read_rows
from replication.judge.verdicts import VERDICTS
from replication.plan.configuration import read_yaml

if TYPE_CHECKING:
    import pandas as pd

ROOT = Path(__file__).resolve().parents[3]
VARIABLE = "REPLICATION_RUN"
"""Environment variable by which the workflow says which run a notebook belongs to."""


class Results:
    """Files of one paper, of one run.

    Parameters
    ----------
    paper : str
        Id of the paper.
    effort : str, optional
        ``full`` or the name of an overlay such as ``quick``. Default: the run that the workflow
        executes the notebook for, else ``full``.
    root : Path, optional
        Top of the repository.

    Attributes
    ----------
    paper, effort : str
        What is read.
    results, figures : Path
        Folders of the run.

    Raises
    ------
    UserError
        If there is no such paper or effort.
    """

    def __init__(self, paper: str, effort: str | None = None, root: Path = ROOT) -> None:
        papers = {path.stem for path in (root / "config/papers").glob("*.yaml")}
        papers |= {row["paper"] for row in read_rows(root / "data/published/artefacts.csv")}
        if paper not in papers:
            raise UserError(f"there is no paper {paper!r}; known: {', '.join(sorted(papers))}")
        run = _run(effort, root)
        self.paper, self.effort, self._root = paper, run["effort"], root
        self.results, self.figures = root / run["results"], root / run["figures"]

    @property
    def was_run(self) -> bool:
        """Whether this run has tables of the paper."""
        return bool(self.artefacts())

    @property
    def status(self) -> str:
        """One sentence: what there is, or how to get it."""
        found = self.artefacts()
        if not found:
            overlay = "" if self.effort == "full" else f" --configfile config/{self.effort}.yaml"
            return (
                f"{self.paper} was not run with effort {self.effort}: nothing to show here. "
                f"`snakemake paper_{self.paper}{overlay}` makes its tables."
            )
        return (
            f"{self.paper}, effort {self.effort}: {len(found)} artefacts in {self.figures.name}/."
        )

    def artefacts(self) -> list[str]:
        """Ids of the artefacts that have a table, in the order of their names."""
        return sorted(path.stem for path in (self.figures / self.paper).glob("*.csv"))

    def published(self) -> pd.DataFrame:
        """What the paper prints: its tables, figures and algorithms, and whether they were run."""
        import pandas as pd

        rows = [
            {
                "artefact": row["artefact"],
                "label": row["label"],
                "contents": row["contents"],
                "table": "yes" if row["artefact"] in self.artefacts() else "no",
                "figure": "yes" if self._svg(row["artefact"]).is_file() else "no",
            }
            for row in read_rows(self._root / "data/published/artefacts.csv")
            if row["paper"] == self.paper
        ]
        return pd.DataFrame(rows).set_index("artefact")

    def table(self, artefact: str) -> pd.DataFrame:
        """Numbers behind one table or figure.

        Raises
        ------
        UserError
            If this run has none.
        """
        import pandas as pd

        path = self.figures / self.paper / f"{artefact}.csv"
        if not path.is_file():
            names = ", ".join(self.artefacts()) or "none"
            raise UserError(f"{self.paper} has no table {artefact!r} here; there are: {names}")
        return pd.read_csv(path, keep_default_na=False, na_values=[""])

    def show(self, artefact: str) -> Any:
        """Readable table of an artefact, for display in a notebook.

        Raises
        ------
        UserError
            If this run has none.
        """
        from IPython.display import Markdown

        self.table(artefact)
        path = self.figures / self.paper / f"{artefact}.md"
        return Markdown(path.read_text(encoding="utf-8"))

    def figure(self, artefact: str) -> Any:
        """Drawing of an artefact, for display in a notebook.

        Raises
        ------
        UserError
            If this run has none.
        """
        from IPython.display import SVG

        if not self._svg(artefact).is_file():
            names = ", ".join(self.drawn()) or "none"
            raise UserError(f"{self.paper} has no figure {artefact!r} here; there are: {names}")
        return SVG(filename=str(self._svg(artefact)))

    def drawn(self) -> list[str]:
        """Ids of the artefacts that have a figure."""
        return [name for name in self.artefacts() if self._svg(name).is_file()]

    def verdicts(self) -> pd.DataFrame:
        """One row per printed number and reading; empty if the paper was not run."""
        import pandas as pd

        files = sorted((self.results / "verdicts" / self.paper).glob("*.csv"))
        frames = [pd.read_csv(path, dtype=str, keep_default_na=False) for path in files]
        columns = ["artefact", "reading", "verdict"]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)

    def verdict_counts(self, reading: str = "reconciled") -> pd.DataFrame:
        """Number of printed numbers per artefact and verdict, under one reading."""
        import pandas as pd

        rows = self.verdicts()
        rows = rows[rows["reading"] == reading]
        counts = pd.crosstab(rows["artefact"], rows["verdict"])
        counts = counts.reindex(columns=[name for name in VERDICTS if name in counts])
        counts.loc["all"] = counts.sum()
        return counts.astype(int)

    def claims(self) -> pd.DataFrame:
        """One row per claim, with its verdict; empty if they were not tested."""
        import pandas as pd

        path = self.results / "claims" / f"{self.paper}.csv"
        columns = ["where", "claim", "verdict", "value", "evidence"]
        if not path.is_file():
            return pd.DataFrame(columns=columns)
        return pd.read_csv(path, dtype=str, keep_default_na=False).set_index("id")[columns]

    def _svg(self, artefact: str) -> Path:
        return self.figures / self.paper / f"{artefact}.svg"


def _run(effort: str | None, root: Path) -> dict[str, str]:
    """Effort and folders of a run."""
    if effort is None and os.environ.get(VARIABLE):
        return json.loads(os.environ[VARIABLE])
    effort = effort or "full"
    config = read_yaml(root / "config/config.yaml", "config/config.yaml")
    if effort != config["effort"]:
        path = root / "config" / f"{effort}.yaml"
        overlay = read_yaml(path, f"config/{effort}.yaml") if path.is_file() else {}
        if overlay.get("effort") != effort:
            raise UserError(f"there is no effort {effort!r}; `full` and `quick` are known")
        config["roots"] |= overlay["roots"]
    return {"effort": effort, **config["roots"]}
