"""Compares three gradient checkers on 120 PyTorch functions, with and without mistakes planted in their gradients.

  PYTHONPATH=build/python /usr/bin/python3 bench/gradcheck_battery.py [--short] [--verbose] [--only KIND]

The checkers are argand.check_torch, and torch.autograd.gradcheck in its default and its fast mode, each with its own defaults. A
mistake is caught or missed; a correct gradient passes or is falsely accused. (argand's verdict "inconclusive" counts as a miss for
a mistake, but not as a false accusation.) Functions are adapted to gradcheck where needed: nested outputs are flattened, random
numbers are fixed, and gradgradcheck is called as well for the second order. The functions are in bench/battery.
"""
import argparse
import dataclasses
import sys
import time
import warnings

import torch
from battery.first_order import conjugated, factors, kinks, lost_terms, noise, one_element
from battery.hidden import incoming, nested, second_order, small_parameters, stale
from battery.narrow import half_precision, stochastic

import argand


def all_cases():
    torch.manual_seed(0)
    return [case for kind in (conjugated, factors, lost_terms, kinks, one_element, noise, nested, second_order, small_parameters, stale,
                              half_precision, stochastic, incoming) for case in kind()]


def by_argand(case, f):
    return argand.check_torch(f, *case.x, order=case.order, **case.options).verdict


def by_torch(fast):
    def verdict(case, f):
        parameters = [p.detach() for p in f.parameters()] if isinstance(f, torch.nn.Module) else []
        function = case.for_torch(f)
        x = tuple(t.clone().requires_grad_() for t in (*case.x, *parameters))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                right = torch.autograd.gradcheck(function, x, raise_exception=False, fast_mode=fast)
                if right and case.order == 2:
                    right = torch.autograd.gradgradcheck(function, x, raise_exception=False, fast_mode=fast)
                return "pass" if right else "fail"
            except Exception:  # gradcheck may raise even with raise_exception=False
                return "fail"

    return verdict


JUDGES = {"argand": by_argand, "torch": by_torch(False), "torch, fast": by_torch(True)}


@dataclasses.dataclass
class Tally:
    caught: int = 0
    missed: int = 0
    accused: int = 0
    inconclusive: int = 0  # only counts correct gradients
    seconds: float = 0.0


def judged(cases, verbose=False):
    """For each judge and kind of mistake, how often each verdict was given."""
    tallies = {judge: {} for judge in JUDGES}
    for case in cases:
        for judge, verdict in JUDGES.items():
            tally = tallies[judge].setdefault(case.kind, Tally())
            begin = time.perf_counter()
            right = verdict(case, case.right)
            wrong = verdict(case, case.wrong()) if case.wrong else None
            tally.seconds += time.perf_counter() - begin
            tally.accused += right == "fail"
            tally.inconclusive += right == "inconclusive"
            tally.caught += wrong == "fail"
            tally.missed += wrong is not None and wrong != "fail"
            if verbose:
                print(f"{case.kind:<22} {case.name:<30} {judge:<12} right: {right:<13} planted: {wrong}", flush=True)
    return tallies


def table(tallies, cases):
    kinds = list(dict.fromkeys(case.kind for case in cases))
    lines = [f"{'':<28}" + "".join(f"{judge:>24}" for judge in JUDGES),
             f"{'mistake':<22}{'cases':>6}" + "".join(f"{'caught missed accused':>24}" for _ in JUDGES)]

    def row(name, count, parts):
        cells = "".join(f"{t.caught:>9}{t.missed:>7}{t.accused:>8}" for t in parts)
        return f"{name:<22}{count:>6}" + cells

    for kind in kinds:
        lines.append(row(kind, sum(case.kind == kind for case in cases), [tallies[judge][kind] for judge in JUDGES]))
    sums = []
    for judge in JUDGES:
        parts = tallies[judge].values()
        sums.append(Tally(*(sum(getattr(t, field.name) for t in parts) for field in dataclasses.fields(Tally))))
    lines.append(row("all", len(cases), sums))
    lines.append(f"{'seconds':<28}" + "".join(f"{t.seconds:>24.1f}" for t in sums))
    unknown = {kind: tally.inconclusive for kind, tally in tallies["argand"].items() if tally.inconclusive}
    lines.append(f"correct gradients on which argand is inconclusive: {sums[0].inconclusive}"
                 + (f" ({', '.join(f'{kind}: {n}' for kind, n in unknown.items())})" if unknown else ""))
    return "\n".join(lines), sums[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="use only every eighth function")
    parser.add_argument("--verbose", action="store_true", help="print a line for each verdict")
    parser.add_argument("--only", metavar="KIND", help='use only the functions of one kind, such as "stale buffer"')
    options = parser.parse_args()
    cases = [case for case in all_cases() if options.only in (None, case.kind)][:: 8 if options.short else 1]
    text, ours = table(judged(cases, options.verbose), cases)
    print(text)
    sys.exit(1 if ours.missed or ours.accused else 0)
