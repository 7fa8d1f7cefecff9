"""Kinds of mistakes that are hard to see, and correct gradients that look wrong."""
import argand
import numpy as np
import pytest

X = np.array([0.5, -1.25, 2.0])


def test_an_input_with_a_small_gradient_is_judged_by_its_own_size():
    f = lambda big, small: 1e4 * np.sum(np.sin(big)) + np.sum(np.sin(small))
    grad = lambda big, small: (1e4 * np.cos(big), np.cos(small))
    assert argand.check(f, grad, (X, X))
    result = argand.check(f, lambda big, small: (1e4 * np.cos(big), 2 * np.cos(small)), (X, X))
    assert (result.verdict, result.worst.input, result.diagnosis) == ("fail", "small", "the gradient looks twice the correct one")
    # The input without a mistake gets a separate row.
    assert [i.verdict for i in result.inputs] == ["pass", "fail"] and result.inputs[0].worst_error < 1e-9


class Layer:
    """y = sum x^3 as a layer that passes a buffer from forward to backward."""

    def __init__(self):
        self.now = self.last = self.first = None

    def __call__(self, x):
        self.last, self.now = self.now, x.copy()
        self.first = self.now if self.first is None else self.first
        return np.sum(x**3)


@pytest.mark.parametrize("buffer", ["now", "last", "first"])
def test_a_gradient_of_another_calls_input_is_found(buffer):
    layer = Layer()
    layer(X)
    result = argand.check(layer, lambda x: 3 * getattr(layer, buffer) ** 2, X)
    assert result.verdict == "fail"
    if buffer != "first":
        assert result.diagnosis == "the gradient changes when f is called elsewhere in between: it reads state left by another call"
    else:
        assert any(note.startswith("wrong at a second point") for note in result.notes)


def test_a_module_that_keeps_its_input_in_an_attribute_is_found():
    torch = pytest.importorskip("torch")

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, owner):
            ctx.owner, owner.x = owner, x.detach().clone()
            return x**3

        @staticmethod
        def backward(ctx, dw):
            return 3 * ctx.owner.x**2 * dw, None

    class Owner(torch.nn.Module):
        def forward(self, x):
            return Cube.apply(x, self)

    assert argand.check_module(Owner(), torch.tensor([0.5, 2.0])).verdict == "fail"


def test_a_gradient_that_is_right_at_one_point_only_is_found():
    wrong = lambda x: np.where(np.abs(x - X) < 1e-5, np.cos(x), 1.1 * np.cos(x))
    result = argand.check(lambda x: np.sum(np.sin(x)), wrong, X)
    assert result.verdict == "fail" and any("at a second point one percent away" in note for note in result.notes)


@pytest.mark.parametrize("width", [np.float16, np.float32])
def test_a_right_gradient_in_a_narrow_type_is_not_accused_and_a_wrong_one_is(width):
    functions = ((lambda x: np.tanh(x), lambda x: 1 - np.tanh(x) ** 2), (lambda x: x * x, lambda x: 2 * x), (lambda x: np.exp(-x * x), lambda x: -2 * x * np.exp(-x * x)))
    verdicts = []
    for seed in range(40):
        x = np.random.default_rng(seed).uniform(-1.5, 1.5, 6)
        f, df = functions[seed % len(functions)]
        value = lambda x: f(x.astype(width)).astype(float)
        vjp = lambda x, w: (df(x.astype(width)) * w.astype(width)).astype(float)
        verdicts.append(argand.check(value, vjp, x, vjp=True, seed=seed).verdict)
        if seed % 8 == 0:
            assert argand.check(value, lambda x, w: 2 * vjp(x, w), x, vjp=True, seed=seed).verdict == "fail", seed
    assert "fail" not in verdicts and verdicts.count("pass") >= 36, verdicts


def test_a_stated_type_is_judged_at_its_own_precision():
    torch = pytest.importorskip("torch")
    x = torch.tensor([0.3, -1.2, 0.8, 1.4])
    for dtype in (torch.float32, torch.bfloat16):
        result = argand.check_torch(torch.tanh, x, dtype=dtype)
        assert result and f"checked in {str(dtype)[6:]}" in result.notes
    assert argand.check_torch(lambda x: x * (x + x.detach()), x, dtype=torch.bfloat16).verdict == "fail"


def test_a_stated_noise_is_used():
    noisy = lambda x: float(np.sum(np.round(np.sin(x), 4)))
    assert argand.check(noisy, np.cos, X, noise=1e-4)
    assert argand.check(noisy, lambda x: 1.5 * np.cos(x), X, noise=1e-4).verdict == "fail"


def test_a_nan_gradient_is_reported_as_nan():
    for x, grad in ((X, lambda x: np.full(3, -np.nan)), (np.array([0.0, 1.0, 2.0]), lambda x: np.where(x == 0, np.nan, np.sign(x)))):
        result = argand.check(lambda x: np.sum(np.abs(x)), grad, x)
        assert result.verdict == "fail" and result.diagnosis == "the gradient is not finite"
        text = str(result)
        assert "-nan" not in text and "0e+00" not in text and "kink," not in text
        assert "against it: differences (the gradient is not finite)" in text


def test_random_weights_are_explained_where_they_are_seen():
    result = argand.check(lambda x: x**2, lambda x, w: 3 * x * w, X, vjp=True)
    assert "derivatives of a random weighted sum of the outputs, with weights of modulus 0.5 to 1.5" in result.notes
    assert not any("weights" in note for note in argand.check(lambda x: np.sum(x**2), lambda x: 3 * x, X).notes)


def test_every_element_costs_few_calls():
    calls = []
    x = np.linspace(-1, 1, 400)
    assert argand.check(lambda x: calls.append(1) or np.sum(np.sin(x)), np.cos, x, full=True)
    assert len(calls) < 8 * x.size
