"""The page of peers' tests: each failure has a reason, each peer a row with its version."""

import re
import tomllib

from kit import ROOT

PEERS = ROOT / "tests" / "peers"


def test_every_failure_of_a_peer_has_a_reason():
    page = (ROOT / "docs" / "peers.md").read_text(encoding="utf-8")
    expected = tomllib.loads((PEERS / "expected.toml").read_text())
    rows = re.findall(r"^\| ([\w-]+) \| ([\d.]+) \| (\d+) \| (\d+) \| \d+ \|$", page, re.M)
    assert len(rows) == len(list((PEERS / "adapters").glob("[!_]*.py")))
    lock = (PEERS / "requirements.lock").read_text()
    for peer, version, passed, failed in rows:
        assert f"{peer}=={version} " in lock or peer == "scikit-learn"
        assert int(passed) > 0
        assert int(failed) == len(expected.get(peer, {}))
    for listed in expected.values():
        for reason in listed.values():
            assert reason.startswith(("definition: ", "choice: ", "not ours: "))
            assert reason in page
