"""Names that PyTorch users look for and argand lacks, with what to write instead."""
from __future__ import annotations

INTEGERS = "integers are NumPy arrays: "
TRUTH = "booleans are NumPy arrays: "
CPU = "argand computes on the CPU: leave it out"
RATES = "a rate is a function of the step: lr=argand.optim.cosine_rate(...), or lr=lambda step: ..., and optimizer.lr may be set"
NUMBERS = "write argand.constant(array), with a NumPy array"

INSTEAD = {
    # Integers, booleans, random choices
    "arange": INTEGERS + "np.arange", "randint": INTEGERS + "np.random.default_rng(0).integers", "randperm": INTEGERS + "np.random.default_rng(0).permutation",
    "long": INTEGERS + "x.numpy().astype(int)", "int": INTEGERS + "x.numpy().astype(int)", "int64": INTEGERS + "np.array(values)", "int32": INTEGERS + "np.array(values)",
    "bool": TRUTH + "x.numpy().astype(bool)", "allclose": TRUTH + "np.allclose", "equal": TRUTH + "np.array_equal", "isnan": TRUTH + "np.isnan",
    "isfinite": TRUTH + "np.isfinite", "one_hot": "write argand.constant(np.eye(classes)[labels])", "multinomial": INTEGERS + "np.random.default_rng(0).choice",
    # Numbers and their types
    "cuda": CPU, "device": CPU, "is_cuda": CPU, "from_numpy": NUMBERS, "as_tensor": NUMBERS, "FloatTensor": NUMBERS, "empty": "write argand.zeros", "tril": "write np.tril",
    "triu": "write np.triu", "float": "write argand.float32", "double": "write argand.float64", "cfloat": "write argand.complex64", "cdouble": "write argand.complex128",
    "half": "write argand.float32", "t": "write x.T", "repeat": "write argand.cat", "clip": "write x.clamp", "randn_like": "write argand.randn(*x.shape)",
    "set_default_dtype": "layers and numbers are float64 unless given another dtype", "pi": "write math.pi", "inf": "write math.inf",
    # Graphs
    "autograd": "write argand.gradients(output, variables), @argand.op for a custom op, argand.check for gradcheck", "requires_grad_": "write argand.variable(x)",
    "grad_fn": "x.tape() shows how x was computed", "is_leaf": "write x.is_variable", "inference_mode": "write argand.no_grad", "set_grad_enabled": "write argand.no_grad",
    "compile": "leave it out", "jit": "leave it out",
    # Networks
    "utils": "write argand.optim.clip_grad_norm, and NumPy arrays as batches instead of DataLoader", "init": "write p.assign(array), or argand.nn.initial", "register_buffer": "write self.name = argand.constant(array)",
    "register_parameter": "write self.name = argand.variable(array)", "scaled_dot_product_attention": "write attention", "RNN": "write the loop over time steps with layers",
    "GRU": "write the loop over time steps with layers", "LSTM": "write the loop over time steps with layers", "NLLLoss": "write CrossEntropyLoss, which takes logits",
    "nll_loss": "write cross_entropy, which takes logits", "BCELoss": "write BCEWithLogitsLoss, which takes logits", "BatchNorm1d": "there are LayerNorm and RMSNorm",
    "BatchNorm2d": "there are LayerNorm and RMSNorm", "MultiheadAttention": "write attention, with the outputs of three Linear layers", "L1Loss": "write argand.abs(input - target).mean()",
    "Softmax": "Sequential takes functions: argand.softmax", "LogSoftmax": "Sequential takes functions: argand.log_softmax",
    "to": "layers are made with their type, Linear(2, 3, dtype=argand.float32), on the CPU",
    # Optimisers
    "lr_scheduler": RATES, "param_groups": RATES, "RMSprop": "there are SGD, AdamW, Muon and LBFGS",
}


def no_attribute(owner: str, name: str, hint: str = "") -> AttributeError:
    """The exception for an unknown name; its message says what to write instead, if anything."""
    hint = INSTEAD.get(name, hint)
    return AttributeError(f"{owner} has no attribute '{name}'" + (f"; {hint}" if hint else ""))
