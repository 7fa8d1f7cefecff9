"""`argand export`: opens its output with Python's zipfile, decodes it by hand, and loads it with NumPy if that is installed.

  export_test.py ARGAND_PROGRAM
"""
import ast
import csv
import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

argand = os.path.abspath(sys.argv[1])
failures = []


def expect(rule, text):
    if not rule:
        failures.append(text)


def run(*arguments):
    return subprocess.run([argand, *arguments], capture_output=True, text=True, check=False)


def stored(path):
    """Decodes a safetensors file by hand: returns name -> (dtype, shape, bytes), and the metadata."""
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    return {n: (h["dtype"], h["shape"], data[slice(*h["data_offsets"])]) for n, h in header.items()}, metadata


def array(npy):
    """Decodes an .npy file by hand: returns (descr, shape, bytes)."""
    expect(npy[:8] == b"\x93NUMPY\x01\x00", "an array does not begin like an .npy file")
    length, = struct.unpack("<H", npy[8:10])
    header = ast.literal_eval(npy[10:10 + length].decode("ascii"))
    expect((10 + length) % 64 == 0 and npy[9 + length:10 + length] == b"\n", "the header of an array is not aligned to 64 bytes")
    expect(header["fortran_order"] is False, "an array is not in C order")
    return header["descr"], list(header["shape"]), npy[10 + length:]


def check_npz(path, wanted, pairs):
    """Checks that the archive holds exactly `wanted`, as safetensors stores it; `pairs` names complex tensors that are stored as real ones."""
    descr = {"F32": "<f4", "F64": "<f8", "C64": "<c8", "I32": "<i4"}
    with zipfile.ZipFile(path) as archive:
        expect(archive.testzip() is None, f"{path}: a checksum is wrong")
        expect(sorted(archive.namelist()) == sorted(n + ".npy" for n in wanted), f"{path}: {archive.namelist()}")
        expect(all(i.compress_type == zipfile.ZIP_STORED for i in archive.infolist()), f"{path}: some members are compressed")
        for name, (dtype, shape, data) in wanted.items():
            as_numpy = ("<c16", shape[:-1], data) if name in pairs else (descr[dtype], shape, data)
            expect(array(archive.read(name + ".npy")) == as_numpy, f"{path}: {name} differs from the checkpoint")


def flat(value, name=""):
    """The numbers in a line of the log, by their exported names."""
    if isinstance(value, (dict, list)):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        return {k: v for key, entry in entries for k, v in flat(entry, f"{name}.{key}" if name else str(key)).items()}
    return {name: value} if isinstance(value, (int, float)) and not isinstance(value, bool) else {}


def single(number):
    """The number rounded to float32."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def masked_checksum(data):
    """The masked CRC-32C of TFRecords, computed with a table derived from the polynomial."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def fields(message):
    """The fields of a Protocol Buffers message: (number, value)."""
    at = 0

    def varint():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = message[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(message):
        number, kind = divmod(varint(), 8)
        length = {0: 0, 1: 8, 5: 4}.get(kind)
        if kind == 0:
            yield number, varint()
            continue
        length = varint() if kind == 2 else length
        data, at = message[at:at + length], at + length
        yield number, struct.unpack({8: "<d", 4: "<f"}[length], data)[0] if kind != 2 else data


def events(path):
    """Decodes the events of a TensorBoard file by hand: (second, step, version, scalars)."""
    with open(path, "rb") as file:
        data = file.read()
    found = []
    while data:
        length, check = struct.unpack("<QI", data[:12])
        event = data[12:12 + length]
        expect(check == masked_checksum(data[:8]) and struct.unpack("<I", data[12 + length:16 + length])[0] == masked_checksum(event),
               "a checksum of an event is wrong")
        parts = dict(fields(event))
        scalars = [dict(fields(value)) for number, value in fields(parts.get(5, b"")) if number == 1]
        found.append((parts[1], parts.get(2, 0), parts[3].decode() if 3 in parts else None, {s[1].decode(): s[2] for s in scalars}))
        data = data[16 + length:]
    return found


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    # crope has complex weights; last.safetensors also holds the optimizer's state.
    sizes = "--family crope --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --length 16 --batch 4 --warmup 1 --steps 2 --threads 1"
    for precision in ("float32", "float64"):
        made = run("train", "lm", *sizes.split(), "--precision", precision, "--out", precision)
        expect(made.returncode == 0, made.stderr)
    last = "float32/last.safetensors"
    whole, metadata = stored(last)
    parameters = {n: t for n, t in whole.items() if not n.startswith("optimizer.")}
    expect(any(t[0] == "C64" for t in parameters.values()) and len(parameters) < len(whole), "the run has no complex tensor or no optimizer state")

    done = run("export", last, "--npz", "a.npz", "--safetensors", "a.safetensors")
    expect(done.returncode == 0 and done.stdout == f"a.npz: {len(parameters)} tensors of {last}\na.safetensors: {len(parameters)} tensors of {last}\n",
           done.stdout + done.stderr)
    check_npz("a.npz", parameters, ())
    exported, exported_metadata = stored("a.safetensors")
    for name, (dtype, shape, data) in parameters.items():
        expect(exported[name] == (("F32", shape + [2], data) if dtype == "C64" else (dtype, shape, data)), f"a.safetensors: {name}")
    expect(set(exported) == set(parameters), "a.safetensors: wrong tensor names")
    expect(sorted(json.loads(exported_metadata["complex"])) == sorted(n for n, t in parameters.items() if t[0] == "C64"), "a.safetensors: complex")
    expect(exported_metadata["config"] == metadata["config"] and "optimizer_steps" not in exported_metadata, "a.safetensors: metadata")
    expect(run("inspect", "a.safetensors").returncode == 0, "argand cannot read its own export")

    expect(run("export", last, "--npz", "all.npz", "--with-optimizer").returncode == 0, "--with-optimizer fails")
    check_npz("all.npz", whole, ())
    with open("a.npz", "rb") as one:
        before = one.read()
    run("export", last, "--npz", "a.npz")
    with open("a.npz", "rb") as two:
        expect(two.read() == before, "equal tensors give different archives")

    double, metadata = stored("float64/last.safetensors")
    double = {n: t for n, t in double.items() if not n.startswith("optimizer.")}
    expect(run("export", "float64/last.safetensors", "--npz", "double.npz").returncode == 0, "float64 cannot be exported")
    check_npz("double.npz", double, json.loads(metadata["complex"]))

    # The numbers of a log, for spreadsheets and TensorBoard; the lines include nested values, a broken line and a string.
    with open("float32/log.jsonl", "a", encoding="utf-8") as log:
        log.write('{"step":4,"loss":1.5,"seconds":0.25,"theta":{"blocks.0":[1,2]}}\nno JSON\n{"step":4,"sample":"text alone"}\n')
    done = run("export", "float32", "--log", "log.csv", "--tensorboard", "events")
    expect(done.returncode == 0 and done.stderr == "argand: log: 1 line cannot be read and is left out\n", done.stderr)
    with open("float32/log.jsonl", encoding="utf-8") as log:
        lines = [flat(json.loads(line)) for line in log if line.startswith("{")]
    lines = [line for line in lines if len(line) > 1]
    with open("log.csv", encoding="utf-8", newline="") as table:
        rows = [{name: float(text) for name, text in row.items() if text} for row in csv.DictReader(table)]
    expect(rows == lines and rows[-1] == {"step": 4, "loss": 1.5, "seconds": 0.25, "theta.blocks.0.0": 1, "theta.blocks.0.1": 2},
           f"log.csv differs from the log: {rows}")
    times, seconds, before = [], 0.0, 0
    for line in lines:
        if "seconds" in line:
            seconds, before = seconds + (line["step"] - before) * line["seconds"], line["step"]
        times.append(seconds)
    file, *found = events("events/events.out.tfevents.0.argand")
    expect(file == (0.0, 0, "brain.Event:2", {}), f"the event file begins with {file}")
    wanted = [(t, line["step"], None, {k: single(v) for k, v in line.items() if k != "step"}) for t, line in zip(times, lines)]
    expect(found == wanted, f"events {found}, expected {wanted}")

    for arguments, code, line in (
        (("export", last), 2, "argand: export: no output file given: --npz FILE, --safetensors FILE, --log FILE, --tensorboard DIR\n"),
        (("export", last, "--safetensors", last), 2, f"argand: export: {last} is the input file; choose another\n"),
        (("export", last, "--npz", "x", "--safetensors", "x"), 2, "argand: export: --npz and --safetensors name the same file x\n"),
        (("export", "nowhere", "--npz", "x.npz"), 1, "argand: checkpoint: nowhere does not exist\n"),
        (("export", "float32", "--tensorboard", "log.csv"), 1, "argand: log: 1 line cannot be read and is left out\n"
         "argand: export: cannot create the folder log.csv: Not a directory\n"),
        (("export", "events", "--log", "x.csv"), 1, "argand: export: events has no log.jsonl with at least one step\n"),
    ):
        done = run(*arguments)
        expect((done.returncode, done.stderr) == (code, line), f"{arguments}: {done.returncode}, {done.stderr}")
    done = run("export", last, "--npz", "no/folder.npz")
    expect(done.returncode == 1 and done.stderr.count("\n") == 1 and "no/folder.npz" in done.stderr, done.stderr)
    expect(sorted(os.listdir(".")) == ["a.npz", "a.safetensors", "all.npz", "double.npz", "events", "float32", "float64", "log.csv"], f"left over: {os.listdir('.')}")

    for python in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        if subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode == 0:
            code = ("import json, numpy, sys\n"
                    "for path, wide in (('a.npz', 'complex64'), ('double.npz', 'complex128')):\n"
                    "    arrays = numpy.load(path)\n"
                    "    assert str(arrays['blocks.0.attn.q.weight'].dtype) == wide and arrays['blocks.0.attn.q.weight'].shape == (8, 8)\n"
                    "    assert all(numpy.isfinite(arrays[n]).all() for n in arrays.files)\n")
            seen = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
            expect(seen.returncode == 0, f"NumPy: {seen.stderr}")
            break
    else:
        print("skipped: numpy.load, because NumPy is not installed")

for text in failures:
    print(text)
sys.exit(len(failures) > 0)
