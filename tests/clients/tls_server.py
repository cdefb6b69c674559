"""A server of its own with TLS and users, for the tests of drivers; the program is at RHIZOME_BIN."""

from __future__ import annotations

import contextlib
import json
import os
import re
import ssl
import subprocess
import tempfile
import threading
import urllib.request
from base64 import b64encode
from pathlib import Path
from typing import Any, Iterator

PASSWORD = "a password of tests"
START_SECONDS = 60


class Server:
    """Where a server is, and what its clients need."""

    def __init__(self, folder: Path) -> None:
        self.certificates = folder / "certificates"
        self.ca = self.certificates / "ca.pem"
        self.url = self.bolt = self.gremlin = ""

    def post(self, path: str, body: Any) -> None:
        login = b64encode(f"admin:{PASSWORD}".encode()).decode()
        headers = {"Content-Type": "application/json", "Authorization": f"Basic {login}"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers, method="POST")
        with urllib.request.urlopen(request, timeout=30, context=ssl.create_default_context(cafile=self.ca)) as answer:
            answer.read()


def _program(*arguments: object) -> str:
    command = [os.environ["RHIZOME_BIN"], *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """Makes certificates, also for the user `alice`, and runs a server with them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = Server(folder)
        settings = _program("cert", "dev", "--dir", made.certificates)
        _program("cert", "dev", "--dir", made.certificates, "--client", "alice")
        # All of it below the one [tls] that is printed.
        settings += f"client_ca = '{made.ca}'\n[auth]\nenabled = true\n[storage]\nengine = 'memory'\n"
        for section in ("server", "gremlin", "bolt"):
            settings += f"[{section}]\nlisten = '127.0.0.1:0'\n"
        (folder / "rhizome.toml").write_text(settings)
        command = [os.environ["RHIZOME_BIN"], "serve", "--config", folder / "rhizome.toml"]
        environment = os.environ | {"RHIZOME_ADMIN_PASSWORD": PASSWORD}
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
            late = threading.Timer(START_SECONDS, process.kill)
            late.start()
            try:
                log = ""
                for line in process.stderr:
                    log += line
                    if found := re.search(r"at bolt\+s://(\S+)", line):
                        made.bolt = found[1]
                    if found := re.search(r"at (wss://\S+)", line):
                        made.gremlin = found[1]
                    if found := re.search(r"listening at (https://[^\s,]+)", line):
                        made.url = found[1]
                        break
                assert made.url, f"the server did not start:\n{log}"
                late.cancel()
                # So that it never waits for somebody to read its log.
                threading.Thread(target=process.stderr.read, daemon=True).start()
                yield made
            finally:
                late.cancel()
                process.terminate()
                process.wait(60)
