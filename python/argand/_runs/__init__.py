"""Models of the families, and runs that train them: what argand.load and argand.train are made of."""
from ._model import Model
from ._run import Run
from ._train import train

__all__ = ["Model", "Run", "train"]
