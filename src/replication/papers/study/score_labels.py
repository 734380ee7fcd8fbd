"""Step `score_labels`: score label vectors from elsewhere, next to the methods of the study.

A Parquet file has one clustering per row: ``dataset``, an id of the study, and ``labels``, a list
with one label per row of the table. Scores of several clusterings of a data set are averaged.
"""

import sys
from functools import cache
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from replication.data.store import read_archive
from replication.errors import UserError, remedy
from replication.files import atomic_write, read_json
from replication.papers.study.cells import SCORES
from replication.papers.study.data import PREPARATION, Prepared, coded
from replication.papers.study.tables.ranking import BASE
from replication.plan.plan import Plan
from replication.run.scores import score
from replication.steps import OK

PAPER = "study"
COLUMNS = ("dataset", "labels")
"""Columns of the file."""
_SHOWN = 10


def run(files: list[Path], /, effort: str = "full", tables: Path | None = None) -> None:
    """Score files of label vectors (Parquet); with --tables, write the study's tables there."""
    if not (files or tables):
        raise UserError("there is no file of label vectors; name one, or give --tables FOLDER")
    catalog = Plan.of_effort(Path(), effort, check=False)
    if tables:
        write_tables(tables, catalog)
    for file in files:
        scores = scores_of(file, catalog)
        print(scores.to_markdown(floatfmt=".3f"), end="\n\n")
        print(among_methods(scores["ari"], file.stem, catalog).to_markdown(floatfmt=".3f"))


def scores_of(file: Path, catalog: Plan) -> pd.DataFrame:
    """Return mean scores by data set, and the number of clusterings.

    Raises `UserError` if the file has another form, or a clustering belongs to another table.
    """
    if not file.is_file():
        raise UserError(f"{file}: there is no such file; correct the path")
    try:
        vectors = pq.read_table(file)
        vectors.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{file}: is no Parquet file ({str(error).splitlines()[0]})") from error
    if missing := [name for name in COLUMNS if name not in vectors.column_names]:
        raise UserError(f"{file}: column {missing[0]!r} is missing; write {' and '.join(COLUMNS)}")
    kind = vectors["labels"].type
    lists = (pa.ListType, pa.LargeListType, pa.FixedSizeListType)
    if not isinstance(kind, lists) or pa.types.is_nested(kind.value_type):
        raise UserError(f"{file}: 'labels' holds no lists; write one list of labels per clustering")
    if not vectors.num_rows:
        raise UserError(f"{file}: has no rows; write one row per clustering")
    if more := [name for name in vectors.column_names if name not in COLUMNS]:
        print(
            f"note: {file}: {', '.join(more)[:200]}: not read; all rows of a data set are taken "
            "for one method, whose mean is shown",
            file=sys.stderr,
        )
    known = catalog.computed(PAPER)
    classes = cache(lambda dataset: table_of(catalog, dataset).classes)
    rows = []
    for i, (name, labels) in enumerate(zip(*(vectors[key] for key in COLUMNS), strict=True), 1):
        dataset = name.as_py()
        if dataset not in known:
            raise UserError(
                f"{file}: row {i}: unknown data set {dataset!r}; {remedy(dataset, known)}"
            )
        size = len(classes(dataset))
        given = labels.values.to_pandas() if labels.is_valid else pd.Series(dtype=object)
        clusters = pd.factorize(given.where(given != "", None))[0]
        # an empty label has the code -1
        if len(clusters) != size or clusters.min() < 0:
            raise UserError(
                f"{file}: row {i} ({dataset}): must have one label for each of the {size} rows of "
                f"the table, has {len(clusters)} or leaves some empty"
            )
        scores = score(classes(dataset), clusters, SCORES)
        rows.append({"dataset": dataset, "clusterings": 1, **scores})
    means = dict.fromkeys(SCORES, "mean")
    return pd.DataFrame(rows).groupby("dataset", sort=False).agg({"clusterings": "sum", **means})


def among_methods(ours: pd.Series, name: str, catalog: Plan) -> pd.DataFrame:
    """Rank our mean ARI by data set among the study's methods that have all of these data sets.

    The result holds method, mean rank and mean ARI by place, of the best methods and ours.
    """
    file = catalog.file("table", paper=PAPER, artefact="leaderboard")
    table = pd.read_csv(file, keep_default_na=False, na_values=[""])
    table = table[(table["algorithm"] != BASE) & table["dataset"].isin(ours.index)]
    scores = table.pivot_table("ari", "dataset", ["label", "algorithm"]).dropna(axis=1)
    scores[name, ""] = ours
    means = pd.DataFrame(
        {"rank": scores.rank(axis=1, ascending=False).mean(), "ari": scores.mean()}
    )
    means = means.sort_values("rank", kind="stable").reset_index()
    means.index = pd.RangeIndex(1, len(means) + 1, name="place")
    return means[(means.index <= _SHOWN) | (means["label"] == name)]


def table_of(catalog: Plan, dataset: str) -> Prepared:
    """Return a data set in the form that the methods of the study get, in the order of the file."""
    files = [Path(catalog.file(name, paper=PAPER, dataset=dataset)) for name in ("facts", "tables")]
    if missing := [file for file in files if not file.is_file()]:
        raise UserError(f"{missing[0]}: there is no such file; `python tools/score.py` makes it")
    facts = read_json(files[0], "status", "reason")
    if facts["status"] != OK:
        raise UserError(f"{dataset}: {facts['reason']}")
    tables = read_archive(files[1], PREPARATION)
    given = catalog.papers[PAPER]["experiments"]["profiles"]["parameters"]
    table, labels, numeric = tables.tables[0], tables.labels[0], facts["numeric"]
    return coded(table, labels, numeric, given["missing"], given["bins"])


def write_tables(folder: Path, catalog: Plan) -> None:
    """Write the tables of the study as Parquet: a column of texts per attribute, no classes."""
    for dataset in catalog.computed(PAPER):
        try:
            made = table_of(catalog, dataset)
        except UserError as error:
            print(error)
            continue
        frame = made.table.to_pandas().astype(object)
        with atomic_write(folder / f"{dataset}.parquet") as partial:
            frame.to_parquet(partial, index=False)
        print(f"{folder / dataset}.parquet: {len(frame)} rows, {made.n_classes} clusters")
