"""Unexpected inputs, and features that users expect of a tensor because NumPy's arrays or PyTorch's tensors have them."""
import copy
import pickle
import subprocess
import sys

import argand as ag
import numpy as np
import pytest


class OnlyDlpack:
    """An array from a library that supports DLPack but not NumPy."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


# Inputs.

@pytest.mark.parametrize("array", [np.arange(6.0).reshape(2, 3)[:, ::2], np.arange(6.0).reshape(2, 3).T, np.array(2.0), np.zeros((0, 3))])
def test_dlpack_alone_is_enough(array):
    if not hasattr(np, "from_dlpack"):
        pytest.skip("this NumPy has no from_dlpack")
    np.testing.assert_array_equal(ag.constant(OnlyDlpack(array)), array)


@pytest.mark.parametrize("what, text", [
    ([[1.0], [1.0, 2.0]], "variable: <class 'list'> is not an array of numbers: setting an array element with a sequence"),
    (None, "variable: <class 'NoneType'> is not an array of numbers"),
    ((i for i in range(3)), "variable: <class 'generator'> is not an array of numbers"),
    (np.array([1, None]), "variable: got an array of object"),
])
def test_an_error_says_why_it_is_no_array(what, text):
    with pytest.raises(TypeError) as raised:
        ag.variable(what)
    assert str(raised.value).startswith(text)


def test_an_array_larger_than_the_machine_is_a_memory_error():
    huge = np.broadcast_to(1.0, (10**6, 10**6))  # a view of a single element
    for call in (ag.variable, ag.exp, lambda a: ag.variable(1.0) * a):
        with pytest.raises(MemoryError):
            call(huge)


def test_pytorchs_reason_is_passed_on():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="requires grad"):
        ag.constant(torch.ones(2, requires_grad=True))
    with pytest.raises(TypeError, match="(?i)bfloat16"):
        ag.constant(torch.ones(2, dtype=torch.bfloat16))
    turned = torch.arange(12.0, dtype=torch.float64).reshape(3, 4).t()[::2]
    np.testing.assert_array_equal(ag.constant(turned), turned)


def test_an_interrupt_in_a_conversion_is_no_type_error():
    class Slow:
        def __array__(self, dtype=None, copy=None):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ag.variable(Slow())


# Copies.

def test_copies_of_a_variable_keep_all_that_it_has():
    z = ag.nn.initial("full", (2,), complex, "bias", a=1.0)
    z.name = "layer.bias"
    ag.abs2(z).sum().backward()
    for copied in (copy.copy(z), copy.deepcopy(z), pickle.loads(pickle.dumps(z))):
        assert copied is not z and copied.is_variable and copied.name == "layer.bias" and copied.dtype == z.dtype
        assert ag._argand.role_of(copied) == "bias"
        np.testing.assert_array_equal(copied, z)
        np.testing.assert_array_equal(copied.grad, z.grad)
        copied.assign([5.0, 6.0])
        copied.zero_grad()
    np.testing.assert_array_equal(z, [1, 1])
    np.testing.assert_array_equal(z.grad, [2, 2])
    for dtype in ("float32", "complex64"):
        c = pickle.loads(pickle.dumps(ag.constant(np.ones((0, 2), dtype))))
        assert c.dtype == dtype and c.shape == (0, 2) and not c.requires_grad


def test_a_graph_is_not_copied():
    y = ag.variable(2.0) * 3
    for f in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(ag.Error, match=r"copy: this tensor is the result of mul.*copy x.detach\(\)"):
            f(y)
    assert float(copy.deepcopy(y.detach())) == 6


def test_a_copied_network_trains_by_itself_and_keeps_what_is_shared():
    net = ag.nn.Sequential(ag.nn.Linear(2, 3), ag.nn.Tanh(), ag.nn.Linear(3, 3))
    net[2].weight = net[2].bias = ag.variable(np.ones(3))
    best = copy.deepcopy(net)
    assert len(best.parameters()) == len(net.parameters()) == 3
    before = net.state_dict()
    opt = ag.optim.AdamW(best.parameters(), lr=0.1)
    (best[0](np.ones((1, 2))) ** 2).sum().backward()
    opt.step()
    assert all(np.array_equal(net.state_dict()[name], value) for name, value in before.items())
    assert not np.array_equal(best[0].weight, net[0].weight)
    again = pickle.loads(pickle.dumps(best))
    x = np.ones((4, 2))
    np.testing.assert_array_equal(again[0](x), best[0](x))


# NumPy's functions.

@pytest.mark.parametrize("f", [np.exp, np.tanh, np.abs, np.conj, np.arctan, np.negative, np.square, np.sqrt])
def test_numpys_functions_are_ops(f):
    z = ag.variable(np.array([0.3 + 0.2j, 1 - 0.5j]))
    w = f(z)
    assert isinstance(w, ag.Tensor) and w.requires_grad
    np.testing.assert_allclose(w, f(z.numpy()), rtol=1e-14)


def test_operators_with_an_array_on_the_left_have_gradients():
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    x = ag.variable(np.array([0.5, 2.0]))
    for y, same in ((a + x, x + a), (a - x, -(x - a)), (a * x, x * a), (a / x, (x / a) ** -1.0), (a @ x, (x * a).sum(axis=1)), (a**x, ag.exp(x * np.log(a)))):
        assert isinstance(y, ag.Tensor)
        np.testing.assert_allclose(y, same)
        (ours,), (theirs,) = (ag.gradients(t.sum(), [x]) for t in (y, same))
        np.testing.assert_allclose(ours, theirs)
    assert isinstance(np.float64(2) * x, ag.Tensor) and np.arctan2(x, a).shape == (2, 2)
    total = np.zeros(2)
    total += x  # this turns it into a tensor
    assert isinstance(total, ag.Tensor) and np.array_equal(total, x)


def test_questions_are_answered_by_numpy():
    x = ag.variable([1.0, np.nan, np.inf])
    assert np.isnan(x).tolist() == [False, True, False] and np.isfinite(x).tolist() == [True, False, False]
    assert (np.array([0.0, 5.0, 1.0]) > x).tolist() == [False, False, False]


def test_reductions_by_numpys_functions():
    x = ag.variable(np.arange(6.0).reshape(2, 3))
    assert np.sum(x).requires_grad and np.mean(x, axis=0).shape == (3,) and float(np.max(x)) == 5
    np.testing.assert_array_equal(np.cumsum(x, axis=1), np.cumsum(x.numpy(), axis=1))


@pytest.mark.parametrize("call, text", [
    (lambda x: np.floor(x), "np.floor is not supported for tensors"), (lambda x: np.add.reduce(x), "np.add.reduce"), (lambda x: np.exp(x, out=np.zeros(2)), "np.exp"),
    (lambda x: np.multiply(np.ones(2), x, out=np.zeros(2)), "np.multiply"), (lambda x: np.modf(x), "np.modf"),
])
def test_what_has_no_gradient_says_so(call, text):
    with pytest.raises(TypeError, match=text):
        call(ag.variable([1.0, 2.0]))


# Conventions of PyTorch and Python.

def test_shapes_by_pytorchs_names():
    x = ag.variable(np.arange(6.0).reshape(2, 1, 3))
    assert x.view(3, -1).shape == (3, 2) and x.unsqueeze(0).shape == (1, 2, 1, 3) and x.unsqueeze(-1).shape == (2, 1, 3, 1)
    assert x.squeeze().shape == (2, 3) and x.squeeze(0).shape == (2, 1, 3) and ag.squeeze(x, -2).shape == (2, 3)
    assert ag.flatten(x).shape == (6,) and ag.flatten(x, 1).shape == x.flatten(1).shape == (2, 3) and ag.flatten(2.0).shape == (1,)
    (x.flatten(1).unsqueeze(1).squeeze(1) * 2).sum().backward()
    np.testing.assert_array_equal(x.grad, np.full((2, 1, 3), 2.0))
    for call in (lambda: x.unsqueeze(4), lambda: x.squeeze(3), lambda: x.flatten(5)):
        with pytest.raises(ag.Error, match="out of range"):
            call()
    with pytest.raises(ag.Error, match="comes before the first"):
        x.flatten(2, 0)


def test_a_loss_is_formatted_like_its_number():
    x = ag.variable([1.0, 2.0])
    assert f"{x.sum() / 8:.2f} {abs(ag.variable(3 + 4j)):6.3g}|{ag.constant(1 + 2j):.1f}" == "0.38      5|1.0+2.0j"
    assert f"{x}" == str(x)
    with pytest.raises(ag.Error, match="2 elements, not one"):
        f"{x:.2f}"


def test_pooling_and_losses_match_pytorch():
    torch = pytest.importorskip("torch")
    numbers = np.random.default_rng(7)
    images, logits, t = numbers.standard_normal((2, 3, 6, 6)), numbers.standard_normal((4,)), numbers.uniform(0, 1, 4)
    for name, options in (("MaxPool2d", {"kernel_size": 2}), ("AvgPool2d", {"kernel_size": 3, "stride": 1}), ("MaxPool2d", {"kernel_size": 3, "padding": 1}), ("Flatten", {})):
        ours, theirs = getattr(ag.nn, name)(**options), getattr(torch.nn, name)(**options)
        np.testing.assert_allclose(ours(images), theirs(torch.tensor(images)), rtol=1e-12)
    for name in ("BCEWithLogitsLoss", "HuberLoss"):
        assert float(getattr(ag.nn, name)()(ag.variable(logits), t)) == pytest.approx(float(getattr(torch.nn, name)()(torch.tensor(logits), torch.tensor(t))))
    assert repr(ag.nn.MaxPool2d(2)) == "MaxPool2d(kernel_size=2, stride=2, padding=0)"


@pytest.mark.parametrize("make", [
    lambda: ag.nn.Linear(0, 3), lambda: ag.nn.Linear(-1, 3), lambda: ag.nn.Linear(2.5, 3), lambda: ag.nn.Linear("2", 3), lambda: ag.nn.Embedding(0, 2),
    lambda: ag.nn.Conv1d(0, 2, 3), lambda: ag.nn.LayerNorm(None),
])
def test_a_layer_of_no_size(make):
    with pytest.raises(ag.Error, match="sizes of a layer must be whole numbers above 0|cannot be divided|must be"):
        make()
    with pytest.raises(ag.Error, match="3 and 2 channels cannot be divided into 2 groups"):
        ag.nn.Conv1d(3, 2, 3, groups=2)
    assert ag.nn.Linear(np.int64(2), 3).weight.shape == (3, 2)


def test_old_bindings_refuse_numpy_2(tmp_path):
    """pybind11 before 2.12 misreads the types of NumPy 2: this must raise ImportError, not give wrong numbers."""
    (tmp_path / "numpy.py").write_text("__version__ = '2.1.0'\n")
    folder = ag._argand.__file__
    code = f"import importlib.util as u; s = u.spec_from_file_location('_argand', {folder!r}); u.module_from_spec(s)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)})
    pybind11 = subprocess.run(["pkg-config", "--modversion", "pybind11"], capture_output=True, text=True, check=True).stdout
    is_old = tuple(map(int, pybind11.split(".")[:2])) < (2, 12)
    assert ("cannot read the arrays of NumPy 2.1.0: install numpy<2" in done.stderr) == is_old
