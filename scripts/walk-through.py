#!/usr/bin/env python3
"""Executes the commands of docs/tour.md and compares their output with what the page shows.

Every block marked `sh` is run with bash. A block marked `json` or `text` right after it is the output expected of the
command: JSON is compared as data (times only by presence), text line by line. A function defined on one line remains
defined for the later blocks, as in one terminal. `make run` is carried out by starting scripts/run.sh on a free port
with a data directory of its own; afterwards the server is stopped and started again, and must have kept the data.

Needs only Python's standard library. Usage: scripts/walk-through.py
"""
import atexit
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/tour.md"
ADDRESS = "127.0.0.1:8080"
READY = "Try, in another terminal"
# What differs from run to run: compared by presence.
TIMES = ("~create_time", "cost(ns)")


def blocks():
    """The tour's blocks, as (language, text), in order."""
    tour = (ROOT / PAGE).read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```$", tour, re.S | re.M)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def without_times(value):
    if isinstance(value, dict):
        return {k: "TIME" if k in TIMES else without_times(v) for k, v in value.items()}
    if isinstance(value, list):
        return [without_times(v) for v in value]
    return value


class Server:
    """`make run`, without the `make`: on a port and with a data folder of its own."""

    def __init__(self, address, data):
        env = dict(os.environ, RHIZOME_LISTEN=address, RHIZOME_DATA=data, RHIZOME__GRAPH__TIME_ZONE="UTC")
        self.process = subprocess.Popen([ROOT / "scripts/run.sh"], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        # Whatever ends this program, the server must not outlive it.
        atexit.register(self.process.terminate)
        for line in self.process.stdout:
            print("   |", line, end="", flush=True)
            if line.startswith(READY):
                return
        sys.exit("the server did not start")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        rest, _ = self.process.communicate(timeout=120)
        if self.process.returncode != 0:
            sys.exit("the server ended with code %d:\n%s" % (self.process.returncode, rest))


def run_block(text, functions, env, folder):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join([*functions, text])], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit("failed with code %d:\n%s%s" % (done.returncode, done.stdout, done.stderr))
    return done.stdout


def compare(language, expected, printed):
    if language == "json":
        try:
            same = without_times(json.loads(printed)) == without_times(json.loads(expected))
        except ValueError as error:
            sys.exit("not JSON (%s):\n%s" % (error, printed))
    else:
        same = [x.rstrip() for x in printed.strip().splitlines()] == [x.rstrip() for x in expected.strip().splitlines()]
    if not same:
        sys.exit("%s says:\n%s\nbut the command printed:\n%s" % (PAGE, expected, printed))


def main():
    address = "127.0.0.1:%d" % free_port()
    found = blocks()
    commands = [text for language, text in found if language == "sh"]
    if not commands or commands[0].strip() != "make run":
        sys.exit("the tour must begin with `make run`")
    # The binary's link in the repository, as `make run` leaves it, but reached from a folder that may be written to.
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "rhizome", pathlib.Path(folder) / "rhizome")
        data = str(pathlib.Path(folder) / "var")
        env = dict(os.environ, TZ="UTC")
        server = Server(address, data)
        printed = None
        functions = []
        for language, text in found[1:]:
            text = text.replace(ADDRESS, address)
            if language == "sh":
                print("$", text.rstrip().replace("\n", "\n  "), flush=True)
                printed = run_block(text, functions, env, folder)
                functions += re.findall(r"^\w+\(\) \{.*\}$", text, re.M)
            elif language in ("json", "text"):
                if printed is None:
                    sys.exit("an expected output without a command before it:\n" + text)
                compare(language, text, printed)
                printed = None
        server.stop()
        start = time.monotonic()
        server = Server(address, data)
        print("== the second start took %.1f s" % (time.monotonic() - start))
        with urllib.request.urlopen("http://%s/graphs/hugegraph/graph/vertices?label=person&limit=3" % address) as answer:
            if len(json.load(answer)["vertices"]) != 3:
                sys.exit("the second start lost the data")
        server.stop()
    print("%d commands of the tour work as written" % len(commands))


if __name__ == "__main__":
    main()
