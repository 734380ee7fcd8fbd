"""README, article and pages of reply say what the committed tables say."""

import json
import re
import runpy
import shutil
import textwrap

import article
import pandas as pd
import pytest
import yaml
from kit import ROOT, configuration
from references import Tables

from couplings import recommend
from replication.errors import UserError
from replication.files import read_rows
from replication.papers.study.cells import RUNS
from replication.show.findings import read

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


SCRIPT = runpy.run_path(str(ROOT / "workflow/scripts/readme.py"))
insert = SCRIPT["insert"]
BEGIN, END = "<!-- rollup -->", "<!-- /rollup -->"


def test_the_table_replaces_what_stands_between_the_marks():
    text = f"before\n{BEGIN}\nold\n{END}\nafter"
    new = insert(text, "|new\\1|\n")
    assert new == f"before\n{BEGIN}\n|new\\1|\n{END}\nafter"
    assert insert(new, "|new\\1|\n") == new


@pytest.mark.parametrize("text", ["nothing", f"{BEGIN}", f"{BEGIN}{END}" * 2])
def test_a_text_without_the_marks_is_refused(text):
    with pytest.raises(UserError, match="once each"):
        insert(text, "")


def test_the_papers_are_those_of_the_configuration():
    text = (ROOT / "README.md").read_text("utf-8")
    assert insert(text, SCRIPT["papers_table"](), "papers") == text, "run `make readme`"


def test_what_holds_is_what_the_ledger_says():
    text, table = ((ROOT / name).read_text("utf-8") for name in ("README.md", "figures/rollup.md"))
    assert insert(text, table) == text


def test_the_first_screen_has_the_findings_and_a_picture_of_the_report():
    text = (ROOT / "README.md").read_text("utf-8")
    found = read(ROOT / "figures/findings")
    assert 5 <= len(found) <= 7
    shown = [one for one in found if one["id"] in {"exact", "claims", "duels"}]
    assert len(shown) == 3
    assert insert(text, SCRIPT["bullets"](shown, "figures"), "findings") == text
    first = "\n".join(text.splitlines()[:30])
    assert "<!-- /findings -->" in first
    assert "figures/report.png" in first
    assert (ROOT / "figures/report.png").read_bytes().startswith(b"\x89PNG")
    for word in ("reading", "oracle", "reconciled", "ledger"):  # explained further down
        assert word not in first.lower()


WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven"]


def text(name: str) -> str:
    """Prose of a page, on one line."""
    return " ".join((ROOT / name).read_text("utf-8").replace("**", "").split())


def test_what_is_recommended():
    for n_objects in (100, 10_000):
        advice = recommend([["a"]] * n_objects)
        assert advice.measure == advice.algorithm == "latent_classes"
    assert "`couplings.recommend(table)` names latent class analysis" in text("README.md")


def test_how_many_of_what():
    study = configuration("study")["experiments"]
    measures, datasets = len(study["grid"]["measures"]), len(study["grid"]["datasets"])
    said = f"{measures} measures, {datasets} data sets, {WORDS[len(RUNS)]} algorithms"
    assert said in text("README.md")
    others = len(study["rivals"]["algorithms"]) + len(study["learned"]["algorithms"])
    assert f"and {others} methods with algorithms of their own" in text("README.md")


def test_what_came_out_of_disc():
    rows = pd.read_csv(ROOT / "figures/disc/table02.csv")
    rows = rows[(rows["method"] == "disc") & (rows["reading"] == "released")]
    exact = rows[rows["verdict"] == "exact"]["metric"].value_counts()
    said = text("README.md")
    assert f"{exact['accuracy']} of its 12 accuracies and {exact['ari']} of its 12 ARI" in said
    means = pd.read_csv(ROOT / "figures/disc/honest.csv")
    means = means[(means["method"] == "disc") & (means["metric"] == "accuracy")]
    means = means[means["dataset"] != "all"]
    assert (means["starts"] == 1000).all()
    # to the printed digits
    above, rare = (means["printed"] - means["mean"] > 5e-5).sum(), (means["share"] < 0.05).sum()
    assert f"1,000 unselected starts on {above} data sets" in said
    assert f"on {rare} fewer than 5 % of the means of ten such starts reach it" in said


def test_every_deviation_has_a_reason_or_what_was_tried():
    page = (ROOT / "figures" / "deviations.md").read_text("utf-8")
    reasons = [line.split(" | ")[-1].strip(" |") for line in page.splitlines() if "|" in line][2:]
    assert reasons
    bare = [reason for reason in reasons if reason.rstrip(".") in ("", "unexplained")]
    assert bare == []


RECORD = ROOT / "data" / "record" / "full"


@pytest.fixture
def tables(tmp_path):
    """Tables of a run with the record's ledger and one figure."""
    (tmp_path / "study").mkdir()
    (tmp_path / "study/duels.csv").write_text(
        "first,second,verdict,p,gain,least\n"
        "cde,smd,better,0.0004,0.25,0.3\nlin,smd,worse,0.04,-0.5,\nadd,smd,worse,0.2,0.75,0.5\n"
    )
    return Tables(RECORD, tmp_path)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("study/duels?first=cde:verdict", "better"),
        ("study/duels#", "3"),
        ("study/duels?verdict=worse#|word", "two"),
        ("study/duels?verdict=the same#|Word", "None"),
        ("study/duels?verdict!=worse#", "1"),
        ("study/duels?first^=c#", "1"),
        ("study/duels?verdict*=or#", "2"),
        ("study/duels?p<0.05&gain>0#", "1"),
        ("study/duels?gain>$least#", "1"),
        ("study/duels:gain~max|%", "75%"),
        ("study/duels:gain~min|.1", "−0.5"),
        ("study/duels?least!=:least~mean|.2", "0.40"),
        ("study/duels:verdict~nunique", "2"),
        ("study/duels?verdict=worse# / study/duels#|%1", "66.7%"),
        ("study/duels# + study/duels# - study/duels?first=cde#", "5"),
        ("study/duels?first=cde:p|p", "< .001"),
        ("study/duels?first=lin:p|p", ".040"),
        ("artefacts?id=dilca-fig03:label", "Fig. 3"),
        ("claims?id=dilca-17:kind", "numeric"),
        ("papers?paper=cde:name", "CDE"),
    ],
)
def test_a_reference_has_one_text(tables, query, text):
    assert tables.answers([query]) == {query: text}


def test_a_reference_to_rows_is_a_table(tables):
    counts, cells = "study/duels@second*verdict", "study/duels?verdict=worse@first,p|.1"
    found = tables.answers([counts, cells])
    assert json.loads(found[counts]) == [["", "better", "worse", "all"], ["smd", "1", "2", "3"]]
    assert json.loads(found[cells]) == [["lin", "0.0"], ["add", "0.2"]]


def test_the_tables_of_the_ledger_count_as_the_roll_up_does(tables):
    """Numbers and claims: as in figures/rollup.md, which the rule `rollup` writes."""
    rows = (ROOT / "figures/rollup.md").read_text("utf-8").splitlines()
    heads, alls = (
        [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row[:8] == begin]
        for begin in ("| paper ", "| all   ")
    )
    for name, head, counts in zip(("numbers", "claims"), heads, alls, strict=True):
        for verdict, count in zip(head, counts, strict=True):
            if verdict in ("exact", "within noise", "confirmed", "refuted", "timed"):
                query = f"{name}?verdict={verdict}&paper!=disc#"
                assert tables.answers([query])[query].replace(",", "") == count
    # papers added later are counted apart
    head = json.loads(tables.answers(["numbers@name*verdict"])["numbers@name*verdict"])[0]
    assert head[1:5] == ["exact", "within noise", "differs", "not comparable"]


def test_references_without_a_value_are_listed_together(tables):
    wrong = {
        "study/duel#": "make reproduce, study and planted write the tables",
        "study/duels?frist=cde#": "did you mean 'first'",
        "study/duels?second=smd:p": "3 rows, not one",
        "study/duels?first=lcm:p": "0 rows, not one",
        "study/duels:gain~mean": "the format '' does not suit",
        "study/duels?first=cde:verdict|.1": "could not convert",
        "study/duels# / study/duels?first=lcm#|%": "division by zero",
    }
    with pytest.raises(UserError) as error:
        tables.answers([*wrong, "study/duels#"])
    lines = str(error.value).splitlines()
    assert len(lines) == 1 + len(wrong)
    for line, (query, said) in zip(lines[1:], wrong.items(), strict=True):
        assert line.strip().startswith(query)
        assert said in line


@pytest.mark.parametrize(
    "line",
    [
        "Of 923 numbers",
        "Two data sets",
        "on half of them",
        '#picture("a.svg")[with five bars]',
        '#listing("numbers@name*verdict", head: ("of 12", "all"))[text]',
        '#if n("papers#") == "1" [one of 7]',
        '#figure(tab("papers@name"), caption: [with 3 rows])',
        "as $3$ shows",
    ],
)
def test_a_number_typed_by_hand_is_refused(line):
    with pytest.raises(UserError, match=r"article.typ:2: "):
        article.refuse_typed(article.prose(f"First line.\n{line}\n"), "article.typ")


def test_code_citations_and_names_are_no_numbers():
    source = """#import "style.typ": n  // version 2
// 12 lines
#n("numbers?verdict=exact#") of them @boriah2008, as @table-2 shows, for one in $f / (f + 2)$.
#picture("study/fig03.svg", width: 58%)[A caption with a `figure 7`.] <table-2>
#is("claims?id=dilca-17:ours", "refuted") #if n("papers?paper=x2#") == "1" [yes] else [no]
"""
    article.refuse_typed(article.prose(source), "article.typ")


def test_every_number_of_the_article_is_a_reference_with_a_value():
    source = (article.ARTICLE / "article.typ").read_text("utf-8")
    article.refuse_typed(article.prose(source), "article.typ")
    queries = article.REFERENCE.findall(source)
    assert len(queries) > 100
    assert not re.findall(r'"\);', source), "Typst takes the semicolon for the end of the code"
    found = Tables(RECORD, ROOT / "figures").answers(queries)
    asserted = dict(re.findall(r'#is\("([^"]+)", "([^"]+)"\)', source))
    assert asserted.items() <= found.items()


def test_the_article_of_a_folder_without_a_ledger_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", [article.__file__, str(tmp_path)])
    with pytest.raises(SystemExit, match=f"^error: references .*\n.*{tmp_path}/ledger"):
        runpy.run_path(article.__file__, run_name="__main__")


def test_the_pages_of_reply_are_those_of_the_record():
    found = article.pages()
    assert len(found) == 1 + 5
    for path, text in found.items():
        assert path.read_text("utf-8") == text, f"{path.name}: run `make readme`"


def test_the_evidence_of_the_page_of_reply_exists():
    text = (ROOT / "docs/right-of-reply.md").read_text("utf-8")
    ids = re.findall(r"`(?:python -m replication explain \w+ )?(\w+-[\w-]+)`", text)
    known = {
        row["id"]
        for path in ("published/claims.csv", "record/full/verdicts.csv")
        for row in read_rows(ROOT / "data" / path)
    }
    assert len(ids) > 20
    assert set(ids) <= known
    for name in re.findall(r"`(figures/[\w/.]+)`", text):
        assert (ROOT / name).is_file(), name


def test_a_page_with_a_typed_number_is_refused(tables):
    assert article.page("{{study/duels#|word}} of `x2`", "a.md", tables) == "three of `x2`"
    with pytest.raises(UserError, match=r"a.md:1: '3'"):
        article.page("3 of {{study/duels#}}", "a.md", tables)


def test_the_metadata_name_works_of_the_bibliography():
    meta = yaml.safe_load((article.ARTICLE / "metadata.yaml").read_text("utf-8"))
    works = (article.ARTICLE / meta["bibliography"]).read_text("utf-8")
    source = (article.ARTICLE / "article.typ").read_text("utf-8")
    keys = set(re.findall(r"@\w+\{(\w+),", works))
    assert {one["bib"] for one in meta["replication"]} <= keys
    assert keys == set(re.findall(r"@(\w+\d{4}\w*)", source))
    assert meta["type"] == "Replication"
    article.refuse_typed(meta["abstract"], "metadata.yaml")


@pytest.mark.slow
def test_the_article_is_built_twice_alike_and_not_against_the_run(tmp_path, monkeypatch):
    pytest.importorskip("typst")
    folder = shutil.copytree(article.ARTICLE, tmp_path / "article")
    shutil.copytree(RECORD, tmp_path / "run/ledger")
    monkeypatch.setattr(article, "ARTICLE", folder)
    text = '#import "style.typ": *\n#show: style\n#n("claims#") claims @cohen1960.\n'
    (folder / "article.typ").write_text(text + '#listing("claims@name*verdict")[Claims.]\n')
    monkeypatch.setattr(article, "ROOT", tmp_path)
    one, other = (article.article(tmp_path / "run").read_bytes() for _ in range(2))
    assert one[:5] == b"%PDF-"
    assert one == other
    (folder / "article.typ").write_text(text + '#is("claims?id=dilca-17:verdict", "confirmed")')
    with pytest.raises(UserError, match=r"claims\?id=dilca-17:verdict is refuted"):
        article.article(tmp_path / "run")
