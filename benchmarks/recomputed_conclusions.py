"""Recompute the conclusions of the study from its label vectors, with nothing of this project.

    python benchmarks/recomputed_conclusions.py [RUN]

RUN is the folder of a finished `make study` (results/full). Scores, means, tests, corrections and
variants are made anew as docs/study.md describes them. The program ends with 1 if they differ from
`figures/study/conclusions.csv`. It takes some minutes.
"""

import itertools
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from scipy.optimize import linear_sum_assignment
from scipy.stats import false_discovery_control, wilcoxon
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

ROOT = Path(__file__).resolve().parents[1]
STUDY = yaml.safe_load((ROOT / "config/papers/study.yaml").read_text(encoding="utf-8"))
ASKED = STUDY["artefacts"]["conclusions"]["parameters"]
INDICES = ["ari", "nmi_arithmetic", "accuracy", "macro_f1", "purity"]
COMMON = {"kmodes": "k-modes", "spectral": "spectral clustering"}
COMMON |= {"ward": "Ward", "average": "average linkage"}
SIDES = ("first", "second")
LCA, MODES = "latent_classes.latent_classes", "smd.kmodes"
MEAN = "Averaged over measures, {} is better than {}"
SAME = "In none of {} comparisons is a measure better than simple matching with the same algorithm"
NONE = "None of {{}} measures is better than simple matching with {}"
BASE = "{} is better than simple matching with k-modes"
LATENT = "Latent class analysis is better than "
BETTER = {
    ("spectral", "kmodes"): MEAN.format("spectral clustering", "k-modes"),
    ("ward", "kmodes"): MEAN.format("Ward", "k-modes"),
    ("spectral", "average"): MEAN.format("spectral clustering", "average linkage"),
    (LCA, MODES): BASE.format("Latent class analysis"),
    ("cde.kmeans", MODES): BASE.format("CDE, k-means"),
    ("one_hot.kmeans", MODES): BASE.format("0-1, k-means"),
    (LCA, "disc.disc"): LATENT + "DISC",
    (LCA, "coforest.coforest"): LATENT + "COForest",
    (LCA, "hd_ndw.hd_ndw"): LATENT + "HD-NDW",
    (LCA, "harr_v.harr_v"): LATENT + "HARR-V",
    (LCA, "harr_m.harr_m"): LATENT + "HARR-M",
}
KEY = ["conclusion", "index", "correction", "designs", "families", "rope"]


def scores(classes: np.ndarray, labels: np.ndarray) -> list[float]:
    """Five indices; accuracy and F1 by the one-to-one matching of most objects."""
    table = contingency_matrix(labels, classes)
    best = linear_sum_assignment(table, maximize=True)
    f1 = 2 * table[best] / (table.sum(axis=1)[best[0]] + table.sum(axis=0)[best[1]])
    matched = [table[best].sum() / len(labels), f1.sum() / table.shape[1]]
    ari = adjusted_rand_score(classes, labels)
    nmi = normalized_mutual_info_score(classes, labels)
    return [ari, nmi, *matched, table.max(axis=1).sum() / len(labels)]


def cells(run: Path) -> Iterator[tuple]:
    """Scores of all replicates; what is done with missing cells counts on complete rows."""
    for file in sorted((run / "prepared" / "study").glob("*.csv")):
        if not file.stat().st_size:  # the data set was not available
            continue
        data = pd.read_csv(file, dtype=str, keep_default_na=False)
        classes = pd.factorize(data["class_label"].str.strip(), sort=True)[0]
        complete, every = ~data.eq("?").any(axis=1).to_numpy(), np.full(len(data), True)
        for path in sorted((run / "labels" / "study").glob(f"{file.stem}.*.parquet")):
            for one in pd.read_parquet(path).itertuples():
                kept = complete if "missing" in one.setting else every
                found = scores(classes[kept], one.labels[kept])
                method = f"{one.measure or one.algorithm}.{one.algorithm}"
                job = one.job.partition("_")[0]
                yield (file.stem, len(data), job, method, one.setting, *found)


def variants(tables: dict[str, pd.DataFrame], few: set[str]) -> Iterator[tuple]:
    """Tables of scores with and without designed data sets, related ones each or averaged."""
    family = {one: group[0] for group in ASKED["families"] for one in group}
    for index, designs, families in itertools.product(INDICES, ("in", "out"), ("each", "once")):
        table = tables[index]
        if designs == "out":
            table = table.drop(list({*ASKED["designs"], *few}), errors="ignore")
        if families == "once":
            table = table.groupby(lambda name: family.get(name, name)).mean()
        yield (index, designs, families), table


def tests(
    tables: dict[str, pd.DataFrame], few: set[str], pairs: Iterable[tuple[str, str]]
) -> pd.DataFrame:
    """Mean gain of each pair in each variant, and whether its corrected test decides."""
    parts, pairs = [], [pair for pair in pairs if {*pair} <= {*tables["ari"]}]
    for (index, designs, families), table in variants(tables, few):
        gaps = [(table[a] - table[b]).dropna().round(10) for a, b in pairs]
        p = np.array([wilcoxon(g, zero_method="pratt").pvalue if g.any() else 1.0 for g in gaps])
        order = p.argsort()
        steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
        for name, q in (("holm", steps[order.argsort()]), ("fdr_bh", false_discovery_control(p))):
            part = pd.DataFrame({"pair": pairs, "gain": [g.mean() for g in gaps]})
            key = {"index": index, "correction": name, "designs": designs, "families": families}
            parts.append(part.assign(decided=q < 0.05, **key))
    return pd.concat(parts)


def better(found: pd.DataFrame) -> pd.DataFrame:
    """In which variants the first of the pairs of `BETTER` is, by three margins."""
    back = found.assign(pair=found["pair"].map(lambda pair: pair[::-1]), gain=-found["gain"])
    rows = pd.concat([found, back]).merge(pd.DataFrame({"rope": [0.0, 0.01, 0.02]}), how="cross")
    rows = rows.assign(conclusion=rows["pair"].map(BETTER)).dropna()
    rows["holds"] = rows["decided"] & (rows["gain"] > rows["rope"])
    return rows.drop_duplicates(KEY)


def none(found: pd.DataFrame, statement: str, both: bool = False) -> pd.DataFrame:
    """In which variants no pair is decided for its first, or for `both`."""
    said = statement.format(found["pair"].nunique())
    rows = found.assign(holds=found["decided"] & (both | (found["gain"] > 0)))
    return (~rows.groupby(KEY[1:5])["holds"].any()).reset_index().assign(conclusion=said)


def conclude(made: pd.DataFrame) -> pd.DataFrame:
    """Conclusions in all their variants, from scores by `cells`."""
    made[["measure", "algorithm"]] = made["method"].str.split(".", expand=True)
    few = set(made.loc[made["objects"] < 60, "dataset"])
    grid, main = made[made["job"] == "grid"], made[made["job"].isin(["grid", "rivals", "learned"])]
    natural = {measure: name for name, those in ASKED["natural"].items() for measure in those}
    own = main["measure"].map(lambda name: natural.get(name, "kmodes")) == main["algorithm"]
    whole = sorted(set(main.loc[own | (main["job"] != "grid"), "method"]))
    wide = {name: main.pivot_table(name, "dataset", "method") for name in INDICES}
    means = {}
    for name in INDICES:
        each = grid.pivot_table(name, ["dataset", "measure"], "algorithm")[[*COMMON]].dropna()
        means[name] = each.groupby("dataset").mean()
    pairs = [
        (f"{measure}.{algorithm}", f"{base}.{algorithm}")
        for algorithm in (*COMMON, "kmeans")
        for base in ["one_hot" if algorithm == "kmeans" else "smd"]
        for measure in grid["measure"].unique()
        if measure not in ("smd", base)
    ]
    matched = tests(wide, few, pairs)
    parts = [none(matched, SAME)]
    for algorithm, name in (COMMON | {"kmeans": "k-means"}).items():
        ours = matched["pair"].str[1].str.endswith(f".{algorithm}")
        parts.append(none(matched[ours], NONE.format(name)))
    against = tests(wide, few, [(name, to) for to in (LCA, MODES) for name in whole if name != to])
    said = "None of {} methods is better than latent class analysis"
    parts.append(none(against[against["pair"].str[1] == LCA], said))
    parts += [better(tests(means, few, itertools.combinations(COMMON, 2))), better(against)]
    duels = [
        tuple(f"{one[s]}.{one.get(f'{s}_algorithm', one.get('algorithm'))}" for s in SIDES)
        for one in ASKED["duels"]
    ]
    claimed = tests(wide, few, duels)
    plain = ~claimed["pair"].map(lambda pair: any(name.endswith(".rock") for name in pair))
    said = "None of the papers' {} one-to-one comparisons without ROCK is significant"
    return pd.concat([*parts, none(claimed[plain], said, both=True)])


def main() -> int:
    """Print each conclusion, as found here and as published; return 1 if they differ."""
    run = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "results" / "full"
    key = ["dataset", "objects", "job", "method", "setting"]
    made = pd.DataFrame(cells(run), columns=key + INDICES)
    if made.empty:
        sys.exit(f"{run / 'labels' / 'study'}: there are no label vectors; run make study first")
    ours = conclude(made.groupby(key)[INDICES].mean().reset_index())
    theirs = pd.read_csv(ROOT / "figures" / "study" / "conclusions.csv")
    wrong = 0
    for name, rows in ours.groupby("conclusion"):
        printed = theirs[theirs["conclusion"] == name]
        both = rows.fillna({"rope": 0}).merge(printed.fillna({"rope": 0}), on=KEY)
        moved = (both["holds_x"] != both["holds_y"].eq("yes")).sum()
        moved += len(printed) + len(rows) - 2 * len(both)
        words = f"{rows['holds'].sum()} of {len(rows)} variants ({rows['holds'].mean():.0%})"
        said = f"{printed['holds'].eq('yes').sum()} of {len(printed)}"
        print(f"{name}: {words}; published: {said}; {moved} differ")
        wrong += moved
    print(
        f"{ours['conclusion'].nunique()} conclusions from {len(made)} clusterings: {wrong} differ"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
