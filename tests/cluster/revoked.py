"""Rights, passwords, users and tokens that are taken back through one server over a store are of no use at the other one
after `cluster.stale_ms`.

usage: revoked.py URL1 URL2 STALE_MS     users are on; the administrator is `admin` with $RHIZOME_ADMIN_PASSWORD
"""

import base64
import os
import sys
import threading
import time
import urllib.parse

import client

first, second, stale_s = sys.argv[1], sys.argv[2], int(sys.argv[3]) / 1000
ADMIN = f"admin:{os.environ['RHIZOME_ADMIN_PASSWORD']}"
PATIENCE_S = 60
WORKERS = 8
"""Connections that ask the second server all the time."""


def basic(login):
    return "Basic " + base64.b64encode(login.encode()).decode()


def call(server, login, method, path, body=None):
    return client.call(server, method, path, body, login)


def done(method, path, body=None, login=basic(ADMIN)):
    return client.done(first, method, path, body, login)


def reads(login):
    return call(second, login, "GET", LIST)[0] == 200


def taken_back(what, login, take_back):
    """Asks the second server all the time while something is taken back through the first one. No request that is begun
    later than `stale_s` after that is answered."""
    began = time.monotonic()
    while not reads(login):
        assert time.monotonic() - began < PATIENCE_S, f"{what}: what was given is not seen"
        time.sleep(0.02)
    stop, last = threading.Event(), [0.0] * WORKERS

    def work(at):
        while not stop.is_set():
            asked = time.monotonic()
            if reads(login):
                last[at] = asked
            else:
                time.sleep(0.02)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(WORKERS)]
    [thread.start() for thread in threads]
    while min(last) == 0.0:
        time.sleep(0.02)
    take_back()
    taken = time.monotonic()
    time.sleep(stale_s + 1)
    stop.set()
    [thread.join() for thread in threads]
    assert max(last) > 0.0, f"{what}: nothing was answered before"
    late = max(last) - taken
    assert late <= stale_s, f"{what}: answered {late:.2f} s after it was taken back, cluster.stale_ms is {stale_s} s"
    assert not reads(login), f"{what}: still of use"
    print(f"{what}: the last request that was answered began {late:+.2f} s after it was taken back")


G = "/graphs/hugegraph"
LIST = G + "/graph/vertices?limit=1"
stamp = str(int(time.time()))
users = {name: f"{name}{stamp}" for name in ("right", "password", "member", "user", "token", "key")}
group = done("POST", "/auth/groups", {"group_name": "readers" + stamp})["id"]
target = done("POST", "/auth/targets", {
    "target_name": "everything" + stamp, "target_graph": "hugegraph", "target_url": "x",
    "target_resources": [{"type": "ALL"}],
})["id"]
path_of = lambda element: urllib.parse.quote(element, safe="")
access = done("POST", "/auth/accesses", {"group": group, "target": target, "access_permission": "READ"})["id"]
belongs, secret = {}, "a password of tests"
for name, user in users.items():
    done("POST", "/auth/users", {"user_name": user, "user_password": secret})
    belongs[name] = done("POST", "/auth/belongs", {"user": f"-31:{user}", "group": group})["id"]


login = {name: basic(f"{user}:{secret}") for name, user in users.items()}
taken_back("a password", login["password"],
           lambda: done("PUT", "/auth/users/" + users["password"], {"user_password": "another " + secret}))
taken_back("membership in a group", login["member"],
           lambda: done("DELETE", "/auth/belongs/" + path_of(belongs["member"])))
taken_back("a user", login["user"], lambda: done("DELETE", "/auth/users/" + users["user"]))
token = done("POST", "/auth/login", {"user_name": users["token"], "user_password": secret})["token"]
bearer = "Bearer " + token
taken_back("a token", bearer, lambda: done("DELETE", "/auth/logout", login=bearer))
key = done("POST", "/auth/keys", {}, login=login["key"])
bearer = "Bearer " + key["key"]
taken_back("an API key", bearer,
           lambda: done("DELETE", "/auth/keys/" + path_of(str(key["id"])), login=login["key"]))
taken_back("a right", login["right"], lambda: done("DELETE", "/auth/accesses/" + path_of(access)))
print("all right")
