#!/usr/bin/env python3
"""The rows of all language models of ablations/small-1500, from their logs, as one table in Markdown: the lowest perplexity first.

A model that stands in two tables, like the transformer with RoPE, has the same runs in both, and one line here.
"""
import json
import statistics
import sys
from pathlib import Path

here = Path(__file__).resolve().parent / "ablations" / "small-1500"
names = {"complexformer": "ComplexFormer", "crope": "CRoPE", "crat": "CRAT"}
transformers = {"rope": "transformer, RoPE", "rope-untied": "transformer, RoPE, with an output layer of its own",
                "learned": "transformer, learned positions", "transformer": "transformer, learned positions",
                "sinusoidal": "transformer, sinusoidal positions"}
optimizers = {"adamw": "AdamW", "muon": "Muon"}


def spread(figures, digits):
    deviation = f" ± {statistics.stdev(figures):.{digits}f}" if len(figures) > 1 else ""
    return f"{statistics.mean(figures):.{digits}f}{deviation} ({len(figures)})"


rows = {}
for table in sorted(here.glob("*/table.json")):
    for row in json.loads(table.read_text(encoding="utf8"))["rows"]:
        parameters, perplexities, bits = 0, [], []
        for seed in row["seeds"]:
            run = table.parent / row["row"] / f"seed-{seed}"
            config = json.loads((run / "config.json").read_text(encoding="utf8"))
            lines = [json.loads(line) for line in (run / "log.jsonl").read_text(encoding="utf8").splitlines()]
            parameters = next(line["made_by"]["parameters"] for line in lines if "made_by" in line)
            last = [line for line in lines if "valid_ppl" in line][-1]
            if last["step"] != config["training"]["steps"]:
                sys.exit(f"{run} has not ended")
            perplexities.append(last["valid_ppl"])
            bits.append(last["valid_bits_per_byte"])
        name = transformers.get(row["row"], f"{names[table.parent.name]}, `{row['row']}`")
        if name in rows and rows[name][0] != perplexities:
            sys.exit(f"{name} has other runs in {table} than in the table before")
        rows[name] = (perplexities, f"| {name} | {optimizers[config['optimizer']['optimizer']]} | {parameters / 1e6:.2f} "
                                    f"| {spread(perplexities, 1)} | {spread(bits, 3)} |")

print("| model | optimiser | parameters, millions | perplexity | bits a byte |\n|---|---|---:|---:|---:|")
for _, line in sorted(rows.values(), key=lambda row: statistics.mean(row[0])):
    print(line)
