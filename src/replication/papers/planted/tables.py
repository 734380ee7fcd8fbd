"""Tables of the planted clusters, one function per kind of artefact."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from replication.run.paired import correct, paired_test
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, number, words

Factors = Mapping[str, str]
"""Names of the factors of an experiment."""
ALGORITHMS = {"kmodes_frequency": "k-modes", "ward_r": "Ward", "kmeans_plus": "k-means"}
ALPHA = 0.05
GAIN, LOSS, UNDECIDED = "gain", "loss", "undecided"
_METHOD = ["algorithm", "measure", "label"]
LOW, CHANGE = 0.1, 0.02
"""ARI below which clusters are hardly found; largest difference of gains that hardly change."""


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
    legend = _legend(data)
    if any(row["agreement"] is not None for row in data):
        of = {"of": "agreement", "digits": 2, "where": {"algorithm": data[0]["algorithm"]}}
        shown += across("measure", labels, "agreement", name="agreement {}", **of)
        legend.append(
            "Agreement: Spearman's correlation of a measure's distances of values with the true "
            "ones, mean over attributes and tables; large is good. Two values have one distance "
            "and no order."
        )
    said = "; ".join(
        f"{algorithm}: {_counts([row for row in data if row['algorithm'] == algorithm])}"
        for algorithm in dict.fromkeys(row["algorithm"] for row in data)
    )
    simple = {tuple(row[key] for key in (*factors, "algorithm")): row["simple"] for row in data}
    return Sheet.of(
        job,
        "gain in ARI over simple matching",
        f"Settings out of {len({tuple(row[name] for name in factors) for row in data})} with a "
        f"decided gain, and with a decided loss. {said}. Simple matching has an ARI below {LOW:g} "
        f"in {sum(ari < LOW for ari in simple.values())} of {len(simple)} settings and algorithms.",
        shown,
        data,
        by=[*factors, "algorithm"],
        legend=legend,
    )


def compared(job: Job, experiment: str, factors: Factors) -> list[dict[str, Any]]:
    """Return one row per setting, algorithm and measure: its gain over simple matching.

    A row has the level of each factor; ``algorithm``, ``measure``, ``label``; ``tables``;
    ``simple`` and ``simple_sd``, ARI of simple matching; ``ari``; ``gain``, its standard deviation
    ``sd`` and standard error ``se``; ``p`` of a paired t-test over the tables and ``p_holm``,
    corrected over all rows; ``decision``; ``agreement``; ``blind``, the number of tables whose
    objects the measure does not tell apart.
    """
    rows: list[dict[str, Any]] = []
    for levels, part in job.ok(experiment).groupby([*factors], sort=False):
        setting = dict(zip(factors, levels, strict=True))
        for algorithm, name in ALGORITHMS.items():
            known = part[part["algorithm"] == algorithm].groupby(["measure", "label"], sort=False)
            # the first measure of each algorithm is simple matching
            (_, simple), *others = [*known] or [(None, part)]
            base = simple["ari"].to_numpy()
            for (measure, label), own in others:
                gain = own["ari"].to_numpy() - base
                p = paired_test(own["ari"].tolist(), base.tolist())["p"]
                near = own["agreement"].mean()
                rows.append(
                    {
                        **setting,
                        **{"algorithm": name, "measure": measure, "label": label},
                        **{"tables": len(gain), "ari": float(own["ari"].mean())},
                        **{"simple": float(base.mean()), "simple_sd": float(base.std(ddof=1))},
                        **{"gain": float(gain.mean()), "sd": float(gain.std(ddof=1))},
                        "se": float(gain.std(ddof=1) / math.sqrt(len(gain))),
                        "p": None if math.isnan(p) else p,
                        "agreement": None if math.isnan(near) else float(near),
                        "blind": int(own["blind"].sum()),
                    }
                )
    correct(rows)
    for row in rows:
        decided = row["p_holm"] is not None and row["p_holm"] < ALPHA
        row["decision"] = (GAIN if row["gain"] > 0 else LOSS) if decided else UNDECIDED
    return rows


def _gain(row: Mapping[str, Any]) -> Cell:
    """Return a gain with its standard error, and a star if it is decided."""
    return Cell(row["gain"], 3, sd=row["se"], sign="" if row["decision"] == UNDECIDED else "*")


def _counts(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the number of decided gains and losses of each measure."""
    known = Counter((row["label"], row["decision"]) for row in rows)
    labels = dict.fromkeys(row["label"] for row in rows)
    return ", ".join(f"{one} {known[one, GAIN]} and {known[one, LOSS]}" for one in labels)


def _legend(data: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines on the gains, and on tables whose objects a measure does not tell apart."""
    first = [row for row in data if row["algorithm"] == data[0]["algorithm"]]
    blind = pd.DataFrame(first).groupby("label", sort=False)["blind"].sum()
    said = "; ".join(f"{label}: {count}" for label, count in blind.items() if count)
    return [
        f"{data[0]['tables']} random tables per setting, the same for all measures. Gain: ARI "
        "minus that of simple matching with the same algorithm on the same table; above 0 is "
        "better.",
        f"*: decided. Paired t-test over the tables, p < {ALPHA:g} after Holm's correction over "
        f"the {len(data)} gains of this picture.",
        "k-modes and k-means: the best of ten starts by the objective. k-means: vectors of "
        "CDE, compared with the 0-1 encoding, which is simple matching.",
        "Tables on which a measure separates no objects, so that they form one cluster (ARI 0): "
        f"{said or 'none'}.",
    ]


def summary(
    job: Job, cells: pd.DataFrame, factors: Mapping[str, Factors], coupled: Sequence[str]
) -> Sheet:
    """Mean gain at every level of every factor, and decided gains and losses."""
    data, every, sentences, trends = [], [], [], []
    for experiment, named in factors.items():
        frame = pd.DataFrame(compared(job, experiment, named)).assign(experiment=experiment)
        every.append(frame)
        for factor, name in named.items():
            means = frame.groupby([factor, *_METHOD], sort=False)["gain"].mean().reset_index()
            means = means.rename(columns={factor: "level"}).to_dict("records")
            data += [{"experiment": experiment, "factor": name, **row} for row in means]
            trends.append(_trend(frame[frame["measure"].isin(coupled)], named, factor))
    whole = pd.concat(every, ignore_index=True)
    shown = [*words(experiment="Picture", factor="Factor"), Column("level", "level")]
    for algorithm, part in whole.groupby("algorithm", sort=False):
        labels = dict(zip(part["measure"], part["label"], strict=True))
        look = {"of": "gain", "digits": 3, "where": {"algorithm": algorithm}}
        group, name = f"{algorithm}: mean gain", f"{algorithm} {{}}"
        shown += across("measure", labels, group, name=name, **look)
        counts = _counts(part.to_dict("records"))
        sentences.append(
            f"{algorithm}, gains and losses in {len(part) // len(labels)} settings: {counts}."
        )
    either = whole[whole["measure"].isin(coupled) & (whole["algorithm"] != "k-means")]
    most, least = (
        _place(row, factors[row["experiment"]])
        for row in (either.loc[either["gain"].idxmax()], either.loc[either["gain"].idxmin()])
    )
    decided = either["decision"].value_counts()
    caption = (
        f"Of {len(either)} gains of coupled measures with k-modes or Ward "
        f"{decided.get(GAIN, 0)} are decided for the measure and {decided.get(LOSS, 0)} for simple "
        f"matching. The largest mean gain is that of {most}; the largest loss that of {least}."
    )
    near = whole.groupby("label", sort=False)["agreement"].mean().dropna().items()
    agreed = ", ".join(f"{label} {number(value, 2)}" for label, value in near)
    if agreed:
        trends.append(f"Agreement of distances with the true ones (ordered values): {agreed}.")
    return Sheet.of(
        job,
        "when coupled measures gain over simple matching",
        caption,
        shown,
        data,
        by=["experiment", "factor", "level"],
        legend=[*sentences, *trends],
    )


def _trend(frame: pd.DataFrame, named: Factors, factor: str) -> str:
    """Line on the mean gain of coupled measures over the levels of a factor."""
    means = frame[frame["algorithm"] != "k-means"].groupby(["algorithm", factor])["gain"].mean()
    parts = []
    for algorithm, gain in means.groupby(level=0):
        most, least = gain.idxmax()[1], gain.idxmin()[1]
        changes = gain.max() - gain.min() > CHANGE
        extent = f"highest at {most:g}, lowest at {least:g}" if changes else "hardly changes"
        levels = [f"{number(value, 3)} ({level:g})" for (_, level), value in gain.items()]
        parts.append(f"{algorithm} {extent}: {', '.join(levels)}")
    return (
        f"{frame['experiment'].iloc[0]}, mean gain of coupled measures by {named[factor]}: "
        f"{'; '.join(parts)}."
    )


def _place(row: Mapping[str, Any], named: Factors) -> str:
    """Return a gain with its measure, algorithm and setting in words."""
    setting = ", ".join(f"{name} {row[factor]:g}" for factor, name in named.items())
    return f"{row['label']} with {row['algorithm']}, {number(row['gain'], 2)} ({setting})"
