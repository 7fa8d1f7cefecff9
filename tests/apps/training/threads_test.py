"""Training gives the same file with 1, 2 and 3 threads, for every family and with each of OpenBLAS's kernel families that this machine can run.

  threads_test.py ARGAND_PROGRAM
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parent.parent.parent))
import coretypes

argand = os.path.abspath(sys.argv[1])
families = ["transformer", "complexformer", "crope", "crat", "qic"]
# A small model whose products are still large enough to be split among threads, trained with dropout and clipping.
settings = ["--steps", "5", "--warmup", "0", "--batch", "8", "--length", "64", "--n-layers", "1", "--d-model", "64", "--d-ff", "256",
            "--dropout", "0.1", "--clip", "0.5"]


def trained(folder, coretype, family, threads):
    out = pathlib.Path(folder) / f"{coretype}-{family}-{threads}"
    subprocess.run([argand, "train", "lm", "--family", family, *settings, "--threads", str(threads), "--out", out], check=True,
                   env={**os.environ, "OPENBLAS_CORETYPE": coretype}, stdout=subprocess.DEVNULL)
    return (out / "last.safetensors").read_bytes()


failures, compared = [], 0
with tempfile.TemporaryDirectory() as temporary:
    for kernels in coretypes.runnable():
        for model in families:
            one = trained(temporary, kernels, model, 1)
            for number in (2, 3):
                compared += 1
                if trained(temporary, kernels, model, number) != one:
                    failures.append(f"{model} with {kernels} kernels: {number} threads give different weights than one")
print(f"{compared} files compared")
if failures:
    sys.exit("\n".join(failures))
