"""Checks docs/operations.md: every name in argand's column is declared, and PyTorch's column is true (if PyTorch is installed).

  operations_test.py SOURCE_DIR
"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
rows = {}
for line in (source / "docs/operations.md").read_text(encoding="utf8").splitlines():
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if line.startswith("| ") and len(cells) == 6 and cells[0] not in ("operation", "---"):
        rows[cells[0]] = cells
failures = [] if len(rows) > 20 else [f"only {len(rows)} rows were found"]

headers = "\n".join(path.read_text(encoding="utf8") for room in ("autograd", "nn") for path in sorted((source / room).rglob("*.h")))
for name in re.findall(r"`(\w+)`", " ".join(cells[1] for cells in rows.values())):
    if not re.search(rf"> {name}\(|class {name} ", headers):
        failures.append(f"no header declares {name}")

try:
    import torch
    from torch.nn import functional as F
except ImportError:
    torch = None
    print("skipped: PyTorch's column, because PyTorch is not installed")


def c(*shape):
    return torch.randn(*shape, dtype=torch.complex128).requires_grad_()


# The calls behind "yes" and "no" in PyTorch's column; all calls of a row must give the same answer.
TRIED = {
    "Fourier transforms": [lambda: torch.fft.fft(c(4)), lambda: torch.fft.fftn(c(2, 3)), lambda: torch.fft.irfft(c(4))],
    "short-time Fourier transform": [lambda: torch.stft(c(20), 8, return_complex=True), lambda: torch.istft(c(5, 7), 8)],
    "linear systems, inverse": [lambda: torch.linalg.solve(c(3, 3), c(3)), lambda: torch.linalg.inv(c(3, 3))],
    "determinant": [lambda: torch.linalg.det(c(3, 3)), lambda: torch.linalg.slogdet(c(3, 3))[1]],
    "Cholesky": [lambda: torch.linalg.cholesky((lambda A: A @ A.mH)(c(3, 3)))],
    "QR": [lambda: torch.linalg.qr(c(4, 2))[1], lambda: torch.linalg.qr(c(2, 4))[1]],
    "Hermitian eigenvalues and vectors": [lambda: torch.linalg.eigh(c(3, 3))[1].abs()],
    "eigenvalues of any matrix": [lambda: torch.linalg.eig(c(3, 3))[0]],
    "singular values and vectors": [lambda: torch.linalg.svd(c(3, 3))[0].abs()],
    "least squares, pseudoinverse": [lambda: torch.linalg.lstsq(c(4, 3), c(4, 1))[0], lambda: torch.linalg.pinv(c(3, 2))],
    "matrix exponential": [lambda: torch.matrix_exp(c(3, 3))],
    "matrix powers, square root, logarithm": [lambda: torch.linalg.matrix_power(c(3, 3), 3)],
    "convolution, 1-D to 3-D": [lambda: F.conv1d(c(1, 2, 5), c(2, 2, 3)), lambda: F.conv2d(c(1, 2, 5, 5), c(2, 2, 3, 3)),
                                lambda: F.conv3d(c(1, 2, 4, 4, 4), c(2, 2, 3, 3, 3)), lambda: F.unfold(c(1, 2, 4, 4), 2)],
    "transposed convolution": [lambda: F.conv_transpose2d(c(1, 2, 5, 5), c(2, 2, 3, 3))],
    "batch norm": [lambda: F.batch_norm(c(4, 3), None, None, training=True)],
    "layer norm": [lambda: F.layer_norm(c(4, 3), (3,))],
    "pooling by modulus, averages": [lambda: F.max_pool2d(c(1, 2, 4, 4), 2), lambda: F.avg_pool2d(c(1, 2, 4, 4), 2)],
    "dropout": [lambda: F.dropout(c(4))],
    "softmax of scores, attention": [lambda: F.softmax(c(4), 0)],
    "activations: modReLU, cardioid, zReLU, CReLU": [lambda: F.relu(c(4))],
    "matrix products": [lambda: c(2, 3) @ c(3, 2), lambda: torch.kron(c(2, 2), c(2, 2)), lambda: torch.outer(c(2), c(2))],
    "einsum": [lambda: torch.einsum("ij,jk->ik", c(2, 2), c(2, 2))],
    "selection by a mask": [lambda: torch.where(torch.tensor([True, False]), c(2), c(2))],
    "running sums and products": [lambda: torch.cumsum(c(4), 0), lambda: torch.cumprod(c(4), 0)],
    "order: sort, largest": [lambda: torch.sort(c(4))[0], lambda: torch.max(c(4))],
    "norms": [lambda: torch.linalg.vector_norm(c(4)), lambda: c(4).abs()],
    "exponential, logarithm, powers": [lambda: torch.exp(c(4)), lambda: torch.log(c(4)), lambda: torch.pow(c(4), c(4))],
    "trigonometric and hyperbolic functions": [lambda: torch.sin(c(4)), lambda: torch.tan(c(4)), lambda: torch.sinc(c(4))],
    "their inverses": [lambda: torch.asin(c(4)), lambda: torch.acosh(c(4)), lambda: torch.atanh(c(4))],
    "rearrangements": [lambda: torch.roll(c(4), 1), lambda: F.pad(c(4), (1, 1)), lambda: torch.diagonal(c(3, 3))],
}


def differentiates(f):
    try:
        f().abs().sum().backward()
        return True
    except RuntimeError:
        return False


if torch and torch.__version__.startswith("1.13"):
    for row, functions in TRIED.items():
        word = rows[row][2].split()[0].strip(";,")
        found = {differentiates(f) for f in functions}
        if {word} != {"yes" if one else "no" for one in found}:
            failures.append(f"{row}: PyTorch {'differentiates' if True in found else 'has no gradient for'} it, but the page says {word}")
    said = {row for row, cells in rows.items() if cells[2].split()[0].strip(";,") in ("yes", "no")}
    failures += [f"{row}: the page's statement is not tested; add it to TRIED" for row in sorted(said - set(TRIED))]

for text in failures:
    print(text)
sys.exit(1 if failures else 0)
