"""Misuse raises an error that says in one sentence what is wrong and what to do."""
import argand
import numpy as np
import pytest

X = np.array([0.5, -1.25, 2.0])


def cubes(x):
    return np.sum(x**3)


def grad(x):
    return 3 * x**2


def overwrites(x):
    x *= 2
    return np.sum(x)


def message(*arguments, **options):
    with pytest.raises(argand.Error) as error:
        argand.check(*arguments, **options)
    assert isinstance(error.value, ValueError) and "\n" not in str(error.value)
    return str(error.value)


def raises(x):
    raise KeyError("weights")


MISTAKES = {
    "check: f returns a list of length 3; return one array, np.array(...) or np.concatenate(...)": (lambda x: list(x), grad, X),
    "check: f returns None; is a return statement missing?": (lambda x: None, grad, X),
    "check: f returns a str; return an array or a number": (lambda x: "3", grad, X),
    "check: f returns an array of shape (3,), but must return one real number; return its sum, or pass vjp=True and grad(x, w), "
    "the gradient of Re(sum(conj(w) * f(x)))": (lambda x: x**3, grad, X),
    "check: f returns a complex number, but must return a real one; return its real part or modulus, or pass vjp=True and "
    "grad(x, w), the gradient of Re(conj(w) * f(x))": (lambda x: np.sum(x) * 1j, grad, X),
    "check: f returns an int64 array of shape (), and integers have no derivative; return floating point numbers": (lambda x: np.sum(x > 0), grad, X),
    "check: f(x) is nan, so there is no derivative to compare with": (lambda x: np.sum(np.log(x)), grad, X),
    "check: f raises KeyError when called at x: 'weights'": (raises, grad, X),
    "check: f modifies its input x; work on a copy, x.copy()": (overwrites, np.ones_like, X),
    "check: f must be a function, got a float64 array of shape (3,)": (X, grad, X),
    "check: grad must be a function, got None": (cubes, None, X),
    "check: grad returns a list of length 3 for x; return an array of shape (3,)": (cubes, lambda x: list(x), X),
    "check: grad returns None; is a return statement missing?": (cubes, lambda x: None, X),
    "check: grad raises KeyError when called at x: 'weights'": (cubes, raises, X),
    "check: grad modifies its input x; work on a copy, x.copy()": (cubes, lambda x: np.add(x, 1, out=x), X),
    "check: the gradient has shape (2,), but x has shape (3,); grad must return one number for each element of x": (cubes, lambda x: x[:2], X),
    "check: the gradient is complex, but x is real; grad must return its real part": (cubes, lambda x: 1j * x, X),
    "check: there are 2 inputs, but grad returns a float64 array of shape (3,); return a tuple with one gradient for each": (lambda x, y: x @ y, lambda x, y: y, (X, X)),
    "check: x is a dict with keys ['a'], but its gradient is a dict of length 1; grad must return a dict with the same keys": (
        lambda x: x["a"] ** 2, lambda x: {"b": 2 * x["a"]}, {"a": 1.0}),
    "check: x is an int64 array of shape (2,), and integers have no derivative; use x.astype(float)": (
        cubes, grad, np.array([1, 2])),
    "check: x is an int, and integers have no derivative; use x.astype(float)": (cubes, grad, 3),
    "check: x is a str; an input must be an array or a number, real or complex, or a dict, list or tuple of these": (cubes, grad, "x"),
    "check: x is empty, with shape (0,); there is nothing to differentiate with respect to": (cubes, grad, np.array([])),
    "check: x[1] is nan; all inputs must be finite": (cubes, grad, np.array([1.0, np.nan])),
    "check: x is an empty tuple; there is nothing to differentiate with respect to": (lambda x: 1.0, grad, ()),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_misuse_gets_one_sentence(text):
    assert message(*MISTAKES[text]) == text


def test_options_that_do_not_exist():
    assert message(cubes, grad, X, convention="numpy") == "check: convention must be one of 'torch', 'tensorflow', 'jax', got 'numpy'"
    assert message(cubes, grad, X, order=3) == "check: order must be 1 (gradient only) or 2 (gradient and Hessian-vector product), got 3"
    assert message(cubes, grad, X, rtol=0) == "check: rtol must be positive, got 0"
    assert message(cubes, grad, X, order=2) == "check: order=2 requires a real scalar f and hvp(x, v), the derivative of grad along v"


def test_randomness_is_refused():
    random = np.random.default_rng(0)
    assert message(lambda x: np.sum(x) * random.random(), np.ones_like, X) == (
        "gradcheck: two calls at the same inputs differ at output element 0; fix the function's random seed, or pass seed_rng=True")
    assert message(cubes, lambda x: grad(x) * random.random(), X).startswith("gradcheck: two calls of the gradient at the same inputs differ by ")


def test_the_cause_stays_with_the_sentence():
    with pytest.raises(argand.Error) as error:
        argand.check(raises, grad, X)
    assert isinstance(error.value.__cause__, KeyError)


def test_a_shape_that_depends_on_the_input_is_refused():
    text = message(lambda x: x[x > 0.5 - 1e-9], lambda x, w: x, np.array([0.5, 2.0]), vjp=True)
    assert text.startswith("gradcheck: the function returns 2 numbers at the point but 1 near it")
