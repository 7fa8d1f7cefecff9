"""argand.replay: repeats a check that was written to a file.

The file is JSON: the function called and its arguments, the parameters and buffers of a module, the verdict, the versions. It contains no code.
It names functions by module and name, where they have one; the caller of replay passes the others.
"""
from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
import inspect
import json
import os
import pathlib
import platform
import sys
import tempfile
import threading
from typing import Any, Callable, Dict, List, Optional, TypeVar, Union

import numpy as np

from ._argand import Error
from ._replay_file import MOST_BYTES, decoded, encoded
from ._result import Result

FORMAT = 1
VERDICTS = ("pass", "fail", "inconclusive")
NOT_KEPT = ("points", "replay")  # options of the search, not of the check at the point that it finds

Function = TypeVar("Function", bound=Callable[..., Any])
_calls: Dict[str, Callable[..., Any]] = {}
_depth = threading.local()
observers: List[Callable[[Result], None]] = []  # called with each result; used by the pytest plugin


@dataclasses.dataclass(frozen=True)
class Case:
    """One call of a check, with everything needed to repeat it."""

    call: str
    functions: Dict[str, Any]
    arguments: Dict[str, Any]
    state: Optional[Dict[str, Any]]  # parameters and buffers of a module


def recorded(check: Function) -> Function:
    """A check that adds `case` to its results, writes them to `replay`, and passes them to the observers."""
    signature = inspect.signature(check)
    name = check.__name__
    _calls[name] = check

    @functools.wraps(check)
    def wrapper(*args: Any, **options: Any) -> Result:
        inner = getattr(_depth, "inside", False)
        _depth.inside = True
        try:
            result = check(*args, **options)
        finally:
            _depth.inside = inner
        call = signature.bind(*args, **options)
        call.apply_defaults()
        bound = call.arguments
        if result.case is None:
            result = dataclasses.replace(result, case=_case_of(name, bound))
        if not inner:
            if bound.get("replay") is not None:
                save_replay(bound["replay"], result)
            for observer in observers:
                observer(result)
        return result

    return wrapper  # type: ignore[return-value]


def _case_of(name: str, bound: Dict[str, Any]) -> Case:
    functions: Dict[str, Any] = {}
    arguments: Dict[str, Any] = {}
    state = None
    for key, value in bound.items():
        if key in NOT_KEPT:
            continue
        if callable(value):
            functions[key] = value
            if hasattr(value, "state_dict"):
                state = {k: v.detach().clone() for k, v in value.state_dict().items()}
        else:
            arguments[key] = _copied(value)
    return Case(name, functions, arguments, state)


def _copied(value: Any) -> Any:
    """A copy, since the caller may change the original later."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if hasattr(value, "detach"):
        return value.detach().clone()
    if isinstance(value, dict):
        return {k: _copied(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [_copied(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def save_replay(path: Union[str, "os.PathLike[str]"], result: Result) -> None:
    """Writes what `replay` needs to repeat this check: x, the parameters of a module, the options, the seed, the versions. With
    `points=N` it is the check at the point where it fails.

    >>> import argand, numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "twice.json")
    >>> f, twice = (lambda x: np.sum(x**2)), (lambda x: 4 * x)
    >>> argand.save_replay(path, argand.check(f, twice, np.array([0.5, 3.0])))
    >>> argand.replay(path, f, twice).diagnosis
    'the gradient looks twice the correct one'

    Raises argand.Error if an input cannot be written, such as an object of your own class. The file is written atomically.
    """
    case = result.case
    if not isinstance(case, Case):
        raise Error("save_replay: the result has no recorded call; pass a result returned by a check")
    arguments = {key: encoded(value, key) for key, value in case.arguments.items()}
    content = {
        "argand replay": FORMAT,
        "call": case.call,
        "functions": {key: _name_of(f) for key, f in case.functions.items()},
        "arguments": arguments,
        "verdict": result.verdict,
        "diagnosis": result.diagnosis,
        "versions": versions(),
    }
    if case.state is not None:
        content["state"] = {key: encoded(value, key) for key, value in case.state.items()}
    target = pathlib.Path(path)
    handle, temporary = tempfile.mkstemp(dir=str(target.parent), prefix=target.name + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("{\n" + ",\n".join(f" {json.dumps(key)}: {json.dumps(part, allow_nan=False)}" for key, part in content.items()) + "\n}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def replay(path: Union[str, "os.PathLike[str]"], f: Any, grad: Optional[Callable[..., Any]] = None, **functions: Any) -> Result:
    """Repeats the check that `save_replay` wrote, for the function or module `f` and its gradient: the same inputs, parameters, options
    and seed. Other functions, such as `hvp` or `jvp`, are passed by keyword.

    A note in the result gives the original verdict, and versions that have changed. Raises argand.Error if the
    file is not a replay file or does not match. The module itself is not modified: a copy gets the parameters in the file.
    """
    content = read(path)
    check = _calls[content["call"]]
    parameters = inspect.signature(check).parameters
    first = next(iter(parameters))
    given = {first: f, **({} if grad is None else {"grad": grad}), **functions}
    missing = [key for key in content["functions"] if key not in given]
    if missing:
        raise Error(f"replay: the check used a function {missing[0]!r}; pass it as replay(path, f, {missing[0]}=...)")
    unknown = [key for key in given if key not in content["functions"]]
    if unknown:
        raise Error(f"replay: the check used no function {unknown[0]!r}; it used {', '.join(content['functions'])}")
    if "state" in content:
        given[first] = _with_state(given[first], content["state"])
    positional: List[Any] = []
    options: Dict[str, Any] = {}
    everything = {**given, **content["arguments"]}
    for key, parameter in parameters.items():
        if key not in everything:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += list(everything[key])
        elif parameter.kind is parameter.VAR_KEYWORD:
            options.update(everything[key])
        elif parameter.kind is parameter.KEYWORD_ONLY:
            options[key] = everything[key]
        else:
            positional.append(everything[key])
    result: Result = check(*positional, **options)
    then, now = content["versions"], versions()
    changed = [f"{key} {then[key]} then, {now[key]} now" for key in then if key in now and now[key] != then[key]]
    note = f"replayed: {content['verdict']} then, {result.verdict} now" + (f" ({'; '.join(changed)})" if changed else "")
    return dataclasses.replace(result, notes=[*result.notes, note])


def versions() -> Dict[str, str]:
    """The versions of everything that a check uses."""
    found = {"python": platform.python_version(), "numpy": np.__version__}
    for name in ("torch", "jax"):
        if name in sys.modules:
            found[name] = str(getattr(sys.modules[name], "__version__", "?"))
    return found


def _name_of(f: Any) -> Optional[str]:
    """"module:name", or None if the function cannot be found by name."""
    module, name = getattr(f, "__module__", None), getattr(f, "__qualname__", None)
    if module == "__main__":
        module = getattr(getattr(sys.modules["__main__"], "__spec__", None), "name", None) or pathlib.Path(
            getattr(sys.modules["__main__"], "__file__", None) or "").stem
    if not isinstance(module, str) or not isinstance(name, str) or not module or "<" in name:
        return None
    return f"{module}:{name}"


def read(path: Union[str, "os.PathLike[str]"]) -> Dict[str, Any]:
    """The content of a replay file, decoded. Raises Error for anything `save_replay` would not write."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Error(f"replay: cannot read {os.fspath(path)}: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise Error(f"replay: {os.fspath(path)} is larger than {MOST_BYTES >> 20} MB, the limit for a replay file")
    try:
        content = json.loads(data.decode("utf-8"), parse_constant=_refused)
        return _checked(content)
    except Error:
        raise
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, AttributeError) as error:
        raise Error(f"replay: {os.fspath(path)} is not a replay file: {type(error).__name__}: {' '.join(str(error).split())[:100]}") from error


def _refused(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _checked(content: Any) -> Dict[str, Any]:
    keys = {"argand replay", "call", "functions", "arguments", "verdict", "diagnosis", "versions"}
    if not isinstance(content, dict) or "argand replay" not in content:
        raise ValueError("the key 'argand replay' is missing")
    if content["argand replay"] != FORMAT:
        raise Error(f"replay: the file has format {content['argand replay']!r}; this argand reads format {FORMAT}")
    if set(content) - {"state"} != keys:
        raise ValueError(f"it has unexpected keys {sorted(map(str, content))[:10]}")
    call = content["call"]
    if call not in _calls:
        raise Error(f"replay: the file records an unknown check {call!r}; this argand has {', '.join(sorted(_calls))}")
    parameters = inspect.signature(_calls[call]).parameters
    functions, arguments = content["functions"], content["arguments"]
    for key in [*functions, *arguments]:
        if key not in parameters or key in NOT_KEPT or (key in functions and key in arguments):
            raise Error(f"replay: the file has an argument {key!r} that {call} does not take")
    if content["verdict"] not in VERDICTS:
        raise ValueError("its verdict is invalid")
    for key, value in [*functions.items(), *content["versions"].items()]:
        if not isinstance(value, str) and not (key in functions and value is None):
            raise ValueError(f"{key} must be a string")
    parts = {part: {key: decoded(value) for key, value in content[part].items()} for part in ("arguments", "state") if part in content}
    return {**content, **parts}


def _with_state(module: Any, state: Dict[str, Any]) -> Any:
    import copy

    if not hasattr(module, "load_state_dict"):
        raise Error("replay: the check was made on a module with parameters; pass a module")
    own = module.state_dict()
    for key in [*own, *state]:
        if key not in own or key not in state or tuple(own[key].shape) != tuple(getattr(state[key], "shape", (-1,))):
            raise Error(f"replay: the module's {key!r} does not match the file; pass a module with the same parameter names and shapes")
    copied = copy.deepcopy(module)
    copied.load_state_dict(state)
    return copied


def found(name: Optional[str], role: str, trusted: bool) -> Any:
    """The function named "module:name". A module named by the file rather than by the user is imported only if it lies below the
    current folder."""
    if name is None:
        raise Error(f"replay: the file does not say where to find {role}; use --function {role}=MODULE:NAME, or call argand.replay(path, ...) from code that has it")
    module, _, path = name.partition(":")
    if not all(part.isidentifier() for part in [*module.split("."), *path.split(".")]):
        raise Error(f"replay: {name!r} is not a function name; write MODULE:NAME")
    if not trusted:
        top = module.split(".")[0]
        try:
            spec = importlib.util.find_spec(top)
        except ValueError:  # find_spec's error for __main__
            spec = None
        # Built-in and frozen modules have an origin that is not a file.
        places = [] if spec is None else [spec.origin] if spec.has_location else list(spec.submodule_search_locations or [])
        if not places or not all(pathlib.Path.cwd() in pathlib.Path(place).resolve().parents for place in places):
            raise Error(f"replay: the file names {name}, which is not below the current folder; if you trust it, pass --function {role}={name}")
    try:
        thing: Any = importlib.import_module(module)
        for part in path.split("."):
            thing = getattr(thing, part)
    except (ImportError, AttributeError) as error:
        raise Error(f"replay: cannot find {name}: {error}") from error
    if not callable(thing):
        raise Error(f"replay: {name} is not a function")
    return thing
