"""argand.lab, argand.ops, argand.explain: what the program reports about expressions and ops, as objects."""
from __future__ import annotations

import dataclasses
import json
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _argand


@dataclasses.dataclass(frozen=True)
class Figure:
    """A derivative from the tape, and the numerical one with its error bar; NaN and infinity if the differences have no limit."""

    value: complex
    numerical: complex
    bar: float
    tolerance: float  # the largest difference at which they count as equal; infinite if the tape's rounding error has no bound
    verdict: str  # "pass", "fail", "inconclusive", "kink", "branch cut"; "not judged" if the tape's value is a convention


@dataclasses.dataclass(frozen=True)
class Lab:
    """A function at a point, differentiated with respect to one variable z. Prints as `argand lab` does."""

    equation: str
    at: Dict[str, complex]
    by: str
    value: complex
    real: bool  # whether f is real by its types
    dz: Figure
    dzbar: Figure
    gradient: Figure  # the gradient of L = f if f is real, otherwise of L = Re f: dL/dx + i dL/dy
    # The gradient that "PyTorch", "TensorFlow", "JAX" and "argand" would return; at a singular point, only argand's.
    conventions: Dict[str, complex]
    jacobian: np.ndarray  # the 2 x 2 Jacobian of (Re f, Im f) with respect to (x, y)
    cauchy_riemann: str
    gaps: List[str]  # steps after which the tape's result is a convention, so nothing is judged, for example "log of 0 is -inf"
    trouble: str  # the reason for an inconclusive result, such as a kink, a cut or a pole; "" if there is none
    text: str = dataclasses.field(repr=False)

    def __str__(self) -> str:
        return self.text


Point = Union[str, complex, Sequence[complex], Mapping[str, complex]]


def lab(expression: str, at: Optional[Point] = None, by: str = "") -> Lab:
    """Value and derivatives of an expression.

    >>> import argand
    >>> point = argand.lab("f(z) = abs(z)^2", at=1+2j)
    >>> point.dz.value, point.conventions["PyTorch"], point.conventions["JAX"]
    ((1-2j), (2+4j), (2-4j))

    expression  "f(z, w) = ...", or the right-hand side alone, in z. `argand lab --help` lists what it may contain.
    at          A number for each variable: one, a sequence, a dict by name, or text, "1+2i, exp(i*pi/4)". Default: 1+2j for all.
    by          The variable to differentiate with respect to; the first by default.
    """
    if at is None:
        at = [1 + 2j] * len(_argand.variables(expression))
    elif isinstance(at, Mapping):
        at = _in_order(expression, at)
    elif isinstance(at, (int, float, complex, np.number)):
        at = [complex(at)]
    found, text = _argand.lab(expression, at if isinstance(at, str) else [complex(z) for z in at], by)
    data = json.loads(found)

    def figure(key: str) -> Figure:
        f = data[key]
        bar, tolerance = (float("inf") if f[name] is None else f[name] for name in ("error", "tolerance"))
        return Figure(_number(f["tape"]), _number(f["numerical"]), bar, tolerance, f["verdict"])

    conventions: Dict[str, complex] = {}
    for row in data["conventions"]:
        conventions[row["framework"] or "JAX, holomorphic=True"] = _number(row["value"])
    jacobian = np.array([[np.nan if v is None else v for v in row] for row in data["jacobian"]])
    return Lab(data["equation"], {v: _number(z) for v, z in data["at"].items()}, data["by"], _number(data["value"]), data["real"], figure("dz"),
               figure("dzbar"), figure("gradient"), conventions, jacobian, data["cauchy_riemann"], data["gaps"], data["trouble"], text)


def _number(pair: Sequence[Any]) -> complex:
    """A complex number from JSON, where NaN is null."""
    return complex(*(float("nan") if part is None else part for part in pair))


def _in_order(expression: str, at: Mapping[str, complex]) -> List[complex]:
    names = _argand.variables(expression)
    if set(names) != set(at):
        raise _argand.Error(f"lab: the variables are {', '.join(names)}, but at gives {', '.join(map(str, at)) or 'none'}")
    return [complex(at[name]) for name in names]


@dataclasses.dataclass(frozen=True)
class Op:
    """A differentiable operation of the library, as it describes itself."""

    name: str
    kind: str  # "holomorphic", "real-valued", "general", "real"
    equation: str
    dz: str
    dzbar: str
    vjp: str
    derivation: str
    singular: str
    source: str

    def __str__(self) -> str:
        return f"{self.name}, {self.kind}: {self.equation}"


def ops() -> List[Op]:
    """Every op, by name.

    >>> import argand
    >>> [op.equation for op in argand.ops() if op.name == "conj"]
    ['w = z̄ = x - iy']
    """
    return [Op(**op) for op in _argand.ops()]


def explain(name: str) -> str:
    """Everything about one op, as `argand explain` prints it: equation, derivation, singular points, and the result of its numerical check.

    >>> import argand
    >>> print(argand.explain("conj").splitlines()[0])
    conj, general
    """
    return _argand.explain(name)
