"""The package as a whole: its docstrings, its names, its types."""
import ast
import doctest
import importlib
import pathlib

import argand
import numpy as np
import pytest

FOLDER = pathlib.Path(argand.__file__).parent
MODULES = sorted(".".join(path.relative_to(FOLDER).with_suffix("").parts) for path in FOLDER.rglob("*.py") if path.stem != "__main__")


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_print_what_they_say(name):
    module = importlib.import_module(f"argand.{name}".replace(".__init__", ""))
    if name == "_torch":
        pytest.importorskip("torch")
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    if name in ("__init__", "_autograd._functions", "_autograd._own_op", "_autograd._tensors", "nn.__init__", "nn._module", "optim.__init__", "_check", "_files", "_lab", "_result", "_planted", "_torch"):
        assert result.attempted > 0


def test_what_is_public_is_named_and_documented():
    for name in argand.__all__:
        if isinstance(getattr(argand, name), np.dtype):
            continue  # a NumPy type
        assert getattr(argand, name).__doc__, f"{name} has no docstring"
    assert (FOLDER / "py.typed").exists() and (FOLDER / "_argand.pyi").exists()


def test_the_stub_has_what_the_module_has():
    tree = ast.parse((FOLDER / "_argand.pyi").read_text())
    stub = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    stub |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    assert stub == {name for name in dir(argand._argand) if not name.startswith("__")}


def test_importing_it_imports_no_framework():
    import subprocess
    import sys

    code = "import argand, sys; print([m for m in ('torch', 'jax') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
