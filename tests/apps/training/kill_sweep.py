"""Kills training runs at random moments, goes on, and compares what they end in with a run that was never stopped, byte for byte.
Too long for the checks, which kill five times (resume_test.cpp); to be run when anything about checkpoints changes:

  python3 tests/apps/training/kill_sweep.py build/apps/argand [KILLS [SEED [TEXT]]]

TEXT: a file to learn from, letter by letter, with samples on the way and an early stop; the built-in corpus by default.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

argand = os.path.abspath(sys.argv[1])
kills = int(sys.argv[2]) if len(sys.argv) > 2 else 100
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
# A checkpoint or two every few steps: a kill often comes while files are written.
OPTIONS = ("--n-layers 1 --d-model 32 --n-heads 2 --d-ff 32 --length 32 --batch 4 --warmup 5 --threads 1 --dropout 0.1 "
           "--steps 120 --checkpoint-every 3").split()
OPTIONS += ["--eval-every", "30"] if len(sys.argv) < 5 else [
    "--data", os.path.abspath(sys.argv[4]), "--tokens", "char", *"--eval-every 5 --eval-batches 4 --sample-every 4 --sample-tokens 12 --early-stop 3 --lr 0.05".split()]


def contents(folder):
    """Name -> bytes; of the log what does not come from the clock."""
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    lines = [json.loads(line) for line in found["log.jsonl"].splitlines()]
    found["log.jsonl"] = [{k: v for k, v in line.items() if k not in ("seconds", "tokens_per_second", "peak_memory")} for line in lines]
    return found


def command(folder):
    """Goes on where there is something to go on from; a run that was killed before its first checkpoint begins anew."""
    if os.path.exists(os.path.join(folder, "last.safetensors")):
        return [argand, "train", "lm", "--threads", "1", "--resume", folder]
    return [argand, "train", "lm", "--overwrite", "--out", folder, *OPTIONS]


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    begin = time.monotonic()
    subprocess.run(command("whole"), stdout=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - begin
    wanted = contents("whole")
    done = runs = different = leftovers = 0
    while done < kills or os.path.exists("killed"):
        process = subprocess.Popen(command("killed"), stdout=subprocess.DEVNULL)
        if done < kills:
            try:
                process.wait(draw.uniform(0, 0.4 * seconds))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                done += 1
                leftovers += any(".tmp-" in name for name in os.listdir("killed")) if os.path.isdir("killed") else 0
                continue
        if process.wait() != 0:
            sys.exit(f"after {done} kills it ended with exit code {process.returncode}")
        runs += 1
        found = contents("killed")
        wrong = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
        if wrong:
            different += 1
            print(f"run {runs} differs in {', '.join(wrong)}")
        shutil.rmtree("killed")
    print(f"{done} kills, {leftovers} of them while a file was written; {runs} runs of {len(wanted)} files each, to step {wanted['log.jsonl'][-1]['step']}, {different} different")
    sys.exit(different > 0)
