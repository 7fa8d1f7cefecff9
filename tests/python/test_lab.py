"""argand.lab, argand.ops and argand.explain give the same numbers and texts as the program."""
import json
import subprocess

import argand
import numpy as np
import pytest


def test_the_numbers_of_the_lab_are_those_of_the_program(program):
    expression = "f(z, w) = abs(z)^2 * exp(i*angle(w))"
    run = subprocess.run([program, "lab", expression, "--at", "1+2i, 0.5-1i", "--var", "w", "--json"], capture_output=True, text=True, check=True)
    told = json.loads(run.stdout)["points"][0]
    for at in ("1+2i, 0.5-1i", [1 + 2j, 0.5 - 1j], {"w": 0.5 - 1j, "z": 1 + 2j}):
        point = argand.lab(expression, at=at, by="w")
        assert point.value == complex(*told["value"]) and point.by == "w" and not point.real
        for key in ("dz", "dzbar", "gradient"):
            figure = getattr(point, key)
            assert figure.value == complex(*told[key]["tape"]) and figure.verdict == told[key]["verdict"] == "pass"
            assert abs(figure.value - figure.numerical) <= figure.bar + 1e-12
        assert point.jacobian.tolist() == told["jacobian"]
    text = subprocess.run([program, "lab", expression, "--at", "1+2i, 0.5-1i", "--var", "w"], capture_output=True, text=True, check=True).stdout
    assert str(point) == text


def test_conventions_differ_by_a_conjugate():
    point = argand.lab("abs(z)^2", at=1 + 2j)
    assert point.equation == "f(z) = abs(z)^2" and point.at == {"z": 1 + 2j} and point.real
    assert point.conventions == {"argand": 2 + 4j, "PyTorch": 2 + 4j, "TensorFlow": 2 + 4j, "JAX": 2 - 4j}
    assert argand.lab("z^2", at=1j).conventions["JAX, holomorphic=True"] == 2j
    assert argand.lab("z^2", at=3).value == 9


def test_at_a_kink_there_is_trouble():
    point = argand.lab("abs(z)", at=0)
    assert "a kink" in point.trouble and point.dz.verdict == "kink" and point.cauchy_riemann == "inconclusive"
    # What other frameworks return at a kink is not known.
    assert np.isnan(point.dz.numerical) and list(point.conventions) == ["argand"]


def test_where_the_tape_has_a_convention_nothing_is_judged():
    point = argand.lab("1/(1/z)", at=0)
    assert point.gaps == ["div of 1, 0 is inf + nan i"] and point.dz.verdict == "not judged" and point.cauchy_riemann == "inconclusive"
    assert point.dz.value == 0 and abs(point.dz.numerical - 1) <= 10 * point.dz.bar < 1e-12
    assert "not judged" in str(point) and "agree" not in str(point)
    assert np.isfinite(argand.lab("z^2").dz.tolerance)


def test_by_default_all_variables_are_at_the_same_point():
    assert argand.lab("f(z, w) = z*w").at == {"z": 1 + 2j, "w": 1 + 2j}


@pytest.mark.parametrize(
    "arguments, text",
    [
        (("f(z, w) = z*w", 1), "lab: got 1 number for the 2 variables of f(z, w) = z*w"),
        (("f(z, w) = z*w", [1, 2], "u"), "lab: f has no variable u; its variables: z, w"),
        (("f(z, w) = z*w", {"z": 1}), "lab: the variables are z, w, but at gives z"),
    ],
)
def test_misuse_is_reported(arguments, text):
    with pytest.raises(argand.Error) as error:
        argand.lab(*arguments)
    assert str(error.value) == text


def test_a_mistake_in_an_expression_is_shown_where_it_is():
    with pytest.raises(argand.Error) as error:
        argand.lab("z z", 1)
    assert str(error.value).splitlines() == ["expression: a product needs a * sign: write z*z", "  z z", "    ^"]


def test_every_op_is_listed_with_its_properties(program):
    ops = argand.ops()
    listed = subprocess.run([program, "explain"], capture_output=True, text=True, check=True).stdout
    assert f"{len(ops)} ops; " in listed and len({op.name for op in ops}) == len(ops) > 50
    angle = next(op for op in ops if op.name == "angle")
    assert angle.kind == "real-valued" and "arg" in angle.equation and angle.singular and str(angle).startswith("angle, real-valued: ")


def test_an_op_is_explained_in_the_words_of_the_program(program):
    told = subprocess.run([program, "explain", "angle"], capture_output=True, text=True, check=True).stdout
    assert argand.explain("angle") == told
    with pytest.raises(argand.Error) as error:
        argand.explain("angel")
    assert str(error.value) == "explain: unknown op angel; did you mean angle?"


def test_arrays_of_the_lab_are_numpys():
    assert isinstance(argand.lab("z^2").jacobian, np.ndarray)
