"""Reads and writes safetensors files as argand does (data/files/safetensors.h), using only PyTorch and NumPy.

    tensors, metadata = load("runs/first/best.safetensors")
    save("changed.safetensors", tensors, metadata)

complex64 is the format's C64, which the package `safetensors` supports since version 0.7.0. complex128, which the format lacks, is
F64 with a trailing axis of 2 and its name in the metadata: `complex`, a JSON list.
"""
import json
import os
import struct

import numpy as np
import torch

DTYPES = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "C64": np.complex64, "I64": np.int64, "I32": np.int32}
NAMES = {v: k for k, v in DTYPES.items()}


def save(path, tensors, metadata=None):
    """tensors: name -> torch.Tensor; metadata: str -> str. Replaces the file at `path` atomically."""
    header, blobs, offset, pairs = {}, [], 0, []
    for name, t in tensors.items():
        t = t.detach().cpu()
        if t.dtype == torch.complex128:
            pairs.append(name)
            t = torch.view_as_real(t.resolve_conj())
        a = np.ascontiguousarray(t.resolve_conj().numpy()).reshape(tuple(t.shape))
        if a.dtype.type not in NAMES:
            raise TypeError(f"{name} is {t.dtype}; a file can hold float64, float32, float16, complex128, complex64, int64, int32")
        header[name] = dict(dtype=NAMES[a.dtype.type], shape=list(a.shape), data_offsets=[offset, offset + a.nbytes])
        blobs.append(a.tobytes())
        offset += a.nbytes
    header["__metadata__"] = {**(metadata or {}), "complex": json.dumps(pairs)}
    raw = json.dumps(header).encode()
    raw += b" " * (-len(raw) % 8)
    with open(path + ".part", "wb") as f:
        f.write(struct.pack("<Q", len(raw)) + raw + b"".join(blobs))
    os.replace(path + ".part", path)


def load(path):
    """Returns a dict from names to torch.Tensor, and the metadata."""
    with open(path, "rb") as f:
        n, = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(n))
        data = f.read()
    metadata = header.pop("__metadata__", {})
    for key in ("checksum", "checksum_algorithm"):  # the checksum belongs to these bytes; a modified file must not keep it
        metadata.pop(key, None)
    pairs = set(json.loads(metadata.get("complex", "[]")))
    tensors = {}
    for name, h in header.items():
        begin, end = h["data_offsets"]
        t = torch.from_numpy(np.frombuffer(data[begin:end], DTYPES[h["dtype"]]).reshape(h["shape"]).copy())
        tensors[name] = torch.view_as_complex(t) if name in pairs else t
    return tensors, metadata
