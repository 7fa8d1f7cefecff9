"""Is this gradient right? A judge of gradients, real and complex, that knows how sure it is.

>>> import argand, numpy as np
>>> argand.check(lambda x: np.sum(x**3), lambda x: 3 * x**2, np.array([1.0, 2.0])).verdict
'pass'
>>> print(argand.check(lambda x: np.sum(x**3), lambda x: 2 * x**2, np.array([1.0, 2.0])).diagnosis)
the gradient looks multiplied by 0.666667

check, check_torch, check_jax    a function's gradient, as you wrote it or as a framework computes it
check_module                     a torch.nn.Module's, with its states and parameters
assert_gradient                  the same for tests: raises GradientError, or Inconclusive
replay, save_replay              a check as a file, made once more
selftest                         mistakes planted on purpose, and whether they are found
lab                              an expression and its derivatives, in every framework's convention
ops, explain                     the library's operations, their equations and derivations
load, save                       checkpoints as dicts of arrays
"""
from ._argand import Error
from ._check import assert_gradient, check
from ._files import load, load_with_metadata, save
from ._jax import check_jax
from ._lab import Figure, Lab, Op, explain, lab, ops
from ._result import Direction, Element, GradientError, Inconclusive, IndependentCheck, Input, Result
from ._planted import Plant, SelfTest, selftest
from ._replay import replay, save_replay
from ._torch import check_module, check_torch

__all__ = [
    "Direction", "Element", "Error", "Figure", "GradientError", "Inconclusive", "IndependentCheck", "Input", "Lab", "Op", "Plant", "Result", "SelfTest",
    "assert_gradient", "check", "check_jax", "check_module", "check_torch", "explain", "lab", "load", "load_with_metadata", "ops", "replay", "save",
    "save_replay", "selftest",
]

for _public in (Error, GradientError, Inconclusive):
    _public.__module__ = "argand"  # as it is caught, and as tracebacks name it
Error.__doc__ = "What was asked for does not fit, in one sentence that says what would. A ValueError."
