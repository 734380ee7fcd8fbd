"""Tables of CASO on its examples: Tables I to VIII, and the framework of Fig. 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from replication.papers.caso.analysis import (
    worked_values,
)
from replication.papers.caso.examples import CELL, FITTING, SHORT, VALUE
from replication.papers.caso.tables_common import (
    printed_name,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet

if TYPE_CHECKING:
    import pandas as pd


# --- Tables I and II: the examples --------------------------------------------------------------


def input_table(job: Job, cells: pd.DataFrame) -> Sheet:
    """One of the two example tables, as reconstructed, with what supports it."""
    (dataset,) = job.datasets
    records = job.records("worked")
    records = records[records["dataset"] == dataset]
    shown, values = (records[records["kind"] == kind] for kind in (CELL, VALUE))
    named = dict(zip(shown["object"].unique(), cells["dataset"].unique(), strict=True))
    rows: dict[str, dict[str, str]] = {}
    data = []
    for one in shown.to_dict("records"):
        name = named[one["object"]]
        rows.setdefault(name, {"object": name})[one["attribute"]] = one["exact"]
        data.append({"object": name, "attribute": one["attribute"], "value": one["exact"]})
    legend = ["The table is an image in the source; what the text says about it decides the cells."]
    legend += [
        f"{fitting} tables, up to the names of the values of a3, agree with what the text says; "
        "this is one of them."
        for fitting in values.loc[values["quantity"] == FITTING, "exact"]
    ]
    attributes = list(shown["attribute"].unique())
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: the example {printed_name(job, dataset)}",
        caption=(
            f"{len(rows)} objects with {len(attributes)} attributes, reconstructed; "
            f"{len(values)} values are computed from it, those of the text in the table of numbers "
            "in the text."
        ),
        columns=[
            Column("object", "Object", text=True),
            *(Column(name, name, text=True) for name in attributes),
        ],
        rows=list(rows.values()),
        legend=legend,
        data=data,
        data_columns=["object", "attribute", "value"],
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
    return _glossary(
        job,
        [(symbol, meaning, "", "", quantity) for symbol, meaning, quantity in _NOTATION],
        f"{job.label}: notation",
    )


def abbreviations(job: Job, cells: pd.DataFrame) -> Sheet:
    """Abbreviations of the measures, with their names in this library and a value on Table II."""
    return _glossary(job, _ABBREVIATIONS, f"{job.label}: abbreviations")


def _glossary(job: Job, entries: Sequence[tuple[str, ...]], title: str) -> Sheet:
    worked = worked_values(job)
    data = []
    for symbol, meaning, equation, name, quantity in entries:
        found = worked["information_table", quantity]
        data.append(
            {
                "symbol": symbol,
                "meaning": meaning,
                "equation": equation,
                "name": name,
                "quantity": quantity.strip("|") if found["exact"].startswith("{") else quantity,
                "value": found["exact"],
            }
        )
    used = [key for key in data[0] if any(row[key] for row in data)]
    heads = {
        "symbol": "Symbol",
        "meaning": "meaning",
        "equation": "defined in",
        "name": "in couplings",
        "quantity": "example",
        "value": "on Table II",
    }
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=title,
        caption=f"{len(data)} symbols in our words, each with its value on Table II.",
        columns=[Column(key, heads[key], text=True) for key in used],
        rows=[{key: row[key] for key in used} for row in data],
        legend=["The table is an image in the source; it holds no number."],
        data=data,
        data_columns=list(heads),
    )


# --- Tables V to VIII: the relative similarities step by step ------------------------------------

_TERMS = {
    "power": ("subset W", "2 - sum", "least term"),
    "universal": ("value b", "max", "2 - sum of the terms"),
    "joint": ("value b", "max", "2 - sum of the terms"),
    "intersection": ("value b", "min", "sum of the terms"),
}


def relative_steps(job: Job, cells: pd.DataFrame) -> Sheet:
    """Steps of one relative similarity of B1 and B2 with respect to a1."""
    relation = job.need("parameters")["relation"]
    records = job.records("relative")
    steps = records[records["relation"] == relation].astype(object).fillna("").to_dict("records")
    first, term, rule = _TERMS[relation]
    power = relation == "power"
    columns = [Column("values", first, text=True)]
    if power:
        columns.append(Column("complement", "not W", text=True))
    columns += [
        Column("p_x", "P(W | B1)" if power else "P(b | B1)"),
        Column("p_y", "P(not W | B2)" if power else "P(b | B2)"),
        Column("term", term),
    ]
    rows = [
        {column.key: str(step[column.key]) or "∅" for column in columns}
        if power
        else {column.key: str(step[column.key]) for column in columns}
        for step in steps
    ]
    whole = steps[0]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: {SHORT[relation]} of B1 and B2 with respect to a1",
        caption=(
            f"{SHORT[relation]}(B1, B2 | a1) = {whole['similarity']}, the {rule}: {len(steps)} "
            f"{'subsets' if power else 'value' if len(steps) == 1 else 'values'}, "
            f"{whole['evaluations']} evaluations of a conditional probability."
        ),
        columns=columns,
        rows=rows,
        legend=["Exact fractions, by the reference implementation of the library."],
        data=steps,
        data_columns=[
            *("relation", "step", "values", "complement", "p_x", "p_y", "term"),
            *("similarity", "evaluations"),
        ],
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
    data = [
        {
            "source": source,
            "target": target,
            "equation": equation,
            "example": example,
            "value": worked["information_table", example]["exact"] if example else "",
        }
        for source, target, equation, example in _ARROWS
    ]
    heads = {
        "source": "From",
        "target": "to",
        "equation": "by",
        "example": "example",
        "value": "on Table II",
    }
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: from frequencies and co-occurrence to similarity",
        caption=(
            f"{len(data)} steps; intra-coupling uses the frequencies of an attribute, "
            "inter-coupling what its values share in the others."
        ),
        columns=[Column(key, head, text=True) for key, head in heads.items()],
        rows=[dict(one) for one in data],
        legend=["Drawn anew; the printed figure holds no number."],
        data=data,
        data_columns=list(heads),
    )
