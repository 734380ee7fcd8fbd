"""DELTA of DILCA on six data sets by other distances of values, sums and updates of Ward.

Distributions of the other attributes given a value, or of the value given them; total variation,
largest difference or Hellinger distance; with and without the constant 1; the class as a further
attribute or not; ten bins, MDL, missing cells as a value or left out; five sums over attributes,
one of them the plain sum of Ahmad and Dey; Ward's update on distances or on their squares.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from _search import Found, anew, close, dilca_scores, printed, report
from scipy.spatial.distance import squareform

from couplings import CategoricalTable, Ward

WAYS = ("variation", "largest", "hellinger")
SUMS = {
    "sum": lambda cells: np.sum(cells, axis=0),
    "root of squares": lambda cells: np.sqrt(np.sum(np.square(cells), axis=0)),
    "squares": lambda cells: np.sum(np.square(cells), axis=0),
    "roots": lambda cells: np.sum(np.sqrt(cells), axis=0),
    "largest": lambda cells: np.max(cells, axis=0),
}
UPDATES = {"D": "distances", "D2": "squares"}
CODINGS = (("bins10", "impute"), ("mdl", "impute"), ("bins10", "value"), ("bins10", "left out"))


def value_distances(
    table: CategoricalTable, classes: np.ndarray, reverse: bool, way: str, plus: float, out: bool
) -> list[np.ndarray]:
    """Distances of the values of each attribute; `plus` is the constant, `out` leaves ? out."""
    columns = [np.eye(n)[codes] for n, codes in zip(table.n_values, table.codes.T, strict=True)]
    for column, names in zip(columns, table.categories, strict=True):
        column[:, [out and name == "?" for name in names]] = 0
    others = [*columns, np.eye(classes.max() + 1)[classes]] if len(classes) else columns
    found = []
    for j, column in enumerate(columns):
        total = np.zeros((column.shape[1],) * 2)
        for other in (one for o, one in enumerate(others) if o != j):
            counts = column.T @ other
            sums = counts.sum(axis=0 if reverse else 1, keepdims=True)
            shares = counts / np.maximum(sums, 1)
            x, y = shares[:, None], shares[None]
            if way == "variation":
                total += np.abs(x - y).sum(axis=2) / 2
            elif way == "largest":
                total += np.abs(x - y).max(axis=2)
            else:
                total += np.sqrt(((np.sqrt(x) - np.sqrt(y)) ** 2).sum(axis=2) / 2)
        found.append(total / (len(others) - 1) + plus * (1 - np.eye(len(total))))
    return found


def settings(dataset: str) -> Iterator[Found]:
    """Partitions of a data set under all settings, a coding that changes nothing once."""
    seen = set()
    for preparation, missing in CODINGS:
        rule = missing if missing == "impute" else "value"
        table, classes = anew("dilca", dataset, preparation, missing=rule)
        out = missing == "left out" and any("?" in names for names in table.categories)
        if (content := (table.codes.tobytes(), out)) in seen:
            continue
        seen.add(content)
        known = (classes, classes[:0])
        for reverse, way, plus, of in product((False, True), WAYS, (0.0, 1.0), known):
            blocks = value_distances(table, of, reverse, way, plus, out)
            cells = [b[c][:, c] for b, c in zip(blocks, table.codes.T, strict=True)]
            for name, over in SUMS.items():
                condensed = squareform(over(cells), checks=False)
                given = f"{'reversed' if reverse else 'as printed'}, {way}, constant {plus:g}"
                setting = f"{given}, {'with' if len(of) else 'without'} class, {name}"
                coding = f"{preparation}, missing: {missing}"
                for update, word in UPDATES.items():
                    ward = Ward(n_clusters=len(set(classes)), recurrence=update)
                    scores = dilca_scores(classes, ward.fit(condensed).labels_)
                    yield f"{setting}, Ward on {word}, {coding}", scores


fitting = {}
for dataset in ("balloons", "audiology", "soybean", "dermatology", "car", "breast_cancer"):
    texts = printed("dilca", dataset, "delta", "nmi", "ari")
    fitting[dataset] = report(dataset, texts, settings(dataset))
close(fitting)
