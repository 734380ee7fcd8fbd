"""Claims of CASO, section VIII-C: STIRR, LIMBO and CLIMBO on a table of papers.

The table of the paper was never published. The claims are tested on two tables in its place,
papers drawn from dblp and papers of planted communities; where dblp could not be had, on the
second alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replication.claims import (
    CONFIRMED,
    REFUTED,
    ClaimBook,
    Evidence,
    Finding,
    MissingEvidenceError,
    counted,
)
from replication.papers.caso.bibliographic import ATTRIBUTES, METHODS
from replication.papers.caso.tables_bibliographic import (
    CLUSTERS,
    DATASET,
    MAPS,
    METRICS,
    SOURCES,
    over_tables,
    venue_clusters,
)

if TYPE_CHECKING:
    import pandas as pd

BIBLIOGRAPHIC = ClaimBook()

COMPARABLE = 0.05
"""Difference up to which two scores count as comparable."""
MODEST = 0.9
"""Score below which a clustering in two counts as modest."""
LEVEL = 0.05
"""Level of the tests."""


def _sources(evidence: Evidence, names: dict[str, str]) -> dict[str, pd.DataFrame]:
    """Records by source: planted papers, and papers from dblp if they could be had."""
    frames = {}
    for source, name in names.items():
        try:
            frames[source] = evidence.experiment(name)
        except MissingEvidenceError:
            # claims rest on what there is; without any source they are not run
            if source == "planted":
                raise
    return frames


def _mean(frame: pd.DataFrame, attribute: str, method: str, metric: str) -> float:
    return float(over_tables(frame, attribute, method)[metric].mean())


def _percent(frame: pd.DataFrame, attribute: str, metric: str, methods: tuple[str, ...]) -> str:
    return ", ".join(
        f"{METHODS[method]} {100 * _mean(frame, attribute, method, metric):.1f}"
        for method in methods
    )


@BIBLIOGRAPHIC.about("caso-56")
def papers(evidence: Evidence) -> Finding:
    """Numbers of papers, as printed and as drawn."""
    cells = evidence.printed[
        (evidence.printed["artefact"] == "settings") & (evidence.printed["dataset_id"] == DATASET)
    ]
    printed = {row["metric"]: int(row["value"]) for row in cells.to_dict("records")}
    total, database, theory = (
        printed[key] for key in ("papers", "papers_database", "papers_theory")
    )
    drawn = {
        (int(row["papers"]), int(row["papers_database"]))
        for frame in _sources(evidence, CLUSTERS).values()
        for row in frame[["papers", "papers_database"]].drop_duplicates().to_dict("records")
    }
    holds = database + theory == total and drawn == {(total, database)}
    return Finding(
        CONFIRMED if holds else REFUTED,
        f"{database} + {theory} = {database + theory} papers, printed total {total}; the tables "
        "that take the place of the original, which was never published, have "
        f"{' and '.join(f'{n} papers, {d} of databases' for n, d in sorted(drawn))}.",
        f"{database + theory}",
        "table13",
    )


@BIBLIOGRAPHIC.about("caso-57")
def first_authors(evidence: Evidence) -> Finding:
    """CLIMBO as printed first in precision and accuracy, near LIMBO in specificity."""
    held, cases, said = 0, 0, []
    for source, frame in _sources(evidence, CLUSTERS).items():
        mean = {
            (method, metric): _mean(frame, "first_author", method, metric)
            for method in METHODS
            for metric in METRICS
        }
        first = [
            mean["climbo", metric] > max(mean["stirr", metric], mean["limbo", metric])
            for metric in ("precision", "accuracy")
        ]
        near = abs(mean["climbo", "specificity"] - mean["limbo", "specificity"]) <= COMPARABLE
        held, cases = held + sum(first) + near, cases + 3
        scores = "; ".join(
            f"{short} {_percent(frame, 'first_author', metric, tuple(METHODS))}"
            for metric, short in METRICS.items()
        )
        picked = over_tables(frame, "first_author", "climbo")
        said.append(
            f"{SOURCES[source]}: {scores}; CLIMBO as printed leaves {picked['smaller'].mean():.1f} "
            f"of {picked['values'].mean():.0f} authors in its smaller cluster"
        )
    return Finding(
        counted(held, cases),
        f"{held} of {cases} parts hold for CLIMBO as printed (means in percent over the tables). "
        f"{'. '.join(said)}.",
        f"{held}/{cases}",
        "table13",
    )


@BIBLIOGRAPHIC.about("caso-58")
def significance(evidence: Evidence) -> Finding:
    """One-sided paired t-tests over the tables, CLIMBO as printed against the others."""
    held, cases, said = 0, 0, []
    for source, frame in _sources(evidence, CLUSTERS).items():
        parts = []
        for rival in ("stirr", "limbo"):
            for metric in ("precision", "accuracy"):
                ours, theirs = (
                    over_tables(frame, "first_author", method).set_index("draw")[metric]
                    for method in ("climbo", rival)
                )
                p, difference = _larger(ours - theirs)
                held, cases = held + (p < LEVEL), cases + 1
                parts.append(
                    f"{METHODS[rival]} {METRICS[metric]} {100 * difference:+.1f} (p = {p:.2g})"
                )
        said.append(f"{SOURCES[source]}: {', '.join(parts)}")
    return Finding(
        counted(held, cases),
        f"CLIMBO as printed is better at the 95 % level in {held} of {cases} one-sided paired "
        f"t-tests over tables. Differences in percent: {'; '.join(said)}.",
        f"{held}/{cases}",
        "table13",
    )


def _larger(differences: pd.Series) -> tuple[float, float]:
    """One-sided p of the t-test that the mean is above 0, and the mean."""
    from scipy.stats import ttest_1samp

    mean = float(differences.mean())
    if (differences == differences.iloc[0]).all():
        # no spread, no test: the sign decides
        return (0.0 if mean > 0 else 1.0), mean
    return float(ttest_1samp(differences, 0.0, alternative="greater").pvalue), mean


@BIBLIOGRAPHIC.about("caso-59")
def modest_quality(evidence: Evidence) -> Finding:
    """Accuracy with last names and repeated sole authors, and without either."""
    frame = evidence.experiment(CLUSTERS["dblp"], datasets=[DATASET])
    draws = frame[frame["names"] == "full"]["draw"].unique()
    frame = frame[
        (frame["attribute"] == "first_author")
        & (frame["stage"] == "merged")
        & (frame["run"] == 0)
        & frame["draw"].isin(draws)
    ]
    mean = frame.groupby(["method", "names", "sole"])["accuracy"].mean()
    held, cases, said = 0, 0, []
    for method in ("stirr", "limbo", "climbo", "climbo_mass"):
        ours = mean[method, "last", "repeated"]
        full, none = mean[method, "full", "repeated"], mean[method, "last", "none"]
        parts = (ours < MODEST, full > ours, none > ours)
        held, cases = held + sum(parts), cases + len(parts)
        said.append(
            f"{METHODS[method]} {100 * ours:.1f}, with full names {100 * full:.1f}, without the "
            f"repeated authors {100 * none:.1f}, with neither "
            f"{100 * mean[method, 'full', 'none']:.1f}"
        )
    return Finding(
        counted(held, cases),
        f"Mean accuracy in percent over {len(draws)} tables from dblp: {'; '.join(said)}. Counted: "
        f"it is below {100 * MODEST:.0f}, and taking away each of the two causes raises it.",
        f"{held}/{cases}",
        "value_clusters",
    )


@BIBLIOGRAPHIC.about("caso-60")
def venues(evidence: Evidence) -> Finding:
    """Order of the methods by the accuracy of their clusters of venues."""
    maps = _sources(evidence, MAPS)
    held, cases, said = 0, 0, []
    for source, frame in _sources(evidence, CLUSTERS).items():
        limbo, stirr, climbo = (
            _mean(frame, "venue", method, "accuracy") for method in ("limbo", "stirr", "climbo")
        )
        held, cases = held + (climbo > limbo) + (limbo > stirr), cases + 2
        drawn = venue_clusters(maps[source], "climbo")
        said.append(
            f"{SOURCES[source]}: {_percent(frame, 'venue', 'accuracy', tuple(METHODS))}; in the "
            f"figure CLIMBO as printed misplaces {len(drawn.misplaced)} of {len(drawn.venues)} "
            "venues"
        )
    return Finding(
        counted(held, cases),
        f"{held} of {cases} steps of the order CLIMBO as printed, LIMBO, STIRR hold for the mean "
        f"accuracy (percent over the tables). {'. '.join(said)}.",
        f"{held}/{cases}",
        "fig03",
    )


@BIBLIOGRAPHIC.about("caso-61")
def limbo_against_stirr(evidence: Evidence) -> Finding:
    """LIMBO against STIRR in every score on both tasks."""
    held, cases, said = 0, 0, []
    for source, frame in _sources(evidence, CLUSTERS).items():
        for attribute in (ATTRIBUTES[0], "venue"):
            parts = []
            for metric, short in METRICS.items():
                limbo, stirr = (
                    _mean(frame, attribute, method, metric) for method in ("limbo", "stirr")
                )
                held, cases = held + (limbo > stirr), cases + 1
                parts.append(f"{short} {100 * limbo:.1f} against {100 * stirr:.1f}")
            said.append(f"{SOURCES[source]}, {attribute.replace('_', ' ')}: {', '.join(parts)}")
    return Finding(
        counted(held, cases),
        f"LIMBO has the higher mean (percent over the tables) in {held} of {cases} cases. "
        f"{'; '.join(said)}.",
        f"{held}/{cases}",
        "table13",
    )
