"""A headless Chromium that is controlled through its DevTools protocol, over two pipes."""
import base64
import json
import os
import shutil
import subprocess
import tempfile


def chromium():
    """The path of the program, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One browser page. `requests` are the addresses that it requested, `console` its console messages and uncaught exceptions."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.from_, theirs_out = os.pipe()

        def numbered():  # the browser reads from descriptor 3 and writes to 4
            a, b = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"],
            preexec_fn=numbered, close_fds=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.requests, self.console, self.rest, self.next, self.session = [], [], b"", 0, None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            read = os.read(self.from_, 1 << 20)
            if not read:
                raise RuntimeError("the browser is gone")
            self.rest += read
        one, _, self.rest = self.rest.partition(b"\0")
        return json.loads(one)

    def call(self, method, **parameters):
        self.next += 1
        order = {"id": self.next, "method": method, "params": parameters}
        if self.session:
            order["sessionId"] = self.session
        os.write(self.to, json.dumps(order).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.event(answer.get("method"), answer.get("params", {}))

    def event(self, method, what):
        if method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"][:200])
        elif method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.consoleAPICalled":
            self.console.append(" ".join(str(a.get("value", a.get("description"))) for a in what["args"]))
        elif method == "Log.entryAdded":
            self.console.append(f"{what['entry']['text']} {what['entry'].get('url', '')}")
        elif method == "Runtime.exceptionThrown":
            self.console.append(what["exceptionDetails"].get("exception", {}).get("description", what["exceptionDetails"]["text"]))

    def resize(self, width=1280, height=900, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def open(self, address, width=1280, height=900, mobile=False):
        self.resize(width, height, mobile)
        for url in ("about:blank", address):
            self.loaded = False
            self.call("Page.navigate", url=url)
            while not self.loaded:
                one = self.message()
                self.event(one.get("method"), one.get("params", {}))

    def colours(self, theme):
        """Sets the colour scheme that the user's system prefers: "light" or "dark"."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def run(self, script):
        """The value of a script, or what it resolves to if it is a promise."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"].get("exception", {}).get("description", done["exceptionDetails"]["text"]))
        return done["result"].get("value")

    def picture(self, path):
        """Saves a screenshot of the whole page, at its full length."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        self.part(path, 0, 0, size["width"], size["height"])

    def part(self, path, x, y, width, height):
        """Saves a screenshot of a rectangle of the page."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip={"x": x, "y": y, "width": width, "height": height, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()
        self.profile.cleanup()
