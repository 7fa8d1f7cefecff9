#!/usr/bin/env python3
"""Which model uses a given number of FLOPs best: RoPE, ComplexFormer and CRoPE with about 1, 3 and 10 million parameters.

  scaling.py --data wikitext-2 --out RUNS [--sizes 1M,3M,10M] [--rows rope,complexformer,crope] [--argand PROGRAM]

Each model trains for as many steps as WORK FLOPs of matrix products allow, so a larger model takes fewer. All three have the same
block, with embeddings scaled by √d_model. CRoPE spends the parameters that it saves, 2 d² of each layer's 4 d² in attention, on
d more units in the feed-forward layer; products with complex-linear maps cost as much as dense ones, so it also takes fewer steps.
Every model has its own learning rate (`argand sweep --halving --widen`) and three seeds.

Stated before the runs:
  1. ComplexFormer is better than RoPE at every size, and its lead does not grow with the size.
  2. CRoPE is within 2 % of RoPE's perplexity at equal parameters and work, because it loses in steps what it gains in width.
  3. With this budget the smallest models are the best: 10 million parameters see too few tokens.

After Ctrl-C the same command continues. The results are in RUNS/scaling.json; bench/results/measured.py makes the table.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

from reporting import replace

WORK = 4e12  # FLOPs; about 100 s on one core of Zen 4, some two hours for all
SIZES = {"1M": (2, 160, 4), "3M": (3, 256, 4), "10M": (5, 384, 6)}  # layers, width, heads
ROWS = {
    "rope": lambda d: {"family": "transformer", "position": "rope", "d-ff": 4 * d},
    "complexformer": lambda d: {"family": "complexformer", "frequencies": "rope", "d-ff": 4 * d},
    "crope": lambda d: {"family": "crope", "mode": "all", "ffn": "gelu", "norm": "layernorm", "qk-norm": "false", "d-ff": 5 * d},
}
SHARED = {"tokens": "bpe", "vocab-size": 2048, "batch": 4, "warmup": "5%", "eval-every": 0, "checkpoint-every": 500, "threads": 1, "scale-embeddings": "true",
          "rope-base": 10000, "attn-bias": "false", "ffn-bias": "true", "optimizer": "adamw", "weight-decay": 0.1}


def options(values):
    return [text for key, value in values.items() for text in (f"--{key}", str(value))]


def model_of(size, row):
    layers, width, heads = SIZES[size]
    return {**SHARED, "n-layers": layers, "d-model": width, "n-heads": heads, **ROWS[row](width)}


def log_of(run):
    return [json.loads(line) for line in (run / "log.jsonl").read_text(encoding="utf8").splitlines()]


def trained(given, size, row):
    """Trains one model at one size and returns its results."""
    folder = given.out / size / row
    first = folder / "one-step"
    model = {**model_of(size, row), "data": given.data}
    subprocess.run([given.argand, "train", "lm", *options({**model, "steps": 1, "out": first}), "--overwrite"], check=True, stdout=subprocess.DEVNULL)
    origin, step = log_of(first)[:2]
    flops = step["flops"]
    steps = round(given.work / flops)
    subprocess.run([given.argand, "sweep", "lm", *options({**model, "steps": steps, "out": folder / "rates", "lr": given.rates, "seeds": given.seeds, "jobs": 1}),
                    "--halving", "--widen"], check=True)
    runs = json.loads((folder / "rates/sweep.json").read_text(encoding="utf8"))["runs"]
    best = min((name for name in runs if name.endswith("/seed-0") and not name.startswith("third/")), key=lambda name: runs[name]["loss"]).split("/")[0]
    return {"size": size, "row": row, "parameters": origin["made_by"]["parameters"], "flops": flops, "steps": steps, "lr": float(best.split("=")[1]),
            "bits_per_byte": [round(runs[f"{best}/seed-{seed}"]["bits_per_byte"], 5) for seed in range(given.seeds)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="a folder with WikiText-2, or any text that `argand train lm` reads")
    parser.add_argument("--out", type=Path, required=True, help="folder for all runs")
    parser.add_argument("--sizes", default=",".join(SIZES), help="train only these sizes (%(default)s)")
    parser.add_argument("--rows", default=",".join(ROWS), help="train only these models (%(default)s)")
    parser.add_argument("--rates", default="2e-3,4e-3,8e-3", help="first learning rates to try (%(default)s)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--work", type=float, default=WORK, help="FLOPs per run (%(default)s)")
    parser.add_argument("--argand", default="argand", help="path of the argand program")
    given = parser.parse_args()
    for kind, names, known in (("size", given.sizes, SIZES), ("row", given.rows, ROWS)):
        for name in names.split(","):
            if name not in known:
                sys.exit(f"scaling.py: unknown {kind} {name}; choose from {', '.join(known)}")
    kept = given.out / "scaling.json"
    entries = json.loads(kept.read_text(encoding="utf8"))["entries"] if kept.exists() else []
    for size in given.sizes.split(","):
        for row in given.rows.split(","):
            if not any(one["size"] == size and one["row"] == row and len(one["bits_per_byte"]) >= given.seeds for one in entries):
                print(f"{size} {row}", flush=True)
                found = trained(given, size, row)
                entries = [one for one in entries if (one["size"], one["row"]) != (size, row)] + [found]
                replace(kept, json.dumps({"entries": entries}, indent=1) + "\n")
    print(kept)


if __name__ == "__main__":
    main()
