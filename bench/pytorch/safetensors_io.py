"""A minimal safetensors reader/writer; complex tensors travel as real with a trailing axis of 2."""
import json
import struct

import numpy as np
import torch

DTYPES = {"F64": np.float64, "F32": np.float32, "I64": np.int64, "I32": np.int32}
NAMES = {v: k for k, v in DTYPES.items()}


def save(path, tensors, metadata):
    """tensors: name -> torch.Tensor; metadata: str -> str. Names of complex tensors are listed in it."""
    header, blobs, offset, cplx = {}, [], 0, []
    for name, t in tensors.items():
        t = t.detach()
        if t.is_complex():
            cplx.append(name)
            t = torch.view_as_real(t)
        a = np.ascontiguousarray(t.numpy()).reshape(tuple(t.shape))
        header[name] = dict(dtype=NAMES[a.dtype.type], shape=list(a.shape), data_offsets=[offset, offset + a.nbytes])
        blobs.append(a.tobytes())
        offset += a.nbytes
    header["__metadata__"] = {**metadata, "complex": json.dumps(cplx)}
    raw = json.dumps(header).encode()
    raw += b" " * (-len(raw) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(raw)) + raw + b"".join(blobs))


def load(path):
    with open(path, "rb") as f:
        n, = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(n))
        data = f.read()
    meta = header.pop("__metadata__", {})
    cplx = set(json.loads(meta.get("complex", "[]")))
    out = {}
    for name, h in header.items():
        b, e = h["data_offsets"]
        t = torch.from_numpy(np.frombuffer(data[b:e], DTYPES[h["dtype"]]).reshape(h["shape"]).copy())
        out[name] = torch.view_as_complex(t) if name in cplx else t
    return out, meta
