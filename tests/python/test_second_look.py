"""Correct gradients that look wrong, each paired with a similar wrong one: ties, kinks closer than the steps, rounding in f."""
import argand
import numpy as np
import pytest

W = np.array([0.4, -0.6, 1.3])


def sorted_sum(x):
    return np.sum(W * np.sort(x))


def ranks(x):
    return np.argsort(np.argsort(x, kind="stable"), kind="stable")


def hidden(x):  # has no kink along either axis at 0
    return abs(x[0] + x[1]) - abs(x[0] - x[1])


def hidden_gradient(x):
    s, d = (1.0 if x[0] + x[1] >= 0 else -1.0), (1.0 if x[0] - x[1] >= 0 else -1.0)
    return np.array([s - d, s + d])


def damped(x):  # has a kink 3e-6 away from x, where differences with smaller steps are useless
    y = np.maximum(x, 0)
    u = y - np.mean(y)
    return np.sum(W * u / (1 + np.abs(u)))


def damped_gradient(x):
    y = np.maximum(x, 0)
    u = y - np.mean(y)
    g = W / (1 + np.abs(u)) ** 2
    return (g - np.mean(g)) * (x > 0)


def centred(x):  # is 0 where every element of y is 1
    y = 1 / (1 + np.exp(-np.cumsum(x)))
    return np.sum(W * (y - np.mean(y)))


def centred_gradient(x):
    y = 1 / (1 + np.exp(-np.cumsum(x)))
    return np.cumsum(((W - np.mean(W)) * y * (1 / (1 + np.exp(np.cumsum(x)))))[::-1])[::-1]


V = np.array([1.0, -0.8])
GRAIN = 2e-11  # f's values are integer multiples of this

# (f, a correct gradient, the point, how to make the gradient wrong)
RIGHT = {
    "three that tie": (sorted_sum, lambda x: W[ranks(x)], np.zeros(3), lambda g: g + [0, 0, 2.0]),
    "nearly tie": (sorted_sum, lambda x: W[ranks(x)], np.array([8e-25, 2e-25, 1.0]), lambda g: g + [2.0, 0, 0]),
    "hidden along the axes": (hidden, hidden_gradient, np.zeros(2), lambda g: g + [0, 2.5]),
    "a kink nearby": (damped, damped_gradient, np.array([3e-6, 0.0, 20000.0]), lambda g: g * [40.0, 1, 1]),
    "a side of a kink": (lambda x: np.sum(W * np.arctan(np.abs(x))), lambda x: W * np.where(x > 0, 1, -1) / (1 + x * x), np.array([1.0, 0.0, 0.0]),
                         lambda g: g + [0, 2.5, 0]),
    "flat between kinks": (lambda x: np.sum(W * np.arctan(np.maximum(np.abs(x) - 0.1, 0))), np.zeros_like, np.array([0.01, 0.0, 0.02]),
                           lambda g: g + [0, 0.5, 0]),
    "closer than any step": (lambda x: V @ np.sort(np.exp(-x * x)), lambda x: -2 * x * np.exp(-x * x) * V[ranks(np.exp(-x * x))], np.array([4e-8, -2e-8]),
                             lambda g: g + [0, 1e-3]),
    "between two sizes": (lambda x: np.tanh(np.abs(x[0] + x[1]) - np.abs(x[0] - x[1])), lambda x: np.array([0.0, 2.0]), np.array([4e-30, 0.0]),
                          lambda g: g + [0, 1e-2]),
    "under a staircase": (lambda x: 0.01 + GRAIN * np.round((2e-9 * abs(x[0]) + 1e-3 * x[1]) / GRAIN), lambda x: np.array([2e-9, 1e-3]), np.array([0.0, 0.5]),
                          lambda g: g * [10, 1]),
    "saturated": (centred, centred_gradient, np.array([50.0, 0.0, 0.0]), lambda g: g + 1e-3),
    "constant": (lambda x: float(np.sum(x * 0)), lambda x: 1e-13 * x, np.array([2000.0, 1.0]), lambda g: g + 1e-3),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_gradient_is_not_accused_and_a_wrong_one_is(name):
    f, grad, x, corrupt = RIGHT[name]
    assert argand.check(f, grad, x).verdict != "fail"
    assert argand.check(f, lambda x: corrupt(grad(x)), x).verdict == "fail"


def test_a_turn_between_adjacent_numbers_is_inconclusive():
    f, grad = lambda z: np.sin(z.real * z.imag), lambda z: np.cos(z.real * z.imag) * (z.imag + 1j * z.real)
    for z in (3e12 - 2e12j, np.array(7e7 + 1e9j)):
        assert argand.check(f, grad, np.array(z)).verdict == "inconclusive"
    assert argand.check(f, lambda z: 1.5 * grad(z), np.array(3.0 - 2j)).verdict == "fail"


def test_a_wrong_gradient_near_a_zero_of_it_is_no_kink():
    # f has the claimed slope at points near x, as it would at a kink, but not at x.
    for x in (1e-8, 3e-8, -2e-7):
        for factor in (1.5, -1.0, 0.0):
            assert argand.check(lambda x: np.sum(x**2), lambda x: factor * 2 * x, np.array([x, x])).verdict == "fail"


@pytest.mark.parametrize("at", [1.0, -3.0, 1e6])
def test_a_jump_of_the_gradient_is_no_rounding(at):
    # Away from 0, the last bits of x decide on which side of the kink it lies; f has no kink along either axis.
    f, grad = lambda x: hidden(x - at), lambda x: hidden_gradient(x - at) + [0, 2.5]
    result = argand.check(f, grad, np.array([at, at]))
    assert result.verdict == "fail" and not any("second point" in note for note in result.notes), result


def test_a_gradient_that_is_another_one_at_x_alone_is_wrong():
    x = np.array([0.3, 0.7, 1.1])
    result = argand.check(lambda x: np.sum(x**2), lambda y: np.where(y == x, 3 * y, 2 * y), x)
    assert result.verdict == "fail" and not any("second point" in note for note in result.notes), result


def test_rounding_is_no_nonlinearity():
    # The gradient of b, a bias before a normalisation, is 0 up to rounding; that of x is not.
    def f(x, b):
        y = x + b
        return (y - np.mean(y)) / np.sqrt(np.var(y) + 1e-5)

    def vjp(x, b, w):
        y = x + b
        s = np.sqrt(np.var(y) + 1e-5)
        n = (y - np.mean(y)) / s
        g = (w - np.mean(w) - n * np.mean(w * n)) / s
        return g, np.sum(g)

    assert argand.check(f, vjp, (np.linspace(-1, 2, 7) ** 3, 0.3), vjp=True).verdict != "fail"


@pytest.mark.parametrize("x", [[1e-6, 2.0], [50.0], [50.0, 1.0], [300.0, -2.0], [-50.0], [1e-9]])
@pytest.mark.parametrize("factor", [2.0, 0.0, -1.0, 1.001])
def test_large_values_elsewhere_do_not_excuse_an_error(x, factor):
    x = np.array(x)
    assert argand.check(lambda x: np.sum(np.exp(x)), lambda x: factor * np.exp(x), x).verdict == "fail"
    if factor != 1.001 or abs(x[0]) > 1e-3:  # close to 0, rounding in f hides a thousandth of its gradient
        assert argand.check(lambda x: np.sum(np.cosh(x)), lambda x: factor * np.sinh(x), x).verdict == "fail"


def test_last_bits_may_differ_from_call_to_call():
    # A library may choose its kernels by memory alignment, which changes the last bits of a tiny gradient whose terms cancel.
    calls = [0]

    def grad(x):
        calls[0] += 1
        return 1e-9 * np.cos(x) + (calls[0] % 2) * 2e-17

    assert argand.check(lambda x: np.sum(1 + 1e-9 * np.sin(x)), grad, np.array([0.3, 0.4])).verdict != "fail"
    with pytest.raises(argand.Error, match="two calls of the gradient"):
        argand.check(lambda x: np.sum(np.sin(x)), lambda x: np.cos(x) + 1e-8 * next(ODD), np.array([0.3, 0.4]))


ODD = iter(range(1000000))
