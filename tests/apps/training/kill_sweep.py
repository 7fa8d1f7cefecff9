"""Kills runs at random moments, continues them, and compares their final files, byte for byte, with those of runs that were never stopped: language
models on the built-in corpus and on a text file, classifiers, runs that start from another run's weights, sweeps, ablations, and ranks if mpirun is
available. A third of them run under a clock that jumps. This takes too long for the regular checks, which kill five times (resume_test.cpp); run it
whenever anything about checkpoints changes:

  python3 tests/apps/training/kill_sweep.py build/apps/argand [KILLS [SEED [SCENARIO,...]]]
"""
import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import ranks
from run_files import contents, differences

argand = os.path.abspath(sys.argv[1])
kills = int(sys.argv[2]) if len(sys.argv) > 2 else 100
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
SIZES = "--n-layers 1 --d-model 32 --n-heads 2 --d-ff 32 --warmup 5 --dropout 0.1".split()
# Checkpoints are written every few steps, so that a kill often comes while files are being written.
SHORT = [*SIZES, *"--length 32 --batch 4 --steps 120 --checkpoint-every 3 --threads 1".split()]

# Broken clocks: the real-time clock differs between processes and jumps at random, even backwards; the monotonic clock runs 1000 times
# too fast.
WILD_CLOCK = r"""
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static _Atomic unsigned long calls;
int clock_gettime(clockid_t clock, struct timespec* t) {
  const int failed = (int)syscall(SYS_clock_gettime, clock, t);
  if (failed) return failed;
  const unsigned long call = calls++, h = (call * 2654435761u + (unsigned long)getpid() * 40503u) % 1000003u;
  if (clock == CLOCK_REALTIME) t->tv_sec = (long)(h * 4000 % 4000000000u);
  if (clock == CLOCK_MONOTONIC) t->tv_sec = t->tv_sec * 1000 + (long)(t->tv_nsec / 1000000);
  return 0;
}
time_t time(time_t* at) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (at) *at = t.tv_sec;
  return t.tv_sec;
}
"""


def training(task, out, options):
    """The command that starts a run or continues it. A run that was killed before its first checkpoint starts again."""
    if os.path.exists(os.path.join(out, "last.safetensors")):
        return ["train", task, "--threads", "1", "--resume", out]
    return ["train", task, "--overwrite", "--out", out, *options]


def text_options():
    with open("text.txt", "w", encoding="utf-8") as file:
        for i in range(400):
            file.write(f"The {draw.choice(['owl', 'pussy-cat', 'Jumblies', 'Dong'])} went to sea, {i} days and {draw.randrange(99)} nights.\n")
    return [*SHORT, *"--data text.txt --tokens char --eval-every 5 --eval-batches 4 --sample-every 4 --sample-tokens 12 --early-stop 3 --lr 0.05".split()]


def init_options():
    subprocess.run([argand, *training("lm", "parent", [*SHORT, "--eval-every", "60"])], stdout=subprocess.DEVNULL, check=True)
    return ["--init", "parent", *SHORT[len(SIZES):], "--data", "text.txt", "--eval-every", "30", "--lr", "1e-3"]


def scenarios():
    text = text_options()
    lm = [*SHORT, "--eval-every", "30"]
    classify = [*SIZES, *"--train-articles 200 --test-articles 40 --batch 4 --steps 120 --checkpoint-every 3 --eval-every 30 --threads 1".split()]
    init = init_options()
    one = [*SIZES, *"--length 16 --batch 4 --steps 24 --checkpoint-every 3 --eval-batches 4".split()]
    sizes = [f"--set={key}={value}" for key, value in {"d_model": 32, "n_layers": 1, "n_heads": 2, "d_ff": 32, "length": 16, "batch": 4, "checkpoint_every": 3, "eval_batches": 4}.items()]
    found = {
        "lm": lambda out: training("lm", out, lm),
        "text": lambda out: training("lm", out, text),
        "classify": lambda out: training("classify", out, classify),
        "init": lambda out: training("lm", out, init),
        "sweep": lambda out: ["sweep", "lm", "--lr", "1e-3,1e-2", "--seeds", "2", "--jobs", "2", *one, "--out", out],
        "ablate": lambda out: ["ablate", "complexformer", "--rows", "rope,fixed", "--seeds", "1", "--steps", "24", "--jobs", "2", *sizes, "--out", out],
        "ranks": lambda out: training("lm", out, [*SIZES, *"--length 32 --batch 2 --accumulate 12 --steps 60 --checkpoint-every 3 --eval-every 30 --threads 1".split()]),
    }
    if why := ranks.missing(argand):
        print(f"ranks are not tested: {why}")
        del found["ranks"]
    wanted = sys.argv[4].split(",") if len(sys.argv) > 4 else list(found)
    return {name: found[name] for name in wanted}


def start(arguments, number, preloaded):
    """Starts `number` ranks, or for 0 the program without mpirun, in their own process group. Only the program gets the wild clock, because mpirun
    hangs under it."""
    command = ranks.command(argand, number, arguments)
    at = command.index(argand)
    return subprocess.Popen([*command[:at], "env", *preloaded, *command[at:]], env=ranks.ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            text=True, preexec_fn=os.setpgrp)


def kill(process, number):
    """Kills the process, in half of the cases together with everything it started; with ranks, a random one of them. Returns what was killed, or None
    if the process had already ended."""
    victim = "process"
    if number > 0:
        victims = ranks.processes("killed")
        if process.poll() is not None or not victims:
            return None
        rank = draw.choice(sorted(victims))
        victim = f"rank {rank} of {number}"
        os.kill(victims[rank], signal.SIGKILL)
        if not ended(process):
            victim += " (then mpirun, which hung)"
        if process.returncode == 0:
            sys.exit("a rank was killed, but mpirun did not notice")
    elif process.poll() is not None:
        return None
    elif draw.random() < 0.5:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    else:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        victim = "process and its children"
    while any(p.name.isdigit() and works_here(p) for p in pathlib.Path("/proc").iterdir()):
        time.sleep(0.01)  # the runs of a killed sweep save before they end
    return victim


def ended(process):
    """Waits for mpirun after one of its ranks was killed. Returns False if mpirun had to be killed as well, because it hung although all ranks were
    gone, which can happen in Open MPI 4.1's PMIx_server_finalize."""
    try:
        process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        if left := ranks.processes("killed"):
            sys.exit(f"ranks {left} still run half a minute after another rank was killed")
        process.kill()
        process.communicate()
        return False
    return True


def works_here(process):
    try:
        return os.readlink(process / "cwd") == os.getcwd() and os.path.basename(os.readlink(process / "exe")) == "argand"
    except OSError:
        return False


class Scenario:
    def __init__(self, name, command, fake):
        self.name, self.command, self.fake = name, command, fake
        self.counts, self.victims = collections.Counter(), collections.Counter()
        begin = time.monotonic()
        subprocess.run([argand, *command("whole")], stdout=subprocess.DEVNULL, check=True)
        self.seconds = time.monotonic() - begin
        self.wanted = contents("whole", name == "ranks")
        shutil.rmtree("whole")

    def round(self, most):
        """Kills the run repeatedly, at most `most` times, until it finishes."""
        wild = draw.random() < 1 / 3
        preloaded = [f"LD_PRELOAD={self.fake}"] if wild else []
        killed = 0
        while True:
            number = draw.choice([1, 2, 3]) if self.name == "ranks" else 0
            process = start(self.command("killed"), number, preloaded)
            if killed < most:
                if number > 0:
                    while process.poll() is None and not ranks.processes("killed"):
                        time.sleep(0.01)
                time.sleep(draw.uniform(0, 0.5 * self.seconds))
                if victim := kill(process, number):
                    killed += 1
                    self.counts["kills"] += 1
                    self.victims[victim] += 1
                    self.counts["under a wild clock"] += wild
                    self.counts["while a file was written"] += os.path.isdir("killed") and any(".tmp" in p.name for p in pathlib.Path("killed").rglob("*"))
                    continue
            text = process.communicate()[1]
            if process.returncode != 0:
                sys.exit(f"{self.name}: after {killed} kills the program ended with exit code {process.returncode}: {text}")
            break
        self.counts["runs"] += 1
        found = contents("killed", self.name == "ranks")
        if wrong := differences(self.wanted, found):
            self.counts["different"] += 1
            print(f"{self.name}: run {self.counts['runs']} differs in {', '.join(wrong)}", flush=True)
            shutil.copytree("killed", os.path.join(tempfile.gettempdir(), f"different-{self.name}-{os.getpid()}"), dirs_exist_ok=True)
        shutil.rmtree("killed")


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    pathlib.Path("clock.c").write_text(WILD_CLOCK, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", "clock.so", "clock.c"], check=True)
    all_of_them = [Scenario(name, command, os.path.abspath("clock.so")) for name, command in scenarios().items()]
    total = collections.Counter()
    while total["kills"] < kills:
        for scenario in all_of_them:
            scenario.round(min(5, max(1, kills - total["kills"])))
            total = sum((s.counts for s in all_of_them), collections.Counter())
            print(f"{total['kills']} kills, {total['different']} different", flush=True)
    for scenario in all_of_them:
        print(f"{scenario.name}: {', '.join(f'{count} {what}' for what, count in scenario.counts.items())}; {len(scenario.wanted)} files;"
              f" killed: {', '.join(f'{count} {what}' for what, count in sorted(scenario.victims.items()))}")
    print(", ".join(f"{count} {what}" for what, count in total.items()))
    sys.exit(total["different"] > 0)
