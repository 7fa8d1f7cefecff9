"""argand report --follow: serves the page of a run that is still training, only to this machine.

  follow_test.py ARGAND_PROGRAM
"""
import glob
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

argand = sys.argv[1]
chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
failures = []
OPTIONS = "--n-layers 1 --d-model 16 --n-heads 2 --d-ff 16 --length 16 --batch 2 --warmup 2 --threads 1 --checkpoint-every 50".split()


def expect(rule, text):
    if not rule:
        failures.append(text)


def request(port, target, method="GET", host=None):
    """Returns status, content type and body of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, target, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    return answer.status, answer.getheader("Content-Type"), answer.read().decode()


def other_addresses():
    """Addresses of this machine outside 127.0.0.0/8, as (family, address): those its host name resolves to, if any, and the source address of
    outgoing packets (connecting a datagram socket sends none)."""
    found = set()
    try:
        found |= {(a[0], a[4][0]) for a in socket.getaddrinfo(socket.gethostname(), None)}
    except socket.gaierror:
        pass
    for family, elsewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as route:
                route.connect((elsewhere, 9))
                found.add((family, route.getsockname()[0]))
        except OSError:
            pass
    return {(family, address) for family, address in found if not address.startswith("127.")}


def follow(run, *options):
    """Starts the server; returns its process and its port."""
    process = subprocess.Popen([argand, "report", run, "--follow", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/ in a browser on this machine; end with Ctrl-C\n", line)
    if found is None:
        sys.exit(f"report --follow says {line!r} {process.stderr.read()!r}")
    return process, int(found.group(1))


def step_of(port):
    status, kind, body = request(port, "/data?since=0")
    expect(status == 200 and kind == "application/json", f"/data: {status} {kind}")
    data = json.loads(body)
    return data["live"], data["runs"][0]["step"]


def wait_for(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what}: not within {seconds} seconds")
        time.sleep(0.2)


def a_page_keeps_up(run):
    process, port = follow(run)
    status, kind, page = request(port, "/")
    expect(status == 200 and kind == "text/html; charset=utf-8", f"/: {status} {kind}")
    expect("default-src 'none'; connect-src 'self'" in page, "the page's policy must allow requests to its own server only")
    number, step = step_of(port)
    wait_for("a later step", lambda: step_of(port)[1] > step)
    expect(step_of(port)[0] > number, "new data must have a new number")
    for target, method, host, status in (("/elsewhere", "GET", None, 404), ("/", "POST", None, 405), ("/", "GET", "evil.example", 403),
                                         ("/", "GET", f"localhost:{port}", 200), ("/favicon.ico", "GET", None, 204),
                                         ("/data?since=nonsense", "GET", None, 200)):
        expect(request(port, target, method, host)[0] == status, f"{method} {target} of {host} is not {status}")
    if chromium:
        for budget in (15000, 60000, 240000):  # in the page's virtual time; on a busy machine the run may write nothing meanwhile
            with tempfile.TemporaryDirectory() as profile:
                done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                                       "--enable-logging=stderr", f"--virtual-time-budget={budget}", "--dump-dom", f"http://127.0.0.1:{port}/"],
                                      capture_output=True, text=True, timeout=300, check=False)
            html = re.search(r"<html[^>]*>", done.stdout).group()
            if "data-updates=" in html:
                break
        expect('data-errors="0"' in html and "data-updates=" in html, f"the page in a browser: {html}")
        expect(re.search(r"live: step \d", done.stdout), "the page does not show its step")
        for line in done.stderr.splitlines():
            expect("CONSOLE" not in line, line)
    # The server does not listen on the machine's other addresses.
    for family, address in other_addresses():
        with socket.socket(family, socket.SOCK_STREAM) as other:
            other.settimeout(5)
            expect(other.connect_ex((address, port)) != 0, f"the server also answers at {address}")
    # A client that connects and sends nothing must not block others.
    with socket.create_connection(("127.0.0.1", port)):
        expect(request(port, "/")[0] == 200, "a silent client blocks others")
        taken = subprocess.run([argand, "report", run, "--follow", "--port", str(port)], capture_output=True, text=True, check=False)
        expect(taken.returncode == 1 and taken.stderr == f"argand: report: cannot listen on port {port} of this machine: Address already in use\n",
               f"with a port in use: {taken.stderr!r}")
        process.send_signal(signal.SIGINT)
        expect(process.wait(20) == 0, "Ctrl-C must end the server with exit code 0")


def a_run_that_has_ended(run):
    process, port = follow(run, "--threads", "1")
    number, _ = step_of(port)
    time.sleep(1.5)
    expect(request(port, f"/data?since={number}")[0] == 204, "a finished run must have no new data")
    process.terminate()
    expect(process.wait(20) == 0, "SIGTERM must end the server with exit code 0")


def idle_visitors_keep_nobody_out(run):
    """Opens more connections than the server may open files, and sends nothing over any of them. One checkpoint is a link to itself."""
    few = 100
    process = subprocess.Popen([argand, "report", run, "--follow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few)))
    port = int(re.search(r":(\d+)/", process.stdout.readline()).group(1))
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(3 * few)]
    expect(request(port, "/")[0] == 200, "300 silent clients block others")
    last = os.path.join(run, "last.safetensors")
    os.rename(last, last + ".kept")
    os.symlink("last.safetensors", last)
    time.sleep(3)
    expect(request(port, "/data?since=0")[0] == 200, "a link to itself in the run's folder breaks the page")
    expect(process.poll() is None, "a link to itself ends the server")
    os.remove(last)
    os.rename(last + ".kept", last)
    ticks = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    expect((int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK") < 20, "the server busy-waits")
    for connection in silent:
        connection.close()
    process.terminate()
    expect(process.wait(20) == 0, "SIGTERM must end the server with exit code 0")


with tempfile.TemporaryDirectory() as scratch:
    run = os.path.join(scratch, "run")
    training = subprocess.Popen([argand, "train", "lm", "--out", run, "--steps", "1000000", *OPTIONS], stdout=subprocess.DEVNULL)
    try:
        wait_for("the first steps", lambda: glob.glob(os.path.join(run, "step-*.safetensors")))
        a_page_keeps_up(run)
    finally:
        training.kill()
        training.wait()
    a_run_that_has_ended(run)
    idle_visitors_keep_nobody_out(run)
    wrong = subprocess.run([argand, "report", run, "--port", "8000"], capture_output=True, text=True, check=False)
    expect(wrong.returncode == 2 and wrong.stderr.startswith("argand: report: --port requires --follow"), f"--port alone: {wrong.stderr!r}")
for failure in failures:
    print(failure)
print("the page followed the run" if not failures else f"{len(failures)} failures")
sys.exit(1 if failures else 0)
