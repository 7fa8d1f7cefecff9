"""argand.train does what `argand train` does."""
import os
import signal
import subprocess
import sys
import time

import argand as ag
import pytest
from conftest import SMALL


def files(run):
    return {name: (run / name).read_bytes() for name in sorted(os.listdir(run)) if name != "log.jsonl"}


@pytest.mark.parametrize("task, settings", [("lm", {"family": "crope", "sample_every": 10, "sample_tokens": 5}),
                                            ("classify", {"family": "qic", "train_articles": 200, "test_articles": 50})])
def test_a_run_is_that_of_the_program(tmp_path, trained, from_python, task, settings):
    there = trained("there", task, **settings)
    from_python(there, f"ag.train('here', task={task!r}, progress=False, **{dict(SMALL, **settings)!r})")
    assert files(tmp_path / "here") == files(there) and "last.safetensors" in files(there)


def test_a_resumed_run_continues_as_if_never_stopped(tmp_path):
    whole = ag.train(tmp_path / "whole", progress=False, **SMALL)

    class Enough(Exception):
        pass

    def stop(done):
        if done["step"] == 7:
            raise Enough

    with pytest.raises(Enough) as kept:  # the traceback keeps the frames alive, but must not keep the folder's lock
        ag.train(tmp_path / "parts", progress=stop, **SMALL)
    run = ag.train(resume=tmp_path / "parts", progress=False)
    assert kept and files(tmp_path / "parts") == files(tmp_path / "whole")
    assert run.losses == whole.losses and len(run.losses) == 20 and run.config["d_model"] == 16
    assert [line["step"] for line in run.validations] == [10, 20] and "best validation loss" in repr(run)
    assert ag.train(resume=tmp_path / "parts").losses == run.losses  # the run has already ended
    longer = ag.train(resume=tmp_path / "parts", steps=22, progress=False)
    assert len(longer.losses) == 22 and longer.model("last").step == 22


def test_ctrl_c_saves(tmp_path):
    program = f"import argand as ag; ag.train('run', **{dict(SMALL, steps=100000, eval_every=0, checkpoint_every=0)!r})"
    process = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    log = tmp_path / "run" / "log.jsonl"
    until = time.monotonic() + 60
    while not (log.exists() and log.read_bytes().count(b'"loss"') > 3) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode != 0 and "KeyboardInterrupt" in errors and "continue with argand.train(resume='run')" in errors
    assert ag.load(tmp_path / "run" / "last.safetensors").step >= 3


@pytest.mark.parametrize("arguments, text", [
    (dict(out="x", d_modle=3), "d_modle: unknown key; did you mean d_model\\?"),
    (dict(out="x", steps="many"), "steps: \"many\" is not a whole number"),
    (dict(out="x", steps=0.5), "steps: \"0.5\" is not a whole number"),
    (dict(out="x", steps=0), "steps: must be at least 1, got 0"),
    (dict(), "train: give either out, the folder for a new run, or resume"),
    (dict(out="x", resume="y"), "train: give either out"),
    (dict(resume="y", overwrite=True), "drop config and overwrite"),
    (dict(out="x", lr=object()), "train: lr must be .*, got object"),
    (dict(resume="none-here", lr=1.0), "train: cannot open the folder none-here"),
    (dict(out="x", data="no-such-file"), "no-such-file"),
])
def test_invalid_settings_are_reported_and_leave_no_files(tmp_path, monkeypatch, arguments, text):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ag.Error, match=text):
        ag.train(**arguments)
    assert os.listdir(tmp_path) == []


def test_a_run_is_not_overwritten_by_accident(tmp_path):
    small = {**SMALL, "steps": 1}
    ag.train(tmp_path / "run", progress=False, **small)
    before = files(tmp_path / "run")
    with pytest.raises(ag.Error):
        ag.train(tmp_path / "run", progress=False, **small)
    assert files(tmp_path / "run") == before
    ag.train(tmp_path / "run", progress=False, overwrite=True, seed=1, **small)
    assert files(tmp_path / "run") != before


def test_progress_is_one_line_or_a_function(tmp_path, capfd):
    seen = []
    ag.train(tmp_path / "a", progress=seen.append, **SMALL)
    assert [done["step"] for done in seen] == list(range(1, 21)) and set(seen[0]) == {"step", "loss", "lr", "grad_norm", "tokens", "seconds"}
    assert seen[9]["valid"]["perplexity"] > 1 and seen[9]["best"] is True
    assert capfd.readouterr().err == ""
    ag.train(tmp_path / "b", **SMALL)
    assert "step 10: loss" in capfd.readouterr().err
