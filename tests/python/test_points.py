"""points=N: finds mistakes that do not show at x, simplifies the point, and accepts correct gradients."""
import argand
import numpy as np
import pytest

X = np.array([0.3, -1.2, 0.7])
Z = np.array([1 + 2j, 0.5 - 0.3j])


def squares(x):
    return np.sum(x**2)


def quiet(f):
    def g(*x):
        with np.errstate(all="ignore"):
            return f(*x)

    return g


# name: (f, a gradient that is right at x and wrong elsewhere, x, what is true of the simplified point)
ELSEWHERE = {
    "above 3": (squares, lambda x: np.where(x > 3, 2.1 * x, 2 * x), X, lambda x: x.max() > 3),
    "below a millionth": (squares, lambda x: np.where(np.abs(x) < 1e-6, 2.1 * x, 2 * x), X, lambda x: np.min(np.abs(x[x != 0])) < 1e-6),
    "at 0": (lambda x: np.sum(np.sinc(x)), lambda x: np.where(x == 0, 1.0, (np.cos(np.pi * x) - np.sinc(x)) / np.where(x == 0, 1, x)), X, lambda x: 0 in x),
    "NaN at 0": (lambda x: np.sqrt(squares(x)) ** 2, quiet(lambda x: 2 * np.sqrt(squares(x)) * x / np.sqrt(squares(x))), X, lambda x: not x.any()),
    "where one is zero": (np.prod, quiet(lambda x: np.prod(x) / x), X, lambda x: 0 in x),
    "where two are equal": (lambda x: np.sum(np.sort(x) * [1, 2, 3]), lambda x: 1.0 + np.sum(x[:, None] > x, 1) + 4 * (np.sum(x[:, None] == x, 1) > 1), X,
                            lambda x: len(set(x)) < 3),
    "overflow": (lambda x: np.sum(np.logaddexp(0, x)), quiet(lambda x: np.exp(x) / (1 + np.exp(x))), X, lambda x: x.max() > 709),
    "in a strip": (squares, lambda x: np.where((x > 1.5) & (x < 1.7), 3 * x, 2 * x), X, lambda x: np.any((x > 1.5) & (x < 1.7))),
    "on the real axis": (lambda z: np.sum(np.abs(z) ** 2), lambda z: np.where(z.imag == 0, 4 * z, 2 * z), Z, lambda z: np.any((z.imag == 0) & (z.real != 0))),
    "left half plane": (lambda z: np.sum(np.abs(z) ** 2), lambda z: np.where(z.real < -1e-3, 2 * z.conj(), 2 * z), Z, lambda z: np.any(z.real < 0)),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_mistake_elsewhere_is_found_and_made_simple(name):
    f, grad, x, holds = ELSEWHERE[name]
    assert argand.check(f, grad, x).verdict == "pass"
    result = argand.check(f, grad, x, points=300)
    assert result.verdict == "fail" and holds(result.point), result
    assert argand.check(f, grad, result.point).verdict == "fail"
    assert f" of 300; simplified in " in result.notes[-1]
    # The numbers have few digits, as if a person had written them.
    assert all(len(f"{abs(v):.12e}".split("e")[0].rstrip("0")) <= 4 for v in np.ravel(result.point).view(float) if v), result.notes


def test_the_same_seed_finds_the_same_point():
    f, grad, x, _ = ELSEWHERE["in a strip"]
    first, second = (argand.check(f, grad, x, points=300, seed=4) for _ in range(2))
    assert first.notes == second.notes and np.array_equal(first.point, second.point)


def test_several_inputs_numbers_and_trees_keep_their_structure():
    def f(p, scale):
        return scale * np.sum(p["w"] ** 2)

    def grad(p, scale):
        return {"w": 2 * scale * p["w"]}, np.sum(p["w"] ** 2) * (1 if scale > -5 else 2)

    result = argand.check(f, grad, ({"w": X}, 2.0), points=200)
    assert not result and isinstance(result.point, tuple) and result.point[0]["w"].shape == (3,) and isinstance(result.point[1], float)
    assert result.point[1] <= -5 and "scale = -" in result.notes[-1]


def test_right_gradients_pass_and_the_points_are_counted():
    result = argand.check(squares, lambda x: 2 * x, X, points=50)
    assert result and result.point is None and result.notes[-1].startswith("50 points: ") and "pass" in result.notes[-1]
    result = argand.check(lambda x: np.sum(np.log(x)), lambda x: 1 / x, np.abs(X), points=60)
    assert result and " without a value" in result.notes[-1]


def test_a_gradient_that_raises_elsewhere_is_told():
    import math

    result = argand.check(lambda x: abs(x) * x, lambda x: 2 * x * x / math.sqrt(x * x), 0.5, points=5)
    assert "refused" in result.notes[-2] and "grad raises ZeroDivisionError" in result.notes[-1]


def test_misuse_gets_one_sentence():
    for points in (0, -1, 2.5, "many", True):
        with pytest.raises(argand.Error, match=f"points must be an integer of at least 1, got {points!r}"):
            argand.check(squares, lambda x: 2 * x, X, points=points) if points is not True else argand._points.search(*[None] * 4, points, 0, None)
    with pytest.raises(argand.Error, match="f raises ValueError"):  # at x itself, where an invalid call is reported
        argand.check(lambda x: np.sum(x.reshape(7)), lambda x: x, X, points=5)


def test_functions_and_modules_of_torch():
    torch = pytest.importorskip("torch")
    right = argand.check_torch(lambda x, y: torch.where(x > 0, x, -2 * x) * y, torch.tensor([0.5, -1.0]), torch.tensor([1.5, 0.25]), points=20)
    assert right and right.notes[-1].startswith("20 points: ")

    def trap(x):  # where x <= 0, the gradient of the branch that was not chosen is NaN
        return torch.where(x > 0, x.sqrt() * x, x * 0)

    result = argand.check_torch(trap, torch.tensor([0.5, 1.5]), points=100)
    assert result.verdict == "fail" and result.diagnosis == "the gradient is not finite" and result.point[0].min() <= 0

    class Saturates(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 2)

        def forward(self, x):
            y = self.linear(x)
            return torch.where(y > 20, y.detach(), y)

    result = argand.check_torch(Saturates(), torch.tensor([[0.5, 1.5]]), points=100)
    assert result.verdict == "fail" and result.point[0].abs().max() > 10, result


def test_the_thousandth_of_a_tiny_gradient_loses_digits_and_does_no_harm():
    x = np.array([-740.0, 0.5])
    f, right = lambda x: np.exp(x[0]) + 1e-310 * x[1], lambda x: np.array([np.exp(x[0]), 1e-310])
    assert argand.check(f, right, x).verdict != "fail"


def test_half_precision_has_noise_and_is_still_accused():
    def f(x):
        return float(np.sum(np.square(x.astype(np.float16)), dtype=np.float16))

    x = np.array([0.7, -1.3, 0.4])
    assert argand.check(f, lambda x: 2 * x, x).verdict != "fail"
    assert argand.check(f, lambda x: 3 * x, x).verdict == "fail"
