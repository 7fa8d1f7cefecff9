#!/usr/bin/env python3
"""Writes argand/_ops.pyi from the registry during the build: every op as a function and, if it is one, as a method.

  PYTHONPATH=build/python python3 python/stubs/make_stubs.py FILE
"""
import keyword
import pathlib
import re
import sys

import argand

HEAD = '''# From the registry of ops, by python/stubs/make_stubs.py.
import builtins
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._argand import Tensor

_Numbers = Union[builtins.complex, np.ndarray[Any, Any], Sequence[Any]]
_Tensor = Union[Tensor, _Numbers]
_Ints = Sequence[builtins.int]
_Indices = Union[np.ndarray[Any, Any], Sequence[Any], builtins.int]
_Mask = Union[np.ndarray[Any, Any], Sequence[Any], builtins.bool]
'''
TAKES = {"Tensor": "_Tensor", "int": "builtins.int", "bool": "builtins.bool", "str": "builtins.str", "float": "builtins.float", "complex": "builtins.complex", "None": "None",
         "list[int]": "_Ints", "list[Tensor]": "Sequence[_Tensor]", "Indices": "_Indices", "Mask": "_Mask"}
GIVES = {"Tensor": "Tensor", "Indices": "np.ndarray[Any, Any]", "list[Tensor]": "List[Tensor]"}


def taken(text):
    parts = list(dict.fromkeys(TAKES[part] for part in text.split(" | ")))
    inner = parts[0] if len(parts) == 1 else f"Union[{', '.join(parts)}]"
    if "None" in parts:
        rest = [part for part in parts if part != "None"]
        inner = f"Optional[{rest[0] if len(rest) == 1 else 'Union[' + ', '.join(rest) + ']'}]"
    return inner


def given(text):
    """The type of a result, or Any if it depends on the arguments' values, which types do not show."""
    if " | " in text:
        return "Any"
    several = re.fullmatch(r"tuple\[(.*)\]", text)
    return f"Tuple[{', '.join(given(part) for part in several[1].split(', '))}]" if several else GIVES[text]


def declared(function, method):
    words = []
    for i, (name, kind, default) in enumerate(function.parameters):
        if method and i == 0:
            words.append("self")
        else:
            words.append(f"{name}: {taken(kind)}" + (" = ..." if default else ""))
    if any(name in ("dim", "dims", "keepdim") for name, _, _ in function.parameters):
        words.append("**others: Any")  # NumPy's argument names: axis, keepdims
    # x.reshape(2, 3) as an alternative to x.reshape((2, 3))
    last = function.parameters[-1]
    if "list[int]" in last[1] and len(function.parameters) <= 2:
        words = [word for word in words if not word.startswith((last[0] + ":", "**"))] + [f"*{last[0]}: Any", "**others: Any"]
    if last[1] == "list[Tensor]":  # einsum(equation, a, b)
        words[-1] = f"*{last[0]}: Any"
    return f"def {function.__name__}({', '.join(words)}) -> {given(function.result)}: ..."


def stubs():
    functions = [f for name, f in argand.op_functions.items() if not keyword.iskeyword(name) and f is getattr(argand, name, None)]
    methods = [f for name, f in argand.op_functions.items() if getattr(argand.Tensor, name, None) is f]
    lines = [HEAD] + [declared(f, False) for f in functions]
    lines += ["", "class Methods:"] + ["    " + declared(f, True) for f in methods]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(stubs())
