"""PyTorch's names for things that are not ops: copies, types, sizes, new tensors; and the errors for names that do not exist."""
import argand as ag
import argand.nn as nn
import argand.nn.functional as F
import numpy as np
import pytest


def test_sizes():
    x = ag.constant(np.zeros((2, 3)))
    assert x.size == 6 and x.size() == (2, 3) and x.size(0) == 2 and x.size(-1) == 3 and x.dim() == 2
    with pytest.raises(IndexError):
        x.size(2)
    assert ag.constant(1.0).size() == () and not x.is_complex() and ag.constant(1j).is_complex()


def test_copies_pass_their_gradient_on():
    x = ag.variable([1.0, 2.0])
    y = x.clone().view(1, 2).contiguous().cpu()
    (y * y).sum().backward()
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])
    kept = x.clone()
    x.assign([5.0, 6.0])
    np.testing.assert_array_equal(kept, [1.0, 2.0])


def test_types():
    x, z = ag.variable([1.5, -2.0]), ag.variable([1 + 2j])
    assert x.float().dtype == ag.float32 and z.float().dtype == ag.complex64 and z.float().double().dtype == ag.complex128
    assert x.to(ag.float32).dtype == ag.float32 and x.to(z.float().real).dtype == ag.float32 and x.to(dtype=ag.float32).dtype == ag.float32
    x.float().sum().backward()
    assert x.grad.dtype == ag.float64
    assert x.to("cpu") is x and x.to(None) is x
    for device in ("cuda", "cuda:0", "mps"):
        with pytest.raises(ag.Error, match="argand computes on the CPU"):
            x.to(device)


def test_norms():
    z = ag.variable([3 + 4j, 0])
    assert float(z.norm()) == 5 and float(z.norm(1)) == 5
    z.norm().backward()
    np.testing.assert_allclose(z.grad, [0.6 + 0.8j, 0])
    np.testing.assert_allclose(ag.constant(np.ones((2, 9))).norm(dim=1, keepdim=True), [[3], [3]])


def test_new_tensors():
    assert ag.zeros(2, 3).shape == ag.zeros((2, 3)).shape == ag.ones([2, 3]).shape == (2, 3) and ag.zeros(4).shape == (4,)
    assert ag.zeros(2, dtype=complex).dtype == ag.complex128 and ag.full((1,), 1j).dtype == ag.complex128 and ag.full((1,), 2).dtype == ag.float64
    x = ag.ones(2, requires_grad=True)
    assert x.is_variable and ag.zeros_like(x).shape == (2,) and not ag.ones_like(x.float()).requires_grad and ag.ones_like(x.float()).dtype == ag.float32
    np.testing.assert_array_equal(ag.eye(2, 3), np.eye(2, 3))
    np.testing.assert_array_equal(ag.linspace(0, 1, 5), np.linspace(0, 1, 5))
    assert ag.zeros(0).shape == (0,) and ag.zeros().shape == ()


def test_random_tensors_repeat_after_a_seed():
    def drawn():
        ag.manual_seed(3)
        return ag.randn(1000).numpy(), ag.randn(1000, dtype=complex).numpy(), ag.rand(1000).numpy()

    first, again = drawn(), drawn()
    for a, b in zip(first, again):
        np.testing.assert_array_equal(a, b)
    normal, complex_normal, uniform = first
    assert abs(np.mean(normal**2) - 1) < 0.2 and abs(np.mean(np.abs(complex_normal) ** 2) - 1) < 0.2 and abs(np.mean(complex_normal**2)) < 0.2
    assert 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.1
    assert not np.array_equal(normal, ag.randn(1000).numpy()) and ag.randn(2, requires_grad=True).is_variable
    with pytest.raises(ag.Error, match="complex numbers come from randn"):
        ag.rand(2, dtype=complex)


def test_einsum_takes_its_operands_one_by_one():
    a, b = ag.variable(np.arange(6.0).reshape(2, 3)), np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(ag.einsum("ij,jk->ik", a, b), a.numpy() @ b)
    np.testing.assert_array_equal(ag.einsum("ij,jk->ik", [a, b]), a.numpy() @ b)
    assert float(ag.einsum("ij->", a)) == float(ag.einsum("ij->", a.numpy())) == 15
    with pytest.raises(ag.Error, match="einsum"):
        ag.einsum("ij,jk->ik", a)


def test_pooling_over_one_axis():
    x = np.array([[1.0, -3.0, 2.0, 5.0, 4.0]])
    np.testing.assert_array_equal(F.max_pool1d(x, 2), [[1, 5]])
    np.testing.assert_array_equal(F.avg_pool1d(x, 2, stride=1), [[-1, -0.5, 3.5, 4.5]])
    net = nn.Sequential(nn.Conv1d(1, 2, 2, dtype=complex), nn.MaxPool1d(2), nn.AvgPool1d(2), nn.Identity(), nn.Flatten())
    assert net(ag.constant(x[None])).shape == (1, 2) and "MaxPool1d(kernel_size=2" in repr(net)
    with pytest.raises(ag.Error, match="max_pool1d: .* does not fit"):
        F.max_pool1d(x, 7)


@pytest.mark.parametrize("name, hint", [("add_", "no in-place ops: write x = x.add"), ("requires_grad_", "argand.variable"), ("cuda", "on the CPU"),
                                        ("long", "NumPy arrays"), ("nonsense", "has no attribute 'nonsense'$")])
def test_a_tensor_says_what_to_write(name, hint):
    with pytest.raises(AttributeError, match=hint):
        getattr(ag.constant(1.0), name)


@pytest.mark.parametrize("name, hint", [("arange", "np.arange"), ("autograd", "argand.gradients"), ("device", "on the CPU"), ("nonsense", "'nonsense'$")])
def test_the_package_says_what_to_write(name, hint):
    with pytest.raises(AttributeError, match=hint):
        getattr(ag, name)
    assert not hasattr(ag, name)
