"""Converts text to tokens for models.

>>> import argand as ag
>>> tokens = ag.data.learn_tokens("to be or not to be", kind="char")
>>> tokens.text(tokens.encode("note"))
'note'
"""
from .. import _argand
from .._argand import Tokens

__all__ = ["Tokens", "learn_tokens"]


def learn_tokens(text: str, kind: str = "auto", words: int = 0, pieces: int = 0) -> Tokens:
    """Tokens learnt from a text: "char", "byte", "bpe", "unigram" or "words"; "auto" uses characters if there are at most 256
    distinct ones, else pieces. words: how many of the most frequent words to keep (0: all). pieces: how many to learn (0: 2000)."""
    return _argand.learn_tokens(text, kind, words, pieces)
