"""Tables of the planted clusters, one function per kind of artefact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.run.paired import correct, paired_test
from replication.show.sheet import Cell, Column, Sheet, across, number, words

if TYPE_CHECKING:
    import pandas as pd

    from replication.show.job import Job

Factors = Mapping[str, str]
"""The factors of an experiment, each with its name in words."""
ALGORITHMS = {"kmodes_frequency": "k-modes", "ward_r": "Ward", "kmeans_plus": "k-means"}
ALPHA = 0.05
GAIN, LOSS, UNDECIDED = "gain", "loss", "undecided"
CHANGE = 0.02
"""Changes of a mean gain up to this are called none."""


def gains(job: Job, cells: pd.DataFrame, factors: Factors) -> Sheet:
    """Gain of every measure over simple matching with the same algorithm, by setting."""
    (experiment,) = job.need("experiments")
    data = compared(job, experiment, factors)
    labels = {row["measure"]: row["label"] for row in data}
    shown = [
        *(Column(name, head) for name, head in factors.items()),
        *words(algorithm="algorithm"),
        Column("simple", "ARI ± sd", "simple matching", digits=2, sd="simple_sd"),
        *across("measure", labels, "gain in ARI ± standard error", name="gain {}", of=_gain),
    ]
    said = "; ".join(
        f"{algorithm}: {_counts([row for row in data if row['algorithm'] == algorithm])}"
        for algorithm in dict.fromkeys(row["algorithm"] for row in data)
    )
    settings = len({tuple(row[name] for name in factors) for row in data})
    legend = [*_legend(data), _blind(data)]
    if any(row["agreement"] is not None for row in data):
        of = {"of": "agreement", "digits": 2, "where": {"algorithm": data[0]["algorithm"]}}
        shown += across("measure", labels, "agreement", name="agreement {}", **of)
        legend.append(
            "Agreement: Spearman's correlation of a measure's distances of values with the true "
            "ones, mean over attributes and tables; large is good. Two values have one distance "
            "and no order."
        )
    caption = f"Settings out of {settings} with a decided gain, and with a decided loss. {said}."
    what = "gain in ARI over simple matching"
    return Sheet.of(
        job, what, caption, shown, data, by=[*factors, "algorithm"], legend=[*filter(None, legend)]
    )


def compared(job: Job, experiment: str, factors: Factors) -> list[dict[str, Any]]:
    """One row per setting, algorithm and measure: its gain over simple matching.

    Returns
    -------
    list of dict
        The level of each factor; ``algorithm``, ``measure``, ``label``; ``tables``; ``simple`` and
        ``simple_sd``, ARI of simple matching; ``ari``; ``gain``, its standard deviation ``sd`` and
        standard error ``se``; ``p`` of a paired t-test over the tables and ``p_holm``, corrected
        over all rows; ``decision``; ``agreement``; ``blind``, tables where the measure tells no
        objects apart.
    """
    rows: list[dict[str, Any]] = []
    keys = [*factors, "algorithm"]
    for levels, part in job.ok(experiment).groupby(keys, sort=False):
        # the first measure of each algorithm is simple matching
        (_, simple), *others = part.groupby(["measure", "label"], sort=False)
        base = simple["ari"].to_numpy()
        for (measure, label), own in others:
            gain = own["ari"].to_numpy() - base
            p = paired_test(own["ari"].tolist(), base.tolist())["p"]
            near = own["agreement"].mean()
            row = dict(zip(keys, levels, strict=True)) | {"measure": measure, "label": label}
            row |= {"algorithm": ALGORITHMS[row["algorithm"]], "tables": len(gain)}
            row |= {"simple": float(base.mean()), "simple_sd": float(base.std(ddof=1))}
            row |= {"ari": float(own["ari"].mean()), "gain": float(gain.mean())}
            sd = float(gain.std(ddof=1))
            row |= {"sd": sd, "se": sd / math.sqrt(len(gain))}
            row |= {"p": None if p != p else p, "agreement": None if near != near else float(near)}
            rows.append({**row, "blind": int(own["blind"].sum())})
    correct(rows)
    for row in rows:
        decided = row["p_holm"] is not None and row["p_holm"] < ALPHA
        row["decision"] = (GAIN if row["gain"] > 0 else LOSS) if decided else UNDECIDED
    return rows


def _gain(row: Mapping[str, Any]) -> Cell:
    """Gain with its standard error, and a star where it is decided."""
    return Cell(row["gain"], 3, sd=row["se"], sign="" if row["decision"] == UNDECIDED else "*")


def _counts(rows: Sequence[Mapping[str, Any]]) -> str:
    """Decided gains and losses of each measure."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["label"], []).append(row["decision"])
    return ", ".join(
        f"{label} {known.count(GAIN)} and {known.count(LOSS)}" for label, known in found.items()
    )


def _legend(data: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{data[0]['tables']} random tables per setting, the same for all measures. Gain: ARI "
        "minus that of simple matching with the same algorithm on the same table; above 0 is "
        f"better. *: decided, paired t-test over the tables, p < {ALPHA:g} after Holm's correction over "
        f"the {len(data)} gains of this picture.",
        "k-modes and k-means: the one of least objective of ten starts. k-means: vectors of CDE, "
        "compared with the 0-1 encoding, which is simple matching.",
    ]


def _blind(data: Sequence[Mapping[str, Any]]) -> str:
    """Line about tables where a measure tells no objects apart; empty if there is none."""
    first = [row for row in data if row["algorithm"] == data[0]["algorithm"] and row["blind"]]
    known = {row["label"]: 0 for row in first}
    for row in first:
        known[row["label"]] += row["blind"]
    said = "; ".join(f"{label}: {count}" for label, count in known.items())
    words = "Tables where a measure tells no objects apart; they are one cluster there, ARI 0"
    return f"{words}: {said}." if said else ""


def summary(
    job: Job, cells: pd.DataFrame, factors: Mapping[str, Factors], coupled: Sequence[str]
) -> Sheet:
    """Mean gain at every level of every factor, and what follows."""
    import pandas as pd

    data, sentences, every = [], [], []
    for experiment, named in factors.items():
        frame = pd.DataFrame(compared(job, experiment, named)).assign(experiment=experiment)
        every.append(frame)
        for factor, name in named.items():
            keys = [factor, "algorithm", "measure", "label"]
            place = {"experiment": experiment, "factor": name}
            for (level, *ids), gain in frame.groupby(keys, sort=False)["gain"].mean().items():
                row = {**place, "level": level, **dict(zip(keys[1:], ids, strict=True))}
                data.append({**row, "gain": float(gain)})
            sentences.append(_trend(frame[frame["measure"].isin(coupled)], named, factor))
    whole = pd.concat(every, ignore_index=True)
    records = whole.to_dict("records")
    shown = [*words(experiment="Picture", factor="Factor"), Column("level", "level")]
    for algorithm, part in whole.groupby("algorithm", sort=False):
        labels = dict(zip(part["measure"], part["label"], strict=True))
        name, where = f"{algorithm} {{}}", {"algorithm": algorithm}
        group = f"{algorithm}: mean gain"
        columns = across("measure", labels, group, name=name, of="gain", digits=3, where=where)
        shown += columns
        rows = [row for row in records if row["algorithm"] == algorithm]
        settings = len(rows) // len(labels)
        sentences.append(f"{algorithm}, gains and losses in {settings} settings: {_counts(rows)}.")
    either = whole[whole["measure"].isin(coupled) & (whole["algorithm"] != "k-means")]
    extremes = [either.loc[either["gain"].idxmax()], either.loc[either["gain"].idxmin()]]
    said = [_place(row, factors[row["experiment"]]) for row in extremes]
    near = whole.groupby("label", sort=False)["agreement"].mean().dropna().items()
    agreed = ", ".join(f"{label} {number(value, 2)}" for label, value in near)
    counts = either["decision"].value_counts()
    caption = (
        f"Of {len(either)} gains of coupled measures with k-modes or Ward "
        f"{counts.get(GAIN, 0)} are decided for the measure and {counts.get(LOSS, 0)} for simple "
        f"matching. The largest mean gain is that of {said[0]}; the largest loss that of {said[1]}."
    )
    if agreed:
        sentences.append(f"Agreement of distances with the true ones (ordered values): {agreed}.")
    what = "when coupled measures gain over simple matching"
    by = ["experiment", "factor", "level"]
    return Sheet.of(job, what, caption, shown, data, by=by, legend=sentences)


def _trend(frame: pd.DataFrame, named: Factors, factor: str) -> str:
    """How the mean gain of coupled measures changes over the levels of a factor."""
    means = frame[frame["algorithm"] != "k-means"].groupby(["algorithm", factor])["gain"].mean()
    parts = []
    for algorithm, gain in means.groupby(level=0):
        first, last = gain.iloc[0], gain.iloc[-1]
        change = "rises" if last - first > CHANGE else "falls" if first - last > CHANGE else "stays"
        levels = [f"{number(value, 3)} ({level:g})" for (_, level), value in gain.items()]
        parts.append(f"{algorithm} {change}: {', '.join(levels)}")
    experiment = frame["experiment"].iloc[0]
    return f"{experiment}, mean gain of coupled measures by {named[factor]}: {'; '.join(parts)}."


def _place(row: Mapping[str, Any], named: Factors) -> str:
    """A gain with its measure, algorithm and setting, in words."""
    setting = ", ".join(f"{name} {row[factor]:g}" for factor, name in named.items())
    return f"{row['label']} with {row['algorithm']}, {number(row['gain'], 2)} ({setting})"
