"""What a check finds, and how it says it."""
from __future__ import annotations

import dataclasses
import html
from typing import Any, Dict, List, Optional, Tuple

import numpy as np


class GradientError(AssertionError):
    """A gradient is wrong. Its text is the whole result."""


class Inconclusive(Exception):
    """Nothing is known to be wrong and nothing to be right: noise, a kink, a cut. Its text is the whole result."""


@dataclasses.dataclass(frozen=True)
class Element:
    """One element of one input: the gradient in question beside the numerical one.

    Both are dL/dx + i dL/dy, also where the gradient was given in JAX's convention.
    """

    input: str
    index: Tuple[int, ...]
    gradient: complex  # a float where the input is real
    numerical: complex
    bar: float  # the numerical one is that far from the truth at the most
    relative_error: float  # of the difference, by the largest gradient of that input
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
    """The derivative of L along a random direction of all inputs, in both ways."""

    gradient: float
    numerical: float
    bar: float
    relative_error: float


@dataclasses.dataclass(frozen=True)
class Witness:
    """One way to see whether a gradient is right, and what it saw.

    "differences" decide and give the table. Beside them, along one more random direction: "adjoint", by a forward derivative;
    "taylor", by the order at which the remainder f(x + tv) - f(x) - t <g, v> falls, 2 or more where g is right, 1 where it is wrong;
    "complex step", by Im f(x + ihv) / h, for real-analytic f that takes complex numbers.
    """

    name: str
    opinion: str  # "agrees", "disagrees" or "silent"
    finding: str  # "relative error 3e-16", "order 2.00 at steps 3e-07 to 3e-05"; or why it is silent

    def __str__(self) -> str:
        return f"{self.name} ({self.finding})"


@dataclasses.dataclass(frozen=True)
class Input:
    """What was found of one input. `elements` are those that were looked at one by one: none where directions decided."""

    name: str
    shape: Tuple[int, ...]
    dtype: str
    verdict: str
    diagnosis: str
    elements: List[Element] = dataclasses.field(repr=False)

    def row(self, directions: List[Direction]) -> Tuple[str, str, str, str, str]:
        """Of the table: input, shape, checked, worst error, verdict."""
        if not self.elements:
            error = max((d.relative_error for d in directions), default=0.0)
            return self.name, _shape(self), f"{len(directions)} directions", f"{error:.1e}", self.verdict
        size = int(np.prod(self.shape, dtype=int))
        checked = f"{len(self.elements)} of {size} elements" if len(self.elements) < size else _count(size, "element")
        error = np.max([e.relative_error for e in self.elements])
        counts: Dict[str, int] = {}
        for e in self.elements:
            counts[e.verdict] = counts.get(e.verdict, 0) + 1
        verdict = self.verdict if len(counts) == 1 else ", ".join(f"{n} {v}" for v, n in counts.items())
        return self.name, _shape(self), checked, f"{error:.1e}", verdict


@dataclasses.dataclass(frozen=True)
class Result:
    """The outcome of a check. True when the gradient passed.

    >>> import argand, numpy as np
    >>> result = argand.check(lambda z: np.sum(np.abs(z) ** 2), lambda z: 2 * z.conj(), np.array([1 + 2j, 3j]))
    >>> result.verdict, result.diagnosis
    ('fail', 'conjugated: this is the convention of JAX')
    >>> result.worst.name, result.worst.gradient
    ('z[1]', -6j)
    """

    name: str  # of the function
    verdict: str  # "pass", "fail" or "inconclusive"
    diagnosis: str  # what a failure looks like instead; empty where there is none
    worst: Optional[Element]  # of those with the worst verdict; None where directions decided
    directions: List[Direction]
    inputs: List[Input]
    rtol: float
    witnesses: List[Witness]
    notes: List[str] = dataclasses.field(default_factory=list)
    point: Any = dataclasses.field(default=None, repr=False)  # with points=N: the simple x where it fails
    case: Any = dataclasses.field(default=None, repr=False, compare=False)  # the call, for save_replay

    @property
    def elements(self) -> List[Element]:
        """Every element that was looked at by itself."""
        return [e for i in self.inputs for e in i.elements]

    def __bool__(self) -> bool:
        return self.verdict == "pass"

    def assert_pass(self) -> "Result":
        """Raises GradientError where the gradient is wrong, Inconclusive where that cannot be told. Returns itself."""
        if self.verdict == "fail":
            raise GradientError(str(self))
        if self.verdict == "inconclusive":
            raise Inconclusive(str(self))
        return self

    @property
    def headline(self) -> str:
        """"energy: FAIL, the gradient looks conjugated", on one line."""
        verdict = "FAIL" if self.verdict == "fail" else self.verdict
        reason = self.diagnosis
        if self.verdict == "inconclusive" and not reason and self.worst:
            reason = {"kink": "there is a kink", "branch cut": "the value jumps"}.get(self.worst.verdict, "the error bar is too wide")
        return f"{self.name}: {verdict}" + (f", {reason}" if reason else "")

    def _rows(self) -> List[Tuple[str, ...]]:
        head = ("input", "shape", "checked", "worst error", "verdict")
        return [head] + [i.row(self.directions) for i in self.inputs]

    def _remarks(self) -> List[str]:
        worst = [f"worst: {self.worst}"] if self.worst and self.verdict != "pass" else []
        said = [(word, [str(w) for w in self.witnesses if w.opinion == opinion])
                for word, opinion in (("for it", "agrees"), ("against it", "disagrees"), ("silent", "silent"))]
        return worst + [f"{word}: {', '.join(texts)}" for word, texts in said if texts] + self.notes

    def __str__(self) -> str:
        rows = self._rows()
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  " + "  ".join(cell.rjust(w) if k == 3 else cell.ljust(w) for k, (cell, w) in enumerate(zip(row, widths))).rstrip() for row in rows]
        return "\n".join([self.headline, *lines, *("  " + remark for remark in self._remarks())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks."""
        colour = {"pass": "#207227", "fail": "#b3261e"}.get(self.verdict, "#8a6d00")
        head, *rows = [[html.escape(cell) for cell in row] for row in self._rows()]
        table = "<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"
        table += "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        remarks = "".join(f"<div>{html.escape(remark)}</div>" for remark in self._remarks())
        return f'<div><b style="color: {colour}">{html.escape(self.headline)}</b><table>{table}</table>{remarks}</div>'


def _shape(i: Input) -> str:
    return f"{i.dtype}{list(i.shape)}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def result_of(report: Dict[str, Any], name: str, names: List[str], arrays: List[np.ndarray], rtol: float, notes: List[str]) -> Result:
    """From what `_argand.judge` returns."""

    def element(e: Dict[str, Any]) -> Element:
        array = arrays[e["input"]]
        number = (lambda z: z) if array.dtype.kind == "c" else (lambda z: z.real)
        index = tuple(int(k) for k in np.unravel_index(e["element"], array.shape)) if array.ndim else ()
        return Element(names[e["input"]], index, number(e["gradient"]), number(e["numerical"]), e["bar"], e["relative_error"], e["verdict"],
                       e["text"].replace("analytic", "gradient"))

    inputs = [Input(n, a.shape, a.dtype.name, i["verdict"], i["diagnosis"], [element(e) for e in i["elements"]])
              for n, a, i in zip(names, arrays, report["inputs"])]
    return Result(name, report["verdict"], report["diagnosis"], element(report["worst"]) if report["worst"] else None,
                  [Direction(*d) for d in report["directions"]], inputs, rtol, [Witness(*w) for w in report["witnesses"]], notes)
