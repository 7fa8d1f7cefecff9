"""Several ranks write the same files as one process, byte for byte; and if one rank fails, all of them end.

  ranks_test.py ARGAND_PROGRAM
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import ranks

argand = os.path.abspath(sys.argv[1])
if why := ranks.missing(argand):
    print(f"skipped: {why}")
    sys.exit(77)

TINY = "--n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --batch 2 --warmup 3 --dropout 0.1 --threads 1".split()
TEXT = [*TINY, "--length", "16"]
FOUR = ["--accumulate", "4", "--eval-batches", "8"]
# The run looks up passages in an index that is rebuilt as it trains, and has an auxiliary loss.
WINDOWS = "--family crat --irw-layers 0 --irw-passages 100 --irw-length 16 --irw-refresh 5 --irw-index hnsw".split()
LM = ["lm", *TEXT, *FOUR, "--steps", "12", "--eval-every", "5", "--checkpoint-every", "4"]
CLASSIFY = ["classify", *TINY, *FOUR, *"--optimizer muon --family qic --train-articles 200 --test-articles 40 --steps 10 --eval-every 4".split()]

failures, draw = [], random.Random(1)


def expect(good, what):
    if not good:
        failures.append(what)
        print(f"FAILED: {what}")


def trained(number, folder, arguments):
    result = ranks.run(argand, number, "train", *arguments, "--out", folder)
    expect(result.returncode == 0, f"{number} ranks: exit code {result.returncode}, {result.stderr}")
    return result


def same_files():
    for name, arguments, numbers in [("lm", LM, (1, 2, 4)), ("crat", [*LM, *WINDOWS], (2,)), ("classify", CLASSIFY, (2, 4))]:
        trained(0, f"{name}-0", arguments)
        wanted = ranks.contents(f"{name}-0")
        for number in numbers:
            result = trained(number, f"{name}-{number}", arguments)
            wrong = ranks.differences(wanted, f"{name}-{number}")
            expect(not wrong, f"{name}: {number} ranks write different files than one process: {', '.join(wrong)}")
            if number > 1:
                expect(f"{number} ranks of 1 thread\n" in result.stdout, f"{name}: the output does not mention {number} ranks:\n{result.stdout}")
            expect(result.stdout.count("steps of") == 1, f"{name}: printed more than once:\n{result.stdout}")


def one_line():
    """Mistakes are reported once, not by every rank."""
    for arguments, line in [
        (["lm", *TEXT, *FOUR, "--out", "none"], "--accumulate: 3 ranks cannot share the 4 batches of a step evenly; use a multiple of 3"),
        (["lm", *TEXT, "--accumulate", "3"], "train lm: missing --out RUN (to start) or --resume RUN (to continue)"),
        (["lm", "--trace-nan", "--out", "none"], "--trace-nan: runs in one process; start it without mpirun, and it stops at the same place"),
        (["lm", "--stepps", "3"], "train lm: unknown option --stepps; did you mean --steps? (see --help)"),
    ]:
        result = ranks.run(argand, 3, "train", *arguments)
        expect(result.returncode == 2 and ranks.our_lines(result) == ["argand: " + line], f"exit code {result.returncode}, {result.stderr}")
        expect(not os.path.exists("none"), "an invalid run created a folder")
    # The program is started by the launcher of another MPI implementation.
    result = ranks.run(argand, 0, "train", "lm", environment={"PMI_SIZE": "2"})
    expect(result.returncode == 2 and "mpirun: 2 processes were started, but MPI reports 1" in result.stderr, result.stderr)


def not_finite():
    """When the loss is no longer finite, all ranks end with the message of a single process."""
    arguments = ["train", "lm", *TEXT, *FOUR, "--steps", "9", "--lr", "1e30", "--clip", "0", "--out"]
    wanted, found = ranks.run(argand, 0, *arguments, "nan-0"), ranks.run(argand, 2, *arguments, "nan-2")
    expect(wanted.returncode == 3 and found.returncode == 3, f"exit codes {wanted.returncode} and {found.returncode}")
    expect("became" in wanted.stderr and [line.replace("nan-2", "nan-0") for line in ranks.our_lines(found)] == ranks.our_lines(wanted),
           f"{wanted.stderr} and {found.stderr}")


def others_wait_asleep(process, folder):
    """While one rank is stopped, the others use almost no processor time."""
    of = ranks.processes(folder)
    expect(sorted(of) == [0, 1, 2], f"ranks {of}")

    def seconds(rank):
        fields = pathlib.Path(f"/proc/{of[rank]}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    os.kill(of[1], signal.SIGSTOP)
    time.sleep(0.5)
    before = seconds(0) + seconds(2)
    time.sleep(2)
    spent = seconds(0) + seconds(2) - before
    os.kill(of[1], signal.SIGCONT)
    expect(spent < 1, f"two ranks that waited 2 s took {spent:.2f} s of processor time")


def killed_and_resumed():
    """If one rank is killed, all of them end; the run continues with any number of ranks, or as one process."""
    arguments = ["lm", *TEXT, "--accumulate", "6", *"--steps 60 --eval-every 20 --checkpoint-every 7 --eval-batches 2".split()]
    trained(0, "whole", arguments)
    wanted = ranks.contents("whole")
    going_on = [arguments + ["--out", "killed"]] + 3 * [["lm", "--threads", "1", "--resume", "killed"]]
    for number, how, step in [(3, going_on[0], 9), (2, going_on[1], 25), (3, going_on[2], 40)]:
        process = subprocess.Popen(ranks.command(argand, number, ["train", *how]), env=ranks.ENVIRONMENT, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        if not ranks.wait_for_step(process, "killed", step):
            expect(process.wait() == 0, "the run failed before it was killed")
            continue
        if step == 9:
            others_wait_asleep(process, "killed")
        of = ranks.processes("killed")
        if not of:
            expect(process.wait() == 0, "the run failed before it was killed")  # the run finished before its ranks were looked up
            continue
        victim = draw.choice(sorted(of))
        os.kill(of[victim], signal.SIGKILL)
        begin = time.monotonic()
        text = process.communicate(timeout=60)[1]
        seconds = time.monotonic() - begin
        print(f"rank {victim} of {number} was killed; all ranks had ended {seconds:.1f} s later")
        expect(process.returncode != 0 and f"rank {victim}" in text and "Killed" in text, f"exit code {process.returncode}, {text}")
        expect(seconds < 15, f"the ranks took {seconds:.1f} s to end after rank {victim} was killed")
        expect(not ranks.processes("killed"), "a rank is still running")
    result = ranks.run(argand, 0, "train", *going_on[3])
    expect(result.returncode == 0, result.stderr)
    wrong = ranks.differences(wanted, "killed")
    expect(not wrong, f"after kills and resumptions, these files differ: {', '.join(wrong)}")


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    for test in (same_files, one_line, not_finite, killed_and_resumed):
        begin = time.monotonic()
        test()
        print(f"{test.__name__}: {time.monotonic() - begin:.1f} s")
sys.exit(1 if failures else 0)
