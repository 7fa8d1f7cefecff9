"""argand.load and argand.save."""
import json
import subprocess

import argand
import numpy as np
import pytest


def test_arrays_come_back_as_they_were(tmp_path):
    arrays = {
        "x": np.array([[1.5, -2.0], [0.25, 4.0]]),
        "single": np.array([1.5], dtype=np.float32),
        "z": np.array([1 + 2j, -0.5j]),
        "c64": np.array([[1 + 2j]], dtype=np.complex64),
        "ids": np.array([[1, 2, 3]], dtype=np.int32),
        "number": np.array(3.0),
        "turned": np.arange(6.0).reshape(2, 3).T,
    }
    argand.save(tmp_path / "a.safetensors", arrays, {"author": "Ada"})
    loaded, metadata = argand.load_with_metadata(tmp_path / "a.safetensors")
    assert set(loaded) == set(arrays) and metadata["author"] == "Ada"
    for name, array in arrays.items():
        assert loaded[name].dtype == array.dtype and loaded[name].shape == array.shape and np.array_equal(loaded[name], array), name
    assert set(argand.load(str(tmp_path / "a.safetensors"))) == set(arrays)


def test_a_checkpoint_of_the_program_is_read(tmp_path, program):
    run = tmp_path / "run"
    subprocess.run([program, "train", "lm", "--family", "crope", "--n-layers", "1", "--d-model", "16", "--n-heads", "2", "--d-ff", "16",
                    "--steps", "2", "--out", str(run)], capture_output=True, check=True)
    arrays, metadata = argand.load_with_metadata(run / "best.safetensors")
    assert arrays["blocks.0.attn.q.weight"].dtype == np.complex64 and arrays["embedding.weight"].shape[1] == 16
    assert json.loads(metadata["config"])["model"]["family"] == "crope"


def message(call, *arguments):
    with pytest.raises(argand.Error) as error:
        call(*arguments)
    return str(error.value)


def test_unsupported_arrays_and_files_are_refused(tmp_path):
    assert message(argand.save, tmp_path / "a", {"x": np.array([1, 2])}) == (
        "save: x has type int64; supported: float32, float64, complex64, complex128 and int32")
    assert not (tmp_path / "a").exists()
    (tmp_path / "broken").write_bytes(b"12345678")
    assert str(tmp_path / "broken") in message(argand.load, tmp_path / "broken")
    assert str(tmp_path / "none") in message(argand.load, tmp_path / "none")


def test_anything_but_a_dict_of_arrays_is_refused(tmp_path):
    for arrays in ({1: np.ones(2)}, [np.ones(2)]):
        with pytest.raises(argand.Error, match="save: arrays must be a dict with string keys"):
            argand.save(tmp_path / "x", arrays)
    assert message(argand.save, tmp_path / "x", {}, {"steps": 3}) == "save: metadata steps must be a str, got int; use json.dumps()"
    assert not (tmp_path / "x").exists()


def test_a_changed_bit_is_found(tmp_path):
    path = tmp_path / "a.safetensors"
    argand.save(path, {"x": np.array([1.0, 2.0])})
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert "checksum" in message(argand.load, path)
