"""Automatic differentiation of real and complex tensors, and gradient checks with error bars.

>>> import argand as ag, numpy as np
>>> z = ag.variable(np.array([1 + 0.5j]))
>>> L = ag.abs2(z**2 + 1).sum()
>>> L.backward(); z.grad
tensor([9.+0.5j], dtype=complex128)

variable, constant, no_grad      tensors (`tensor` as in PyTorch) from NumPy arrays, and whether ops on them are recorded
zeros, ones, randn, linspace, ...
                                 tensors from nothing, with PyTorch's names; manual_seed
exp, matmul, sum, ...            the library's ops as functions, and as methods where PyTorch has them: argand.op_functions
grad, value_and_grad, gradients, vjp, jvp, hvp, hessian, jacobian
                                 derivatives of functions
op                               a custom op in NumPy, checked when its gradient is attached
nn, optim                        layers and networks; optimisers, rates, clipping
families, data                   models of the families, and tokenised text
train                            what `argand train` does; load opens its runs

Is this gradient right?

>>> import argand
>>> argand.check(lambda x: np.sum(x**3), lambda x: 3 * x**2, np.array([1.0, 2.0])).verdict
'pass'
>>> print(argand.check(lambda x: np.sum(x**3), lambda x: 2 * x**2, np.array([1.0, 2.0])).diagnosis)
the gradient looks multiplied by 0.666667

check, check_torch, check_jax    a function's gradient, as you wrote it or as a framework computes it
check_module                     a torch.nn.Module's, with its states and parameters
assert_gradient                  the same for tests: raises GradientError, or Inconclusive
replay, save_replay              a check saved to a file, and repeated
selftest                         mistakes planted on purpose, and whether they are found
lab                              an expression and its derivatives, in every framework's convention
ops, explain                     the library's operations, their equations and derivations
load, save                       runs as models, files of tensors as dicts of arrays
"""
import os as _os
import warnings as _warnings
from typing import TYPE_CHECKING as _TYPE_CHECKING, Any as _Any

import numpy as _numpy

from ._kernels import right_kernels as _right_kernels

with _right_kernels():
    from . import _argand
from ._argand import Error, OpFunction, Tensor, num_threads, op_functions, set_num_threads
from ._autograd import OwnOp, add_methods, constant, grad, gradients, hessian, hvp, jacobian, jvp, no_grad, op, tensor, value_and_grad, variable, vjp
from ._autograd import eye, full, linspace, ones, ones_like, rand, randn, zeros, zeros_like
from ._autograd._instead import no_attribute as _no_attribute
from ._check import assert_gradient, check
from ._files import load, load_with_metadata, save
from ._jax import check_jax
from ._lab import Figure, Lab, Op, explain, lab, ops
from ._result import Direction, Element, GradientError, Inconclusive, IndependentCheck, Input, Result
from ._planted import Plant, SelfTest, selftest
from ._replay import replay, save_replay
from ._torch import check_module, check_torch

add_methods()
globals().update({name: function for name, function in op_functions.items() if name not in globals()})

if _TYPE_CHECKING:
    from ._ops import *  # noqa: F403: for type checkers, the functions in op_functions

if hasattr(_os, "register_at_fork"):
    # Worker threads do not survive a fork: a child that used them would wait forever.
    _os.register_at_fork(after_in_child=lambda: set_num_threads(1))

from . import data, families, nn, optim  # noqa: E402: they are built from the functions above
from ._runs import Model, Run, train  # noqa: E402
from .nn import manual_seed  # noqa: E402
from ._version import version as __version__  # noqa: E402

_argand.name_program(__version__)  # recorded in the logs of runs
if _argand.blas_advice():
    _warnings.warn(_argand.blas_advice().strip(), RuntimeWarning, stacklevel=2)

float32, float64, complex64, complex128 = (_numpy.dtype(name) for name in ("float32", "float64", "complex64", "complex128"))


if not _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        raise _no_attribute("module 'argand'", name)


__all__ = [
    "Direction", "Element", "Error", "Figure", "GradientError", "Inconclusive", "IndependentCheck", "Input", "Lab", "Model", "Op", "OpFunction", "OwnOp",
    "Plant", "Result", "Run", "SelfTest", "Tensor", "__version__", "assert_gradient", "check", "check_jax", "check_module", "check_torch", "complex128", "complex64", "constant",
    "data", "explain", "eye", "families", "float32", "float64", "full", "grad", "gradients", "hessian", "hvp", "jacobian", "jvp", "lab", "linspace", "load", "load_with_metadata", "manual_seed", "nn", "no_grad",
    "num_threads", "ones", "ones_like", "op", "op_functions", "ops", "optim", "rand", "randn",
    "replay", "save", "save_replay", "selftest", "set_num_threads", "tensor", "train", "value_and_grad", "variable", "vjp", "zeros", "zeros_like",
]

for _public in (Error, GradientError, Inconclusive):
    _public.__module__ = "argand"  # show the name by which users catch it in tracebacks
Error.__doc__ = "An invalid argument or request; the message says what was expected. A ValueError."
