"""What all tests of the package share."""
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pytest_terminal_summary(terminalreporter):
    """In the words of Boost.Test, which .ci/count_cases.py counts."""
    count = {key: len(terminalreporter.stats.get(key, [])) for key in ("passed", "failed", "error")}
    total, failed = sum(count.values()), count["failed"] + count["error"]
    for n, word in ((count["passed"], "passed"), (failed, "failed")):
        if n:
            terminalreporter.write_line(f"{n} test case{'' if n == 1 else 's'} out of {total} {word}")


@pytest.fixture
def program():
    """The program `argand`."""
    return os.environ["ARGAND_PROGRAM"]
