"""A check saved to a file: it is written atomically, validated when read, and gives the same verdict again."""
import json
import os
import random
import subprocess
import sys

import argand
import numpy as np
import pytest

X = np.array([[0.5, -1.25], [2.0, 1e-300]])
Z = np.array([1 + 2j, -0.0 - 0.3j])
MODULE = """
import numpy as np

def energy(x):
    return np.sum(x**4)

def wrong(x):
    return 2 * x**3

class Holder:
    @staticmethod
    def right(x):
        return 4 * x**3
"""


def energy(x):
    return np.sum(x**4)


def wrong(x):
    return 2 * x**3


def product(p, z):
    return float(np.sum(p["w"] ** 2) * np.sum(np.abs(z) ** 2) * p["rest"][0])


def product_gradient(p, z):
    w, s, e = np.sum(p["w"] ** 2), np.sum(np.abs(z) ** 2), p["rest"][0]
    return {"w": 2 * p["w"] * s * e, "rest": [w * s]}, 2.01 * z * w * e


def test_a_replay_gives_the_same_verdict(tmp_path):
    path = tmp_path / "a.json"
    for f, grad, x, options in (
        (energy, wrong, X, {}),
        (energy, lambda x: 4 * x**3, X, {"rtol": 1e-6, "full": True, "seed": 7}),
        (product, product_gradient, ({"w": np.float32([1.5, 2.5]), "rest": [0.25]}, Z), {}),
        (lambda z: z * z, lambda z, w: 2 * z * w, Z, {"vjp": True, "convention": "jax"}),
        (lambda x: np.sum(np.maximum(x, 0)), np.zeros_like, X * 0, {}),
        (lambda x: x**2, lambda x: 2 * x, np.float64(0.1), {"jvp": lambda x, v: 2 * x * v}),
    ):
        once = argand.check(f, grad, x, replay=path, **options)
        again = argand.replay(path, f, grad, **{key: value for key, value in options.items() if callable(value)})
        assert (again.verdict, again.diagnosis, again.inputs, again.directions) == (once.verdict, once.diagnosis, once.inputs, once.directions)
        assert again.notes == [*once.notes, f"replayed: {once.verdict} then, {once.verdict} now"]
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]  # no temporary file is left


def test_what_was_found_at_a_point_is_replayed_at_that_point(tmp_path):
    path = tmp_path / "a.json"
    f, grad = (lambda x: np.sum(x**2)), (lambda x: np.where(x > 5, 3 * x, 2 * x))
    result = argand.check(f, grad, np.array([0.5, 1.5]), points=100, replay=path)
    assert not result and argand.replay(path, f, grad).verdict == "fail"
    assert np.max(json.loads(path.read_text())["arguments"]["x"]["data"]) == np.max(result.point) > 5
    with pytest.raises(argand.Error, match="the check used no function 'hvp'; it used f, grad"):
        argand.replay(path, f, grad, hvp=f)
    argand.check(f, grad, np.array([0.5, 1.5]), order=2, hvp=lambda x, v: 2 * v, replay=path)
    with pytest.raises(argand.Error, match=r"the check used a function 'hvp'; pass it as replay\(path, f, hvp=...\)"):
        argand.replay(path, f, grad)


def test_a_module_gets_the_parameters_of_the_file(tmp_path):
    torch = pytest.importorskip("torch")

    class Half(torch.nn.Module):
        def __init__(self, size=3):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(size, dtype=torch.bfloat16))
            self.register_buffer("count", torch.tensor([3, 4]))

        def forward(self, x, bias, name):
            assert name == "a" and bias.dtype == torch.int64
            return x * self.weight + x.detach() * self.weight + bias

    path = tmp_path / "a.json"
    layer, x, bias = Half(), torch.randn(22, 3), torch.tensor([1, 2, 3])
    once = argand.check_torch(layer, x, bias, "a", replay=path)
    other = Half()
    kept = [t.clone() for t in other.state_dict().values()]
    again = argand.replay(path, other)
    assert once.verdict == again.verdict == "fail" and once.inputs == again.inputs
    assert all(torch.equal(a, b) for a, b in zip(kept, other.state_dict().values()))
    with pytest.raises(argand.Error, match="the module's 'weight' does not match the file; pass a module with the same parameter names and shapes"):
        argand.replay(path, Half(4))
    with pytest.raises(argand.Error, match="the check was made on a module with parameters; pass a module"):
        argand.replay(path, lambda x: x)


def test_what_cannot_be_written_is_said_and_leaves_no_file(tmp_path):
    torch = pytest.importorskip("torch")
    with pytest.raises(argand.Error, match="save_replay: inputs.1. is a Generator, which cannot be written; use arrays, tensors"):
        argand.check_torch(lambda x, g: x * 2, torch.ones(2), torch.Generator(), replay=tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError):
        argand.check(energy, wrong, X, replay=tmp_path / "nowhere" / "a.json")


def refused(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(argand.Error) as error:
        argand.replay(path, energy, wrong)
    assert "\n" not in str(error.value) and len(str(error.value)) < 400
    return str(error.value)


def test_a_reader_trusts_nothing(tmp_path):
    path = tmp_path / "a.json"
    argand.check(energy, wrong, X, replay=path)
    good = json.loads(path.read_text())

    def changed(**parts):
        return json.dumps({**good, **parts})

    def with_x(x):
        return changed(arguments={**good["arguments"], "x": x})

    assert "is not a replay file: JSONDecodeError" in refused(path, "{")
    assert "is not a replay file: UnicodeDecodeError" in refused(path, b"\xff\xfe")
    assert "NaN is not JSON" in refused(path, json.dumps(good).replace("0.5", "NaN"))
    assert refused(path, changed(**{"argand replay": 2})) == "replay: the file has format 2; this argand reads format 1"
    assert refused(path, changed(call="os.system")).startswith("replay: the file records an unknown check 'os.system'; this argand has check")
    assert refused(path, changed(arguments={"path": {"plain": 3}})) == "replay: the file has an argument 'path' that check does not take"
    assert refused(path, changed(arguments={"replay": {"plain": "/tmp/x"}})) == "replay: the file has an argument 'replay' that check does not take"
    assert "RecursionError" in refused(path, '{"argand replay": ' + "[" * 100000)
    for x in (3, [], {}, {"array": "object", "shape": [1], "data": [1]}, {"array": "float64", "shape": [3], "data": [1]}, {"tuple": 3},
              {"array": "float64", "shape": [-1], "data": []}, {"array": "float64", "shape": [1 << 40], "data": [1]}, {"plain": [1]},
              {"array": "float64", "shape": [1], "data": [True]}, {"array": "int8", "shape": [1], "data": [300]}, {"array": "float64", "shape": [1], "base64": "!"},
              {"array": "float64", "shape": [2], "base64": "AAAAAAAA"}, {"number": "str", "data": [1]}, {"array": "float64", "shape": [1], "data": ["1"]},
              {"array": "bfloat16", "shape": [1], "data": [1]}, {"array": ["float64"], "shape": [1], "data": [1]}):
        assert "is not a replay file" in refused(path, with_x(x)), x
    big = path.with_name("big.json")
    with open(big, "wb") as file:
        file.truncate((1 << 28) + 1)
    with pytest.raises(argand.Error, match="is larger than 256 MB, the limit for a replay file"):
        argand.replay(big, energy, wrong)
    with pytest.raises(argand.Error, match="replay: cannot read .*: No such file"):
        argand.replay(tmp_path / "none.json", energy, wrong)


def test_broken_files_give_a_verdict_or_a_sentence(tmp_path):
    path, rng = tmp_path / "a.json", random.Random(5)
    argand.check(energy, wrong, np.linspace(0, 1, 65), full=True, replay=path)
    good = path.read_bytes()
    for _ in range(200):
        data = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(data))
            if rng.random() < 0.3:
                del data[place : place + rng.randint(1, 30)]
            else:
                data[place] = rng.randrange(256)
        path.write_bytes(bytes(data))
        try:
            argand._replay.read(path)
        except argand.Error as error:
            assert "\n" not in str(error)


def replayed(tmp_path, *options):
    run = subprocess.run([sys.executable, "-m", "argand", "replay", *map(str, options)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Traceback" not in run.stderr
    return run


def test_the_command(tmp_path):
    (tmp_path / "mine.py").write_text(MODULE)
    code = ("import argand, mine, numpy as np\n"
            "argand.check(mine.energy, mine.wrong, np.array([0.5, 2.0]), replay='wrong.json')\n"
            "argand.check(mine.energy, mine.Holder.right, np.array([0.5, 2.0]), replay='right.json')\n"
            "argand.check(lambda x: x, lambda x: 1.0, 2.0, replay='nameless.json')\n")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    run = replayed(tmp_path, "wrong.json")
    assert run.returncode == 1 and "energy: FAIL, the gradient looks half the correct one" in run.stdout and "replayed: fail then, fail now" in run.stdout
    assert replayed(tmp_path, "right.json").returncode == 0
    run = replayed(tmp_path, "right.json", "--function", "grad=mine:wrong")
    assert run.returncode == 1 and "replayed: pass then, fail now" in run.stdout
    run = replayed(tmp_path, "nameless.json")
    assert run.returncode == 3 and run.stderr.startswith("replay: the file does not say where to find f; use --function f=MODULE:NAME")
    assert replayed(tmp_path, "nowhere.json").returncode == 3


def test_a_file_runs_no_code_from_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("os:system", "shutil:rmtree", "sys:exit", "builtins:eval", "numpy:sum", "__main__:f"):
        with pytest.raises(argand.Error) as error:
            argand._replay.found(name, "f", False)
        assert str(error.value) == f"replay: the file names {name}, which is not below the current folder; if you trust it, pass --function f={name}"
    for name in ("..x:y", "a b:c", "x", ":f", "x:"):
        with pytest.raises(argand.Error, match="is not a function name; write MODULE:NAME"):
            argand._replay.found(name, "f", True)
    assert argand._replay.found("numpy:sum", "f", True) is np.sum


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    result = argand.check(energy, wrong, X, replay=path)
    before = path.read_text()

    def fails(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="no space"):
        argand.save_replay(path, result)
    assert path.read_text() == before and [p.name for p in tmp_path.iterdir()] == ["a.json"]
