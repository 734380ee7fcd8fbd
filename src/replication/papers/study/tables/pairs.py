"""Tables of the study that compare pairs of methods, and of the conclusions from all of them."""

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from replication.papers.study.analysis import (
    ALGORITHMS,
    ANCHORS,
    BESIDE,
    COMMON,
    DEFAULT,
    FEW,
    INDICES,
    REFERENCE,
    REFERENCE_VECTORS,
    ROCK,
    STANDARD,
    Natural,
    baseline_line,
    common,
    compared,
    complete,
    labels_of,
    matrix,
    missing,
    names_of,
    natural_lines,
    p_text,
    plural,
    profiles,
    protocol_lines,
    records,
    scored,
    settings,
    whole,
)
from replication.papers.study.statistics import (
    ALPHA,
    FAILS,
    FRAGILE,
    HOLDS,
    ROPE,
    ROPES,
    Choices,
    Conclusion,
    Families,
    Pair,
    Tables,
    better,
    chosen,
    first_by_rank,
    none,
    standing,
)
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, number, words

LEARNING = ("disc", "coforest", "hd_ndw", "harr_v", "harr_m")
"""Methods of 2018 to 2026 that learn a distance with the clusters."""
CHOSEN = "chosen"


def duels(
    job: Job,
    cells: pd.DataFrame,
    *,
    families: Families,
    designs: Sequence[str],
    duels: Sequence[Mapping[str, str]],
) -> Sheet:
    """One-to-one comparisons that the papers claim, under one protocol."""
    found = scored(job)
    claims = {pair_of(duel): duel["claim"] for duel in duels}
    rows, columns = _compared(job, found, claims, designs, families)
    data = [{"claim": claims[row["first"], row["second"]], **row} for row in rows]
    verdicts = [row["verdict"] for row in data]
    kept, lost = verdicts.count("better"), verdicts.count("worse")
    tested = sum(row["p"] is not None for row in data)
    names = names_of(found)
    decided = [row for row in data if row["p"] is not None and row["p"] < ALPHA]
    favour, against = (
        "; ".join(
            f"{names[row['first']]} over {names[row['second']]}"
            for row in decided
            if (row["effect"] > 0) == side
        )
        or "none"
        for side in (True, False)
    )
    return Sheet.of(
        job,
        "claims of superiority under one protocol",
        f"{plural(tested, 'claim')} that a measure of the four papers is better than another "
        f"were tested. After Holm's correction, {kept} hold{'s' if kept == 1 else ''}; for {lost} "
        f"the opposite holds; {tested - kept - lost} are undecided or show no difference. p below "
        f"5 % without correction, for the claim: {favour}. Against the claim: {against}.",
        columns,
        data,
        legend=[
            *pair_legend(len(data)),
            *protocol_lines(job),
            *baseline_line(job, job.datasets),
            *missing(job),
        ],
    )


def anchors(
    job: Job, cells: pd.DataFrame, *, families: Families, designs: Sequence[str], natural: Natural
) -> Sheet:
    """Every whole method against the baselines: latent class analysis, and k-modes."""
    found = whole(scored(job), natural)
    names = names_of(found)
    data, (_, method, baseline, *numbers) = _compared(
        job, found, against_anchors(names), designs, families
    )
    words = [
        f"After Holm's correction, {verdicts.count('better')} of {plural(len(verdicts), 'method')} "
        f"are better than {names[anchor]} and {verdicts.count('worse')} are worse."
        for anchor in ANCHORS
        if (verdicts := [row["verdict"] for row in data if row["second"] == anchor])
    ]
    return Sheet.of(
        job,
        "every method against latent class analysis and k-modes",
        " ".join(words) or "This run computed neither baseline.",
        [replace(baseline, head="Baseline"), replace(method, head="Method"), *numbers],
        data,
        legend=[
            *pair_legend(len(data)),
            *natural_lines(natural, found),
            *_bic_line(job),
            *protocol_lines(job),
            *baseline_line(job, job.datasets),
            *missing(job),
        ],
    )


def _compared(
    job: Job,
    found: pd.DataFrame,
    pairs: Collection[Pair],
    designs: Sequence[str],
    families: Families,
) -> tuple[list[dict[str, Any]], list[Column]]:
    """Return the comparisons of pairs of methods, and columns with their standing in variants."""
    tables = {index: matrix(found, index) for index in INDICES}
    variants = standing(choices_of(job, designs, families).tests(tables, pairs))
    return compared(job, tables["ari"], pairs, families), pair_columns(names_of(found), variants)


def p_column(key: str, head: str, group: str = "p") -> Column:
    """Return a column of p-values."""
    return Column(key, head, group, of=lambda row: p_text(row[key]))


def pair_legend(n: int) -> list[str]:
    """Lines below a table of n compared pairs."""
    return [
        "Two-sided Wilcoxon signed-rank tests over data sets, with zeros by Pratt and Holm's "
        f"correction over the {n} rows. Effect: matched-pairs rank-biserial correlation. Interval: "
        "percentile bootstrap over data sets.",
        "Probabilities: the mean difference over two new data sets like these favours the first, "
        f"is at most {ROPE:g} ARI either way, or favours the second (posterior means of the "
        "Bayesian signed-rank test). *The same in practice*: the interval of the mean difference "
        f"lies within {ROPE:g} ARI either way.",
        "Related sets merged: the same test after related data sets (see the table of data) were "
        "averaged into one.",
        "In variants: number of analyses in which the first is better or worse, over all indices, "
        "corrections and choices of data sets (see the table of conclusions).",
    ]


def pair_columns(names: Mapping[str, str], variants: Mapping[Any, str]) -> list[Column]:
    """Return the columns of compared methods, with the names of both and their variants."""

    def shown(form: str, *keys: str, digits: int) -> Callable[[Mapping[str, Any]], str]:
        """Return the text of some numbers of a row; empty without an interval."""
        return lambda row: (
            "" if row["low"] is None else form.format(*(number(row[key], digits) for key in keys))
        )

    return [
        Column("claim", "Claimed in", text=True),
        Column("first", "First", text=True, of=lambda row: names[row["first"]]),
        Column("second", "Second", text=True, of=lambda row: names[row["second"]]),
        Column("wtl", "win / tie / loss", of="{wins} / {ties} / {losses}".format_map),
        Column(
            "difference",
            "mean difference [95 %]",
            "ARI",
            of=shown("{} [{}, {}]", "mean_difference", "low", "high", digits=3),
        ),
        Column("effect", "effect", digits=2),
        p_column("p", "Wilcoxon"),
        p_column("p_holm", "Holm"),
        p_column("p_merged", "related sets merged"),
        Column(
            "bayes",
            "better / same / worse",
            "probability (two new data sets)",
            of=shown("{} / {} / {}", "better", "same", "worse", digits=2),
        ),
        Column("verdict", "Verdict", text=True),
        Column(
            "variants",
            "better / worse",
            "in variants",
            of=lambda row: variants.get((row["first"], row["second"]), ""),
        ),
    ]


def _bic_line(job: Job) -> list[str]:
    """Line on latent class analysis with the number of classes chosen by BIC."""
    found = records(job, *BESIDE, kind="classes")
    if found.empty:
        return []
    more = found["preferred"] - found["classes"]
    return [
        "All methods are given the number of classes. For latent class analysis, BIC would choose "
        f"the same number on {(more == 0).sum()} of {plural(len(found), 'data set')}, fewer on "
        f"{(more < 0).sum()} and more on {(more > 0).sum()}; its mean ARI would then be "
        f"{number(found['ari'].mean(), 3)}."
    ]


def conclusions(
    job: Job,
    cells: pd.DataFrame,
    *,
    families: Families,
    designs: Sequence[str],
    natural: Natural,
    duels: Sequence[Mapping[str, str]],
) -> Sheet:
    """Share of the variants under which each conclusion holds."""
    every = concluded(job, choices_of(job, designs, families), natural, duels)
    order = (HOLDS, FRAGILE, FAILS)
    found = sorted(filter(None, every), key=lambda one: order.index(one.standing))
    return Sheet.of(
        job,
        "share of the defensible analyses that support each",
        " ".join(one.sentence for one in found) or "Too few data sets in this run.",
        [
            *words(statement="Conclusion"),
            Column("share", "holds in", "variants"),
            Column("variants", "of", "variants"),
            *(Column(name, head, "holds by index in") for name, head in INDICES.items()),
            *words(standing="Standing"),
        ],
        [
            {"conclusion": one.statement, "unit": one.unit, "standing": one.standing, **row}
            for one in found
            for row in one.rows
        ],
        rows=[_row(one) for one in found],
        legend=[
            f"Variants combine {len(INDICES)} indices, two corrections over the comparisons of one "
            "kind (Holm; Benjamini and Hochberg), all data sets or without designed tables and "
            f"those of fewer than {FEW} objects, and related data sets singly or averaged. If one "
            "method is said to be better, they also vary the difference that counts as none: "
            f"{', '.join(f'{x:g}' for x in ROPES)}.",
            "Better, significant: two-sided Wilcoxon signed-rank test over data sets, 5 % after "
            "correction. Holds: in at least nine tenths of the variants. Does not hold: in at most "
            "a tenth. Fragile: in between. A difference that is not significant may still exist.",
            *protocol_lines(job),
            *missing(job),
        ],
        data_columns=[
            *("conclusion", "unit", "standing", "index", "correction", "designs", "families"),
            *("rope", "value", "holds"),
        ],
    )


def _row(one: Conclusion) -> dict[str, Cell | str]:
    """Return the row of a conclusion: its share of variants, over all and by index."""
    rows = pd.DataFrame(one.rows)
    shares = rows["holds"].astype(float).groupby(rows["index"]).mean()
    return {
        **{"statement": one.statement, "standing": one.standing, "variants": str(len(rows))},
        **{name: Cell(float(shares[name]), ".0%") for name in INDICES if name in shares},
        "share": Cell(one.share, ".0%"),
    }


def choices_of(job: Job, designs: Sequence[str], families: Families) -> Choices:
    """Return the choices of the variants; the smallest data sets count as designs."""
    kind = profiles(job)
    return Choices([*designs, *kind.loc[kind["objects"] < FEW, "dataset"]], families)


def concluded(
    job: Job, choices: Choices, natural: Natural, duels: Sequence[Mapping[str, str]]
) -> Iterator[Conclusion | None]:
    """Yield the answer to every question of the study; None if this run cannot answer it."""
    found = scored(job)
    names = names_of(found)
    tables = {index: matrix(found, index) for index in INDICES}

    algorithms = {
        index: common(records(job, "grid"), index).groupby("dataset", sort=False).mean()
        for index in INDICES
    }
    tests = choices.tests(algorithms, itertools.combinations(COMMON, 2))
    for pair in (("spectral", "kmodes"), ("ward", "kmodes"), ("spectral", "average")):
        first, second = (ALGORITHMS[name] for name in pair)
        yield better(tests, pair, f"Averaged over measures, {first} is better than {second}")

    tests = choices.tests(tables, against_simple_matching(job))
    said = " is a measure better than simple matching with the same algorithm"
    yield none(tests, ["better"], "In none of {n} comparisons" + said)
    for name in (*COMMON, "kmeans"):
        part = tests[tests["second"].str.endswith(f".{name}")]
        said = f"None of {{n}} measures is better than simple matching with {ALGORITHMS[name]}"
        yield none(part, ["better"], said)

    kept = whole(found, natural)
    tests = choices.tests(tables, against_anchors(names_of(kept)))
    part = tests[tests["second"] == STANDARD]
    yield none(part, ["better"], "None of {n} methods is better than latent class analysis")
    for method in (STANDARD, "cde.kmeans", "one_hot.kmeans"):
        name = names.get(method, "")
        said = f"{name[:1].upper()}{name[1:]} is better than simple matching with k-modes"
        yield better(tests, (method, DEFAULT), said)
    for method in (f"{name}.{name}" for name in LEARNING):
        said = f"Latent class analysis is better than {names.get(method)}"
        yield better(tests, (STANDARD, method), said)

    tests = choices.tests(tables, [pair_of(duel) for duel in duels])
    rock = tests["first"].str.endswith(ROCK) | tests["second"].str.endswith(ROCK)
    said = "None of the papers' {n} one-to-one comparisons without ROCK is significant"
    yield none(tests[~rock], ["better", "worse"], said)

    blocks: Tables = {index: complete(matrix(kept, index)) for index in INDICES}
    said = "Latent class analysis has the best mean rank of whole methods"
    yield first_by_rank(choices, blocks, STANDARD, said)
    candidates = chosen(choices, {index: complete(table) for index, table in tables.items()})
    defaults = ("one_hot.kmeans", STANDARD)
    tests = choices.tests(candidates, [(CHOSEN, one) for one in defaults])
    said = "Choosing the method of best mean rank on the other data sets is better than "
    for one in defaults:
        yield better(tests, (CHOSEN, one), f"{said}{names.get(one)}")

    for column, said in (
        ("treatment", "The treatment of missing cells changes the mean in none of {n} comparisons"),
        ("bins", "The number of bins changes the mean in none of {n} comparisons"),
    ):
        prepared = {index: settings(job, column, index) for index in INDICES}
        pairs = itertools.combinations(prepared["ari"], 2)
        yield none(choices.tests(prepared, pairs), ["better", "worse"], said)


def against_simple_matching(job: Job) -> list[Pair]:
    """Return pairs of every measure of the grid and simple matching, with each algorithm."""
    reference = {**dict.fromkeys(COMMON, REFERENCE), "kmeans": REFERENCE_VECTORS}
    return [
        (f"{measure}.{algorithm}", f"{second}.{algorithm}")
        for algorithm, second in reference.items()
        for measure in labels_of(records(job, "grid"))
        if measure not in (REFERENCE, second)
    ]


def against_anchors(names: Mapping[str, Any]) -> list[Pair]:
    """Return pairs of every method and each baseline."""
    return [(name, anchor) for anchor in ANCHORS for name in names if name != anchor]


def pair_of(duel: Mapping[str, str]) -> Pair:
    """Return the two methods of a one-to-one comparison, which may share their ``algorithm``."""
    first, second = (
        f"{duel[side]}.{duel.get(f'{side}_algorithm') or duel['algorithm']}"
        for side in ("first", "second")
    )
    return first, second
