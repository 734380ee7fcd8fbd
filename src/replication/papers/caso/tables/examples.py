"""Tables of CASO on its examples: Tables I to VIII, and the framework of Fig. 1."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from replication.papers.caso.analysis import worked_values
from replication.papers.caso.examples import CELL, FITTING, SHORT, VALUE
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, across, words

# --- Tables I and II: the examples --------------------------------------------------------------


def input_table(job: Job, cells: pd.DataFrame) -> Sheet:
    """One of the two example tables, as reconstructed, with what supports it."""
    (dataset,) = job.datasets
    records = job.records("worked")
    records = records[records["dataset"] == dataset]
    shown, values = (records[records["kind"] == kind] for kind in (CELL, VALUE))
    named = dict(zip(shown["object"].unique(), cells["dataset"].unique(), strict=True))
    data = [
        {"object": named[cell["object"]], "attribute": cell["attribute"], "value": cell["exact"]}
        for cell in shown.to_dict("records")
    ]
    attributes = list(shown["attribute"].unique())
    return Sheet.of(
        job,
        f"the example {job.printed(dataset)}",
        f"{len(named)} objects with {len(attributes)} attributes, reconstructed; "
        f"{len(values)} values are computed from it, those of the text in the table of numbers "
        "in the text.",
        [
            Column("object", "Object", text=True),
            *across("attribute", {name: name for name in attributes}, of="value", text=True),
        ],
        data,
        by=("object",),
        legend=[
            "The table is an image in the source; what the text says about it decides the cells.",
            *(
                f"{fitting} tables, up to the names of the values of a3, agree with what the text "
                "says; this is one of them."
                for fitting in values.loc[values["quantity"] == FITTING, "exact"]
            ),
        ],
    )


# --- Tables III and IV: notation and abbreviations ----------------------------------------------

_NOTATION = (
    ("F_j(U')", "values of some objects in attribute j", "|F2({u1,u2,u3})|"),
    ("G_j(V')", "objects with some values of attribute j", "|G2({B1,B2})|"),
    ("phi_{j->k}(x)", "values of k that occur together with x", "|phi_2->1(B1)|"),
    ("|G_j({x})|", "frequency of a value", "freq(B1)"),
    ("P_{k|j}(W | x)", "share of the objects with x that have a value in W", "P_1|2({A1}|B1)"),
)
_ABBREVIATIONS = (
    ("IaASV", "intra-coupled similarity of values", "eq. (5)", "iaasv", "IaASV(B1,B2)"),
    ("IRSP", "relative similarity by the power set", "eq. (8)", "irsp", "IRSP(B1,B2|a1)"),
    ("IRSU", "relative similarity by the universal set", "eq. (10)", "irsu", "IRSU(B1,B2|a1)"),
    ("IRSJ", "relative similarity by the joint set", "eq. (11)", "irsj", "IRSJ(B1,B2|a1)"),
    ("IRSI", "relative similarity by the intersection set", "eq. (12)", "irsi", "IRSI(B1,B2|a1)"),
    ("IeASV", "inter-coupled similarity of values", "eq. (13)", "ieasv", "IeASV(B1,B2)"),
    ("CASV", "coupled similarity of values", "eq. (14)", "casv", "CASV(B1,B2)"),
    ("CASO", "coupled similarity of objects", "eq. (15)", "Caso", "CASO(u2,u3)"),
    ("CADO", "coupled dissimilarity of objects", "eq. (16)", "Cado", "CADO(B1,B2)"),
)


def notation(job: Job, cells: pd.DataFrame) -> Sheet:
    """Notation of section III, each symbol with its value on Table II."""
    entries = [(symbol, meaning, "", "", example) for symbol, meaning, example in _NOTATION]
    return _glossary(job, "notation", entries)


def abbreviations(job: Job, cells: pd.DataFrame) -> Sheet:
    """Abbreviations of the measures, with their names in this library and a value on Table II."""
    return _glossary(job, "abbreviations", _ABBREVIATIONS)


def _glossary(job: Job, title: str, entries: Sequence[tuple[str, ...]]) -> Sheet:
    worked = worked_values(job)
    data = []
    for symbol, meaning, equation, name, quantity in entries:
        value = worked["information_table", quantity]["exact"]
        example = quantity.strip("|") if value.startswith("{") else quantity
        data.append(
            {"symbol": symbol, "meaning": meaning, "equation": equation, "name": name}
            | {"quantity": example, "value": value}
        )
    heads = {"symbol": "Symbol", "meaning": "meaning", "equation": "defined in"}
    columns = words(**heads, name="in couplings", quantity="example", value="on Table II")
    return Sheet.of(
        job,
        title,
        f"{len(data)} symbols in our words, each with its value on Table II.",
        [column for column in columns if any(row[column.key] for row in data)],
        data,
        legend=["The table is an image in the source; it holds no number."],
    )


# --- Tables V to VIII: the relative similarities step by step ------------------------------------

_TERMS = {
    "power": ("subset W", "2 - sum", "least term"),
    "universal": ("value b", "max", "2 - sum of the terms"),
    "joint": ("value b", "max", "2 - sum of the terms"),
    "intersection": ("value b", "min", "sum of the terms"),
}


def relative_steps(job: Job, cells: pd.DataFrame, *, relation: str) -> Sheet:
    """Steps of one relative similarity of B1 and B2 with respect to a1."""
    records = job.records("relative")
    records = records.loc[records["relation"] == relation, "relation":].astype(object)
    steps = records.fillna("").to_dict("records")
    first, term, rule = _TERMS[relation]
    power = relation == "power"
    heads = {
        "values": first,
        **({"complement": "not W"} if power else {}),
        "p_x": "P(W | B1)" if power else "P(b | B1)",
        "p_y": "P(not W | B2)" if power else "P(b | B2)",
        "term": term,
    }
    whole = steps[0]
    return Sheet.of(
        job,
        f"{SHORT[relation]} of B1 and B2 with respect to a1",
        f"{SHORT[relation]}(B1, B2 | a1) = {whole['similarity']}, the {rule}: {len(steps)} "
        f"{'subsets' if power else 'value' if len(steps) == 1 else 'values'}, "
        f"{whole['evaluations']} evaluations of a conditional probability.",
        [
            Column(
                key,
                head,
                text=key in ("values", "complement"),
                of=lambda step, key=key: step[key] or "∅",
            )
            for key, head in heads.items()
        ],
        steps,
        legend=["Exact fractions, by the reference implementation of the library."],
    )


# --- Fig. 1: the framework ----------------------------------------------------------------------

_ARROWS = (
    ("information table", "frequencies of values", "", "freq(B1)"),
    ("information table", "co-occurrence of values", "definition 3.3", "P_1|2({A1}|B1)"),
    ("frequencies of values", "IaASV", "eq. (5)", "IaASV(B1,B2)"),
    ("co-occurrence of values", "IRSI", "eq. (12)", "IRSI(B1,B2|a1)"),
    ("IRSI", "IeASV", "eq. (13)", "IeASV(B1,B2)"),
    ("IaASV", "CASV", "eq. (14)", "CASV(B1,B2)"),
    ("IeASV", "CASV", "eq. (14)", "CASV(B1,B2)"),
    ("CASV", "CASO", "eq. (15)", "CASO(u2,u3)"),
    ("IaASV", "CADO", "eq. (16)", "CADO(B1,B2)"),
    ("IeASV", "CADO", "eq. (16)", "CADO(B1,B2)"),
    ("CASO", "CROCK", "section VIII-B2", ""),
    ("CADO", "data structure", "section VIII-A", ""),
    ("CADO", "k-modes, spectral", "section VIII-B1", ""),
    ("CADO", "CLIMBO", "section VIII-C", ""),
)


def framework(job: Job, cells: pd.DataFrame) -> Sheet:
    """Arrows of the framework, each with what arrives on Table II."""
    worked = worked_values(job)
    heads = {
        **{"source": "From", "target": "to", "equation": "by", "example": "example"},
        "value": "on Table II",
    }
    values = {name: worked["information_table", name]["exact"] for *_, name in _ARROWS if name}
    return Sheet.of(
        job,
        "from frequencies and co-occurrence to similarity",
        f"{len(_ARROWS)} steps; intra-coupling uses the frequencies of an attribute, "
        "inter-coupling what its values share in the others.",
        words(**heads),
        [dict(zip(heads, (*arrow, values.get(arrow[-1], "")), strict=True)) for arrow in _ARROWS],
        legend=["Drawn anew; the printed figure holds no number."],
    )
