"""Step `rollup`: count the verdicts of the ledger, in small tables and one figure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication.errors import UserError
from replication.files import write_text
from replication.judge.cells import VERDICT_COLUMNS, enumerated
from replication.judge.claims import (
    ABOUT,
    CLAIM_COLUMNS,
    CLAIM_VERDICTS,
    CONFIRMED,
    FEW,
    MIXED,
    MORE_CASES,
    MUCH,
    NEARLY,
    NOT_TESTABLE,
    QUANTIFIERS,
    RATIO,
    REFUTED,
)
from replication.judge.ledger import UNEXPLAINED, read_ledger
from replication.judge.verdicts import (
    DIFFERS,
    EXACT,
    NOT_COMPARABLE,
    NOT_RUN,
    VERDICTS,
    WITHIN_NOISE,
    in_unit,
    printed_number,
    truncated,
)
from replication.show import breakdown
from replication.show.claim_counts import (
    TIMED,
    ClaimCounts,
    count_by_paper,
    count_claims,
    described,
    in_words,
    one_per_cause,
    settled,
)
from replication.show.style import COLOURS, GREY, LIGHT, PAGE, new_figure, save

FIRST, LITERAL = "reconciled", "literal"
"""The reading that is counted, and the text as written. The one reading of a paper is counted."""

LOOKS: dict[str, tuple[str, str]] = {
    EXACT: (COLOURS[0], ""),
    WITHIN_NOISE: (COLOURS[5], "///"),
    DIFFERS: (COLOURS[1], "xxx"),
    NOT_COMPARABLE: (GREY, "..."),
    NOT_RUN: (LIGHT, ""),
    CONFIRMED: (COLOURS[0], ""),
    NEARLY: (COLOURS[5], "///"),
    MIXED: (COLOURS[6], "\\\\\\"),
    REFUTED: (COLOURS[1], "xxx"),
    NOT_TESTABLE: (GREY, "..."),
    TIMED: (LIGHT, "|||"),
}
"""Colour and hatch of each verdict in figures; the hatches differ in grey print too."""


def verdict_colours() -> str:
    """Return CSS rules with the colour of each verdict, and of readable text on it."""

    def ink(colour: str) -> str:
        red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return "#000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.42 else "#fff"

    return "\n".join(
        f".{name.replace(' ', '-')} {{ --verdict: {colour}; --ink: {ink(colour)}; }}"
        for name, (colour, _) in LOOKS.items()
    )


def run(spec: dict[str, Any], verdicts: Path, claims: Path, published: Path, output: Path) -> None:
    """Run the step."""
    names = {paper["id"]: paper["name"] for paper in spec["papers"]}
    first = {paper["id"]: paper["name"] for paper in spec["papers"] if paper["headline"]}
    rows = read_ledger(VERDICT_COLUMNS, verdicts)
    printed = first_reading(rows)
    numbers, literal = distinct(printed), distinct(first_reading(rows, LITERAL))
    told = described(settled(read_ledger(CLAIM_COLUMNS, claims), spec["timed"]), published)
    exact = numbers[numbers["verdict"] == EXACT]
    by_truncation = [
        truncated(printed_number(text), float(ours))
        for text, ours in zip(exact["printed"], exact["reproduced"], strict=True)
    ]
    more = {
        "exact by truncation": exact[by_truncation],
        "exact, literal": literal[literal["verdict"] == EXACT],
    }
    tables = (
        _table("numbers", first, numbers, VERDICTS, {"printed in": printed}, more),
        _table(
            "claims",
            first,
            in_words(told),
            (*CLAIM_VERDICTS, TIMED),
            behind={"causes of the refuted": one_per_cause(told)},
        ),
        *filter(None, [tables_apart(told[told["paper"].isin(first)])]),
        *(
            f"{one['name']}: {said_of(one['id'], numbers, told)}. {one['note']}\n"
            for one in spec["papers"]
            if not one["headline"]
        ),
    )
    by_paper = count_by_paper(told)
    write_text(output, "\n".join(tables))
    write_text(output.with_name("claims.md"), claims_markdown(told, names))
    write_text(output.with_name("deviations.md"), deviations_markdown(numbers))
    write_text(
        output.with_name("breakdown.md"), breakdown.markdown(numbers, told, published, TIMED, first)
    )
    save(
        draw(first, count(numbers), {name: one.verdicts for name, one in by_paper.items()}),
        output.with_suffix(".svg"),
        "What holds, paper by paper",
    )


def first_reading(rows: pd.DataFrame, reading: str = FIRST) -> pd.DataFrame:
    """Return one row per printed number: the row of a reading, or else the first row."""
    first = rows.assign(other=rows["reading"] != reading).sort_values("other", kind="stable")
    return rows.loc[first.drop_duplicates("id").index.sort_values()]


def distinct(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per distinct printed number.

    The same method, data set, metric and digits in another figure of the paper are the same
    number, with one verdict.

    Raises `UserError` if a number has two verdicts.
    """
    key = ["paper", "dataset", "method", "metric", "printed"]
    found = rows.drop_duplicates(key)
    for row in rows.merge(found, on=key, suffixes=("", "_first")).itertuples():
        if row.verdict != row.verdict_first:
            raise UserError(
                f"{row.id_first} and {row.id} are one printed number and have two verdicts, "
                f"{row.verdict_first} and {row.verdict}; a note of the configuration holds for "
                "one of the two only"
            )
    return found


def count(rows: pd.DataFrame, key: str = "paper") -> dict[str, Counter[str]]:
    """Count rows per verdict, by the values of a column in order of appearance."""
    return {name: Counter(found) for name, found in rows.groupby(key, sort=False)["verdict"]}


def said_of(paper: str, numbers: pd.DataFrame, claims: pd.DataFrame) -> str:
    """Return the counts of one paper in words, the verdicts in their order."""
    parts, told = [], count_claims(claims[claims["paper"] == paper])
    for noun, found, verdicts in (
        ("printed numbers", Counter(numbers.loc[numbers["paper"] == paper, "verdict"]), VERDICTS),
        ("claims", told.verdicts, (*CLAIM_VERDICTS, TIMED)),
        ("whole tables or columns", told.tables, CLAIM_VERDICTS),
    ):
        if noun.startswith("whole") and not found:
            continue
        counts = ", ".join(f"{found[name]} {name}" for name in verdicts if found[name])
        parts.append(f"{found.total()} {noun} ({counts})" if counts else f"no {noun}")
    return enumerated(parts)


def tables_apart(claims: pd.DataFrame) -> str:
    """Return a line on the claims that are whole tables, which no count of claims includes."""
    line = apart(count_claims(claims))
    return f"{line}\n" if line else ""


def apart(counts: ClaimCounts) -> str:
    """Return a sentence on whole tables and columns, or an empty text without any."""
    found = ", ".join(f"{counts.tables[one]} {one}" for one in CLAIM_VERDICTS if counts.tables[one])
    return (
        f"{counts.tables.total()} claims that are whole tables or columns are counted apart "
        f"({found})."
        if found
        else ""
    )


def _table(
    head: str,
    names: Mapping[str, str],
    rows: pd.DataFrame,
    verdicts: Sequence[str],
    before: Mapping[str, pd.DataFrame] | None = None,
    behind: Mapping[str, pd.DataFrame] | None = None,
) -> str:
    """Return a Markdown table of counts by paper: all rows, `before`, each verdict, `behind`."""
    parts = {one: rows[rows["verdict"] == one] for one in verdicts if one in set(rows["verdict"])}
    counted = {head: rows, **(before or {}), **parts, **(behind or {})}
    counts = {name: found["paper"].value_counts() for name, found in counted.items()}
    frame = pd.DataFrame(counts, index=list(names)).fillna(0).astype(int)
    frame.loc["all"] = frame.sum()
    return frame.rename(index=dict(names)).rename_axis("paper").to_markdown() + "\n"


def claims_markdown(claims: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Return the page of all claims: what each asserts, its cases, evidence against refuted ones.

    `claims` is as `described` returns it; `names` are the names of the papers, by their ids.
    """
    heads = {
        **{name: name for name in ("id", "claim", "asserts")},
        **{"ours": "holds in", "verdict": "verdict", "readings": "confirmed under"},
        **{"print": "in print", "print_verdict": "verdict of the print", "stated": "stated as"},
    }
    rows = claims.assign(
        claim=claims["claim"].str.replace("|", "\\|"),
        asserts=(claims["asserts"] + " " + claims["margin"]).str.strip(),
    )[list(heads)].rename(columns=heads)
    about = "\n".join(f"- `{name}`: {words}" for name, words in QUANTIFIERS.items())
    under, other = (
        claims.loc[claims[name] != "", ["id", "verdict", *more, name]].to_markdown(index=False)
        for name, more in (("under", ["readings"]), ("other_form", []))
    )
    return f"""# All claims

The verdict follows from what a claim asserts and from the cases that our numbers \
support. The last two columns apply the same test to the printed numbers, where there are \
any; they never count for the verdict, unless the claim is about the print.

{_fallen(claims[claims["verdict"] == REFUTED], names)}
{_causes(claims)}
## Every claim

{about}

A score is *much* larger from {MUCH:g} on, *close* below that; a number is *about* \
another one within {100 * ABOUT:g} %. Several parts of a claim are joined by `;`. \
*Confirmed under*: of the readings of what the paper leaves open, as many confirm the claim \
at least nearly. \
*Stated as* a table: a whole table or column, whose numbers have verdicts of their own; it is not \
counted among the claims. \
*{TIMED}*: measured seconds or bytes decide the claim, so that its verdict may \
differ from run to run; see the report of the run.

{rows.to_markdown(index=False) if len(rows) else "No claim in this run."}

## Claims under each reading

A claim that rests on an open choice is judged under every answer that was computed, the counted \
one first: verdict, and in how many cases it holds.

{under}

## Much, close and small in another form

Counted are differences of {MUCH:g} (*much*, *close*) and shares of less than half (*small*). In \
the other form they are {100 * RATIO:g} % of the smaller score, and a number of at most {FEW}. \
Here the other form gives another verdict:

{other}
"""


def _fallen(claims: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Return the refuted claims, paper by paper, each with the evidence against it."""
    lines = ["## Refuted claims and the evidence", ""]
    for paper, rows in claims.groupby("paper", sort=False):
        texts = (
            f"- `{row['id']}`, {row['where']}: *{row['claim'].strip()}*. {row['evidence']}"
            + f" ([all cases]({paper}/claims/{row['id']}.csv))" * (MORE_CASES in row["evidence"])
            for row in rows.replace("<", "&lt;", regex=True).to_dict("records")
        )
        lines += [f"### {names.get(str(paper), paper)}", "", *texts, ""]
    return "\n".join(lines if len(claims) else [*lines, "No claim is refuted.", ""])


def _causes(claims: pd.DataFrame) -> str:
    """Return the facts by which several refuted claims fall, each with its claims."""
    families = [
        {"fact": cause, "claims": ", ".join(rows["id"])}
        for (_, cause), rows in in_words(claims).groupby(["paper", "cause"], sort=False)
        if cause and len(rows) > 1
    ]
    listed = pd.DataFrame(families).to_markdown(index=False) if families else "None."
    return f"""## Refuted claims that fall by one fact

Each fact is measured by the cases of a claim (`data/published/causes.csv`); it counts as one \
cause.

{listed}
"""


def deviations_markdown(rows: pd.DataFrame) -> str:
    """Return the page of numbers that differ and their reasons, from one row per number."""
    rows = rows[rows["verdict"] == DIFFERS]
    found = rows[["paper", "artefact", "dataset", "method", "metric", "printed"]].assign(
        ours=[
            in_unit(printed, float(text))
            for printed, text in zip(rows["printed"], rows["reproduced"], strict=True)
        ],
        oracle=rows["oracle"],
        reason=rows["reason"].replace("", UNEXPLAINED).str.replace("|", "\\|"),
    )
    return f"""# Numbers that differ

{len(found)} printed numbers differ from ours under the counted reading. For \
{found["reason"].str.startswith(UNEXPLAINED).sum()} of them, no variant that we tried gives \
the printed number.

{found.to_markdown(index=False) if len(found) else "No number differs."}
"""


def draw(
    names: Mapping[str, str],
    numbers: Mapping[str, Counter[str]],
    claims: Mapping[str, Counter[str]],
) -> Figure:
    """Draw the shares of the verdicts, one bar per paper: numbers left, claims right."""
    figure, panels = new_figure(PAGE, 1.1 + 0.33 * len(names), 2)
    for axes, head, found, verdicts in (
        (panels[0], "printed numbers", numbers, VERDICTS),
        (panels[1], "claims", claims, (*CLAIM_VERDICTS, TIMED)),
    ):
        counts = [(name, found.get(paper, Counter())) for paper, name in names.items()]
        bars(axes, {f"{name} ({one.total()})": one for name, one in counts}, verdicts, numbers=True)
        axes.set_xlabel(f"% of the {head}")
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(-0.3, 1.0),
            ncols=3,
            columnspacing=0.9,
            handlelength=1.3,
        )
    return figure


def bars(
    axes: Axes, counts: Mapping[str, Counter[str]], verdicts: Sequence[str], *, numbers: bool
) -> None:
    """Draw the shares of the verdicts from left to right, one bar per name, with legend entries.

    With `numbers` the counts are written into the bars.
    """
    box = {"fc": "white", "ec": "none", "pad": 1.0, "alpha": 0.85}
    looks: dict[str, dict[str, Any]] = {
        name: {"color": colour, "hatch": hatch, "ec": "white"}
        for name, (colour, hatch) in LOOKS.items()
    }
    for verdict in verdicts:
        axes.barh(0, 0, label=verdict, **looks[verdict])
    for i, found in enumerate(counts.values()):
        left = 0.0
        for verdict in verdicts:
            share = 100 * found[verdict] / max(found.total(), 1)
            axes.barh(i, share, 0.68, left=left, lw=0.6, **looks[verdict])
            if numbers and share >= 7:
                middle = left + share / 2
                axes.text(middle, i, str(found[verdict]), ha="center", va="center", bbox=box)
            left += share
    axes.set_yticks(range(len(counts)), list(counts))
    axes.set_ylim(len(counts) - 0.5, -0.5)
    axes.set_xlim(0, 100)
