"""Derivatives of functions: grad, value_and_grad, gradients, vjp, jvp, hvp, hessian, jacobian."""
import argand as ag
import numpy as np
import pytest

NUMBERS = np.random.default_rng(7)


def cplx(*shape):
    return NUMBERS.standard_normal(shape) + 1j * NUMBERS.standard_normal(shape)


def loss(z):
    return ag.abs2(ag.exp(z * 0.5) * z - 1).sum()


def test_value_and_gradient():
    z = cplx(3)
    value, g = ag.value_and_grad(loss)(z)
    x = ag.variable(z)
    L = loss(x)
    L.backward()
    assert value == L.item() and np.array_equal(g, x.grad) and np.array_equal(ag.grad(loss)(z), g)
    a, b = ag.grad(lambda a, b: (a * b).sum())([1.0, 2.0], [3.0, 4.0])
    assert a.tolist() == [3, 4] and b.tolist() == [1, 2]
    assert ag.grad(lambda x: ag.constant(1.0))([1.0, 2.0]).tolist() == [0, 0]


def test_gradients_leave_grad_as_it_is():
    w = ag.variable(2.0)
    (3 * w).backward()
    assert ag.value_and_grad(lambda x: x * w)(5.0)[1].item() == 2
    x = ag.variable(5.0)
    y = x * w
    dy, dx, dw, zero = ag.gradients(y * y, [y, x, w, ag.variable(1.0)])
    assert (dy.item(), dx.item(), dw.item(), zero.item()) == (20, 40, 100, 0)
    assert w.grad.item() == 3 and x.grad is None
    with pytest.raises(ag.Error, match="must be real, but is complex"):
        ag.gradients(w * 1j, [w])
    assert w.grad.item() == 3
    with pytest.raises(TypeError):
        ag.gradients(w * 1.0, [ag.constant(1.0)])


def test_adjoints_agree():
    """Checks that Re sum conj(u) (J v) = Re sum conj(Jᴴ u) v."""
    z, v, u = cplx(2, 3), cplx(2, 3), cplx(2)

    def f(z):
        return (ag.conj(z) * ag.sin(z)).sum(dim=1)

    w, back = ag.vjp(f, z)
    forward = ag.jvp(f, z, v)
    assert w.shape == forward.shape == (2,)
    for _ in range(2):
        np.testing.assert_allclose(np.vdot(u, forward).real, np.vdot(back(u), v).real)
    h = 1e-6
    np.testing.assert_allclose(forward, (f(ag.constant(z + h * v)).numpy() - f(ag.constant(z - h * v)).numpy()) / (2 * h), rtol=1e-7)
    both = ag.jvp(lambda a, b: a * b, (z, v), (v, u[:, None] * np.ones(3)))
    np.testing.assert_allclose(both, v * v + z * u[:, None])


def test_hessian_products_are_derivatives_of_the_gradient():
    z, v, u = cplx(3), cplx(3), cplx(3)
    h = 1e-6
    Hv = ag.hvp(loss, z, v)
    np.testing.assert_allclose(Hv, (ag.grad(loss)(z + h * v).numpy() - ag.grad(loss)(z - h * v).numpy()) / (2 * h), rtol=1e-6)
    np.testing.assert_allclose(np.vdot(u, Hv).real, np.vdot(ag.hvp(loss, z, u), v).real)
    H = ag.hessian(loss, z).numpy()
    assert H.shape == (6, 6)
    np.testing.assert_allclose(H, H.T, atol=1e-12)
    np.testing.assert_allclose(H @ v.view(float), Hv.numpy().view(float))
    a, b = ag.hvp(lambda a, b: (a * b).sum(), ([1.0], [2.0]), ([1.0], [0.0]))
    assert a.tolist() == [0] and b.tolist() == [1]
    w = ag.variable(1.0)
    ag.hvp(lambda x: (x * x * w).sum(), [1.0], [1.0])
    assert w.grad is None


def test_jacobians():
    A = NUMBERS.standard_normal((2, 3))
    np.testing.assert_allclose(ag.jacobian(lambda x: ag.matmul(ag.constant(A), x), np.ones((3, 1))).numpy().reshape(2, 3), A)
    by_z, by_conj = ag.jacobian(lambda z: z * ag.conj(z), np.array([1 + 2j, 3j]))
    np.testing.assert_allclose(by_z, np.diag([1 - 2j, -3j]))
    np.testing.assert_allclose(by_conj, np.diag([1 + 2j, 3j]))


@pytest.mark.parametrize("call, error, text", [
    (lambda: ag.grad(lambda x: 1.0)(1.0), TypeError, "f must return a Tensor .*, got float"),
    (lambda: ag.grad(lambda x: x)([1.0, 2.0]), ag.Error, "real scalar loss"),
    (lambda: ag.grad(lambda x: x * 1j)(1.0), ag.Error, "complex"),
    (lambda: ag.hvp(lambda x: x, [1.0, 2.0], [1.0, 1.0]), ag.Error, "one real number"),
    (lambda: ag.jvp(lambda x: x, [1.0, 2.0], [1.0]), ag.Error, r"tangent of shape \[1\] does not match tensor of shape \[2\]"),
    (lambda: ag.jvp(lambda x: x, 1.0, 1j), TypeError, "cannot convert complex128 to float64"),
    (lambda: ag.jvp(lambda a, b: a, (1.0, 2.0), 1.0), ag.Error, "v must be a tuple of 2 directions"),
])
def test_mismatches_are_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
    assert not ag.constant(1.0).requires_grad and ag.variable(1.0).exp().requires_grad  # the error leaves the modes unchanged


@pytest.mark.parametrize("inner", [ag.grad(lambda z: (z**3).sum()), lambda y: ag.hvp(lambda z: (z**3).sum(), y, np.ones(2)), lambda y: ag.jvp(ag.sin, y, np.ones(2)),
                                   lambda y: ag.vjp(ag.sin, y)[0], lambda y: ag.hessian(lambda z: (z**3).sum(), y), lambda y: ag.jacobian(ag.sin, y)])
@pytest.mark.parametrize("outer", [ag.grad, lambda f: lambda x: ag.jvp(f, x, [1.0, 1.0]), lambda f: lambda x: ag.hvp(f, x, [1.0, 1.0])])
def test_derivatives_of_derivatives_are_refused_rather_than_zero(outer, inner):
    with pytest.raises(ag.Error, match="cannot be nested in another derivative; for second derivatives use hvp or hessian"):
        outer(lambda y: inner(y).sum())([1.0, 2.0])
    with pytest.raises(ZeroDivisionError):
        ag.grad(lambda y: 1 / 0)([1.0])
    x = ag.variable([1.0, 2.0])
    assert inner(x).shape[-1] == 2  # a direct call still works after these errors
    fixed = ag.grad(lambda y: (y * inner(np.array([1.0, 2.0])).sum()).sum())(x)
    assert fixed.shape == (2,) and not np.array_equal(fixed, [0, 0])
