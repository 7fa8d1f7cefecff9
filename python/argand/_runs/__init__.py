"""Models of the families, and runs that train them: the implementation of argand.load and argand.train."""
from ._model import Model
from ._run import Run
from ._train import train

__all__ = ["Model", "Run", "train"]
