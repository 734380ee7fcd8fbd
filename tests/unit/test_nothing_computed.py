"""An artefact none of whose data sets was computed says so, in every paper."""

import json

import pytest
from kit import PAPERS, ROOT

from replication.files import read_rows, rows_text
from replication.judge.published import load, nothing_printed, numbers
from replication.judge.verdicts import NOT_RUN
from replication.plan.configuration import read_yaml
from replication.plan.plan import Plan
from replication.show import figures
from replication.show.job import Job
from replication.show.sheet import build
from replication.show.tables import latex, markdown

CONFIG = read_yaml(ROOT / "config/config.yaml", "config")
CATALOG = Plan.load(CONFIG | {"limits": CONFIG["limits"] | {"datasets": ["person"]}}, ROOT)
ARTEFACTS = [
    (paper, artefact)
    for paper in CATALOG.config["papers"]
    for artefact in CATALOG.artefacts(paper)
    if "experiments" in CATALOG.papers[paper]["artefacts"][artefact]
]
PUBLISHED = {
    paper: load(paper, ROOT / "data/published") if paper in PAPERS else nothing_printed()
    for paper in CATALOG.config["papers"]
}


@pytest.mark.parametrize(("paper", "artefact"), ARTEFACTS)
def test_it_is_a_page_without_numbers(paper, artefact, tmp_path):
    spec = json.loads(CATALOG.spec("table", paper=paper, artefact=artefact)) | {"inputs": []}
    cells = PUBLISHED[paper]
    sheet = build(Job(spec), cells)
    assert sheet.caption.startswith("Not run: ")
    judged = [row["id"] for row in sheet.verdicts]
    assert judged == numbers(cells[cells["artefact"] == artefact])["id"].tolist()
    assert all(row["verdict"] == NOT_RUN for row in sheet.verdicts)
    for write in (markdown, latex):
        assert "not run" in write(sheet).lower()
    if artefact in CATALOG.artefacts(paper, "figure"):
        file = tmp_path / "table.csv"
        file.write_text(rows_text(sheet.data_columns, sheet.data))
        spec = json.loads(CATALOG.spec("figure", paper=paper, artefact=artefact))
        figure, title = figures.draw(spec, read_rows(file))
        assert title.endswith("not run")
        assert figure.get_suptitle() == title
