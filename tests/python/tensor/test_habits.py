"""Habits from other libraries: PyTorch's names, a micrograd exercise, a custom op with a mistake in it."""
import copy

import argand as ag
import argand.nn as nn
import argand.nn.functional as F
import numpy as np
import pytest


def test_a_training_loop_by_changing_the_import():
    torch = ag

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1 = nn.Linear(2, 16)
            self.fc2 = nn.Linear(16, 2)

        def forward(self, x):
            return self.fc2(F.relu(self.fc1(x)))

    nn.manual_seed(0)
    numbers = np.random.default_rng(0)
    x = torch.tensor(numbers.standard_normal((64, 2)))
    y = (x[:, 0] * x[:, 1] > 0).astype(int)  # comparisons return NumPy arrays
    net, criterion = Net(), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    losses = []
    for _ in range(200):
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        assert (net(x).argmax(dim=1) == y).mean() > 0.95 and losses[-1] < 0.2 * losses[0]


def test_a_convolutional_loop_that_keeps_its_best_network():
    torch = ag

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 8, 3, padding=1)
            self.pool = nn.MaxPool2d(2)
            self.drop = nn.Dropout(0.1)
            self.fc = nn.Linear(8 * 4 * 4, 2)

        def forward(self, x):
            x = self.pool(F.relu(self.conv(x)))
            return self.fc(self.drop(torch.flatten(x, 1)))

    nn.manual_seed(0)
    numbers = np.random.default_rng(0)
    images = numbers.standard_normal((128, 8, 8))
    labels = (images[:, :4].sum((1, 2)) > images[:, 4:].sum((1, 2))).astype(int)
    model, criterion = Net(), nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.01)
    best, kept, lines = np.inf, None, []
    for epoch in range(4):
        model.train()
        for rows in np.split(numbers.permutation(len(images)), 4):
            optimizer.zero_grad()
            loss = criterion(model(torch.tensor(images[rows]).unsqueeze(1)), labels[rows])
            loss.backward()
            torch.optim.clip_grad_norm(model.parameters(), 1.0)
            optimizer.step()
        model.eval()
        with torch.no_grad():
            loss = criterion(model(torch.tensor(images).view(-1, 1, 8, 8)), labels)
        lines.append(f"epoch {epoch}: {loss:.3f}")
        if loss < best:
            best, kept = loss, copy.deepcopy(model)
    assert float(best) < 0.5 and lines[0].startswith("epoch 0: 0.")
    assert np.isclose(float(criterion(kept(images[:, None]), labels)), float(best))


def test_losses_are_the_ops():
    z, target = ag.tensor([1 + 2j, 3j], requires_grad=True), np.array([1j, 1.0])
    loss = nn.MSELoss()(z, target)
    loss.backward()
    assert np.isclose(float(loss), np.mean(np.abs(z.numpy() - target) ** 2))
    np.testing.assert_allclose(z.grad, z.numpy() - target)  # the factor is 2/n with n = 2
    logits = np.array([[1.0, 2.0, 0.5]])
    assert float(nn.CrossEntropyLoss()(ag.tensor(logits), [1])) == float(ag.cross_entropy(logits, [1])) == float(F.cross_entropy(logits, [1]))


def test_adam_is_adamw_without_decay():
    numbers = []
    for make in (ag.optim.Adam, lambda p, lr: ag.optim.AdamW(p, lr=lr, weight_decay=0)):
        w = ag.variable(np.ones((2, 2)))
        opt = make([w], lr=0.1)
        ag.square(w).sum().backward()
        opt.step()
        numbers.append(w.numpy())
    np.testing.assert_array_equal(*numbers)


def test_data_is_what_descent_in_plain_python_needs():
    z = nn.Parameter(1 + 2j)
    for _ in range(3):
        L = z.real**2 + z.imag**2
        L.backward()
        z.data -= 0.1 * z.grad
        z.grad = None
    assert z.is_variable and np.isclose(z.item(), 0.512 * (1 + 2j))
    assert not z.data.requires_grad
    L, old = (z * z).real, z.numpy()
    z.data = 5j
    L.backward()  # uses the value that the graph was built with
    assert z.item() == 5j and np.isclose(z.grad.item(), 2 * old.conj())
    with pytest.raises(TypeError, match="cannot be changed in place"):
        ag.variable([1.0, 2.0]).data[0] = 3
    with pytest.raises(ag.Error):
        z.data = [1.0, 2.0]  # the shape is wrong


def test_parts_are_attributes_and_gradients_come_back_through_them():
    z = ag.variable([1 + 2j, -3j])
    (z.real * [1.0, 10.0] + z.imag * [100.0, 1000.0]).sum().backward()
    np.testing.assert_array_equal(z.grad, [1 + 100j, 10 + 1000j])


def test_one_formula_serves_real_and_complex_inputs():
    @ag.op
    def turned(z):
        return 1j * z**2

    @turned.vjp
    def _(g, z):
        return np.conj(2j * z) * g

    for values in ([1.0, -2.0], [1 + 1j, -2j]):
        z = ag.variable(values)
        ag.abs2(turned(z)).sum().backward()
        assert z.grad.dtype == z.dtype
        np.testing.assert_allclose(z.grad, 4 * np.abs(z.numpy()) ** 2 * z.numpy())


def test_a_planted_mistake_is_named():
    @ag.op
    def softsign(z):
        return z / (1 + np.abs(z))

    with pytest.raises(ag.GradientError, match="softsign .at complex inputs.: the gradient is wrong"):
        @softsign.vjp
        def _(g, z):  # correct only for real z: it omits the second derivative
            return g / (1 + np.abs(z)) ** 2

    @softsign.vjp
    def _(g, z):
        r = np.abs(z)
        a, b = 1 / (1 + r) - r / (2 * (1 + r) ** 2), -z / np.conj(z) * r / (2 * (1 + r) ** 2)
        return np.conj(a) * g + b * np.conj(g)


def test_a_recurrent_loop_with_schedule_checkpoint_and_generation(tmp_path):
    """Trailing comments name what a PyTorch program would use instead."""
    torch = ag

    class CharRNN(nn.Module):
        def __init__(self, vocab, d):
            super().__init__()
            self.d = d
            self.emb = nn.Embedding(vocab, d)
            self.i2h, self.h2h, self.head = nn.Linear(d, d), nn.Linear(d, d, bias=False), nn.Linear(d, vocab)
            self.h0 = nn.Parameter(torch.zeros(1, d))

        def forward(self, idx, targets=None):
            B, T = idx.shape
            x, h, outs = self.emb(idx), self.h0.expand(B, self.d), []
            for t in range(T):
                h = torch.tanh(self.i2h(x[:, t, :]) + self.h2h(h))
                outs.append(h)
            logits = self.head(torch.stack(outs, dim=1))
            return logits, None if targets is None else F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))

        @torch.no_grad()
        def generate(self, idx, n):
            for _ in range(n):
                probs = F.softmax(self(idx)[0][:, -1, :], dim=-1)
                idx = np.append(idx, [[numbers.choice(probs.shape[-1], p=probs.numpy()[0])]], axis=1)  # torch.multinomial, torch.cat
            return idx

    text = "the quick brown fox jumps over the lazy dog. " * 10
    chars = sorted(set(text))
    data = np.array([chars.index(c) for c in text])  # torch.tensor(..., dtype=torch.long)
    numbers = np.random.default_rng(0)  # torch.randint, torch.multinomial
    torch.manual_seed(0)
    model = CharRNN(len(chars), 32)
    opt = torch.optim.Adam(model.parameters(), lr=lambda step: 1e-2 * min(1.0, (step + 1) / 10))  # lr_scheduler.LambdaLR
    for _ in range(120):
        ix = numbers.integers(len(data) - 17, size=16)
        xb, yb = np.stack([data[i:i + 16] for i in ix]), np.stack([data[i + 1:i + 17] for i in ix])
        _, loss = model(xb, yb)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.optim.clip_grad_norm(model.parameters(), 1.0)  # nn.utils.clip_grad_norm_
        opt.step()
    assert loss.item() < 0.4
    torch.save(tmp_path / "rnn.safetensors", model.state_dict())  # argand takes the path first
    again = CharRNN(len(chars), 32)
    again.load_state_dict(torch.load(tmp_path / "rnn.safetensors"))
    assert float(again(xb, yb)[1]) == float(model(xb, yb)[1])
    assert " the lazy" in "".join(chars[i] for i in again.generate(np.array([[chars.index("o")]]), 60)[0])


@pytest.mark.parametrize("write, says", [
    (lambda net, x: ag.randperm(5), "permutation"), (lambda net, x: ag.int64, "NumPy"), (lambda net, x: nn.LSTM(4, 4), "loop over time steps"),
    (lambda net, x: nn.utils.clip_grad_norm_, "optim.clip_grad_norm"), (lambda net, x: F.nll_loss, "cross_entropy"), (lambda net, x: ag.optim.lr_scheduler, "function of the step"),
    (lambda net, x: ag.optim.SGD(net.parameters()).param_groups, "optimizer.lr"), (lambda net, x: net.to("cpu"), "made with their type"), (lambda net, x: x.grad_fn, "tape"),
    (lambda net, x: net.zero_grad(set_to_none=False), "is None"), (lambda net, x: ag.save({"x": x}, "x.pt"), "path comes first"),
    (lambda net, x: F.cross_entropy(x, ag.tensor([0, 1])), "must be NumPy integers"), (lambda net, x: x[ag.tensor([0, 1])], "must be NumPy integers"),
])
def test_missing_names_say_what_to_write(write, says):
    with pytest.raises((AttributeError, ag.Error, IndexError), match=says):
        write(nn.Linear(3, 3), ag.variable(np.ones((2, 3))))


def test_unknown_names_have_no_hint():
    for owner in (ag, nn, F, ag.optim, nn.Linear(1, 1), ag.optim.SGD([ag.variable(1.0)]), ag.variable(1.0)):
        assert not hasattr(owner, "grdient") and not hasattr(owner, "__missing__")
        with pytest.raises(AttributeError, match="has no attribute 'grdient'$"):
            owner.grdient


def test_modules_are_visited():
    net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 1)))
    seen = []
    assert net.apply(lambda m: seen.append(type(m).__name__)) is net
    assert seen == ["Sequential", "Linear", "Sequential", "ReLU", "Linear"] == [type(m).__name__ for m in net.modules()]
    assert [type(m).__name__ for m in net.children()] == ["Linear", "Sequential"]


def test_complex_numbers_have_no_order():
    z, x = ag.variable([1 + 2j]), ag.variable([1.0])
    for wrong in (lambda: z < 3, lambda: x >= z, lambda: x > 1j, lambda: z <= np.array([1j]), lambda: 2 > z):
        with pytest.raises(TypeError, match="no order"):
            wrong()
    assert (z == 1 + 2j).all() and (z != 1j).all() and (x < 3).all()


def test_a_freed_gradient_raises_an_error():
    x = ag.variable(3.0)
    y = x * x
    L = y + 1
    assert y.grad is None  # not computed before backward()
    L.backward()
    with pytest.warns(UserWarning, match="result of mul.*retain_grad"):
        assert y.grad is None
    assert float(x.grad) == 6


def test_labels_can_be_smoothed_and_left_out():
    logits, target = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 3.0]]), np.array([0, -1])
    loss = nn.CrossEntropyLoss(ignore_index=-1, label_smoothing=0.1)(ag.tensor(logits), target)
    logp = logits[0] - np.log(np.exp(logits[0]).sum())
    assert np.isclose(float(loss), -(0.9 * logp[0] + 0.1 * logp.mean()))
