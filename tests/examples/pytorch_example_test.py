"""The two-language example prints tests/examples/11_to_pytorch_and_back.py.txt. Skipped without PyTorch.

  pytorch_example_test.py SOURCE_DIR PROGRAM
"""
import os
import subprocess
import sys

try:
    import torch  # only to see whether it is installed
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(77)

source, program = sys.argv[1:]
name = os.path.basename(program)
example = os.path.join(source, "examples", name + ".py")
run = subprocess.run([sys.executable, example, program], capture_output=True, text=True, check=False)
with open(os.path.join(source, "tests", "examples", name + ".py.txt"), encoding="utf8") as file:
    expected = file.read()
if run.returncode != 0 or run.stdout != expected:
    print(f"exit status {run.returncode}", run.stderr, "printed:", run.stdout, "expected:", expected, sep="\n")
    sys.exit(1)
