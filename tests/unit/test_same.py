"""Two runs compared byte for byte."""

from kit import ROOT, module

same = module(ROOT / "tools/same.py")


def made(place, **files):
    for name, content in files.items():
        path = place / "results/quick" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return same.outputs(place)


def test_files_of_two_runs_that_differ_are_listed(tmp_path):
    one = made(tmp_path / "a", tables__x=b"1", verdicts__y=b"1", logs__z=b"1", only=b"")
    other = made(tmp_path / "b", tables__x=b"1", verdicts__y=b"2", logs__z=b"2")
    assert sorted(one) == ["only", "tables/x", "verdicts/y"]
    assert [*same.differences(one, other)] == ["only: only in one run", "verdicts/y: differs"]


def test_files_with_times_are_those_that_the_papers_name():
    found = same.measured(ROOT)
    assert {"ledger/", "figures/caso/table10."} <= found
    assert not any(one.startswith("prepared/") for one in found)


def test_the_conditions_differ_in_everything():
    one, other = same.COPIES.values()
    assert all(one[key] != other[key] for key in one)
    assert one.keys() == other.keys()
