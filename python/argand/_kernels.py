"""OpenBLAS chooses its kernels as it is loaded. A version older than the processor may take SSE's, a fifth of the speed (Debian 12's on recent
Intel cores): the choice is made here then, as the program `argand` makes it (core/machine/openblas_kernels.cpp)."""
from __future__ import annotations

import contextlib
import os
import re
from typing import Iterator, Optional

VARIABLE = "OPENBLAS_CORETYPE"


def kernels_for(cpuinfo: str) -> Optional[str]:
    """Intel's by the vectors it has. OpenBLAS takes AVX2 kernels on AMD cores that it does not know, which are as fast there."""
    flags = re.search(r"^flags\s*:(.*)$", cpuinfo, re.M)
    if flags is None or "GenuineIntel" not in cpuinfo:
        return None
    has = set(flags[1].split())
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= has:
        return "SkylakeX"
    return "Haswell" if {"avx2", "fma"} <= has else None


@contextlib.contextmanager
def right_kernels() -> Iterator[None]:
    """For the time in which _argand is loaded; what the user has chosen stays."""
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
