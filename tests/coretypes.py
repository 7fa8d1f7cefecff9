"""OpenBLAS's kernel families and the processor flags that each needs, for tests that run with every one of them."""
import pathlib

NEEDS = {
    "Prescott": {"pni"},
    "Nehalem": {"sse4_2"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "Zen": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"},
    "Cooperlake": {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd", "avx512_bf16"},
}


def flags():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return set(value.split())
    return set()


def runnable():
    """The families that this processor can run; prints those that it cannot."""
    has = flags()
    for name, needs in NEEDS.items():
        if needs <= has:
            yield name
        else:
            print(f"{name}: skipped, this processor lacks {', '.join(sorted(needs - has))}")
