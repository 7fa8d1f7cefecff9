#!/usr/bin/env python3
"""The tables of README.md, from the outputs of bench/compare.py next to this script, and from ../runs/others.json.

  python3 bench/results/speed/table.py > tables.md
"""
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = {("2", "128", "16 x 128"): "preset `small`", ("2", "128", "2 x 1024"): "preset, length 1 024", ("6", "384", "16 x 128"): "6 × 384", ("4", "128", "12 x 64"): "letters, 64",
          ("4", "128", "16 x 256"): "letters, 256"}


def read(name):
    with open(os.path.join(HERE, name), encoding="utf8") as file:
        return file.read()


def compared(name):
    """One line for each model in each output of compare.py; PyTorch's time is that of its fastest variant."""
    print("| shape | model | argand, ms | PyTorch, ms | argand ÷ PyTorch | argand ÷ floor | floor ÷ PyTorch | argand, MiB | PyTorch, MiB |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for output in re.split(r"^(?=.*OpenBLAS's \S+ kernels$)", read(name), flags=re.M)[1:]:
        settings, *models = output.split("\n\n")
        shape = SHAPES[re.search(r"(\d+) layers of width (\d+), \w+, batch ([\dx ]+),", settings).groups()] + (", bf16" if ", bf16," in settings else "")
        for text in models:
            if not (own := re.search(r"argand +([\d.]+) ms +(\d+) MiB", text)):
                continue  # the last paragraph compares models
            variants = re.findall(r"PyTorch, ([a-z ]+?) +([\d.]+) ms +([\d.]+) +(\d+) MiB", text)
            kind, theirs, ratio, memory = min(variants, key=lambda variant: float(variant[1]))
            floor = re.search(r"GFLOP\): ([\d.]+)", text).group(1)
            print(f"| {shape} | {text.splitlines()[0]} | {own[1]} | {theirs} ({kind}) | {ratio} | {floor} | {float(ratio) / float(floor):.2f} | {own[2]} | {memory} |")
    print()


def main():
    compared("pytorch-2.6.txt")
    compared("pytorch-1.13.txt")
    print("| seed | float32 | bf16 |\n|---:|---:|---:|")
    found = {(run["precision"], run["seed"]): run["perplexity"] for run in json.loads(read("../runs/others.json"))["bf16"]["runs"]}
    for seed in range(3):
        print(f"| {seed} | {found['float32', seed]:.2f} | {found['bf16', seed]:.2f} |")


if __name__ == "__main__":
    main()
