"""The article and the pages of reply: references have values, and no number is typed by hand."""

import json
import re
import shutil

import article
import pytest
import yaml
from kit import ROOT
from references import Tables

from replication.errors import UserError
from replication.files import read_rows

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
                query = f"{name}?verdict={verdict}#"
                assert tables.answers([query])[query].replace(",", "") == count
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
    assert Tables(RECORD, ROOT / "figures").answers(queries)
    asserted = re.findall(r'#is\("([^"]+)", "([^"]+)"\)', source)
    found = Tables(RECORD, ROOT / "figures").answers([query for query, _ in asserted])
    assert dict(asserted) == found


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
