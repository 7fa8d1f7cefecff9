"""The pictures of the book are the output of the commands shown with them.

  pictures_test.py SOURCE_DIR ARGAND

Every docs/pictures/NAME.png is shown in a chapter, below the `argand portrait ... --out docs/pictures/NAME.png` command that made
it. The command is run again; because fonts differ between machines, up to 5 % of the samples may differ.
"""
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

source, argand = sys.argv[1:]
if shutil.which("gnuplot") is None:
    print("skipped: gnuplot is not installed")
    sys.exit(77)


def pixels(path):
    """Returns width, height and bytes per pixel of a PNG, and its pixels row by row (ISO/IEC 15948; 8 bits per sample, not
    interlaced)."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    place, packed = 8, b""
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        chunk = data[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
            assert depth == 8 and not interlaced, path
            step = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
        elif kind == b"IDAT":
            packed += chunk
        place += length + 12
    raw, row, rows = zlib.decompress(packed), bytearray(width * step), bytearray()
    for y in range(height):
        line = raw[y * (width * step + 1) : (y + 1) * (width * step + 1)]
        above, row = row, bytearray(line[1:])
        for x in range(len(row)):
            left, corner = (row[x - step], above[x - step]) if x >= step else (0, 0)
            if line[0] == 4:  # the Paeth filter predicts whichever of three neighbours is nearest to left + above - corner
                p = left + above[x] - corner
                guess = min((left, above[x], corner), key=lambda n: abs(p - n))
            else:
                guess = (0, left, above[x], (left + above[x]) // 2)[line[0]]
            row[x] = (row[x] + guess) & 255
        rows += row
    return (width, height, step), rows


failures, drawn = [], set()
folder = os.path.join(source, "docs")
for chapter in sorted(name for name in os.listdir(folder) if name.endswith(".md")):
    with open(os.path.join(folder, chapter), encoding="utf8") as file:
        text = file.read()
    for command, name in re.findall(r"^(argand .* --out docs/pictures/(\S+\.png))$", text, re.M):
        drawn.add(name)
        if f"](pictures/{name})" not in text[text.index(command) :]:
            failures.append(f"docs/{chapter} does not show pictures/{name} below its command")
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, name)
            subprocess.run([argand, *shlex.split(command)[1:-1], path], check=True)
            (shape, new), (old_shape, old) = pixels(path), pixels(os.path.join(folder, "pictures", name))
        if shape != old_shape:
            failures.append(f"docs/pictures/{name}: {old_shape}, but now {shape} (width, height, bytes per pixel)")
            continue
        apart = sum(abs(a - b) > 16 for a, b in zip(new, old)) / len(new)
        print(f"{name}: {100 * apart:.2f} % of the samples differ")
        if apart > 0.05:
            failures.append(f"docs/pictures/{name} differs from the output of `{command}` in {100 * apart:.0f} % of its samples")
kept = {name for name in os.listdir(os.path.join(folder, "pictures")) if name.endswith(".png")}
if drawn != kept or not drawn:
    failures.append(f"docs/pictures/ contains {sorted(kept)}, but the commands draw {sorted(drawn)}")
print(*failures, sep="\n")
sys.exit(bool(failures))
