"""bench/gradcheck_battery.py, every third function of it."""
import subprocess
import sys

import pytest
from conftest import ROOT

pytest.importorskip("torch")


def test_every_planted_mistake_is_caught_and_nobody_is_accused():
    run = subprocess.run([sys.executable, str(ROOT / "bench/gradcheck_battery.py"), "--short"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    cases, caught, missed, accused = run.stdout.splitlines()[-3].split()[1:5]
    assert (int(cases), int(missed), int(accused)) == (20, 0, 0) and int(caught) >= 15
