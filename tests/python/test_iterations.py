"""Functions that iterate until convergence get a verdict, although they would loop forever if called with NaN."""
import time

import argand
import numpy as np
import pytest


def fixed_point(a):
    """The solution of x = cos(a x), by iteration until it no longer changes."""
    assert np.all(np.isfinite(a))
    x = np.ones_like(a)
    while True:
        y = np.cos(a * x)
        if np.all(np.abs(y - x) <= 1e-15):
            return y
        x = y


def fixed_point_gradient(a):
    x = fixed_point(a)
    return -x * np.sin(a * x) / (1 + a * np.sin(a * x))


def test_a_fixed_point():
    a = np.array([0.3, 0.7, 0.5])
    begin = time.monotonic()
    assert argand.check(lambda a: np.sum(fixed_point(a)), fixed_point_gradient, a)
    assert argand.check(lambda a: np.sum(fixed_point(a)), lambda a: 1.01 * fixed_point_gradient(a), a).verdict == "fail"
    assert argand.check(lambda a: np.sum(fixed_point(a)), fixed_point_gradient, a, full=True)
    assert time.monotonic() - begin < 30


def test_an_initial_value_problem():
    integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")

    def end(p):  # the solution of y' = -p0 y + p1 sin t at t = 1
        solution = integrate.solve_ivp(lambda t, y: -p[0] * y + p[1] * np.sin(t), (0, 1), [1.0], rtol=1e-7, atol=1e-9)
        return float(solution.y[0, -1])

    def gradient(p):
        """The gradient, by the sensitivity equations."""
        def right(t, y):
            return [-p[0] * y[0] + p[1] * np.sin(t), -p[0] * y[1] - y[0], -p[0] * y[2] + np.sin(t)]

        solution = integrate.solve_ivp(right, (0, 1), [1.0, 0.0, 0.0], rtol=1e-7, atol=1e-9)
        return solution.y[1:, -1]

    p = np.array([0.7, 1.3])
    begin = time.monotonic()
    assert argand.check(end, gradient, p).verdict != "fail"
    assert argand.check(end, lambda p: 2 * gradient(p), p).verdict == "fail"
    assert time.monotonic() - begin < 100
