"""Compiled kernels: which are kept, and on which processor."""

import ast
import json
import os
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from kit import called

import couplings
from replication import kernels, processor


def test_every_piece_of_work_calls_kernels_of_this_version():
    for work in kernels.works():
        work()


ROOT = Path(couplings.__file__).parents[1]
# nothing before it starts threads
FIT = """
import numpy as np
from couplings._kernels.contexts import shared
counts = np.array([[2, 0, 1, 1], [0, 2, 2, 0], [1, 2, 3, 0], [1, 0, 0, 1]])
offsets = np.array([0, 2, 4])
apart = np.zeros(8)
shared(counts, offsets, np.array([0, 4, 8]), 1.0 - np.eye(2), 1.0, True, apart)
print(apart)
"""


def own_kernels():
    """Name to decorator and names of what it calls, of everything that is compiled."""
    found = {}
    for path in (ROOT / "couplings").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            decorators = map(ast.unparse, getattr(node, "decorator_list", []))
            compiled = next((one for one in decorators if one.startswith("njit")), None)
            if compiled:
                calls = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
                names = {one.id for one in calls if isinstance(one, ast.Name)}
                found[node.name] = compiled, names
    return found


def test_a_kernel_with_threads_that_others_call_is_not_kept_by_itself():
    found = own_kernels()
    starting = {name for name, (compiled, _) in found.items() if "parallel=True" in compiled}
    assert starting
    while callers := {name for name, (_, calls) in found.items() if calls & starting} - starting:
        starting |= callers
    called = set().union(*(calls for _, calls in found.values()))
    kept = {name for name in starting & called if "cache=True" in found[name][0]}
    assert not kept, f"numba would keep their callers without what starts the threads: {kept}"


def ran(program, *arguments, **environment):
    done = called(sys.executable, "-c", program, *arguments, env=environment)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.slow
def test_kernels_are_compiled_in_every_process_or_kept_where_a_folder_can_be_written(tmp_path):
    copytree(ROOT / "couplings", tmp_path / "couplings", ignore=ignore_patterns("__pycache__"))
    (tmp_path / "couplings/_kernels/__pycache__").touch()  # no folder, for root neither
    known = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    known |= {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    known |= dict.fromkeys(("HOME", "XDG_CACHE_HOME"), "/dev/null/none")
    done = ran(FIT, **known)
    assert "in every process" in done.stderr
    assert "set NUMBA_CACHE_DIR to a writable one" in done.stderr
    (tmp_path / "kept").mkdir()
    known["NUMBA_CACHE_DIR"] = str(tmp_path / "kept")
    assert ran(FIT, **known).stdout == done.stdout
    # a caller that is compiled alone runs in the next process
    (caller,) = (tmp_path / "kept").rglob("contexts.shared-*.nbi")
    caller.unlink()  # as if this process had lost the race for it
    assert [ran(FIT, **known).stdout for _ in range(2)] == [done.stdout] * 2


def test_other_kinds_of_machine_fix_their_threads_alone():
    assert processor.settings("aarch64") == processor.THREADS


def test_a_process_that_has_the_settings_lacks_none():
    assert processor.missing(processor.settings("x86_64"), "x86_64") == {}
    assert processor.missing({}, "AMD64") == processor.settings("x86_64")


def test_a_process_without_the_settings_starts_anew_with_them():
    program = (
        "import json, os, sys\n"
        "from replication import processor\n"
        "processor.platform.machine = lambda: 'x86_64'\n"
        "processor.fix(sys.orig_argv)\n"
        "print(json.dumps([sys.argv[1:], dict(os.environ)]))"
    )
    known = {k: v for k, v in os.environ.items() if k not in processor.settings("x86_64")}
    arguments, seen = json.loads(ran(program, "with space", "$HOME", **known).stdout)
    assert arguments == ["with space", "$HOME"]
    assert processor.missing(seen, "x86_64") == {}
