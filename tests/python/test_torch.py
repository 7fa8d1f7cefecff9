"""argand.check_torch with gradients from PyTorch's autograd."""
import argand
import pytest

torch = pytest.importorskip("torch")

X = torch.tensor([[0.3, -1.2, 0.8], [1.1, 0.4, -0.6]], dtype=torch.double)
Z = torch.tensor([1 + 2j, 0.5 - 0.3j, -0.7j], dtype=torch.cdouble)


class Modulus(torch.autograd.Function):
    """w = |z|^2, whose gradient is 2 z dw, with a mistake that the test chooses."""

    @staticmethod
    def forward(ctx, z, mistake):
        ctx.save_for_backward(z)
        ctx.mistake = mistake
        return z.real**2 + z.imag**2

    @staticmethod
    def backward(ctx, dw):
        (z,) = ctx.saved_tensors
        return ctx.mistake(2 * z * dw), None


def test_functions_of_torch_pass():
    for f in (torch.tanh, torch.exp, lambda x: torch.softmax(x, -1), lambda x: torch.linalg.svdvals(x), lambda x: x.sum(0, keepdim=True)):
        assert argand.check_torch(f, X), f
    for f in (torch.exp, torch.abs, torch.sgn, lambda z: z * z.conj(), lambda z: torch.fft.fft(z), lambda z: (z.real, z.imag * 1j)):
        assert argand.check_torch(f, Z), f
    assert argand.check_torch(lambda x, z: x[0] * z, X, Z)


def test_a_mistake_in_an_autograd_function_is_named():
    wrong = argand.check_torch(lambda z: Modulus.apply(z, torch.conj), Z)
    assert wrong.verdict == "fail" and wrong.diagnosis == "conjugated: this is the convention of JAX"
    assert argand.check_torch(lambda z: Modulus.apply(z, lambda g: g / 2), Z).diagnosis == "the gradient looks half the correct one"
    assert argand.check_torch(lambda z: Modulus.apply(z, lambda g: g), Z)


def test_the_parameters_of_a_module_are_checked_as_well():
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    before = [p.clone() for p in module.parameters()]
    result = argand.check_torch(module, X.float())
    assert result and [i.name for i in result.inputs] == ["input", "0.weight", "0.bias", "2.weight", "2.bias"]
    assert result.name == "Sequential" and result.notes == ["checked in double precision"]
    assert all(p.dtype == torch.float32 and p.grad is None and torch.equal(p, b) for p, b in zip(module.parameters(), before))


def test_a_wrong_parameter_is_named():
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.tensor([1.5, -0.5, 2.0]))

        def forward(self, x):
            return x * (self.scale + self.scale.detach())  # detach() cuts off half of the gradient

    result = argand.check_torch(Scaled(), X)
    assert (result.verdict, result.worst.input, result.diagnosis) == ("fail", "scale", "the gradient looks half the correct one")


def test_modules_with_complex_parameters_and_with_integer_inputs():
    class Rotation(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.tensor([[1 + 1j, 0.5], [2j, -1]], dtype=torch.cfloat))

        def forward(self, z):
            return z @ self.weight

    assert argand.check_torch(Rotation(), Z[:2])
    result = argand.check_torch(torch.nn.Embedding(4, 2), torch.tensor([1, 3, 1]))
    assert result and [i.name for i in result.inputs] == ["weight"]


def test_the_second_order():
    assert argand.check_torch(torch.tanh, X, order=2).name == "gradient of tanh"
    assert argand.check_torch(lambda z: z.abs() ** 3, Z, order=2)

    class Once(torch.autograd.Function):  # x^2 with a gradient that ignores its own dependence on x
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, dw):
            return 2 * ctx.saved_tensors[0].detach() * dw

    assert argand.check_torch(Once.apply, X)
    assert argand.check_torch(Once.apply, X, order=2).verdict == "fail"


def message(*arguments, **options):
    with pytest.raises(argand.Error) as error:
        argand.check_torch(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


class WrongShape(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, dw):
        return dw.expand(2)


def test_misuse_gets_one_sentence():
    assert message(lambda x: [1, 2], X) == "check_torch: the function returns no floating point or complex tensor, so there is nothing to differentiate"
    assert message(lambda x: 3.0, X) == "check_torch: the function returns a float; return a tensor, or a tuple, list or dict of tensors"
    assert message(torch.tanh, torch.tensor([1, 2])) == (
        "check_torch: no floating point or complex tensor to differentiate with respect to (inputs: torch.int64)")
    assert message(torch.log, -X) == "check_torch: the function's value is not finite at the inputs, so there is no derivative to compare with"
    assert message(torch.log, X * float("nan")) == "check_torch: x contains NaN or infinity; choose another point"
    assert message(lambda x: x.mul_(2), X) == "check_torch: the function modifies its input in place; work on a clone instead"
    assert message(lambda x: x @ x, X).startswith("check: the function raises RuntimeError when called at x: mat1 and mat2 shapes")
    assert message(WrongShape.apply, X).startswith("check_torch: the backward pass raises RuntimeError: Function WrongShapeBackward returned an invalid gradient")
    assert message(torch.nn.Dropout(0.5), X).startswith("gradcheck: two calls ")
    assert message(X, X).startswith("check_torch: expected a module or a function followed by its inputs, got a Tensor")


def test_a_graph_that_is_cut_has_gradient_zero():
    assert argand.check_torch(lambda x: x.detach() * 2, X).diagnosis == "the gradient looks zero"
