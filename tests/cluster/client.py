"""Requests of the tests of servers over a cluster."""

import json
import time
import urllib.error
import urllib.request


def call(server, method, path, body=None, login=None):
    """The status and the answer; `login`: the header `Authorization`."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} | ({"Authorization": login} if login else {})
    request = urllib.request.Request(server + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def done(server, method, path, body=None, login=None):
    """The answer to a request that must succeed."""
    status, answer = call(server, method, path, body, login)
    assert status < 300, f"{method} {server}{path}: {status} {answer}"
    return answer


def until(what, seconds, holds):
    """Waits until something holds, for so long at most."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < seconds, f"{what}: not within {seconds} s"
        time.sleep(0.02)
    print(f"{what}: after {time.monotonic() - began:.2f} s")
