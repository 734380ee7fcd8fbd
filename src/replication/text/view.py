"""Read a finished run, for the texts that speak of it; nothing here can change the run.

In a template (see `replication.text.render`):

>>> numbers.where(paper="dilca", verdict="exact") | length          # doctest: +SKIP
>>> claim("dilca-17").verdict                                       # doctest: +SKIP
>>> table("disc/honest").where(method="disc").having("printed > mean") | length  # doctest: +SKIP
>>> table("study/duels").one(first="cde").p | p_value               # doctest: +SKIP
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from replication.errors import UserError, remedy
from replication.judge.cells import COMPARABLE, enumerated
from replication.judge.chance import base_rates
from replication.judge.claims import ABOUT, CLAIM_VERDICTS, EQUAL, EXCEPTIONS, FEW, MUCH, RATIO
from replication.judge.verdicts import MOST_ROUNDING, STANDARD_ERRORS, VERDICTS
from replication.show.breakdown import SCORE, classified
from replication.show.claim_counts import described, in_words, settled
from replication.show.rollup import FIRST, LITERAL, distinct, first_reading
from replication.text.words import shown

RULES: dict[str, float] = {
    "standard errors": STANDARD_ERRORS,
    "rounding": MOST_ROUNDING,
    "nearly": EXCEPTIONS,
    "much": MUCH,
    "ratio": RATIO,
    "few": FEW,
    "about": ABOUT,
    "equal": EQUAL,
}
"""Numbers of the rules of verdicts on numbers and claims."""
SUMMARIES = ("sum", "min", "max", "mean", "median")


class Row(Mapping[str, str]):
    """One row of a table; its cells are attributes as well, every one a text."""

    def __init__(self, cells: Mapping[str, str], table: str) -> None:
        self._cells, self._table = dict(cells), table

    def __getitem__(self, name: str) -> str:
        try:
            return self._cells[name]
        except KeyError:
            raise UserError(
                f"{self._table} has no column {name!r}; {remedy(name, self._cells)}"
            ) from None

    def __getattr__(self, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)


class Rows:
    """Some rows of a table of a run, every cell a text.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    table : str
        Name of the table, for messages.
    """

    def __init__(self, frame: pd.DataFrame, table: str) -> None:
        self._frame, self._table = frame, table

    def __len__(self) -> int:
        return len(self._frame)

    def __iter__(self) -> Iterator[Row]:
        return (Row(cells, self._table) for cells in self._frame.to_dict("records"))

    def _column(self, name: str) -> pd.Series:
        if name not in self._frame:
            raise UserError(f"{self._table} has no column {name!r}; {remedy(name, self._frame)}")
        return self._frame[name]

    def where(self, **cells: str | Sequence[str]) -> "Rows":
        """Return the rows whose cells are these texts, or one of several texts."""
        kept = self._frame
        for name, wanted in cells.items():
            texts = [wanted] if isinstance(wanted, str) else list(wanted)
            kept = kept[self._column(name).loc[kept.index].isin(texts)]
        return Rows(kept, self._table)

    def without(self, **cells: str | Sequence[str]) -> "Rows":
        """Return the rows that have none of these cells."""
        kept = self._frame
        for name, unwanted in cells.items():
            texts = [unwanted] if isinstance(unwanted, str) else list(unwanted)
            kept = kept[~self._column(name).loc[kept.index].isin(texts)]
        return Rows(kept, self._table)

    def containing(self, **cells: str) -> "Rows":
        """Return the rows whose cells contain these texts."""
        kept = self._frame
        for name, part in cells.items():
            kept = kept[self._column(name).loc[kept.index].str.contains(part, regex=False)]
        return Rows(kept, self._table)

    def having(self, condition: str) -> "Rows":
        """Return the rows that meet a condition of `DataFrame.query`; numeric columns are numbers.

        Such as ``"p < 0.05 and gain > least"``.
        """
        frame = self._frame.apply(_as_numbers)
        try:
            kept = frame.query(condition, engine="python").index
        except (NameError, SyntaxError, TypeError, ValueError) as error:
            raise UserError(f"{self._table}: the condition {condition!r}: {error}") from error
        return Rows(self._frame.loc[kept], self._table)

    def comparable(self) -> "Rows":
        """Return the printed numbers that could be compared."""
        return self.where(verdict=COMPARABLE)

    def one(self, **cells: str) -> Row:
        """Return the only row with these cells.

        Raises `UserError` unless there is exactly one.
        """
        found = self.where(**cells)
        if len(found) != 1:
            raise UserError(f"{self._table} has {len(found)} rows with {cells}, not one")
        return next(iter(found))

    def once(self, *names: str) -> "Rows":
        """Return the first row of each combination of cells of these columns."""
        columns = [self._column(name).name for name in names]
        return Rows(self._frame.drop_duplicates(columns), self._table)

    def texts(self, name: str) -> list[str]:
        """Return the cells of a column."""
        return self._column(name).tolist()

    def distinct(self, name: str) -> list[str]:
        """Return the different cells of a column, in order of appearance."""
        return list(dict.fromkeys(self.texts(name)))

    def named(self, name: str) -> str:
        """Return the different cells of a column as ``a, b and c``, or ``none``."""
        return enumerated(self.distinct(name)) or "none"

    def distance(self) -> float:
        """Return the mean distance of our numbers from the printed ones."""
        differences = self._column("difference")
        return float(pd.to_numeric(differences[differences != ""]).abs().mean())

    def summary(self, how: str, name: str) -> float:
        """Return the sum, min, max, mean or median of a column; empty cells are left out."""
        if how not in SUMMARIES:
            raise UserError(f"there is no summary {how!r}; {remedy(how, SUMMARIES)}")
        cells = self._column(name)
        return float(getattr(pd.to_numeric(cells[cells != ""]), how)())

    def cells(self, *names: str, **formats: int | str) -> list[list[str]]:
        """Return columns as rows of texts.

        `formats` gives decimals, ``percent`` or ``p_value`` for columns of numbers.
        """
        columns = [[shown(text, formats.get(name)) for text in self.texts(name)] for name in names]
        return [list(row) for row in zip(*columns, strict=True)]

    def crossed(self, by: str, column: str = "verdict") -> list[list[str]]:
        """Return a table of counts: a head, and a row for each cell of `by`, with their sum."""
        counts = pd.crosstab(self._column(by), self._column(column))
        counts = counts.reindex(self.distinct(by))
        known = [name for name in dict.fromkeys(VERDICTS + CLAIM_VERDICTS) if name in counts]
        counts = counts[[*known, *(name for name in counts if name not in known)]]
        table = counts.assign(all=counts.sum(axis=1)).reset_index().astype(str)
        return [["", *table.columns[1:]], *table.to_numpy().tolist()]


def _as_numbers(column: pd.Series) -> pd.Series:
    """Return a column as numbers if every cell that is not empty is one."""
    filled = column[column != ""]
    numbers = pd.to_numeric(filled, errors="coerce")
    return column if numbers.isna().any() else numbers.reindex(column.index)


class View:
    """The finished run that texts speak of.

    Parameters
    ----------
    papers : mapping of str to mapping
        Papers and studies, as ``config/papers`` describes them, those of the run in their order.
    readings : mapping of str to mapping
        The open choices of the texts, as in ``config/readings.yaml``.
    data : Path
        The folder ``data``, with ``published`` and ``record``.
    ledger : Path
        Folder with verdicts.csv and claims.csv: a record, or the ledger of a run.
    figures : Path
        Folder with the tables of the papers and studies.
    """

    def __init__(
        self,
        papers: Mapping[str, Mapping[str, Any]],
        readings: Mapping[str, Mapping[str, Any]],
        *,
        data: Path,
        ledger: Path,
        figures: Path,
    ) -> None:
        self._all, self._readings, self._data = papers, readings, data
        self._papers = {name: one for name, one in papers.items() if one.get("prints", True)}
        self._published = data / "published"
        self._ledger, self._figures = ledger, figures
        self.table = cache(self._table)

    @classmethod
    def of_record(
        cls, root: Path, ledger: Path | None = None, figures: Path | None = None
    ) -> "View":
        """Return the view of the run that is committed as the record of a project.

        `ledger` and `figures` are those of another run.
        """
        config = root / "config"
        others = sorted(path.stem for path in (config / "papers").glob("*.yaml"))
        names = dict.fromkeys([*_yaml(config / "config.yaml")["papers"], *others])
        return cls(
            {name: _yaml(config / "papers" / f"{name}.yaml") for name in names},
            _yaml(config / "readings.yaml"),
            data=root / "data",
            ledger=ledger or root / "data" / "record" / "full",
            figures=figures or root / "figures",
        )

    def _table(self, name: str) -> Rows:
        """Return a table of the run, such as ``study/duels``."""
        return Rows(_csv(self._figures / f"{name}.csv"), name)

    @cached_property
    def _headline(self) -> list[str]:
        return [name for name, paper in self._papers.items() if paper.get("headline", True)]

    @cached_property
    def every_paper(self) -> Rows:
        """All papers of the run: ``paper``, ``name``, ``citation``, ``brings``."""
        facts = [
            {"paper": name, **{key: paper.get(key, "") for key in ("name", "citation", "brings")}}
            for name, paper in self._papers.items()
        ]
        return Rows(pd.DataFrame(facts), "papers")

    @cached_property
    def papers(self) -> Rows:
        """Papers of the headline."""
        return self.every_paper.where(paper=self._headline)

    @cached_property
    def artefacts(self) -> Rows:
        """Published facts about tables and figures."""
        return Rows(_csv(self._published / "artefacts.csv"), "artefacts")

    @cached_property
    def codings(self) -> Rows:
        """Blind codings of the claims."""
        return Rows(_csv(self._published / "codings.csv"), "codings")

    @cached_property
    def bundled(self) -> Rows:
        """Data sets of which the repository has a copy."""
        return Rows(_csv(self._data / "bundled" / "ORIGINS.csv"), "bundled")

    @cached_property
    def verdicts(self) -> Rows:
        """Every printed number in every place and reading."""
        return Rows(self._named(_csv(self._ledger / "verdicts.csv")), "verdicts")

    @cached_property
    def every_number(self) -> Rows:
        """As `numbers`, with the papers that were added later."""
        return Rows(self._distinct(FIRST), "numbers")

    @cached_property
    def numbers(self) -> Rows:
        """One row per distinct number of the papers of the headline, in the counted reading.

        The column ``about`` is its kind.
        """
        return self.every_number.where(paper=self._headline)

    @cached_property
    def literal(self) -> Rows:
        """As `numbers`, with the texts followed literally."""
        return Rows(self._distinct(LITERAL), "literal").where(paper=self._headline)

    def _distinct(self, reading: str) -> pd.DataFrame:
        rows = distinct(first_reading(self.verdicts._frame, reading))
        return classified(rows, self._published)

    @cached_property
    def every_claim(self) -> Rows:
        """As `claims`, with the papers that were added later."""
        timed = [
            claim
            for paper in self._papers.values()
            for claim in paper.get("measured", {}).get("claims", [])
        ]
        facts = _csv(self._published / "claims.csv")[["id", "kind"]]
        rows = settled(_csv(self._ledger / "claims.csv"), timed).merge(facts, on="id")
        rows = described(rows, self._published)
        return Rows(self._named(rows), "claims")

    @cached_property
    def claims(self) -> Rows:
        """Claims in words of the papers of the headline; measured times decide *timed* ones."""
        return Rows(in_words(self.every_claim._frame), "claims").where(paper=self._headline)

    @cached_property
    def chance(self) -> Rows:
        """Agreement of scores by chance, see `replication.judge.chance`."""
        scores = self.numbers.where(about=SCORE)._frame
        return Rows(self._named(base_rates(scores).astype(str)), "chance")

    @cached_property
    def readings(self) -> Rows:
        """The open choices of the texts."""
        entries = [{"id": name, **entry} for name, entry in self._readings.items()]
        frame = pd.DataFrame(entries, dtype=str)
        return Rows(frame, "readings")

    @cached_property
    def gains(self) -> Rows:
        """Exact numbers with each choice, reconciled and literal."""
        return Rows(_csv(self._data / "record" / "readings.csv"), "gains")

    @cached_property
    def findings(self) -> Rows:
        """The findings, in their order."""
        path = self._figures / "findings" / "findings.json"
        if not path.is_file():
            raise UserError(f"there is no {path}; make reproduce writes it")
        content = json.loads(path.read_text(encoding="utf-8"))
        return Rows(pd.DataFrame(content["findings"]), "findings")

    def published(self, name: str) -> Rows:
        """Return a table of the folder of published numbers, such as ``independent``."""
        return Rows(_csv(self._published / f"{name}.csv"), name)

    def rule(self, name: str) -> float:
        """Return a number of the rules of verdicts, by its name in `RULES`."""
        if name not in RULES:
            raise UserError(f"there is no rule {name!r}; {remedy(name, RULES)}")
        return RULES[name]

    def number(self, name: str, reading: str = "") -> Row:
        """Return a printed number by its id, in the reading that is counted or in another one."""
        rows = self.verdicts.where(id=name)
        if reading:
            return rows.one(reading=reading)
        if not len(rows):
            raise UserError(f"there is no printed number {name!r} in the run")
        return next(iter(Rows(first_reading(rows._frame), "verdicts")))

    def gain(self, reading: str, artefact: str = "all") -> Row:
        """Return how many numbers a choice makes exact: ``reconciled`` and ``literal``."""
        return self.gains.one(reading=reading, artefact=artefact)

    def claim(self, name: str) -> Row:
        """Return a claim by its id."""
        return self.every_claim.one(id=name)

    def finding(self, name: str) -> str:
        """Return the sentence of a finding."""
        return self.findings.one(id=name).sentence

    def label(self, name: str) -> str:
        """Return what a paper calls one of its artefacts, such as ``Table 6``."""
        return self.artefacts.one(id=name).label

    def configuration(self, paper: str) -> Mapping[str, Any]:
        """Return the configuration of a paper or a study."""
        if paper not in self._all:
            raise UserError(f"there is no paper {paper!r}; {remedy(paper, self._all)}")
        return self._all[paper]

    def page(self, name: str) -> str:
        """Return a page of the figures, such as ``rollup.md``."""
        path = self._figures / name
        if not path.is_file():
            raise UserError(f"there is no {path}; make reproduce writes it")
        return path.read_text(encoding="utf-8")

    def holds(self, condition: object, said: str = "") -> str:
        """Return an empty text if a condition holds, for the sentence next to it.

        Raises `UserError` with the text `said` if it does not hold.
        """
        if not condition:
            raise UserError(f"a sentence does not hold in this run: {said or 'see the condition'}")
        return ""

    def names(self) -> dict[str, Any]:
        """Return the names that a template can use."""
        rows = (
            *("verdicts", "numbers", "literal", "every_number", "claims", "every_claim", "chance"),
            *("readings", "gains", "papers", "every_paper", "findings", "artefacts", "codings"),
            "bundled",
        )
        calls = (
            *("table", "number", "gain", "claim", "finding", "label", "configuration", "page"),
            *("published", "rule", "holds"),
        )
        return {name: _Lazy(self, name) for name in rows} | {
            name: getattr(self, name) for name in calls
        }

    def _named(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows with the ``name`` of their paper and the ``label`` of their artefact."""
        labels = self.artefacts._frame[["paper", "artefact", "label"]]
        names = {paper: entry["name"] for paper, entry in self._papers.items()}
        named = rows.assign(name=rows["paper"].map(names))
        return named.merge(labels, on=["paper", "artefact"], how="left").fillna("")


class _Lazy:
    """Rows of a view that are read when a template first asks for them."""

    def __init__(self, view: View, name: str) -> None:
        self._view, self._name = view, name

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(self._view, self._name), name)

    def __len__(self) -> int:
        return len(getattr(self._view, self._name))

    def __iter__(self) -> Iterator[Row]:
        return iter(getattr(self._view, self._name))


def _yaml(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _csv(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise UserError(
            f"there is no {path}; make reproduce writes the tables of the papers, and make help "
            "lists the other targets"
        )
    return pd.read_csv(path, dtype=str, keep_default_na=False)
