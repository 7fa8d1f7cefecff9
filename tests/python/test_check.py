"""argand.check on functions of NumPy arrays."""
import argand
import numpy as np
import pytest

X = np.array([0.5, -1.25, 2.0])
Z = np.array([1 + 2j, 0.5 - 0.3j, -0.7j])


def cubes(x):
    return np.sum(x**3)


def energy(z):
    return np.sum(np.abs(z) ** 2)


def test_a_right_gradient_passes_along_two_directions():
    result = argand.check(cubes, lambda x: 3 * x**2, X)
    assert result and result.verdict == "pass" and result.diagnosis == "" and result.worst is None
    assert len(result.directions) == 2 and result.elements == []
    for d in result.directions:
        assert abs(d.gradient - d.numerical) <= d.bar + 1e-12
        assert 0 < d.bar < 1e-9


def test_full_looks_at_every_element():
    result = argand.check(cubes, lambda x: 3 * x**2, X, full=True)
    assert result.verdict == "pass" and [e.name for e in result.elements] == ["x[0]", "x[1]", "x[2]"]
    for e, x in zip(result.elements, X):
        assert abs(e.numerical - 3 * x**2) <= e.bar <= 1e-9


def test_the_worst_element_is_named_with_its_error_bar():
    def wrong(x):
        g = 3 * x**2
        g[2] *= 1.5
        return g

    result = argand.check(cubes, wrong, X)
    assert result.verdict == "fail" and result.diagnosis == "where it differs, the gradient looks multiplied by 1.5"
    assert (result.worst.name, result.worst.gradient) == ("x[2]", 18.0)
    assert abs(result.worst.numerical - 12) <= result.worst.bar < 1e-9
    assert [e.verdict for e in result.elements] == ["pass", "pass", "fail"]


@pytest.mark.parametrize(
    "mistake, words",
    [
        (lambda g: 2 * g, "the gradient looks twice the correct one"),
        (lambda g: -g, "the gradient looks negated"),
        (lambda g: 0 * g, "the gradient looks zero"),
        (lambda g: g * [1, np.nan, 1], "the gradient is not finite"),
    ],
)
def test_mistakes_have_names(mistake, words):
    result = argand.check(cubes, lambda x: mistake(3 * x**2), X)
    assert (result.verdict, result.diagnosis) == ("fail", words)


def test_conventions_are_told_apart():
    ascent, plain = (lambda z: 2 * z), (lambda z: 2 * z.conj())
    assert argand.check(energy, ascent, Z)
    assert argand.check(energy, ascent, Z, convention="tensorflow")
    assert argand.check(energy, plain, Z, convention="jax")
    assert argand.check(energy, plain, Z).diagnosis == "conjugated: this is the convention of JAX"
    assert argand.check(energy, ascent, Z, convention="jax").diagnosis == "conjugated: this is the convention of PyTorch and TensorFlow"


def test_several_inputs_have_a_gradient_each_and_the_names_of_the_parameters():
    def f(z, x):
        return np.sum(np.abs(z) ** 2 * x)

    def grad(z, x):
        return 2 * z * x, np.abs(z) ** 2

    assert argand.check(f, grad, (Z, X))
    result = argand.check(f, lambda z, x: (2 * z * x, 2 * np.abs(z) ** 2), (Z, X))
    assert result.verdict == "fail" and result.worst.input == "x" and [i.verdict for i in result.inputs] == ["pass", "fail"]


def test_dicts_and_lists_are_differentiated_leaf_by_leaf():
    tree = {"w": np.array([[1.0, 2.0], [3.0, -1.0]]), "rest": [np.array([0.5, 1j]), 2.0]}

    def f(p):
        return np.sum(p["w"] ** 2) * p["rest"][1] + np.sum(np.abs(p["rest"][0]) ** 2)

    def grad(p):
        return {"rest": [2 * p["rest"][0], np.sum(p["w"] ** 2)], "w": 2 * p["w"] * p["rest"][1]}

    assert argand.check(f, grad, tree)
    wrong = argand.check(f, lambda p: {**grad(p), "w": p["w"] * p["rest"][1]}, tree)
    assert wrong.diagnosis == "the gradient looks half the correct one" and wrong.worst.name.startswith("p['w'][")
    assert [i.name for i in wrong.inputs] == ["p['w']", "p['rest'][0]", "p['rest'][1]"]


def test_numbers_stay_numbers():
    import math

    assert argand.check(math.sin, math.cos, 0.75)
    assert argand.check(lambda z: abs(z) ** 2, lambda z: 2 * z, 1 + 2j)


def test_a_vector_jacobian_product_of_any_shape():
    A = np.array([[1 + 1j, 2], [0.5j, -1], [3, 1 - 2j]])
    for convention, vjp in (("torch", lambda z, w: A.conj().T @ w), ("jax", lambda z, w: A.T @ w)):
        assert argand.check(lambda z: A @ z, vjp, np.array([1j, 2 + 1j]), vjp=True, convention=convention)
    other = argand.check(lambda z: A @ z, lambda z, w: A.T @ w, np.array([1j, 2 + 1j]), vjp=True)
    assert other.diagnosis == "conjugated: this is the convention of JAX"


def test_float32_is_checked_in_double_precision_and_the_result_says_so():
    result = argand.check(cubes, lambda x: 3 * x**2, X.astype(np.float32))
    assert result and result.notes == ["x is float32; checked in float64"]


def test_noise_is_measured_and_the_gradient_judged_as_well_as_it_allows():
    def noisy(x):
        return float(np.sum(x.astype(np.float32) ** 3))

    result = argand.check(noisy, lambda x: 3 * x**2, X)
    assert result and any(note.startswith("f has relative noise of ") and "; judged to " in note for note in result.notes)
    assert argand.check(noisy, lambda x: -3 * x**2, X).verdict == "fail"
    assert argand.check(noisy, lambda x: 3.003 * x**2, X).verdict == "fail"
    assert argand.check(noisy, lambda x: 3 * x**2, X, noise=0).verdict == "inconclusive"  # f was declared to be exact, but is not


def test_at_a_kink_a_gradient_lies_between_the_one_sided_derivatives():
    def relu(x):
        return np.sum(np.maximum(x, 0))

    x = np.array([1.0, 0.0, -2.0])
    for slope in (0.0, 0.5, 1.0):
        result = argand.check(relu, lambda x: np.where(x == 0, slope, x > 0), x)
        assert result.verdict == "pass" and result.worst.name == "x[1]" and result.worst.verdict == "kink"
        assert result.headline == "relu: pass, except for 1 element at a kink"
        assert argand.check(relu, lambda x: np.where(x == 0, slope, x > 0), x * 0).verdict == "inconclusive"  # all elements lie at the kink
    many = np.linspace(-1, 1, 2001)  # the directional check notices the kink, but not every element is examined
    assert argand.check(relu, lambda x: np.where(x == 0, 0.0, x > 0), many).verdict == "inconclusive"
    result = argand.check(relu, lambda x: np.where(x == 0, 1.5, x > 0), x)
    assert result.diagnosis == "a kink, and the gradient is not between its one-sided derivatives, 0 and 1"
    # Several outputs share one kink: the slopes of each output decide, regardless of the weights.
    both = lambda x: np.array([max(x, 0.0), max(-x, 0.0)])
    assert argand.check(both, lambda x, w: 0.0, 0.0, vjp=True).verdict == "inconclusive"
    assert argand.check(both, lambda x, w: 2.5 * w[0], 0.0, vjp=True).verdict == "fail"
    # The diagnosis must be about the wrong slope elsewhere.
    elsewhere = argand.check(relu, lambda x: np.where(x == 0, 1.5, 2.0 * (x > 0)), x)
    assert elsewhere.verdict == "fail" and "kink" not in elsewhere.diagnosis


def test_a_branch_cut_is_inconclusive():
    result = argand.check(lambda z: np.angle(z), lambda z: 1j * z / abs(z) ** 2, -1.0 + 0j)
    assert result.verdict == "inconclusive" and result.worst.verdict == "branch cut" and "the value jumps" in result.headline


def test_among_many_elements_the_wrong_one_is_found():
    x = np.linspace(-1, 1, 5001)

    def wrong(x):
        g = np.cos(x)
        g[3456] += 1e-3
        return g

    calls = []

    def f(x):
        calls.append(1)
        return np.sum(np.sin(x))

    result = argand.check(f, wrong, x)
    assert result.verdict == "fail" and result.worst.name == "x[3456]" and "of 5001 elements" in str(result)
    assert len(result.elements) <= 16 and len(calls) < 20000
    assert argand.check(f, np.cos, x)


def test_the_second_order_is_checked_by_a_hessian_vector_product():
    def f(z):
        return np.sum(np.abs(z) ** 4)

    def grad(z):
        return 4 * np.abs(z) ** 2 * z

    def hvp(z, v):
        return 4 * np.abs(z) ** 2 * v + 8 * (z.conj() * v).real * z

    assert argand.check(f, grad, Z, order=2, hvp=hvp).name == "Hessian of f"
    lost = argand.check(f, grad, Z, order=2, hvp=lambda z, v: 4 * np.abs(z) ** 2 * v)
    assert lost.verdict == "fail" and lost.name == "Hessian of f"
    assert argand.check(f, lambda z: 2 * grad(z), Z, order=2, hvp=hvp).name == "f"
    quadratic = lambda a, b: a @ b
    assert argand.check(quadratic, lambda a, b: (b, a), (X, X + 1), order=2, hvp=lambda a, b, u, v: (v, u))


def test_a_result_is_a_table_in_a_terminal_and_in_a_notebook():
    result = argand.check(energy, lambda z: 4 * z, Z)
    lines = str(result).splitlines()
    assert lines[0] == "energy: FAIL, the gradient looks twice the correct one"
    assert lines[1].split() == ["input", "shape", "checked", "worst", "error", "bar", "verdict"]
    assert lines[2].split()[:5] == ["z", "complex128[3]", "3", "elements", "5.0e-01"]
    assert lines[3].startswith("  worst: z[0]: gradient 4+8i, numerical 2+4i ± ")
    page = result._repr_html_()
    assert page.startswith("<div><b") and "<td>complex128[3]</td>" in page and "twice the correct one" in page
    assert "&lt;lambda&gt;" in argand.check(lambda z: energy(z), lambda z: 2 * z, Z)._repr_html_()


def test_assertions_say_what_was_found():
    assert argand.assert_gradient(cubes, lambda x: 3 * x**2, X).verdict == "pass"
    with pytest.raises(argand.GradientError) as wrong:
        argand.assert_gradient(cubes, lambda x: 6 * x**2, X)
    assert isinstance(wrong.value, AssertionError) and str(wrong.value).startswith("cubes: FAIL, the gradient looks twice the correct one\n")
    with pytest.raises(argand.Inconclusive) as unknown:
        argand.assert_gradient(lambda x: np.sum(np.abs(x)), np.sign, np.array([0.0]))
    assert not isinstance(unknown.value, AssertionError) and "a kink: the derivative is -1 from the left and 1 from the right" in str(unknown.value)


def test_an_interruption_is_passed_on():
    def stop(x):
        if stop.calls > 3:
            raise KeyboardInterrupt
        stop.calls += 1
        return np.sum(x)

    stop.calls = 0
    with pytest.raises(KeyboardInterrupt):
        argand.check(stop, np.ones_like, X)


def test_nearby_points_that_cannot_be_computed_are_left_out():
    import math

    def picky(x):  # math.sqrt raises for negative numbers, which the larger steps reach
        if x != x:
            raise ValueError("NaN")
        return math.sqrt(x)

    assert argand.check(picky, lambda x: 0.5 / math.sqrt(x), 0.05)


def test_the_selftest_finds_what_was_planted():
    found = argand.selftest()
    assert found, str(found)
    assert {p.mistake for p in found.plants} >= {"conjugated", "twice", "negated", "zero", "transposed", "NaN"}
    assert str(found).endswith("30 of 30 mistakes found, 4 of 4 correct gradients passed")
