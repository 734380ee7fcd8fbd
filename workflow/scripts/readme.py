"""Put the findings and the table of what holds into README.md: readme.py <figures> <README.md>."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from replication.files import write_text
from replication.show.findings import bullets, read
from replication.show.rollup import insert

figures, readme = map(Path, sys.argv[1:])
way = os.path.relpath(figures, readme.parent)
text = readme.read_text(encoding="utf-8")
text = insert(text, bullets(read(figures / "findings"), way), "findings")
text = insert(text, (figures / "rollup.md").read_text(encoding="utf-8"), "rollup")
write_text(readme, text)
