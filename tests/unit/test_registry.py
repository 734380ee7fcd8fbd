"""Measures by name."""

import pytest

import couplings
from couplings import DilcaM, MeasureError, SimpleMatching, measure_from, measure_names
from couplings.measures.registry import REGISTRY, measure_entry


@pytest.mark.parametrize("name", measure_names())
def test_every_name_makes_the_measure_that_its_constructor_says(name):
    made = measure_from(name)
    said = eval(REGISTRY[name].constructor, vars(couplings) | {made.__class__.__name__: type(made)})
    assert type(made) is type(said)
    assert made.get_params() == said.get_params()
    for alias in REGISTRY[name].aliases:
        assert repr(measure_from(alias)) == repr(made)


def test_no_two_measures_share_a_name():
    names = [name for key, entry in REGISTRY.items() for name in (key, *entry.aliases)]
    assert len(names) == len(set(names))


def test_parameters_go_to_the_class():
    assert measure_from("dilca_m", sigma=0.2).sigma == 0.2
    assert measure_from("delta", aggregation="sum").aggregation == "sum"


def test_an_instance_is_itself():
    measure = DilcaM(0.1)
    assert measure_from(measure) is measure


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("dilca_r", "no measure is called 'dilca_r'; did you mean 'dilca_rr'"),
        ("DilcaRR", "did you mean 'dilca_rr'"),
        ("zzz", "choose one of simple_matching"),
        (SimpleMatching, r"SimpleMatching is a class; pass an instance: SimpleMatching\(\)"),
        (3, "a measure is a name .* not int"),
    ],
)
def test_what_is_no_measure_is_refused(wrong, message):
    with pytest.raises(MeasureError, match=message):
        measure_from(wrong)


def test_an_instance_takes_no_parameters():
    with pytest.raises(MeasureError, match="already has its parameters"):
        measure_from(DilcaM(), sigma=0.1)


def test_entries_know_the_class():
    assert measure_entry("smd").class_name == "SimpleMatching"
