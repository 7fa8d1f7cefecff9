"""argand.selftest: does the judge find planted mistakes and accept correct gradients?"""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, List

import numpy as np

from ._check import check


@dataclasses.dataclass(frozen=True)
class Plant:
    """A correct or wrong gradient, and its verdict."""

    function: str
    mistake: str  # "none" for a correct gradient
    verdict: str
    diagnosis: str

    @property
    def ok(self) -> bool:
        """Whether the mistake was found, or the correct gradient passed."""
        return self.verdict == ("pass" if self.mistake == "none" else "fail")


@dataclasses.dataclass(frozen=True)
class SelfTest:
    """The result of argand.selftest. True if every mistake was found and every correct gradient passed."""

    plants: List[Plant]

    def __bool__(self) -> bool:
        return all(plant.ok for plant in self.plants)

    def __str__(self) -> str:
        rows = [("function", "mistake", "verdict", "diagnosis")]
        rows += [(p.function, p.mistake, p.verdict + ("" if p.ok else ", WRONGLY"), p.diagnosis) for p in self.plants]
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        lines = ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[3]]).rstrip() for row in rows]
        wrong = [p for p in self.plants if p.mistake != "none"]
        found, right = sum(p.ok for p in wrong), len(self.plants) - len(wrong)
        passed = sum(p.ok for p in self.plants if p.mistake == "none")
        return "\n".join([*lines, f"{found} of {len(wrong)} mistakes found, {passed} of {right} correct gradients passed"])

    __repr__ = __str__


Z = np.array([[1 + 2j, 0.5 - 0.3j], [-0.7 + 0.4j, 1.5j]])
X = np.array([[0.3, -1.2, 0.8], [1.1, 0.4, -0.6]])

# (name, f, its gradient, the point)
FUNCTIONS: Any = [
    ("sum |z|^4", lambda z: np.sum(np.abs(z) ** 4), lambda z: 4 * np.abs(z) ** 2 * z, Z),
    ("Re sum exp(z)", lambda z: np.sum(np.exp(z)).real, lambda z: np.conj(np.exp(z)), Z),
    ("sum |z| Im z", lambda z: np.sum(np.abs(z) * z.imag), lambda z: z / np.abs(z) * z.imag + 1j * np.abs(z), Z),
    ("log sum exp(x)", lambda x: np.log(np.sum(np.exp(x))), lambda x: np.exp(x) / np.sum(np.exp(x)), X),
]


def _at_one_place(g: np.ndarray) -> np.ndarray:
    g = g.copy()
    g[1, 1] *= 1.001
    return g


MISTAKES: Any = [
    ("none", lambda g: g),
    ("conjugated", np.conj),
    ("twice", lambda g: 2 * g),
    ("negated", np.negative),
    ("zero", np.zeros_like),
    ("real part lost", lambda g: 1j * g.imag),
    ("transposed", lambda g: g.T.reshape(g.shape)),
    ("0.1 % too much in one element", _at_one_place),
    ("NaN", lambda g: g * np.nan),
]


def selftest() -> SelfTest:
    """Judges correct gradients, and gradients with planted mistakes.

    >>> import argand
    >>> found = argand.selftest()
    >>> bool(found), len(found.plants)
    (True, 34)
    >>> print(str(found).splitlines()[-1])
    30 of 30 mistakes found, 4 of 4 correct gradients passed
    """
    plants = []
    for name, f, grad, x in FUNCTIONS:
        for mistake, corrupt in MISTAKES:
            if x.dtype.kind == "f" and mistake in ("conjugated", "real part lost"):
                continue
            result = check(f, _corrupted(grad, corrupt), x)
            plants.append(Plant(name, mistake, result.verdict, result.diagnosis))
    return SelfTest(plants)


def _corrupted(grad: Callable[[np.ndarray], np.ndarray], corrupt: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: corrupt(grad(x))
