"""Checks that the row labelled PyTorch in `argand lab` shows what PyTorch returns.

  lab_torch_test.py ARGAND_PROGRAM
"""
import json
import subprocess
import sys

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(77)

cases = {
    "z^2": lambda z: z * z,
    "abs(z)": torch.abs,
    "abs2(z)": lambda z: (z * z.conj()).real,
    "conj(z)": torch.conj,
    "re(z)*im(z)": lambda z: z.real * z.imag,
    "angle(z)": torch.angle,
    "sqrt(z)/(z + 2)": lambda z: torch.sqrt(z) / (z + 2),
    "abs(z)^2 * exp(i*angle(z))": lambda z: z.abs() ** 2 * torch.exp(1j * z.angle()),
    "log(z)*sin(z) - tanh(conj(z))": lambda z: torch.log(z) * torch.sin(z) - torch.tanh(z.conj()),
}
failures = 0
for text, function in cases.items():
    report = json.loads(subprocess.run([sys.argv[1], "lab", text, "--at", "0.7+0.4i", "--json"], capture_output=True, text=True, check=True).stdout)
    said = next(row for row in report["points"][0]["conventions"] if row["framework"] == "PyTorch")
    z = torch.tensor(0.7 + 0.4j, dtype=torch.complex128, requires_grad=True)
    f = function(z)
    (f.real if f.is_complex() else f).backward()
    returned = z.grad.item()
    if abs(complex(*said["value"]) - returned) > 1e-13 * max(1, abs(returned)):
        print(f"{text}: argand lab shows {complex(*said['value'])}, but PyTorch returns {returned}")
        failures += 1
print(f"{len(cases)} functions, {failures} differ")
sys.exit(1 if failures else 0)
