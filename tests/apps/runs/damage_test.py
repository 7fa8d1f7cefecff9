"""A run whose files were damaged, replaced or written by two processes at once is either refused in one line, or continues with everything that is
still readable.

  damage_test.py ARGAND_PROGRAM FOLDER_OF_OLD_RUNS
"""
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

argand, old_runs = (os.path.abspath(path) for path in sys.argv[1:])
failures = []
TINY = "--n-layers 1 --d-model 8 --n-heads 2 --d-ff 8 --length 8 --batch 2 --warmup 1 --threads 1".split()


def expect(rule, text):
    if not rule:
        failures.append(text)


def run(*arguments, **more):
    return subprocess.run([argand, *arguments], capture_output=True, text=True, check=False, **more)


def contents(folder):
    """Returns, for each file name, the bytes and the time of the last change."""
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            found[name] = file.read(), os.stat(path).st_mtime_ns
    return found


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def refused(done, what, text=None):
    """Expects a failure reported in one line, which must contain `text`."""
    expect(done.returncode != 0, f"{what}: accepted")
    expect(done.stderr.count("\n") == 1 and done.stderr.startswith("argand: "), f"{what}: says {done.stderr!r}")
    expect(text is None or text in done.stderr, f"{what}: says {done.stderr!r}, not {text!r}")


def changed_metadata(data, change):
    """The checkpoint with changed metadata and no checksum, as if edited by hand."""
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = header["__metadata__"]
    for key in ("checksum", "checksum_algorithm"):
        metadata.pop(key, None)
    change(metadata)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + length:]


def flipped_bits(folder):
    last = os.path.join(folder, "last.safetensors")
    with open(last, "rb") as file:
        good = file.read()
    others = [["eval", last], ["generate", last, "--prompt", "mary"], ["inspect", last], ["export", last, "--npz", folder + ".npz"],
              ["report", folder, "--out", folder + ".html"], ["graph", "--run", last]]
    draw = random.Random(9)
    header = 8 + struct.unpack("<Q", good[:8])[0]
    places = [draw.randrange(8 * len(good)) for _ in range(150)] + [draw.randrange(8 * header) for _ in range(50)]
    accepted = 0
    for number, place in enumerate(places):
        bad = bytearray(good)
        bad[place // 8] ^= 1 << place % 8
        write(last, bad)
        before = contents(folder)
        done = run("train", "lm", "--resume", folder)
        accepted += done.returncode == 0
        refused(done, f"bit {place} flipped")
        if place // 8 >= header:
            expect("is damaged: its checksum does not match" in done.stderr, f"bit {place} of the data: {done.stderr}")
        expect(contents(folder) == before, f"bit {place} flipped: the folder was modified")
        if number % 10 == 0:
            for command in others:
                refused(run(*command), f"{command[0]} with bit {place} flipped")
    expect(not os.path.exists(folder + ".npz") and not os.path.exists(folder + ".html"), "a damaged checkpoint was exported")
    # A damaged checksum key must not make the file look like one without a checksum.
    for key in (b'"checksum"', b'"checksum_algorithm"'):
        for bit in range(8 * 8):
            bad = bytearray(good)
            bad[good.index(key) + 1 + bit // 8] ^= 1 << bit % 8
            write(last, bad)
            if bit % 8 == bit // 8:  # tests one bit of each character
                refused(run("inspect", last), f"bit {bit} of the key {key}")
    write(last, good)
    print(f"{len(places)} bits flipped, {accepted} accepted")


def made_up_state(folder):
    last = os.path.join(folder, "last.safetensors")
    with open(last, "rb") as file:
        good = file.read()

    def config(section, key, value):
        def change(metadata):
            everything = json.loads(metadata["config"])
            (everything[section] if section else everything)[key] = value
            metadata["config"] = json.dumps(everything)
        return change

    def entry(key, value):
        return lambda metadata: metadata.update({key: value})

    cases = [(entry("step", "-1"), "step -1 is invalid for a run of"), (entry("step", "nan"), 'step is "nan", not a number'),
             (entry("best_valid", "nan"), "best_valid nan"), (entry("best_valid", "-1"), "best_valid -1"),
             (entry("best_valid", "inf"), "best_valid inf at best_step"), (entry("best_step", "-3"), "at best_step -3"),
             (entry("best_step", "99"), "at best_step 99"), (entry("optimizer_steps", "3"), "the optimizer has taken 3 steps"),
             (entry("optimizer_steps", "-1"), "the optimizer has taken -1 steps"),
             (config("optimizer", "compmex_moments", "two"), 'unknown key "compmex_moments"; did you mean complex_moments?'),
             (config("training", "stepz", 3), 'unknown key "stepz"; did you mean steps?'),
             (config("model", "d_modle", 3), 'has no key "d_modle"'), (config("", "modle", {}), 'unknown key "modle"'),
             (config("training", "lr", -1), "the learning rate must be positive"), (config("training", "batch", 0), "must be at least 1"),
             (config("training", "clip", -1), "must not be negative"), (config("optimizer", "beta1", 1.5), "beta1 must be in [0, 1)"),
             (config("model", "dropout", -0.5), "dropout must be in [0, 1)"), (config("optimizer", "eps", 0), "eps must be positive")]
    for change, text in cases:
        write(last, changed_metadata(good, change))
        before = contents(folder)
        refused(run("train", "lm", "--resume", folder), text, text)
        expect(contents(folder) == before, f"{text}: the folder was modified")
    write(last, changed_metadata(good, lambda metadata: None))
    expect(run("inspect", last).returncode == 0, "a checkpoint without a checksum was refused")
    write(last, good)


def other_words(folder):
    path = os.path.join(folder, "vocab.txt")
    with open(path, "rb") as file:
        good = file.read()
    words = good.split(b"\n")
    words[3], words[4] = words[4], words[3]
    write(path, b"\n".join(words))
    for command in (["eval", folder], ["generate", folder, "--prompt", "mary"], ["report", folder]):
        refused(run(*command), f"{command[0]} with two words exchanged", "is not the vocabulary that")
    refused(run("train", "lm", "--resume", folder), "--resume with two words exchanged", "is not the vocabulary that")
    write(path, good)


def other_data():
    text = "the cat sees the dog and the dog sees the cat .\n" * 40
    os.mkdir("data")
    for part in ("train", "valid", "test"):
        write(f"data/{part}.txt", text.encode())
    whole = run("train", "lm", "--data", "data", "--out", "whole", "--steps", "6", *TINY)
    expect(whole.returncode == 0, f"training on a text: {whole.stderr}")
    run("train", "lm", "--data", "data", "--out", "part", "--steps", "6", "--checkpoint-every", "3", *TINY)
    shutil.copy("part/step-3.safetensors", "part/last.safetensors")
    for part in ("train", "valid"):
        write(f"data/{part}.txt", (text + "the dog sees the dog .\n").encode())
        before = contents("part")
        refused(run("train", "lm", "--resume", "part"), f"--resume after {part}.txt changed", "do not match the training data of")
        expect(contents("part") == before, f"--resume after {part}.txt changed modified the folder")
        write(f"data/{part}.txt", text.encode())
    os.rename("data", "moved")
    done = run("train", "lm", "--resume", "part", "--data", "moved")
    expect(done.returncode == 0, f"--resume with the data elsewhere: {done.stderr}")


def damaged_log(folder):
    shutil.copy(os.path.join(folder, "step-4.safetensors"), os.path.join(folder, "last.safetensors"))
    log = os.path.join(folder, "log.jsonl")
    with open(log, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["step"] <= 4]
    damaged = lines[:]
    damaged[1] = b"\x00\xff" + damaged[1][2:]
    write(log, b"".join(damaged) + b'{"step":9,"lo')
    done = run("train", "lm", "--resume", folder, "--threads", "1")  # a different number of threads would be reported in another line
    expect(done.returncode == 0, f"--resume with a damaged line in the log: {done.stderr}")
    expect(done.stderr == f"argand: log: 1 line of {log} cannot be read and stays as it is\n", f"the damaged line: {done.stderr!r}")
    with open(log, "rb") as file:
        after = file.read().splitlines(keepends=True)
    expect(after[:len(kept)] == damaged[:len(kept)] and len(after) == len(lines), "lines of the log were lost")


def two_at_once():
    """However many processes overwrite a run at once, one trains, the others are refused, and one complete run remains."""
    for turn in range(4):
        begun = [subprocess.Popen([argand, "train", "lm", "--overwrite", "--out", "contested", "--steps", "300", *TINY],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(4)]
        ends = [(p.communicate()[1], p.returncode) for p in begun]
        winners = [text for text, code in ends if code == 0]
        expect(len(winners) >= 1, f"no process trained: {ends}")
        for text, code in ends:
            expect(code == 0 or text == "argand: train: contested is in use: another process is training in that folder\n", f"{text!r}")
        expect(not [name for name in os.listdir("contested") if ".tmp-" in name], "temporary files were left behind")
        with open("contested/log.jsonl", encoding="utf8") as file:
            steps = [json.loads(line)["step"] for line in file if '"loss"' in line]
        expect(steps == list(range(1, 301)), "the log is not that of a single run")
        expect(run("train", "lm", "--resume", "contested").stdout.startswith("contested has already taken all its 300 steps; "), "the run is incomplete")


def old_files(old_run):
    """A run that an older version stopped half-way, and its log up to the end: every command reads it, and --resume ends with the older version's
    loss."""
    name = os.path.basename(old_run)
    task = "classify" if os.path.exists(os.path.join(old_run, "classes.txt")) else "lm"
    shutil.copytree(old_run, name)
    os.chmod(name, 0o755)
    uses = [["inspect", name], ["eval", name], ["report", name]]
    uses.append(["generate", name, "--prompt", "mary", "--tokens", "3"] if task == "lm" else ["classify", name])
    for command in uses:
        done = run(*command, input="a storm at sea\n")
        expect(done.returncode == 0 and done.stderr == "", f"{command[0]} of an old {name}: {done.stdout} {done.stderr}")
    done = run("train", task, "--resume", name)
    expect(done.returncode == 0 and done.stderr == "", f"--resume of an old {name}: {done.stderr}")
    with open(f"{name}/last.safetensors", "rb") as file:
        last = file.read()
    expect(b'"checksum":"' in last, f"a resumed old {name} gets no checksums")
    # The old run did not record its validation protocol, so the resumed run keeps the one that was the default then.
    expect(task != "lm" or rb'\"eval_protocol\": \"full-blocks\"' in last, f"a resumed old {name} changes its protocol")
    ends = []
    for folder in (old_run, name):
        with open(os.path.join(folder, "log.jsonl"), encoding="utf8") as file:
            ends.append([json.loads(line) for line in file if '"valid_loss"' in line][-1])
    expect(ends[0]["step"] == ends[1]["step"] == 4 and abs(ends[0]["valid_loss"] / ends[1]["valid_loss"] - 1) < 1e-6,
           f"a resumed old {name} ends with a different loss: {ends}")


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    made = run("train", "lm", "--out", "run", "--steps", "8", "--checkpoint-every", "4", "--eval-every", "4", *TINY)
    expect(made.returncode == 0, f"training the run failed: {made.stderr}")
    flipped_bits("run")
    # The run has taken all its steps, so this goes back to step 4 to give --resume something to do.
    shutil.copy("run/step-4.safetensors", "run/last.safetensors")
    made_up_state("run")
    other_words("run")
    damaged_log("run")
    other_data()
    two_at_once()
    for folder in sorted(os.listdir(old_runs)):
        old_files(os.path.join(old_runs, folder))

for failure in failures[:20]:
    print(failure)
sys.exit(f"{len(failures)} failures" if failures else 0)
