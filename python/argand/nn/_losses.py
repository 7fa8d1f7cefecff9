"""Losses as modules, with PyTorch's names."""
from __future__ import annotations

from typing import Any

from .._argand import Tensor, op_functions
from ._module import Module


class CrossEntropyLoss(Module):
    """The mean of -log softmax(logits)[target] over rows: logits [..., classes], targets integers [...]."""

    def forward(self, input: Tensor, target: Any) -> Tensor:
        return op_functions["cross_entropy"](input, target)


class MSELoss(Module):
    """The mean of |input - target|², real or complex."""

    def forward(self, input: Tensor, target: Any) -> Tensor:
        difference = input - target
        power = op_functions["abs2"](difference)
        return op_functions["mean"](power)
