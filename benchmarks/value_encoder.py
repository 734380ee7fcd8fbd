"""Few labels: ValueEncoder beside other encoders, before linear models, neighbours and trees.

python benchmarks/value_encoder.py [--write]

The protocol is benchmarks/value_encoder.json; its SHA-256 is the first line that is printed. With
--write the tables of docs/value-encoder.md are changed. Wants data/raw (any run of the workflow),
and skrub; without it that encoder is left out.
"""

import argparse
import hashlib
import json
import warnings
from pathlib import Path

import learned_distances as common
import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import OneHotEncoder, TargetEncoder

from couplings.value_encoder import ValueEncoder

PROTOCOL = Path(__file__).with_suffix(".json")
RAW = common.ROOT / "data/raw"


def data_sets(rules):
    """Name, table and classes of every data set that takes part."""
    raw = {path.parent.name: path for path in sorted(RAW.glob("*/table.csv"))}
    bundled = common.bundled()
    for name in sorted({*bundled, *raw}):
        if name in bundled:
            frame, classes = common.read(name, rules["max_rows"])
        else:
            frame, classes = common.prepared(
                pd.read_csv(raw[name], dtype=str, keep_default_na=False), name, rules["max_rows"]
            )
        kept = np.bincount(classes)[classes] >= 5
        frame, classes = frame[kept].reset_index(drop=True), classes[kept]
        enough = len(frame) >= rules["min_rows"] and frame.shape[1] >= 3
        if enough and len(np.unique(classes)) > 1:
            yield name, frame, classes


def encoders(rules):
    """Name -> function of (rows that are not tested, all rows): those without a target."""

    def unsupervised(make):
        return lambda pool, rows: make().fit(pool).transform(rows)

    def count(pool, rows):
        shares = [rows[name].map(pool[name].value_counts(normalize=True)) for name in rows]
        return np.nan_to_num(np.column_stack(shares))

    found = {
        "one_hot": unsupervised(
            lambda: OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        ),
        "count": count,
        "simple_matching": unsupervised(lambda: ValueEncoder("simple_matching")),
        "value_encoder": unsupervised(lambda: ValueEncoder(**rules["value_encoder"])),
    }
    try:
        from skrub import StringEncoder
    except ImportError:
        return found

    def strings(pool, rows):
        parts = []
        for name in rows:
            size = min(10, pool[name].nunique())
            encoder = StringEncoder(n_components=size, random_state=rules["seed"])
            encoder.fit(pool[name])
            parts.append(np.asarray(encoder.transform(rows[name])))
        return np.hstack(parts)

    return {**found, "skrub_string": strings}


def models(rules, labels):
    return {
        "linear": LogisticRegression(C=1, max_iter=1000),
        "neighbours": KNeighborsClassifier(min(5, labels), weights="distance"),
        "trees": ExtraTreesClassifier(50, random_state=rules["seed"]),
    }


def drawn(rng, pool, classes, labels):
    """Rows with labels: one of each class, the others at random; None if there are too few."""
    order = rng.permutation(pool)
    _, first = np.unique(classes[order], return_index=True)
    if len(first) > labels or len(first) < len(np.unique(classes)) or labels > len(pool):
        return None
    rest = np.delete(order, first)
    return np.concatenate([order[first], rest[: labels - len(first)]])


def measured(rules):
    """One row per data set, split, number of labels, encoder and model."""
    rows = []
    made = encoders(rules)
    for name, frame, classes in data_sets(rules):
        rng = np.random.default_rng(rules["seed"])
        for split in range(rules["splits"]):
            order = rng.permutation(len(frame))
            tested = order[: int(rules["test_share"] * len(frame))]
            pool = order[len(tested) :]
            columns = {one: encode(frame.iloc[pool], frame) for one, encode in made.items()}
            for labels in rules["labels"]:
                labelled = drawn(rng, pool, classes, labels)
                if labelled is None:
                    continue
                target = TargetEncoder(cv=2, random_state=rules["seed"])
                target.fit(frame.iloc[labelled], classes[labelled])
                for encoder, X in {**columns, "target": target.transform(frame)}.items():
                    scale = np.sqrt(X[pool].var(axis=0).sum() / frame.shape[1])
                    scale = scale if scale > 0 else 1.0
                    for model, estimator in models(rules, labels).items():
                        given = X / scale
                        estimator.fit(given[labelled], classes[labelled])
                        score = estimator.score(given[tested], classes[tested])
                        rows.append((name, split, labels, encoder, model, score))
        print(name, frame.shape, flush=True)
    columns = ["data set", "split", "labels", "encoder", "model", "accuracy"]
    return pd.DataFrame(rows, columns=columns)


def summary(found, rules):
    """Mean accuracy of every encoder, and wins and losses of ours against one-hot."""
    means = found.pivot_table("accuracy", ["model", "labels", "data set"], "encoder")
    rows = []
    for (model, labels), part in means.groupby(level=["model", "labels"]):
        gap = part["value_encoder"] - part[rules["compared_with"]]
        row = {"model": model, "labels": labels, "data sets": len(part)}
        row |= {name: f"{part[name].mean():.3f}" for name in rules["encoders"] if name in part}
        row["wins"], row["losses"] = int((gap > 0.005).sum()), int((gap < -0.005).sum())
        rows.append(row)
    return pd.DataFrame(rows)


def by_data_set(found, rules):
    """Gain of ours over one-hot, before the linear model, per data set and number of labels."""
    linear = found[found["model"] == "linear"]
    means = linear.pivot_table("accuracy", ["data set"], ["encoder", "labels"])
    gap = means["value_encoder"] - means[rules["compared_with"]]
    table = gap.map(lambda x: "" if pd.isna(x) else f"{x:+.3f}")
    return table.rename_axis(columns=None).reset_index()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="change the page")
    args = parser.parse_args()
    digest = hashlib.sha256(PROTOCOL.read_bytes()).hexdigest()
    print(f"protocol {PROTOCOL.name}, SHA-256 {digest}")
    rules = json.loads(PROTOCOL.read_text(encoding="utf-8"))
    warnings.simplefilter("ignore")  # classes that a split has too few of, iterations
    found = measured(rules)
    common.PAGE = common.ROOT / "docs/value-encoder.md"
    parts = {"protocol": f"`{digest}`", "summary": common.markdown(summary(found, rules))}
    for part, text in {**parts, "gains": common.markdown(by_data_set(found, rules))}.items():
        print(text)
        if args.write:
            common.write(part, text)


if __name__ == "__main__":
    main()
