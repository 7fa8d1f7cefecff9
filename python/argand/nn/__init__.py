"""Modules: layers with parameters, and networks built from them.

>>> import argand as ag
>>> net = ag.nn.Sequential(ag.nn.Linear(1, 16, dtype=complex), ag.nn.ModReLU(16), ag.nn.Linear(16, 1, dtype=complex))
>>> net
Sequential(
  (0): Linear(1, 16, dtype=complex128)
  (1): ModReLU(16)
  (2): Linear(16, 1, dtype=complex128)
)
>>> len(net.parameters()), net(ag.constant([[1j]])).shape
(5, (1, 1))

Layers use float64 and complex128 unless given another dtype. Initial values are those of the C++ layers and are determined by
`manual_seed`.
"""
from typing import TYPE_CHECKING as _TYPE_CHECKING, Any as _Any

from .._autograd._instead import no_attribute as _no_attribute
from ._layers import (AvgPool1d, AvgPool2d, Conv1d, Conv2d, Dropout, Embedding, Flatten, Identity, LayerNorm, Linear, MaxPool1d, MaxPool2d, ModReLU,
                      RMSNorm)
from ._losses import BCEWithLogitsLoss, CrossEntropyLoss, HuberLoss, MSELoss
from ._module import Module, ModuleList, Sequential
from ._start import initial, manual_seed
from ._activations import CReLU, Cardioid, GELU, ReLU, SiLU, Sigmoid, Tanh, ZReLU
from .._autograd import variable as Parameter
from . import functional

if not _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        raise _no_attribute("module 'argand.nn'", name)


__all__ = [
    "AvgPool1d", "AvgPool2d", "BCEWithLogitsLoss", "CReLU", "Cardioid", "Conv1d", "Conv2d", "CrossEntropyLoss", "Dropout", "Embedding", "Flatten", "GELU", "HuberLoss",
    "Identity", "LayerNorm", "Linear", "MSELoss", "MaxPool1d", "MaxPool2d", "ModReLU", "Module",
    "ModuleList", "Parameter", "RMSNorm", "ReLU", "Sequential", "SiLU", "Sigmoid", "Tanh", "ZReLU", "functional", "initial", "manual_seed",
]
