"""Custom ops: their gradient is checked when it is attached, and then they are recorded on the tape like any other op."""
import argand as ag
import numpy as np
import pytest


@ag.op
def squash(z):
    """The function z / (1 + |z|²)."""
    return z / (1 + np.abs(z) ** 2)


@squash.vjp
def _(g, z, w):
    d = 1 + np.abs(z) ** 2
    return g / d - 2 * z * np.real(np.conj(g) * z) / d**2


@squash.jvp
def _(v, z):
    d = 1 + np.abs(z) ** 2
    return v / d - 2 * z * np.real(np.conj(v) * z) / d**2


@ag.op
def product(a, b):
    return a * b


@product.vjp
def _(g, a, b):
    # A real input's gradient is real.
    da, db = g * np.conj(b), g * np.conj(a)
    return da if np.iscomplexobj(a) else da.real, db if np.iscomplexobj(b) else db.real


def by_ops(z):
    return z / (1 + ag.abs2(z))


def test_value_gradient_and_tangent_are_those_of_the_same_in_ops():
    a = np.array([1 + 0.5j, -2j, 0.3])
    w = np.array([1 - 1j, 2.0, 1j])
    x, y = ag.variable(a), ag.variable(a)
    ours, ops = squash(x), by_ops(y)
    np.testing.assert_allclose(ours, ops)
    assert ours.name == "squash" and "op=squash" in repr(ours)
    (ours * 2).backward(w)
    (ops * 2).backward(w)
    np.testing.assert_allclose(x.grad, y.grad)
    np.testing.assert_allclose(ag.jvp(lambda z: squash(z) * 2, a, w), ag.jvp(lambda z: by_ops(z) * 2, a, w))
    assert isinstance(squash(a), np.ndarray) and squash.__doc__ == "The function z / (1 + |z|²)."
    assert squash(ag.variable(np.float32([1, 2]))).dtype == "float32"


def test_several_inputs_of_which_one_is_no_variable():
    x, c = ag.variable([1.0, 2.0]), np.array([1j, 2.0])
    w = product(x, c)
    ag.abs2(w).sum().backward()
    np.testing.assert_allclose(x.grad, [2, 16])
    y = ag.variable([1 + 1j])
    ag.abs2(product(y, y)).sum().backward()
    z = ag.variable([1 + 1j])
    ag.abs2(z * z).sum().backward()
    np.testing.assert_allclose(y.grad, z.grad)


PLANTED = {
    "conjugated": lambda g, z: 2 * z * g,
    "half the correct one": lambda g, z: np.conj(z) * g,
    "negated": lambda g, z: -2 * np.conj(z) * g,
}


@pytest.mark.parametrize("mistake", PLANTED)
def test_a_wrong_gradient_is_refused_with_a_diagnosis(mistake):
    @ag.op
    def my_square(z):
        return z * z

    with pytest.raises(ag.GradientError, match=f"my_square .*gradient is wrong.*{mistake}"):
        my_square.vjp(PLANTED[mistake])
    with pytest.raises(ag.Error, match="has no gradient yet; define one with @my_square.vjp"):
        my_square(ag.variable(1.0))
    assert float(my_square(ag.constant(3.0))) == 9
    my_square.vjp(lambda g, z: 2 * np.conj(z) * g)
    with pytest.raises(ag.GradientError, match="jvp is wrong"):
        my_square.jvp(lambda v, z: 3 * z * v)
    with pytest.raises(ag.Error, match="my_square: has no forward mode"):
        ag.jvp(my_square, 1.0, 1.0)


def test_mistakes_in_a_custom_op_are_named():
    @ag.op
    def two(z):
        return z, 2 * z

    with pytest.raises(ag.Error, match="two: an op must return one NumPy array, got a tuple"):
        two.vjp(lambda g, z: g)

    @ag.op
    def inner(z):
        return ag.exp(ag.constant(z))

    with pytest.raises(ag.Error, match="inner: an op must return one NumPy array, got a Tensor"):
        inner.vjp(lambda g, z, w: g * np.conj(w))

    @ag.op
    def triple(z):
        return 3 * z

    with pytest.raises(ag.Error, match="triple: got 2 gradients for 1 inputs"):
        triple.vjp(lambda g, z: (3 * g, 3 * g))


def test_an_input_that_is_always_real_is_judged_as_such():
    def soft(z, t):
        r = np.maximum(np.abs(z), 1e-30)
        return np.where(r > t, (1 - t / r) * z, 0)

    def gradient(g, z, t):
        r = np.maximum(np.abs(z), 1e-30)
        turn, on = np.real(np.conj(z / r) * g), np.abs(z) > t
        return on * ((1 - t / r) * g + t / r * z / r * turn), -(on * turn)

    with pytest.raises(ag.GradientError, match="If an input is always real, check it as such: argand.op"):
        ag.op(soft).vjp(gradient)  # for a complex t the gradient would be different
    own = ag.op(at=(np.array([1 + 1j, 0.2j]), np.array([0.3, 0.3])))(soft)
    own.vjp(gradient)
    z, t = ag.variable([1 + 1j, 0.1j]), ag.variable([0.5, 0.5])
    ag.abs2(own(z, t)).sum().backward()
    np.testing.assert_allclose(t.grad, [-2 * (np.sqrt(2) - 0.5), 0])


def test_real_ops_are_judged_at_real_inputs():
    @ag.op(inputs="real")
    def hinge(x):
        return np.maximum(x, 0)

    hinge.vjp(lambda g, x: g * (x > 0))
    x = ag.variable([1.0, -1.0])
    hinge(x).sum().backward()
    np.testing.assert_array_equal(x.grad, [1, 0])

    @ag.op(at=(np.ones((2, 3)), np.ones((3, 1))))
    def times(A, b):
        return A @ b

    times.vjp(lambda g, A, b: (g @ b.T, A.T @ g))
    A = ag.variable(np.ones((2, 3)))
    times(A, np.array([[1.0], [2], [3]])).sum().backward()
    np.testing.assert_array_equal(A.grad, [[1, 2, 3]] * 2)


def own(vjp):
    @ag.op(inputs="real")
    def triple(x):
        return 3 * x

    triple.vjp(lambda g, x: 3 * g)
    triple._vjp = vjp
    return triple


class Odd(Exception):
    pass


def odd(*_):
    raise Odd("in the middle")


@pytest.mark.parametrize("vjp, error, text", [
    (odd, Odd, "in the middle"),
    (lambda g, x, w: [g[:1]], ag.Error, r"triple: the gradient of input 0 has shape \[1\], expected \[2\]"),
    (lambda g, x, w: [g * 1j], ag.Error, "triple: the gradient of input 0 is complex"),
    (lambda g, x, w: [g, g], ag.Error, "triple: got 2 gradients for 1 inputs"),
    (lambda g, x, w: ["g"], TypeError, "triple"),
])
def test_exceptions_in_a_callback_propagate_from_backward(vjp, error, text):
    x = ag.variable([1.0, 2.0])
    y = x * 2
    L = own(vjp)(y).sum()
    with pytest.raises(error, match=text):
        L.backward()
    assert x.grad is None
    with pytest.raises(ag.Error, match="over"):
        L.backward()
    (x * 3).sum().backward()
    np.testing.assert_array_equal(x.grad, [3, 3])


def test_a_callback_cannot_change_its_arguments():
    def greedy(g, x, w):
        with pytest.raises(ValueError):
            x[0][0] = 5
        return [3 * g]

    x = ag.variable([1.0, 2.0])
    own(greedy)(x).sum().backward()
    np.testing.assert_array_equal(x.grad, [3, 3])


@pytest.mark.parametrize("make, text", [
    (lambda: ag.op(lambda *z: z), "does not fix the number of inputs"),
    (lambda: ag.op(np.sin, inputs="any"), "op: inputs must be one of .*, got 'any'"),
    (lambda: own(None).vjp(lambda g: g), "2 or 3 arguments, got 1"),
    (lambda: own(None).jvp(lambda v: v), "attach the vjp first|2 or 3 arguments, got 1"),
])
def test_invalid_custom_ops(make, text):
    with pytest.raises((ag.Error, ValueError), match=text):
        make()


def test_names_of_the_library_are_taken():
    def exp(z):
        return z

    with pytest.raises(ag.Error, match="exp"):
        ag.op(exp)


def test_it_has_no_second_derivative():
    with pytest.raises(ag.Error, match="squash: has no second derivative"):
        ag.hvp(lambda z: ag.abs2(squash(z)).sum(), [1j], [1.0])
