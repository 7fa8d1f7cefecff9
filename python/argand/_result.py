"""The result of a check, and how it is printed."""
from __future__ import annotations

import dataclasses
import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._argand import Report


class GradientError(AssertionError):
    """The gradient is wrong. The message is the complete result."""


class Inconclusive(Exception):
    """The check could not decide, because of noise, a kink or a branch cut. The message is the complete result."""


@dataclasses.dataclass(frozen=True)
class Element:
    """One element of one input: the given gradient and the numerical one.

    Both are dL/dx + i dL/dy, also where the gradient was given in JAX's convention.
    """

    input: str
    index: Tuple[int, ...]
    gradient: complex  # a float if the input is real
    numerical: complex
    bar: float  # error bar of the numerical derivative
    relative_error: float  # the difference relative to the largest gradient of that input
    verdict: str  # "pass", "fail", "inconclusive", "kink" or "branch cut"
    text: str = dataclasses.field(repr=False)

    @property
    def name(self) -> str:
        """"x[0, 2]", or "x" for a number."""
        return self.input + (f"[{', '.join(map(str, self.index))}]" if self.index else "")

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


@dataclasses.dataclass(frozen=True)
class Direction:
    """The derivative of L along a random direction of all inputs, from the gradient and numerically."""

    gradient: float
    numerical: float
    bar: float
    relative_error: float


@dataclasses.dataclass(frozen=True)
class IndependentCheck:
    """One way to check whether a gradient is right, and its result.

    "differences" decides, and fills the table. Three others use one more random direction: "adjoint" takes a forward derivative;
    "taylor" measures the order at which the remainder f(x + tv) - f(x) - t <g, v> falls, 2 or more where g is right, 1 where it is
    wrong; "complex step" computes Im f(x + ihv) / h, for real-analytic f that takes complex numbers. "linear" asks whether the gradient
    is linear in the incoming one: for 1000 times as much, for 1/1000, for a sum. If it is not, the gradient is wrong whatever the
    differences say.
    """

    name: str
    opinion: str  # "agrees", "disagrees" or "silent"
    finding: str  # "relative error 3e-16", "order 2.00 at steps 3e-07 to 3e-05"; or why it is silent

    def __str__(self) -> str:
        return f"{self.name} ({self.finding})"


@dataclasses.dataclass(frozen=True)
class Input:
    """The result for one input. `elements` are those that were judged separately: empty if the directions decided."""

    name: str
    shape: Tuple[int, ...]
    dtype: str
    verdict: str
    diagnosis: str
    worst_error: float  # relative to the input's largest gradient
    bar: float  # the tolerance that applied, in the same unit
    elements: List[Element] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True, repr=False)
class Result:
    """The outcome of a check. True when the gradient passed.

    >>> import argand, numpy as np
    >>> result = argand.check(lambda z: np.sum(np.abs(z) ** 2), lambda z: 2 * z.conj(), np.array([1 + 2j, 3j]))
    >>> result.verdict, result.diagnosis
    ('fail', 'conjugated: this is the convention of JAX')
    >>> result.worst.name, result.worst.gradient
    ('z[1]', -6j)
    """

    name: str  # name of the function
    verdict: str  # "pass", "fail" or "inconclusive"
    diagnosis: str  # a short description of the mistake; "" if there is none
    worst: Optional[Element]  # the worst element among those with the worst verdict; None if the directions decided
    directions: List[Direction]
    inputs: List[Input]
    rtol: float
    independent: List[IndependentCheck]
    notes: List[str]
    report: Report = dataclasses.field(compare=False)  # the library's report, from which text and HTML are made
    point: Any = None  # with points=N, the simplified x at which the check fails
    case: Any = dataclasses.field(default=None, compare=False)  # the recorded call, for save_replay

    @property
    def witnesses(self) -> List[IndependentCheck]:
        """Deprecated; use `independent`."""
        warnings.warn("Result.witnesses is now called Result.independent", DeprecationWarning, stacklevel=2)
        return self.independent

    @property
    def elements(self) -> List[Element]:
        """All elements that were judged separately."""
        return [e for i in self.inputs for e in i.elements]

    def __bool__(self) -> bool:
        return self.verdict == "pass"

    def assert_pass(self) -> "Result":
        """Raises GradientError if the gradient is wrong, Inconclusive if the check cannot tell. Returns itself."""
        if self.verdict == "fail":
            raise GradientError(str(self))
        if self.verdict == "inconclusive":
            raise Inconclusive(str(self))
        return self

    @property
    def headline(self) -> str:
        """One line: "energy: FAIL, the gradient looks conjugated"."""
        return self._shown().headline

    def _shown(self) -> Report:
        """The library's report, with this result's notes."""
        self.report.notes = self.notes
        return self.report

    def __str__(self) -> str:
        return self._shown().text().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self._shown().html()


def result_of(report: Report, name: str, names: List[str], arrays: List[np.ndarray], rtol: float, notes: List[str]) -> Result:
    """Makes a Result from what `_argand.judge` returns."""

    def element(e: Dict[str, Any]) -> Element:
        array = arrays[e["row"]]
        number = (lambda z: z) if array.dtype.kind == "c" else (lambda z: z.real)
        index = tuple(int(k) for k in np.unravel_index(e["element"], array.shape)) if array.ndim else ()
        return Element(names[e["row"]], index, number(e["gradient"]), number(e["numerical"]), e["bar"], e["relative_error"], e["verdict"], e["text"])

    report.name = name
    report.name_rows(names, [a.dtype.name for a in arrays])
    report.notes = [*report.notes, *notes]
    inputs = [Input(row["name"], row["shape"], row["scalar"], row["verdict"], row["diagnosis"], row["worst_error"], row["bar"],
                    [element(e) for e in row["elements"]]) for row in report.rows]
    worst = report.worst
    return Result(name, report.verdict, report.diagnosis, element(worst) if worst else None, [Direction(*d) for d in report.directions], inputs,
                  rtol, [IndependentCheck(*c) for c in report.independent], report.notes, report)
