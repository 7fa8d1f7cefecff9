"""Model: a language model or classifier of one of the families, computed by the C++ library."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

import numpy as np

from .. import _argand
from .._argand import Error, Tensor
from ..nn._module import Module
from ..nn._start import next_mask


class Model(Module):
    """A language model or classifier. Made by `argand.load` or by `argand.families`.

    `model(ids)` returns logits, `model.loss(ids, targets)` the training loss, both on the tape; parameters have the names used in the
    checkpoint. `config` has the settings, `tokens` converts text to ids, `classes` has the names of the labels.
    """

    def __init__(self, held: Any) -> None:
        self._held = held
        self._parameters = dict(held.parameters)

    @property
    def family(self) -> str:
        """The name of the family."""
        return str(self._held.family)

    @property
    def task(self) -> str:
        """"lm" or "classify"."""
        return str(self._held.task)

    @property
    def step(self) -> int:
        """The number of training steps taken."""
        return int(self._held.step)

    @property
    def classes(self) -> List[str]:
        """The names of a classifier's labels."""
        return list(self._held.classes)

    @property
    def tokens(self) -> Optional[_argand.Tokens]:
        """The tokenizer: `tokens.encode(text)` converts a text to ids, `tokens.text(ids)` converts them back; None if not given."""
        return self._held.tokens

    @property
    def config(self) -> Dict[str, Any]:
        """All settings by key: of the model, its optimiser and its training."""
        return {key: value for part in json.loads(self._held.config).values() for key, value in part.items()}

    def forward(self, ids: Any) -> Tensor:
        """Logits for ids [B, T]: [B, T, vocabulary] for a language model, [B, classes] for a classifier. Ids [T] are a single row."""
        tokens = _ids(self.family, ids)
        if tokens.ndim == 1:
            return self.forward(tokens[None])[0]
        return self._held.logits(tokens, self.training, *self._mask())

    def loss(self, ids: Any, targets: Any) -> Tensor:
        """The training loss: the mean cross entropy, plus the auxiliary loss if the family has one. targets: labels [B] for a classifier;
        else [B, n], the ids that follow the last n ids of each row."""
        return self._held.loss(_ids("loss", ids), _ids("loss", targets), self.training, *self._mask())

    @overload
    def generate(self, prompt: str, tokens: int = ..., *, temperature: float = ..., top_k: int = ..., top_p: float = ..., seed: int = ...,
                 weights: str = ...) -> str: ...
    @overload
    def generate(self, prompt: Sequence[str], tokens: int = ..., *, temperature: float = ..., top_k: int = ..., top_p: float = ...,
                 seed: int = ..., weights: str = ...) -> List[str]: ...

    def generate(self, prompt: Union[str, Sequence[str]], tokens: int = 50, *, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0,
                 seed: int = 0, weights: str = "f32") -> Union[str, List[str]]:
        """The prompt, or each of several prompts, continued by this many tokens. The options and the text are those of `argand generate`;
        weights="bf16" or "int8" reads real weight matrices rounded to 16 or 8 bits, which is faster for large models and few texts at
        a time."""
        prompts = [prompt] if isinstance(prompt, str) else list(prompt)
        texts: List[str] = self._held.generate(prompts, 1, tokens, temperature, top_k, top_p, seed, weights)
        return texts[0] if isinstance(prompt, str) else texts

    def classify(self, text: str) -> List[Tuple[str, float]]:
        """(label, probability) of every label, the likeliest first."""
        return list(self._held.classify(text))

    def save(self, path: Union[str, "os.PathLike[str]"], *, overwrite: bool = False) -> None:
        """Writes a run's folder with best.safetensors, tokens and settings, which `argand eval`, `generate` and `load` open; or, if path ends in
        .safetensors, that checkpoint with its tokens beside it."""
        self._held.save(os.fspath(path), overwrite)

    def extra_repr(self) -> str:
        c = self.config
        shown = [f"{key}={c[key]}" for key in ("vocab_size", "n_layers", "d_model", "n_heads", "precision")]
        return ", ".join(shown + [f"step={self.step}"] * (self.step > 0))

    def __repr__(self) -> str:
        return f"{self.family}({self.extra_repr()})"

    def _fields(self) -> Iterator[Tuple[str, Any]]:
        yield from self._parameters.items()

    def _mask(self) -> Tuple[int, int]:
        """The seed and the step that determine dropout masks."""
        return (next_mask(), 0) if self.training and self._held_drops() else (0, 0)

    def _held_drops(self) -> bool:
        return float(self.config["dropout"]) > 0

    def __getstate__(self) -> Any:
        raise TypeError("a Model cannot be pickled or copied; use save(path), or state_dict() for its parameters")


def _ids(whom: str, ids: Any) -> np.ndarray[Any, Any]:
    array = np.asarray(ids)
    if array.dtype.kind not in "iu":
        raise Error(f"{whom}: ids must be integers, got {array.dtype}; tokens.encode(text) returns them")
    if array.size and not (0 <= int(array.min()) and int(array.max()) < 2**31):
        raise Error(f"{whom}: ids must be in [0, 2**31), got values from {int(array.min())} to {int(array.max())}")
    return array.astype(np.int32)
