"""argand.pytest_plugin: the marker, checks without a verdict, replay files, and properties in JUnit's XML."""
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

TESTS = '''
import argand, numpy as np, pytest

X = np.array([0.5, -1.25, 2.0])
square, twice = (lambda x: np.sum(x**2)), (lambda x: 2 * x)
def relu(x): return np.sum(np.maximum(x, 0))
def step(x): return (x > 0) * 1.0

@pytest.mark.argand
def test_right():
    return argand.check(square, twice, X)

@pytest.mark.argand
def test_wrong():
    return [argand.check(square, twice, X), argand.check(relu, step, X * 0), argand.check(square, lambda x: 3 * x, X)]

@pytest.mark.argand
def test_kink():
    return argand.check(relu, step, X * 0)

@pytest.mark.argand(inconclusive="xfail")
def test_kink_expected():
    return argand.check(relu, step, X * 0)

def test_unmarked_kink():
    argand.assert_gradient(relu, step, X * 0)

@pytest.mark.argand(unknown="xfail")
def test_marker():
    return argand.check(square, twice, X)

@pytest.mark.argand
def test_nothing():
    pass

@pytest.mark.argand
def test_other():
    return 3

@pytest.mark.argand
def test_asserts():
    argand.assert_gradient(square, twice, X)

@pytest.mark.argand
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_fixtures(scale, tmp_path):
    return argand.check(lambda x: scale * square(x), lambda x: scale * twice(x), X)

def test_planted():
    assert argand.check(square, lambda x: x, X).verdict == "fail"
'''


@pytest.fixture
def run(tmp_path):
    (tmp_path / "test_gradients.py").write_text(TESTS)

    def outcomes(*options):
        command = [sys.executable, "-m", "pytest", "-p", "argand.pytest_plugin", "-q", "-rA", f"--junitxml={tmp_path}/junit.xml", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        cases = {}
        for case in ElementTree.parse(tmp_path / "junit.xml").getroot().iter("testcase"):
            outcome = next((child.tag for child in case if child.tag in ("failure", "skipped", "error")), "passed")
            kind = next((child.get("type") for child in case if child.tag == "skipped"), None)
            properties = [(p.get("name"), p.get("value")) for p in case.iter("property")]
            cases[case.get("name")] = (kind or outcome, properties)
        return done, cases

    return outcomes


def test_marked_tests_return_what_they_found(run):
    done, cases = run()
    said = {name: outcome for name, (outcome, _) in cases.items()}
    assert said == {
        "test_right": "passed", "test_wrong": "failure", "test_kink": "failure", "test_kink_expected": "pytest.xfail", "test_unmarked_kink": "failure",
        "test_nothing": "failure", "test_other": "failure", "test_asserts": "passed", "test_fixtures[1.0]": "passed", "test_fixtures[2.0]": "passed",
        "test_planted": "passed", "test_marker": "failure",
    }, done.stdout
    assert "<lambda>: FAIL, the gradient looks multiplied by 1.5" in done.stdout
    assert "the test is marked argand but checks no gradient" in done.stdout
    assert "a test marked argand must return results of checks, got int" in done.stdout
    assert cases["test_asserts"][1] == [("argand <lambda>", "pass")]
    assert [value for name, value in cases["test_wrong"][1] if not name.startswith("argand replay")] == ["pass", "inconclusive", "fail"]


@pytest.mark.parametrize("way, seen", [("skip", "pytest.skip"), ("xfail", "pytest.xfail"), ("fail", "failure")])
def test_inconclusive_results_follow_the_option(run, way, seen):
    done, cases = run(f"--argand-inconclusive={way}")
    assert cases["test_kink"][0] == cases["test_unmarked_kink"][0] == seen, done.stdout
    assert cases["test_kink_expected"][0] == "pytest.xfail" and cases["test_wrong"][0] == "failure"
    if way == "skip":
        assert "relu: inconclusive, there is a kink" in done.stdout


def test_the_setting_is_the_default(run, tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\nargand_inconclusive = skip\n")
    assert run()[1]["test_kink"][0] == "pytest.skip"
    (tmp_path / "pytest.ini").write_text("[pytest]\nargand_inconclusive = never\n")
    command = [sys.executable, "-m", "pytest", "-p", "argand.pytest_plugin", "-q"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "argand_inconclusive must be one of fail, skip, xfail, got 'never'" in done.stderr


def test_a_failure_can_be_replayed(run, tmp_path):
    done, cases = run(f"--argand-replay={tmp_path}/kept")
    files = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert [name for name in files if "test_wrong" in name] == ["test_gradients.py_test_wrong.json", "test_gradients.py_test_wrong_1.json"]
    assert not any("test_planted" in name or "test_right" in name for name in files)
    path = tmp_path / "kept/test_gradients.py_test_unmarked_kink.json"
    assert f"python3 -m argand replay {path}" in done.stdout and ("argand replay relu", str(path)) in cases["test_unmarked_kink"][1]
    again = subprocess.run([sys.executable, "-m", "argand", "replay", str(path)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert again.returncode == 2 and "replayed: inconclusive then, inconclusive now" in again.stdout, again.stderr
    run()
    assert list(tmp_path.glob(".pytest_cache/d/argand/*test_wrong.json"))
