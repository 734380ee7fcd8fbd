"""Step `report`: one self-contained HTML page of a run, opened without a server or a network.

`gather` reads the files of the run, `pages` turns them into tables and pictures, and the templates
hold the sentences. Scripts show one page at a time, sort, filter and open tables, and search the
whole report. No result is computed here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup

from replication.files import write_text
from replication.judge.claims import CLAIM_VERDICTS, QUANTIFIERS
from replication.judge.ledger import UNEXPLAINED
from replication.judge.verdicts import DIFFERS, EXACT, MARKS, VERDICTS, printed_number
from replication.plan.components import dependencies_of, links
from replication.plan.plan import Plan
from replication.report.gather import Contents, Row, gather, machine
from replication.report.widgets import (
    Column,
    Table,
    anchor,
    as_printed,
    counts_line,
    link,
    marked,
    picture,
    printed_cell,
    short,
    valued,
)
from replication.show.claim_counts import TIMED, ClaimCounts, count_claims
from replication.show.rollup import (
    FIRST,
    LITERAL,
    bars,
    count,
    distinct,
    first_reading,
    verdict_colours,
)
from replication.show.style import PAGE, new_figure, svg_bytes
from replication.text.render import stated
from replication.text.view import View

HERE = Path(__file__).parent
COUNTED = (*CLAIM_VERDICTS, TIMED)
"""Verdicts that are counted; measured times decide those that are `TIMED`."""


def run(spec: dict[str, Any], project: Path, output: Path) -> None:
    """Run the step."""
    catalog = Plan.load(spec["config"], project.resolve().parent)
    papers, roots = catalog.config["papers"], spec["roots"]
    view = View(
        {name: catalog.papers[name] for name in dict.fromkeys([*papers, *catalog.papers])},
        catalog.readings,
        data=catalog.root / "data",
        ledger=Path(roots["results"], "ledger"),
        figures=Path(roots["figures"]),
    )
    evidence = {
        name: stated(entry["evidence"], view, name) for name, entry in spec["readings"].items()
    }
    write_text(output, render(gather(spec, project, links(catalog, papers), evidence)))


def render(contents: Contents) -> str:
    """Return the report as HTML in one self-contained file."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates", encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.filters |= {
        "anchor": anchor,
        "marked": marked,
        "short": short,
        "words": contents.words,
    }
    environment.globals |= {"to": contents.to, "link": link, "marks": MARKS}
    papers = [paper_page(contents, paper) for paper in contents.spec["papers"]]
    return (
        environment.get_template("report.html.jinja").render(
            title="Similarity of categorical data: reproduction report",
            spec=contents.spec,
            assets={
                path.name: Markup(path.read_text(encoding="utf-8"))  # noqa: S704 - our own
                for path in (HERE / "assets").iterdir()
            },
            colours=Markup(verdict_colours()),  # noqa: S704 - made of constants
            explained=contents.spec["meanings"],
            reading_names=contents.verdicts["reading"].unique(),
            quantifiers=QUANTIFIERS,
            # the components of all numbers, each once; data sets have their files
            pieces=[
                {**one, "files": contents.sources.get(one.get("of"), {}).get("files", [])}
                for one in contents.links["components"].values()
            ],
            findings=[(one, picture(svg, one["seen"])) for one, svg in contents.findings],
            overview=overview(contents, papers),
            papers=papers,
            deviations=deviations(contents),
            claims=claims(contents),
            numbers=numbers(contents),
            # by paper or subject, with their ids
            readings=[
                (key, list(group))
                for key, group in groupby(
                    contents.spec["readings"].items(), lambda one: one[0].partition(".")[0]
                )
            ],
            evidence=contents.evidence,
            run=provenance(contents),
        )
        + "\n"
    )


def share_bars(counts: Mapping[str, Counter[str]]) -> Markup:
    """Draw the shares of the verdicts, one bar per artefact."""
    figure, (axes,) = new_figure(PAGE, 0.7 + 0.21 * len(counts))
    bars(axes, counts, VERDICTS, numbers=True)
    axes.set_xlabel("share of the printed numbers (%); labels give counts")
    figure.legend(loc="outside upper left", ncols=len(VERDICTS))
    return picture(svg_bytes(figure, "Verdicts"), "Shares of the verdicts by artefact")


def overview(contents: Contents, papers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the counts of verdicts over the whole run, from those of the papers' pages."""
    return {
        "total": contents.verdicts["id"].nunique(),
        "distinct": sum(one["numbers"].total() for one in papers),
        "by_paper": [
            [
                *(one["name"], one["numbers"].total()),
                *(one["numbers"][verdict] for verdict in VERDICTS),
                *(one["literal"], one["chosen"]),
            ]
            for one in papers
            if one["numbers"]
        ],
        "claims": [
            [
                one["name"],
                one["claimed"].total,
                *(one["claimed"].verdicts[name] for name in COUNTED),
                *(one["claimed"].causes, one["claimed"].tables.total()),
            ]
            for one in papers
            if one["claimed"].total
        ],
        "claim_verdicts": [*COUNTED, "causes of the refuted", "whole tables"],
        "unavailable": contents.unavailable["dataset"].tolist(),
    }


def paper_page(contents: Contents, paper: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts and artefacts of one paper."""
    verdicts, counted_claims = (
        rows[rows["paper"] == paper["id"]] for rows in (contents.verdicts, contents.counted)
    )
    claimed = count_claims(counted_claims)
    artefacts = [one for one in contents.artefacts if one["paper"] == paper["id"]]
    counted = first_reading(verdicts)
    numbers, found = distinct(counted), count(counted, "artefact")
    shares = {one["label"]: found[one["id"]] for one in artefacts if one["id"] in found}
    return {
        **paper,
        "anchor": anchor("paper", paper["id"]),
        "numbers": Counter(numbers["verdict"]),
        "claimed": claimed,
        "chosen": (numbers["oracle"] == "yes").sum(),
        "counts": counts_line(numbers["verdict"], VERDICTS),
        "literal": int((distinct(first_reading(verdicts, LITERAL))["verdict"] == EXACT).sum()),
        "claims": claims_line(claimed),
        "figure": share_bars(shares) if shares else "",
        "choices": [
            name for name in contents.spec["readings"] if name.startswith(f"{paper['id']}.")
        ],
        "artefacts": [
            artefact_section(one, verdicts[verdicts["artefact"] == one["id"]]) for one in artefacts
        ],
    }


def artefact_section(artefact: Mapping[str, Any], verdicts: pd.DataFrame) -> dict[str, Any]:
    """Return the content of the section of one artefact."""
    columns = artefact["columns"]
    # each column without a group has a heading of its own
    groups = [list(run) for _, run in groupby(columns, lambda one: one["group"] or id(one))]
    return {
        **artefact,
        "readings": [
            (reading, counts_line(rows["verdict"], VERDICTS), (rows["oracle"] == "yes").sum())
            for reading, rows in verdicts.groupby("reading", sort=False)
        ],
        "figure": picture(artefact["svg"], f"{artefact['title']}. {artefact['caption']}")
        if artefact["svg"]
        else "",
        "groups": [
            (run[0]["group"], len(run), sum(not one.get("fold") for one in run)) for run in groups
        ]
        if any(one["group"] for one in columns)
        else [],
        "folds": any(one.get("fold") for one in columns),
    }


def place(contents: Contents, paper: str, artefact: str) -> Markup | str:
    """Return a cell with a link to the section of an artefact, if it has one."""
    label = contents.labels.get((paper, artefact))
    way = f"#{anchor(paper, artefact)}" if label else ""
    return link(f"{contents.names[paper]} {label or artefact}", way) if artefact else ""


def paper_column(contents: Contents) -> Column:
    """Return a column with the papers."""
    return Column("Paper", lambda row: contents.names[row["paper"]], choice=True, folded=True)


def in_unit(title: str, key: str, folded: bool = True) -> Column:
    """Return a column of reproduced numbers, in the unit of the printed ones."""
    return Column(title, lambda row: as_printed(row["printed"], row[key]), "number", folded=folded)


def number_columns(contents: Contents) -> list[Column]:
    """Return the first columns of tables of numbers: artefact, data set, method, printed, ours."""
    return [
        Column("Artefact", lambda row: place(contents, row["paper"], row["artefact"])),
        Column("Data set", "dataset"),
        Column("Method, metric", lambda row: f"{row['method']} {row['metric']}".strip()),
        Column("Printed", lambda row: printed_cell(row["printed"]), "number"),
        in_unit("Ours", "reproduced", folded=False),
    ]


def address(row: Row) -> Markup | str:
    """Return a cell with a link to a number or a claim."""
    return link(row["id"], f"#{row['id']}")


def numbers(contents: Contents) -> Table:
    """Return the table of the whole ledger."""
    index = {key: str(i) for i, key in enumerate(contents.links["components"])}
    verdicts = contents.verdicts
    counted = verdicts.index.isin(first_reading(verdicts).index)
    again = Markup("<code>python -m replication explain {} {}</code>")
    chain = Markup('<data class="chain" value="{}"></data>')

    def rests(row: Row) -> Markup:
        return chain.format(" ".join(index[key] for key in dependencies_of(contents.links, row)))

    def reading(row: Row) -> Markup:
        name = row["reading"]
        return valued(f"{name}: {contents.spec['meanings'][name]}", name)

    folded = partial(Column, folded=True)
    return Table(
        "numbers-table",
        "All printed numbers",
        [
            *number_columns(contents),
            Column("Verdict", lambda row: marked(row["verdict"]), choice=True),
            folded("Reason", lambda row: contents.words(reason(row)), "words", phone=True),
            folded("Reading", reading, choice=True),
            paper_column(contents),
            in_unit("Difference", "difference"),
            folded("SD", lambda row: as_printed("", row["sd"]), "number"),
            in_unit("Lowest", "spread_min"),
            in_unit("Highest", "spread_max"),
            folded("Position of the printed number", "position"),
            folded("Independent", independent_cell, "number"),
            folded("Whose runs", "independent_from"),
            folded("Others say", "independent_says", choice=True),
            folded("Setting", "setting"),
            folded(
                "Class labels",
                lambda row: "used" if row["oracle"] == "yes" else "not used",
                choice=True,
            ),
            folded("Components", rests),
            folded("Trace command", lambda row: again.format(row["paper"], row["id"])),
            folded("All readings", address),
        ],
        verdicts.assign(anchor=verdicts["id"].where(counted, "")).to_dict("records"),
        id="anchor",
        chosen={"Reading": FIRST},
        printed=25,
        find="Numbers",
    )


def independent_cell(row: Row) -> Markup | str:
    """Return the pooled mean of the runs of others, with standard error and number of runs."""
    if not row["independent"]:
        return ""
    mean, error = float(row["independent"]), float(row["independent_se"])
    return valued(f"{mean:.4f} ± {error:.4f} ({row['independent_runs']} runs)", mean)


def reason(row: Row) -> str:
    """Return the reason for a verdict, or else the meaning of the verdict."""
    known = {
        EXACT: "our number, rounded or truncated to the printed digits, equals the printed one",
        DIFFERS: UNEXPLAINED,
    }
    return row["reason"] or known.get(row["verdict"], row["position"])


def deviations(contents: Contents) -> dict[str, Any]:
    """Return the numbers that differ, largest deviation first.

    The size of a deviation is the difference, divided by the printed number if that is larger than
    1 in absolute value.
    """
    rows = first_reading(contents.verdicts)
    rows = rows[rows["verdict"] == DIFFERS]
    printed = [max(1.0, abs(float(printed_number(text).value))) for text in rows["printed"]]
    sizes = rows["difference"].astype(float).abs() / printed
    rows = rows.loc[sizes.sort_values(ascending=False, kind="stable").index]
    return {
        "count": len(rows),
        "unexplained": rows["reason"].replace("", UNEXPLAINED).str.startswith(UNEXPLAINED).sum(),
        "table": Table(
            "deviations-table",
            "Printed numbers that differ, largest deviation first",
            [
                *number_columns(contents),
                Column("Reason", lambda row: contents.words(reason(row)), "words"),
                paper_column(contents),
                in_unit("Difference", "difference"),
                Column("Position of the printed number", "position", folded=True),
                Column("Details", address, folded=True),
            ],
            rows.to_dict("records"),
        ),
    }


def claims_line(counts: ClaimCounts) -> Markup:
    """Return the counts of claims in words by verdict in one line, without zeros."""
    return counts_line(counts.verdicts.elements(), COUNTED)


def claims(contents: Contents) -> dict[str, Any]:
    """Return the claims of the papers, each with its evidence below it."""
    claim, words = Markup('{}<span class="why">{}</span>'), contents.words
    counted = count_claims(contents.counted)
    rows = contents.claims.assign(**{name: contents.counted[name] for name in ("stated", "cause")})
    return {
        "counts": claims_line(counted),
        "count": counted.total,
        "tables": counted.tables.total(),
        "causes": counted.causes,
        "table": Table(
            "claims-table",
            "Claims of the papers, each with its verdict",
            [
                Column(
                    "Claim",
                    lambda row: claim.format(words(row["claim"]), words(row["evidence"])),
                    "words",
                ),
                Column("Asserts", lambda row: f"{row['asserts']} {row['margin']}".strip()),
                Column("Confirmed in", "ours", "number"),
                Column("In print", "print", "number"),
                Column("Verdict", lambda row: marked(row["verdict"]), choice=True),
                Column("Confirmed under", "readings", "number"),
                Column("Evidence", lambda row: place(contents, row["paper"], row["artefact"])),
                Column("Falls with others by", "cause", "words", folded=True),
                Column("Stated as", "stated", folded=True),
                Column("Under each reading", "under", "words", folded=True),
                Column("In the other form", "other_form", "words", folded=True),
                Column("Cases", lambda row: contents.cases.get(row["id"], []), folded=True),
                Column("Verdict of the printed numbers", "print_verdict", folded=True),
                Column("Place in the paper", "where", folded=True),
                paper_column(contents),
                Column("Id", address, folded=True),
            ],
            rows.to_dict("records"),
            id="id",
            find="Claims",
        ),
    }


def provenance(contents: Contents) -> dict[str, Any]:
    """Return the files of the data sets, the packages and the machine."""
    files = [
        {"rows": "", **contents.sources[one["id"]], **one, **file}
        for one in contents.spec["sources"]
        # a data set without files has a row too
        for file in contents.sources[one["id"]]["files"]
        or [{"name": "", "sha256": "", "route": ""}]
    ]
    return {
        "sources": Table(
            "sources-table",
            "Files of the data sets",
            [
                Column("Data set", lambda one: link(one["title"], one["homepage"])),
                Column(
                    "Rows × columns",
                    lambda one: f"{one['rows']} × {one['columns']}" if one["rows"] else "",
                ),
                Column("Status", "status", choice=True),
                Column("File", "name"),
                Column("Route", "route", choice=True),
                Column("Authors", "citation"),
                Column("Licence", "licence", choice=True),
                Column("SHA-256", "sha256", folded=True),
                Column(
                    "Papers",
                    lambda one: ", ".join(contents.names[paper] for paper in one["papers"]),
                    folded=True,
                ),
                Column("Id", "id", folded=True),
            ],
            files,
        ),
        "unavailable": [
            f"{row['dataset']}: {row['reason']} {row['remedy']}".strip()
            for row in contents.unavailable.to_dict("records")
        ],
        "packages": contents.packages,
        "machine": machine(),
    }
