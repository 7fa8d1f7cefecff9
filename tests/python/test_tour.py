"""Checks that the Python programs in README.md and docs/guides/tour.md print the output shown there (tests/docs/book_test.py checks
docs/python.md)."""
import contextlib
import io
import re
import subprocess
import sys

import pytest
from conftest import ROOT

FENCES = re.compile(r"^```python\n(.*?)^```\n\n(?:<!--.*?-->\n)?```(?:text)?\n(.*?)^```", re.M | re.S)
ROUNDING = r"\d+(\.\d+)?e-(09|[1-9]\d|\d{3})\b|\b0e\+00\b|\bat steps \S+ to \de[-+]\d+"  # values below 1e-8, and the steps that depend on them


def plain(text):
    """The lines with rounding errors, seconds and repeated spaces blanked."""
    text = re.sub(ROUNDING, "<rounding>", re.sub(r"\d+\.\d+ s\b", "<seconds>", text))
    return [re.sub(r"\s+", " ", line).strip() for line in text.strip().splitlines()]


def shown(path):
    return FENCES.findall((ROOT / path).read_text(encoding="utf8"))


@pytest.mark.parametrize("path", ["README.md", "docs/guides/tour.md"])
def test_python_prints_what_is_shown_below_it(path):
    blocks = shown(path)
    if any("torch" in code for code, _ in blocks):
        pytest.importorskip("torch")
    assert blocks
    names = {"__name__": "shown"}
    for code, output in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, path, "exec"), names)
        assert plain(printed.getvalue()) == plain(output), code


def test_the_self_test_is_a_command():
    run = subprocess.run([sys.executable, "-m", "argand"], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "30 of 30 mistakes found, 4 of 4 correct gradients passed"
