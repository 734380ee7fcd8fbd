"""Kernels that are compiled before any job asks for one."""

import os
from types import SimpleNamespace

import pytest

from couplings._kernels import agglomeration
from replication import compiling

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")


@pytest.fixture
def kept(tmp_path, monkeypatch):
    stats = SimpleNamespace(cache_path=str(tmp_path))
    monkeypatch.setattr(agglomeration, "merge_nearest", SimpleNamespace(stats=stats))
    return tmp_path


def test_all_works_run():
    for work in compiling.works():
        work()


def test_the_processes_share_the_works(kept, monkeypatch):
    works = [lambda i=i: (kept / str(i)).write_text(str(os.getpid())) for i in range(5)]
    monkeypatch.setattr(compiling, "works", lambda: iter(works))
    compiling.compile_kernels()
    places = [(kept / str(i)).read_text() for i in range(5)]
    assert len(set(places)) == compiling.PARTS
    assert str(os.getpid()) not in places
    assert places[0] == places[2] == places[4]


def test_a_work_that_fails_says_so_and_ends_nothing_else(kept, monkeypatch, capfd):
    def broken():
        raise ValueError("no such kernel")

    works = [broken, lambda: (kept / "other").touch()]
    monkeypatch.setattr(compiling, "works", lambda: iter(works))
    compiling.compile_kernels()
    assert "ValueError: no such kernel" in capfd.readouterr().err
    assert (kept / "other").exists()


def test_nothing_is_compiled_where_machine_code_is_kept(kept, monkeypatch):
    (kept / "agglomeration.merge_nearest-1.py311.nbi").touch()
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a process was started"))
    compiling.compile_kernels()
