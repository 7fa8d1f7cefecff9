"""Tensors and the tape: NumPy arrays in and out, operators, indexing, backward passes, and errors."""
import gc

import argand as ag
import numpy as np
import pytest

NUMBERS = np.random.default_rng(39)


def cplx(*shape):
    return NUMBERS.standard_normal(shape) + 1j * NUMBERS.standard_normal(shape)


def numerical(f, x, step=1e-6):
    """dL/dx + i dL/dy by central differences."""
    g = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        for unit in (1, 1j) if x.dtype.kind == "c" else (1,):
            h = np.zeros_like(x)
            h[i] = unit * step
            g[i] += unit * (f(x + h) - f(x - h)) / (2 * step)
    return g


def test_the_program():
    z = ag.variable(np.array([1 + 0.5j]))
    L = ag.abs2(z**2 + 1).sum()
    L.backward()
    # L = |z² + 1|² has dL/dx + i dL/dy = 2 conj(2z) (z² + 1).
    np.testing.assert_allclose(z.grad, 2 * np.conj(2 * (1 + 0.5j)) * ((1 + 0.5j) ** 2 + 1))
    assert float(L) == 4.0625


# NumPy arrays in and out.

@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_types_stay_what_they_are(dtype):
    a = np.arange(6).reshape(2, 3).astype(dtype)
    for x in (ag.variable(a), ag.constant(a)):
        assert x.dtype == dtype and x.shape == (2, 3) and x.ndim == 2 and x.size == 6 and len(x) == 2
        assert np.array_equal(x.numpy(), a) and np.asarray(x).dtype == dtype
    assert ag.variable(a).requires_grad and not ag.constant(a).requires_grad


@pytest.mark.parametrize("array", [
    np.arange(12.0).reshape(3, 4)[:, ::2], np.arange(12.0).reshape(3, 4).T, np.arange(6.0)[::-1], np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.arange(6).astype(">f8"), np.array([1 + 2j]).astype(">c16"), np.array([1, 2]), np.array([True]), np.float16([1.5]), np.zeros((0, 3)), np.array(3.0),
    np.broadcast_to(2.0, (2, 2)),
])
def test_arrays_of_every_layout(array):
    read_only = array.copy()
    read_only.flags.writeable = False
    for a in (array, read_only):
        x = ag.variable(a)
        np.testing.assert_array_equal(x.numpy(), a)
        assert x.dtype.isnative and x.shape == a.shape
        x.backward(np.ones(a.shape))
        np.testing.assert_array_equal(x.grad, np.ones(a.shape))


@pytest.mark.parametrize("what", ["text", None, object(), [1, "a"], np.array(["a"]), np.longdouble(1), np.zeros((1,) * 9), np.array([1], "datetime64[s]")])
def test_objects_that_are_not_arrays_of_numbers(what):
    with pytest.raises(TypeError):
        ag.variable(what)


def test_values_saved_on_the_tape_cannot_be_changed():
    a = np.array([1.0, 2.0])
    x = ag.variable(a)
    L = (x * x).sum()
    a[:] = 100
    view = x.numpy()
    with pytest.raises(ValueError):
        view[0] = 100
    with pytest.raises(ValueError):
        view.flags.writeable = True
    with pytest.raises(TypeError, match="cannot be changed in place"):
        x[0] = 100
    x.assign([7.0, 8.0])
    L.backward()
    np.testing.assert_array_equal(x.grad, [2, 4])  # at the values that L was computed from
    np.testing.assert_array_equal(view, [1, 2])
    np.testing.assert_array_equal(x, [7, 8])


def test_views_outlive_their_tensor_and_share_its_numbers():
    x = ag.constant(np.arange(100000.0))
    a, b = x.numpy(), x.numpy()
    assert np.shares_memory(a, b)
    del x
    gc.collect()
    assert a[99999] == 99999


def test_tensors_convert_to_and_from_pytorch():
    torch = pytest.importorskip("torch")
    x = ag.variable([1 + 2j, 3.0])
    t = torch.from_dlpack(x)
    t[0] = 5
    assert x.tolist() == [1 + 2j, 3]
    np.testing.assert_array_equal(ag.constant(t), [5, 3])
    assert (x * torch.tensor([1.0, 2.0], dtype=torch.float64)).tolist() == [1 + 2j, 6]


def test_single_numbers():
    x = ag.variable(2.5)
    assert float(x) == x.item() == 2.5 and int(x) == 2 and complex(x) == 2.5 and bool(x) and x.tolist() == 2.5
    assert complex(ag.constant(1 + 2j)) == ag.constant(1 + 2j).item() == 1 + 2j
    with pytest.raises(TypeError, match="complex"):
        float(ag.constant(1 + 2j))
    with pytest.raises(ag.Error, match="item"):
        ag.constant([1.0, 2.0]).item()
    with pytest.raises(ag.Error, match="item"):
        bool(ag.constant(np.zeros(0)))
    with pytest.raises(TypeError):
        len(x)


def test_repr():
    z = ag.variable([1 + 2j])
    assert repr(z) == "tensor([1.+2.j], dtype=complex128, variable)"
    assert repr(z * z) == "tensor([-3.+4.j], dtype=complex128, op=mul)"
    assert repr(ag.constant(1.0)) == "tensor(1., dtype=float64)"
    with pytest.raises(TypeError, match="argand.variable"):
        ag.Tensor([1.0])


# Operators.

OPERATORS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b, "**": lambda a, b: a**b,
}
OPERANDS = [np.array([[1.5], [2.0]]), np.array([0.5, 1.0, 2.0]), cplx(2, 3), 2, 0.5, 1 + 2j, np.float32(2), np.int64(3)]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("i", range(len(OPERANDS)))
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_operators_match_numpy_and_have_gradients(name, i, kind):
    f, other = OPERATORS[name], OPERANDS[i]
    a = np.array([[1.0, 2.0, 0.5], [0.7, 1.1, 3.0]]) + (1j * 0.3 if kind == "complex" else 0)
    for call in (lambda x: f(x, other), lambda x: f(other, x)):
        x = ag.variable(a)
        y = call(x)
        assert isinstance(y, ag.Tensor)
        np.testing.assert_allclose(y, call(a), rtol=1e-12)
        w = NUMBERS.standard_normal(y.shape)
        y.backward(w)
        np.testing.assert_allclose(x.grad, numerical(lambda v: np.sum(w * np.real(call(v))), a), rtol=1e-6, atol=1e-7)
    x, b = ag.variable(a), ag.variable(other)
    if b.dtype == x.dtype or b.dtype.itemsize >= 8:
        f(x, b).backward(np.ones(np.broadcast(a, other).shape))
        np.testing.assert_allclose(b.grad, numerical(lambda v: np.sum(np.real(f(a, v))), np.asarray(other, b.dtype)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shapes", [((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((5, 2, 3), (3, 2)), ((3,), (5, 3, 2))])
def test_matrix_products_match_numpy(shapes):
    a, b = NUMBERS.standard_normal(shapes[0]), cplx(*shapes[1])
    x, y = ag.variable(a), ag.variable(b)
    w = x @ y
    np.testing.assert_allclose(w, a @ b)
    np.testing.assert_allclose(a @ y, a @ b)
    (w.real if w.ndim else ag.real(w)).sum().backward()
    np.testing.assert_allclose(x.grad, numerical(lambda v: np.sum(np.real(v @ b)), a), rtol=1e-6, atol=1e-7)
    with pytest.raises(ag.Error, match="matmul"):
        x @ 2


def test_the_wider_precision_wins():
    x, y = ag.variable(np.float32([1.5, 2])), ag.variable([2.0, 3.0])
    assert (x + y).dtype == "float64" and (x * 2).dtype == (x * 2.5).dtype == "float32" and (x * 1j).dtype == "complex64"
    assert (x * np.array([1.0, 2.0])).dtype == "float64" and (x * np.complex64(1j)).dtype == "complex64"
    (x * y).sum().backward()
    assert x.grad.dtype == "float32" and np.array_equal(x.grad, [2, 3]) and np.array_equal(y.grad, [1.5, 2])
    z = x.astype("complex128")
    (z * z.conj()).real.sum().backward()
    assert x.grad.dtype == "float32"
    with pytest.raises(TypeError, match="real part"):
        z.astype(float)
    with pytest.raises(TypeError):
        x.astype(int)
    assert ag.matmul(ag.variable(np.ones((2, 2), "float32")), ag.variable(np.ones((2, 2)))).dtype == "float64"


def test_comparisons_are_arrays():
    x = ag.variable([1.0, 2.0, 3.0])
    assert (x > 1.5).tolist() == [False, True, True] and (x == x).all() and (x != np.array([1, 2, 4])).tolist() == [False, False, True]
    assert not x == None and x != None  # noqa: E711: that is what is tested
    assert len({x, x, ag.constant(1.0)}) == 2
    np.testing.assert_array_equal(ag.where(x > 1.5, x, 0.0), [0, 2, 3])


# Indexing.

@pytest.mark.parametrize("key", [
    0, -1, slice(1, 3), slice(None, None, 2), slice(None, None, -1), (slice(None), 1), (1, 2), (..., 0), (None, 1), (slice(2, 1),), ([0, 2, 2],), ([0, 1], [1, 2]),
    np.array([[0, 1], [2, 2]]), (slice(None), [2, 0]), np.array([True, False, True]), (np.array([True, False, True]), slice(1, 3)), (), ..., (1, ..., None),
    np.int64(1), True, np.array([2, -1, 0, 2]), np.array([1], "uint8"), np.array(2), np.array([], int), (slice(None), np.array([3, 0, -1])), (slice(0, 2), np.array([1])),
    (..., np.array([[1, 1], [0, -4]])), (None, np.array([1])), (np.array([0, 1]), 2), (0, np.array([1, 1])), (np.array([0, 2]), np.array([3, 3])),
])
def test_indexing_matches_numpy_and_has_gradients(key):
    a = cplx(3, 4)
    x = ag.variable(a)
    y = x[key]
    np.testing.assert_array_equal(y, a[key])
    w = cplx(*y.shape)
    y.backward(w)
    g = np.zeros_like(a)
    np.add.at(g, key, w)
    np.testing.assert_array_equal(x.grad, g)


@pytest.mark.parametrize("key", [3, -4, (0, 0, 0), (..., ...), "a", 1.5, [7], np.array([True]), np.array([0, 3]), (slice(None), np.array([[-5]])), (0, 0, np.array([0]))])
def test_indices_out_of_range_are_index_errors(key):
    with pytest.raises(IndexError):
        ag.variable(np.zeros((3, 4)))[key]


def test_rows_come_one_by_one():
    x = ag.variable(np.arange(6.0).reshape(3, 2))
    assert [row.tolist() for row in x] == x.tolist()
    a, b, c = x
    (a * c).sum().backward()
    np.testing.assert_array_equal(x.grad, [[4, 5], [0, 0], [0, 1]])
    with pytest.raises(TypeError):
        iter(ag.constant(1.0))


# Backward passes.

def test_gradients_accumulate_until_they_are_cleared():
    x = ag.variable(3.0)
    assert x.grad is None
    (x * x).backward()
    (x * x).backward()
    assert float(x.grad) == 12
    x.zero_grad()
    assert x.grad is None
    x.grad = 5.0
    (2 * x).backward()
    assert float(x.grad) == 7
    x.grad = None
    assert x.grad is None


@pytest.mark.parametrize("loss, text", [
    (lambda z: z * z, "the loss must be real, but is complex; take its real part or its modulus first"),
    (lambda z: (z * z).sum(), "the loss must be real, but is complex"),
    (lambda z: abs(z), r"requires a real scalar loss, got shape \[2\]; sum or average first"),
    (lambda z: abs(z.detach()).sum(), "the loss does not depend on any variable"),
    (lambda z: abs(z[:0]), "real scalar loss"),
])
def test_values_that_backward_cannot_start_from(loss, text):
    with pytest.raises(ag.Error, match=text):
        loss(ag.variable([1 + 2j, 3.0])).backward()


def test_a_graph_is_walked_once_unless_it_is_retained():
    x = ag.variable(3.0)
    y = x * x
    L = y * 2
    L.backward(retain_graph=True)
    L.backward()
    assert float(x.grad) == 24
    for again in (L, y * 3):
        with pytest.raises(ag.Error, match=r"backward pass through this mul is over.*retain_graph=True"):
            again.backward()
    assert float(x.grad) == 24


def test_two_separate_losses_each_have_a_backward_pass():
    x = ag.variable(2.0)
    a, b = x * x, x * 5
    a.backward()
    b.backward()
    assert float(x.grad) == 9


def test_gradients_in_the_middle_are_kept_where_asked_for():
    x = ag.variable(3.0)
    y = x * x
    y.retain_grad()
    z = y + 1
    (z * z).backward()
    assert float(y.grad) == 20
    with pytest.warns(UserWarning, match="freed"):
        assert z.grad is None
    with pytest.raises(ag.Error, match="over"):
        z.retain_grad()
    with pytest.raises(ag.Error, match="constant"):
        ag.constant(1.0).retain_grad()


def test_no_grad_records_nothing():
    x = ag.variable(2.0)

    @ag.no_grad()
    def square(x):
        return x * x

    with ag.no_grad(), ag.no_grad():
        y = x * x
        x -= 0.5
    assert not y.requires_grad and not square(x).requires_grad and (x * x).requires_grad
    assert float(x) == 1.5 and x.is_variable
    with pytest.raises(ZeroDivisionError):
        with ag.no_grad():
            1 / 0
    assert (x * x).requires_grad
    assert not x.detach().requires_grad


def test_nan_and_infinity_pass():
    x = ag.variable([np.nan, np.inf, 0.0])
    y = (x * 2).sum()
    assert np.isnan(y.item())
    y.backward()
    np.testing.assert_array_equal(x.grad, [2, 2, 2])
