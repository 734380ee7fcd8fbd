"""Validate an RO-Crate without a network: crate_validator.py FOLDER CONTEXT PROFILE [CHECK ...]

Prints one line per requirement that is not met, required and recommended ones, but for the checks
that are named. CONTEXT is the file of JSON-LD terms that the package rocrate brings.
"""

import json
import sys
from pathlib import Path

from rdflib.plugins.shared.jsonld.context import Context
from rocrate_validator import models, services

folder, context, profile, *passed_over = sys.argv[1:]
terms = json.loads(Path(context).read_text(encoding="utf-8"))["@context"]
# RO-Crate 1.1, which the profiles build on, has the older address of this one.
terms["ComputationalWorkflow"] = "https://bioschemas.org/ComputationalWorkflow"
Context._fetch_context = lambda self, source, base, referenced: terms
found = services.validate(
    services.ValidationSettings(
        rocrate_uri=folder,
        profile_identifier=profile,
        requirement_severity=models.Severity.RECOMMENDED,
        metadata_only=True,
    )
)
for issue in found.get_issues():
    if issue.check.identifier not in passed_over:
        print(issue.severity.name, issue.check.identifier, issue.message)
print("validated")
