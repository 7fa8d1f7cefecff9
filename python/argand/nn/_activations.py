"""Activations as modules, for use in Sequential."""
from __future__ import annotations

from .._argand import Tensor, op_functions
from ._module import Module


class _Activation(Module):
    op = ""

    def forward(self, x: Tensor) -> Tensor:
        return op_functions[self.op](x)


class ReLU(_Activation):
    """max(x, 0) of real numbers."""

    op = "relu"


class GELU(_Activation):
    """x Φ(x) of real numbers."""

    op = "gelu"


class SiLU(_Activation):
    """x σ(x) of real numbers."""

    op = "silu"


class Tanh(_Activation):
    """tanh, real or complex."""

    op = "tanh"


class Sigmoid(_Activation):
    """σ(z) = 1 / (1 + e^-z), real or complex."""

    op = "sigmoid"


class CReLU(_Activation):
    """max(Re z, 0) + i max(Im z, 0)."""

    op = "crelu"


class ZReLU(_Activation):
    """z in the first quadrant, 0 elsewhere."""

    op = "zrelu"


class Cardioid(_Activation):
    """z (1 + cos arg z) / 2."""

    op = "cardioid"
