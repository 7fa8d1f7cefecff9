"""What type checkers learn from the package's stubs."""
import importlib.util
import pathlib
import subprocess
import sys

import argand as ag
import pytest
from conftest import ROOT

PACKAGE = pathlib.Path(ag.__file__).parent
STUBS = PACKAGE / "_ops.pyi"

PROGRAM = """
from typing import Any

import argand as ag
import numpy as np

z = ag.variable(np.array([1 + 0.5j]))
L = ag.abs2(z**2 + 1).sum()
L.backward()


@ag.op
def double(z: Any) -> Any:
    return 2 * z


@double.vjp
def _(g: Any, z: Any) -> Any:
    return 2 * g


net = ag.nn.Sequential(ag.nn.Linear(1, 16, dtype=complex), ag.nn.ModReLU(16), ag.nn.Linear(16, 1, dtype=complex))
opt = ag.optim.AdamW(net.parameters(), lr=1e-3)
for step in range(2):
    opt.zero_grad()
    loss = ag.abs2(net(ag.constant([[1j]]))).mean(axis=0).sum()
    loss.backward()
    opt.step()
U, S, V = ag.svd(z.reshape(1, 1))
print(float(loss), np.asarray(z.grad), z.numpy(), S.sum(dim=0, keepdim=True), double(z), ag.__version__)
"""


def make_stubs():
    spec = importlib.util.spec_from_file_location("make_stubs", ROOT / "python" / "stubs" / "make_stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stubs_are_what_the_registry_says():
    assert STUBS.read_text() == make_stubs().stubs()


def test_an_op_of_the_registry_is_in_them_and_in_the_package():
    text = STUBS.read_text()
    for name, function in ag.op_functions.items():
        assert function.__doc__.startswith(function.signature) and f"{name}(" in function.signature
        assert f"\ndef {name}(" in text or getattr(ag, name) is not function, name
    assert "    def abs2(self) -> Tensor: ..." in text and "def svdvals(A: _Tensor) -> Tensor: ..." in text


def examples():
    """(name, code) for the programs of docs/python.md and of the notebooks. Like most notebook code they have no annotations, so
    their own functions are untyped; everything else, including the bodies of these functions, is checked strictly."""
    spec = importlib.util.spec_from_file_location("make_notebooks", ROOT / "docs" / "notebooks" / "make_notebooks.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    codes = {path.stem: path.read_text() for path in (ROOT / "docs" / "programs" / "python").glob("*.py")
             if "import torch" not in path.read_text()}  # checking PyTorch itself would take a minute
    for name, notebook in make.notebooks(solved=True).items():
        codes["notebook_" + name.replace("-", "_")] = "\n\n".join(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code")
    free = "# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-redefinition, allow-any-generics\n"
    return {name: free + code for name, code in codes.items()}


def test_programs_pass_a_strict_type_checker(tmp_path):
    mypy = pytest.importorskip("mypy.api", reason="mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    exec(compile(PROGRAM, str(program), "exec"), {})
    for name, code in examples().items():
        (tmp_path / f"{name}.py").write_text(code)
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import argand as ag\nz = ag.variable(1.0)\nag.exp(z, base=2)\nag.matmul(z)\nz.no_such_op()\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *sorted(map(str, tmp_path.glob("*.py")))],
                          capture_output=True, text=True, env={"PYTHONPATH": str(PACKAGE.parent), "PATH": "/usr/bin"})
    found = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert mypy and len(found) == 3, done.stdout + done.stderr
    assert all(f"wrong.py:{number}:" in line and word in line
               for number, word, line in zip((3, 4, 5), ('"base"', '"other"', '"no_such_op"'), found)), done.stdout
