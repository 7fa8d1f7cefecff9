"""Which OpenBLAS kernels are requested when the package is imported."""
import os
import subprocess
import sys

import pytest
from argand._kernels import kernels_for

AVX2 = "fpu sse2 avx avx2 fma bmi2"
AVX512 = AVX2 + " avx512f avx512bw avx512cd avx512dq avx512vl"


@pytest.mark.parametrize("vendor, flags, wanted", [
    ("GenuineIntel", AVX512, "SkylakeX"), ("GenuineIntel", AVX2, "Haswell"), ("GenuineIntel", "fpu sse2 avx", None),
    ("GenuineIntel", AVX2 + " avx512f", "Haswell"), ("AuthenticAMD", AVX512, None),
])
def test_intels_kernels_go_by_its_vectors(vendor, flags, wanted):
    assert kernels_for(f"processor\t: 0\nvendor_id\t: {vendor}\nflags\t\t: {flags}\nbugs\t\t: none\n") == wanted


@pytest.mark.parametrize("text", ["", "processor\t: 0\nFeatures\t: fp asimd\n", "flags"])
def test_processors_other_than_x86_are_left_alone(text):
    assert kernels_for(text) is None


@pytest.mark.parametrize("chosen", [None, "Haswell"])
def test_the_environment_is_as_it_was_after_the_import(chosen):
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    if chosen is not None:
        environment["OPENBLAS_CORETYPE"] = chosen
    code = "import os, argand; print(os.environ.get('OPENBLAS_CORETYPE'))"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{chosen}\n"


@pytest.mark.parametrize("first", ["argand", "numpy", "numpy; numpy.ones((9, 9)) @ numpy.ones((9, 9))"])
def test_kernels_are_fast_whichever_module_loads_openblas(first):
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    code = f"import {first}; import argand; print(argand._argand.blas_advice())"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    said = done.stdout + done.stderr
    assert "kernels" not in said or "does not share" in said  # OpenBLAS's pthread flavour has threads already
