"""Tables of the study by data set, by kind of data, and by what measures have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replication.papers.study.analysis import (
    FACTORS,
    HIGHER_IS_BETTER,
    REFERENCE,
    averaged,
    complete,
    halves_of,
    labels_of,
    matrix,
    parts,
    profiles,
    scored,
)
from replication.papers.study.grid import INDICES
from replication.papers.study.tables_common import (
    baseline_line,
    known,
    missing,
    name_of,
    plural,
    sheet,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd


# --- by data set and by kind of data -------------------------------------------------------------


def heatmap(job: Job, cells: pd.DataFrame) -> Sheet:
    """Rank of every measure on every data set, by the mean ARI of the common algorithms."""
    from replication.papers.study.statistics import ranks as ranked

    found = scored(job)
    names = labels_of(found)
    table = complete(averaged(found))
    places = ranked(table)
    order = places.mean().sort_values(kind="stable").index
    plain = [
        {
            "dataset": dataset,
            "name": name_of(job, dataset),
            "measure": measure,
            "label": names[measure],
            "rank": float(places.loc[dataset, measure]),
            "ari": float(table.loc[dataset, measure]),
        }
        for measure in order
        for dataset in places.index
    ]
    first = [measure for measure in order if (places[measure] == 1).any()]
    return sheet(
        job,
        "ranks of the measures on each data set",
        f"{len(first)} of {len(order)} measures are the best one on some data set: no measure "
        "suits all data.",
        [
            Column("dataset", "Data set", text=True),
            *(Column(measure, names[measure]) for measure in order),
        ],
        [
            {
                "dataset": name_of(job, dataset),
                **{measure: number(float(places.loc[dataset, measure]), 1) for measure in order},
            }
            for dataset in places.index
        ],
        plain,
        [
            "Rank by the mean ARI of k-modes, spectral clustering, Ward and average linkage.",
            *baseline_line(job, table.index),
        ],
    )


def kinds(job: Job, cells: pd.DataFrame) -> Sheet:
    """Mean rank of every measure on halves of the data sets: few or many values, and so on."""
    from replication.papers.study.statistics import ranks as ranked

    found = scored(job)
    names = labels_of(found)
    places = ranked(complete(averaged(found)))
    halves = halves_of(job)
    rows, plain = [], []
    for measure in places.mean().sort_values(kind="stable").index:
        row = {"measure": names[measure], "all": number(float(places[measure].mean()), 1)}
        for factor, upper in halves.items():
            for high in (False, True):
                chosen = [d for d in places.index if upper[d] == high]
                if chosen:
                    value = float(places.loc[chosen, measure].mean())
                    row[f"{factor}.{high}"] = number(value, 1)
                    plain.append(
                        {
                            "measure": measure,
                            "factor": factor,
                            "half": "upper" if high else "lower",
                            "datasets": len(chosen),
                            "rank": value,
                        }
                    )
        rows.append(row)
    moved = sorted(
        {
            one["measure"]
            for one in plain
            for other in plain
            if one["measure"] == other["measure"]
            and one["factor"] == other["factor"]
            and abs(one["rank"] - other["rank"]) > 5
        }
    )
    return sheet(
        job,
        "mean ranks by kind of data",
        f"{plural(len(moved), 'measure')} of {len(rows)} change by more than five ranks between "
        "two halves of the data sets. Halves share data sets between factors, so the columns are "
        "not independent; see the table of moderators for tests.",
        [
            Column("measure", "Measure", text=True),
            Column("all", "all"),
            *(
                Column(f"{factor}.{high}", words[2 if high else 1].split()[0], words[0])
                for factor, words in FACTORS.items()
                for high in (False, True)
            ),
        ],
        rows,
        plain,
        [
            "Halves: at or below, and above the median of all data sets.",
            f"{plural(len(places), 'data set')}; rank 1 is the best of {len(rows)}.",
            *baseline_line(job, places.index),
        ],
    )


def moderators(job: Job, cells: pd.DataFrame) -> Sheet:
    """Small meta-analysis: advantage over simple matching, and what it goes along with."""
    from replication.papers.study.statistics import holm, moderation, pooled

    found = scored(job)
    names = labels_of(found)
    table = averaged(found)
    profile = profiles(job, "profile")
    rows: list[dict[str, str]] = []
    plain: list[dict[str, Any]] = []
    if REFERENCE in table and len(profile):
        profile = profile.set_index("dataset")
        advantage = {
            measure: (table[measure] - table[REFERENCE]).dropna()
            for measure in table
            if measure != REFERENCE
        }
        means = pooled({name: values.to_numpy() for name, values in advantage.items()})
        for measure, values in advantage.items():
            for factor in FACTORS:
                property_ = profile.loc[values.index, factor].to_numpy()
                plain.append(
                    {
                        "measure": measure,
                        "factor": factor,
                        **moderation(values.to_numpy(), property_),
                        **means.get(measure, {}),
                    }
                )
        for one, p in zip(plain, holm([one["p"] for one in plain]), strict=True):
            one["p_holm"] = p
        for measure in advantage:
            own = {one["factor"]: one for one in plain if one["measure"] == measure}
            row = {"measure": names[measure]}
            if measure in means:
                m = means[measure]
                row["mean"] = (
                    f"{number(m['mean'], 3)} [{number(m['low'], 3)}, {number(m['high'], 3)}]"
                )
                row["spread"] = number(m["spread"], 3)
            for factor, one in own.items():
                star = " *" if one["p_holm"] is not None and one["p_holm"] < 0.05 else ""
                row[factor] = number(one["rho"], 2) + star
            rows.append(row)
    clear = [one for one in plain if one["p_holm"] is not None and one["p_holm"] < 0.05]
    return sheet(
        job,
        "what an advantage over simple matching goes along with",
        f"{len(clear)} of {len(plain)} correlations between the advantage of a measure and a "
        "property of the data survive Holm's correction. So few data sets can show strong "
        "dependence only, the properties are not independent of each other, and nobody sampled "
        "the data sets: read this as a description.",
        [
            Column("measure", "Measure", text=True),
            Column("mean", "mean [95 %]", "advantage in ARI"),
            Column("spread", "sd between data sets", "advantage in ARI"),
            *(
                Column(factor, words[0], "Spearman's correlation with")
                for factor, words in FACTORS.items()
            ),
        ],
        rows,
        plain,
        ["Star: below 5 % after Holm's correction over the whole table.", *missing(job)],
    )


# --- internal indices, agreement -----------------------------------------------------------------


def indices(job: Job, cells: pd.DataFrame) -> Sheet:
    """Internal indices of the classes, and whether they foretell the ARI of a measure."""
    from scipy.stats import spearmanr

    from replication.papers.study.statistics import ranks as ranked

    found = parts(job, "grid")
    own = found[found["kind"] == "indices"] if len(found) else found
    own = own[own["outcome"] == OK] if len(own) else own
    means = averaged(scored(job))
    names = labels_of(found) if len(found) else {}
    places, plain = {}, []
    for index in INDICES:
        if not len(own):
            continue
        table = complete(matrix(own, index))
        sign = 1.0 if HIGHER_IS_BETTER[index] else -1.0
        places[index] = ranked(sign * table).mean()
        for dataset in table.index:
            both = table.columns.intersection(means.columns)
            if dataset not in means.index or len(both) < 5:
                continue
            score = means.loc[dataset, both].to_numpy(dtype=float)
            value = sign * table.loc[dataset, both].to_numpy(dtype=float)
            if (score == score).all() and score.std() > 0 and value.std() > 0:
                rho = float(spearmanr(value, score).statistic)
                plain.append({"index": index, "dataset": dataset, "rho": rho})
    rows = [
        {"measure": names[m], **{i: number(known(p.get(m)), 1) for i, p in places.items()}}
        for m in names
        if any(m in p for p in places.values())
    ]
    middle = {
        index: sorted(one["rho"] for one in plain if one["index"] == index) for index in INDICES
    }
    rows.append(
        {
            "measure": "median correlation with ARI over data sets",
            **{
                index: number(values[len(values) // 2], 2) if values else ""
                for index, values in middle.items()
            },
        }
    )
    return sheet(
        job,
        "internal indices of the classes",
        "Mean rank of each measure by how well the classes fit its dissimilarity, and in the last "
        "row the median over data sets of the rank correlation of an index with the ARI that the "
        "measures reach: "
        + (
            "; ".join(
                f"{index} {number(values[len(values) // 2], 2)}"
                for index, values in middle.items()
                if values
            )
            or "too few cells"
        )
        + ".",
        [
            Column("measure", "Measure", text=True),
            Column("rd", "RD (more)"),
            Column("dbi", "DBI (less)"),
            Column("di", "DI (more)"),
            Column("sd_mean", "SD (less)"),
        ],
        rows,
        [{"kind": "correlation", **one} for one in plain]
        + [
            {"kind": "rank", "index": index, "measure": m, "rank": float(r)}
            for index, p in places.items()
            for m, r in p.items()
        ],
        [
            "The indices know the classes: they judge the dissimilarity, no clustering. They "
            "change with the scale and the link of a dissimilarity, so they compare unlike things.",
            *missing(job),
        ],
    )


def agreement(job: Job, cells: pd.DataFrame) -> Sheet:
    """How alike the measures order the pairs of objects."""
    import numpy as np
    from scipy.stats import rankdata

    found = parts(job, "grid")
    own = found[found["kind"] == "pair"] if len(found) else found
    names = labels_of(found) if len(found) else {}
    total: dict[tuple[str, str], list[float]] = {}
    for _, part in own.groupby("dataset", sort=False):
        wide = part.pivot_table(
            index="pair", columns="measure", values="dissimilarity", sort=False
        ).dropna(axis=1)
        wide = wide.loc[:, wide.max() > wide.min()]
        place = np.apply_along_axis(rankdata, 0, wide.to_numpy())
        alike = np.atleast_2d(np.corrcoef(place, rowvar=False))
        for i, a in enumerate(wide):
            for j, b in enumerate(wide):
                total.setdefault((a, b), []).append(float(alike[i, j]))
    kept = [m for m in names if (m, m) in total]
    plain = [
        {
            "first": a,
            "second": b,
            "first_label": names[a],
            "second_label": names[b],
            "rho": sum(values) / len(values),
            "datasets": len(values),
        }
        for a in kept
        for b in kept
        for values in [total.get((a, b), [])]
        if values
    ]
    value = {(one["first"], one["second"]): one["rho"] for one in plain}
    others = sorted(
        ((value[a, b], a, b) for i, a in enumerate(kept) for b in kept[i + 1 :] if (a, b) in value),
        reverse=True,
    )
    words = (
        f"Most alike: {names[others[0][1]]} and {names[others[0][2]]} "
        f"({number(others[0][0], 2)}); least: {names[others[-1][1]]} and {names[others[-1][2]]} "
        f"({number(others[-1][0], 2)})."
        if others
        else "Too few measures."
    )
    return sheet(
        job,
        "agreement of the measures",
        "Spearman's correlation of the dissimilarities of the same sampled pairs of objects, mean "
        f"over data sets. {words}",
        [
            Column("measure", "Measure", text=True),
            *(Column(m, names[m]) for m in kept),
        ],
        [{"measure": names[a], **{b: number(value.get((a, b)), 2) for b in kept}} for a in kept],
        plain,
        ["Representations by vectors alone have no dissimilarity of values and are not here."],
    )
