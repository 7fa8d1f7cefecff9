"""Runs these tests with the Python that executes this script, if it has pytest.

  run_pytest.py FOLDER_WITH_THE_PACKAGE ARGAND_PROGRAM [PYTEST_OPTIONS]
"""
import importlib.util
import os
import subprocess
import sys
import tempfile

package, program, *options = sys.argv[1:]
if importlib.util.find_spec("pytest") is None:
    print("skipped: pytest is not installed for " + sys.executable)
    sys.exit(77)
here = os.path.dirname(os.path.abspath(__file__))
os.environ["PYTHONPATH"] = os.path.abspath(package)
os.environ["ARGAND_PROGRAM"] = os.path.abspath(program)
with tempfile.TemporaryDirectory() as temporary:  # Jupyter's kernels and the examples in docstrings leave files here
    os.environ["TMPDIR"] = temporary
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", here, *options], check=False)
sys.exit(done.returncode)
