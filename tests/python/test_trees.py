"""argand.check on containers of arrays, in which it checks every leaf, and the options of argand.check."""
import collections
import dataclasses
import time

import argand
import numpy as np
import pytest

X = np.array([0.5, -1.25, 2.0])
Pair = collections.namedtuple("Pair", "mean scale")


@dataclasses.dataclass
class State:
    h: object
    c: object
    step: int = 3


def cubes(x):
    return np.sum(x**3)


def test_named_tuples_and_dataclasses_are_inputs():
    def f(p):
        return np.sum(p.mean**2) * p.scale

    assert argand.check(f, lambda p: Pair(2 * p.mean * p.scale, np.sum(p.mean**2)), Pair(X, 1.5))
    wrong = argand.check(f, lambda p: Pair(2 * p.mean * p.scale, 2 * np.sum(p.mean**2)), Pair(X, 1.5))
    assert (wrong.verdict, wrong.worst.input) == ("fail", "p.scale")
    state = argand.check(lambda s: np.sum(s.h * s.c[0]), lambda s: State(s.c[0], [s.h]), State(X, [X + 1]))
    assert state and [i.name for i in state.inputs] == ["s.h", "s.c[0]"]


def test_non_differentiable_parts_of_a_container_are_unchanged():
    point = {"x": X, "power": 3, "name": "cubes", "mask": np.array([True, False, True]), "none": None}

    def f(p):
        assert p["name"] == "cubes" and p["none"] is None
        return np.sum(p["mask"] * p["x"] ** p["power"])

    assert argand.check(f, lambda p: {"x": 3 * p["mask"] * p["x"] ** 2}, point)
    assert argand.check(f, lambda p: {"x": 6 * p["mask"] * p["x"] ** 2}, point).verdict == "fail"


def test_outputs_in_containers_have_weights_in_containers():
    def f(x):
        return x**2, {"deep": (np.sum(x), Pair(x * 1j, "text"))}

    def vjp(x, w):
        return 2 * x * w[0] + w[1]["deep"][0] + w[1]["deep"][1].mean.imag

    assert argand.check(f, vjp, X, vjp=True)
    for wrong in (lambda x, w: vjp(x, w) + w[1]["deep"][0], lambda x, w: 2 * x * w[0], lambda x, w: vjp(x, w) + w[1]["deep"][1].mean.imag):
        assert argand.check(f, wrong, X, vjp=True).verdict == "fail"


def test_keyword_arguments_are_handed_on():
    f = lambda x, *, scale: scale * np.sum(x**2)
    assert argand.check(f, lambda x, *, scale: 2 * scale * x, X, kwargs={"scale": 3.0})
    assert argand.check(f, lambda x, *, scale: 2 * x, X, kwargs={"scale": 3.0}).diagnosis == "the gradient looks multiplied by 0.333333"


def test_a_pair_of_value_and_gradient_as_for_scipy():
    assert argand.check(lambda x: (cubes(x), 3 * x**2), True, X)
    assert argand.check(lambda x: (cubes(x), 6 * x**2), True, X).diagnosis == "the gradient looks twice the correct one"
    with pytest.raises(argand.Error, match="pass grad=True if it is a .value, gradient. pair"):
        argand.check(lambda x: (cubes(x), 3 * x**2), lambda x: 3 * x**2, X)
    with pytest.raises(argand.Error, match=r"check: with grad=True f must return a pair \(value, gradient\), got a float64 array of shape \(\)"):
        argand.check(cubes, True, X)


def test_seed_rng_fixes_what_is_drawn_and_leaves_the_state_as_it_was():
    import random

    def f(x):
        return np.sum(x**2 * np.random.rand(3)) * random.random()

    def grad(x):
        return 2 * x * np.random.rand(3) * random.random()

    np.random.seed(3)
    random.seed(4)
    assert argand.check(f, grad, X, seed_rng=True)
    assert argand.check(f, lambda x: 2 * grad(x), X, seed_rng=True).verdict == "fail"
    after = np.random.rand(), random.random()
    np.random.seed(3)
    random.seed(4)
    assert after == (np.random.rand(), random.random())


def test_tolerances_are_one_for_all_or_one_an_input():
    f = lambda a, b: np.sum(a**2) + np.sum(b["w"] ** 2)
    grad = lambda a, b: (2 * a, {"w": 2.0002 * b["w"]})
    point = (X, {"w": X})
    assert argand.check(f, grad, point).verdict == "fail"
    for rtol in (1e-3, [1e-8, 1e-3], {"b": 1e-3}, {"b['w']": 1e-3}):
        assert argand.check(f, grad, point, rtol=rtol), rtol
    assert argand.check(f, grad, point, rtol={"a": 1e-3}).worst.input == "b['w']"
    assert argand.check(f, grad, point, atol={"b": 1e-2})
    assert argand.check(f, grad, point, atol=1e-7).verdict == "fail"
    for options, words in (({"rtol": [1e-3]}, "check: rtol has 1 numbers, but there are 2 inputs: a, b['w']"),
                           ({"atol": {"c": 1}}, "check: atol names 'c', but the inputs are a, b['w']"),
                           ({"atol": -1}, "check: atol must not be negative, got -1"),
                           ({"rtol": "x"}, "check: rtol must be a number, a list with one per input, or a dict from input name to number, got a str"),
                           ({"noise": 2}, "check: noise is relative to the values of f and must be in [0, 0.1), got 2"),
                           ({"max_calls": 0}, "check: max_calls must be positive, got 0")):
        with pytest.raises(argand.Error) as error:
            argand.check(f, grad, point, **options)
        assert str(error.value) == words


def test_budgets_end_with_a_verdict():
    f = lambda x: np.sum(np.sin(x))
    spent = argand.check(f, np.cos, X, max_calls=12)
    assert spent.verdict == "inconclusive" and "the budget of 12 calls is used up" in spent.headline
    assert argand.check(f, np.cos, X, max_calls=1000) and argand.check(f, np.cos, X, max_seconds=100)
    # Mistakes found before the budget ran out are still reported.
    two = lambda a, b: np.sum(np.sin(a)) + np.sum(np.sin(b))
    calls = []
    argand.check(lambda x: calls.append(1) or f(x), lambda x: 2 * np.cos(x), X)
    found = argand.check(two, lambda a, b: (2 * np.cos(a), np.cos(b)), (X, X), max_calls=len(calls))
    assert found.verdict == "fail" and "used up" in str(found)


def test_a_function_that_does_not_return_is_stopped():
    calls = []

    def hangs(x):
        calls.append(1)
        while len(calls) > 5:
            pass
        return np.sum(x**2)

    begin = time.monotonic()
    result = argand.check(hangs, lambda x: 2 * x, X, max_seconds=0.5)
    assert result.verdict == "inconclusive" and "the budget of 0.5 s is used up" in result.headline and time.monotonic() - begin < 5
