"""Habits from elsewhere: PyTorch's names, a micrograd exercise, a custom op with a mistake in it."""
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
    y = (x[:, 0] * x[:, 1] > 0).astype(int)  # comparisons are NumPy's
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
    np.testing.assert_allclose(z.grad, z.numpy() - target)  # 2/n with n = 2
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
    L.backward()  # of what the graph has read
    assert z.item() == 5j and np.isclose(z.grad.item(), 2 * old.conj())
    with pytest.raises(TypeError, match="not changed in place"):
        ag.variable([1.0, 2.0]).data[0] = 3
    with pytest.raises(ag.Error):
        z.data = [1.0, 2.0]  # another shape


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
        def _(g, z):  # right for real z: the second derivative is forgotten
            return g / (1 + np.abs(z)) ** 2

    @softsign.vjp
    def _(g, z):
        r = np.abs(z)
        a, b = 1 / (1 + r) - r / (2 * (1 + r) ** 2), -z / np.conj(z) * r / (2 * (1 + r) ** 2)
        return np.conj(a) * g + b * np.conj(g)
