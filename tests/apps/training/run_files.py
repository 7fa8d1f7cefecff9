"""The files that a run has written, in a form that can be compared byte for byte."""
import json
import pathlib
import re

CLOCK = ("seconds", "tokens_per_second", "peak_memory")


def contents(folder, with_ranks=False):
    """Returns the bytes of each file by its path; for logs, the lines without values that depend on the clock."""
    found = {}
    for file in sorted(pathlib.Path(folder).rglob("*")):
        if not file.is_file():
            continue
        name = str(file.relative_to(folder))
        found[name] = file.read_bytes()
        if file.name == "log.jsonl":
            lines = [json.loads(line) for line in found[name].splitlines()]
            drop = {*CLOCK, "flops"} if with_ranks else set(CLOCK)
            found[name] = [{k: v for k, v in line.items() if k not in drop} for line in lines if not (with_ranks and "made_by" in line)]
        if re.fullmatch(r"seed-\d+\.txt", file.name):  # the output of a run in a sweep, which also says whether it was resumed
            del found[name]
    return found


def differences(wanted, found):
    """The names of the files whose contents differ."""
    return sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
