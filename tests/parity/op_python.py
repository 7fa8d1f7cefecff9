"""The ops of op_cases.py in Python: ARGAND is the counterpart of TORCH for argand's tensors, and by_python() runs the cases like
op_parity.cpp."""
import argand as ag
import numpy
from op_cases import TORCH

OWN = ("cumsum", "cumprod", "prod", "kron", "outer", "pow", "erfc", "lgamma", "solve", "inv", "det", "svdvals", "lstsq", "pinv", "matrix_exp", "matrix_power",
       "conv1d", "conv2d", "conv3d", "unfold", "conv_transpose1d", "conv_transpose2d", "max_pool2d", "avg_pool2d", "matmul", "log_softmax",
       "vector_norm", "logsumexp", "logcumsumexp", "logaddexp", "atan2", "erfinv", "log1p", "expm1", "softplus", "log_sigmoid", "tan", "sinh", "cosh", "sinc",
       "asin", "acos", "atan", "asinh", "acosh", "atanh", "variance", "stddev", "mse", "huber", "diagonal",
       "eigvalsh", *(way + real + "fft" + axes for way in ("", "i") for real in ("", "r") for axes in ("", "2", "n")))


def with_window(transform):
    def f(x, window=None, n_fft=8, **args):
        w = None if window is None else 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(window) / window)
        return transform(x, n_fft, window=w, win_length=window, **args)
    return f


def bell(x):
    return x / (x * x + 2)


def from_eigen(A):
    values, V = ag.eigh(A)
    return (V * bell(values)[..., None, :]) @ V.H


def from_singular(A, f):
    U, S, Vh = ag.svd(A)
    return (U * f(S)[..., None, :]) @ Vh


def of_eigenvalues(A):
    values, V = ag.eig(A)
    W = (V * (values**2 + 1)[..., None, :]) @ ag.inv(V)
    return W if A.dtype.kind == "c" else W.real


def weighted(A):
    values, V = ag.eig(A)
    return (ag.abs2(V) @ (values**2)[..., None])[..., 0]


def identity(A):
    return numpy.eye(A.shape[-1])


ARGAND = {
    **{name: getattr(ag, name) for name in OWN},
    "stft": with_window(ag.stft),
    "istft": with_window(ag.istft),
    "complex_istft": with_window(ag.complex_istft),
    "slogdet sign": lambda A: ag.slogdet(A)[0],
    "slogdet log": lambda A: ag.slogdet(A)[1],
    "eigh vectors": lambda A: ag.eigh(A)[1],
    "eigh |v|^2": lambda A: ag.abs2(ag.eigh(A)[1]),
    "eigh function": from_eigen,
    "cholesky": lambda A: ag.cholesky(A @ A.H + 0.5 * identity(A)),
    "qr Q": lambda A: ag.qr(A)[0],
    "qr R": lambda A: ag.qr(A)[1],
    "svd U": lambda A: ag.svd(A)[0],
    "svd |u|^2": lambda A: ag.abs2(ag.svd(A)[0]),
    "svd |v|^2": lambda A: ag.abs2(ag.svd(A)[2]),
    "svd function": lambda A: from_singular(A, bell),
    "svd polar": lambda A: from_singular(A, lambda S: S * 0 + 1),
    "eig vectors": lambda A: ag.eig(A)[1],
    "eig sum": weighted,
    "eig function": of_eigenvalues,
    "sqrtm": lambda A: ag.sqrtm(ag.matrix_exp(A)),
    "logm": lambda A: ag.logm(A @ A + identity(A)),
    "roll": lambda x, shifts, dim: ag.roll(x, shifts, dim),
    "flip": lambda x, dim: ag.flip(x, dim),
    "pad": lambda x, sizes, mode="constant": ag.pad(x, sizes, mode),
    "einsum": lambda *inputs, equation: ag.einsum(equation, list(inputs)),
    "sort": lambda x, dim, descending: ag.sort(x, dim, descending).values,
    "topk": lambda x, k, dim, largest: ag.topk(x, k, dim, largest).values,
    "median": lambda x, dim: ag.median(x, dim)[0],
    "where positive": lambda x, y: ag.where(x.real > 0, x, y),
    "infinite norm": lambda x, dim, largest: ag.vector_norm(x, numpy.inf if largest else -numpy.inf, dim),
    "cross_entropy": lambda x, targets, **args: ag.cross_entropy(x, targets, **args),
    "binary_cross_entropy": lambda x, t: ag.binary_cross_entropy_with_logits(x, ag.sigmoid(t)),
}
assert set(ARGAND) == set(TORCH), set(ARGAND) ^ set(TORCH)


def by_python(cases, arrays):
    """Returns ({name: array}, {case number: error}), like op_parity.cpp."""
    outputs, errors = {}, {}
    for k, case in enumerate(cases):
        args = dict(case.args)
        stretch = args.pop("stretch", None)
        x = [ag.variable(arrays[f"{k}.x{i}"]) for i in range(len(case.inputs))]
        try:
            y = ARGAND[case.op](*([ag.expand(x[0], stretch), *x[1:]] if stretch else x), **args)
            outputs[f"{k}.value"] = y.numpy()
            for i, gradient in enumerate(ag.gradients(y, x, arrays[f"{k}.W"])):
                outputs[f"{k}.d{i}"] = gradient.numpy()
        except ag.Error as error:
            errors[k] = str(error)
    return outputs, errors
