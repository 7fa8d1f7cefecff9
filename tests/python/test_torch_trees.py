"""argand.check_torch and check_module on the containers that modules take and return."""
import dataclasses

import argand
import pytest

torch = pytest.importorskip("torch")

X = torch.tensor([[0.3, -1.2, 0.8]])


class Twice(torch.autograd.Function):
    """The identity with a doubled gradient."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, dw):
        return 2 * dw


@dataclasses.dataclass
class Output:
    y: object
    rest: object = None


CONTAINERS = {
    "nested tuples": lambda y, wrong: (y, (y.sum(), wrong)),
    "dicts": lambda y, wrong: {"y": y, "rest": {"h": [wrong], "n": 3, "none": None}},
    "dataclasses": lambda y, wrong: Output(y, Output(wrong)),
    "named tuples": lambda y, wrong: torch.max(torch.cat([y, wrong]), 1),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_a_wrong_gradient_in_any_container_is_found(kind):
    pack = CONTAINERS[kind]
    assert argand.check_torch(lambda x: pack(x.sin(), 2 * x), X)
    assert argand.check_torch(lambda x: pack(x.sin(), 2 * Twice.apply(x)), X).verdict == "fail"


def test_inputs_in_containers_and_keyword_arguments_are_differentiated_by():
    def f(xs, d, *, scale, power=1):
        return (xs[0] * d["a"] + xs[1]) ** power * scale + d["n"]

    result = argand.check_torch(f, [X, X + 1], {"a": torch.tensor(3.0), "n": 2}, kwargs={"scale": torch.tensor(0.5), "power": 2})
    assert result and [i.name for i in result.inputs] == ["xs[0]", "xs[1]", "d['a']", "scale"]
    wrong = argand.check_torch(lambda x, *, scale: x * Twice.apply(scale), X, kwargs={"scale": torch.tensor(0.5)})
    assert (wrong.verdict, wrong.worst.input) == ("fail", "scale")


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_recurrent_modules_with_their_states_in_float32(kind):
    torch.manual_seed(0)
    module = getattr(torch.nn, kind)(2, 3)
    state = torch.randn(1, 1, 3)
    result = argand.check_module(module, torch.randn(4, 1, 2), (state, state + 1) if kind == "LSTM" else state)
    assert result, result
    assert len(result.inputs) == (7 if kind == "LSTM" else 6)


def test_tied_weights():
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(torch.tanh(self.a(x)))

    assert argand.check_module(Tied(), X)


def test_second_order_with_an_incoming_gradient():
    class Product(torch.autograd.Function):  # the gradient 2 g x, with mistakes that the test chooses
        @staticmethod
        def forward(ctx, g, x, by_g, by_x):
            ctx.save_for_backward(g, x)
            ctx.by = by_g, by_x
            return 2 * g * x

        @staticmethod
        def backward(ctx, u):
            g, x = ctx.saved_tensors
            return ctx.by[0] * u * x, ctx.by[1] * u * g, None, None

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, by_g, by_x):
            ctx.save_for_backward(x)
            ctx.by = by_g, by_x
            return x**2

        @staticmethod
        def backward(ctx, dw):
            return Product.apply(dw, ctx.saved_tensors[0], *ctx.by), None, None

    assert argand.check_torch(lambda x: Square.apply(x, 2, 2), X, order=2)
    by_x = argand.check_torch(lambda x: Square.apply(x, 2, 3), X, order=2)
    assert (by_x.verdict, by_x.worst.input) == ("fail", "x")
    by_g = argand.check_torch(lambda x: Square.apply(x, 3, 2), X, order=2)
    assert (by_g.verdict, by_g.worst.input, by_g.diagnosis) == ("fail", "grad_out", "the gradient looks multiplied by 1.5")
    assert argand.check_torch(lambda z: (z**3, z.abs()), torch.tensor([1 + 1j, 0.5j]), order=2)
    assert argand.check_module(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh()), X, order=2)


def test_modules_that_draw_numbers_or_change_their_buffers():
    torch.manual_seed(0)
    dropout = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Dropout(0.5))
    with pytest.raises(argand.Error, match="or pass seed_rng=True"):
        argand.check_module(dropout, X)
    state = torch.get_rng_state()
    assert argand.check_module(dropout, X, seed_rng=True)
    assert torch.equal(state, torch.get_rng_state())
    spectral = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 4))
    for _ in range(300):  # its gradient assumes that the singular vectors have converged
        spectral(X)
    assert argand.check_module(spectral, X, seed_rng=True)
    assert argand.check_module(torch.nn.BatchNorm1d(3), torch.randn(5, 3))


def test_scripted_modules():
    assert argand.check_module(torch.jit.script(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh())), X)
    assert argand.check_module(torch.jit.trace(torch.nn.Linear(3, 4), X), X)


class Opaque:
    def __init__(self, y):
        self.y = y


REFUSED = {
    "x is sparse_coo; pass its values to a function that builds it, or make it dense with x.to_dense()": (lambda x: x, X.to_sparse()),
    "output is sparse_coo; pass its values to a function that builds it, or make it dense with output.to_dense()": (lambda x: x.to_sparse(), X),
    "x is on the meta device and has no data; create it on a real device": (torch.tanh, X.to("meta")),
    "output[1] is an Opaque, whose tensors cannot be found; return them in tuples, lists, dicts, named tuples or dataclasses":
        (lambda x: (x, Opaque(x)), X),
    "weight is on the meta device and has no data; create it on a real device": (torch.nn.Linear(3, 3, device="meta"), X),
    "unknown option 'tol'; options are rtol, atol, noise, full, seed, seed_rng, max_calls, max_seconds": (torch.tanh, X, {"tol": 1}),
    "dtype must be torch.double, torch.float, torch.half or torch.bfloat16, got 'half'": (torch.tanh, X, {"dtype": "half"}),
    "bfloat16 has no complex counterpart": (torch.tanh, X + 1j, {"dtype": torch.bfloat16}),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_checked_is_refused_in_one_sentence(words):
    function, x, *options = REFUSED[words]
    with pytest.raises(argand.Error) as error:
        argand.check_torch(function, x, **(options[0] if options else {}))
    assert str(error.value) == "check_torch: " + words


def test_a_lazy_module_and_a_long_exception_are_one_sentence():
    def fails(x):
        raise RuntimeError("\n".join(f"line {k} of seventy" for k in range(70)))

    for check, words in ((lambda: argand.check_module(torch.nn.LazyLinear(4), X), "is not initialized yet; call the module once"), (lambda: argand.check_torch(fails, X), "line 1")):
        with pytest.raises(argand.Error, match=words) as error:
            check()
        assert "\n" not in str(error.value) and len(str(error.value)) < 500
