"""The table of the preset `shakespeare`, from the logs of the runs beside this script: FAMILY-seed-S.log, what `argand train lm` printed.

  table.py      as Markdown, the best family first
"""
import os
import re
import statistics

folder = os.path.dirname(os.path.abspath(__file__))
names = {"transformer": "transformer, learned positions", "transformer-rope": "transformer, RoPE", "complexformer": "ComplexFormer", "crope": "CRoPE", "crat": "CRAT", "qic": "QIC"}


def spread(figures, digits):
    text = f"{statistics.mean(figures):.{digits}f}"
    return text + (f" ± {statistics.stdev(figures):.{digits}f}" if len(figures) > 1 else "") + f" ({len(figures)})"


runs = {}
for name in sorted(os.listdir(folder)):
    if match := re.fullmatch(r"([\w-]+)-seed-\d+\.log", name):
        with open(os.path.join(folder, name), encoding="utf8") as file:
            log = file.read()
        parameters = re.search(rf"^{match[1].split('-')[0]}: (\S+ k) parameters", log, re.M)[1]
        loss, bits = re.findall(r"^step 2000: validation loss ([\d.]+), perplexity [\d.]+, ([\d.]+) bits a byte", log, re.M)[-1]
        runs.setdefault(match[1], []).append((parameters, float(loss), float(bits)))

print("| family | parameters | validation loss | each seed | bits a byte |")
print("|---|---:|---:|---|---:|")
for family, figures in sorted(runs.items(), key=lambda item: statistics.mean(loss for _, loss, _ in item[1])):
    losses = [loss for _, loss, _ in figures]
    print(f"| {names[family]} | {figures[0][0]} | {spread(losses, 3)} | {', '.join(f'{loss:.4f}' for loss in losses)} "
          f"| {statistics.mean(bits for _, _, bits in figures):.3f} |")
