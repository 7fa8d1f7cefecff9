"""The notebooks in docs/notebooks run, print what their chapters show, and grade homework."""
import difflib
import importlib.util
import pathlib
import re
import subprocess
import sys

import argand as ag
import pytest
from conftest import ROOT

FOLDER = ROOT / "docs" / "notebooks"


def module_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = module_of(FOLDER / "make_notebooks.py")
book = module_of(ROOT / "tests" / "docs" / "book_test.py")


def cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def sentence(cell):
    """What a cell printed, followed by the errors that it raised."""
    errors = [f"{output['ename']}: {output['evalue']}" for output in cell["outputs"] if output["output_type"] == "error"]
    return "".join(output.get("text", "") for output in cell["outputs"]) + "\n".join(errors)


@pytest.fixture(scope="module")
def executed():
    """A fixture that runs notebooks with the package under test."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: apt-get install jupyter-nbconvert python3-ipykernel")
    preprocessors = pytest.importorskip("nbconvert.preprocessors", reason="nbconvert is not installed: apt-get install jupyter-nbconvert python3-ipykernel")
    client = pytest.importorskip("jupyter_client", reason="jupyter_client is not installed: apt-get install python3-jupyter-client")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: apt-get install python3-ipykernel")
    def run(content, errors=False, folder=None):
        notebook = nbformat.from_dict(content)
        manager = client.KernelManager()  # the kernel must be this Python, regardless of the installed kernels
        manager.kernel_spec.argv[0] = sys.executable
        preprocessors.ExecutePreprocessor(timeout=120, allow_errors=errors).preprocess(notebook, {"metadata": {"path": str(folder or ROOT)}}, km=manager)
        return notebook

    with pytest.MonkeyPatch.context() as patch:  # kernels inherit this environment
        patch.setenv("PYTHONPATH", str(pathlib.Path(ag.__file__).parent.parent))
        patch.setenv("OMP_NUM_THREADS", "1")
        yield run


@pytest.mark.parametrize("name", make.CHAPTERS)
def test_a_chapter_runs_and_prints_what_it_shows(executed, name, tmp_path):
    notebook = executed(make.chapter(name), folder=tmp_path)
    fences, _ = book.parse(name, (ROOT / "docs" / (name + ".md")).read_text())
    markers = [marker for marker, _ in make.cells_of(name + ".py")]
    replaced = {marker[7:] for marker in markers if marker.startswith("prints ")}
    instead = [cell for cell in cells(notebook) if cell["metadata"].get("tags") == ["prints"]]
    shown = list(zip([fence for fence in fences if replaced & set(fence.lines)], instead))
    assert len(shown) == len(replaced) == len(instead)
    for fence, cell in shown:
        kinds = book.directive(fence, "varies")
        expected, actual = book.plain(fence.lines[1:], kinds), book.plain(sentence(cell).rstrip("\n").split("\n"), kinds)
        assert book.matches(expected, actual, kinds), "\n".join(difflib.unified_diff(expected, actual, "the chapter", "the notebook", lineterm=""))


def test_thirty_minutes(executed, tmp_path):
    notebook = executed(make.lesson("thirty-minutes", False), folder=tmp_path)
    printed = "\n".join(map(sentence, cells(notebook)))
    assert float(re.search(r"([\d.]+)% right", printed)[1]) > 95 and "the same answer for 100.0%" in printed
    assert "this is the convention of JAX" in printed and printed.rstrip().endswith("pass")
    assert any("svg" in output["data"].get("text/html", "") for cell in cells(notebook) for output in cell["outputs"] if output["output_type"] == "execute_result")


def graded(notebook):
    """The verdict printed by the cell after each exercise."""
    all_cells = cells(notebook)
    return [sentence(all_cells[k + 1]) for k, cell in enumerate(all_cells) if cell["metadata"].get("tags")]


def test_homework_fails_until_it_is_solved(executed, tmp_path):
    unsolved = graded(executed(make.lesson("homework", False), errors=True, folder=tmp_path))
    assert len(unsolved) == 8
    for k, said in enumerate(unsolved, 1):
        assert f"exercise {k}: " in said and f"{k} is right" not in said, said
    for k, said in enumerate(graded(executed(make.lesson("homework", True), folder=tmp_path)), 1):
        assert said.startswith(f"{k} is right"), said


def test_homework_is_not_fooled(executed, tmp_path):
    solved = make.lesson("homework", True)
    wrong = {"exercise-abs2": ("2 * z", "2 * np.conj(z)", "conjugated"), "exercise-root": ("2 * (z**2 + c)", "(z**2 + c)", "half"),
             "exercise-exponential": ("np.conj(k * np.exp(k * z))", "k * np.exp(k * z)", "conjugated"), "exercise-general": (" + z**m * n * np.conj(z) ** (n - 1) * np.conj(g)", "", "FAIL"),
             "exercise-modulus": ("np.zeros_like(z)", "np.ones_like(z)", "at 0 the gradient is not 0"), "exercise-matrices": ("A.conj().T", "A.T", "FAIL"),
             "exercise-tape": ("self.grad += other", "self.grad = other", "FAIL"), "exercise-mistake": ("np.conj(z ** (k - 1) * g)", "z ** (k - 1) * g", "FAIL")}
    for cell in cells(solved):
        for tag in cell["metadata"].get("tags", ()):
            right, instead, _ = wrong[tag]
            assert cell["source"].count(right) == 1, tag
            cell["source"] = cell["source"].replace(right, instead)
    for k, ((tag, (_, _, word)), said) in enumerate(zip(wrong.items(), graded(executed(solved, errors=True, folder=tmp_path))), 1):
        assert f"{k} is right" not in said and word in said, (tag, said)


def test_homework_is_drawn_from_the_name(capsys):
    """The solutions are right for every name, and different names get different exercises."""
    code = [cell["source"] for cell in make.lesson("homework", True)["cells"] if cell["cell_type"] == "code"]
    assert code[0].count('"Ada Lovelace"') == 1
    drawn = set()
    for name in ("Ada Lovelace", "Emmy Noether", "Žofie Čapková", "李善兰", "x"):
        inside = {}
        for source in code:
            exec(source.replace("Ada Lovelace", name), inside)
        first, *verdicts = capsys.readouterr().out.splitlines()
        assert first.startswith(name + ": c = ") and len(verdicts) == 8, name
        drawn.add(first[len(name):])
    assert len(drawn) == 5, drawn


def test_code_from_no_chapter_is_refused(tmp_path, monkeypatch):
    (tmp_path / "03-tape.py").write_text("# %% after ## No such heading\npass\n")
    monkeypatch.setattr(make, "HERE", str(tmp_path))
    with pytest.raises(SystemExit, match="'# %% after ## No such heading': expected `after` or `prints` and a line that occurs once in the chapter; this one occurs 0 times"):
        make.chapter("03-tape")


def test_notebooks_travel_alone(tmp_path):
    done = subprocess.run([sys.executable, str(FOLDER / "make_notebooks.py"), str(tmp_path)], capture_output=True, text=True, check=True)
    assert all(name + ".ipynb" in done.stdout and (tmp_path / (name + ".ipynb")).exists() for name in make.CHAPTERS + make.LESSONS)
    for name, notebook in make.notebooks().items():
        for cell in notebook["cells"]:
            text = re.sub(r"```.*?```|`[^`\n]*`", "", cell["source"], flags=re.S) if cell["cell_type"] == "markdown" else ""
            assert not re.search(r"<!--|```math|\$`", text), (name, text)
            for target in re.findall(r"\]\(([^)]*)\)", text):
                inside = target.startswith("attachment:") and target[11:] in cell["attachments"]
                assert inside or target.startswith("https:") or target in [other + ".ipynb" for other in make.CHAPTERS + make.LESSONS], (name, target)
