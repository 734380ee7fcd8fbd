"""The protocols of the papers: preparation, trials, verdicts, tables and figures."""

import logging

# Many jobs start at once: that kernels are being compiled belongs in none of their logs.
logging.getLogger("couplings").setLevel(logging.ERROR)
