"""Gradient checks as pytest tests. Loaded automatically if the package is installed; otherwise use pytest -p argand.pytest_plugin.

A test marked `argand` checks gradients and returns one result or several; each must pass:

    @pytest.mark.argand
    def test_energy():
        return argand.check(energy, gradient, x, points=50)

A marked test that checks no gradient fails. In any test, argand.Inconclusive is a failure, a skip or an xfail, as set by
`--argand-inconclusive`, the ini setting argand_inconclusive, or @pytest.mark.argand(inconclusive="xfail"). Checks that did not pass
are written to a folder, for `python3 -m argand replay`. JUnit's XML gets a property for each: function and verdict.
"""
from __future__ import annotations

import pathlib
import re
from typing import Any, Generator, Iterator, List, Optional

import pytest

from ._argand import Error
from ._replay import observers, save_replay
from ._result import Inconclusive, Result

WAYS = ("fail", "skip", "xfail")
FOUND = pytest.StashKey[List[Result]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("argand", "gradients")
    group.addoption("--argand-inconclusive", choices=WAYS, default=None, help="how to report an inconclusive gradient check: fail (the default), skip or xfail")
    group.addoption("--argand-replay", metavar="FOLDER", default=None, help="where checks that did not pass are written (default: pytest's cache)")
    parser.addini("argand_inconclusive", "how to report an inconclusive gradient check: fail, skip or xfail", default="fail")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", 'argand(inconclusive="fail"): checks gradients; every returned result must pass, and at least one gradient must be checked')
    if config.getini("argand_inconclusive") not in WAYS:
        raise pytest.UsageError(f"argand_inconclusive must be one of {', '.join(WAYS)}, got {config.getini('argand_inconclusive')!r}")


def _way(item: pytest.Item) -> str:
    marker = item.get_closest_marker("argand")
    own = marker.kwargs.get("inconclusive") if marker else None
    return own or item.config.getoption("--argand-inconclusive") or item.config.getini("argand_inconclusive")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Optional[bool]:
    """Records the results that marked tests return."""
    marker = pyfuncitem.get_closest_marker("argand")
    if marker is None:
        return None
    if marker.args or not set(marker.kwargs) <= {"inconclusive"} or marker.kwargs.get("inconclusive", "fail") not in WAYS:
        pytest.fail(f"the argand marker takes only inconclusive=..., one of {', '.join(WAYS)}", pytrace=False)
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    returned = pyfuncitem.obj(**arguments)
    results = [] if returned is None else list(returned) if isinstance(returned, (list, tuple)) else [returned]
    for result in results:
        if not isinstance(result, Result):
            pytest.fail(f"a test marked argand must return results of checks, got {type(result).__name__}", pytrace=False)
    # Report a failure before an inconclusive result.
    for result in sorted(results, key=lambda result: result.verdict != "fail"):
        result.assert_pass()
    if not pyfuncitem.stash.get(FOUND, []) and not results:
        pytest.fail("the test is marked argand but checks no gradient", pytrace=False)
    return True


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    found = item.stash.setdefault(FOUND, [])
    observer = found.append
    observers.append(observer)
    outcome = yield
    observers.remove(observer)
    for result in found:
        item.user_properties.append((f"argand {result.name}", result.verdict))
    if outcome.excinfo is not None:
        for sentence in _kept(item, [result for result in found if not result]):
            item.add_report_section("call", "argand", sentence)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Generator[None, Any, None]:
    """Reports the outcome, just as pytest does for its own skip and xfail exceptions."""
    outcome = yield
    if call.excinfo is None or not isinstance(call.excinfo.value, Inconclusive):
        return
    report, reason, way = outcome.get_result(), str(call.excinfo.value).splitlines()[0], _way(item)
    if way == "fail":
        return
    report.outcome = "skipped"
    if way == "xfail":
        report.wasxfail = reason
    else:
        file, line, _ = item.location
        report.longrepr = (file, (line or 0) + 1, reason)


def _kept(item: pytest.Item, results: List[Result]) -> Iterator[str]:
    """Writes the checks that did not pass to files, and yields messages that say where."""
    folder = item.config.getoption("--argand-replay")
    cache = getattr(item.config, "cache", None)
    if not results or (folder is None and cache is None):
        return
    place = pathlib.Path(folder) if folder is not None else cache.mkdir("argand")
    place.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", item.nodeid)[-120:]
    for k, result in enumerate(results):
        path = place / f"{name}{f'_{k}' if k else ''}.json"
        try:
            save_replay(path, result)
            item.user_properties.append((f"argand replay {result.name}", str(path)))
            yield f"{result.headline}\n  python3 -m argand replay {path}"
        except (Error, OSError) as error:
            yield f"{result.headline}\n  not written: {error}"
