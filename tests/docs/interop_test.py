"""Parity cases made from a custom module (bench/pytorch/parity_case.py): a correct one passes, wrong ones fail. Skipped
without PyTorch. docs/interop.md shows the correct one, and tests/docs/book_test.py runs that page.

  interop_test.py SOURCE_DIR ARGAND_PROGRAM
"""
import os
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(77)

source, argand = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(source, "bench", "pytorch"))
from parity_case import module_case, save_module_case
from safetensors_io import load, save

failures = 0


def expect(rule, text):
    global failures
    if not rule:
        failures += 1
        print(text)


def misses(path):
    return subprocess.run([argand, "parity", "--quiet", path], capture_output=True, text=True, check=False)


def refusal(f):
    try:
        f()
    except (TypeError, ValueError) as error:
        return str(error)
    return "no exception was raised"


with tempfile.TemporaryDirectory() as folder:
    right, wrong = os.path.join(folder, "right.safetensors"), os.path.join(folder, "wrong.safetensors")
    subprocess.run([sys.executable, "docs/programs/interop_parity.py", right], cwd=source, check=True)
    expect(misses(right).returncode == 0, "PyTorch's layers do not match the family transformer")

    tensors, metadata = load(right)
    tensors["expect.grad.blocks.0.attn.q.weight"] *= -1
    save(wrong, tensors, metadata)
    found = misses(wrong)
    expect(found.returncode == 1 and found.stdout.count("MISS") == 1 and "expect.grad.blocks.0.attn.q.weight" in found.stdout,
           f"wrong output for a gradient of the wrong sign: {found.stdout}")

    tensors, metadata = load(right)
    tensors["param.extra"] = torch.zeros(3, dtype=torch.float64)
    save(wrong, tensors, metadata)
    expect("param.extra" in misses(wrong).stdout, "an extra parameter is not reported")

    # Complex parameters are stored by name, with the gradient that PyTorch computes for them.
    tokens = torch.tensor([[0, 1]])

    class Squared(torch.nn.Module):
        def __init__(self, dropout=0.0):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.tensor([[1 + 2j, 0.5j], [1, -1j]], dtype=torch.complex128))
            self.dropout = torch.nn.Dropout(dropout)

        def forward(self, ids):
            return self.dropout((self.weight[ids] ** 2).real)

    made = module_case(Squared(), tokens, tokens, lambda name, x: {"z." + name: x})
    expect(set(made) == {"tokens", "targets", "param.z.weight", "expect.grad.z.weight", "expect.loss", "expect.logits"}, str(set(made)))
    expect(made["expect.grad.z.weight"].is_complex() and made["expect.grad.z.weight"].abs().sum() > 0, "the complex gradient is missing or 0")
    save_module_case(wrong, Squared(), dict(family="transformer"), tokens, tokens)
    expect(torch.equal(load(wrong)[0]["param.weight"], Squared().weight.detach()), "complex128 parameters change when saved")

    said = refusal(lambda: module_case(torch.nn.Linear(2, 2), tokens, tokens))
    expect(said == "weight is torch.float32; the bar of argand parity, 1e-9, needs double precision: call module.double()", said)
    said = refusal(lambda: module_case(Squared(dropout=0.5), tokens.repeat(8, 8), tokens.repeat(8, 8)))
    expect(said == "two calls of the module differ: switch dropout off with module.eval()", said)
sys.exit(failures > 0)
