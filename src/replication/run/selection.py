"""Choose one parameter setting by a rule, which may use class labels."""

from collections.abc import Mapping, Sequence

from replication.errors import UserError

FIXED = "fixed"
"""Rule that takes the fixed setting of the method, without scores."""

RULES = {
    "purity-nmi-first": ("purity", "nmi_sqrt"),
}
"""Rules that use class labels: the scores that they compare, in this order."""


def select(settings: Sequence[float], scores: Mapping[str, Sequence[float]], rule: str) -> float:
    """Return the setting that a rule chooses by scores, one number per setting.

    ``purity-nmi-first``: highest purity (eq. (5) of DILCA), among those the highest NMI, among
    those the smallest setting. Uses class labels.

    Raises
    ------
    UserError
        If the rule is unknown.
    """
    if rule not in RULES:
        raise UserError(f"select.rule: unknown rule {rule!r}; rules are {', '.join(RULES)}")
    # equal scores differ in the last bits when they were summed in another order
    losses = [[-round(float(x), 12) for x in scores[name]] for name in RULES[rule]]
    return min(zip(*losses, settings, strict=True))[-1]
