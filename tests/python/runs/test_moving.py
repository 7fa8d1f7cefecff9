"""A model moves from C++ to Python, to PyTorch, back to Python and back to C++, with the same loss in double precision at every
stop."""
import json
import subprocess
import sys

import argand as ag
import pytest
from conftest import ROOT


@pytest.mark.parametrize("family, settings", [("crope", {}), ("complexformer", {"pcl_weight": 0.0}), ("qic", {})])
def test_a_model_moves_to_pytorch_and_back(trained, program, tmp_path, monkeypatch, family, settings):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    monkeypatch.syspath_prepend(str(ROOT / "bench" / "pytorch"))
    import parameters  # the families in plain PyTorch

    def loss_of_program(run):
        subprocess.run([program, "eval", str(run), "--data", str(tmp_path / "text.txt"), "--json", str(tmp_path / "e.json")], check=True,
                       capture_output=True)
        return json.loads((tmp_path / "e.json").read_text())["loss"]

    run = trained("there", family=family, precision="float64", steps=5, **settings)
    model = ag.load(run)
    text = model.generate("the", 8)
    (tmp_path / "text.txt").write_text(text + "\n")
    ids = model.tokens.encode(text + "\n")[None]

    # Names stay the same and complex tensors stay complex, so nothing else has to be converted.
    weights = {name: torch.tensor(array, requires_grad=True) for name, array in model.state_dict().items()}
    tokens = torch.tensor(ids, dtype=torch.int64)
    loss = parameters.loss_and_logits(model.config, weights, tokens[:, :-1], tokens[:, 1:])[0]
    same = pytest.approx(float(model.loss(ids[:, :-1], ids[:, 1:])), rel=1e-12)
    assert float(loss) == same and loss_of_program(run) == same

    loss.backward()
    with torch.no_grad():
        for p in weights.values():
            if p.grad is not None:
                p -= 0.1 * p.grad
    moved = float(parameters.loss_and_logits(model.config, weights, tokens[:, :-1], tokens[:, 1:])[0])
    model.load_state_dict({name: p.detach().resolve_conj().numpy() for name, p in weights.items()})
    model.save(tmp_path / "back")
    same = pytest.approx(moved, rel=1e-12)
    assert float(model.loss(ids[:, :-1], ids[:, 1:])) == same and loss_of_program(tmp_path / "back") == same
    assert moved != float(loss) and "torch" in sys.modules
