"""Starts ranks of the program with Open MPI's mpirun, for tests. Two processors suffice for tests of 1, 2 and 4 ranks."""
import json
import os
import pathlib
import shutil
import subprocess
import time


def missing(argand):
    """Returns why ranks cannot be started here, or nothing if they can."""
    if shutil.which("mpirun") is None:
        return "mpirun is not installed (openmpi-bin)"
    beside = pathlib.Path(argand).resolve().parent
    if not any((folder / "libargand_mpi.so").exists() for folder in (beside, beside.parent / "train", beside.parent / "lib")):
        return "the program was built without MPI (libopenmpi-dev)"
    return None


# Allows mpirun to run as root, and with more ranks than processors (Open MPI 4 and 5).
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}


def command(argand, ranks, arguments):
    """The command for this number of ranks; 0 stands for one process without mpirun."""
    return (["mpirun", "-n", str(ranks)] if ranks > 0 else []) + [argand, *map(str, arguments)]


def run(argand, ranks, *arguments, environment=None, seconds=300):
    """Runs the program and returns exit code, standard output and error."""
    return subprocess.run(command(argand, ranks, arguments), capture_output=True, text=True, timeout=seconds,
                          env={**ENVIRONMENT, **(environment or {})})


def our_lines(result):
    """The program's own lines on standard error; the others are mpirun's, which writes pieces of them (spaces) before ours."""
    return [line.lstrip() for line in result.stderr.splitlines() if line.lstrip().startswith("argand: ")]


def contents(folder):
    """Returns the bytes of each file by its name; for the log, its lines without times, the line about the program, and numbers that each rank
    computes separately."""
    found = {file.name: file.read_bytes() for file in pathlib.Path(folder).iterdir()}
    lines = [json.loads(line) for line in found["log.jsonl"].splitlines()]
    found["log.jsonl"] = [{k: v for k, v in line.items() if k not in ("seconds", "tokens_per_second", "peak_memory", "flops")}
                          for line in lines if "made_by" not in line]
    return found


def differences(wanted, folder):
    """The names of the files whose contents differ."""
    found = contents(folder)
    return sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))


def processes(folder):
    """The process id of each rank that trains in the folder."""
    found = {}
    for process in pathlib.Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if os.path.basename(words[0]) != b"argand" or str(folder).encode() not in words:
                continue
            for entry in (process / "environ").read_bytes().split(b"\0"):
                if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                    found[int(entry.partition(b"=")[2])] = int(process.name)
        except (OSError, IndexError):
            continue
    return found


def steps_done(folder):
    try:
        return (pathlib.Path(folder) / "log.jsonl").read_bytes().count(b"\"lr\"")
    except OSError:
        return 0


def wait_for_step(process, folder, step):
    """Waits; returns whether the run reached this step while it was still running."""
    while process.poll() is None:
        if steps_done(folder) >= step:
            return True
        time.sleep(0.01)
    return False
