#!/usr/bin/env python3
"""The tables of README.md, from the output of bench/compare.py and from bf16.json, both next to this script.

  python3 bench/results/speed/table.py > tables.md
"""
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = {"preset": "preset `small`", "6x384": "6 × 384", "letters-64": "letters, 64", "letters-256": "letters, 256"}


def number(pattern, text):
    return re.search(pattern, text).group(1)


def main():
    print("| shape | model | argand, ms | PyTorch, ms | argand ÷ PyTorch | argand ÷ floor | floor ÷ PyTorch | argand, MiB | PyTorch, MiB |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, shape in SHAPES.items():
        with open(os.path.join(HERE, name + ".txt"), encoding="utf8") as file:
            models = file.read().split("\n\n")[1:6]
        for text in models:
            model = text.split("\n")[0]
            ours, own_memory = re.search(r"argand +([\d.]+) ms +(\d+) MiB", text).groups()
            variants = re.findall(r"PyTorch, [a-z ]+? +([\d.]+) ms +([\d.]+) +(\d+) MiB", text)
            theirs, ratio, memory = min(variants, key=lambda variant: float(variant[0]))  # the fastest
            floor = number(r"GFLOP\): ([\d.]+)", text)
            print(f"| {shape} | {model} | {ours} | {theirs} | {ratio} | {floor} | {float(ratio) / float(floor):.2f} | {own_memory} | {memory} |")
    print("\n| seed | float32 | bf16 |\n|---:|---:|---:|")
    with open(os.path.join(HERE, "bf16.json"), encoding="utf8") as file:
        found = {(run["precision"], run["seed"]): run["perplexity"] for run in json.load(file)["runs"]}
    for seed in range(3):
        print(f"| {seed} | {found['float32', seed]:.2f} | {found['bf16', seed]:.2f} |")


if __name__ == "__main__":
    main()
