"""What DILCA says in words, tested on the tables, tests and experiments of a run."""

from __future__ import annotations

from replication.claims import ClaimBook
from replication.papers.dilca.claims_comparisons import COMPARISONS
from replication.papers.dilca.claims_numbers import NUMBERS
from replication.papers.dilca.claims_settings import SETTINGS
from replication.papers.dilca.claims_theory import THEORY

CLAIMS = ClaimBook()
for _book in (THEORY, NUMBERS, COMPARISONS, SETTINGS):
    for _name, _test in _book.items():
        CLAIMS.about(_name)(_test)
