"""Learned distances in other people's tools: the tables of docs/distances-elsewhere.md.

python benchmarks/learned_distances.py PART ... [--write]
python benchmarks/learned_distances.py --write        # embedding, foreign and imputation

Parts: `embedding` (which measures have exact columns), `foreign` (estimators of scikit-learn and
UMAP on the distances and columns of several measures), `imputation` (hidden cells by nearest
neighbours, beside the mode), `coverage` (of the intervals of value distances), `neighbours` (a
million objects through an approximate index; wants `pip install pynndescent`). With --write the
page and its picture are changed, otherwise the tables are printed. Data: data/bundled; every
different entry is a value, `?` too.
"""

import argparse
import re
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from couplings import (
    CategoricalTable,
    CooccurrenceCounts,
    MixedDistance,
    measure_from,
    measure_names,
)
from couplings.intervals import value_intervals

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/distances-elsewhere.md"
OTHERS = ROOT / "benchmarks/LEARNED_DISTANCES.md"
PICTURE = ROOT / "docs/_static/foreign.svg"
# Columns of classes that are not called "class".
CLASSES = {
    "amphibians": "green_frogs",
    "auction_verification": "verification_result",
    "balloons": "inflated",
    "bank_marketing": "y",
    "cmc": "contraceptive_method",
    "letter_recognition": "lettr",
    "mammographic_masses": "severity",
    "obesity": "nobeyesdad",
    "post_operative": "decision",
    "spect": "overall_diagnosis",
    "tae": "rating",
    "titanic": "survived",
    "zoo": "type",
}
FOREIGN = ("zoo", "house_votes", "mushroom")
MEASURES = ("simple_matching", "goodall1", "ahmad_dey", "dilca_rr", "cado", "caso_distance", "cde")


def read(name, most=None):
    """Table and classes of a bundled data set: columns of 2 to 40 values, evenly spaced rows."""
    frame = pd.read_csv(ROOT / f"data/bundled/{name}.csv.xz", dtype=str, keep_default_na=False)
    return prepared(frame, name, most)


def prepared(frame, name, most=None):
    """Table and classes of a data set, from its file."""
    target = CLASSES.get(name, "class")
    classes = frame.pop(target) if target in frame else pd.Series("", frame.index)
    frame = frame.drop(columns="part", errors="ignore")  # the file a row comes from
    if most is not None and len(frame) > most:
        rows = np.linspace(0, len(frame) - 1, most).astype(int)
        frame, classes = frame.iloc[rows], classes.iloc[rows]
    frame = frame.loc[:, frame.nunique().between(2, 40)].reset_index(drop=True)
    return frame, np.unique(classes, return_inverse=True)[1]


def bundled():
    """The bundled data sets that have all their rows, and enough columns."""
    origins = pd.read_csv(ROOT / "data/bundled/ORIGINS.csv").query("relation != 'complete rows'")
    return [name for name in sorted(origins["dataset"]) if read(name)[0].shape[1] > 2]


def made(name, **parameters):
    measure = measure_from(name, **parameters)
    if "random_state" in measure.get_params():
        measure.set_params(random_state=0)
    return measure


# --- the exact embedding ------------------------------------------------------------------------


def embedding(names=None, measures=None):
    """Measures with columns: what they are exact for, on how many data sets, what is cut off."""
    tables = {name: CategoricalTable.from_any(read(name, 2000)[0]) for name in names or bundled()}
    rows = []
    for name in measures or measure_names():
        if name == "coupled_mixed" or not hasattr(made(name), "transform"):
            continue
        defects, columns = [], []
        for table in tables.values():
            fitted = made(name).fit(table)
            defects.append(fitted.embedding_defect_)
            columns.append(fitted.transform(table.take([0])).shape[1] / table.n_values.sum())
        link = {
            "sum": "D",
            "rss": "D squared",
            "jaccard": "number of mismatches",
            "inverse": "1 - mean similarity",
        }[fitted.space_.link]
        rows.append(
            {
                "measure": f"`{name}`",
                "squared Euclidean distance": link,
                "exact on": f"{sum(d == 0 for d in defects)} of {len(defects)}",
                "largest share cut off": "0" if max(defects) == 0 else f"{max(defects):.1e}",
                "columns per value": f"{np.mean(columns):.2f}",
            }
        )
    return pd.DataFrame(rows)


# --- estimators of others -----------------------------------------------------------------------


def estimators():
    """Name, what it is given ("D" distances, "X" columns), and the score it gets."""
    from sklearn import cluster, ensemble, impute, linear_model, manifold, metrics, neighbors, svm
    from sklearn.model_selection import cross_val_score

    def ari(make):
        def score(data, y):
            return metrics.adjusted_rand_score(y, make(data, y).fit_predict(data))

        return score

    def accuracy(make):
        return lambda data, y: cross_val_score(make(), data, y, cv=3).mean()

    def trust(make):
        def score(data, y):
            flat = make().fit_transform(data)
            return manifold.trustworthiness(data, flat, metric="precomputed")

        return score

    def alike(data, y):
        found = neighbors.NearestNeighbors(n_neighbors=6, metric="precomputed").fit(data)
        return (y[found.kneighbors(return_distance=False)] == y[:, None]).mean()

    def odd(data, y):
        rng = np.random.default_rng(0)
        shuffled = np.column_stack([rng.permutation(column)[:30] for column in data.T])
        forest = ensemble.IsolationForest(random_state=0).fit(data)
        both = forest.score_samples(np.vstack([data, shuffled]))
        return metrics.roc_auc_score(np.repeat([1, 0], [len(data), len(shuffled)]), both)

    def filled(data, y):
        rng = np.random.default_rng(0)
        holes = rng.random(data.shape) < 0.1
        found = impute.KNNImputer().fit_transform(np.where(holes, np.nan, data))
        if found.shape != data.shape:
            return np.nan
        return 1 - ((found - data)[holes] ** 2).sum() / ((data - data.mean(0))[holes] ** 2).sum()

    def k(y):
        return len(np.unique(y))

    def eps(data):
        return float(np.quantile(np.partition(data, 5, axis=1)[:, 5], 0.9)) or 1e-9

    def spectral(data, y):
        near = np.exp(-data / data.mean())
        return metrics.adjusted_rand_score(
            y, cluster.SpectralClustering(k(y), affinity="precomputed", random_state=0)
            .fit_predict(near)
        )  # fmt: skip

    def silhouette(data, y):
        return metrics.silhouette_score(data, y, metric="precomputed")

    def logistic():
        return linear_model.LogisticRegression(max_iter=999)

    found = [
        ("KMeans", "X", ari(lambda d, y: cluster.KMeans(k(y), n_init=10, random_state=0))),
        (
            "AgglomerativeClustering",
            "D",
            ari(
                lambda d, y: cluster.AgglomerativeClustering(
                    k(y), metric="precomputed", linkage="average"
                )
            ),
        ),
        ("DBSCAN", "D", ari(lambda d, y: cluster.DBSCAN(eps=eps(d), metric="precomputed"))),
        ("OPTICS", "D", ari(lambda d, y: cluster.OPTICS(min_samples=5, metric="precomputed"))),
        ("HDBSCAN", "D", ari(lambda d, y: cluster.HDBSCAN(metric="precomputed", copy=True))),
        ("SpectralClustering", "D", spectral),
        ("silhouette_score", "D", silhouette),
        ("NearestNeighbors", "D", alike),
        ("KNeighborsClassifier", "X", accuracy(neighbors.KNeighborsClassifier)),
        (
            "LogisticRegression",
            "X",
            accuracy(logistic),
        ),
        ("SVC", "X", accuracy(svm.SVC)),
        ("IsolationForest", "X", odd),
        ("KNNImputer", "X", filled),
        (
            "TSNE",
            "D",
            trust(
                lambda: manifold.TSNE(
                    metric="precomputed", init="random", random_state=0, max_iter=500
                )
            ),
        ),
        (
            "MDS",
            "D",
            trust(
                lambda: manifold.MDS(
                    metric="precomputed", n_init=1, max_iter=100, random_state=0, init="random"
                )
            ),
        ),
    ]
    try:
        import umap
    except ImportError:
        return found
    return [*found, ("UMAP", "D", trust(lambda: umap.UMAP(metric="precomputed", random_state=0)))]


SCORES = {
    "ARI": (
        *("KMeans", "AgglomerativeClustering", "DBSCAN", "OPTICS", "HDBSCAN"),
        "SpectralClustering",
    ),
    "accuracy, 3 folds": ("KNeighborsClassifier", "LogisticRegression", "SVC"),
    "silhouette of the classes": ("silhouette_score",),
    "share of 6 neighbours of the same class": ("NearestNeighbors",),
    "AUC against shuffled rows": ("IsolationForest",),
    "R squared of hidden entries": ("KNNImputer",),
    "trustworthiness": ("TSNE", "MDS", "UMAP"),
}


def foreign(names=FOREIGN, measures=MEASURES, most=250):
    """Mean score of every estimator with every measure over the data sets."""
    scores = {}
    for name in names:
        frame, y = read(name, most)
        for measure_name in measures:
            measure = made(measure_name).fit(frame)
            given = {"D": measure.pairwise(frame), "X": measure.transform(frame)}
            for estimator, takes, score in estimators():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # iterations, and defaults about to change
                    scores.setdefault((estimator, measure_name), []).append(
                        float(score(given[takes].copy(), y))
                    )
    means = {
        estimator: {one: np.mean(scores[estimator, one]) for one in measures}
        for estimator, _, _ in estimators()
    }
    table = pd.DataFrame.from_dict(means, orient="index")
    of = {name: kind for kind, group in SCORES.items() for name in group}
    table.insert(0, "score", [of[name] for name in table.index])
    table.index.name = "estimator"
    return table.reset_index()


def draw(table):
    """Heat map of the foreign estimators; colours compare the measures of one row."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "couplings"
    import matplotlib.pyplot as plt

    values = table.drop(columns=["estimator", "score"])
    low, high = values.min(axis=1), values.max(axis=1)
    shade = values.sub(low, axis=0).div((high - low).where(high > low, 1), axis=0)
    fig, ax = plt.subplots(figsize=(9, 6.5), layout="constrained")
    ax.imshow(shade, cmap="Blues", vmin=0, vmax=1.4, aspect="auto")
    for (i, j), value in np.ndenumerate(values.to_numpy()):
        ax.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=9)
    ax.set_xticks(range(values.shape[1]), values.columns)
    ax.set_yticks(range(len(table)), table["estimator"])
    ax.xaxis.tick_top()
    ax.set_title("Estimators of others on learned distances (darker: better in its row)", pad=12)
    fig.savefig(PICTURE, metadata={"Date": None})
    plt.close(fig)


# --- hidden cells -------------------------------------------------------------------------------

IMPUTERS = ("simple_matching", "dilca_rr", "ahmad_dey")


def imputed(frame, holes, measure, k=15):
    """Fill the holes of a table by the nearest objects that have the cell; returns the labels."""
    hidden = frame.mask(holes)
    distance = MixedDistance(measure, missing="ignore").fit(hidden)
    gaps, near = distance.kneighbors(n_neighbors=min(4 * k, len(frame) - 1))
    found = hidden.copy()
    for j, name in enumerate(frame.columns):
        column, labels = pd.factorize(hidden[name])
        rows = np.flatnonzero(holes[:, j])
        codes = column[near[rows]]
        # the k nearest that have the cell
        usable = (codes >= 0) & (np.cumsum(codes >= 0, axis=1) <= k)
        votes = np.zeros((len(rows), len(labels)))
        weight = 1 / (gaps[rows] + 1e-6)
        at, of = np.nonzero(usable)
        np.add.at(votes, (at, codes[at, of]), weight[at, of])
        votes += np.bincount(column[column >= 0], minlength=len(labels)) * 1e-12
        found.iloc[rows, j] = np.asarray(labels)[votes.argmax(axis=1)]
    return found


def imputation(names=None, measures=IMPUTERS, share=0.1, most=1500):
    """Share of hidden cells that are filled in rightly."""
    rows = []
    for name in names or bundled():
        frame, _ = read(name, most)
        holes = np.random.default_rng(0).random(frame.shape) < share
        holes[:, frame.mask(holes).nunique() < 2] = False
        hidden = frame.mask(holes)
        mode = hidden.mode().iloc[0]
        row = {"data set": name, "objects": len(frame), "attributes": frame.shape[1]}
        truth = frame.to_numpy()[holes]
        row["mode"] = (np.broadcast_to(mode.to_numpy(), frame.shape)[holes] == truth).mean()
        for measure in measures:
            row[measure] = (imputed(frame, holes, measure).to_numpy()[holes] == truth).mean()
        rows.append(row)
    table = pd.DataFrame(rows)
    beaten = {name: int((table[name] > table["mode"]).sum()) for name in measures}
    last = {"data set": "**beats the mode on**", "objects": "", "attributes": "", "mode": ""}
    return pd.concat(
        [table, pd.DataFrame([{**last, **{m: f"{n} of {len(table)}" for m, n in beaten.items()}}])]
    )


# --- coverage of intervals ----------------------------------------------------------------------


def planted(rng, n, classes=3, attributes=6, values=4, peaked=0.5):
    """Exact counts of a latent class model (of 10**9 objects), and n objects of it."""
    share = rng.dirichlet(np.full(classes, 5.0))
    chance = rng.dirichlet(np.full(values, peaked), size=(attributes, classes))
    joint = np.einsum("c,acx,bcy->axby", share, chance, chance)
    for a in range(attributes):
        joint[a, :, a] = np.diag(share @ chance[a])
    size = attributes * values
    counts = np.rint(joint.reshape(size, size) * 1e9).astype(np.int64)
    of = rng.choice(classes, n, p=share)
    below = rng.random((n, attributes, 1)) > chance.cumsum(axis=2).swapaxes(0, 1)[of]
    codes = np.minimum(below.sum(axis=2), values - 1)
    return CooccurrenceCounts(counts, np.arange(attributes + 1) * values, 10**9), codes


PLANTED = ("ahmad_dey", "dilca_m", "dilca_rr", "hd")


def coverage(tables=40, replicates=200, sizes=(300, 1000, 10_000), measures=PLANTED):
    """Share of 95 % intervals of value distances that cover those of the exact counts."""
    rows = []
    for name in measures:
        row = {"measure": f"`{name}`"}
        for n in sizes:
            rng, hits = np.random.default_rng(1), []
            for _ in range(tables):
                counts, codes = planted(rng, n)
                true = made(name).fit(counts)
                table = CategoricalTable.from_codes(codes, np.diff(counts.offsets))
                found = value_intervals(made(name), table, replicates, rng)
                for j, attribute in enumerate(table.attributes):
                    pairs = found.pairs(attribute)
                    pairs = pairs[pairs["seen"] >= 0.95]
                    exact = true.value_distances(j).to_numpy()
                    at = pairs[["value", "other"]].astype(int).to_numpy().T
                    hits.append(pairs["low"].le(exact[*at]) & pairs["high"].ge(exact[*at]))
            row[f"{n:,} objects"] = f"{np.concatenate(hits).mean():.1%}"
        rows.append(row)
    return pd.DataFrame(rows)


# --- a million objects --------------------------------------------------------------------------


def neighbours(n=1_000_000, k=10):
    """Seconds of every step from a million objects to their approximate neighbours."""
    from pynndescent import NNDescent

    frame, _ = read("mushroom")
    table = CategoricalTable.from_any(frame)
    rng = np.random.default_rng(0)
    codes = table.codes[rng.integers(0, table.n_objects, n)]
    # One cell in twenty is drawn anew, so that hardly two objects are equal.
    for j, size in enumerate(table.n_values):
        anew = rng.random(n) < 0.05
        codes[anew, j] = rng.integers(0, size, anew.sum())
    table = CategoricalTable.from_codes(codes, table.n_values)
    few = table.take(np.arange(5000))  # compiles
    NNDescent(made("dilca_rr").fit(few).transform(few, dtype=np.float32), n_neighbors=k)
    made("dilca_rr").fit(few).kneighbors(few, k)
    rows = []

    def timed(what, work):
        start, cpu = time.perf_counter(), time.process_time()
        result = work()
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        rows.append({"step": what, "seconds": f"{wall:.1f}", "CPU seconds": f"{cpu:.1f}"})
        return result

    size = f"{n:,} x {table.n_attributes}"
    measure = timed(f"fit DILCA_RR, {size}", lambda: made("dilca_rr").fit(table))
    columns = timed("transform", lambda: measure.transform(table, dtype=np.float32))
    rows[-1]["step"] += f", {columns.shape[1]} columns"
    index = timed(
        f"pynndescent, {k} neighbours of all",
        lambda: NNDescent(columns, n_neighbors=k, n_trees=4, n_iters=3, n_jobs=-1, random_state=0),
    )
    found, _ = index.neighbor_graph
    sample = rng.choice(n, 200, replace=False)
    exact = timed(
        "exact neighbours of 200 of them, by kneighbors",
        lambda: measure.kneighbors(table.take(sample), k),
    )[0]
    gaps = ((columns[sample, None] - columns[found[sample]]) ** 2).sum(axis=2)
    reached = (np.sqrt(gaps) <= exact[:, -1:] * (1 + 1e-4)).mean()
    last = "share of the neighbours that are as near as the exact ones"
    rows.append({"step": last, "seconds": f"{reached:.2f}", "CPU seconds": ""})
    return pd.DataFrame(rows)


# --- the page -----------------------------------------------------------------------------------

PARTS = {"embedding": embedding, "foreign": foreign, "imputation": imputation,
         "coverage": coverage, "neighbours": neighbours}  # fmt: skip


def markdown(table):
    """Table as Markdown, numbers with two digits."""
    cells = [[f"{x:.2f}" if isinstance(x, float) else str(x) for x in row] for row in
             table.itertuples(index=False)]  # fmt: skip
    head = [list(map(str, table.columns)), ["---"] * table.shape[1]]
    return "\n".join("| " + " | ".join(row) + " |" for row in [*head, *cells])


def write(part, text):
    """Put a table between its marks on the page that has them."""
    marks = rf"(<!-- {part} -->\n).*?(<!-- end -->)"
    for path in (PAGE, OTHERS):
        page = path.read_text(encoding="utf-8")
        page = re.sub(marks, lambda m: f"{m[1]}{text}\n{m[2]}", page, count=1, flags=re.S)
        path.write_text(page, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: the first three")
    parser.add_argument("--write", action="store_true", help="change the page and its picture")
    args = parser.parse_args()
    for part in args.parts or list(PARTS)[:3]:
        table = PARTS[part]()
        text = markdown(table)
        print(text, flush=True)
        if args.write:
            write(part, text)
            if part == "foreign":
                draw(table)


if __name__ == "__main__":
    main()
