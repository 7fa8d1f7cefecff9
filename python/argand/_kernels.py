"""OpenBLAS chooses its kernels when it is loaded. A version older than the processor may choose SSE kernels, which run at a fifth
of the speed (Debian 12's on recent Intel cores). The library changes them when it is loaded, but only in a
process with one thread (core/machine/openblas_kernels.cpp). This module also helps in one with several, if nothing has loaded OpenBLAS yet."""
from __future__ import annotations

import contextlib
import os
import re
from typing import Iterator, Optional

VARIABLE = "OPENBLAS_CORETYPE"


def kernels_for(cpuinfo: str) -> Optional[str]:
    """Chooses Intel's kernels by the available vector instructions. On AMD cores that OpenBLAS does not know, it uses AVX2 kernels,
    which are as fast there."""
    flags = re.search(r"^flags\s*:(.*)$", cpuinfo, re.M)
    if flags is None or "GenuineIntel" not in cpuinfo:
        return None
    has = set(flags[1].split())
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= has:
        return "SkylakeX"
    return "Haswell" if {"avx2", "fma"} <= has else None


@contextlib.contextmanager
def right_kernels() -> Iterator[None]:
    """The context in which _argand is loaded; a choice by the user takes precedence."""
    wanted = None
    if VARIABLE not in os.environ:
        with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            wanted = kernels_for(file.read().split("\n\n")[0])
    if wanted is not None:
        os.environ[VARIABLE] = wanted
    try:
        yield
    finally:
        if wanted is not None:
            del os.environ[VARIABLE]
