"""Checks that values and gradients of argand's ops, in C++ and in Python, equal PyTorch's in float64 and complex128, to 1e-10 of
the largest element of each array.

  op_parity.py OP_PARITY_PROGRAM [--verbose] [--save FOLDER]

--save keeps the files that OP_PARITY_PROGRAM reads and writes: cases.json, inputs.npz and outputs.npz (for two_builds.py). The cases are in op_cases.py.
"""
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(77)

from op_cases import CASES, TORCH
from two_builds import distance, distances

BAR = 1e-10
SAME = 1e-13  # allowed between Python and C++, which may compute a few sums in a different order


def inputs_of(case, number):
    random = numpy.random.default_rng(number)
    return [x.draw(random) if hasattr(x, "draw") else numpy.asarray(x) for x in case.inputs]


def by_pytorch(case, inputs):
    """Returns (value, gradients, W); gradients is None if PyTorch refuses."""
    x = [torch.tensor(a, requires_grad=True) for a in inputs]
    args = dict(case.args)
    stretch = args.pop("stretch", None)
    y = TORCH[case.op](*([x[0].expand(stretch), *x[1:]] if stretch else x), **args)
    if isinstance(case.W, str):
        random = numpy.random.default_rng(1)
        numbers = random.standard_normal(y.shape) + 1j * random.standard_normal(y.shape)
        W = torch.ones((), dtype=y.dtype).expand(y.shape) if case.W == "ones" else torch.tensor(numbers if y.is_complex() else numbers.real)
    else:
        W = torch.tensor(case.W)
    try:
        gradients = torch.autograd.grad(y, x, W, allow_unused=True)  # returns None if argand returns 0, as for the sign of a real determinant
        gradients = [torch.zeros_like(a).numpy() if g is None else g.resolve_conj().numpy() for a, g in zip(x, gradients)]
    except RuntimeError as refusal:
        gradients = None
        if "ill-defined" not in str(refusal):
            raise
    return y.detach().resolve_conj().numpy(), gradients, W.resolve_conj().numpy()


def by_argand(program, cases, arrays, kept=None):
    """Returns ({name: array}, {case number: error}); the files go to the folder `kept`."""
    with contextlib.nullcontext(kept) if kept else tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder, exist_ok=True)
        paths = [os.path.join(folder, name) for name in ("cases.json", "inputs.npz", "outputs.npz")]
        with open(paths[0], "w", encoding="utf8") as file:
            json.dump([dict(op=c.op, inputs=len(c.inputs), args=c.args) for c in cases], file)
        numpy.savez(paths[1], **arrays)
        said = subprocess.run([program, *paths], stdout=subprocess.PIPE, check=True, text=True).stdout
        with numpy.load(paths[2]) as outputs:
            return dict(outputs), {int(k): error for k, error in json.loads(said).items()}


def fault(case, number, expected, outputs, error):
    """Returns a case's fault, or None, and the size of its error."""
    value, gradients, _ = expected
    if isinstance(case.expect, numpy.ndarray):
        if gradients is not None and distance(gradients[0], case.expect) <= BAR:
            return "PyTorch's gradient is right", 0
        gradients = [case.expect]
    elif case.expect != "same":
        finite = gradients is not None and all(numpy.isfinite(g).all() for g in gradients)
        if error is None:
            return "argand gives a gradient", 0
        if case.expect == "refused" and gradients is not None:
            return "PyTorch gives a gradient", 0
        return ("PyTorch's gradient is finite" if finite else None), 0
    if error is not None or gradients is None:
        return error or "PyTorch refuses", 0
    pairs = [(outputs[f"{number}.value"], value), *((outputs[f"{number}.d{i}"], g) for i, g in enumerate(gradients))]
    worst = max(distance(a, b) for a, b in pairs)
    names = ["value", *(f"gradient of input {i}" for i in range(len(gradients)))]
    wrong = [f"{name} differs by {distance(a, b):.1e}" for name, (a, b) in zip(names, pairs) if not distance(a, b) <= BAR]
    return ", ".join(wrong) or None, worst


def main():
    program, verbose = sys.argv[1], "--verbose" in sys.argv
    kept = sys.argv[sys.argv.index("--save") + 1] if "--save" in sys.argv else None
    arrays, expected = {}, []
    for k, case in enumerate(CASES):
        inputs = inputs_of(case, k)
        expected.append(by_pytorch(case, inputs))
        arrays.update({f"{k}.x{i}": x for i, x in enumerate(inputs)}, **{f"{k}.W": expected[-1][2]})
    refused = sum(isinstance(case.expect, str) and case.expect != "same" for case in CASES)
    languages = {"C++": by_argand(program, CASES, arrays, kept)}
    if importlib.util.find_spec("argand") is not None:
        from op_python import by_python
        languages["Python"] = by_python(CASES, arrays)
    failed = 0
    for language, (outputs, errors) in languages.items():
        fail, worst = 0, 0
        for k, case in enumerate(CASES):
            wrong, off = fault(case, k, expected[k], outputs, errors.get(k))
            worst = max(worst, off)
            fail += wrong is not None
            if wrong or verbose:
                print(f"{language}: {case}: {wrong or (errors.get(k) or f'{off:.1e}')}")
        print(f"{language}: {len(CASES)} cases, {refused} of them refused; {fail} fail; the others agree to {worst:.1e}")
        failed += fail
    if len(languages) == 2:
        (ours, _), (python, _) = languages.values()
        off, bits = distances(ours, python)
        other = sorted(name for name, d in off.items() if not d <= SAME)
        for name in other:
            print(f"Python's {name} of {CASES[int(name.split('.')[0])]} differs by {off[name]:.1e}")
        print(f"{bits} of {len(ours)} arrays are bitwise equal in Python and C++; {len(other)} differ by more than {SAME:.0e}")
        failed += len(other)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
