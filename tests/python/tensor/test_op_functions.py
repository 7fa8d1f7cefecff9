"""Every op of the library in Python exists, is documented, and has PyTorch's values and gradients if PyTorch has the op."""
import inspect

import argand as ag
import numpy as np
import pytest
from argand._argand import op_functions

NUMBERS = np.random.default_rng(16)


def real(*shape):
    return NUMBERS.standard_normal(shape)


def positive(*shape):
    return NUMBERS.uniform(0.3, 0.8, shape)


def cplx(*shape):
    return NUMBERS.standard_normal(shape) + 1j * NUMBERS.standard_normal(shape)


def hermitian(n):
    A = cplx(n, n)
    return A @ A.conj().T + n * np.eye(n)


IDS = np.array([[2, 0, 1], [1, 1, 0]])
MASK = np.array([[True, False, True], [False, True, True]])
# For each op, (arguments, keywords) for each kind of input; derivatives are taken with respect to real and complex arrays.
CASES = {
    "add": [((real(2, 3), cplx(3)), {}), ((real(2, 1), real(3)), {})],
    "sub": [((real(2, 3), cplx(3)), {})],
    "mul": [((real(2, 3), cplx(3)), {}), ((cplx(2, 1), cplx(3)), {})],
    "div": [((real(2, 3), cplx(3)), {}), ((cplx(2, 1), positive(3)), {})],
    "pow": [((positive(2, 3), 1.5), {}), ((cplx(2, 3), 3), {}), ((positive(3), positive(3)), {}), ((cplx(3), cplx(3)), {})],
    "atan2": [((real(3), real(3)), {})],
    "logaddexp": [((real(3), real(3)), {})],
    "maximum": [((real(3), real(3)), {})],
    "minimum": [((real(3), real(3)), {})],
    "clamp": [((real(6),), {"min": -0.5, "max": 0.5}), ((real(6),), {"min": 0.1})],
    "where": [((MASK, cplx(2, 3), cplx(3)), {})],
    "masked_fill": [((real(2, 3), MASK, 2.5), {}), ((cplx(2, 3), MASK, 0.5), {})],
    "matmul": [((real(2, 3), real(3, 2)), {}), ((cplx(4, 2, 3), cplx(3, 2)), {})],
    "linear": [((real(4, 3), real(2, 3), real(2)), {}), ((cplx(4, 3), cplx(2, 3)), {})],
    "einsum": [(("bij,bjk->bik", [cplx(2, 2, 3), cplx(2, 3, 2)]), {})],
    "outer": [((cplx(2), cplx(3)), {})],
    "kron": [((cplx(2, 2), cplx(2, 3)), {})],
    "sum": [((cplx(2, 3),), {}), ((real(2, 3, 2),), {"dim": (0, 2)}), ((cplx(2, 3),), {"dim": 1, "keepdim": True})],
    "mean": [((cplx(2, 3),), {}), ((real(2, 3),), {"dim": 0})],
    "prod": [((cplx(4),), {}), ((real(2, 3),), {"dim": 1})],
    "std": [((real(2, 4),), {}), ((cplx(2, 4),), {"dim": 1}), ((real(2, 4),), {"dim": 1, "correction": 0})],
    "var": [((real(2, 4),), {}), ((cplx(2, 4),), {"dim": 1})],
    "max": [((real(2, 3),), {}), ((real(2, 3),), {"dim": 1})],
    "min": [((real(2, 3),), {}), ((real(2, 3),), {"dim": 0, "keepdim": True})],
    "amax": [((real(2, 3),), {"dim": 1})],
    "amin": [((real(2, 3),), {"dim": 1})],
    "median": [((real(5),), {}), ((real(2, 5),), {"dim": 1})],
    "argmax": [((real(2, 5),), {"dim": 1})],
    "argmin": [((real(2, 5),), {})],
    "sort": [((real(2, 5),), {}), ((real(2, 5),), {"dim": 0, "descending": True})],
    "topk": [((real(2, 5), 2), {})],
    "logsumexp": [((real(2, 3),), {"dim": 0})],
    "softmax": [((real(2, 3),), {"dim": 0})],
    "log_softmax": [((real(2, 3),), {"dim": 1})],
    "cumsum": [((cplx(2, 3), 1), {})],
    "cumprod": [((cplx(2, 3), 1), {})],
    "logcumsumexp": [((real(2, 3), 1), {})],
    "flatten": [((cplx(2, 3, 2), 1), {}), ((real(),), {})],
    "squeeze": [((cplx(2, 1, 3),), {}), ((real(1, 3), 1), {})],
    "unsqueeze": [((cplx(2, 3), -1), {})],
    "reshape": [((cplx(2, 3), (3, -1)), {})],
    "permute": [((cplx(2, 3, 2), (2, 0, 1)), {})],
    "transpose": [((cplx(2, 3, 2), 0, 2), {})],
    "cat": [(([cplx(2, 3), cplx(1, 3)],), {}), (([real(2, 3), real(2, 1)],), {"dim": 1})],
    "concatenate": [(([real(2, 3), real(1, 3)],), {})],
    "stack": [(([real(2, 3), real(2, 3)],), {"dim": 1})],
    "split": [((cplx(5, 2), 2), {}), ((cplx(2, 5), (1, 4)), {"dim": 1})],
    "flip": [((cplx(2, 3), (0, 1)), {})],
    "roll": [((cplx(2, 3), 1, 1), {})],
    "pad": [((cplx(2, 3), (1, 2)), {}), ((real(1, 2, 3), (1, 2)), {"mode": "reflect"})],
    "diagonal": [((cplx(3, 3),), {}), ((real(2, 3, 3),), {"offset": 1, "dim1": 1, "dim2": 2})],
    "diag_embed": [((cplx(2, 3),), {})],
    "trace": [((cplx(3, 3),), {})],
    "gather": [((cplx(2, 3), 1, IDS), {})],
    "index_select": [((cplx(2, 3), 1, IDS[0]), {})],
    "scatter_add": [((cplx(2, 3), 1, IDS, cplx(2, 3)), {})],
    "embedding": [((IDS, real(4, 2)), {})],
    "expm1": [((real(3),), {})],
    "log1p": [((positive(3),), {})],
    "complex": [((real(3), real(3)), {})],
    "polar": [((positive(3), real(3)), {})],
    "view_as_complex": [((real(3, 2),), {})],
    "view_as_real": [((cplx(3),), {})],
    "real": [((cplx(3),), {})],
    "imag": [((cplx(3),), {})],
    "polygamma": [((1, positive(3)), {})],
    "layer_norm": [((real(2, 4), (4,), real(4), real(4)), {})],
    "cross_entropy": [((real(3, 4), np.array([0, 3, 2])), {"label_smoothing": 0.1})],
    "binary_cross_entropy_with_logits": [((real(3), positive(3)), {})],
    "huber_loss": [((real(3), real(3)), {"delta": 0.7})],
    "mse_loss": [((real(3), real(3)), {})],
    "conv1d": [((real(2, 4, 7), real(6, 2, 3), real(6)), {"stride": 2, "padding": 1, "groups": 2})],
    "conv2d": [((real(1, 2, 5, 4), real(3, 2, 2, 3)), {"padding": (1, 0)})],
    "conv3d": [((real(1, 2, 3, 4, 3), real(2, 2, 2, 2, 2)), {})],
    "conv_transpose1d": [((real(1, 2, 4), real(2, 3, 3)), {"stride": 2})],
    "conv_transpose2d": [((real(1, 2, 3, 3), real(2, 3, 2, 2)), {"stride": 2})],
    "avg_pool1d": [((real(1, 2, 5), 2), {"stride": 1})],
    "max_pool1d": [((real(1, 2, 5), 2), {"padding": 1})],
    "avg_pool2d": [((real(1, 2, 4, 4), 2), {})],
    "max_pool2d": [((real(1, 2, 4, 4), 2), {})],
    "unfold": [((real(1, 2, 4, 4), 2), {})],
    "det": [((cplx(3, 3),), {}), ((real(3, 3),), {})],
    "slogdet": [((real(3, 3),), {})],
    "inv": [((cplx(3, 3),), {})],
    "pinv": [((real(4, 2),), {})],
    "cholesky": [((hermitian(3).real,), {})],
    "solve": [((cplx(3, 3), cplx(3, 2)), {})],
    "lstsq": [((real(4, 2), real(4, 2)), {})],
    "matrix_exp": [((cplx(3, 3),), {})],
    "matrix_power": [((cplx(3, 3), 3), {})],
    "eigvals": [((cplx(3, 3),), {})],
    "eigvalsh": [((hermitian(3).real,), {})],
    "svdvals": [((cplx(3, 2),), {})],
    "vector_norm": [((cplx(2, 3),), {}), ((real(2, 3),), {"dim": 1})],
    "fft": [((cplx(2, 4),), {"norm": "ortho"}), ((real(4),), {"n": 6})],
    "ifft": [((cplx(2, 4),), {})],
    "rfft": [((real(2, 5),), {})],
    "irfft": [((cplx(2, 4),), {"n": 6})],
    "fft2": [((cplx(2, 3, 4),), {})],
    "ifft2": [((cplx(2, 3, 4),), {})],
    "fftn": [((cplx(2, 3, 4),), {})],
    "ifftn": [((cplx(2, 3, 4),), {})],
    "rfft2": [((real(3, 4),), {})],
    "rfftn": [((real(3, 4),), {})],
    "irfft2": [((cplx(3, 3),), {"s": (3, 4)})],
    "irfftn": [((cplx(3, 3),), {"s": (3, 4)})],
    "stft": [((real(32), 8), {"window": np.hanning(8)})],
    "istft": [((cplx(5, 9), 8), {"window": np.hanning(8) + 0.1})],
}
# The factors are unique only up to a gauge and cannot be compared element by element, so tests/autograd checks their products.
# dropout draws different masks than PyTorch's.
GAUGED = {"eig", "eigh", "svd", "qr", "dropout"}
COMPLEX_ONLY = {"angle", "sgn", "conj"}


def homes():
    torch = pytest.importorskip("torch")
    # More specific modules come first, because torch.solve, torch.cholesky and torch.lstsq are older, with different conventions.
    return {"fft": [torch.fft], "unfold": [torch.nn.functional]}, [torch.linalg, torch.special, torch.fft, torch.nn.functional, torch]


def torchs(name):
    special, everywhere = homes()
    for home in special.get(name, everywhere):
        if hasattr(home, name):
            return getattr(home, name)
    return None


def cases(name):
    if name in CASES:
        return CASES[name]
    parameters = op_functions[name].parameters
    needed = [p for p in parameters if not p[2]]
    if len(needed) != 1 or needed[0][1] != "Tensor":
        return []
    x = positive(2, 3) + (1.0 if name == "acosh" else 0.0)
    found = [] if name in COMPLEX_ONLY else [((x,), {})]
    try:
        op_functions[name](ag.constant(cplx(2)))
    except ag.Error:
        return found
    return found + [((cplx(2, 3),), {})]


def is_numbers(a):
    return isinstance(a, np.ndarray) and a.dtype.kind in "fc"


def both(torch, case):
    """Returns the arguments for argand and for PyTorch, and the variables among them."""
    args, kwargs = case
    ours, theirs = [], []

    def given(a):
        if isinstance(a, list):
            pairs = [given(item) for item in a]
            return [p[0] for p in pairs], [p[1] for p in pairs]
        if not is_numbers(a):
            return a, torch.tensor(a) if isinstance(a, np.ndarray) else a
        x, t = ag.variable(a), torch.tensor(a, requires_grad=True)
        ours.append(x)
        theirs.append(t)
        return x, t

    pairs = [given(a) for a in args]
    windows = {k: (v, torch.tensor(v)) if isinstance(v, np.ndarray) else (v, v) for k, v in kwargs.items()}
    return ([p[0] for p in pairs], {k: v[0] for k, v in windows.items()}, ours), ([p[1] for p in pairs], {k: v[1] for k, v in windows.items()}, theirs)


@pytest.mark.parametrize("name", sorted(set(op_functions) - GAUGED))
def test_its_value_and_gradient_are_those_of_pytorch(name):
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    from composed_ops import COMPOSED  # also used for names that a later PyTorch has, with different defaults
    function, todo = COMPOSED[name] if name in COMPOSED else (torchs(name), cases(name))
    assert todo, f"{name} has no case; add one to CASES"
    for case in todo:
        (args, kwargs, x), (their_args, their_kwargs, t) = both(torch, case)
        if name in ("fft", "rfft", "irfft", "ifft"):
            function = getattr(torch.fft, name)
        if name == "einsum":
            their_args = [their_args[0], *their_args[1]]
        if name == "stft":
            their_kwargs["return_complex"] = True
        value, theirs = op_functions[name](*args, **kwargs), function(*their_args, **their_kwargs)
        if name == "lstsq":
            theirs = theirs[0]
        values = value if isinstance(value, (tuple, list)) else [value]
        theirs = theirs if isinstance(theirs, (tuple, list)) else [theirs]
        assert len(values) == len(theirs)
        for v, w in zip(values, theirs):
            w = w.resolve_conj()
            order = np.argsort(np.asarray(v).view(float).reshape(-1, 2)[:, 0]) if name == "eigvals" else ...
            if name == "eigvals":
                w = w[torch.argsort(w.real)]
            np.testing.assert_allclose(np.asarray(v)[order], w.detach().numpy(), rtol=1e-9, atol=1e-11, err_msg=str(case))
            if not isinstance(v, ag.Tensor) or not v.requires_grad:
                continue
            seed = cplx(*v.shape) if v.dtype.kind == "c" else real(*v.shape)
            ours = ag.gradients(v, x, seed, retain_graph=True)
            again = ag.gradients(v, x, seed, retain_graph=len(values) > 1)
            seed_t = torch.tensor(np.asarray(seed)[order] if name == "eigvals" else np.asarray(seed))
            wanted = torch.autograd.grad(w, t, seed_t, retain_graph=True, allow_unused=True)
            for a, b, g in zip(ours, again, wanted):
                np.testing.assert_array_equal(a, b, err_msg="a second backward pass through a retained graph gives different gradients")
                np.testing.assert_allclose(a, 0 if g is None else g.resolve_conj().numpy(), rtol=1e-8, atol=1e-10, err_msg=str(case))


def test_every_function_of_the_registry_is_here():
    assert len(op_functions) > 150
    for name, function in op_functions.items():
        assert getattr(ag, name) is function
        assert function.__doc__.startswith(function.signature.split("(")[0] + "(") and function.__name__ == name
        assert function.result


def test_methods_are_those_functions():
    z = ag.variable(cplx(2, 3))
    for name, method in (("exp", z.exp), ("sum", z.sum), ("abs2", z.abs2), ("conj", z.conj)):
        np.testing.assert_array_equal(method(), op_functions[name](z))
    assert z.reshape(3, 2).shape == z.reshape((3, 2)).shape == z.reshape([3, 2]).shape == (3, 2)
    assert z.sum(axis=1, keepdims=True).shape == z.sum(dim=1, keepdim=True).shape == (2, 1)
    assert z.T.shape == (3, 2) and np.array_equal(z.H, np.conj(z.numpy()).T)
    assert inspect.ismethod(z.exp)


def test_several_results_have_names():
    values, indices = result = ag.sort(ag.constant([3.0, 1.0, 2.0]))
    assert result.values is values and indices.tolist() == [1, 2, 0] and indices.dtype == np.int64
    parts = ag.split(ag.variable([1.0, 2.0, 3.0]), 2)
    assert [p.shape for p in parts] == [(2,), (1,)]
    parts[1].sum().backward()


@pytest.mark.parametrize("call, error, text", [
    (lambda z: ag.exp(), ag.Error, "exp"),
    (lambda z: ag.exp(z, z), ag.Error, "exp"),
    (lambda z: ag.exp(nothing=1), ag.Error, "nothing"),
    (lambda z: ag.exp(z, input=z), ag.Error, "input"),
    (lambda z: ag.exp("z"), ag.Error, "exp"),
    (lambda z: ag.exp(None), ag.Error, "exp"),
    (lambda z: ag.exp(object()), TypeError, "exp"),
    (lambda z: ag.matmul(z, ag.constant(np.ones((4, 5)))), ag.Error, "matmul: inner dimensions do not match: [2, 3] and [4, 5]"),
    (lambda z: z.reshape(4), ag.Error, "reshape"),
    (lambda z: z.sum(dim=7), ag.Error, "sum"),
    (lambda z: ag.gather(z, 1, np.array([[9, 0, 0]])), ag.Error, "gather: index 9 is out of range for axis 1 of [2, 3]"),
    (lambda z: ag.gather(z, 1, np.array([[1 << 40]])), ag.Error, "gather"),
    (lambda z: ag.cat([z, "x"]), TypeError, "cat"),
    (lambda z: ag.topk(z, 1.5), ag.Error, "topk"),
])
def test_arguments_that_do_not_fit(call, error, text):
    with pytest.raises(error) as raised:
        call(ag.variable(real(2, 3)))
    assert text in str(raised.value)
