"""Modules and optimisers, and a program that uses most of the package."""
import argand as ag
import numpy as np
import pytest

NUMBERS = np.random.default_rng(2)


def cplx(*shape):
    return NUMBERS.standard_normal(shape) + 1j * NUMBERS.standard_normal(shape)


PROGRAM = """
import argand as ag, numpy as np
z = ag.variable(np.array([1 + 0.5j]))
L = ag.abs2(z**2 + 1).sum()
L.backward();  z.grad            # dL/dx + i dL/dy
L.tape()                         # values down, gradients up, a picture in a notebook

@ag.op                           # a custom op in NumPy: checked when it is defined
def squash(z): return z / (1 + np.abs(z) ** 2)
@squash.vjp
def _(g, z, w): d = 1 + np.abs(z) ** 2; return g / d - 2 * z * np.real(np.conj(g) * z) / d**2

net = ag.nn.Sequential(ag.nn.Linear(1, 16, dtype=complex), ag.nn.ModReLU(16), ag.nn.Linear(16, 1, dtype=complex))
opt = ag.optim.AdamW(net.parameters(), lr=1e-3)
for _ in range(200):
    opt.zero_grad(); loss = ag.abs2(net(ag.constant(x)) - ag.constant(y)).mean(); loss.backward(); opt.step()
print(float(loss), np.asarray(z.grad), z.numpy())
"""


def test_the_documented_program_runs(capsys):
    x = cplx(20, 1)
    ag.nn.manual_seed(0)
    names = {"x": x, "y": 1j * x}
    exec(PROGRAM, names)
    loss, rest = capsys.readouterr().out.split(" ", 1)
    assert float(loss) < 0.1 * np.mean(np.abs(x) ** 2) and rest == "[9.+0.5j] [1.+0.5j]\n"


def test_the_program_trains():
    x = cplx(20, 1)
    y = x * 1j
    ag.nn.manual_seed(0)
    net = ag.nn.Sequential(ag.nn.Linear(1, 16, dtype=complex), ag.nn.ModReLU(16), ag.nn.Linear(16, 1, dtype=complex))
    opt = ag.optim.AdamW(net.parameters(), lr=1e-2)
    losses = []
    for _ in range(200):
        opt.zero_grad(); loss = ag.abs2(net(ag.constant(x)) - ag.constant(y)).mean(); loss.backward(); opt.step()  # noqa: E702
        losses.append(float(loss))
    assert losses[-1] < 1e-2 * losses[0]
    ag.nn.manual_seed(0)
    again = ag.nn.Linear(1, 16, dtype=complex)
    ag.nn.manual_seed(0)
    np.testing.assert_array_equal(again.weight, ag.nn.Linear(1, 16, dtype=complex).weight)


class Block(ag.nn.Module):
    def __init__(self, tied):
        self.first = ag.nn.Linear(2, 3, dtype=complex)
        self.rest = [ag.nn.ModReLU(3), {"last": ag.nn.Linear(3, 2, bias=False, dtype=complex)}]
        self.scale = ag.variable(2.0)
        self.tied = tied
        self.constant = ag.constant(1.0)
        self.drop = ag.nn.Dropout(0.5)

    def forward(self, z):
        return self.scale * self.rest[1]["last"](self.drop(self.rest[0](self.first(z))))


def test_fields_are_parameters():
    net = Block(ag.variable(1.0))
    twice = ag.nn.Sequential(net, Block(net.tied), abs)
    names = [name for name, _ in net.named_parameters()]
    assert names == ["first.weight", "first.bias", "rest.0.bias", "rest.1.last.weight", "scale", "tied"]
    assert [p.name for p in twice.parameters()] == ["0." + n for n in names] + ["1." + n for n in names[:-1]]
    assert twice(ag.constant(cplx(4, 2))).shape == (4, 2)
    net.inside = [net]
    with pytest.raises(ag.Error, match="contains itself"):
        net.parameters()
    with pytest.raises(NotImplementedError):
        ag.nn.Module()(1)


def test_state_dicts_round_trip(tmp_path):
    a, b = Block(ag.variable(1.0)), Block(ag.variable(5.0))
    ag.save(tmp_path / "net.safetensors", a.state_dict())
    kept = a.state_dict()
    a.scale.assign(7.0)
    assert kept["scale"] == 2
    b.load_state_dict(ag.load(tmp_path / "net.safetensors"))
    a.load_state_dict(kept)
    z = ag.constant(cplx(1, 2))
    np.testing.assert_array_equal(a.eval()(z), b.eval()(z))
    before = b.state_dict()
    for state, text in (({**kept, "more": 1.0}, "unknown more"), ({**kept, "scale": [1.0, 2.0]}, r"scale has shape \[\], but the saved array has shape \[2\]"),
                        ({"scale": 1.0}, "missing first.bias")):
        with pytest.raises(ag.Error, match=text):
            b.load_state_dict(state)
    assert all(np.array_equal(before[k], v) for k, v in b.state_dict().items())


def test_dropout_drops_in_training_alone():
    drop, x = ag.nn.Dropout(0.5), ag.variable(np.ones(1000))
    y = drop(x).numpy()
    assert set(y) == {0.0, 2.0} and 300 < (y == 0).sum() < 700 and not np.array_equal(y, drop(x))
    assert drop.eval()(x) is x


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_layers_match_pytorch(dtype):
    torch = pytest.importorskip("torch")
    x = cplx(2, 4, 6).astype(dtype) if "complex" in dtype else cplx(2, 4, 6).real.astype(dtype)
    t = torch.tensor(x)
    linear, conv = ag.nn.Linear(6, 3, dtype=dtype), ag.nn.Conv1d(4, 2, 3, padding=1, dtype=dtype)
    W, b = torch.tensor(linear.weight.numpy()), torch.tensor(linear.bias.numpy())
    np.testing.assert_allclose(linear(ag.constant(x)), torch.nn.functional.linear(t, W, b), rtol=1e-5, atol=1e-6)
    if dtype == "float32":
        W = torch.tensor(conv.weight.numpy())
        np.testing.assert_allclose(conv(ag.constant(x)), torch.nn.functional.conv1d(t, W, padding=1), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(ag.nn.LayerNorm(6, dtype=dtype)(ag.constant(x)), torch.nn.functional.layer_norm(t, [6]), rtol=1e-4, atol=1e-5)
    assert conv(ag.constant(x)).shape == (2, 2, 6) and ag.nn.RMSNorm(6, dtype=dtype)(ag.constant(x)).dtype == dtype
    assert ag.nn.Embedding(5, 3, dtype=dtype)(np.array([[0, 4]])).shape == (1, 2, 3)


def trained(make, steps=5, **options):
    z, w = ag.variable([[1 + 2j, 0.5]]), ag.variable(np.float32([2.0]))
    opt = make([("z", z), ("w", w)], **options)
    for _ in range(steps):
        opt.zero_grad()
        (ag.abs2(z * z - 1).sum() + (w * w).sum()).backward()
        opt.step()
    return z, w, opt


@pytest.mark.parametrize("name, options", [("AdamW", {"weight_decay": 0.0}), ("SGD", {"momentum": 0.9}), ("SGD", {"momentum": 0.9, "nesterov": True})])
def test_optimiser_steps_match_pytorch(name, options):
    torch = pytest.importorskip("torch")
    z, w, _ = trained(getattr(ag.optim, name), lr=0.01, **options)
    t, u = torch.tensor([[1 + 2j, 0.5]], dtype=torch.complex128, requires_grad=True), torch.tensor([2.0], requires_grad=True)
    opt = getattr(torch.optim, name)([t, u], lr=0.01, **options)
    for _ in range(5):
        opt.zero_grad()
        ((t * t - 1).abs().square().sum() + (u * u).sum()).backward()
        opt.step()
    np.testing.assert_allclose(z, t.detach(), rtol=1e-9)
    np.testing.assert_allclose(w, u.detach(), rtol=1e-5)


def test_a_resumed_optimiser_continues_as_if_never_stopped():
    z, w, opt = trained(ag.optim.AdamW, lr=ag.optim.cosine_rate(0.1, 0.0, 10))
    a, b = ag.variable(z.numpy()), ag.variable(w.numpy())
    fresh = ag.optim.AdamW([("z", a), ("w", b)], lr=ag.optim.cosine_rate(0.1, 0.0, 10))
    fresh.load_state_dict(opt.state_dict())
    for (x, y), o in (((z, w), opt), ((a, b), fresh)):
        o.zero_grad()
        (ag.abs2(x * x - 1).sum() + (y * y).sum()).backward()
        o.step()
    np.testing.assert_array_equal(z, a)
    np.testing.assert_array_equal(w, b)


def test_muon_and_clipping():
    W = ag.variable(cplx(3, 4))
    opt = ag.optim.Muon([W], lr=0.1, weight_decay=0.0)
    before = W.numpy()
    ag.abs2(W).sum().backward()
    norm = np.linalg.norm(W.grad)
    assert ag.optim.clip_grad_norm([W], 1.0) == pytest.approx(norm) and np.linalg.norm(W.grad) == pytest.approx(1)
    opt.step()
    singular = np.linalg.svd((before - W.numpy()) / 0.1, compute_uv=False)
    assert np.all((0.5 < singular) & (singular < 1.6))
    with pytest.raises(ag.Error):
        ag.optim.Muon([ag.variable([1.0])])


def test_lbfgs_finds_the_minimum():
    z = ag.variable([3 + 1j, 1 - 2j])
    found = ag.optim.LBFGS([z]).minimise(lambda: ag.abs2(z * z - ag.constant([1j, 4.0])).sum(), 100)
    assert found["loss"] < 1e-20 and found["iterations"] < 50
    np.testing.assert_allclose(z.numpy() ** 2, [1j, 4.0], atol=1e-8)


@pytest.mark.parametrize("make, text", [
    (lambda: ag.optim.AdamW([]), "no parameters"), (lambda: ag.optim.SGD([ag.constant(1.0)]), "not a variable"),
    (lambda: ag.optim.SGD([ag.variable(1.0)], lr=-1.0).step(), "learning rate"), (lambda: ag.nn.Linear(1, 1, dtype=int), "nn: dtype must be .*, got int64"),
    (lambda: ag.optim.AdamW([ag.variable(1.0)], complex_moments="three"), "three"),
])
def test_mismatches_are_errors(make, text):
    with pytest.raises(ag.Error, match=text):
        make()


def test_the_tape_is_shown_with_values_and_gradients():
    z = ag.variable(1 + 0.5j)
    L = ag.abs2(z**2 + 1)
    down = repr(L.tape())
    assert "pow(z, 2)" in down and "4.062" in down and "9+0.5j" not in down
    L.backward()
    lines = repr(L.tape()).splitlines()
    assert [line.split("=")[0].strip() for line in lines[1:]] == ["z", "v1", "v2", "v3"]
    assert "1+0.5j" in lines[1] and lines[1].endswith("9+0.5j") and lines[4].split()[-2:] == ["4.062", "1"]
    assert "abs2(v2)" in lines[4] and "add(v1, 1)" in lines[3]
    picture = L.tape()._repr_html_()
    assert picture.startswith("<svg") and picture.count("<rect") == 4 and picture.count("<path") == 3 and "9+0.5j" in picture
    assert "constant" in repr((L * np.array([1.0, 2.0])).tape()) and "variable" in repr(z.tape())
    assert "<table>" in ag.constant([[1.0, 2.0]])._repr_html_() and "&lt;" not in z._repr_html_()
