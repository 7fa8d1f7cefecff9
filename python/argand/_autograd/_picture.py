"""The tape in readable form, as text and as a picture: values downwards, gradients upwards."""
from __future__ import annotations

import html
from typing import Any, Dict, List, Tuple

import numpy as np

from .. import _argand
from .._argand import Tensor


class TapeView:
    """What a tensor was computed from: a table when printed, a picture in a notebook. After a backward pass it also shows the
    gradients, dL/dx + i dL/dy."""

    def __init__(self, tensor: Tensor) -> None:
        self.nodes: List[Dict[str, Any]] = _argand.tape_nodes(tensor)
        self._names = _names(self.nodes)

    def rows(self) -> List[Tuple[str, str, str, str]]:
        """(name, expression, value, gradient) of each node, inputs first."""
        return [(name, _expression(node, self._names), _numbers(node["value"], node), _numbers(node["gradient"], node) if node["gradient"] is not None else "")
                for name, node in zip(self._names, self.nodes)]

    def __repr__(self) -> str:
        rows = [("", "", "value", "gradient"), *self.rows()]
        widths = [max(len(row[k]) for row in rows) for k in range(4)]
        return "\n".join("  ".join((f"{name:>{widths[0]}} {'=' if name else ' '}", f"{expression:<{widths[1]}}", f"{value:<{widths[2]}}", gradient)).rstrip()
                         for name, expression, value, gradient in rows)

    def _repr_html_(self) -> str:
        return self.svg()

    def svg(self) -> str:
        """A drawing: each op below its inputs, values in black and gradients in red."""
        boxes = [_box(name, expression, value, gradient) for name, expression, value, gradient in self.rows()]
        depth = _depths(self.nodes)
        layers: Dict[int, List[int]] = {}
        for i, d in enumerate(depth):
            layers.setdefault(d, []).append(i)
        gap, height, step = 28, 58, 96
        total = max(sum(boxes[i][0] for i in layer) + gap * (len(layer) - 1) for layer in layers.values()) + 2 * gap
        place = {}
        for d, layer in layers.items():
            x = (total - sum(boxes[i][0] for i in layer) - gap * (len(layer) - 1)) / 2
            for i in layer:
                place[i] = (x, 12 + step * d)
                x += boxes[i][0] + gap
        parts = []
        for i, node in enumerate(self.nodes):
            x, y = place[i][0] + boxes[i][0] / 2, place[i][1]
            for j in node["inputs"]:
                u, v = place[j][0] + boxes[j][0] / 2, place[j][1] + height
                parts.append(f'<path d="M{u:.0f} {v} C{u:.0f} {v + 24} {x:.0f} {y - 24} {x:.0f} {y}" fill="none" stroke="#888"/>')
        for i, node in enumerate(self.nodes):
            width, lines = boxes[i]
            x, y = place[i]
            fill = "#eef4ff" if node["variable"] else "#f4f4f4" if not node["op"] else "#ffffff"
            parts.append(f'<rect x="{x:.0f}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="#555"/>')
            for k, (line, colour) in enumerate(lines):
                parts.append(f'<text x="{x + 10:.0f}" y="{y + 17 + 17 * k}" fill="{colour}">{html.escape(line)}</text>')
        size = f'width="{total:.0f}" height="{step * (max(depth) + 1) - step + height + 24}"'
        return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="monospace" font-size="12" role="img">'
                "<title>computation graph: values, and gradients in red</title>" + "".join(parts) + "</svg>")


def tape(tensor: Tensor) -> TapeView:
    """What this tensor was computed from: values, and after backward() gradients. Text when printed, a picture in a notebook.

    >>> import argand as ag
    >>> z = ag.variable(1 + 0.5j)
    >>> L = ag.abs2(z**2 + 1)
    >>> L.backward(); L.tape()
                      value    gradient
     z =  variable    1+0.5j   9+0.5j
    v1 =  pow(z, 2)   0.75+1j  3.5+2j
    v2 =  add(v1, 1)  1.75+1j  3.5+2j
    v3 =  abs2(v2)    4.062    1
    """
    return TapeView(tensor)


def tensor_html(x: Tensor) -> str:
    """A small tensor as a table, a large one as its repr."""
    a = x.numpy()
    if a.ndim not in (1, 2) or a.size > 100:
        return f"<pre>{html.escape(repr(x))}</pre>"
    cells = "".join("<tr>" + "".join(f"<td>{html.escape(_number(v))}</td>" for v in row) + "</tr>" for row in np.atleast_2d(a))
    kind = "variable" if x.is_variable else f"op {x.name}" if x.requires_grad else "constant"
    return f"<table>{cells}</table><small>{html.escape(f'{a.dtype} {list(a.shape)}, {kind}')}</small>"


def _names(nodes: List[Dict[str, Any]]) -> List[str]:
    """z or x, or x1, x2, ... for variables; c1, c2, ... for constants; v1, v2, ... for ops."""
    names, count = [], {"x": 0, "c": 0, "v": 0}
    only = sum(node["variable"] for node in nodes) == 1
    for node in nodes:
        kind = "v" if node["op"] else "x" if node["variable"] else "c"
        count[kind] += 1
        number = count[kind]
        names.append(node["name"] or (("z" if "complex" in node["dtype"] else "x") if only and kind == "x" else f"{kind}{number}"))
    return names


def _expression(node: Dict[str, Any], names: List[str]) -> str:
    if not node["op"]:
        return "variable" if node["variable"] else "constant"
    arguments = [names[i] for i in node["inputs"]]
    if node["factor"] is not None:
        arguments.append(_number(node["factor"]))
    return f"{node['op']}({', '.join(arguments)})"


def _number(v: Any) -> str:
    v = complex(v)
    return f"{v.real:.4g}{v.imag:+.4g}j" if v.imag != 0 or np.isnan(v.imag) else f"{v.real:.4g}"


def _numbers(value: Any, node: Dict[str, Any]) -> str:
    if value is None or value.size > 4:
        return f"{node['dtype']} {list(node['shape'])}"
    text = ", ".join(_number(v) for v in value.reshape(-1))
    return text if value.ndim == 0 else f"[{text}]"


def _box(name: str, expression: str, value: str, gradient: str) -> Tuple[int, List[Tuple[str, str]]]:
    lines = [(f"{name} = {expression}" if "(" in expression else f"{name}, {expression}", "#333"), (value, "#000"), (gradient, "#b00020")]
    return 20 + max(64, max(int(7.3 * len(line)) for line, _ in lines)), lines


def _depths(nodes: List[Dict[str, Any]]) -> List[int]:
    depth: List[int] = []
    for node in nodes:
        depth.append(1 + max((depth[i] for i in node["inputs"]), default=-1))
    # A source stands directly above the first op that reads it.
    for i, node in enumerate(nodes):
        readers = [depth[k] for k, other in enumerate(nodes) if i in other["inputs"]]
        if not node["op"] and readers:
            depth[i] = min(readers) - 1
    return depth
