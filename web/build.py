"""The lab as one page: the C++ of lab/, and what it needs of core and autograd, compiled to WebAssembly by Debian's Emscripten.

  build.py OUTPUT_DIR

writes OUTPUT_DIR/lab.html, which holds everything and fetches nothing: it works from any web server and as a file. Objects are kept
beside it and made again when a source is newer. Two minutes of one processor the first time.
"""
import base64
import concurrent.futures
import gzip
import os
import subprocess
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = "/usr/include"  # Debian's fmt, nlohmann-json, CLI11 and Boost.Math are headers; others of that folder are the host's, not Emscripten's

# What is compiled, several files as one as in the build of the library: without BLAS, threads, files and the ops of networks.
UNITS = {
    "core": """core/arithmetic core/gemm core/mask core/memory core/parallel core/random core/shape core/tensor core/kernels/elementwise
        core/machine/blas_plain core/machine/cpu core/machine/level core/machine/threads_serial""",
    "tape": """autograd/context autograd/forward autograd/op autograd/op_check autograd/tape autograd/var autograd/wirtinger
        autograd/check/numerical autograd/check/planted_fault autograd/check/scalar_projection autograd/check/verdict autograd/trace/slot_gradient""",
    "ops": "autograd/ops/shape autograd/ops/products/projection autograd/ops/rows/reduction",
    "elementwise": """autograd/ops/elementwise/arithmetic autograd/ops/elementwise/complex_parts autograd/ops/elementwise/exponential
        autograd/ops/elementwise/power autograd/ops/elementwise/trigonometric autograd/ops/elementwise/sinusoid""",
    "functions": """autograd/ops/functions/hyperbolic autograd/ops/functions/inverse autograd/ops/functions/near_zero autograd/ops/functions/special
        autograd/ops/functions/variable_power autograd/ops/selection/expand autograd/ops/selection/where""",
    "activations": """autograd/ops/elementwise/activation autograd/ops/elementwise/complex_activation autograd/ops/elementwise/phase
        autograd/ops/elementwise/rotation""",
    "lab": """lab/expression/expression lab/expression/expression_functions lab/expression/expression_parser lab/expression/expression_point
        lab/gradient_letters lab/lab_answer lab/lab_numbers lab/lab_page lab/lab_point lab/lab_tape lab/lab_text lab/tape_rounding
        core/text/keys data/files/utf8 core/text/text_layout web/lab_web""",
}
SCRIPTS = ("engine.js", "plane.js", "contours.js", "numbers.js", "text.js", "address.js", "hands.js", "main.js")
COMPILE = ["-std=c++20", "-Os", "-fwasm-exceptions", "-ffp-contract=off", "-fno-math-errno", "-DFMT_HEADER_ONLY", "-DARGAND_PLAIN_BLAS",
           "-include", os.path.join(ROOT, "web/libcxx14.h"), "-I" + ROOT]
LINK = ["-Os", "-fwasm-exceptions", "--no-entry", "-sMODULARIZE=1", "-sEXPORT_NAME=argandModule", "-sENVIRONMENT=worker,node",
        "-sALLOW_MEMORY_GROWTH=1", "-sFILESYSTEM=0", "-sEXPORTED_FUNCTIONS=_argand_lab,_malloc,_free", "-sEXPORTED_RUNTIME_METHODS=ccall"]
# Emscripten's scripts look for their packages where Debian has them, also with another Node.
ENVIRONMENT = dict(os.environ, NODE_PATH="/usr/share/nodejs")


def changed(made):
    """Whether an object is older than a source or a header that it was made of."""
    try:
        with open(made + ".d", encoding="utf8") as file:
            read = [name for name in file.read().replace("\\\n", " ").split(":", 1)[1].split() if name.startswith(ROOT)]
        return any(os.path.getmtime(name) > os.path.getmtime(made) for name in read)
    except (OSError, IndexError):
        return True


def run(command):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"web: {' '.join(command[:1])} failed\n{done.stderr[-4000:]}")


def compile_unit(name, out):
    """The object of one unit."""
    unit, made = os.path.join(out, name + ".cpp"), os.path.join(out, name + ".o")
    text = "".join(f'#include "{source}.cpp"\n' for source in UNITS[name].split())
    same = os.path.exists(unit) and open(unit, encoding="utf8").read() == text
    if not same:
        with open(unit, "w", encoding="utf8") as file:
            file.write(text)
    if not same or changed(made):
        run(["em++", *COMPILE, "-I" + os.path.join(out, "include"), "-MMD", "-MF", made + ".d", "-c", unit, "-o", made + ".new.o"])
        os.replace(made + ".new.o", made)
    return made


def page(out):
    """lab.html with style, scripts, the worker's script and the library in it."""
    def read(path):
        with open(path, encoding="utf8") as file:
            return file.read()
    web = os.path.join(ROOT, "web")
    with open(os.path.join(out, "lab.wasm"), "rb") as file:
        library = gzip.compress(file.read(), 9, mtime=0)
    parts = {
        "/* @lab.css@ */": read(os.path.join(web, "lab.css")),
        "/* @glue@ */": read(os.path.join(out, "lab.js")).replace("</script", "<\\/script"),
        "@engine@": base64.b64encode(library).decode(),
        "/* @scripts@ */": "\n".join(read(os.path.join(web, name)) for name in SCRIPTS),
        "@favicon@": urllib.parse.quote(read(os.path.join(web, "favicon.svg"))),
    }
    text = read(os.path.join(web, "lab.html"))
    for mark, part in parts.items():
        before, found, after = text.partition(mark)
        assert found, mark
        text = before + part + after
    with open(os.path.join(out, "lab.html.new"), "w", encoding="utf8") as file:
        file.write(text)
    os.replace(os.path.join(out, "lab.html.new"), os.path.join(out, "lab.html"))
    return text


def main():
    out = os.path.abspath(sys.argv[1])
    os.makedirs(os.path.join(out, "include"), exist_ok=True)
    for library in ("fmt", "nlohmann", "CLI", "boost"):
        link = os.path.join(out, "include", library)
        if not os.path.islink(link):
            os.symlink(os.path.join(HEADERS, library), link)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda name: compile_unit(name, out), UNITS))
    linked = os.path.join(out, "lab.js")
    if not os.path.exists(linked) or os.path.getmtime(linked) < max(map(os.path.getmtime, objects)):
        run(["em++", *LINK, *objects, "-o", linked])
    text = page(out)
    print(f"{os.path.join(out, 'lab.html')}: {len(text) / 1e6:.2f} MB, {len(gzip.compress(text.encode(), 9)) / 1e6:.2f} MB compressed")


if __name__ == "__main__":
    main()
