"""argand.train: `argand train` from Python."""
from __future__ import annotations

import os
from typing import Any, Callable, Dict, Optional, Union

from .. import _argand
from .._argand import Error
from ._progress import Progress
from ._run import Run
from ._settings import setting_texts

Path = Union[str, "os.PathLike[str]"]


def train(out: Optional[Path] = None, *, resume: Optional[Path] = None, task: str = "lm", config: Optional[Path] = None, overwrite: bool = False,
          progress: Union[bool, Callable[[Dict[str, Any]], Any]] = True, **settings: Any) -> Run:
    """Trains a model in the folder `out`, as `argand train lm --out` does (task="classify": `argand train classify`). The same settings
    under the same names give the same files. `argand train lm --help` lists them.

    >>> run = ag.train("runs/first", family="crope", steps=200, d_model=64)      # doctest: +SKIP
    >>> run.model().generate("the", tokens=20)                                   # doctest: +SKIP

    resume      continues the run in this folder; steps, epochs and early_stop can change its length, and data where its data is read
    config      a file of `key = value` lines; keyword arguments override it
    overwrite   replaces an existing run in `out`
    progress    whether to show progress; or a function that is called after each step with a dict of step, loss, lr, grad_norm,
                tokens and seconds, and after a validation also valid and best

    Ctrl-C finishes the step and saves; `resume` continues from there and gives the same files as an uninterrupted run. An exception
    raised by `progress` does the same.
    """
    if (out is None) == (resume is None):
        raise Error("train: give either out, the folder for a new run, or resume, the folder of a run to continue")
    texts = setting_texts("train", settings)
    if resume is not None:
        if config is not None or overwrite:
            raise Error("train: resume uses the run's own folder and configuration; drop config and overwrite")
        path = os.fspath(resume)
        training = _argand.resume_training(path, texts)
        if training is None:
            return Run(path)
    else:
        path = os.fspath(out)  # type: ignore[arg-type]
        training = _argand.begin_training(path, "" if config is None else os.fspath(config), texts, task, overwrite)
    shown = Progress(training.family, training.step, training.steps, progress is True)
    stepping = False
    try:
        while not training.finished:
            stepping = True
            done = training.advance()
            stepping = False
            shown.update(done)
            if callable(progress):
                progress(done)
        return Run(path, training.stopped_early)
    except BaseException as error:
        if stepping and isinstance(error, Exception):
            raise  # an error in the step itself: the run resumes from its last checkpoint
        if not training.finished:
            training.save()
            shown.note(f"stopped after step {training.step}; continue with argand.train(resume={path!r})")
        raise
    finally:
        shown.close()
        del training  # also releases the folder's lock, which a traceback would keep
