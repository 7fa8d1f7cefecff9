"""The families of models, by name: `argand.families.ComplexFormer(tokens=tokens, d_model=64)`. Names are case-insensitive.

>>> import argand as ag
>>> model = ag.families.Crope(vocab_size=11, d_model=8, n_heads=2, n_layers=1, d_ff=8, mode="qk")
>>> model([[1, 2, 3]]).shape
(1, 3, 11)

Settings are the keys of a configuration, those that `argand train lm` has as options; help(argand.families.Crope) lists the family's.
The initial parameters depend on `seed` and are those that `argand train` starts from. `tokens` (argand.data.learn_tokens) lets the model
generate text and be saved; `precision` is "float32" or "float64".
"""
from __future__ import annotations

from typing import Any, List, Optional, Sequence

from .. import _argand
from .._argand import Error, Tokens
from .._runs._model import Model
from .._runs._settings import setting_texts

_titles = dict(_argand.families())


class Family:
    """Makes models of one family."""

    def __init__(self, name: str) -> None:
        self.name = self.__name__ = name
        self.title = _titles[name]

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        keys = "\n".join(f"    {key:20} {default!r:>12}  {text}{f' ({choices})' if choices else ''}"
                         for key, default, choices, text in _argand.family_keys(self.name, "lm") if key != "family")
        return f"{self.title[0].upper()}{self.title[1:]}.\n\n{keys}\n"

    def __call__(self, *, tokens: Optional[Tokens] = None, classes: Sequence[str] = (), task: str = "lm", **settings: Any) -> Model:
        if "family" in settings:
            raise Error(f"families: the family is already {self.name}; drop the family argument")
        texts = setting_texts("families", {"family": self.name, **settings})
        return Model(_argand.make_model(texts, task, tokens, list(classes)))

    def __repr__(self) -> str:
        return f"<family {self.name}: {self.title}>"


_families = {name: Family(name) for name in _titles}


def __getattr__(name: str) -> Family:
    found = _families.get(name.lower())
    if found is None:
        raise AttributeError(f"unknown family {name}; choose from {', '.join(_families)}")
    return found


def __dir__() -> List[str]:
    return list(_families)
