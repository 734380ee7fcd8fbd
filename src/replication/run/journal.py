"""Keep the results of a running job on disk, so that an interrupted run can be resumed."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any


class Journal:
    """Results that a job has finished, on disk while it runs.

    The key identifies code, data and parameters; a file with another key is started anew.
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self.known: dict[str, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_bytes().decode(errors="replace") if path.exists() else ""
        head, *lines = text.split("\n")
        # an interrupted run may leave half a line, a damaged disk any bytes
        for line in lines[:-1] if head == key else ():
            name, _, scores = line.partition("\t")
            try:
                self.known[name] = json.loads(scores)
            except ValueError:
                break
        whole = "".join(f"{name}\t{json.dumps(scores)}\n" for name, scores in self.known.items())
        path.write_text(f"{key}\n{whole}", encoding="utf-8")

    @classmethod
    def of(
        cls, path: Path, spec: Mapping[str, Any], code: str, inputs: Iterable[Path]
    ) -> "Journal":
        """Open the journal of a job with this specification, code and input files."""
        words = json.dumps(spec, sort_keys=True).encode(), code.encode()
        content = b"\0".join([*words, *(path.read_bytes() for path in inputs)])
        return cls(path, hashlib.sha256(content).hexdigest())

    def once(self, name: str, function: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the result with a name, computed and stored if it is new."""
        if name not in self.known:
            self.known[name] = function()
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(f"{name}\t{json.dumps(self.known[name])}\n")
        return self.known[name]


def forget(specs: Iterable[Mapping[str, Any]]) -> None:
    """Remove the journals of methods or experiments when their job is done."""
    for spec in specs:
        shutil.rmtree(spec["journal"], ignore_errors=True)
