"""References of a text into the tables of a run: queries and their answers.

    claims?id=dilca-17:verdict              a cell; an error unless one row is found
    numbers?paper=dilca&verdict=exact#      a number of rows; = != ^= (begins) *= (contains) < >
    disc/honest?printed>$mean#              a comparison with another column
    caso/rare_values?share=0.01:distance~max        a summary of a column
    numbers?verdict=exact# / numbers#|%     a ratio (+ and - as well), and the format
    numbers@name*verdict                    a cross table of counts
    study/duels?verdict=better@first,second,p|p     columns of rows, each with its format

Formats: ``word`` (``Word``) for counts up to twenty, ``%`` and ``.`` with decimals (``%1``,
``.3``), ``p`` for p-values. Texts and whole numbers need none.
"""

import json
import operator
import re
from functools import cache
from pathlib import Path

import pandas as pd
import yaml

from replication.errors import UserError, remedy
from replication.judge.chance import base_rates
from replication.judge.claims import CLAIM_VERDICTS
from replication.judge.verdicts import VERDICTS
from replication.show.breakdown import SCORE, classified
from replication.show.rollup import FIRST, LITERAL, distinct, first_reading, settled

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "data" / "published"
WORDS = (
    *("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
TESTS = {
    "!=": operator.ne,
    "^=": str.startswith,
    "*=": operator.contains,
    "<": lambda one, other: float(one or "nan") < float(other or "nan"),
    ">": lambda one, other: float(one or "nan") > float(other or "nan"),
    "=": operator.eq,
}
SUMS = {"+": operator.add, "-": operator.sub, "/": operator.truediv}
HOW = ("sum", "min", "max", "mean", "median", "nunique")


class Tables:
    """Tables of a run by name, every cell a text: those of a ledger, and figures/**.csv.

    Next to ``verdicts`` and ``claims`` (those that times decide are *timed*) there are ``numbers``
    and ``literal`` (a row per distinct printed number, in the reading that is counted or the
    literal one), ``chance`` (`base_rates` of the scores), ``papers``, ``readings``, ``findings``,
    and ``artefacts`` and ``codings`` of data/published.
    """

    def __init__(self, ledger: Path, figures: Path) -> None:
        places = dict.fromkeys(("verdicts", "claims"), ledger)
        self.places = places | dict.fromkeys(("artefacts", "codings"), PUBLISHED)
        self.figures = figures
        self.read = cache(self._read)

    def _read(self, name: str) -> pd.DataFrame:
        match name:
            case "numbers" | "literal":
                reading = FIRST if name == "numbers" else LITERAL
                rows = distinct(first_reading(self.read("verdicts"), reading))
                return classified(rows, PUBLISHED)
            case "chance":
                rows = self.read("numbers")
                return self._named(base_rates(rows[rows["about"] == SCORE]).astype(str))
            case "papers":
                run = {paper: _yaml(f"papers/{paper}") for paper in _yaml("config")["papers"]}
                return pd.DataFrame(
                    {"paper": [*run], "name": [one["name"] for one in run.values()]}
                )
            case "readings":
                return pd.DataFrame(_yaml("readings").values(), dtype=str)
            case "findings":
                text = (self.figures / "findings/findings.json").read_text(encoding="utf-8")
                return pd.DataFrame(json.loads(text)["findings"])
        rows = _csv(self.places.get(name, self.figures) / f"{name}.csv")
        if name == "claims":
            run = [_yaml(f"papers/{paper}") for paper in self.read("papers")["paper"]]
            timed = [claim for one in run for claim in one.get("measured", {}).get("claims", [])]
            facts = _csv(PUBLISHED / "claims.csv")[["id", "kind"]]
            rows = settled(rows, timed).merge(facts, on="id")
        return self._named(rows) if name in ("verdicts", "claims") else rows

    def _named(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows with the ``name`` of their paper and the ``label`` of their artefact."""
        labels = self.read("artefacts")[["paper", "artefact", "label"]]
        named = rows.merge(self.read("papers")[["paper", "name"]], on="paper")
        return named.merge(labels, on=["paper", "artefact"], how="left").fillna("")

    def answers(self, queries: list[str]) -> dict[str, str]:
        """Text of each query, JSON for tables.

        Raises
        ------
        UserError
            With all that name no table, column or row, several rows, or no format for a fraction.
        """
        found, wrong = {}, []
        for query in queries:
            try:
                found[query] = self._table(query) if "@" in query else self._text(query)
            except (UserError, ValueError, ZeroDivisionError) as error:
                wrong.append(f"  {query}: {error}")
        if wrong:
            raise UserError("references without a value:\n" + "\n".join(wrong))
        return found

    def _text(self, query: str) -> str:
        asked, _, style = query.partition("|")
        first, *rest = re.split(r" ([+/-]) ", asked)
        value = self._value(first)
        for sign, other in zip(rest[::2], rest[1::2], strict=True):
            value = SUMS[sign](float(value), float(self._value(other)))
        return styled(value, style)

    def _table(self, query: str) -> str:
        asked, _, columns = query.partition("@")
        rows = self._where(asked)
        if "*" in columns:
            one, other = (_column(rows, name) for name in columns.split("*"))
            counts = pd.crosstab(one, other).reindex(one.unique())
            known = [name for name in dict.fromkeys(VERDICTS + CLAIM_VERDICTS) if name in counts]
            counts = counts[known + [name for name in counts if name not in known]]
            table = counts.assign(all=counts.sum(axis=1)).reset_index().astype(str)
            return json.dumps([["", *table.columns[1:]], *table.to_numpy().tolist()])
        parts = [part.partition("|") for part in columns.split(",")]
        cells = [[styled(text, s) for text in _column(rows, name)] for name, _, s in parts]
        return json.dumps([*zip(*cells, strict=True)])

    def _value(self, asked: str) -> float | str:
        if asked.endswith("#"):
            return len(self._where(asked[:-1]))
        asked, _, column = asked.rpartition(":")
        column, _, how = column.partition("~")
        cells = _column(self._where(asked), column)
        if how in HOW:
            numbers = cells if how == "nunique" else pd.to_numeric(cells[cells != ""])
            return getattr(numbers, how)()
        if how or len(cells) != 1:
            raise UserError(f"{len(cells)} rows, not one; summaries: ~{', ~'.join(HOW)}")
        return cells.iloc[0]

    def _where(self, asked: str) -> pd.DataFrame:
        name, _, conditions = asked.partition("?")
        rows = self.read(name)
        for condition in filter(None, conditions.split("&")):
            column, sign, value = re.split(r"(!=|\^=|\*=|<|>|=)", condition, maxsplit=1)
            cells = _column(rows, column)
            others = _column(rows, value[1:]) if value[:1] == "$" else [value] * len(rows)
            rows = rows[[TESTS[sign](*pair) for pair in zip(cells, others, strict=True)]]
        return rows


def _yaml(name: str) -> dict:
    return yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text(encoding="utf-8"))


def _csv(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise UserError(f"there is no {path}; make reproduce, study and planted write the tables")
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _column(rows: pd.DataFrame, name: str) -> pd.Series:
    if name not in rows:
        raise UserError(f"no column {name!r}; {remedy(name, rows)}")
    return rows[name]


def styled(value: float | str, style: str) -> str:
    """Text of a value in a format."""
    if style[:1] in ("%", ".") and style:
        text = f"{float(value):.{style[1:] or 0}{'%' if style[0] == '%' else 'f'}}"
        return text.replace("-", "\N{MINUS SIGN}")
    if style == "p":
        return "< .001" if float(value) < 0.001 else f"{float(value):.3f}".lstrip("0")
    if isinstance(value, str) and not style:
        return value
    if style not in ("", "word", "Word") or float(value) != round(float(value)):
        raise UserError(f"the format {style!r} does not suit {value!r}")
    count = round(float(value))
    word = WORDS[count] if style and count < len(WORDS) else f"{count:,}"
    return word.capitalize() if style == "Word" else word
