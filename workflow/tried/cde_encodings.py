"""0-1P on Hepatitis and IDF on Mammographic, Table 1 of CDE, under other codings and starts.

0-1P of the columns as they are and as z-scores; IDF by five weights, as numbers of an attribute or
as its 0-1 columns, as they are, min-max or z-scores. 500 starts of k-means each; a setting fits
within two standard errors of a mean of 50 runs.
"""

from itertools import product

import numpy as np
from _search import close, mean_score, printed, report, table

from couplings import OneHotPCA
from couplings.cluster.kmeans import kmeans_runs
from couplings.mixed import scaled

STARTS = 500
WEIGHTS = {
    "log n / (1 + f)": lambda n, f: np.log(n / (1 + f)),
    "log n / f": lambda n, f: np.log(n / f),
    "log (1 + n / f)": lambda n, f: np.log(1 + n / f),
    "log n / (1 + f), plus 1": lambda n, f: np.log(n / (1 + f)) + 1,
    "1 - f / n": lambda n, f: 1 - f / n,
}


def searched(method: str, dataset: str, codings: dict[str, np.ndarray], k: int) -> int:
    """Report one cell."""
    found, seeds = [], range(STARTS)
    for (name, rows), start in product(codings.items(), ("plus", "sample")):
        runs = kmeans_runs(rows, k, [np.random.default_rng(seed) for seed in seeds], init=start)
        scores = mean_score("macro_f1", "fscore", classes, runs.labels)
        found.append((f"{name}, start {start}", scores))
    return report(f"{method} on {dataset}", printed("cde", dataset, method, "fscore"), found)


objects, classes = table("cde", "hepatitis", "values")
pca = OneHotPCA().fit(objects).transform(objects)
codings = {"as they are": pca, "z-scores": scaled(pca, "z")}
fitting = {"hepatitis": searched("zero_one_p", "hepatitis", codings, 2)}

objects, classes = table("cde", "mammographic", "values")
codings = {}
for (name, weigh), scale in product(WEIGHTS.items(), ("raw", "minmax", "z")):
    numbers, indicators = [], []
    for codes in objects.codes.T:
        weights = weigh(len(classes), np.bincount(codes))
        numbers.append(weights[codes])
        indicators.append(np.diag(weights)[codes])
    codings[f"{name}, {scale}"] = scaled(np.column_stack(numbers), scale)
    codings[f"{name}, 0-1 columns, {scale}"] = scaled(np.hstack(indicators), scale)
fitting["mammographic"] = searched("idf", "mammographic", codings, 2)
close(fitting)
