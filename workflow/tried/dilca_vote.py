"""LIN, JACCARD and PEARSON of DILCA on Vote, where both DILCA variants, OF and GOODALL3 are met.

A missing vote is the mode, the mode of its party, yes, no or a value of its own, or the rows with
missing votes are left out. What the other three give under each rule is counted beside it.
"""

import numpy as np
from _search import anew, close, dilca_scores, printed, report, ward

from couplings import (
    CategoricalTable,
    DilcaRR,
    Goodall3,
    Jaccard,
    Lin,
    OccurrenceFrequency,
    Pearson,
)
from replication.judge.verdicts import equals_printed, printed_number

SEARCHED = {"lin": Lin(), "jaccard": Jaccard(), "pearson": Pearson()}
MET = {"dilca_rr": DilcaRR(), "of": OccurrenceFrequency(), "goodall3": Goodall3()}

coded, classes = anew("dilca", "vote", "bins10", missing="value")
votes = np.array([[coded.categories[j][c] for j, c in enumerate(row)] for row in coded.codes])
missing = votes == "?"


def mode(rows: np.ndarray) -> np.ndarray:
    """More frequent answer to each question among some rows; yes, if both are as frequent."""
    yes, no = ((votes[rows] == answer).sum(axis=0) for answer in "yn")
    return np.where(yes >= no, "y", "n")


def fits(method: str, scores: dict[str, float]) -> bool:
    """Whether a partition has the printed NMI and ARI."""
    texts = printed("dilca", "vote", method, "nmi", "ari")
    return all(equals_printed(printed_number(text), scores[m]) for m, text in texts.items())


by_party = np.array([mode(classes == 0), mode(classes == 1)])[classes]
everyone = np.ones(len(votes), dtype=bool)
whole = ~missing.any(axis=1)
rules = {"mode": mode(everyone), "mode of the party": by_party, "yes": "y", "no": "n", "value": "?"}
tables = {name: (np.where(missing, cell, votes), everyone) for name, cell in rules.items()}
tables["rows left out"] = votes[whole], whole

found: dict[str, list] = {method: [] for method in SEARCHED}
for rule, (rows, kept) in tables.items():
    scores = {
        method: dilca_scores(classes[kept], ward(measure, CategoricalTable.from_any(rows), 2))
        for method, measure in (SEARCHED | MET).items()
    }
    met = sum(fits(method, scores[method]) for method in MET)
    for method in SEARCHED:
        found[method].append((f"{rule} (of RR, OF, GOODALL3 fit {met})", scores[method]))
close(
    {
        method: report(method, printed("dilca", "vote", method, "nmi", "ari"), one)
        for method, one in found.items()
    }
)
