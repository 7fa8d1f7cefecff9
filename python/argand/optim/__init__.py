"""The C++ optimisers (optim/) for Python tensors.

>>> import argand as ag
>>> z = ag.variable([1 + 1j])
>>> opt = ag.optim.SGD([z], lr=0.1, momentum=0)
>>> for _ in range(3):
...     opt.zero_grad(); ag.abs2(z).sum().backward(); opt.step()
>>> z
tensor([0.512+0.512j], dtype=complex128, variable)

A step descends: z -= lr · (dL/dx + i dL/dy). lr is a number, or a function of the step (counted from 0): constant_rate, linear_rate,
cosine_rate, exponential_rate, inverse_root_rate, or one of your own.
"""
from typing import TYPE_CHECKING as _TYPE_CHECKING, Any as _Any

from .._argand import constant_rate, cosine_rate, exponential_rate, inverse_root_rate, linear_rate
from .._autograd._instead import no_attribute as _no_attribute
from ._optimizers import Adam, LBFGS, SGD, AdamW, Muon, Optimizer, clip_grad_norm

if not _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        raise _no_attribute("module 'argand.optim'", name)


__all__ = [
    "Adam", "AdamW", "LBFGS", "Muon", "Optimizer", "SGD", "clip_grad_norm", "constant_rate", "cosine_rate", "exponential_rate", "inverse_root_rate",
    "linear_rate",
]
