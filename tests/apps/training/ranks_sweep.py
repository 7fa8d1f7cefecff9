"""Trains all families for 50 steps with 1 to 4 threads and with 1, 2 and 4 ranks of mpirun, and expects the same last checkpoint each time, byte for
byte. Then kills random ranks at random moments, continues with another number of ranks, and expects the files of an uninterrupted run. This takes
too long for the regular checks (ranks_test.py does part of it); run it whenever anything about gradients, ranks or checkpoints changes:

  python3 tests/apps/training/ranks_sweep.py build/apps/argand [KILLS [SEED]]
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import ranks

argand = os.path.abspath(sys.argv[1])
kills = int(sys.argv[2]) if len(sys.argv) > 2 else 20
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
if why := ranks.missing(argand):
    sys.exit(why)

FAMILIES = ["transformer", "complexformer", "crope", "crat", "crat --irw-layers 0 --irw-passages 100 --irw-length 16", "qic"]
COMMON = "--n-layers 1 --d-model 32 --n-heads 2 --d-ff 32 --warmup 5 --dropout 0.1 --clip 0.5 --eval-every 25 --eval-batches 8".split()
# The tasks use different optimisers. Each step takes 4 batches of 2 rows, which 1, 2 or 4 ranks share.
TASKS = {
    "lm": ["lm", *COMMON, *"--length 32 --batch 2 --accumulate 4 --steps 50 --optimizer adamw".split()],
    "classify": ["classify", *COMMON, *"--train-articles 400 --test-articles 40 --batch 2 --accumulate 4 --steps 50 --optimizer muon".split()],
}
KILLED = ["lm", *COMMON, *"--length 32 --batch 2 --accumulate 12 --steps 90 --checkpoint-every 3 --threads 1".split()]


def trained(folder, number, arguments):
    result = ranks.run(argand, number, "train", *arguments, "--out", folder)
    if result.returncode != 0:
        sys.exit(f"{number} ranks, {' '.join(arguments)}: {result.stderr}")
    return ranks.contents(folder)


def compare():
    """Returns how many files were compared, and how many of them differed."""
    compared = different = 0
    for task, options in TASKS.items():
        for family in FAMILIES:
            arguments = [*options, "--family", *family.split()]
            wanted = trained("whole", 0, [*arguments, "--threads", "1"])
            ways = [(0, threads) for threads in (2, 3, 4)] + [(number, 1) for number in (1, 2, 4)] + [(2, 2)]
            for number, threads in ways:
                found = trained("other", number, [*arguments, "--threads", threads])
                wrong = [name for name in wanted if wanted[name] != found.get(name)]
                compared += 1
                different += bool(wrong)
                if wrong:
                    print(f"{task} {family}: {number} ranks of {threads} threads differ in {', '.join(wrong)}", flush=True)
                shutil.rmtree("other")
            shutil.rmtree("whole")
            print(f"{task} {family}: compared with {len(ways)} other ways", flush=True)
    return compared, different


def kill():
    """Returns the numbers of kills, of finished runs, and of finished runs whose files differed, and the longest wait for all ranks to end."""
    begin = time.monotonic()
    wanted = trained("whole", 0, KILLED)
    seconds = time.monotonic() - begin
    done = runs = different = 0
    longest, number, numbers = 0.0, 0, []
    while done < kills or os.path.exists("killed"):
        number = draw.choice([n for n in (1, 2, 3, 4) if n != number])
        numbers.append(number)
        begun = os.path.exists("killed/last.safetensors")
        how = ["lm", "--threads", "1", "--resume", "killed"] if begun else [*KILLED, "--overwrite", "--out", "killed"]
        process = subprocess.Popen(ranks.command(argand, number, ["train", *how]), env=ranks.ENVIRONMENT, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        if done < kills:
            while process.poll() is None and not ranks.processes("killed"):
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 0.6 * seconds))
            victims = ranks.processes("killed")
            if process.poll() is None and victims:
                os.kill(victims[draw.choice(sorted(victims))], signal.SIGKILL)
                killed = time.monotonic()
                process.communicate(timeout=60)
                longest = max(longest, time.monotonic() - killed)
                if process.returncode == 0:
                    sys.exit("a rank was killed, but mpirun did not notice")
                if left := ranks.processes("killed"):
                    sys.exit(f"ranks {sorted(left)} still run after another rank was killed")
                done += 1
                continue
        text = process.communicate()[1]
        if process.returncode != 0:
            sys.exit(f"after {done} kills the program ended with exit code {process.returncode}: {text}")
        runs += 1
        if wrong := ranks.differences(wanted, "killed"):
            different += 1
            print(f"run {runs} differs in {', '.join(wrong)}")
        shutil.rmtree("killed")
    return done, runs, different, longest, numbers


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    compared, unequal = compare()
    print(f"{compared} runs compared file by file with runs of one thread without mpirun, {unequal} different", flush=True)
    done, runs, different, longest, numbers = kill()
    print(f"{done} kills of a random rank, with {' '.join(map(str, numbers))} ranks; {runs} runs finished, {different} different; "
          f"after a kill all ranks had ended within {longest:.1f} s")
    sys.exit(unequal + different > 0)
