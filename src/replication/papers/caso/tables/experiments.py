"""Tables of CASO on its experiments: Figs 2 and 3, Tables XI to XIII, tests, rare values."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from replication.judge.cells import NO_DATASET
from replication.judge.claims import EQUAL, SIGNIFICANCE_LEVEL
from replication.judge.published import numbers
from replication.papers.caso.analysis import (
    INDEX_NAMES,
    INDICES,
    MEASURES,
    METRICS,
    change,
    mean_and_sd,
    over_tables,
    venue_clusters,
)
from replication.papers.caso.bibliographic import ASSIGNED, FIELDS, METHODS, PARTITIONS
from replication.papers.caso.experiments import ALL_ROWS, SCORES, best_threshold, main_algorithms
from replication.run.paired import BETWEEN
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, grouped, number, pivot, words


def structure_indices(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Fig. 2: internal indices of the given classes under four dissimilarities.

    In the data, ``rd_first`` and the like tell whether a measure is among the `firsts` of the four.
    """
    data = [
        {**about, "rows": which, "objects": int(part["objects"].iloc[0]), **row}
        for about, records in job.each("structure")
        for which, part in records.groupby("rows", sort=False)
        for row in _compared(part).replace({math.nan: None}).reset_index().to_dict("records")
    ]
    whole = pd.DataFrame(data).query("rows == @ALL_ROWS").groupby("measure")
    led = whole[[f"{key}_first" for key in INDICES]].sum()
    said = {
        measure: ", ".join(
            f"{name} {n}" for name, n in zip(INDEX_NAMES.values(), led.loc[measure], strict=True)
        )
        for measure in ("cado", "add")
    }

    def named(row: Mapping[str, Any]) -> str:
        """Return the data set in its first line, with the number of rows of a sample."""
        rows = f" ({row['objects']} rows)" if row["rows"] != ALL_ROWS else ""
        return (row["printed_name"] + rows) * (row["measure"] == next(iter(MEASURES)))

    columns = [
        Column("dataset", "Data set", text=True, of=named),
        Column("measure", "D", text=True, of=lambda row: MEASURES[row["measure"]]),
        *(
            Column(key, name, of=partial(_starred, key, ".4g" if key.startswith("sd") else 3))
            for key, name in INDEX_NAMES.items()
        ),
        Column("max_over_mean", "max/mean", digits=1),
    ]
    return Sheet.of(
        job,
        "given classes under four dissimilarities",
        f"Of {len({row['dataset'] for row in data})} data sets, CADO is first (ties included) on: "
        f"{said['cado']}; ADD: {said['add']}.",
        columns,
        data,
        rows=pivot(columns, [row for row in data if row["measure"] in MEASURES]),
        legend=[
            "* best of the four; none where all four are equal. Undefined: a division by 0.",
            "RD: mean D between classes / mean within. DBI: with means over pairs. DI: least D "
            "between classes / greatest within. SD: sum of D within classes, D divided by its "
            "maximum or by its mean first. max/mean: largest D over mean D.",
            "The printed figure shows curves without numbers; the text says where CADO leads.",
            *job.not_run("structure"),
        ],
    )


def _compared(records: pd.DataFrame) -> pd.DataFrame:
    """Return the indices by measure, those of the paper first, and whether each is the best."""
    found = records.set_index("measure")[[*INDICES, "dbi_mode", "di_mean", "max_over_mean"]]
    found = found.loc[sorted(found.index, key=[*MEASURES, *found.index].index)]
    best = {key: firsts(found.loc[list(MEASURES), key], more) for key, more in INDICES.items()}
    return found.assign(**{f"{key}_first": found.index.isin(one) for key, one in best.items()})


def firsts(values: pd.Series, more_is_better: bool) -> list[str]:
    """Return the names with the best number, several if they tie; none if all numbers are equal.

    Undefined numbers (NaN) are never the best.
    """
    known = values.dropna()
    if len(known) < 2 or known.max() - known.min() <= EQUAL:
        return []
    best = known.max() if more_is_better else known.min()
    return known.index[np.isclose(known, best, rtol=EQUAL, atol=0)].tolist()


def _starred(key: str, digits: int | str, row: Mapping[str, Any]) -> Cell:
    """Return the cell of an index, with a star if it is the best one."""
    star = "*" if row[f"{key}_first"] else ""
    return Cell("undefined" if row[key] is None else row[key], digits, sign=star)


def rare_values(job: Job, cells: pd.DataFrame, *, rare: float) -> Sheet:
    """Build the table of the share of the dissimilarity that comparisons with rare values carry."""
    keys = ["measure", "share", "comparisons", "distance"]
    data = [
        {**about, **row}
        for about, part in job.each("rare_values")
        for row in part[keys].replace({math.nan: None}).to_dict("records")
    ]
    shown = [row for row in data if row["share"] == rare]
    worst = max(
        (row for row in shown if row["measure"] == "cado" and row["comparisons"]),
        key=lambda row: row["distance"] / row["comparisons"],
    )
    percent: dict[str, Any] = {"digits": 2, "scale": 100}
    columns = [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("comparisons", "comparisons (%)", **percent),
        *across("measure", MEASURES, "share of the total (%)", of="distance", **percent),
    ]
    return Sheet.of(
        job,
        "share of the total dissimilarity",
        f"Comparisons with a value that occurs once or in at most {rare:.0%} of the objects, and "
        "the share of the total dissimilarity that they carry, in %. Most out of proportion: "
        f"{worst['printed_name']}, where {worst['comparisons']:.1%} of the comparisons carry "
        f"{worst['distance']:.1%} of CADO.",
        columns,
        data,
        rows=pivot(columns, shown, by=("dataset",)),
        legend=[
            "Comparison: two objects in one attribute. It counts if their values differ and the "
            "rarer one occurs at most max(1, share x objects) times.",
            "CADO weighs a comparison by 1/f_x + 1/f_y: about 2/m for frequent values, 1 and more "
            "for one that occurs once.",
            *job.not_run("rare_values"),
        ],
    )


ALGORITHM_NAMES = {
    "kmodes_frequency": "k-modes",
    "kmodes_minimiser": "k-modes, minimising mode",
    "sc_one_minus": "spectral, 1 - D/max",
    "sc_exp_mean": "spectral, exp(-D/mean)",
    "sc_gauss_mean": "spectral, Gaussian",
    "sc_one_minus_rw": "spectral, 1 - D/max, random walk",
    "sc_gauss_mean_rw": "spectral, Gaussian, random walk",
}

PARTITION_SCORES = {"ac": "AC", "nmi": "NMI"}
MEANS: dict[str, Any] = {"of": "mean", "sd": "sd", "digits": 3}
"""Options of a column that shows a mean with its standard deviation."""


def partition_quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Table XI: AC and NMI of k-modes and spectral clustering, and the change by CADO."""
    main = main_algorithms(partial(job.choice, reading=job.readings[0]))
    titles = {algorithm: key for key, algorithm in main.items()}
    data: list[dict[str, Any]] = [
        {**about, "algorithm": algorithm, "main": titles.get(algorithm, ""), "measure": measure}
        | {"score": score, **mean_and_sd(part[score]), "runs": len(part)}
        | ({"change": change(runs, score).ours.value} if measure == "cado" else {})
        for about, records in job.each("partitions")
        for algorithm in ALGORITHM_NAMES
        for runs in [records[records["algorithm"] == algorithm]]
        for measure in MEASURES
        for part in [runs[runs["measure"] == measure]]
        for score in (PARTITION_SCORES if len(part) else ())
    ]
    gains = {
        algorithm: _gains(rows["change"].dropna())
        for algorithm, rows in pd.DataFrame(data).groupby("algorithm", sort=False)
    }
    of_main = [row["change"] for row in data if row["main"] and "change" in row]
    data += [
        {"dataset": cell["dataset_id"], "printed_name": cell["dataset"]}
        | {"main": cell["method"].partition(" ")[0]}
        | {"score": cell["metric"].partition("_")[0].lower(), "printed": cell["value"]}
        for cell in numbers(cells).to_dict("records")
        if "_improvement_" in cell["metric"]
    ]
    columns = [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("score", "score", text=True, of=lambda row: PARTITION_SCORES[row["score"]]),
        *(column for key in main for column in _of_algorithm(key)),
    ]
    return Sheet.of(
        job,
        "k-modes and spectral clustering with four dissimilarities",
        "Mean ± sd over the starts. " + _gains(of_main),
        columns,
        data,
        rows=pivot(columns, [row for row in data if row["main"]], by=("dataset", "score")),
        legend=[
            "change: of the mean score from ADD to CADO. The printed table is an image; eight "
            "rates of change are in the text and judged with its numbers.",
            "AC: best one-to-one matching of clusters and classes. NMI: divided by the larger "
            "entropy. As many clusters as classes; the same starts for all dissimilarities.",
            f"k-modes: {ALGORITHM_NAMES[main['KM']]}; spectral clustering: "
            f"{ALGORITHM_NAMES[main['SC']]}. Spectral clustering uses the symmetric Laplacian and "
            "rows of length 1 unless it says random walk.",
            *(
                f"{ALGORITHM_NAMES[algorithm]}: {said}"
                for algorithm, said in gains.items()
                if algorithm not in titles
            ),
            *job.not_run("partitions"),
        ],
    )


def _of_algorithm(key: str) -> list[Column]:
    """Return the columns of k-modes or of spectral clustering."""
    group = {"KM": "k-modes", "SC": "spectral clustering"}[key]
    cado = {"main": key, "measure": "cado"}
    return [
        *across(*("measure", MEASURES, group), name=f"{key}.{{}}", where={"main": key}, **MEANS),
        Column(f"{key}.change", "change (%)", group, False, "+.1f", 100, of="change", where=cado),
        Column(
            f"{key}.printed",
            "printed",
            group,
            of=lambda row: Cell(float(row["printed"]), "+.2f", 100),
            where={"main": key, "measure": None},
        ),
    ]


def _gains(changes: Iterable[float]) -> str:
    """Count in a sentence how often CADO beats ADD."""
    gains = pd.Series([*changes])
    up, same = (gains > EQUAL).sum(), (gains.abs() <= EQUAL).sum()
    return f"CADO beats ADD in {up} of {len(gains)} cells and ties in {same}."


METHOD_NAMES = {"rock": "ROCK", "crock": "CROCK"}


def significance(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of tests of CADO against the others, and of CROCK against ROCK."""
    tests = job.tests()
    first, second = (tests[side].map({**MEASURES, **METHOD_NAMES}) for side in ("first", "second"))
    owner = (tests["algorithm"] + ": ").where(tests["algorithm"] != "ROCK", "")
    tests["family"] = owner + first + " against " + second
    found = tests.assign(score=tests["score"].replace(PARTITION_SCORES))
    # without data sets whose runs differ, the columns of tests within a data set are missing
    found = found.reindex(
        columns=[
            *("family", "score", "over", "dataset", "n", "difference", "t", "p", "p_one_sided"),
            *("p_paired", "p_wilcoxon", "p_holm"),
        ]
    )
    between, within = found[found["over"] == BETWEEN], found[found["over"] != BETWEEN]
    clear = within[within["p_holm"] < SIGNIFICANCE_LEVEL]
    outcomes = Counter(zip(clear["family"], clear["score"], clear["difference"] > 0, strict=True))
    low = between[between["p"] < SIGNIFICANCE_LEVEL]
    data, shown = (one.replace({math.nan: None}).to_dict("records") for one in (found, between))
    columns = [
        *words(family="Comparison", score="score"),
        Column("n", "sets"),
        Column("difference", "mean difference", digits="+.3f"),
        Column("p", "t-test", digits=3),
        Column("p_one_sided", "t-test, better", digits=3),
        Column("p_wilcoxon", "Wilcoxon", digits=3),
        Column("p_holm", "Holm", digits=3),
        Column(
            "within",
            "sets won : lost",
            "Welch over runs, Holm",
            of=lambda row: " : ".join(
                str(outcomes[row["family"], row["score"], won]) for won in (True, False)
            ),
        ),
    ]
    return Sheet.of(
        job,
        "is the gain significant?",
        f"Over data sets, {len(low)} of {len(between)} paired t-tests have p < 0.05, "
        f"{(low['difference'] > 0).sum()} of them in favour of the coupled method; "
        f"after Holm's correction {(low['p_holm'] < SIGNIFICANCE_LEVEL).sum()} are left.",
        columns,
        data,
        rows=pivot(columns, shown),
        legend=[
            "Paired two-sided t-test over the means of the data sets, the one-sided one (better), "
            "Wilcoxon's signed ranks (zeros after Pratt), and Holm's correction over all tests "
            "of this table.",
            "Within a data set: Welch's t over the starts or row orders, Holm's correction "
            "over all of them. A set without any variation between runs has no test.",
            "ROCK and CROCK at the best threshold of each (uses class labels), over row orders; "
            "given an order both are deterministic.",
        ],
    )


def rock_quality(job: Job, cells: pd.DataFrame, *, counted: Sequence[str], fixed: float) -> Sheet:
    """Build Table XII: scores at the best threshold of each method, and at a fixed one for both.

    `counted` names the data sets of the paper.
    """
    data = [
        {**about, "counted": about["dataset"] in counted, "method": method, "own": own}
        | {"oracle": own, "theta": theta, "score": score, **mean_and_sd(part[score])}
        | {"orders": len(part), "neighbours": float(part["neighbours"].mean())}
        for about, records in job.each("rock")
        for method, curve in records.groupby("method", sort=False)
        for own, theta in ((True, best_threshold(curve)), (False, fixed))
        for part in [curve[curve["theta"] == theta]]
        for score in SCORES
    ]
    rows = ["own", "dataset", "score"]
    means = pd.DataFrame(data).query("counted").pivot_table("mean", rows, "method", "first")
    better = (means["crock"] - means["rock"] > EQUAL).groupby("own")
    said = {own: f"{better.sum()[own]} of {better.size()[own]}" for own in (True, False)}
    orders = {row["printed_name"]: row["orders"] for row in data}
    return Sheet.of(
        job,
        "CROCK against ROCK",
        "Means over row orders, at the best threshold of each method (uses class labels) and at "
        f"{fixed:g} for both. On the data sets of the paper CROCK is better in {said[True]} "
        f"scores with its own threshold, and in {said[False]} at {fixed:g}.",
        _threshold_columns(
            fixed,
            *across("score", {"precision": "Pr", "recall": "Re", "specificity": "Sp"}, **MEANS),
            Column("neighbours", "neighbours", digits=0),
        ),
        data,
        by=("dataset", "method"),
        legend=[
            "Pr, Re, Sp: precision, recall and specificity of the matched clusters, means over the "
            "classes weighted by size. The printed table is an image.",
            "Best theta: highest sum of the three scores, a mean over row orders, chosen with the "
            "class labels. neighbours: mean number per object. Orders: "
            + ", ".join(f"{name} {number}" for name, number in orders.items())
            + ".",
            "If more clusters remain than there are classes, the largest ones stay and the other "
            "objects join the nearest.",
            *job.not_run("rock"),
        ],
    )


def _threshold_columns(fixed: float, *shown: Column) -> list[Column]:
    """Return the columns of a table with each method at its best and at the fixed threshold."""
    own = [Column("theta", "theta", digits=2), *shown]
    return [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("method", "method", text=True, of=lambda row: METHOD_NAMES[row["method"]]),
        *grouped("own", {True: "best theta (labels)"}, own),
        *grouped("own", {False: f"theta {fixed:g}"}, shown),
    ]


def theta_curve(job: Job, cells: pd.DataFrame, *, fixed: float) -> Sheet:
    """Build the table of scores and neighbours against the threshold."""
    sizes = job.ok("bounds").set_index("dataset")["objects"].to_dict()
    curves = {
        (*about.values(), method): curve
        for about, records in job.each("rock")
        for method, curve in records.groupby("method", sort=False)
    }
    data = [
        {"dataset": dataset, "printed_name": name, "method": method, "theta": theta}
        | {"score": float(scores.mean())}
        | {"least": float(scores.min()), "greatest": float(scores.max())}
        | {"neighbours": near, "share": near / (sizes[dataset] - 1)}
        | {"clusters": float(runs["clusters"].mean())}
        for (dataset, name, method), curve in curves.items()
        for theta, runs in curve.groupby("theta")
        for scores in [runs[list(SCORES)].mean(axis="columns")]
        for near in [float(runs["neighbours"].mean())]
    ]
    best = {(dataset, method): best_threshold(one) for (dataset, _, method), one in curves.items()}
    shown = [
        {**row, "own": own}
        for row in data
        for own, theta in ((True, best[row["dataset"], row["method"]]), (False, fixed))
        if row["theta"] == theta
    ]
    columns = _threshold_columns(
        fixed,
        Column("score", "mean score", digits=3),
        Column("share", "neighbours (%)", digits=1, scale=100),
    )
    caption = f"Not run: {NO_DATASET}."
    if shown:
        near = pd.DataFrame(shown).query("not own").groupby("method")["share"]
        said = {
            method: f"{number(low, 0, 100)} to {number(high, 0, 100)} %"
            for method, low, high in near.agg(["min", "max"]).itertuples()
        }
        caption = (
            f"At theta = {fixed:g} an object has {said['crock']} of the others as neighbours by "
            f"CASO / n (CROCK), and {said['rock']} by Jaccard's similarity (ROCK)."
        )
    return Sheet.of(
        job,
        "one threshold for two similarities",
        caption,
        columns,
        data,
        rows=pivot(columns, shown, by=("dataset", "method")),
        legend=[
            "mean score: of precision, recall and specificity, over row orders. neighbours: of the "
            "other objects. The best theta is chosen with the class labels.",
            *job.not_run("rock"),
        ],
    )


SOURCES = {"dblp": "papers from dblp", "planted": "planted communities"}
ONE_CLUSTER = "one_cluster"
_NAMES = {**METHODS, ONE_CLUSTER: "all authors in one cluster"}

CLIMBO_LEGEND = (
    "CLIMBO (as printed): CADO between clusters, 1/f1 + 1/f2 times the mean total variation, in "
    "place of the information loss. Mass: LIMBO's factor p1 + p2 in place of 1/f1 + 1/f2, our "
    "repair. Mass and CADO: both factors."
)


def bibliographic_clusters(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Table XIII: precision, specificity and accuracy of two clusters of first authors."""
    frames, absent = _sources(job, "value_clusters")
    data: list[dict[str, Any]] = []
    for source, frame in frames.items():
        # scores if all papers are in one cluster, matched with the larger field
        share = float(1 - frame.iloc[0]["papers_database"] / frame.iloc[0]["papers"])
        one = {"precision": share**2, "specificity": 1 - share, "accuracy": share}
        data += [
            {"source": source, "method": method, "stage": stage, "over": over, "metric": metric}
            | {**mean_and_sd(picked[metric]), "n": len(picked)}
            | {"low": float(picked[metric].min()), "high": float(picked[metric].max())}
            | {"setting": picked["setting"].iloc[0], "all": picked["values"].mean()}
            for attribute, method, stage in PARTITIONS
            if attribute == "first_author"
            for over in ("runs", "tables")
            for picked in [over_tables(frame, attribute, method, stage, over)]
            for metric in (*METRICS, "smaller", "values")
        ] + [
            {"source": source, "method": ONE_CLUSTER, "over": "tables", "metric": metric}
            | {"mean": score, "n": 1}
            for metric, score in one.items()
        ]
    found = pd.DataFrame(data)
    runs, tables = found.groupby("over")["n"].max()
    groups = {"runs": f"one table, {runs} runs", "tables": f"{tables} tables"}
    percent: dict[str, Any] = {"digits": 1, "scale": 100, "of": "mean"}
    columns = [
        Column("source", "Papers", text=True, of=lambda row: SOURCES[row["source"]]),
        Column("method", "method", text=True, of=lambda row: _NAMES[row["method"]]),
        Column("setting", "parameters", text=True),
        *grouped("over", groups, across("metric", METRICS, sd="sd", **percent)),
        Column(
            "assigned",
            "AC",
            "assigned",
            where={"over": "tables", "metric": "accuracy", "stage": ASSIGNED},
            **percent,
        ),
        Column(
            "smaller",
            "authors in the smaller cluster",
            of=lambda row: f"{number(row['mean'], 1)} of {number(row['all'], 1)}",
            where={"over": "tables", "metric": "smaller"},
        ),
    ]
    return Sheet.of(
        job,
        "two clusters of first authors",
        _said(found[(found["over"] == "tables") & (found["stage"] != ASSIGNED)], tables),
        columns,
        data,
        rows=[*absent, *pivot(columns, data, by=("source", "method"))],
        legend=[
            "Mean ± standard deviation, in percent; Pr precision, Sp specificity, AC accuracy, "
            "each paper in the cluster of its first author. The runs differ in the start of STIRR "
            "and in the order of the values, which decides ties; the tables are drawn anew.",
            CLIMBO_LEGEND,
            "Assigned: after every author joined the nearest of the merged clusters (LIMBO's third "
            "phase), mean over the tables. At phi = 0 every author is a leaf, and merging alone "
            "labels all.",
            "The paper's 720 papers were never published, and its numbers are an image: there is "
            "nothing to compare with digit by digit. The parameters, too, are ours: phi bounds the "
            "loss of a leaf, M is the number of configurations, N of iterations.",
        ],
        data_columns=[
            *("source", "method", "stage", "over", "metric", "mean", "sd", "low", "high", "n")
        ],
    )


def _sources(job: Job, experiment: str) -> tuple[dict[str, pd.DataFrame], list[dict[str, str]]]:
    """Return the records by source, and a row with the reason if papers from dblp are missing."""
    planted = {"planted": job.ok(f"{experiment}_planted")}
    if reason := job.absent(experiment, "bibliographic"):
        return planted, [{"source": SOURCES["dblp"], "method": f"not run: {reason}"}]
    return {"dblp": job.ok(experiment), **planted}, []


def _said(found: pd.DataFrame, tables: int) -> str:
    """State mean accuracies over the tables, and the smaller cluster of CLIMBO as printed."""
    means = found.pivot_table("mean", "source", ["method", "metric"], "first", sort=False)
    percent = means.xs("accuracy", axis=1, level="metric").map(lambda one: number(one, 1, 100))
    said = ", ".join(
        f"{name} {' and '.join(percent[method])}"
        for method, name in {**METHODS, ONE_CLUSTER: "one cluster of all authors"}.items()
    )
    left = " and ".join(
        f"{number(one['smaller'], 1)} of {number(one['values'], 0)}"
        for one in means["climbo"].to_dict("records")
    )
    return (
        f"Mean accuracy in percent over {tables} tables of "
        f"{' and of '.join(SOURCES[source] for source in means.index)}: {said}. CLIMBO as printed "
        f"has {left} authors in its smaller cluster."
    )


def bibliographic_map(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Fig. 3: the venue of every paper, and the clusters of the venues."""
    data: list[dict[str, Any]] = []
    said: list[str] = []
    sources, rows = _sources(job, "venue_map")
    for source, papers in sources.items():
        found = {method: venue_clusters(papers, method) for method in METHODS}
        rows += [_misplaced(SOURCES[source], METHODS[one], venues) for one, venues in found.items()]
        placed = papers.assign(source=source)[["source", "position", "field", "venue"]]
        for method, venues in found.items():
            own = venues[["place", "cluster", "misplaced"]].add_prefix(f"{method}_")
            placed = placed.join(own, on="venue")
        data += placed.to_dict("records")
        wrong = (f"{METHODS[one]} {venues['misplaced'].sum()}" for one, venues in found.items())
        said.append(
            f"of the {papers['venue'].nunique()} venues in the {SOURCES[source]}, "
            f"{', '.join(wrong)}"
        )
    return Sheet.of(
        job,
        "two clusters of venues",
        "Venues in the cluster of the other field, by method: "
        f"{'; '.join(said)}. A venue belongs to the field of most of its papers.",
        [
            *words(source="Papers", method="method"),
            *(Column(field, field, "venues in the cluster") for field in FIELDS),
            Column("misplaced", "number", "misplaced venues"),
            Column("places", "places in the figure", "misplaced venues"),
            Column("papers", "papers, %", "misplaced venues"),
            Column("accuracy", "AC of the papers, %"),
        ],
        data,
        rows=rows,
        legend=[
            "One table of papers per source, one run; in the figure every paper is a point, its "
            "place from left to right, its venue from bottom to top. Clusters as they were merged.",
            CLIMBO_LEGEND,
            "The paper's 720 papers and their venues were never published: only the order of the "
            "methods can be compared.",
        ],
    )


def _misplaced(source: str, method: str, venues: pd.DataFrame) -> dict[str, str]:
    """Return the row of a method: its clusters, and the venues in that of the other field."""
    wrong, total = venues[venues["misplaced"]], venues["papers"].sum()
    border = (venues["cluster"] == FIELDS[0]).sum()
    return {
        **{"source": source, "method": method},
        **dict(zip(FIELDS, (str(border), str(len(venues) - border)), strict=True)),
        **{"misplaced": f"{len(wrong)} of {len(venues)}", "places": ranges(wrong["place"])},
        "papers": number(wrong["papers"].sum() / total, 1, 100),
        "accuracy": number(venues["hits"].sum() / total, 1, 100),
    }


def ranges(places: pd.Series) -> str:
    """Return sorted places as text, such as ``3, 5-7``."""
    runs = places.groupby((places.diff() != 1).cumsum()).agg(["min", "max"])
    return ", ".join(
        str(low) if low == high else f"{low}-{high}" for low, high in runs.itertuples(index=False)
    )
