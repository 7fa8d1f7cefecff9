"""Independent checks: which of them agree, which disagree, and why one has no opinion."""
import argand
import numpy as np
import pytest

X = np.array([0.5, -1.25, 2.0])


def f(x):
    return np.sum(np.sin(x) ** 3)


def grad(x):
    return 3 * np.sin(x) ** 2 * np.cos(x)


def jvp(x, v):
    return np.sum(grad(x) * v)


def refuses_complex(x):
    if np.iscomplexobj(x):
        raise TypeError("real numbers only")
    return np.sum(x**2)


def opinions(result):
    return {w.name: w.opinion for w in result.independent}


def test_the_old_name_still_works_and_says_so():
    result = argand.check(f, grad, X)
    with pytest.warns(DeprecationWarning, match="Result.independent"):
        assert result.witnesses == result.independent


def finding(result, name):
    return next(w.finding for w in result.independent if w.name == name)


def test_all_checks_agree_on_a_right_gradient():
    result = argand.check(f, grad, X, jvp=jvp)
    assert result and opinions(result) == dict.fromkeys(["differences", "adjoint", "taylor", "complex step", "linear"], "agrees")
    assert finding(result, "taylor").startswith("order 2.00 at steps ")
    assert "  for it: differences (relative error " in str(result) and "silent" not in str(result)
    assert "<div>for it: differences (relative error " in result._repr_html_()


def test_all_checks_disagree_with_a_wrong_gradient():
    result = argand.check(f, lambda x: 1.0001 * grad(x), X, jvp=jvp)
    said = opinions(result)
    assert said.pop("linear") == "agrees"  # a scaled gradient is as linear as the gradient itself
    assert result.verdict == "fail" and set(said.values()) == {"disagrees"}
    assert finding(result, "taylor").startswith("order 1.0") and "  against it: differences" in str(result)


@pytest.mark.parametrize("size", [1e-7, 1e-6, 1e-4])
def test_a_small_mistake_is_seen_at_small_steps(size):
    result = argand.check(f, lambda x: (1 + size) * grad(x), X)
    assert not result and finding(result, "complex step") == f"relative error {size:.0e}"
    assert opinions(result)["taylor"] != "agrees"


def test_a_jvp_that_contradicts_differences_and_gradient_is_itself_wrong():
    result = argand.check(f, grad, X, jvp=lambda x, v: 2 * jvp(x, v))
    assert result and opinions(result)["adjoint"] == "silent" and finding(result, "adjoint") == "its forward derivative is wrong"
    assert "the forward derivative is wrong, relative error 5e-01: it contradicts the differences and the gradient, which agree" in result.notes
    both = argand.check(f, lambda x: 2 * grad(x), X, jvp=lambda x, v: 2 * jvp(x, v))
    assert both.verdict == "fail" and opinions(both)["adjoint"] == "agrees"


@pytest.mark.parametrize("name, bend", [
    ("wrong above 2", lambda w: np.where(np.abs(w) > 2, 2 * w, w)),
    ("clipped", lambda w: np.clip(w, -5, 5)),
    ("lost when small", lambda w: np.where(np.abs(w) < 0.1, 0, w)),
    ("wrong for a sum only", lambda w: np.where((np.abs(w) > 1.5) & (np.abs(w) < 4), 0.5 * w, w)),
])
def test_what_is_not_linear_in_the_incoming_gradient_fails(name, bend):
    right = argand.check(lambda x: x**2, lambda x, w: 2 * x * w, X, vjp=True)
    assert right and opinions(right)["linear"] == "agrees"
    result = argand.check(lambda x: x**2, lambda x, w: 2 * x * bend(w), X, vjp=True)
    assert result.verdict == "fail" and opinions(result)["differences"] == "agrees"
    assert result.diagnosis.startswith("not linear in the incoming gradient: ")


SILENT = {
    "no jvp was given": (f, grad, X, {}, "adjoint"),
    "jvp raises TypeError: <lambda>() takes 1 positional argument but 2 were given": (f, grad, X, {"jvp": lambda x: x}, "adjoint"),
    "jvp returns a float64 array of shape (3,), but f returns an array of shape ()": (f, grad, X, {"jvp": lambda x, v: v}, "adjoint"),
    "an input is complex already": (lambda z: np.sum(np.abs(z) ** 2), lambda z: 2 * z, X + 1j, {}, "complex step"),
    "f returns real numbers for complex inputs": (lambda x: np.sum(np.abs(x) ** 3), lambda x: 3 * np.abs(x) * x, X, {}, "complex step"),
    "f discards imaginary parts": (lambda x: float(np.sum(np.array(x, dtype=np.float64))), np.ones_like, X, {}, "complex step"),
    "f raises TypeError for complex numbers": (refuses_complex, lambda x: 2 * x, X, {}, "complex step"),
    "the remainder grows like t^1.0, not t²": (lambda x: np.sum(np.maximum(x, 0)), np.zeros_like, X * 0, {}, "taylor"),
}


@pytest.mark.parametrize("why", SILENT)
def test_silent_checks_say_why(why):
    function, gradient, x, options, name = SILENT[why]
    result = argand.check(function, gradient, x, **options)
    assert (opinions(result)[name], finding(result, name)) == ("silent", why)


def test_a_jvp_must_be_a_function():
    with pytest.raises(argand.Error, match=r"check: jvp must be a function jvp\(x, v\), the derivative of f along v, got a float"):
        argand.check(f, grad, X, jvp=1.5)


def test_noise_hides_no_remainder_that_is_larger():
    noisy = lambda x: float(np.sum(np.exp(x.astype(np.float32))))
    assert argand.check(noisy, np.exp, X) and opinions(argand.check(noisy, np.exp, X))["taylor"] in ("agrees", "silent")
    result = argand.check(noisy, np.exp, X, noise=0)
    assert result.verdict == "inconclusive" and opinions(result)["differences"] == "silent"
    assert opinions(result)["taylor"] in ("agrees", "silent")


def test_the_modules_of_torch_have_all_four():
    torch = pytest.importorskip("torch")
    result = argand.check_torch(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)), torch.ones(2, 3))
    assert set(opinions(result).values()) == {"agrees"}
    assert opinions(argand.check_torch(lambda z: (z * z.conj()).real, torch.tensor([1 + 2j])))["adjoint"] == "agrees"


def test_a_function_without_forward_mode_says_so():
    torch = pytest.importorskip("torch")

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, dy):
            return 3 * ctx.saved_tensors[0] ** 2 * dy

    result = argand.check_torch(Cube.apply, torch.tensor([0.5, 2.0]))
    assert result and finding(result, "adjoint").startswith("PyTorch's forward mode raises ")
    assert opinions(result)["complex step"] == "agrees"
