"""Adds the methods of torch.Tensor and numpy.ndarray: the library's functions, with the tensor as their first argument."""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from .. import _argand
from .._argand import Error, Tensor
from ._numpys import ufunc
from ._picture import tape, tensor_html
from ._tensors import constant, variable
from ._torch_names import METHODS

# Functions whose first argument is a tensor, but which users would not expect as methods.
NO_METHODS = {"where", "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "dropout", "embedding"}


def add_methods() -> None:
    """Called once, when the package is imported."""
    for name, function in _argand.op_functions.items():
        parameters = function.parameters
        if parameters and parameters[0][1].startswith("Tensor") and name not in NO_METHODS and not hasattr(Tensor, name):
            setattr(Tensor, name, function)
    for name, method in {
            "T": property(_transposed), "H": property(_adjoint), "mT": property(_matrix_transposed), "real": property(_argand.op_functions["real"]),
            "imag": property(_argand.op_functions["imag"]), "data": property(_data, Tensor.assign), "tolist": _to_list, "numel": _count, "tape": tape, "_repr_html_": tensor_html,
            "__iter__": _rows, "__format__": _formatted, "__reduce_ex__": _reduced, "__array_ufunc__": ufunc, "__dlpack__": _dlpack,
            "__dlpack_device__": _dlpack_device, **METHODS}.items():
        setattr(Tensor, name, method)


def _transposed(x: Tensor) -> Tensor:
    """The axes in reverse order."""
    return x if x.ndim < 2 else _argand.op_functions["permute"](x, tuple(range(x.ndim))[::-1])


def _matrix_transposed(x: Tensor) -> Tensor:
    """The last two axes exchanged."""
    return _argand.op_functions["transpose"](x, -2, -1)


def _adjoint(x: Tensor) -> Tensor:
    """The conjugate transpose of the last two axes."""
    return _argand.op_functions["conj"](_matrix_transposed(x))


def _data(x: Tensor) -> Tensor:
    """The values without their history; `p.data -= lr * p.grad` updates a variable."""
    return x.detach()


def _rows(x: Tensor) -> Any:
    if x.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return (x[i] for i in range(len(x)))


def _to_list(x: Tensor) -> Any:
    """Nested lists of Python numbers."""
    return np.asarray(x).tolist()


def _count(x: Tensor) -> int:
    """The number of elements."""
    return x.size


def _formatted(x: Tensor, spec: str) -> str:
    """Formats a tensor of one number as the number: f"{loss:.3f}"."""
    return format(x.item(), spec) if spec else str(x)


def _reduced(x: Tensor, protocol: int) -> Any:
    """For copy, deepcopy and pickle: a variable keeps its name, role and gradient."""
    if not x.requires_grad:
        return constant, (x.numpy(),)
    if not x.is_variable:
        raise Error(f"copy: this tensor is the result of {x.name}, and its graph cannot be copied; copy x.detach() instead")
    return _restored, (x.numpy(), x.name, _argand.role_of(x), None if x.grad is None else x.grad.numpy())


def _restored(values: Any, name: str, role: str, grad: Any) -> Tensor:
    x = variable(values)
    _argand.set_role(x, role)
    x.name, x.grad = name, grad
    return x


def _dlpack(x: Tensor, **_: Any) -> Any:
    """Supports torch.from_dlpack and the like. Makes a copy, since the consumer may write to it."""
    return x.numpy().copy().__dlpack__()


def _dlpack_device(x: Tensor) -> Tuple[int, int]:
    """The device, which is the CPU."""
    return (1, 0)
