"""Shared by all checks: options, budgets, and the call to the library's judge."""
from __future__ import annotations

import contextlib
import dataclasses
import functools
import signal
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _argand
from ._argand import Error
from ._points import searching
from ._random import Randomness
from ._result import Result, result_of
from ._trees import Leaf, describe

RTOL = 1e-8
Tolerance = Union[float, Sequence[float], Mapping[str, float]]


@dataclasses.dataclass(frozen=True)
class Options:
    """Options that every check takes; see `argand.check`."""

    rtol: Tolerance = RTOL
    atol: Tolerance = 0.0
    noise: Optional[float] = None
    full: bool = False
    seed: int = 0x6C4D
    seed_rng: bool = False
    max_calls: Optional[int] = None
    max_seconds: Optional[float] = None

    def given(self) -> Dict[str, Any]:
        """The options as keyword arguments."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    @staticmethod
    def of(who: str, given: Mapping[str, Any]) -> "Options":
        names = [f.name for f in dataclasses.fields(Options)]
        for name in given:
            if name not in names:
                raise Error(f"{who}: unknown option {name!r}; options are {', '.join(names)}")
        options = Options(**given)
        for name in ("max_calls", "max_seconds"):
            if getattr(options, name) is not None and not getattr(options, name) > 0:
                raise Error(f"{who}: {name} must be positive, got {getattr(options, name)!r}")
        if options.noise is not None and not 0 <= options.noise < 0.1:
            raise Error(f"{who}: noise is relative to the values of f and must be in [0, 0.1), got {options.noise!r}")
        return options


@dataclasses.dataclass
class Problem:
    """A function of a list of arrays and its gradients. `notes` is read after the judge has run. `tangent(arrays, v)` is the
    derivative of value along v, `extended(arrays)` is value at complex arrays; both may return a str that explains why there is
    none."""

    name: str
    leaves: Sequence[Leaf]
    value: Callable[[List[np.ndarray]], np.ndarray]
    gradients: Callable[[List[np.ndarray], np.ndarray], Sequence[np.ndarray]]
    tangent: Optional[Callable[..., Any]] = None
    extended: Optional[Callable[..., Any]] = None
    notes: List[str] = dataclasses.field(default_factory=list)
    module: Any = None  # the module whose buffers count as random state
    noise: Optional[float] = None  # relative error of the values, if the function is known to compute in a narrow type


def judge(problem: Problem, options: Options, who: str, convention: str) -> Result:
    """The verdict of the library's judge."""
    names = [leaf.name for leaf in problem.leaves]
    arrays = [leaf.array for leaf in problem.leaves]
    rtol, atol = _one_each(options.rtol, RTOL, names, f"{who}: rtol"), _one_each(options.atol, 0.0, names, f"{who}: atol")
    for r in rtol:
        if not r > 0:
            raise Error(f"{who}: rtol must be positive, got {r:g}")
    for a in atol:
        if not a >= 0:
            raise Error(f"{who}: atol must not be negative, got {a:g}")
    noise = options.noise if options.noise is not None else problem.noise
    budget = Budget(options.max_calls, options.max_seconds)
    with Randomness(options.seed_rng, problem.module) as randomness, budget:
        spend = functools.partial(_spending, budget, randomness)
        try:
            report = _argand.judge(spend(problem.value), spend(problem.gradients), arrays, rtol=rtol, atol=atol,
                                   noise=-1.0 if noise is None else float(noise), full=bool(options.full), jax=convention == "jax",
                                   beside=not (searching() or (options.seed_rng and _has_buffers(problem.module))), seed=int(options.seed),
                                   tangent=spend(problem.tangent), extended=spend(problem.extended))
        except Error as error:
            if "random seed" in str(error) and not options.seed_rng:
                raise Error(f"{error}, or pass seed_rng=True") from error
            raise
    return result_of(report, problem.name, names, arrays, max(rtol), problem.notes)


def _has_buffers(module: Any) -> bool:
    """Whether a module has buffers, such as spectral_norm's vectors. They belong to the point; a second point would have others."""
    return module is not None and any(True for _ in module.buffers())


def _spending(budget: "Budget", randomness: Randomness, function: Optional[Callable[..., Any]]) -> Optional[Callable[..., Any]]:
    if function is None:
        return None

    def called(*arguments: Any) -> Any:
        budget.spend()
        randomness.reset()
        with budget.interrupting():
            return function(*arguments)

    return called


def _one_each(given: Any, default: float, names: List[str], what: str) -> List[float]:
    """Returns a tolerance for each input."""
    if isinstance(given, Mapping):
        unknown = [key for key in given if not any(_belongs(name, key) for name in names)]
        if unknown:
            raise Error(f"{what} names {unknown[0]!r}, but the inputs are {', '.join(names)}")
        return [float(next((given[key] for key in given if _belongs(name, key)), default)) for name in names]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise Error(f"{what} has {len(given)} numbers, but there are {len(names)} inputs: {', '.join(names)}")
        return [float(x) for x in given]
    try:
        return [float(given)] * len(names)
    except (TypeError, ValueError):
        raise Error(f"{what} must be a number, a list with one per input, or a dict from input name to number, got {describe(given)}") from None


def _belongs(name: str, key: str) -> bool:
    """Whether this leaf is the input with that name or inside it."""
    return name == key or (name.startswith(key) and name[len(key) : len(key) + 1] in ("[", "."))


class Budget:
    """A limit on calls and seconds. Beyond it argand._argand.Spent ends the check, which keeps what it has found.

    On the main thread of a system with timers, a call that does not return is interrupted as well.
    """

    def __init__(self, calls: Optional[int], seconds: Optional[float]) -> None:
        self._most, self._seconds = calls, seconds
        self._calls = 0
        self._inside = False
        self._end = None if seconds is None else time.monotonic() + seconds

    def spend(self) -> None:
        """Called before each call."""
        if self._most is not None and self._calls >= self._most:
            raise _argand.Spent(f"the budget of {self._most} calls is used up")
        if self._end is not None and time.monotonic() >= self._end:
            self._out_of_time()
        self._calls += 1

    def _out_of_time(self) -> None:
        raise _argand.Spent(f"the budget of {self._seconds:g} s is used up")

    def _alarm(self, *_: Any) -> None:
        if self._inside:
            self._out_of_time()

    @contextlib.contextmanager
    def interrupting(self) -> Iterator[None]:
        """Within this block, which surrounds a call, the alarm may interrupt; outside it, in the judge, it never does."""
        self._inside = True
        try:
            yield
        finally:
            self._inside = False

    def __enter__(self) -> "Budget":
        self._handler: Any = None
        if self._seconds is not None and hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread() and (
                signal.getitimer(signal.ITIMER_REAL)[0] == 0):
            self._handler = signal.signal(signal.SIGALRM, self._alarm)
            signal.setitimer(signal.ITIMER_REAL, self._seconds)
        return self

    def __exit__(self, *error: Any) -> None:
        if self._handler is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._handler)


def call(function: Callable[..., Any], arguments: Sequence[Any], who: str, keywords: Mapping[str, Any] = {}) -> Any:
    """The function's value. Turns an exception into an Error that names the function."""
    try:
        return function(*arguments, **keywords)
    except Error:
        raise
    except Exception as error:
        raise Error(f"check: {who} raises {type(error).__name__} when called at x" + sentence_of(error)) from error


def sentence_of(error: BaseException) -> str:
    """": MESSAGE", reduced to one line of readable length; "" if there is no message."""
    text = " ".join(str(error).split())
    return (": " + (text if len(text) <= 300 else text[:297] + "...")) if text else ""


class Value:
    """Wraps calls that return an array: at the point, errors are raised; elsewhere, a value that cannot be computed is NaN.

    The point is the input of the first call.
"""

    def __init__(self, compute: Callable[[List[np.ndarray]], np.ndarray]) -> None:
        self._compute = compute
        self._first: Optional[np.ndarray] = None
        self._point: List[bytes] = []
        self.elsewhere: Optional[List[np.ndarray]] = None  # the most recent inputs other than the point

    @property
    def at_point(self) -> np.ndarray:
        assert self._first is not None
        return self._first

    def __call__(self, arrays: List[np.ndarray]) -> np.ndarray:
        with np.errstate(all="ignore"):
            if self._first is None:
                self._point = [a.tobytes() for a in arrays]
                self._first = self._compute(arrays)
                return self._first
            if all(a.tobytes() == p for a, p in zip(arrays, self._point)):
                return self._compute(arrays)
            self.elsewhere = arrays
            try:
                y = self._compute(arrays)
            except Exception:
                return np.full_like(self._first, np.nan)
        if y.dtype.kind == self._first.dtype.kind:
            return y
        # If f is complex at the point, real values elsewhere become complex; if it is real there, complex values are outside its domain.
        return y.astype(complex) if self._first.dtype.kind == "c" else np.where(y.imag == 0, y.real, np.nan)
