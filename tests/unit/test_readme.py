"""README, article and questions to the authors: their code, their words and their evidence."""

import re
import textwrap

import article
import pytest
import texts
import yaml
from kit import PAPERS, ROOT

from couplings import recommend
from replication.errors import UserError
from replication.files import read_rows
from replication.text import checks

PACKAGE = ROOT / "src/couplings/README.md"
BLOCKS = [
    pytest.param(textwrap.dedent(code), id=f"{path.parent.name}-{path.stem}-{i}")
    for path in [ROOT / "README.md", PACKAGE, *sorted((ROOT / "docs").rglob("*.md"))]
    for i, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.S))
]


@pytest.mark.parametrize("code", BLOCKS)
def test_block_runs(code, tmp_path, monkeypatch):
    for name in ("gower", "kmodes", "prince"):  # their code stands beside ours
        if re.search(rf"(?m)^(import|from) {name}\b", code):
            pytest.importorskip(name)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    # a reader's process has nothing else; here the libraries that are loaded serve the next block
    exec(compile(code, "block", "exec"), {"__name__": "__main__"})


def readme():
    return (ROOT / "README.md").read_text("utf-8")


def test_the_first_screen_has_the_commands_the_picture_and_three_findings():
    first = "\n".join(readme().splitlines()[:24])
    for command in ("make reproduce", "make test", "snakemake --cores all"):
        assert f"    {command} " in first
    assert "(figures/rollup.svg)" in first
    assert len(re.findall(r"(?m)^- \d", first)) == 3
    for word in ("reading", "oracle", "reconciled", "ledger"):
        assert word not in first.lower()


def test_the_readme_is_short():
    prose = re.sub(r"(?s)```.*?```", "", readme())
    assert len(prose.split()) < 900


def test_the_example_of_the_readme_prints_what_stands_below_it(capsys):
    ((code, said),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", readme(), re.S)
    exec(compile(code, "README.md", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == said


def test_the_nightly_build_calls_the_test_command_of_the_readme():
    assert "run: make test\n" in (ROOT / ".github/workflows/test.yml").read_text("utf-8")


def test_what_is_recommended():
    for n_objects in (100, 10_000):
        advice = recommend([["a"]] * n_objects)
        assert advice.measure == advice.algorithm == "latent_classes"
    page = (ROOT / "docs/choosing.md").read_text("utf-8")
    assert "Start with latent class analysis, as `couplings.recommend(table)` says" in page


def test_every_deviation_has_a_reason_or_what_was_tried():
    page = (ROOT / "figures" / "deviations.md").read_text("utf-8")
    reasons = [line.split(" | ")[-1].strip(" |") for line in page.splitlines() if "|" in line][2:]
    assert reasons
    bare = [reason for reason in reasons if reason.rstrip(".") in ("", "unexplained")]
    assert bare == []


def test_the_evidence_of_the_questions_to_the_authors_exists():
    sections = [
        texts.questions_of((ROOT / f"docs/papers/{paper}.md").read_text("utf-8"))
        for paper in PAPERS
    ]
    asked = "\n".join(sections)
    ids = re.findall(r"`(?:python -m replication explain \w+ )?(\w+-[\w-]+)`", asked)
    known = {
        row["id"]
        for path in ("published/claims.csv", "record/full/verdicts.csv")
        for row in read_rows(ROOT / "data" / path)
    }
    assert len(ids) > 20
    assert set(ids) <= known
    for name in re.findall(r"`(figures/[\w/.]+)`", asked):
        assert (ROOT / name).is_file(), name


@pytest.mark.parametrize("paper", PAPERS)
def test_a_letter_asks_the_questions_of_the_page_of_its_paper(paper):
    page = (ROOT / f"docs/papers/{paper}.md").read_text("utf-8")
    letter = (ROOT / f"docs/letters/{paper}.md").read_text("utf-8")
    titles = re.findall(r"(?m)^- \*\*.*?\*\*", letter)
    assert titles
    assert set(titles) <= set(re.findall(r"(?m)^- \*\*.*?\*\*", texts.questions_of(page)))
    assert "Evidence:" not in letter


def test_a_page_without_questions_is_refused():
    with pytest.raises(UserError, match="has no section '## Questions to the authors'"):
        texts.questions("# A paper\n")


def test_the_metadata_name_works_of_the_bibliography():
    meta = yaml.safe_load((article.ARTICLE / "metadata.yaml").read_text("utf-8"))
    works = (article.ARTICLE / meta["bibliography"]).read_text("utf-8")
    source = (article.ARTICLE / "article.typ").read_text("utf-8")
    keys = set(re.findall(r"@\w+\{(\w+),", works))
    assert {one["bib"] for one in meta["replication"]} <= keys
    assert keys == set(re.findall(r"@(\w+\d{4}\w*)", source))
    assert meta["type"] == "Replication"
    assert not checks.typed_figures(meta["abstract"], "metadata.yaml")
