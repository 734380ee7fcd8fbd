"""Every step runs on the same instruction level, whatever the processor has."""

import json
import os
import subprocess
import sys

from replication import processor


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
    environment = {k: v for k, v in os.environ.items() if k not in processor.settings("x86_64")}
    run = subprocess.run(
        [sys.executable, "-c", program, "with space", "$HOME"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    arguments, seen = json.loads(run.stdout)
    assert arguments == ["with space", "$HOME"]
    assert processor.missing(seen, "x86_64") == {}
