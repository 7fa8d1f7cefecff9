"""experiments/fashion.py on a small data set made here: it learns, continues after being killed, and says what is wrong with files."""
import gzip
import importlib
import json
import signal
import struct
import subprocess
import sys
import time

import argand as ag
import numpy as np
import pytest
from conftest import ROOT

SCRIPT = ROOT / "experiments" / "fashion.py"
sys.path.append(str(SCRIPT.parent))
fashion = importlib.import_module("fashion")
ROWS = "qic,real,complex-magnitude"


def idx(numbers):
    return struct.pack(f">{1 + numbers.ndim}I", 2048 + numbers.ndim, *numbers.shape) + numbers.astype(np.uint8).tobytes()


@pytest.fixture
def data(tmp_path):
    """A folder with Fashion-MNIST's four files: noisy copies of ten pictures, two files gzipped and two not."""
    rng, folder = np.random.default_rng(0), tmp_path / "pictures"
    folder.mkdir()
    patterns = rng.integers(0, 256, (10, 28, 28))
    for prefix, count in (("train", 1600), ("t10k", 300)):
        labels = rng.integers(0, 10, count)
        pictures = (patterns[labels] + rng.integers(0, 256, (count, 28, 28))) // 2
        folder.joinpath(f"{prefix}-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(pictures)))
        folder.joinpath(f"{prefix}-labels-idx1-ubyte").write_bytes(idx(labels))
    return folder


def command(data, out, *words):
    return [sys.executable, str(SCRIPT), "--quick", "--data", str(data), "--out", str(out), *words]


def run(data, out, *words):
    return subprocess.run(command(data, out, "--rows", ROWS, *words), capture_output=True, text=True)


def test_rows_are_trained_compared_and_kept_once(data, tmp_path):
    out = tmp_path / "runs.json"
    done = run(data, out)
    assert done.returncode == 0, done.stderr
    kept = json.loads(out.read_text(encoding="utf8"))
    assert [(r["row"], r["search"], r["seed"]) for r in kept["runs"]] == [
        (row, search, seed) for row in ("real", "qic", "complex-magnitude") for search, seed in ((True, 0), (True, 0), (False, 0), (False, 1))]
    assert all(("theta" in r) == (r["row"] == "qic") and len(r["accuracy"]) == 1 for r in kept["runs"])
    finals = {row: [r["accuracy"][-1] for r in kept["runs"] if r["row"] == row and not r["search"]] for row in ("real", "qic")}
    assert min(finals["real"] + finals["qic"]) > 50  # chance is 10
    mean = sum(a - b for a, b in zip(finals["qic"], finals["real"])) / 2
    assert f"| {mean:+.2f} [" in done.stdout and "θ learnt is as good as real" in done.stdout
    assert done.stdout.count("\n| qic |") == 2 and "complex is better than real" not in done.stdout  # "complex" was not trained

    before = out.read_bytes()
    again = run(data, out)
    assert again.stdout == done.stdout and again.stderr == "" and out.read_bytes() == before
    told = subprocess.run([sys.executable, str(SCRIPT), "--table", str(out)], capture_output=True, text=True)
    assert told.stdout == done.stdout
    other = run(data, out, "--epochs", "2")
    assert other.returncode == 1 and other.stderr == f"fashion.py: {out} has runs with other settings (epochs 1, not 2): name another file with --out\n"


def test_a_killed_script_goes_on_and_ends_at_the_same_bytes(data, tmp_path):
    whole, killed = tmp_path / "whole.json", tmp_path / "killed.json"
    assert run(data, whole).returncode == 0
    for runs in (1, 4):
        process = subprocess.Popen(command(data, killed, "--rows", ROWS), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        while process.poll() is None and (not killed.exists() or len(json.loads(killed.read_text())["runs"]) < runs):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert len(json.loads(killed.read_text())["runs"]) >= runs
    assert run(data, killed).returncode == 0
    assert killed.read_bytes() == whole.read_bytes()


LABELS = np.arange(1600) % 10


@pytest.mark.parametrize("name, content, said", [
    ("train-images-idx3-ubyte.gz", None, "has no train-images-idx3-ubyte.gz: install Debian's package dataset-fashion-mnist, or name the folder"),
    ("train-labels-idx1-ubyte", idx(LABELS)[:-1], "train-labels-idx1-ubyte has 1599 bytes of data, but its header says 1600"),
    ("train-labels-idx1-ubyte", idx(LABELS) + b"\0", "has 1601 bytes of data, but its header says 1600"),
    ("train-labels-idx1-ubyte", b"", "ends inside its header: 0 bytes of 8"),
    ("train-labels-idx1-ubyte", idx(LABELS.reshape(40, 40)), "begins with 2050, but an IDX file of this kind begins with 2049"),
    ("train-labels-idx1-ubyte", idx(LABELS + 1), "train has the label 10; labels are 0 to 9"),
    ("train-labels-idx1-ubyte", idx(LABELS[:-1]), "train has 1600 pictures of 28 x 28 and 1599 labels"),
    ("t10k-images-idx3-ubyte.gz", gzip.compress(idx(np.zeros((300, 27, 28)))), "t10k has 300 pictures of 27 x 28"),
    ("t10k-images-idx3-ubyte.gz", gzip.compress(bytes(1000))[:-9], "t10k-images-idx3-ubyte.gz cannot be read: "),
    ("t10k-images-idx3-ubyte.gz", b"not gzipped", "t10k-images-idx3-ubyte.gz cannot be read: Not a gzipped file"),
])
def test_a_file_that_is_wrong_is_named_in_one_sentence(data, tmp_path, name, content, said):
    if content is None:
        data.joinpath(name).unlink()
    else:
        data.joinpath(name).write_bytes(content)
    done = run(data, tmp_path / "runs.json")
    assert done.returncode == 1 and said in done.stderr and done.stderr.count("\n") == 1 and done.stderr.startswith("fashion.py: ")
    assert done.stdout == "" and not tmp_path.joinpath("runs.json").exists()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"settings": {}, "runs": [{"row": "real"}]}', '{"settings": [], "runs": []}'])
def test_a_file_that_has_no_results_is_refused_and_left_alone(data, tmp_path, text):
    out = tmp_path / "runs.json"
    out.write_text(text)
    done = run(data, out)
    assert done.returncode == 1 and f"{out} is not a results file of fashion.py" in done.stderr and done.stderr.count("\n") == 1
    assert out.read_text() == text


@pytest.mark.parametrize("words, said", [(["--rows", "real,quaternion"], "unknown row 'quaternion'; rows are real, "), (["--seeds", "0"], "expected a whole number above 0, got '0'")])
def test_wrong_options_are_named(data, tmp_path, words, said):
    done = subprocess.run(command(data, tmp_path / "runs.json", *words), capture_output=True, text=True)
    assert done.returncode == 2 and said in done.stderr


def test_qic_at_a_right_angle_is_the_complex_network():
    z = ag.constant((np.random.default_rng(1).standard_normal((5, 392, 2)) @ [1, 1j]).astype(np.complex64))
    for plain, learnt in (("complex", "qic"), ("complex-magnitude", "qic-magnitude")):
        nets = []
        for row in (plain, learnt):
            ag.nn.manual_seed(3)
            nets.append(fashion.network(row))
        first = [net(z).numpy() for net in nets]
        for theta in nets[1].theta:
            theta.assign(np.full(1, np.pi / 2, np.float32))
        assert np.abs(first[1] - first[0]).max() > 0.1 and np.abs(nets[1](z).numpy() - first[0]).max() < 1e-5


def test_at_pi_4_the_lower_half_of_a_picture_is_not_seen():
    upper, lower, other = np.random.default_rng(2).standard_normal((3, 5, 392))
    for row, seen in (("qic-pi4", False), ("qic-pi6", True)):
        net = fashion.network(row)
        first, second = (net(ag.constant((upper + 1j * half).astype(np.complex64))).numpy() for half in (lower, other))
        assert (np.abs(first - second).max() > 1e-2) == seen


def test_real_rows_have_as_many_parameters_as_the_complex_one():
    def count(row):
        return sum(p.numel() * (2 if p.is_complex() else 1) for p in fashion.network(row).parameters())

    wanted = count("complex")
    assert wanted == 2 * (392 * 128 + 128 * 128 + 128 * 10 + 2 * 128) + 10 and count("qic") == wanted + 3 and count("qic-pi6") == wanted
    assert abs(count("real") / wanted - 1) < 0.003 and abs(count("real-magnitude") / wanted - 1) < 0.007
    assert fashion.network("real-wide")(ag.constant(np.zeros((1, 784), np.float32))).shape == (1, 10)


def test_rates_widen_until_the_best_has_worse_ones_on_both_sides(tmp_path):
    def after(tried):
        results = fashion.Results(tmp_path / "none.json", {"rates": [1.0, 2.0], "widen": True})
        results.runs = [{"row": "real", "rate": rate, "search": True, "accuracy": [0.0, right]} for rate, right in tried.items()]
        return results.next_rate("real")

    assert after({}) == 1.0 and after({1.0: 5}) == 2.0 and after({1.0: 5, 2.0: 6}) == 4.0 and after({1.0: 6, 2.0: 5}) == 0.5
    assert after({1.0: 5, 2.0: 6, 4.0: 6}) is None and after({0.5: 1, 1.0: 6, 2.0: 5}) is None
    assert after({2.0**k: k for k in range(8)}) is None  # the search ends, although the last rate is still the best


def test_intervals_are_those_of_student():
    for t, n, inside in ((12.706, 1, 0.95), (4.303, 2, 0.95), (3.182, 3, 0.95), (2.776, 4, 0.95), (4.604, 4, 0.99), (2.571, 5, 0.95), (2.262, 9, 0.95)):
        assert abs(importlib.import_module("reporting").within(t, n) - inside) < 5e-5
    mean, low, high = fashion.interval([1.0, 2.0, 3.0, 4.0, 5.0], 1)
    assert mean == 3 and abs(high - mean - 2.7764 * np.sqrt(2.5 / 5)) < 1e-3 and abs(low + high - 6) < 1e-9
    assert abs(fashion.interval([1.0, 2.0, 3.0, 4.0, 5.0], 5)[2] - mean - 4.6041 * np.sqrt(2.5 / 5)) < 1e-3  # 1 - 0.05/5 = 0.99
    assert fashion.interval([0.5, 0.5], 3) == (0.5, 0.5, 0.5)
