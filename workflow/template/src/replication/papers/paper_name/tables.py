"""Tables of the paper, one function per kind of artefact."""

from __future__ import annotations

from replication.judge.cells import Ours, counting
from replication.judge.verdicts import Reproduced
from replication.show.sheet import Column, Sheet, judged_cell, words


def accuracy(job, cells) -> Sheet:
    """Printed and reproduced accuracies."""
    rows = job.rows("clusters")
    found = {(row["dataset"], row["measure"]): row["accuracy"] for row in rows}

    def ours(cell, reading) -> Ours:
        value = found.get((cell["dataset_id"], cell["method_id"]))
        return Ours("the data set was not available" if value is None else Reproduced(value))

    data = job.judged(cells, ours)
    columns = [*words(printed_name="Data set"), Column("printed", "printed")]
    columns.append(Column("ours", "ours", of=lambda one: judged_cell(one, 4)))
    shown = ("dataset", "printed_name", "method", "printed", "reproduced", "verdict")
    caption = f"Accuracies: {counting(data)}."
    return Sheet.of(job, "accuracy", caption, columns, data, data_columns=shown, verdicts=data)
