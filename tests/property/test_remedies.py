"""Every remedy that a message names exists: it can be set, and the call then works."""

import inspect
import re
import warnings

import pandas as pd
import pytest

import couplings
from couplings import CouplingsError

FRAME = pd.DataFrame(
    {"a": list("xxyyzzxx") * 3, "b": list("uuvvwwuv") * 3, "c": list("ppqqqqpp") * 3}
)
MIXED = FRAME.assign(n=[1.0, 2, 8, 9, 20, 21, 1, 2] * 3)
SETTING = re.compile(r"(?:(\w+)\()?\b(\w+)=('\w+'|\d+(?:\.\d+)?|True|False)")
NEEDS = {"Ward": {"measure": "simple_matching"}, "DensityPeaks": {"percent": 40.0}}
NUMBERS = ("KPrototypes", "AhmadDeyKMeans", "MultinomialGaussianMixture", "SpectralCAT")
ESTIMATORS = {
    name: getattr(couplings, name)
    for name in couplings.__all__
    if hasattr(getattr(couplings, name), "fit") and name != "KMeans"
}


def made(name, **more):
    kind = ESTIMATORS[name]
    known = inspect.signature(kind).parameters
    small = {"random_state": 0, "n_init": 1, **NEEDS.get(name, {}), **more}
    return kind(**{key: value for key, value in small.items() if key in known})


def data_of(name):
    return MIXED if name in (*NUMBERS, "CoupledMixed", "MixedDistance") else FRAME


def later(frame):
    """Data after a fit that lack a cell, hold a new value, or both."""
    gone, new = [None, *frame["a"][1:]], ["new", *frame["a"][1:]]
    yield frame.assign(a=gone)
    yield frame.assign(a=new)
    yield frame.assign(a=gone, b=["new", *frame["b"][1:]])


def uses(model):
    for name in ("predict", "predict_proba", "pairwise", "transform", "score_samples"):
        try:
            if hasattr(model, name):
                yield name
        except CouplingsError:
            continue


def messages(call):
    """Return the errors and warnings of a call."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            call()
        except CouplingsError as error:
            return [str(error), *(str(one.message) for one in seen)]
    return [str(one.message) for one in seen]


def owners(model):
    """Yield the estimator and its measure, which may own the parameter of a remedy."""
    yield model
    if hasattr(model, "measure"):
        yield couplings.measure_from(model.measure or "simple_matching")


def check(name, said, again):
    """Set each remedy of a message, and call again: nothing may call it unknown."""
    for owner, key, text in SETTING.findall(said):
        value = text.strip("'") if text.startswith("'") else float(text)
        if text in ("True", "False"):
            value = text == "True"
        model = made(name)
        found = [one for one in owners(model) if key in one.get_params(deep=False)]
        assert found, f"{name} has no {key}: {said}"
        if not owner and found[0].get_params(deep=False)[key] == value:
            continue  # it says the present value
        if found[0] is model:
            model.set_params(**{key: value})
        else:
            model.set_params(measure=type(found[0])(**{**found[0].get_params(False), key: value}))
        for told in messages(lambda model=model: again(model)):
            assert "is not known" not in told, f"{key}={value!r}: {told}"
            assert told != said, f"{key}={value!r} changes nothing: {told}"


@pytest.fixture(autouse=True)
def optional_packages(request):
    if "KMedoids" in request.node.name:
        pytest.importorskip("kmedoids")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_remedies_of_a_fit_with_missing_cells_exist(name):
    frame = data_of(name)
    for wrong in later(frame):
        for said in messages(lambda wrong=wrong: made(name).fit(wrong)):
            check(name, said, lambda model, wrong=wrong: model.fit(wrong))


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("strict", [False, True])
def test_remedies_after_a_fit_exist(name, strict):
    frame = data_of(name)
    rule = {"unknown": "raise"} if strict else {}
    model = made(name, **rule).fit(frame)
    for wrong in later(frame):
        for use in uses(model):
            for said in messages(lambda use=use, wrong=wrong: getattr(model, use)(wrong)):

                def again(other, use=use, wrong=wrong):
                    getattr(other.fit(frame), use)(wrong)

                check(name, said, again)
