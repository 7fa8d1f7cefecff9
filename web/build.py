"""Builds two pages, the lab and the model that trains in the browser, from C++ compiled to WebAssembly by Debian's Emscripten.

  build.py OUTPUT_DIR [lab|model]

writes OUTPUT_DIR/lab.html and OUTPUT_DIR/model.html, which are self-contained: they work from any web server and when opened as
files. Object files are kept next to them and recompiled when a source is newer. The first build takes five processor minutes.
"""
import base64
import concurrent.futures
import dataclasses
import gzip
import os
import subprocess
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = "/usr/include"  # with Debian's fmt, nlohmann-json, CLI11 and Boost.Math; other headers are for the host, not Emscripten



@dataclasses.dataclass
class Page:
    """A page and its library. `units` lists what is compiled: each unit joins several source files, as the library's build does.
    `unused` has prefixes of source files whose headers are included but whose functions are never called."""
    name: str
    units: dict
    unused: tuple
    compile: list
    link: list
    html: str
    scripts: tuple


LAB = Page("lab", {
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
}, ("autograd/gradients", "autograd/ops/", "core/kernels/"), ["-Os"], ["-Os", "-sFILESYSTEM=0", "-sEXPORTED_FUNCTIONS=_argand_lab,_malloc,_free", "-sEXPORTED_RUNTIME_METHODS=ccall"],
    "lab.html", ("engine.js", "plane.js", "contours.js", "numbers.js", "text.js", "address.js", "hands.js", "main.js"))

# Two model families and the code that trains, saves and opens them, with fast kernels and an in-memory file system for checkpoints.
MODEL = Page("model", {
    "core": """core/arithmetic core/gemm core/mask core/memory core/parallel core/random core/shape core/tensor core/kernels/bf16_gemm
        core/kernels/direct_gemm core/kernels/elementwise core/kernels/few_rows core/kernels/packed_gemm core/kernels/quantized core/machine/address_space core/machine/blas_plain core/machine/cpu
        core/machine/level core/machine/threads_serial core/text/keys""",
    "tape": """autograd/context autograd/forward autograd/gradients autograd/op autograd/op_check autograd/tape autograd/var
        autograd/check/planted_fault autograd/trace/slot_gradient""",
    "ops": """autograd/ops/gather autograd/ops/shape autograd/ops/products/matmul autograd/ops/products/output_layer
        autograd/ops/products/projection autograd/ops/selection/expand autograd/ops/selection/where""",
    "attention": """autograd/ops/attention/attention autograd/ops/attention/attention_tangent autograd/ops/attention/attention_tiles""",
    "rows": """autograd/ops/rows/cross_entropy autograd/ops/rows/info_nce autograd/ops/rows/norm autograd/ops/rows/reduction
        autograd/ops/rows/softmax""",
    "elementwise": """autograd/ops/elementwise/activation autograd/ops/elementwise/arithmetic autograd/ops/elementwise/complex_parts
        autograd/ops/elementwise/dropout autograd/ops/elementwise/exponential autograd/ops/elementwise/phase autograd/ops/elementwise/power
        autograd/ops/elementwise/rotation autograd/ops/elementwise/trigonometric""",
    "data": """data/batches data/corpora/corpus data/corpora/grammar data/corpora/grammar_rules data/corpora/simple_grammar data/corpora/text_parts
        data/files/atomic_file data/files/checksum data/files/safetensors data/files/safetensors_header data/files/text_file data/files/utf8
        data/random_order data/tokens/tokenizer data/tokens/word_tokens data/vocabulary""",
    "nn": """nn/attention/dot_attention nn/attention/projection nn/attention/self_attention nn/config nn/decoder nn/decoder_config nn/init
        nn/invariance nn/layers nn/layers/dropout nn/model nn/module nn/text_model""",
    "families": """nn/families/complexformer/config nn/families/complexformer/family nn/families/complexformer/head_table
        nn/families/complexformer/invariances nn/families/complexformer/model nn/families/complexformer/phase_attention nn/families/families nn/families/transformer/family""",
    "optim": "optim/adamw optim/clip optim/composed optim/muon optim/optimizer optim/rate optim/state",
    "train": """train/checkpoints/checkpoint train/checkpoints/stored_state train/config/changes train/config/other_words train/config/presets
        train/config/run_config train/config/settings train/generation/generation train/generation/sampling""",
    "page": "web/model/page_model web/model/model_web",
}, ("core/nearest", "data/tokens/bpe", "data/tokens/character", "data/tokens/piece"), ["-O2", "-msimd128", "-DARGAND_FAMILIES(f)=f(transformer) f(complexformer)", "-DXXH_IMPLEMENTATION", "-DXXH_STATIC_LINKING_ONLY"],
    ["-O2", "-sEXPORTED_FUNCTIONS=_argand_model,_malloc,_free", "-sEXPORTED_RUNTIME_METHODS=ccall,FS"],
    "model/model.html", ("engine.js", "numbers.js", "plane.js", "model/recipe.js", "model/model.js"))
PAGES = {page.name: page for page in (LAB, MODEL)}
OF_ONE_PAGE = ("/* @model.css@ */", "@trained@")  # placeholders in only one of the two pages

COMPILE = ["-std=c++20", "-fwasm-exceptions", "-ffp-contract=off", "-fno-math-errno", "-DFMT_HEADER_ONLY", "-DARGAND_PLAIN_BLAS",
           "-include", os.path.join(ROOT, "web/libcxx14.h"), "-I" + ROOT]
LINK = ["-fwasm-exceptions", "--no-entry", "-sMODULARIZE=1", "-sEXPORT_NAME=argandModule", "-sENVIRONMENT=worker,node", "-sALLOW_MEMORY_GROWTH=1"]
# Emscripten's scripts must find the packages that Debian installs, even when another Node runs them.
ENVIRONMENT = dict(os.environ, NODE_PATH="/usr/share/nodejs")


def changed(made):
    """Whether any source or header from which the object was compiled has changed since."""
    try:
        with open(made + ".d", encoding="utf8") as file:
            names = file.read().replace("\\\n", " ").split(":", 1)[1].split()
        read = [name for name in map(os.path.abspath, names) if name.startswith(ROOT)]  # ccache may write relative names
        return any(os.path.getmtime(name) > os.path.getmtime(made) for name in read)
    except (OSError, IndexError):
        return True


def run(command):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"web: {' '.join(command[:1])} failed\n{done.stderr[-4000:]}")


def compile_unit(page, name, out):
    """Compiles one unit if necessary; returns the path of its object file."""
    unit, made = os.path.join(out, f"{page.name}-{name}.cpp"), os.path.join(out, f"{page.name}-{name}.o")
    text = "".join(f'#include "{source}.cpp"\n' for source in page.units[name].split())
    same = os.path.exists(unit) and open(unit, encoding="utf8").read() == text
    if not same:
        with open(unit, "w", encoding="utf8") as file:
            file.write(text)
    if not same or changed(made):
        run(["em++", *COMPILE, *page.compile, "-I" + os.path.join(out, "include"), "-MMD", "-MF", made + ".d", "-c", unit, "-o", made + ".new.o"])
        os.replace(made + ".new.o", made)
    return made


def older(made, *sources):
    return not os.path.exists(made) or os.path.getmtime(made) < max(map(os.path.getmtime, sources))


def packed(path):
    """A file as text, compressed with gzip and encoded as base64."""
    with open(path, "rb") as file:
        return base64.b64encode(gzip.compress(file.read(), 9, mtime=0)).decode()


def trained(out):
    """The model that model.html starts with, trained in the same way as by the page; takes about two minutes."""
    made, library, folder = os.path.join(out, "trained.safetensors"), os.path.join(out, "model.wasm"), os.path.join(ROOT, "web", "model")
    if older(made, library, os.path.join(folder, "recipe.js")):
        run(["node", os.path.join(folder, "train_once.js"), os.path.join(out, "model"), made])
    return packed(made)


def write_page(page, out):
    """Writes NAME.html, which contains its style, its scripts, the worker's script and the library."""
    def read(path):
        with open(path, encoding="utf8") as file:
            return file.read()
    web, made = os.path.join(ROOT, "web"), os.path.join(out, page.name)
    text = read(os.path.join(web, page.html))
    parts = {
        "/* @lab.css@ */": lambda: read(os.path.join(web, "lab.css")),
        "/* @model.css@ */": lambda: read(os.path.join(web, "model", "model.css")),
        "/* @glue@ */": lambda: read(made + ".js").replace("</script", "<\\/script"),
        "@engine@": lambda: packed(made + ".wasm"),
        "@trained@": lambda: trained(out),
        "/* @scripts@ */": lambda: "\n".join(read(os.path.join(web, name)) for name in page.scripts),
        "@favicon@": lambda: urllib.parse.quote(read(os.path.join(web, "favicon.svg"))),
    }
    for mark, part in parts.items():
        before, found, after = text.partition(mark)
        assert found or mark in OF_ONE_PAGE, mark
        text = before + part() + after if found else text
    with open(made + ".html.new", "w", encoding="utf8") as file:
        file.write(text)
    os.replace(made + ".html.new", made + ".html")
    print(f"{made}.html: {len(text) / 1e6:.2f} MB, {len(gzip.compress(text.encode(), 9)) / 1e6:.2f} MB compressed")


def main():
    out, wanted = os.path.abspath(sys.argv[1]), [PAGES[name] for name in sys.argv[2:] or PAGES]
    os.makedirs(os.path.join(out, "include"), exist_ok=True)
    for library in ("fmt", "nlohmann", "CLI", "boost", "xxhash.h"):
        link = os.path.join(out, "include", library)
        if not os.path.islink(link):
            os.symlink(os.path.join(HEADERS, library), link)
    for page in wanted:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(lambda name: compile_unit(page, name, out), page.units))
        linked = os.path.join(out, page.name + ".js")
        if older(linked, *objects):
            run(["em++", *LINK, *page.link, *objects, "-o", linked])
        write_page(page, out)


if __name__ == "__main__":
    main()
