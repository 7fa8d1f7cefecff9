"""Fixtures and settings shared by all tests of the package."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pytest_terminal_summary(terminalreporter):
    """Prints a summary in Boost.Test's format, from which .ci/count_cases.py counts the cases."""
    count = {key: len(terminalreporter.stats.get(key, [])) for key in ("passed", "failed", "error")}
    total, failed = sum(count.values()), count["failed"] + count["error"]
    for n, word in ((count["passed"], "passed"), (failed, "failed")):
        if n:
            terminalreporter.write_line(f"{n} test case{'' if n == 1 else 's'} out of {total} {word}")


@pytest.fixture
def program():
    """The path of the program `argand`."""
    return os.environ["ARGAND_PROGRAM"]


# Settings for a run that takes about a second.
SMALL = dict(n_layers=1, d_model=16, n_heads=2, d_ff=16, max_seq_len=16, batch=4, steps=20, eval_every=10, eval_batches=2, checkpoint_every=10)


def options(settings):
    """The settings as command-line arguments."""
    return [word for key, value in settings.items() for word in ("--" + key.replace("_", "-"), str(value))]


@pytest.fixture
def trained(program, tmp_path):
    """The fixture trained(name, task="lm", **settings), which trains a run with the program and returns its folder."""

    def train(name, task="lm", **settings):
        out = tmp_path / name
        done = subprocess.run([program, "train", task, *options({**SMALL, **settings}), "--out", str(out)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return out

    return train


@pytest.fixture
def from_python(tmp_path):
    """The fixture from_python(run, call), which runs `call` in a process with the OpenBLAS kernels that the program used for
    `run`."""

    def train(run, call):
        made_by = next(line["made_by"] for line in map(json.loads, (run / "log.jsonl").read_text().splitlines()) if "made_by" in line)
        environment = {**os.environ, "OPENBLAS_CORETYPE": made_by["blas"], "OMP_WAIT_POLICY": "passive"}
        done = subprocess.run([sys.executable, "-c", "import argand as ag\n" + call], capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return train
