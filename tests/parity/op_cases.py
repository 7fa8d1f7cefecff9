"""Cases that compare argand's ops with PyTorch's, one per line.

case(op, inputs..., expect=..., and arguments with PyTorch's names): `op` is a key of TORCH below and of the table in op_parity.cpp;
R(2, 3) and C(2, 3) are random real and complex inputs of that shape; arrays are used unchanged.
"""
import itertools

import numpy
import torch

NORMS = ("backward", "ortho", "forward")


class R(tuple):
    """The shape of a random real input."""
    def __new__(cls, *shape):
        return super().__new__(cls, shape)

    def draw(self, random):
        return random.standard_normal(self)


class C(R):
    """The shape of a random complex input."""
    def draw(self, random):
        return random.standard_normal(self) + 1j * random.standard_normal(self)


class Case:
    """`expect` is "same" if value and gradient agree, "refused" if both libraries refuse the gradient, "argand refuses" if PyTorch
    returns a gradient that is not finite, or the correct gradient of the first input if PyTorch's is wrong. `W` is the incoming
    gradient: random, an array, or ones of stride 0 (as from the backward pass of a sum)."""
    def __init__(self, op, *inputs, expect="same", W="random", **args):
        self.op, self.inputs, self.expect, self.W, self.args = op, inputs, expect, W, args

    def __str__(self):
        shapes = ", ".join(type(x).__name__ + str(list(x)) if isinstance(x, R) else str(numpy.asarray(x).tolist()) for x in self.inputs)
        return f"{self.op} of {shapes}" + "".join(f", {key}={value}" for key, value in self.args.items())


def adjoint(A):
    return A.transpose(-2, -1).conj()


def hermitian(A):
    return (A + adjoint(A)) / 2


def bell(x):
    return x / (x * x + 2)


def from_eigen(A):
    values, V = torch.linalg.eigh(hermitian(A))
    return (V * bell(values).unsqueeze(-2)) @ adjoint(V)


def from_singular(A, f):
    U, S, Vh = torch.linalg.svd(A, full_matrices=False)
    return (U * f(S).unsqueeze(-2)) @ Vh


def by_eigenvectors(f):
    """f of a matrix that need not be Hermitian, from its eigenvectors; for a real matrix, the real part."""
    def of_matrix(A):
        values, V = torch.linalg.eig(A)
        W = (V * f(values).unsqueeze(-2)) @ torch.linalg.inv(V)
        return W if A.is_complex() else W.real
    return of_matrix


def square(A):
    return A @ A + torch.eye(A.shape[-1], dtype=A.dtype)


def svd(A):
    return torch.linalg.svd(A, full_matrices=False)


def abs2(z):
    return z.real**2 + z.imag**2 if z.is_complex() else z**2


def with_window(transform):
    """stft or istft with a Hann window of length `window`."""
    def f(x, window=None, n_fft=8, **args):
        w = None if window is None else torch.hann_window(window, dtype=torch.float64)
        return transform(x, n_fft, window=w, win_length=window, **args)
    return f


def common(f):
    """f with its inputs converted to a common type, as PyTorch requires: if one is complex, all become complex."""
    def of_common(*inputs, **args):
        dtype = inputs[0].dtype
        for x in inputs[1:]:
            dtype = torch.promote_types(dtype, x.dtype)
        return f(*(x.to(dtype) for x in inputs), **args)
    return of_common


def by_real_ones(f):
    """A complex product composed of four real ones, for products that PyTorch has only for real inputs."""
    def of_parts(x, w, **args):
        if not x.is_complex():
            return f(x, w, **args)
        return torch.complex(f(x.real, w.real, **args) - f(x.imag, w.imag, **args), f(x.real, w.imag, **args) + f(x.imag, w.real, **args))
    return of_parts


def max_pool2d(x, kernel_size, **args):
    """Max pooling by modulus: pools the moduli with PyTorch and takes the elements at the indices that it returns."""
    where = torch.nn.functional.max_pool2d(x.abs() if x.is_complex() else x, kernel_size, return_indices=True, **args)[1]
    return x.flatten(-2).gather(-1, where.flatten(-2)).reshape(where.shape)


def mse(x, y):
    """The mean squared error, also for complex inputs, which PyTorch's does not accept."""
    return abs2(x - y).mean() if x.is_complex() else torch.nn.functional.mse_loss(x, y)


FUNCTIONS = ("tan", "sinh", "cosh", "sinc", "asin", "acos", "atan", "asinh", "acosh", "atanh")
TORCH = {
    **{way + real + "fft" + axes: getattr(torch.fft, way + real + "fft" + axes) for way in ("", "i") for real in ("", "r") for axes in ("", "2", "n")},
    "stft": with_window(lambda x, n, **args: torch.stft(x, n, return_complex=True, **args)),
    "istft": with_window(torch.istft),
    "complex_istft": with_window(lambda x, n, **args: torch.istft(x, n, onesided=False, return_complex=True, **args)),
    "solve": torch.linalg.solve,
    "inv": torch.linalg.inv,
    "det": torch.linalg.det,
    "slogdet sign": lambda A: torch.linalg.slogdet(A)[0],
    "slogdet log": lambda A: torch.linalg.slogdet(A)[1],
    "eigvalsh": lambda A: torch.linalg.eigvalsh(hermitian(A)),
    "eigh vectors": lambda A: torch.linalg.eigh(hermitian(A))[1],
    "eigh |v|^2": lambda A: abs2(torch.linalg.eigh(hermitian(A))[1]),
    "eigh function": from_eigen,
    "cholesky": lambda A: torch.linalg.cholesky(A @ adjoint(A) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype)),
    "qr Q": lambda A: torch.linalg.qr(A)[0],
    "qr R": lambda A: torch.linalg.qr(A)[1],
    "svdvals": torch.linalg.svdvals,
    "svd U": lambda A: svd(A)[0],
    "svd |u|^2": lambda A: abs2(svd(A)[0]),
    "svd |v|^2": lambda A: abs2(svd(A)[2]),
    "svd function": lambda A: from_singular(A, bell),
    "svd polar": lambda A: from_singular(A, torch.ones_like),
    "lstsq": lambda A, B: torch.linalg.lstsq(A, B)[0],
    "pinv": torch.linalg.pinv,
    "matrix_exp": torch.matrix_exp,
    "matrix_power": torch.linalg.matrix_power,
    "eig vectors": lambda A: torch.linalg.eig(A)[1],
    "eig sum": lambda A: ((abs2(torch.linalg.eig(A)[1]) + 0j) @ torch.linalg.eig(A)[0].unsqueeze(-1)**2).squeeze(-1),
    "eig function": by_eigenvectors(lambda values: values**2 + 1),
    "sqrtm": lambda A: by_eigenvectors(torch.sqrt)(torch.matrix_exp(A)),
    "logm": lambda A: by_eigenvectors(torch.log)(square(A)),
    **{name: getattr(torch, name) for name in ("cumsum", "cumprod", "prod", "kron", "outer", "pow", "erfc", "lgamma", *FUNCTIONS)},
    "flip": lambda x, dim: torch.flip(x, dim),
    "roll": lambda x, shifts, dim: torch.roll(x, shifts, dim),
    "pad": lambda x, sizes, mode="constant": torch.nn.functional.pad(x, sizes, mode),
    "diagonal": torch.diagonal,
    **{name: common(getattr(torch.nn.functional, name)) for name in ("conv1d", "conv2d", "conv3d")},
    "unfold": torch.nn.functional.unfold,
    **{name: by_real_ones(getattr(torch.nn.functional, name)) for name in ("conv_transpose1d", "conv_transpose2d")},
    "max_pool2d": max_pool2d,
    "avg_pool2d": torch.nn.functional.avg_pool2d,
    "einsum": lambda *inputs, equation: common(lambda *x: torch.einsum(equation, *x))(*inputs),
    "matmul": common(torch.matmul),
    "sort": lambda x, dim, descending: torch.sort(x, dim, descending)[0],
    "topk": lambda x, k, dim, largest: torch.topk(x, k, dim, largest)[0],
    "log_softmax": lambda x: torch.log_softmax(x, -1),
    "where positive": lambda x, y: torch.where(x.real > 0, x, y),
    "vector_norm": lambda x, ord, dim: torch.linalg.vector_norm(x, ord, dim),
    "infinite norm": lambda x, dim, largest: torch.linalg.vector_norm(x, numpy.inf if largest else -numpy.inf, dim),
    **{name: getattr(torch, name) for name in ("logsumexp", "logcumsumexp", "logaddexp", "atan2", "erfinv")},
    "log1p": lambda x: torch.log1p(x) if not x.is_complex() else torch.log(1 + x),
    "expm1": lambda x: torch.expm1(x) if not x.is_complex() else torch.exp(x) - 1,
    "softplus": torch.nn.functional.softplus,
    "log_sigmoid": torch.nn.functional.logsigmoid,
    "variance": lambda x, dim: torch.var(x, dim, unbiased=False),
    "stddev": lambda x, dim: torch.std(x, dim, unbiased=False),
    "median": lambda x, dim: torch.median(x, dim)[0],
    "mse": mse,
    "huber": lambda x, y, delta: torch.nn.functional.huber_loss(x, y, delta=delta),
    "binary_cross_entropy": lambda x, t: torch.nn.functional.binary_cross_entropy_with_logits(x, torch.sigmoid(t)),
    "cross_entropy": lambda x, targets, **args: torch.nn.functional.cross_entropy(x, torch.tensor(targets), **args),
}


def each(ops, *inputs, **args):
    """Yields a case for each op and, if an argument is an Options, for each of its values."""
    keys = list(args)
    for op, values in itertools.product(ops, itertools.product(*(value if isinstance(value, Options) else (value,) for value in args.values()))):
        yield Case(op, *inputs, **dict(zip(keys, values)))


class Options(tuple):
    pass


def case(*words, **args):
    return [Case(*words, **args)]


norms = Options(NORMS)
SQUARE = ("inv", "det", "slogdet sign", "slogdet log", "eigvalsh", "eigh |v|^2", "eigh function", "cholesky", "matrix_exp")
FACTORS = ("qr Q", "qr R", "svdvals", "svd |u|^2", "svd |v|^2", "svd function", "svd polar", "pinv")
REPEATED = numpy.diag([3.0, 1.0, 1.0])
TURNED = numpy.array([[1.0, 1j], [-1j, 1.0]])  # Hermitian, with the eigenvalues 0 and 2
RANK_1 = numpy.outer([1.0, 2.0, -1.0], [1.0, 0.5])
ZERO_PAIR = numpy.outer([1.0, 2.0, 2j], [1.0, 0.5, -1j])  # two singular values are 0

CASES = [
    # Fourier transforms: every normalisation, n different from the length, odd n, any axis.
    *each(("fft", "ifft"), C(2, 5), norm=norms),
    *each(("fft", "ifft"), C(2, 5), n=Options((1, 3, 8)), norm=norms),
    *each(("fft", "ifft", "rfft"), R(2, 6), norm=norms),
    *each(("fft", "ifft"), C(3, 4, 2), dim=Options((0, 1)), n=Options((2, 6))),
    *each(("rfft",), R(2, 5), n=Options((None, 1, 4, 9)), norm=norms),
    *each(("rfft",), R(4, 3, 2), dim=Options((0, -2))),
    *each(("irfft",), C(2, 4), n=Options((None, 1, 3, 5, 7, 8, 11)), norm=norms),
    *each(("irfft",), C(4, 3, 2), dim=Options((0, -2)), n=Options((3, 5))),
    *each(("fft2", "ifft2", "fftn", "ifftn"), C(3, 4), norm=norms),
    *each(("fft2", "ifft2", "fftn", "ifftn"), C(2, 3, 4), s=[2, 5]),
    *each(("fftn", "ifftn"), C(2, 3, 4), s=[3, 2], dim=[0, 2]),
    *each(("rfft2", "rfftn"), R(3, 4), norm=norms),
    *each(("rfftn",), R(2, 3, 4), s=[3, 5], dim=[2, 0]),
    *each(("irfft2", "irfftn"), C(3, 4), norm=norms),
    *each(("irfft2", "irfftn"), C(3, 4), s=[2, 5]),
    *each(("irfftn",), C(2, 3, 4), s=[3, 7], dim=[2, 0]),
    *each(("fft",), C(1009), norm=norms),  # a prime length
    *each(("stft",), R(2, 20), hop_length=Options((None, 3)), normalized=Options((False, True))),
    *each(("stft",), R(20), window=Options((5, 8)), center=Options((False, True)), onesided=Options((False, True))),
    *each(("stft",), C(20), window=6, pad_mode=Options(("reflect", "constant")), onesided=False),
    *each(("istft",), C(2, 5, 7), window=Options((None, 8)), normalized=Options((False, True))),
    *case("istft", C(5, 7), window=8, hop_length=3, length=15),
    *case("istft", C(8, 7), window=8, onesided=False),
    *each(("complex_istft",), C(8, 7), window=Options((None, 8)), hop_length=Options((1, 2))),
    # Inputs and incoming gradients of stride 0.
    *each(("fft", "ifft", "fft2"), C(5), stretch=[3, 5]),
    *each(("fft", "rfft"), R(3, 1), stretch=[3, 4]),
    *each(("fft", "fftn", "irfft"), C(3, 4), W="ones"),
    *each(("rfft", "rfftn", "inv", "det", "matrix_exp", "qr R"), R(3, 3), W="ones"),
    *each(("inv", "det", "slogdet log", "svdvals", "matrix_exp", "qr Q"), C(3, 3), stretch=[2, 3, 3]),
    # Linear algebra.
    *each(SQUARE, R(3, 3)),
    *each(SQUARE, C(3, 3)),
    *each(SQUARE, C(2, 2, 4, 4)),
    *each(FACTORS, R(3, 3)),
    *each(FACTORS, C(3, 3)),
    *each(FACTORS, R(4, 2)),
    *each(FACTORS, C(2, 4, 3)),
    *each(("svdvals", "svd |u|^2", "svd |v|^2", "svd function", "svd polar", "pinv", "qr R"), C(2, 4)),
    *case("solve", R(3, 3), R(3, 2)),
    *case("solve", C(3, 3), C(3)),
    *case("solve", C(2, 3, 3), C(2, 3, 2)),
    *case("solve", C(2, 3, 3), C(2, 3)),
    *case("solve", C(3, 3), C(2, 3, 2)),
    *case("solve", C(2, 1, 3, 3), C(4, 3, 1)),
    *case("solve", R(4, 1, 2, 2), R(2)),
    *each(("lstsq",), R(4, 2), R(4, 2)),
    *each(("lstsq",), C(4, 3), C(4, 1)),
    *each(("lstsq",), C(2, 3, 3), C(2, 3, 2)),
    *each(("lstsq",), C(2, 4), C(2, 3)),
    *case("matrix_exp", 6 * REPEATED),
    *case("matrix_exp", numpy.triu(numpy.ones((4, 4)), 1)),
    *each(("eig sum", "eig function", "sqrtm", "logm"), R(3, 3)),
    *each(("eig sum", "eig function", "sqrtm", "logm"), C(3, 3)),
    *each(("eig sum", "eig function", "sqrtm", "logm"), C(2, 2, 4, 4)),
    *each(("matrix_power",), R(3, 3), n=Options((0, 1, 2, 5, -1, -3))),
    *each(("matrix_power",), C(2, 3, 3), n=Options((0, 1, 6, -4))),
    # Singular matrices and repeated eigenvalues or singular values.
    *case("det", RANK_1[:2], W="ones", expect=numpy.array([[1.0, -2.0], [-0.5, 1.0]])),  # the adjugate, where PyTorch 1.13 returns 0
    *case("eigh function", numpy.diag([1.0, 0.0, 0.0]), expect="argand refuses"),
    *case("eigvalsh", REPEATED, W="ones"),
    *case("eigvalsh", TURNED),
    *case("svdvals", 2 * numpy.eye(3), W="ones"),
    *case("svdvals", RANK_1, W=numpy.array([1.0, 0.0])),
    *case("svdvals", ZERO_PAIR, W=numpy.array([1.0, 0.0, 0.0])),
    *case("pinv", RANK_1),
    *case("pinv", ZERO_PAIR),
    *case("eigh function", REPEATED, expect="argand refuses"),
    *case("svd function", ZERO_PAIR, expect="argand refuses"),
    *case("svd polar", 2 * numpy.eye(3), expect="argand refuses"),
    # Everyday ops.
    *each(("cumsum", "cumprod", "prod"), C(2, 3), dim=Options((0, 1))),
    *each(("cumsum", "cumprod", "prod"), R(3, 1), stretch=[3, 2], dim=-1),
    *each(("cumprod", "prod"), numpy.array([1.5, 0.0, 2.0, 0.0]), dim=0),
    *each(("cumprod", "prod"), numpy.array([1.5 + 1j, 0, 2 - 1j]), dim=0),
    *case("flip", C(2, 3, 2), dim=[0, 2]),
    *case("roll", C(2, 5), shifts=-2, dim=1),
    *each(("pad",), C(2, 4), sizes=[2, 3]),
    *each(("pad",), C(1, 2, 4), sizes=[2, 3], mode=Options(("reflect", "replicate", "circular"))),
    *each(("diagonal",), C(3, 4), offset=Options((-1, 0, 2))),
    *each(("kron",), C(2, 3), C(3, 2)),
    *each(("kron",), R(2, 3), C(2, 2)),
    *each(("outer",), C(3), R(2)),
    *each(("vector_norm",), C(3, 4), dim=1, ord=Options((0.0, 1.0, 2.0, 3.5))),
    *each(("infinite norm",), C(3, 4), dim=0, largest=Options((True, False))),
    *each(("logsumexp", "logcumsumexp", "median"), R(3, 4, 5), dim=Options((0, 1, -1))),
    *each(("logsumexp",), numpy.array([[-numpy.inf, 0.5, 40.0], [1.0, -numpy.inf, 2.0]]), dim=1),
    *each(("variance", "stddev"), R(3, 4), dim=Options((0, 1))),
    *each(("variance", "stddev"), C(2, 3, 4), dim=1),
    *case("median", numpy.array([[4.0, 1.0, 3.0, 2.0], [5.0, -1.0, 7.0, 6.0]]), dim=1),
    *each(("logaddexp", "atan2"), R(3, 1), R(4)),
    *each(("log1p", "expm1"), numpy.array([1e-9, -0.5, 3.0])),
    *each(("log1p", "expm1"), C(7)),
    *each(("softplus", "log_sigmoid"), numpy.array([-30.0, -1.0, 0.0, 2.0, 15.0])),
    *case("erfinv", numpy.array([-0.9, 1e-6, 0.0, 0.5, 0.99])),
    *case("mse", R(3, 4), R(3, 4)),
    *case("mse", C(3, 4), C(3, 4)),
    *case("huber", 2 * numpy.array([[-3.0, 0.1], [0.4, 2.0]]), R(2, 2), delta=0.7),
    *case("binary_cross_entropy", R(3, 4), R(3, 4)),
    *each(("cross_entropy",), R(4, 5), targets=[2, 0, 4, 2], ignore_index=Options((2, -100)), label_smoothing=Options((0.0, 0.2))),
    *each(FUNCTIONS, C(7)),
    *each(("tan", "sinh", "cosh", "sinc", "atan", "asinh"), R(7)),
    *each(("sinc",), numpy.array([0.0, 1.0, -2.0])),
    *each(("pow",), C(5), C(5)),
    *each(("pow",), C(3, 1), C(4)),
    *each(("pow",), numpy.array([0.5, 2.0]), C(2)),
    *each(("erfc", "lgamma"), numpy.array([0.3, 1.7, 4.2])),
    # Convolution, pooling and products.
    *each(("conv1d",), R(2, 3, 9), R(4, 3, 2)),
    *each(("conv1d",), C(2, 4, 9), C(6, 2, 3), stride=2, padding=1, dilation=2, groups=2),
    *each(("conv2d",), R(2, 3, 6, 7), R(4, 3, 3, 2), stride=Options(([1, 1], [2, 3])), padding=Options(([0, 0], [1, 2]))),
    *each(("conv2d",), C(2, 4, 6, 7), C(4, 2, 3, 2), groups=2, dilation=Options(([1, 1], [2, 1]))),
    *each(("conv2d",), R(1, 2, 5, 5), C(3, 2, 2, 2)),
    *each(("conv2d",), C(1, 2, 5, 5), R(3, 2, 2, 2), padding=[1, 1]),
    *each(("conv3d",), R(2, 2, 3, 4, 5), R(4, 2, 2, 3, 2), stride=Options(([1, 1, 1], [2, 1, 3])), padding=Options(([0, 0, 0], [1, 0, 2]))),
    *each(("conv3d",), C(2, 4, 3, 4, 3), C(4, 2, 2, 3, 2), groups=2, dilation=Options(([1, 1, 1], [2, 1, 2]))),
    *each(("unfold",), R(2, 3, 5, 6), kernel_size=[2, 3], stride=Options(([1, 1], [2, 3])), padding=Options(([0, 0], [1, 2]))),
    *each(("unfold",), C(2, 3, 5, 6), kernel_size=[3, 2], dilation=[2, 3], stride=2),
    *each(("conv_transpose1d",), C(2, 3, 5), C(3, 2, 4), stride=Options((1, 3)), padding=1),
    *each(("conv_transpose2d",), R(2, 4, 3, 4), R(4, 3, 3, 2), stride=[2, 3], padding=[1, 0], output_padding=[1, 2]),
    *each(("conv_transpose2d",), C(2, 4, 3, 4), C(4, 2, 3, 2), groups=2, dilation=Options(([1, 1], [2, 1]))),
    *each(("max_pool2d",), R(2, 3, 6, 7), kernel_size=[2, 3], padding=Options(([0, 0], [1, 1]))),
    *each(("max_pool2d",), C(2, 3, 6, 7), kernel_size=[3, 2], stride=Options(([1, 1], [2, 3]))),
    *each(("avg_pool2d",), R(2, 3, 6, 7), kernel_size=[2, 3], stride=[2, 1], padding=Options(([0, 0], [1, 1]))),
    *each(("einsum",), C(2, 3, 4), C(2, 4, 5), equation="bij,bjk->bik"),
    *each(("einsum",), R(3, 4), C(4, 5), equation=Options(("ij,jk->ki", "ij,jk", "ij,jk->i"))),
    *each(("einsum",), C(3, 3), equation=Options(("ii", "ii->i", "ij->ji"))),
    *case("einsum", C(4), C(4), equation="i,i->"),
    *case("einsum", C(2, 3), R(4, 3), equation="aj,bj->ab"),
    *each(("einsum",), C(2, 1, 3, 4), R(5, 4, 2), equation=Options(("...ij,...jk->...ik", "...ij,...jk", "...ij,...jk->ik", "...ij,...jk->k...i"))),
    *each(("einsum",), C(2, 3, 3), equation=Options(("...ii->...i", "...ij->...ji", "i...->...", "...->", "...i"))),
    *case("einsum", R(3), C(2, 3), equation="...,...->..."),
    *case("matmul", C(5, 1, 3, 4), C(2, 4, 2)),
    *case("matmul", R(3, 4), C(2, 4, 2)),
    *each(("sort",), R(3, 5), dim=Options((0, 1)), descending=Options((False, True))),
    *each(("topk",), R(3, 5), k=2, dim=1, largest=Options((False, True))),
    *case("log_softmax", R(3, 5)),
    *case("where positive", C(3, 4), C(4)),
    # Losses that depend on a gauge.
    *each(("eigh vectors", "eig vectors", "svd U"), C(3, 3), expect="refused"),
    *each(("svd U",), C(4, 2), expect="refused"),
    *each(("svd U",), C(2, 4), expect="refused"),
]
