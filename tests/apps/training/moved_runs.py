"""Moves, replaces, removes and mounts over the folder of a run while it trains. The run must continue in its own folder, or end with one line if the
folder is gone, and must not touch another run's files.

  python3 tests/apps/training/moved_runs.py build/apps/argand [TRIES [SEED]]       TRIES: 20 by default, as in the regular checks
"""
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from run_files import contents, differences

argand = os.path.abspath(sys.argv[1])
tries = int(sys.argv[2]) if len(sys.argv) > 2 else 20
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
COMMAND = "train lm --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --length 16 --batch 2 --warmup 5 --eval-every 40 --eval-batches 4 --checkpoint-every 4 --keep 2 --threads 1".split()
STEPS = 160


def start(folder, seed):
    return subprocess.Popen([argand, *COMMAND, "--steps", str(STEPS), "--seed", str(seed), "--out", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def steps_of(folder):
    try:
        with open(os.path.join(folder, "log.jsonl"), "rb") as log:
            return log.read().count(b"\n")
    except OSError:
        return 0


def mounts():
    """Whether this process may mount a file system."""
    os.makedirs("mount", exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "none", "mount"], capture_output=True, check=False).returncode == 0
    if done:
        subprocess.run(["umount", "mount"], check=True)
    os.rmdir("mount")
    return done


# What may happen to the folder `run`. Each function returns where the run's own files are afterwards, or None if they are gone.
def moved():
    os.rename("run", "old")
    return "old"


def moved_twice():
    os.rename("run", "between")
    time.sleep(draw.uniform(0, 0.02))
    os.makedirs("elsewhere", exist_ok=True)
    os.rename("between", "elsewhere/old")
    return "elsewhere/old"


def removed():
    shutil.rmtree("run", ignore_errors=True)
    while os.path.exists("run"):  # the run may create a file during the removal
        shutil.rmtree("run", ignore_errors=True)
    return None


def linked():
    """The run was started through a symbolic link, which is then redirected."""
    os.unlink("run")
    return "linked"


def covered():
    subprocess.run(["mount", "-t", "tmpfs", "none", "run"], check=True)
    return "covered"


def one_try(happens, other):
    """Runs one case. `other` is what then takes the folder's name: a new run, a finished one, or nothing. Returns None if the run ended too early."""
    for left in ("run", "old", "elsewhere", "linked", "finished"):
        (os.unlink if os.path.islink(left) else lambda path: shutil.rmtree(path, ignore_errors=True))(left)
    if happens is linked:
        os.mkdir("linked")
        os.symlink("linked", "run")
    first, wait_for = start("run", 0), draw.randrange(2, STEPS - 20)
    second = None
    try:
        while steps_of("run") < wait_for and first.poll() is None:
            time.sleep(0.0005)
        if first.poll() is not None:
            return None
        own = happens()
        if other == "finished":
            shutil.copytree("other", "run", dirs_exist_ok=happens is covered)
        elif other == "new":
            second = start("run", 1)
        line = first.communicate(timeout=120)[1]
        if own is None:
            expect(first.returncode == 0 or line.count("\n") == 1, f"the run that lost its folder ended with {first.returncode} and {line!r}")
        else:
            expect(first.returncode == 0, f"the run ended with {first.returncode}: {line}")
        if second is not None:
            line = second.communicate(timeout=120)[1]
            expect(second.returncode == 0, f"the run that took the name ended with {second.returncode}: {line}")
        there = contents("run") if os.path.isdir("run") else {}
        expect(not differences(wanted[1] if other else {}, there), f"{happens.__name__}, then {other}: these files differ: {differences(wanted[1] if other else {}, there)}")
        if happens is covered:
            subprocess.run(["umount", "run"], check=True)
            own = "run"
        if own is not None:
            expect(not differences(wanted[0], contents(own)), f"{happens.__name__}: the run's own files differ: {differences(wanted[0], contents(own))}")
    finally:
        for process in (first, second):
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
        if happens is covered:
            subprocess.run(["umount", "run"], capture_output=True, check=False)
    return True


failures = []


def expect(holds, text):
    if not holds:
        failures.append(text)
        print(text, flush=True)


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    wanted = []
    for seed, name in enumerate(("whole", "other")):
        expect(start(name, seed).wait() == 0, "an undisturbed run fails")
        wanted.append(contents(name))
    all_of_them = [moved, moved_twice, removed, linked] + ([covered] if mounts() else [])
    counts = collections.Counter()
    while sum(counts.values()) < tries and len(failures) < 10:
        happens, other = draw.choice(all_of_them), draw.choice(["new", "finished", None])
        if one_try(happens, other):
            counts[f"{happens.__name__}, {other or 'nothing'} in its place"] += 1
    for name, count in sorted(counts.items()):
        print(f"{count:4} {name}")
    print(f"{sum(counts.values())} tries, {len(failures)} failures")
sys.exit(1 if failures else 0)
