"""Table 6 of coupledMC: accuracies by means and by largest runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from replication.judge.cells import Ours, reasons_by_cell
from replication.judge.verdicts import MARKS, NOT_RUN
from replication.papers.coupledmc.runs import (
    BEST,
    COLLAPSED,
    FIXED,
    METHODS,
    RECONCILED,
    Runs,
    Series,
    best_series,
    by_setting,
    chosen_setting,
    largest_reproduced,
    mean_largest,
    mean_over,
    per_series,
    readings,
    reproduced,
)
from replication.papers.coupledmc.tables_common import (
    BASE,
    MARK_LEGEND,
    NEAR,
    PRINTED_RUNS,
    SPREAD,
    VERDICT,
    by_dataset,
)
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, number, pivot

if TYPE_CHECKING:
    import pandas as pd

AVERAGE = "average"

# --- Table 6 ------------------------------------------------------------------------------------


def accuracy(job: Job, cells: pd.DataFrame) -> Sheet:
    """Accuracy of six methods on twelve data sets, with NMI, ARI and the largest class beside it.

    Readings of coupledMC by means: ``reconciled`` and ``printed`` take the better L (oracle),
    ``fixed`` the parameter ``fixed``; ``best-run`` takes the largest run. SpectralCAT has
    ``collapsed`` besides.
    """
    records = job.records("accuracy")
    runs = by_setting(records)
    base = by_dataset(job.records("description"))
    best = best_series(job.records("best_runs"))
    gone = {
        one["dataset"]: one["reason"] for one in records.to_dict("records") if one["status"] != "ok"
    }
    fixed = f"L={job.need('parameters')['fixed']}"
    complete = not gone and all(not job.missing(name) for name in job.datasets)

    def known(cell: Mapping[str, str]) -> list[str]:
        method = cell["method_id"]
        found = [reading for reading, *_ in readings(method, fixed)]
        return [*found, BEST] if method == "coupledmc" else found

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        dataset = cell["dataset_id"]
        absent = job.missing(dataset) or gone.get(dataset, "")
        if dataset == AVERAGE:
            absent = "" if complete else "the average needs all data sets"
        if absent:
            return Ours(absent)
        names = list(job.datasets) if dataset == AVERAGE else [dataset]
        rates = [base[name]["base_rate"] for name in names]
        more = {
            "label": METHODS[cell["method_id"]],
            "printed_sd": cell["std"],
            "base_rate": sum(rates) / len(rates),
        }
        if reading == BEST:
            return _largest(job, [best[name] for name in names], more)
        return _mean(job, cell["method_id"], runs, names, (reading, fixed), more)

    verdicts = job.judged(cells, ours, known)
    data = [one for one in verdicts if "label" in one]
    rank(data)
    columns = [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("method", "method", text=True, of=_method),
        Column("printed", "printed", "accuracy"),
        Column("ours", "mean ± sd", "accuracy", of=_shown_mean),
        Column("largest_run", "largest run", "accuracy", of=_shown_largest),
        Column("base_rate", "largest class", "accuracy", digits=3),
        Column("rank", "rank"),
        Column("nmi_max", "NMI", digits=3),
        Column("ari", "ARI", digits=3),
        Column("more", "setting; other readings", text=True, of=partial(_others, data)),
    ]
    # what was not run has one row
    main = [
        one
        for one in verdicts
        if one["reading"] == RECONCILED or (one["reading"] == BEST and "label" in one)
    ]
    return Sheet.of(
        job,
        "accuracy of six clusterings",
        _accuracy_caption(data, complete),
        columns,
        data,
        rows=pivot(columns, main),
        legend=[
            f"{MARK_LEGEND} The mark stands at the number that is judged.",
            "Accuracy: best one-to-one matching of clusters and classes. Mean ± sample standard "
            "deviation over the runs, and the largest of the same runs, chosen with the class "
            "labels (oracle); largest class: the accuracy of a single cluster.",
            "coupledMC: the better of L = 3 and L = 4 by mean accuracy, an oracle choice made "
            f"with the class labels as in the paper; {FIXED}: {fixed} for all data sets; printed: "
            "the text as it stands (eq. (3), raw columns, all components), better L (oracle). "
            f"{BASE[0].upper()}{BASE[1:]}, {FIXED} too.",
            f"coupledMC, {BEST}: 95 % of the variance, every component between 0 and 1, the "
            "largest accuracy of the runs, and L = 3 or 4 by it; oracle twice, the run and L are "
            "chosen with the class labels. One setting for all data sets, chosen after the fact. "
            "Within noise: the printed number lies in the range over sets of seeds (Best runs of "
            "Table 6). Its rank is among the largest runs of the others.",
            f"SpectralCAT: bandwidth the mean distance; {COLLAPSED}: a tenth of it, which "
            "tends to one large cluster (its share is the column largest of the CSV).",
            "NMI: divided by the larger entropy. rank: of ours among the six methods.",
            *_near(data),
            *reasons_by_cell([one for one in verdicts if one["verdict"] == NOT_RUN]),
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "label", *VERDICT, "printed_value"),
            *("printed_sd", "mean", "largest_run", *SPREAD, "base_rate", "rank", "nmi_max"),
            *("nmi_sqrt", "nmi_arithmetic", "ari", "largest"),
        ],
        verdicts=verdicts,
    )


def _mean(
    job: Job,
    method: str,
    runs: Runs,
    names: Sequence[str],
    reading: tuple[str, str],
    more: Mapping[str, Any],
) -> Ours:
    """A mean over runs under a reading (and the fixed setting), with the other scores."""
    name, fixed = reading
    ((source, wanted),) = (rest for one, *rest in readings(method, fixed) if one == name)
    chosen = {one: chosen_setting(runs, one, method, source, wanted) for one in names}
    scores = mean_over(runs, chosen, method, source)
    values = reproduced(scores["accuracy"], float(scores["moved"].mean()))
    base = job.choice("coupledmc.base", source if source == "literal" else RECONCILED)
    settings = [f"{one}, base={base}" for one in chosen.values() if one]
    return Ours(
        values,
        # the base of the columns, where not L, was chosen with the labels
        oracle=method == "coupledmc",
        setting="; ".join(dict.fromkeys(settings)),
        trials=len(scores["accuracy"]) * len(names),
        printed_runs=PRINTED_RUNS,
        more={
            **{key: float(value.mean()) for key, value in scores.items() if key != "accuracy"},
            "mean": values.value,
            "largest_run": mean_largest(runs, chosen, method, source),
            **more,
        },
    )


def _largest(job: Job, chosen: Sequence[Series], more: Mapping[str, Any]) -> Ours:
    """The largest run of coupledMC, with its other scores."""
    values = largest_reproduced(chosen)
    powers = dict.fromkeys(f"L={series[0]['power']:.0f}" for series in chosen)
    runs = int(chosen[0][0]["runs"])
    base = job.choice("coupledmc.base", RECONCILED)
    scores = ("nmi_max", "nmi_sqrt", "nmi_arithmetic", "ari", "largest")
    return Ours(
        values,
        oracle=True,
        setting=f"{'; '.join(powers)}, largest of {runs} runs, base={base}",
        trials=runs * len(chosen),
        more={
            **{name: per_series(chosen, name)[0] for name in scores},
            "mean": per_series(chosen, "accuracy_mean")[0],
            "largest_run": values.value,
            **more,
        },
    )


def rank(data: list[dict[str, Any]]) -> None:
    """Add to each row the place of its accuracy among the methods, other rows reconciled.

    A mean stands among means, a largest run among largest runs.
    """
    for one in data:
        statistic = "largest_run" if one["reading"] == BEST else "mean"
        others = [
            other[statistic]
            for other in data
            if other["dataset"] == one["dataset"]
            and other["method"] != one["method"]
            and other["reading"] == RECONCILED
        ]
        one["rank"] = 1 + sum(value > one["reproduced"] for value in others)


def _method(one: Mapping[str, Any]) -> str:
    return METHODS[one["method"]] + (f", {BEST} (oracle)" if one["reading"] == BEST else "")


def _shown_mean(one: Mapping[str, Any]) -> Cell:
    """Mean of the runs; the mark stands at the number that is judged."""
    judged = "" if one["reading"] == BEST else one["verdict"]
    return Cell(one.get("mean"), 3, sd=one["sd"], verdict=judged)


def _shown_largest(one: Mapping[str, Any]) -> Cell:
    judged = one["verdict"] if one["reading"] == BEST else ""
    return Cell(one.get("largest_run"), 3, verdict=judged)


def _others(data: Sequence[Mapping[str, Any]], one: Mapping[str, Any]) -> str:
    """Setting of a number, and the other readings of the same cell by means."""
    said = [] if one["dataset"] == AVERAGE else [one["setting"].partition(",")[0]]
    if one["reading"] == RECONCILED:
        said += [
            f"{other['reading']} {number(other['reproduced'], 3)} {MARKS[other['verdict']]}"
            for other in data
            if other["id"] == one["id"] and other["reading"] not in (RECONCILED, BEST)
        ]
    return "; ".join(filter(None, said))


def _accuracy_caption(data: Sequence[Mapping[str, Any]], complete: bool) -> str:
    ours = [one for one in data if one["method"] == "coupledmc" and one["dataset"] != AVERAGE]
    means = [one for one in ours if one["reading"] == RECONCILED]
    if not means:
        return "No data set of this table is part of this run."
    best = [one for one in ours if one["reading"] == BEST]
    gap, mean_gap = (
        sum(abs(one["difference"]) for one in rows) / len(rows) for rows in (best, means)
    )
    first, best_first = (sum(one["rank"] <= 2 for one in rows) for rows in (means, best))
    said = (
        f"Mean accuracy over {means[0]['samples']} runs, and the largest of them. From the printed "
        f"numbers of coupledMC its means lie {mean_gap:.3f} away on average, the largest of its "
        f"runs ({BEST}, oracle) {gap:.3f}. Among the first two "
        f"(print: all data sets) it is on {first} of {len(means)} by means and on {best_first} if "
        "every method shows its largest run"
    )
    if complete:
        average = {
            (one["method"], one["reading"]): one for one in data if one["dataset"] == AVERAGE
        }
        mean, largest = average["coupledmc", RECONCILED], average["coupledmc", BEST]
        mixture = average["mixture", RECONCILED]
        said += (
            f"; its averages are {mean['mean']:.3f} and {largest['largest_run']:.3f} (print: "
            f"{mean['printed']}), those of the mixture {mixture['mean']:.3f} and "
            f"{mixture['largest_run']:.3f}"
        )
    return said + "."


def _near(data: Sequence[Mapping[str, Any]]) -> list[str]:
    """On how many data sets each method and reading comes near print."""
    counts: dict[str, list[bool]] = {}
    for one in data:
        if one["dataset"] != AVERAGE:
            more = "" if one["reading"] == RECONCILED else f" ({one['reading']})"
            counts.setdefault(one["label"] + more, []).append(abs(one["difference"]) <= NEAR)
    if not counts:
        return []
    said = ", ".join(f"{name} {sum(near)} of {len(near)}" for name, near in counts.items())
    return [f"Within {NEAR} of print: {said}."]


# --- best runs ----------------------------------------------------------------------------------

_VARIANTS = {
    BEST: "best-run",
    "z-scores": "scores / sd, L = 3",
    "symmetric": "base in [-1, 1], L = 3",
}
_RAW = "raw"


def best_runs(job: Job, cells: pd.DataFrame) -> Sheet:
    """Largest run of coupledMC beside its mean, other seeds, variants and the other methods."""
    records = job.records("best_runs")
    runs = by_setting(job.records("accuracy"))
    found = {variant: best_series(records, variant) for variant in _VARIANTS}
    printed = {
        one["dataset_id"]: one
        for one in cells.to_dict("records")
        if one["method_id"] == "coupledmc"
    }
    names = [name for name in job.datasets if name in found[BEST]]
    data, rows = [], []
    for name in names:
        columns = {
            **{f"{variant}.{i}": one for variant, i, one in _values(found, name)},
            "mean": found[BEST][name][0]["accuracy_mean"],
            **_largest_of_all(runs, name),
        }
        common = {"dataset": name, "printed_name": job.printed(name)}
        common |= {"printed": printed[name]["value"], "printed_sd": printed[name]["std"]}
        sd, power = found[BEST][name][0]["accuracy_sd"], int(found[BEST][name][0]["power"])
        data += [
            {**common, "column": key, "value": value, "sd": sd, "power": power}
            for key, value in columns.items()
        ]
        seeds = [value for key, value in columns.items() if key.startswith(f"{BEST}.")]
        rows.append(
            {key: Cell(value, 3) for key, value in columns.items()}
            | {
                "dataset": Cell(common["printed_name"]),
                "printed": Cell(printed[name]["printed"]),
                f"{BEST}.0": Cell(columns[f"{BEST}.0"], 3, sd=sd),
                "power": Cell(power),
                "seeds": _range(seeds, 3),
            }
        )
    distances = _distances(data)
    rows += _summary_rows(distances)
    return Sheet.of(
        job,
        "the column of coupledMC and the largest of its runs",
        caption=_best_caption(distances, len(names), cells),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("printed", "printed"),
            Column(f"{BEST}.0", f"{BEST} ± sd", "coupledMC (oracle)"),
            Column("power", "L", "coupledMC (oracle)"),
            Column("seeds", "other seeds", "coupledMC (oracle)"),
            Column("mean", "mean of these runs", "coupledMC (oracle)"),
            Column("z-scores.0", _VARIANTS["z-scores"], "coupledMC (oracle)"),
            Column("symmetric.0", _VARIANTS["symmetric"], "coupledMC (oracle)"),
            Column(_RAW, "scores as they are", "coupledMC (oracle)"),
            *(
                Column(method, label, "largest run of the others (oracle)")
                for method, label in METHODS.items()
                if method != "coupledmc"
            ),
        ],
        rows=rows,
        legend=[
            f"{BEST}: columns z-scored before the powers, components with 95 % of the variance, "
            "each between 0 and 1; k-means from random objects, one start a run; the largest "
            "accuracy of the runs ± the standard deviation of the same runs, L = 3 or 4 by the "
            "larger one. Oracle twice: the run and L are chosen with the class labels. One "
            "setting for all data sets, chosen after the fact.",
            "other seeds: lowest and highest such number over "
            f"{len(distances['seeds'])} sets of seeds, the first included.",
            "scores as they are: the largest of the runs whose mean is the reconciled reading, by "
            "the better L of the two.",
            "The last rows compare every column with the printed one of coupledMC.",
        ],
        data=data,
    )


def _range(values: Sequence[float], digits: int) -> Cell:
    return Cell(f"{min(values):.{digits}f}–{max(values):.{digits}f}")


def _values(
    found: Mapping[str, Mapping[str, Series]], dataset: str
) -> Iterable[tuple[str, int, float]]:
    for variant, by_name in found.items():
        for i, one in enumerate(by_name.get(dataset, ())):
            yield variant, i, float(one["accuracy"])


def _largest_of_all(runs: Runs, dataset: str) -> dict[str, float]:
    """Largest accuracy of each other method, and of coupledMC with its scores as they are."""
    largest: dict[str, float] = {}
    for (name, method, reading, _), scores in runs.items():
        if (name, reading) == (dataset, RECONCILED):
            key = _RAW if method == "coupledmc" else method
            largest[key] = max(largest.get(key, 0.0), float(scores["accuracy"].max()))
    return largest


def _distances(data: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average, mean distance to print and number of near data sets of each column."""
    columns: dict[str, list[tuple[float, float]]] = {}
    for one in data:
        columns.setdefault(one["column"], []).append((float(one["printed"]), one["value"]))
    found: dict[str, Any] = {}
    for column, pairs in columns.items():
        gaps = [abs(ours - printed) for printed, ours in pairs]
        found[column] = {
            "average": sum(ours for _, ours in pairs) / len(pairs),
            "printed": sum(printed for printed, _ in pairs) / len(pairs),
            "distance": sum(gaps) / len(gaps),
            "near": sum(gap <= NEAR for gap in gaps),
            "sets": len(pairs),
        }
    found["seeds"] = [one for key, one in found.items() if key.startswith(f"{BEST}.")]
    return found


def _summary_rows(distances: Mapping[str, Any]) -> list[dict[str, Cell]]:
    if not distances["seeds"]:
        return []
    rows = []
    for key, head, digits in (
        ("average", "average", 3),
        ("distance", "mean distance", 3),
        ("near", f"within {NEAR}", 0),
    ):
        row = {
            column: Cell(one[key], digits) for column, one in distances.items() if column != "seeds"
        }
        seeds = [one[key] for one in distances["seeds"]]
        row["seeds"] = _range(seeds, digits)
        if key == "average":
            row["printed"] = Cell(distances[f"{BEST}.0"]["printed"], 3)
        rows.append({**row, "dataset": Cell(head)})
    return rows


def _best_caption(distances: Mapping[str, Any], total: int, cells: pd.DataFrame) -> str:
    if not total:
        return "No data set of this table is part of this run."
    best, mean = distances[f"{BEST}.0"], distances["mean"]
    rivals = {
        METHODS[key]: one["average"]
        for key, one in distances.items()
        if key in METHODS and key != "coupledmc"
    }
    rival = max(rivals, key=lambda name: rivals[name])
    seeds = [one["distance"] for one in distances["seeds"]]
    leads = best["average"] - rivals[rival], _printed_lead(cells)
    return (
        f"One setting for all data sets: the largest of its runs lies {best['distance']:.3f} from "
        f"the printed column of coupledMC on average ({min(seeds):.3f} to {max(seeds):.3f} over "
        f"{len(seeds)} sets of seeds), within {NEAR} on {best['near']} of {total} data sets, their "
        f"mean {mean['distance']:.3f}. The average is {best['average']:.3f} (print: "
        f"{best['printed']:.3f}), that of the largest runs of {rival} {rivals[rival]:.3f}: like "
        f"for like the lead is {leads[0]:.3f}, in print {leads[1]:.3f}."
    )


def _printed_lead(cells: pd.DataFrame) -> float:
    """Printed average of coupledMC above the best printed one of the others."""
    average = cells[cells["dataset_id"] == AVERAGE].set_index("method_id")["value"].astype(float)
    return float(average["coupledmc"] - average.drop("coupledmc").max())
