"""NumPy's functions for tensors: np.exp(x) is argand.exp(x)."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _argand
from .._argand import Tensor

# NumPy's names that differ from PyTorch's; then the operators, with the method to call if the tensor is the right operand.
NAMES = {"absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2",
         "arctanh": "atanh", "conjugate": "conj", "negative": "neg"}
OPERATORS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv", "power": "pow", "matmul": "matmul"}


def ufunc(x: Tensor, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """Handles np.exp(x), array * x, np.isnan(x). Booleans have no gradient; these functions are NumPy's own."""
    if {"d->?", "dd->?"} & set(function.types):
        return getattr(function, method)(*(np.asarray(a) if isinstance(a, Tensor) else a for a in inputs), **options)
    out = options.pop("out", None)
    in_place = out is not None and out[0] is inputs[0]  # array += x, where the result may become a tensor
    if method == "__call__" and not options and (out is None or in_place):
        operator = OPERATORS.get(function.__name__)
        if operator is not None:
            if isinstance(inputs[0], Tensor):
                return getattr(inputs[0], f"__{operator}__")(inputs[1])
            return getattr(inputs[1], f"__r{operator}__")(inputs[0])
        op = _argand.op_functions.get(NAMES.get(function.__name__, function.__name__))
        if op is not None:
            return op(*inputs)
    raise TypeError(f"np.{function.__name__}{'' if method == '__call__' else '.' + method} is not supported for tensors (or not with these arguments); "
                    "argand.op_functions lists the ops that are, and x.numpy() returns the values without a gradient")
