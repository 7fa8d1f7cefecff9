"""argand.check_jax. Debian has no JAX. If it is not installed, a stand-in built on PyTorch's autograd follows its convention; this
tests the adaptor's convention, not that it works with JAX."""
import sys
import types

import argand
import numpy as np
import pytest

torch = pytest.importorskip("torch")

Z = np.array([1 + 2j, 0.5 - 0.3j])


def stand_in():
    """Modules with jax.vjp, jax.jvp and jax.numpy.asarray. JAX's pullback of w is conj(PyTorch's pullback of conj(w))."""

    def vjp(f, *x):
        tensors = [torch.from_numpy(np.array(a)).requires_grad_() for a in x]
        y = f(*tensors)

        def pullback(w):
            grads = torch.autograd.grad(y, tensors, torch.from_numpy(np.array(w)).conj())
            return tuple(g.conj().resolve_conj().numpy() for g in grads)

        return y.detach().numpy(), pullback

    def jvp(f, x, v):
        with torch.autograd.forward_ad.dual_level():
            y = torch.autograd.forward_ad.unpack_dual(f(*[torch.autograd.forward_ad.make_dual(*map(torch.from_numpy, map(np.array, p))) for p in zip(x, v)]))
            return y.primal.resolve_conj().numpy(), y.tangent.resolve_conj().numpy()

    return types.SimpleNamespace(vjp=vjp, jvp=jvp, numpy=types.SimpleNamespace(asarray=np.asarray))


@pytest.fixture
def jax(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", stand_in())
    return sys.modules["jax"]


def test_gradients_in_the_convention_of_jax_pass(jax):
    def f(z, x):
        return z * z * abs(z) * x

    result = argand.check_jax(f, Z, np.array([0.5, -2.0]))
    assert result and result.name == "f" and [i.name for i in result.inputs] == ["z", "x"]
    assert argand.check_jax(lambda z: (z * z.conj()).real.sum(), Z)


def test_the_other_convention_is_named(jax, monkeypatch):
    right = jax.vjp
    monkeypatch.setattr(jax, "vjp", lambda f, *x: (right(f, *x)[0], lambda w: tuple(np.conj(g) for g in right(f, *x)[1](np.conj(w)))))
    assert argand.check_jax(lambda z: z * z, Z).diagnosis == "conjugated: this is the convention of PyTorch and TensorFlow"


def test_single_precision_is_refused(jax):
    with pytest.raises(argand.Error, match="f computes in single precision; call jax.config.update"):
        argand.check_jax(lambda z: np.asarray(z).astype(np.complex64), Z)


def test_without_jax_its_absence_is_the_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(ImportError, match="jax"):
        argand.check_jax(lambda z: z, Z)
