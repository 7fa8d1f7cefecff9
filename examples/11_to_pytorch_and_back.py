"""11. Weights to PyTorch and back: the Python half. 11_to_pytorch_and_back.cpp explains the example.

  python3 examples/11_to_pytorch_and_back.py build/examples/11_to_pytorch_and_back
"""
import pathlib
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "bench" / "pytorch"))
from safetensors_io import load, save  # or, from safetensors 0.7.0 on: from safetensors.torch import load_file, save_file

program = sys.argv[1]
folder = tempfile.TemporaryDirectory()
path = folder.name + "/net.safetensors"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for name, inputs, outputs in (("hidden", 1, 16), ("out", 16, 1)):
            layer = torch.nn.Module()
            layer.weight = torch.nn.Parameter(torch.zeros(outputs, inputs, dtype=torch.complex64))
            layer.bias = torch.nn.Parameter(torch.zeros(outputs, dtype=torch.complex64))
            setattr(self, name, layer)

    def forward(self, z):
        h = F.linear(z, self.hidden.weight, self.hidden.bias)
        h = torch.complex(F.gelu(h.real), F.gelu(h.imag))
        return F.linear(h, self.out.weight, self.out.bias)


def loss_of(net, z, y):
    return (net(z) - y).abs().square().mean()


subprocess.run([program, "there", path], check=True)

# The names are the same on both sides, so nothing is renamed or transposed.
tensors, _ = load(path)
net = Net()
net.load_state_dict({name: tensors[name] for name, _ in net.named_parameters()})
z, y = tensors["z"], tensors["y"]

loss = loss_of(net, z, y)
loss.backward()
same = all(torch.allclose(p.grad, tensors["grad." + name], rtol=1e-3, atol=1e-5) for name, p in net.named_parameters())
print(f"PyTorch: the same loss: {'yes' if torch.isclose(loss, tensors['loss'], rtol=1e-4) else 'no'}; "
      f"the same gradients, conjugates included: {'yes' if same else 'no'}", flush=True)

optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(100):
    optimizer.zero_grad()
    loss_of(net, z, y).backward()
    optimizer.step()
after = loss_of(net, z, y).detach()
save(path, {**net.state_dict(), "z": z, "y": y, "loss": after}, {})
print(f"PyTorch: after more training, L has fallen to a tenth or less: {'yes' if after < 0.1 * loss else 'no'}", flush=True)

subprocess.run([program, "back", path], check=True)
