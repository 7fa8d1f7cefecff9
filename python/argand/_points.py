"""points=N: tries inputs where a gradient may fail, one after another, and simplifies the first one that does."""
from __future__ import annotations

import dataclasses
import functools
import re
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ._argand import Error
from ._result import Result
from ._trees import Leaf

Arrays = List[np.ndarray]

SPECIAL = (0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 10.0, -10.0, 1e-8, -1e-8, 1e4, -1e4)
MOST_SHRINKING = 200  # the maximum number of checks used to simplify a point
MOST_SHOWN = 12  # how many elements of a point a note shows


class Sampler:
    """Points with the shapes of `like`: corners, ties, kinks and random scales. Point k depends only on the seed and on k."""

    def __init__(self, like: Sequence[np.ndarray], seed: int, gradient: Callable[[Arrays], Optional[np.ndarray]]) -> None:
        self._like = [np.array(a) for a in like]
        self._seed = seed
        self._gradient = gradient

    def points(self, count: int) -> Iterator[Arrays]:
        """Yields `count` points, `like` first."""
        made = 0
        for arrays in self._all():
            if made == count:
                return
            made += 1
            yield arrays

    def _all(self) -> Iterator[Arrays]:
        yield [a.copy() for a in self._like]
        for value in (0.0, 1.0, -1.0):
            yield [np.full_like(a, value) for a in self._like]
        kinds = (self._scaled, self._special, self._near, self._ties, self._scaled_each, self._kinks, self._whole, self._special_among,
                 self._one, self._saturated, self._axes, self._extreme)
        k = 0
        while True:
            rng = np.random.default_rng([self._seed & 0xFFFFFFFF, k])
            for arrays in kinds[k % len(kinds)](rng):
                yield arrays
            k += 1

    def _each(self, make: Callable[[np.ndarray], Any]) -> Iterator[Arrays]:
        yield [np.asarray(make(a), dtype=a.dtype).reshape(a.shape) for a in self._like]

    @staticmethod
    def _normal(rng: np.random.Generator, a: np.ndarray) -> np.ndarray:
        return rng.standard_normal(a.shape) + (1j * rng.standard_normal(a.shape) if a.dtype.kind == "c" else 0.0)

    @staticmethod
    def _specials(rng: np.random.Generator, a: np.ndarray) -> np.ndarray:
        drawn = rng.choice(SPECIAL, a.shape)
        return drawn + 1j * rng.choice(SPECIAL[:7], a.shape) if a.dtype.kind == "c" else drawn

    def _scaled(self, rng: np.random.Generator) -> Iterator[Arrays]:
        return self._each(lambda a: self._normal(rng, a) * 10.0 ** rng.uniform(-3, 3))

    def _scaled_each(self, rng: np.random.Generator) -> Iterator[Arrays]:
        return self._each(lambda a: self._normal(rng, a) * 10.0 ** rng.uniform(-6, 6, a.shape))

    def _extreme(self, rng: np.random.Generator) -> Iterator[Arrays]:
        exponent = rng.choice([-100, -30, -12, 12, 30, 100])
        return self._each(lambda a: self._normal(rng, a) * 10.0 ** exponent)

    def _special(self, rng: np.random.Generator) -> Iterator[Arrays]:
        return self._each(lambda a: self._specials(rng, a))

    def _special_among(self, rng: np.random.Generator) -> Iterator[Arrays]:
        """Puts one special number among the given numbers, or among random ones."""
        given = rng.random() < 0.5

        def make(a: np.ndarray) -> np.ndarray:
            b = (a if given else self._normal(rng, a)).copy().reshape(-1)
            b[rng.integers(b.size)] = self._specials(rng, b[:1])[0]
            return b

        return self._each(make)

    def _near(self, rng: np.random.Generator) -> Iterator[Arrays]:
        width = 10.0 ** rng.uniform(-4, 0)
        return self._each(lambda a: a * (1 + width * rng.standard_normal(a.shape)) + width * 0.1 * self._normal(rng, a))

    def _ties(self, rng: np.random.Generator) -> Iterator[Arrays]:
        """Makes elements equal within one input and across inputs."""
        common = rng.standard_normal(3)

        def make(a: np.ndarray) -> np.ndarray:
            b = rng.choice(common, a.shape)
            return b + 1j * rng.choice(common, a.shape) if a.dtype.kind == "c" else b

        return self._each(make)

    def _whole(self, rng: np.random.Generator) -> Iterator[Arrays]:
        return self._each(lambda a: rng.integers(-3, 4, a.shape) + (1j * rng.integers(-3, 4, a.shape) if a.dtype.kind == "c" else 0.0))

    def _one(self, rng: np.random.Generator) -> Iterator[Arrays]:
        """Points with one random element; all others are 0."""

        def make(a: np.ndarray) -> np.ndarray:
            b = np.zeros(a.size, a.dtype)
            b[rng.integers(b.size)] = self._normal(rng, b[:1])[0]
            return b

        return self._each(make)

    def _saturated(self, rng: np.random.Generator) -> Iterator[Arrays]:
        return self._each(lambda a: self._normal(rng, a) * rng.choice([15.0, 25.0, 40.0, 90.0, 400.0]))

    def _axes(self, rng: np.random.Generator) -> Iterator[Arrays]:
        """Complex: on an axis, on the unit circle, or close to the negative real axis. Real: of one sign, or sorted."""
        which = rng.integers(4)

        def make(a: np.ndarray) -> np.ndarray:
            x = rng.standard_normal(a.shape)
            if a.dtype.kind != "c":
                return (np.abs(x), -np.abs(x), np.sort(x.reshape(-1)), np.sort(np.abs(x.reshape(-1)))[::-1])[which]
            return (x, 1j * x, np.exp(3j * x), -np.abs(x) + 1e-6j * rng.standard_normal(a.shape))[which]

        return self._each(make)

    def _kinks(self, rng: np.random.Generator) -> Iterator[Arrays]:
        """Points on a line between two points: at a jump of the gradient and on both sides of it, or a single one if there is no
        jump."""
        scale = 10.0 ** rng.uniform(-1, 1)
        begin = [a if rng.random() < 0.5 else self._normal(rng, a).astype(a.dtype) for a in self._like]
        end = [(self._normal(rng, a) * scale).astype(a.dtype) for a in self._like]

        def at(t: float) -> Arrays:
            return [np.asarray(b + t * (e - b), dtype=b.dtype) for b, e in zip(begin, end)]

        jump = self._jump(at)
        for t in (0.5,) if jump is None else (jump, jump - 1e-3, jump + 1e-3):
            yield at(t)

    def _jump(self, at: Callable[[float], Arrays]) -> Optional[float]:
        """The position in [0, 1] at which the gradient changes as much over a short interval as over a long one."""
        low, high, parts, first = 0.0, 1.0, 8, 0.0
        for _ in range(9):
            times = np.linspace(low, high, parts + 1)
            gradients = [self._gradient(at(t)) for t in times]
            if any(g is None for g in gradients):
                return None
            changes = [float(np.linalg.norm(b - a)) for a, b in zip(gradients, gradients[1:])]  # type: ignore[operator]
            k = int(np.argmax(changes))
            first = first or changes[k]
            if not changes[k] > 0.2 * first:
                return None
            low, high = float(times[k]), float(times[k + 1])
        return low


_state = threading.local()


def searching() -> bool:
    """Whether a point of a search is being judged; if so, no second point nearby is checked."""
    return getattr(_state, "searching", False)


class Search:
    """Finds the first point where `judge` says "fail". `judge(arrays)` checks at one point and may raise Error."""

    def __init__(self, judge: Callable[[Arrays], Result], has_value: Callable[[Arrays], bool]) -> None:
        self._judge_given, self._has_value = judge, has_value
        self.counts: Dict[str, int] = {}
        self.refusals: List[str] = []  # points that the check cannot use although f has a value: grad raises

    def look(self, points: Iterator[Arrays]) -> Tuple[Result, Optional[Arrays]]:
        """The result at the first failing point, and that point; or, if none fails, the result at the first point, and None."""
        given = next(points)
        first = self._judge_given(given)  # raises if the call is invalid
        self._count(first.verdict)
        if first.verdict == "fail":
            return first, given
        for arrays in points:
            arrays = self._inside(given, arrays)
            result = self._at(arrays)
            if result is not None and result.verdict == "fail":
                return result, arrays
        return first, None

    def _judge(self, arrays: Arrays) -> Result:
        _state.searching = True
        try:
            return self._judge_given(arrays)
        finally:
            _state.searching = False

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1

    def _inside(self, given: Arrays, arrays: Arrays) -> Arrays:
        """If f has no value there, moves back towards a point where it has one."""
        for _ in range(4):
            if self._has_value(arrays):
                return arrays
            arrays = [np.asarray(g + 0.5 * (a - g), dtype=g.dtype) for g, a in zip(given, arrays)]
        return arrays

    def _at(self, arrays: Arrays) -> Optional[Result]:
        if not self._has_value(arrays):
            self._count("without a value")
            return None
        try:
            result = self._judge(arrays)
        except Error as error:
            self._count("refused")
            self.refusals.append(str(error))
            return None
        self._count(result.verdict)
        return result

    def shrunk(self, result: Result, arrays: Arrays) -> Tuple[Result, Arrays, int]:
        """A simpler point with the same failure (zeros, ones, whole numbers, few digits), and the number of checks needed to find
        it."""
        tried, kind = 0, failure_kind(result)
        progress = True
        while progress and tried < MOST_SHRINKING:
            progress = False
            for simpler in simplified(arrays):
                if tried == MOST_SHRINKING:
                    break
                tried += 1
                if not self._has_value(simpler):
                    continue
                try:
                    found = self._judge(simpler)
                except Error:
                    continue
                if found.verdict == "fail" and failure_kind(found) == kind:
                    result, arrays, progress = found, simpler, True
                    break
        return result, arrays, tried


def failure_kind(result: Result) -> str:
    """The diagnosis without its numbers."""
    return re.sub(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", "#", result.diagnosis)


def complexity(arrays: Arrays) -> float:
    """The complexity of the elements: 0 costs nothing, 1 little, other numbers more with every digit."""
    return sum(_cost(float(v)) for a in arrays for v in (np.ravel(a).view(float) if a.dtype.kind == "c" else np.ravel(a)))


def _cost(v: float) -> float:
    if v == 0:
        return 0.0
    digits = len(f"{abs(v):.15e}".split("e")[0].rstrip("0"))
    return 1.0 + (v < 0) * 0.5 + (abs(v) != 1) * digits + abs(np.log10(abs(v))) / 100


def simplified(arrays: Arrays) -> Iterator[Arrays]:
    """Yields simpler points, the simplest first."""
    cost = complexity(arrays)

    def candidates() -> Iterator[Arrays]:
        for change in CHANGES:
            yield [_by_parts(a, change) for a in arrays]
        for k, a in enumerate(arrays):
            if a.dtype.kind == "c":
                for part in (a.real.astype(a.dtype), 1j * a.imag):
                    yield [*arrays[:k], part, *arrays[k + 1 :]]
        for change in CHANGES:
            length = max(a.size for a in arrays)
            while length >= 1:
                for k, a in enumerate(arrays):
                    for begin in range(0, a.size, length):
                        b = a.copy().reshape(-1)
                        b[begin : begin + length] = _by_parts(b[begin : begin + length], change)
                        yield [*arrays[:k], b.reshape(a.shape), *arrays[k + 1 :]]
                length //= 2

    for simpler in candidates():
        if complexity(simpler) < cost:
            yield simpler


def _by_parts(a: np.ndarray, change: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    return change(a.real) + 1j * change(a.imag) if a.dtype.kind == "c" else change(a)


def _digits(a: np.ndarray, digits: int) -> np.ndarray:
    return np.array([float(f"{v:.{digits - 1}e}") for v in np.ravel(a)]).reshape(a.shape)


def _closer(a: np.ndarray) -> np.ndarray:
    """Rounded to a power of ten with half the exponent."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(a == 0, 0.0, np.sign(a) * 10.0 ** np.rint(np.log10(np.abs(a)) / 2))


def _half(a: np.ndarray) -> np.ndarray:
    """Halved or doubled towards one, and rounded to one digit."""
    return _digits(np.where(np.abs(a) > 1, a / 2, a * 2), 1)


CHANGES = (np.zeros_like, np.sign, np.rint, _closer, _half, *(functools.partial(_digits, digits=n) for n in (1, 2, 3)))


def text_of_point(names: Sequence[str], arrays: Arrays) -> str:
    """The point as text: "x = [0, 1], b = 2"."""
    def number(v: Any) -> str:
        z = complex(v)
        return repr(z.real) if isinstance(v, (float, np.floating)) else repr(z)

    def array(a: np.ndarray) -> str:
        shown = ", ".join(number(v) for v in np.ravel(a)[:MOST_SHOWN])
        text = f"[{shown}{', ...' if a.size > MOST_SHOWN else ''}]" if a.ndim else shown
        return text + (f" of shape {a.shape}" if a.ndim > 1 else "")

    return ", ".join(f"{name} = {array(a)}" for name, a in zip(names, arrays))


def search(judge: Callable[[Arrays], Result], has_value: Callable[[Arrays], bool], gradient: Callable[[Arrays], Optional[np.ndarray]],
           leaves: Sequence[Leaf], points: int, seed: int, inputs_of: Callable[[Arrays], Any]) -> Result:
    """Checks at the point given by the leaves and at others. Returns the result at the first failing point, simplified, or else at
    the given one."""
    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 1:
        raise Error(f"check: points must be an integer of at least 1, got {points!r}")
    looking = Search(judge, has_value)
    result, failing = looking.look(Sampler([leaf.array for leaf in leaves], seed, gradient).points(int(points)))
    tried = sum(looking.counts.values())
    if failing is None:
        notes = [f"{tried} points: {', '.join(f'{n} {what}' for what, n in looking.counts.items())}"]
        notes += [f"at one of them: {text}" for text in looking.refusals[:1]]
        return dataclasses.replace(result, notes=[*result.notes, *notes])
    result, small, checks = looking.shrunk(result, failing)
    where = "the point given" if tried == 1 else f"point {tried} of {points}"
    note = f"fails at {where}; simplified in {checks} more checks: {text_of_point([leaf.name for leaf in leaves], small)}"
    return dataclasses.replace(result, notes=[*result.notes, note], point=inputs_of(small))
