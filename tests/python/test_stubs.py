"""What type checkers are told of the package."""
import importlib.util
import pathlib

import argand as ag
from conftest import ROOT

PACKAGE = pathlib.Path(ag.__file__).parent
STUBS = PACKAGE / "_ops.pyi"


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
