"""Runs part of bench/gradcheck_battery.py and of bench/right_gradients.py."""
import re
import subprocess
import sys

import pytest
from conftest import ROOT


def ran(script, *options):
    run = subprocess.run([sys.executable, "-W", "ignore", str(ROOT / "bench" / script), *options], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_every_planted_mistake_is_caught_and_nobody_is_accused():
    pytest.importorskip("torch")
    lines = ran("gradcheck_battery.py", "--short").splitlines()
    cases, caught, missed, accused = map(int, next(line for line in lines if line.startswith("all ")).split()[1:5])
    assert (cases, missed, accused) == (15, 0, 0) and caught == 14
    assert len([line for line in lines if re.search(r"^[a-z ]+ +[1-9]\d* ", line)]) == 14  # one line for each kind of mistake, and one for the total


def test_random_right_gradients_are_not_accused():
    pytest.importorskip("mpmath")
    assert "8 correct gradients, 20 points each: 0 accused" in ran("right_gradients.py", "--functions", "8", "--points", "20")
