"""QIC's final angles by their initial value: tables of the runs in runs.json next to this script.

  table.py [SEED]        every angle of the runs (with this seed), and the accuracy after the last step
  table.py curves SEED   the angles during training, a block of lines "step angles..." for each start, which figure.gp loads
  table.py kappa         by initial value: how far the angles moved, and the final kappa = J^2 of the first and the second block
"""
import json
import math
import os
import statistics
import sys

folder = os.path.dirname(os.path.abspath(__file__))


def kappa(theta):
    return -1 + math.sin(2 * theta)


class Run:
    """A run's first angle, seed, final angles and accuracy [%]."""

    def __init__(self, steps, run):
        self.start, self.seed = run["start"], run["seed"]
        self.history = list(zip(steps, run["theta"]))
        last = run["theta"][-1]
        self.model, self.blocks = last[:1], [last[1:6], last[6:]]  # one angle of the block itself, then those of its four heads
        self.accuracy = 100 * run["accuracy"]

    def angles(self):
        return self.model + self.blocks[0] + self.blocks[1]


with open(os.path.join(folder, "runs.json"), encoding="utf8") as file:
    kept = json.load(file)
runs = sorted((Run(kept["steps"], run) for run in kept["runs"]), key=lambda r: (r.start, r.seed))
if sys.argv[1:] == ["kappa"]:
    print("start  kappa   moved: mean  largest   kappa of block 0  of block 1   accuracy, %")
    for start in sorted({r.start for r in runs}):
        same = [r for r in runs if r.start == start]
        moves = [abs(a - start) for r in same for a in r.angles()]
        means = [statistics.mean(kappa(a) for r in same for a in r.blocks[i]) for i in (0, 1)]
        accuracies = ", ".join(f"{r.accuracy:.1f}" for r in same) + f"; mean {statistics.mean(r.accuracy for r in same):.1f}"
        print(f"{start:.4f} {kappa(start):+.3f}{statistics.mean(moves):14.4f}{max(moves):9.4f}{means[0]:+19.3f}{means[1]:+12.3f}   {accuracies}")
elif sys.argv[1:2] == ["curves"]:
    print("$curves << EOD")
    for r in runs:
        if f"{r.seed:.0f}" == sys.argv[2]:
            for step, angles in [(0, [r.start] * len(r.angles()))] + r.history:
                print(step, *(f"{a:.5f}" for a in angles))
            print("\n")
    print("EOD")
else:
    print(f"start   seed   model  {'block 0 and its heads':40}{'block 1 and its heads':40}accuracy, %")
    for r in runs:
        if sys.argv[1:] in ([], [f"{r.seed:.0f}"]):
            cells = [" ".join(f"{a:7.4f}" for a in angles) for angles in (r.model, *r.blocks)]
            print(f"{r.start:.4f}  {r.seed:4.0f} {' '.join(cells)}  {r.accuracy:.1f}")
