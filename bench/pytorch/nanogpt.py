"""The model and the training step of nanoGPT's first example, rewritten from its description: a decoder with learned positions, layer
norms before each sub-layer, GELU, no biases and no dropout, its output layer tied to the embedding; AdamW that decays only matrices, and
gradients clipped to norm 1. With PyTorch 2 attention is one call, as in nanoGPT, and AdamW is fused; before, both are written out.

  python3 nanogpt.py TEXT --steps 30 --threads 1 [--compiled]

Prints one JSON line: the seconds of every step, the losses, the number of parameters.
"""
import argparse
import json
import math
import time

import torch
import torch.nn.functional as F
from torch import nn


TORCH_2 = hasattr(F, "scaled_dot_product_attention")


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight)


class Block(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = Norm(width), Norm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
        self.register_buffer("future", torch.ones(length, length, dtype=torch.bool).triu(1), persistent=False)

    def attention(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in self.qkv(x).split(C, dim=2))
        if TORCH_2:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out(y.transpose(1, 2).contiguous().view(B, T, C))
        scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(C // self.heads))
        weights = F.softmax(scores.masked_fill(self.future[:T, :T], float("-inf")), dim=-1)
        return self.out((weights @ v).transpose(1, 2).contiguous().view(B, T, C))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Decoder(nn.Module):
    def __init__(self, symbols, length, layers=4, heads=4, width=128):
        super().__init__()
        self.words, self.places = nn.Embedding(symbols, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads, length) for _ in range(layers))
        self.norm = Norm(width)
        for name, p in self.named_parameters():
            if p.dim() >= 2:
                into_residual = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(p, std=0.02 / math.sqrt(2 * layers) if into_residual else 0.02)

    def forward(self, tokens, targets):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.words.weight)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.reshape(-1))


def rate(step, steps, peak=1e-3, end=1e-4, warmup=100):
    if step < warmup:
        return peak * (step + 1) / warmup
    return end + 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) * (peak - end)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("text")
    for name, default in dict(steps=30, batch=12, length=64, threads=1, seed=0).items():
        ap.add_argument("--" + name, type=int, default=default)
    ap.add_argument("--compiled", action="store_true", help="with torch.compile")
    a = ap.parse_args()
    torch.manual_seed(a.seed)
    torch.set_num_threads(a.threads)
    torch.set_flush_denormal(True)
    text = open(a.text, encoding="utf8").read()
    ids = {c: i for i, c in enumerate(sorted(set(text)))}
    data = torch.tensor([ids[c] for c in text[: len(text) * 9 // 10]])
    model = Decoder(len(ids), a.length)
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW([dict(params=matrices, weight_decay=0.1), dict(params=vectors, weight_decay=0.0)], betas=(0.9, 0.99), fused=TORCH_2)
    loss_of = torch.compile(model, dynamic=False) if a.compiled else model
    seconds, losses = [], []
    for step in range(a.steps):
        start = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = rate(step, 2000)
        places = torch.randint(len(data) - a.length, (a.batch,)).tolist()
        x = torch.stack([data[i:i + a.length] for i in places])
        y = torch.stack([data[i + 1:i + 1 + a.length] for i in places])
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(x, y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - start)
    print(json.dumps(dict(seconds=seconds, losses=losses, parameters=sum(p.numel() for p in model.parameters()))))


if __name__ == "__main__":
    main()
