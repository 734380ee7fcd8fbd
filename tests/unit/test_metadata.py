"""What archives and certificates read says the same as CITATION.cff, and names files that exist."""

import json
import tomllib

import artifact
import metadata
import pytest
from kit import ROOT, parsed


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the manifest lists what git keeps")
def test_the_files_are_what_the_program_writes():
    stale = [
        name
        for name, text in metadata.texts(ROOT).items()
        if (ROOT / name).read_text(encoding="utf-8") != text
    ]
    assert not stale, f"{stale}: out of date, make metadata writes them"


def test_all_metadata_agree():
    citation = parsed(ROOT / "CITATION.cff")
    codemeta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    codecheck = parsed(ROOT / "codecheck.yml")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    titles = {citation["title"], codemeta["name"], zenodo["title"], codecheck["paper"]["title"]}
    assert len(titles) == 1
    versions = {citation["version"], codemeta["version"], zenodo["version"], project["version"]}
    assert len(versions) == 1
    assert codemeta["license"].endswith("/" + project["license"])
    assert zenodo["license"] == citation["license"] == project["license"]
    assert f"\n## [{project['version']}] - 20" in (ROOT / "CHANGELOG.md").read_text(
        encoding="utf-8"
    )


def test_the_manifest_names_files_of_this_clone_each_with_a_comment():
    manifest = parsed(ROOT / "codecheck.yml")["manifest"]
    assert len({one["file"] for one in manifest}) == len(manifest) > 40
    for one in manifest:
        assert (ROOT / one["file"]).is_file(), one["file"]
        assert one["comment"]


def test_the_claims_in_scope_are_those_of_the_record():
    rows = artifact.compared(ROOT / "ARTIFACT.md", ROOT / "data/record/full/claims.csv")
    assert len(rows) == 10
    assert {claim.partition("-")[0] for claim, *_ in rows} == {"dilca", "caso", "cde", "coupledmc"}
    assert [(claim, wanted) for claim, _, wanted, _ in rows] == [
        (claim, found) for claim, _, _, found in rows
    ]


def test_a_claim_that_moved_fails_the_check(tmp_path, capsys):
    ledger = tmp_path / "claims.csv"
    record = (ROOT / "data/record/full/claims.csv").read_text(encoding="utf-8")
    ledger.write_text(record, encoding="utf-8")
    assert artifact.main(ROOT / "ARTIFACT.md", ledger) == 0
    lines = [
        line.replace("refuted", "confirmed") if line.startswith("caso-49,") else line
        for line in record.splitlines()
    ]
    ledger.write_text("\n".join(lines), encoding="utf-8")
    assert artifact.main(ROOT / "ARTIFACT.md", ledger) == 1
    assert "9 of 10 claims as in scope" in capsys.readouterr().out
    assert artifact.main(ROOT / "ARTIFACT.md", tmp_path / "no.csv") == 2
