#!/usr/bin/env python3
"""The rows of all language models of ablations/small-1500* as one table in Markdown, of their table.md: the lowest perplexity first.

A model that stands in several tables, like the transformer with RoPE, has the same runs in each, and one line here.
"""
import json
import re
import sys
from pathlib import Path

here = Path(__file__).resolve().parent / "ablations"
names = {"complexformer": "ComplexFormer", "crope": "CRoPE", "crat": "CRAT"}
transformers = {"rope": "transformer, RoPE", "rope-untied": "transformer, RoPE, with an output layer of its own",
                "learned": "transformer, learned positions", "transformer": "transformer, learned positions",
                "sinusoidal": "transformer, sinusoidal positions", "rope-scaled": "transformer, RoPE, with scaled embeddings",
                "retro": "RETRO, a transformer that reads neighbours",
                "fid": "Fusion-in-Decoder, a transformer that reads neighbours"}
optimizers = {"adamw": "AdamW", "muon": "Muon"}

rows = {}
for table in sorted(here.glob("small-1500*/*/table.md")):
    first = table.read_text(encoding="utf8").split("\n\n")[0]
    for row, parameters, perplexity, bits in re.findall(r"^\| ([\w-]+) \|[^|]*\| (\d+) \| ([^|]+) \| ([^|]+) \|", first, re.M):
        name = transformers.get(row, f"{names[table.parent.name]}, `{row}`")
        if name in rows and rows[name][0] != perplexity:
            sys.exit(f"{name} has other runs in {table} than in the table before")
        config = next(table.parent.glob(f"{row}/seed-*/config.json"))
        optimizer = optimizers[json.loads(config.read_text(encoding="utf8"))["optimizer"]["optimizer"]]
        rows[name] = (perplexity, f"| {name} | {optimizer} | {int(parameters) / 1e6:.2f} | {perplexity} | {bits} |")

print("| model | optimiser | parameters, millions | perplexity | bits a byte |\n|---|---|---:|---:|---:|")
for _, line in sorted(rows.values(), key=lambda row: float(row[0].split()[0])):
    print(line)
