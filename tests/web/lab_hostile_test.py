"""The lab with hostile input and links: broken states, poles, cuts, NaN, infinities, unreadable answers. It must say what is wrong,
draw only finite numbers, accept no wrong answer, and keep working.

  lab_hostile_test.py LAB_HTML

Skipped, with a message, if `./dev web` has not built the page or chromium is not installed.
"""
import json
import os
import sys
from urllib.parse import quote, urlencode

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, chromium

page = os.path.abspath(sys.argv[1])
if not os.path.exists(page):
    print("skipped: the lab's page has not been built (./dev web builds it, with Emscripten)")
    sys.exit(77)
if chromium() is None:
    print("skipped: chromium is not installed (./dev install-deps --all)")
    sys.exit(77)

failures = []


def expect(rule, text):
    if not rule:
        failures.append(text)


CHECKED = """new Promise((done, fail) => { const began = Date.now();
  const look = () => document.documentElement.dataset.checked ? done(0) : Date.now() - began > 60000 ? fail(new Error(document.getElementById("summary").textContent)) : setTimeout(look, 5);
  look(); })"""
RESTS = "(async () => { do await new Promise((next) => setTimeout(next, 20)); while (busy || checking); })()"


def text_of(browser, selector):
    return browser.run(f"document.querySelector({json.dumps(selector)}).textContent")


def open_at(browser, fragment):
    browser.open("file://" + page + "#" + fragment)
    browser.run(CHECKED)


def sound(browser, where):
    """Checks what must hold for any input: a summary is shown, only finite numbers are drawn, and there is no error."""
    browser.run(RESTS)
    summary = text_of(browser, "#summary")
    expect(summary and "unpacked" not in summary, f"{where}: the summary says \"{summary}\"")
    bad = browser.run("[...document.querySelectorAll('svg, .grip')].map((one) => one.outerHTML.match(/[^\\w](NaN|Infinity|undefined|null)/)?.[0]).filter(Boolean)")
    expect(not bad, f"{where}: {bad} is drawn")
    far = browser.run("Math.max(0, ...[...document.querySelectorAll('svg path')].flatMap((one) => one.getAttribute('d').match(/-?[0-9.]+/g).map(Number)).map(Math.abs))")
    expect(far <= 2000, f"{where}: a line ends at {far}, far outside the view of 100; its dashes take seconds to draw")
    words = browser.run("document.querySelector('main').innerText.match(/\\b(undefined|null|\\[object)/)?.[0]")
    expect(not words, f"{where}: the page shows {words}")
    expect(browser.run("document.documentElement.dataset.errors") == "0" and not browser.console, f"{where}: errors, {browser.console[:3]}")
    browser.console.clear()


def links(browser):
    """Links may come from anyone, so impossible parts of them must be either ignored or reported."""
    for fragment in ("f=", "f=%20%20", "f=%00", "f=%E0%A4%A", "f=%F0%9F%98%80", "f=" + "(" * 300, "f=" + quote("z+" * 2000), "f=z%5E", "f=%3Cimg src=x onerror=alert(1)%3E",
                     "f=f(z)=z=z", "f=w%2B1", "z=nan,nan", "z=1e999,0", "z=,", "z=1,2,3", "z=abc", "z=%3Cb%3E", "radius=-5&view=99&rate=abc&turn=1e99", "radius=NaN&view=1.5",
                     "exercise=nonsense", "exercise=dz,dz,dz", "exercise=dz&f=(((", "theme=purple", "dz=(((&dzbar=%25&gradient=" + "z" * 3000, "&&&===", "%"):
        open_at(browser, fragment)
        sound(browser, fragment[:40])
        expect(browser.run("byId('play') && finite(state.at) && state.radius > 0 && VIEWS[state.view] > 0"), f"{fragment[:40]}: an impossible state, {browser.run('JSON.stringify(state)')[:200]}")
        expect(browser.run("document.querySelectorAll('#summary img, #fault img, #task img, #command img').length") == 0, f"{fragment[:40]}: the link inserts HTML into the page")
    # A link to the current state restores it, regardless of what was typed.
    open_at(browser, urlencode({"f": "|z|^2 + 0*re(z)", "z": "-0.5,2", "dz": "z̄ & <b>", "gradient": "((("}))
    browser.open("file://" + page + browser.run("addressOf(state.exercise)"))
    browser.run(CHECKED)
    expect(browser.run("[state.f, state.at[1], answerField('dz').value, answerField('gradient').value]") == ["|z|^2 + 0*re(z)", 2, "z̄ & <b>", "((("], "a link to the current state does not restore it")
    browser.run("byId('copy').click()")
    browser.run("new Promise((done) => { const look = () => byId('copied').textContent ? done(0) : setTimeout(look, 10); look(); })")
    copied = text_of(browser, "#copied")
    expect(copied == "copied" or copied.startswith("file://") and "#f=" in copied, f"the copy button shows \"{copied}\"")


# What the lab must say, and must not say, at points where functions break down.
POINTS = [("1/z", "0,0", ["no derivative here"], ["Holomorphic here"]), ("1/z^2", "0,0", ["no derivative here"], []), ("z/z", "0,0", ["no derivative here"], []),
          ("log(z)", "0,0", ["no derivative here"], []), ("log(z)", "-1,0", ["no derivative here"], ["Holomorphic here"]), ("angle(z)", "-1,0", ["no derivative here"], []),
          ("sqrt(z)", "0,0", ["no derivative here"], []), ("z^0.5", "-1,0", ["no derivative here"], []), ("|z|", "0,0", ["no derivative here"], []),
          ("z/|z|", "0,0", ["no derivative here"], []), ("1/(1/z)", "0,0", ["no derivative here"], []), ("exp(1000*z)", "1,0", [], ["Holomorphic here and around"]),
          ("tan(z)", "1.5707963,0", [], []), ("lgamma(|z|)", "0,0", ["no derivative here"], []), ("relu(re(z))", "0,1", ["no derivative here"], []),
          ("modrelu(z, -1)", "1,0", ["no derivative here"], []), ("z*1e308*1e308", "1,1", [], ["Holomorphic here and around"]), ("0*z", "0,0", [], ["ellipse with"]), ("3", "1,1", [], [])]


def points(browser):
    for f, z, there, not_there in POINTS:
        open_at(browser, urlencode({"f": f, "z": z}))
        sound(browser, f"{f} at {z}")
        words = " ".join(text_of(browser, part) for part in ("#summary", "#verdict", "#walks", "#axes"))
        for text in there:
            expect(text in words, f"{f} at {z} does not say \"{text}\": {words}")
        for text in not_there:
            expect(text not in words, f"{f} at {z} says \"{text}\": {words}")
    # Drags across a pole, along a cut, and to points where both derivatives are 0 or nearly 0.
    for f in ("1/z", "log(z)", "sqrt(z)", "z/|z|", "modrelu(z, -0.5)", "z^3", "(z + 0.01)^4 * 1e-6", "exp(1/z)"):
        open_at(browser, urlencode({"f": f, "z": "-0.02,0"}))
        for x in (-0.01, 0, 0.01, -1, -0.0):
            browser.run(f"moveTo([{x}, 0])")
            sound(browser, f"{f}, dragged to {x}")
    # If a function cannot be parsed, the last valid one stays, and the next one works again.
    open_at(browser, urlencode({"f": "z^2", "z": "1,1"}))
    for text in ("z^", "", "z +* z", "((((", "f(z,w) = z*w", "z" * 5000):
        browser.run(f"{{ byId('expression').value = {json.dumps(text)}; byId('expression').dispatchEvent(new Event('input')); }}")
        sound(browser, f"typed {text[:10]}")
        expect(not browser.run("byId('fault').hidden"), f"no error for {text[:10]}")
    browser.run("{ byId('expression').value = 'z²'; byId('expression').dispatchEvent(new Event('input')); }")
    sound(browser, "typed z²")
    expect(browser.run("byId('fault').hidden && reply.value[1] === 2"), "a valid function is ignored after an invalid one")


def answers(browser):
    """Answers that cannot be parsed, are correct nowhere, or are correct only at points that do not count."""
    open_at(browser, urlencode({"f": "|z|^2", "z": "1,0"}))  # at a real point, a superfluous conjugate makes no difference
    put = "{ const field = byId('answer-%s'); field.value = %s; field.dispatchEvent(new Event('input')); }"
    for text in ("((((", "z^^2", "z/0", "0/0", "nan", "2z̄z", "w", "z*", ".", "|z", "2*z*(1 + im(z))", "2*re(z)", "2*z̄", "2", "re(", "∂", "z" * 3000, "2*z + 1e-3", "f(z) = ", "<b>2z</b>"):
        browser.run(put % ("gradient", json.dumps(text)))
        sound(browser, f"answer {text[:20]}")
        said = text_of(browser, "output[for=answer-gradient]")
        expect(said and not said.startswith("right") or "factor" in said, f"the verdict on the answer {text[:20]} is \"{said}\"")
    for text in ("2z", "2·z", "2*(x + i*y)", "f(z) = 2z", "z + z", "2|z|^2/z̄".replace("2|", "2*|")):
        browser.run(put % ("gradient", json.dumps(text)))
        sound(browser, f"answer {text}")
        expect(text_of(browser, "output[for=answer-gradient]") == "right", f"{text}: " + text_of(browser, "output[for=answer-gradient]"))
    browser.run(put % ("gradient", '""'))
    sound(browser, "no answer")
    expect(text_of(browser, "output[for=answer-gradient]") == "", "an empty answer has a verdict")


browser = Browser()
try:
    links(browser)
    points(browser)
    answers(browser)
finally:
    browser.close()
for text in failures[:40]:
    print(text)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
