"""argand.load and argand.families: models with the same computations, parameters and files as in the C++ library."""
import concurrent.futures
import json
import subprocess

import argand as ag
import numpy as np
import pytest

TINY = dict(vocab_size=11, n_layers=1, d_model=8, n_heads=2, d_ff=8, max_seq_len=8)
TEXT = "to be or not to be that is the question " * 20


def test_a_run_opens_in_one_line(trained, program):
    run = trained("run", family="crope")
    model, arrays = ag.load(run), ag.load_with_metadata(run / "best.safetensors")[0]
    state = model.state_dict()
    assert list(state) == [name for name, _ in model.named_parameters()] and set(state) == set(arrays)
    assert all(np.array_equal(state[name], arrays[name]) for name in arrays)
    assert model.family == "crope" and model.config["d_model"] == 16 and not model.training and "crope(" in repr(model)
    ids = model.tokens.encode(model.generate("the", 2))
    logits = model(ids)
    assert logits.shape == (len(ids), model.config["vocab_size"]) and np.array_equal(model(ids[None])[0], logits)
    written = subprocess.run([program, "generate", str(run), "--prompt", "the", "--tokens", "12", "--temperature", "0", "--seed", "3"],
                             capture_output=True, text=True, check=True).stdout
    assert model.generate("the", 12, temperature=0, seed=3) + "\n" == written
    several = model.generate(["the", "the the"], tokens=4, seed=1)
    rounded = subprocess.run([program, "generate", str(run), "--prompt", "the", "--tokens", "300", "--seed", "3", "--weights", "int8"],
                             capture_output=True, text=True, check=True).stdout
    assert model.generate("the", 300, seed=3, weights="int8") + "\n" == rounded != model.generate("the", 300, seed=3) + "\n"
    with pytest.raises(ag.Error, match='"int4" is not a format of weights; use f32, bf16 or int8'):
        model.generate("the", weights="int4")
    assert len(several) == 2 and several[0].startswith("the") and several[1].startswith("the the")
    with pytest.raises(ag.Error, match="has no labels"):
        model.classify("the cat")


def test_rounded_weights_are_those_of_one_call(trained):
    model = ag.load(trained("run", family="crope"))
    exact, rounded = (model.generate("the", 20, weights=weights) for weights in ("f32", "int8"))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        calls = [(weights, pool.submit(model.generate, "the", 20, weights=weights)) for weights in ("f32", "int8") * 40]
    assert all(call.result() == (exact if weights == "f32" else rounded) for weights, call in calls)


def test_gradients_reach_the_parameters():
    model = ag.families.ComplexFormer(pcl_weight=0.1, precision="float64", **TINY)
    ids, targets = np.array([[1, 2, 3, 2]]), np.array([[2, 3, 2, 1]])
    loss = model.loss(ids, targets)
    loss.backward()
    assert all(p.grad is not None for p in model.parameters())
    name, p = next(iter(model.named_parameters()))
    before, step = p.numpy().copy(), 1e-6
    moved = before.copy()
    moved[1, 0] += step
    p.assign(moved)
    above = float(model.loss(ids, targets))
    moved[1, 0] -= 2 * step
    p.assign(moved)
    slope = (above - float(model.loss(ids, targets))) / (2 * step)
    assert name == "embedding.weight" and p.grad.numpy()[1, 0] == pytest.approx(slope, rel=1e-6)
    p.assign(before)
    optimizer = ag.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(30):
        optimizer.zero_grad()
        now = model.loss(ids, targets)
        now.backward()
        optimizer.step()
    assert float(now) < 0.8 * float(loss)
    with ag.no_grad():
        assert not model(ids).requires_grad


@pytest.mark.parametrize("name", dir(ag.families))
def test_every_family_is_saved_and_read(name, tmp_path, program):
    tokens = ag.data.learn_tokens(TEXT, "char")
    make = getattr(ag.families, name.upper())
    settings = {**TINY, "vocab_size": None, "seed": 5, "precision": "float64"}
    model = make(tokens=tokens, **settings)
    again = make(tokens=tokens, **settings).state_dict()
    assert all(np.array_equal(again[key], value) for key, value in model.state_dict().items())
    model.save(tmp_path / "run")
    (tmp_path / "text.txt").write_text("to be or not\n")
    subprocess.run([program, "eval", str(tmp_path / "run"), "--data", str(tmp_path / "text.txt"), "--json", str(tmp_path / "e.json")],
                   capture_output=True, check=True)
    back = ag.load(tmp_path / "run")
    assert all(np.array_equal(value, model.state_dict()[key]) for key, value in back.state_dict().items())
    assert back.tokens.text(back.tokens.encode("note")) == "note" and "n_layers" in make.__doc__
    back.save(tmp_path / "copy" / ".." / "copy.safetensors") if (tmp_path / "copy").mkdir() else back.save(tmp_path / "copy.safetensors")
    assert (tmp_path / "copy.safetensors").read_bytes() == (tmp_path / "run" / "best.safetensors").read_bytes()
    with pytest.raises(ag.Error):
        model.save(tmp_path / "run")
    with pytest.raises(ag.Error, match="overwrite=True replaces it"):
        model.save(tmp_path / "copy.safetensors")
    assert json.loads((tmp_path / "e.json").read_text())


def test_a_saved_run_is_the_same_bytes_unless_its_parameters_moved(trained, tmp_path):
    run = trained("run")
    model = ag.load(run)
    model.save(tmp_path / "same")
    assert (tmp_path / "same" / "best.safetensors").read_bytes() == (run / "best.safetensors").read_bytes()
    p = model.parameters()[0]
    p.assign(p.numpy() * 2)
    model.save(tmp_path / "other")
    metadata = ag.load_with_metadata(tmp_path / "other" / "best.safetensors")[1]
    assert metadata["best_step"] == "0" and metadata["step"] == ag.load_with_metadata(run / "best.safetensors")[1]["step"]


def test_a_classifier_labels_text(trained, program):
    run = trained("topics", "classify", train_articles=200, test_articles=50)
    model = ag.load(run)
    text = "stocks fall as oil climbs"
    labels = model.classify(text)
    assert sorted(label for label, _ in labels) == sorted(model.classes) and sum(p for _, p in labels) == pytest.approx(1)
    line = subprocess.run([program, "classify", str(run)], input=text, capture_output=True, text=True, check=True).stdout
    assert line.split("\t")[0] == labels[0][0]
    assert model(np.array([[2, 3, 4]])).shape == (1, len(model.classes))
    with pytest.raises(ag.Error, match="does not generate text"):
        model.generate("the")


def test_dropout_drops_in_training_alone():
    model = ag.families.Transformer(dropout=0.5, **TINY)
    ids = np.array([[1, 2, 3]])
    ag.nn.manual_seed(0)
    first, second = model(ids).numpy(), model(ids).numpy()
    ag.nn.manual_seed(0)
    assert not np.array_equal(first, second) and np.array_equal(model(ids), first)
    model.eval()
    assert np.array_equal(model(ids), model(ids))


@pytest.mark.parametrize("call, text", [
    (lambda: ag.families.Transformer(d_model=8), "vocab_size must be set"),
    (lambda: ag.families.Transformer(modle=8), "modle: unknown key"),
    (lambda: ag.families.Transformer(mode="qk"), "the family transformer has no such key; it belongs to crope"),
    (lambda: ag.families.Transformer(family="crope"), "drop the family argument"),
    (lambda: ag.families.Transformer(**{**TINY, "vocab_size": 3}, tokens=ag.data.learn_tokens(TEXT)), "exceed the vocab_size of 3"),
    (lambda: ag.families.Transformer(**TINY)([[1, 11]]), "11"),
    (lambda: ag.families.Transformer(**TINY)([[1, 2**32 + 1]]), r"ids must be in \[0, 2\*\*31\)"),
    (lambda: ag.families.Transformer(**TINY)([[1.5]]), "ids must be integers, got float64"),
    (lambda: ag.families.Transformer(**TINY).generate("a"), "the model has no tokens"),
    (lambda: ag.families.Transformer(**TINY).save("never"), "the model has no tokens"),
])
def test_mismatches_are_reported(call, text):
    with pytest.raises(ag.Error, match=text):
        call()
    with pytest.raises(AttributeError, match="unknown family Perceptron; choose from"):
        ag.families.Perceptron
