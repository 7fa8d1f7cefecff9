"""Runs a test program with each family of OpenBLAS's kernels that this processor supports.

  coretypes_test.py START_PROBE TEST_PROGRAM ARGUMENTS...
"""
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent.parent))
import coretypes

probe, command = sys.argv[1], sys.argv[2:]
failed, tried = [], 0
for coretype in coretypes.runnable():
    environment = {**os.environ, "OPENBLAS_CORETYPE": coretype}
    told = subprocess.run([probe, coretype], env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    running = next(line.split()[1] for line in told if line.startswith("running "))
    if running != coretype:
        print(f"{coretype}: skipped, this OpenBLAS uses {running} instead")
        continue
    tried += 1
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    print(f"{coretype}: {'passes' if run.returncode == 0 else 'FAILS'}")
    if run.returncode != 0:
        failed.append(coretype)
        print(run.stdout[-4000:] + run.stderr[-4000:])
if failed:
    sys.exit(f"failed with {', '.join(failed)}")
if coretypes.flags() and tried == 0:
    sys.exit("no kernel family was tested")
