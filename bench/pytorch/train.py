"""Trains a model of models.py in float32: the reference for training quality and speed.

  python3 train.py lm WIKITEXT_DIR '{"family": "complexformer"}' --steps 500 --factored
  python3 train.py classify AG_NEWS_DIR '{"family": "qic"}' --epochs 5

Prints one JSON line at the end. compare.py, one folder up, sets the environment in which PyTorch is fastest.
"""
import argparse
import csv
import json
import math
import os
import resource
import time
from collections import Counter
from statistics import median

import torch
import torch.nn.functional as F

import factored
from optimizers import ADAMW, MUON_LR_SCALE, Muon, clip_grad_norm, is_muon_parameter, lr_at
from parameters import count_params, forward, full_config, init_params, loss_and_logits


class TorchAdamW:
    """PyTorch's own AdamW with in-place kernels, for a fair speed comparison (optimizers.AdamW is written for clarity)."""

    def __init__(self, params, wd):
        self.opt = torch.optim.AdamW(list(params.values()), lr=0.0, weight_decay=wd, **ADAMW)

    def step(self):
        for group in self.opt.param_groups:
            group["lr"] = self.lr
        self.opt.step()


class Training:
    """One training step of the parameters `p`, as models.py and optimizers.py have them."""

    def __init__(self, cfg, p, optimizer, weight_decay):
        hidden = {k: t for k, t in p.items() if optimizer == "muon" and is_muon_parameter(k, t)}
        rest = {k: t for k, t in p.items() if k not in hidden}
        self.cfg, self.p = cfg, p
        self.optimizers = [(TorchAdamW(rest, weight_decay), 1.0)] + ([(Muon(hidden, 0, 0.95, weight_decay), MUON_LR_SCALE)] if hidden else [])

    def step(self, x, y, kb, lr, clip=1.0):
        for t in self.p.values():
            t.grad = None
        loss, _ = loss_and_logits(self.cfg, self.p, x, y, kb)
        loss.backward()
        clip_grad_norm(self.p, clip)
        for o, factor in self.optimizers:
            o.lr = lr * factor
            o.step()
        return loss.item()


def training(a, cfg, p):
    if not (a.fast or a.compiled):
        return Training(cfg, p, a.optimizer, a.decay)
    import fast  # needs PyTorch 2
    fast.use()
    return fast.Training(cfg, p, a.optimizer, a.decay, compiled=a.compiled, bf16=a.bf16)


def wikitext(folder):
    vocab, out = {}, {}
    for part in ("train", "valid", "test"):
        ids = []
        for line in open(os.path.join(folder, part + ".txt"), encoding="utf8"):
            for word in line.split() + ["<eos>"]:
                ids.append(vocab.setdefault(word, len(vocab)))
        out[part] = torch.tensor(ids)
    return out, len(vocab)


def train_lm(a, kw):
    data, v = wikitext(a.data)
    shape = dict(n_layers=2, d_model=128, n_heads=4, d_ff=512, max_seq_len=a.length)
    cfg = full_config(**{**shape, "vocab_size": v, **kw})
    torch.manual_seed(a.seed)
    p = init_params(cfg, a.seed, torch.float32)
    if cfg.get("tie_embeddings"):
        with torch.no_grad():
            p["embedding.weight"].mul_(0.04)                           # std 0.02
    trained = training(a, cfg, p)
    g = torch.Generator().manual_seed(a.seed)
    train, t = data["train"], a.length
    losses, times = [], []
    for i in range(a.steps):
        at = torch.randint(0, len(train) - t - 1, (a.batch,), generator=g)
        x = torch.stack([train[j:j + t] for j in at])
        y = torch.stack([train[j + 1:j + t + 1] for j in at])
        kb = train[torch.randint(0, len(train) - 64, (2000,), generator=g)[:, None] + torch.arange(64)] if cfg.get("irw_layers") else None
        t0 = time.perf_counter()
        losses.append(trained.step(x, y, kb, lr_at(i, a.steps, a.lr, a.warmup, a.lr / 10)))
        times.append(time.perf_counter() - t0)
        if a.verbose and i % 50 == 0:
            print(i, round(losses[-1], 3), round(times[-1], 3), flush=True)
    valid, total, count = data["valid"], 0.0, 0  # argand's --eval-protocol full-blocks
    with torch.no_grad():
        for j in range(0, len(valid) - 1 - t * a.batch, t * a.batch):
            x, y = valid[j:j + t * a.batch].view(a.batch, t), valid[j + 1:j + 1 + t * a.batch].view(a.batch, t)
            total += F.cross_entropy(forward(cfg, p, x, kb if cfg.get("irw_layers") else None)[0].flatten(0, 1), y.flatten()).item()
            count += 1
    return dict(valid_loss=total / count, valid_ppl=math.exp(total / count), last_train=sum(losses[-20:]) / len(losses[-20:]),
                step_seconds=median(times), tokens_per_second=a.batch * t / median(times), parameters=count_params(p),
                seconds=times)


def train_classify(a, kw):
    rows = lambda f: [((r[1] + " " + r[2]).strip().lower().split(), int(r[0]) - 1) for r in csv.reader(open(os.path.join(a.data, f), newline="", encoding="utf8"))]
    train, test = rows("train_sample.csv")[:a.train], rows("test.csv")[:a.test]
    counts = Counter(w for words, _ in train for w in words)
    vocab = {w: i + 2 for i, (w, _) in enumerate(counts.most_common(5000))}
    t = a.length
    enc = lambda rs: (torch.tensor([([vocab.get(w, 1) for w in ws][:t] + [0] * t)[:t] for ws, _ in rs]), torch.tensor([l for _, l in rs]))
    (xs, ys), (xt, yt) = enc(train), enc(test)
    cfg = full_config(**{**dict(task="classify", vocab_size=5002, n_layers=2, d_model=128, n_heads=4, d_ff=128, max_seq_len=t), **kw})
    p = init_params(cfg, a.seed, torch.float32)
    trained = training(a, cfg, p)
    g = torch.Generator().manual_seed(a.seed)
    steps = a.epochs * (len(xs) // a.batch)
    i, times, accs = 0, [], []
    for epoch in range(a.epochs):
        order = torch.randperm(len(xs), generator=g)
        for b in range(len(xs) // a.batch):
            j = order[b * a.batch:(b + 1) * a.batch]
            n = int((xs[j] != 0).sum(1).max())
            t0 = time.perf_counter()
            trained.step(xs[j][:, :n], ys[j], None, lr_at(i, steps, a.lr, a.warmup, a.lr / 10))
            times.append(time.perf_counter() - t0)
            i += 1
        with torch.no_grad():
            hit = sum((forward(cfg, p, xt[b:b + 100])[0].argmax(-1) == yt[b:b + 100]).sum().item() for b in range(0, len(xt), 100))
        accs.append(hit / len(xt))
        if a.verbose:
            print(epoch, accs[-1], flush=True)
    return dict(test_accuracy=accs, step_seconds=median(times), parameters=count_params(p),
                thetas=[round(v, 4) for k, t in p.items() if k.endswith("theta") for v in t.tolist()])


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("task"), ap.add_argument("data"), ap.add_argument("config")
    for name, default in dict(steps=500, epochs=5, batch=16, length=128, warmup=50, train=4000, test=1000, seed=0, threads=2).items():
        ap.add_argument("--" + name, type=int, default=default)
    ap.add_argument("--lr", type=float, default=1e-3), ap.add_argument("--decay", type=float, default=0.1)
    ap.add_argument("--optimizer", default="adamw"), ap.add_argument("--verbose", action="store_true")
    ap.add_argument("--factored", action="store_true", help="the factored scores instead of the literal ones")
    ap.add_argument("--fast", action="store_true", help="fast.py: attention in one call, a fused optimiser (PyTorch 2)")
    ap.add_argument("--compiled", action="store_true", help="the same, compiled by torch.compile")
    ap.add_argument("--bf16", action="store_true", help="with --fast or --compiled: products in bfloat16 (autocast)")
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    if a.factored:
        factored.use()
    kw = json.loads(a.config)
    out = train_lm(a, kw) if a.task == "lm" else train_classify(a, kw)
    out.update(config=kw, peak_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    print(json.dumps(out))
