"""Break down the counts of the roll-up: kinds of numbers and claims, chance, codings."""

from collections.abc import Collection, Sequence
from pathlib import Path

import pandas as pd

from replication.files import read_rows
from replication.judge.cells import COMPARABLE
from replication.judge.chance import ALL, base_rates
from replication.judge.claims import CLAIM_VERDICTS, PUBLISHED_COLUMNS, TABLE
from replication.judge.verdicts import MOST_ROUNDING, NOISES, VERDICTS, WITHIN_NOISE

ABOUT_COLUMNS = ("paper", "artefact", "dataset_id", "about")
CODING_COLUMNS = ("id", "words", "first", "second", "reason")
SCORE, OTHER = "score", "not classified"
WHOLE_TABLE = "whole table or column"
"""Kind of a claim that is not in words, and counted apart."""
OF_DATA = "description of data"
"""Kind of a number in a table of scores that belongs to no method."""


def markdown(
    numbers: pd.DataFrame,
    claims: pd.DataFrame,
    published: Path,
    timed: str,
    headline: Collection[str],
) -> str:
    """Return the page.

    `numbers` are rows of the ledger, one per distinct printed number; `claims` are those of
    `claim_counts.described`. The folder `published` has ``about.csv``, ``artefacts.csv``,
    ``claims.csv`` and ``codings.csv``. The text `timed` stands for the verdict on a claim that
    measured times decide. The kinds of numbers and of noise are counted over the papers
    `headline`, then over the others.
    """
    facts = pd.DataFrame(read_rows(published / "claims.csv", PUBLISHED_COLUMNS)).set_index("id")
    codings = pd.DataFrame(read_rows(published / "codings.csv", CODING_COLUMNS)).set_index("id")
    found, theorems = facts[facts["found"] != ""], facts[facts["test"] != ""]
    images = pd.DataFrame(read_rows(published / "artefacts.csv"))
    images = images[images["numbers_in_text"].str.contains("image")]
    rows = classified(numbers, published)
    first = rows["paper"].isin(list(headline))
    whole = claims["stated"] == TABLE
    kinds = claims.assign(kind=claims["id"].map(facts["kind"]).mask(whole, WHOLE_TABLE))
    return "\n".join(
        [
            "# What the counts are made of",
            "",
            "## Kinds of numbers",
            "",
            "*Score*: the quality of a clustering. *Derived result*: a gain, a p-value or a count "
            "of wins. *Example on rebuilt data*: the data of the example are an image, and were "
            "rebuilt so that the printed values come out, which makes agreement partly circular. "
            "*Print against print*: computed mostly from other printed numbers. The percentages "
            "are shares of the numbers that can be compared.",
            "",
            kinds_of_numbers(rows[first]),
            *(["Papers added later:", "", kinds_of_numbers(rows[~first])] if any(~first) else []),
            "## What makes the range of the numbers within noise",
            "",
            "*Repeated runs* have random starts. *Row orders* decide ties. *Random samples* are "
            "drawn in place of one that was not published. *Rounded inputs* are printed numbers, "
            "of which only the rounded values are known. *Rounding*: the range is wide enough only "
            "because the order of floating-point operations moves objects; this part of a range is "
            f"at most {MOST_ROUNDING:g} on either side.",
            "",
            noises(numbers),
            "## Agreement by chance",
            "",
            "Our number of one method beside the printed number of another, for the same data set "
            "and index, wherever these are scores. *By chance*: as many numbers as would agree if "
            "ours were of another method. Methods resemble each other, so this is an upper bound. "
            "Where an observed count is not above it, the verdict says nothing about the method.",
            "",
            _chance(rows[rows["about"] == SCORE]),
            "## Kinds of claims",
            "",
            _crossed(kinds, "kind", "claims", (*CLAIM_VERDICTS, timed)),
            "## Claims found later",
            "",
            "A second reading of the papers found these sentences, after results were known; they "
            "are coded once, by us.",
            "",
            found[["claim", "asserts", "found"]].reset_index().to_markdown(index=False),
            "",
            "## Statements of mathematics",
            "",
            "Each has a test in `tests`, beside the cases that give its verdict; of a statement "
            "that is refuted, the test holds what is true instead, or its counterexample.",
            "",
            theorems[["claim", "test"]].reset_index().to_markdown(index=False),
            "",
            "## Figures and tables that are images",
            "",
            "Their curves, bars and cells have no printed numbers: ours stand alone, and only what "
            "the text says of them is judged.",
            "",
            images[["paper", "label", "caption", "numbers_in_text"]].to_markdown(index=False),
            "",
            "## Two blind codings of the claims",
            "",
            *_agreement(codings, facts),
        ]
    )


def classified(numbers: pd.DataFrame, published: Path) -> pd.DataFrame:
    """Return numbers with their kind, ``about``, from the file ``about.csv`` of a folder.

    An entry applies to the numbers of an artefact on one data set, or on all if it names none.
    """
    known = {
        (one["paper"], one["artefact"], one["dataset_id"]): one["about"]
        for one in read_rows(published / "about.csv", ABOUT_COLUMNS)
    }
    about = [
        known.get((row.paper, row.artefact, row.dataset))
        or known.get((row.paper, row.artefact, ""), OTHER)
        for row in numbers.itertuples()
    ]
    found = numbers.assign(about=about)
    found.loc[(found["about"] == SCORE) & (found["method"] == ""), "about"] = OF_DATA
    return found


def kinds_of_numbers(rows: pd.DataFrame) -> str:
    """Return the counts of verdicts by kind of number, from rows of `classified`."""
    return _crossed(rows, "about", "numbers", VERDICTS, shares=COMPARABLE)


def noises(numbers: pd.DataFrame) -> str:
    """Return how many numbers are within noise, by what makes their range and by paper."""
    rows = numbers[numbers["verdict"] == WITHIN_NOISE]
    if rows.empty:
        return "No number in this run is within noise.\n"
    table = pd.crosstab(rows["noise"], rows["paper"], margins=True, margins_name="all")
    known = [name for name in NOISES if name in table.index]
    table = table.loc[[*known, "all"], [*rows["paper"].unique(), "all"]]
    return (
        table.rename_axis("noise").rename_axis(None, axis=1).reset_index().to_markdown(index=False)
        + "\n"
    )


def _crossed(
    rows: pd.DataFrame,
    by: str,
    noun: str,
    verdicts: Sequence[str],
    shares: Sequence[str] = (),
) -> str:
    """Return the counts of verdicts by a column, the most frequent kind first.

    The verdicts `shares` also have their percentage among all of these verdicts, but the last.
    """
    table = pd.crosstab(rows[by], rows["verdict"])
    table = table[[name for name in verdicts if name in table]]
    total = table.reindex(columns=list(shares), fill_value=0)
    percent = {
        f"{name}, %": (100 * total[name] / total.sum(axis=1)).round(1).astype(object)
        for name in shares[:-1]
    }
    table.insert(0, noun, table.sum(axis=1))
    table = table.assign(**percent).where(lambda found: found.notna(), "")
    table = table.sort_values(noun, ascending=False, kind="stable").rename_axis(None, axis=1)
    return table.reset_index().to_markdown(index=False) + "\n"


def _chance(scores: pd.DataFrame) -> str:
    """Return the observed agreement of each artefact and method, and that expected by chance."""
    table = base_rates(scores).drop(columns="pairs")
    rates, expected = (table.filter(like=end).astype(float) for end in ("_rate", "_by_chance"))
    table = table.assign(**(100 * rates).round(1), **expected.round(1))
    heads = table.columns.str.replace("_rate", ", % of mismatched pairs").str.replace("_", " ")
    table = table.set_axis(heads.str.replace("compared", "numbers"), axis=1)
    whole = table["method"] == ALL
    return "\n\n".join(table[rows].to_markdown(index=False) for rows in (whole, ~whole)) + "\n"


def _agreement(codings: pd.DataFrame, facts: pd.DataFrame) -> list[str]:
    """Return how far two readers and the encoding agree on the assertions of the claims."""
    from sklearn.metrics import cohen_kappa_score

    settled = facts["asserts"].reindex(codings.index)
    pairs = {
        "first and second reader": (codings["first"], codings["second"]),
        "first reader and encoding": (codings["first"], settled),
        "second reader and encoding": (codings["second"], settled),
    }
    table = pd.DataFrame(
        [
            {
                "between": name,
                "equal": int((one == other).sum()),
                "claims": len(one),
                "Cohen's kappa": round(float(cohen_kappa_score(one, other)), 2),
            }
            for name, (one, other) in pairs.items()
        ]
    )
    differ = codings[codings["reason"] != ""].assign(encoding=settled)
    return [
        "Two readers coded what each claim asserts from the text of the paper alone, by one scheme "
        "and without our numbers or encoding. They are no authors of the papers, and read alike; "
        "their agreement is no proof that either is right. The encoding was settled after both, "
        "from the sentence; where it is not what both say, the reason stands below "
        "(`data/published/codings.csv` has all, with the words that decide).",
        "",
        table.to_markdown(index=False),
        "",
        differ[["first", "second", "encoding", "reason"]].reset_index().to_markdown(index=False),
        "",
    ]
