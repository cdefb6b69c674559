#!/usr/bin/env python3
"""Gremlin over HTTP, the same requests to several servers in turns, answers compared.

The data are the persons of `rhizome generate snb --persons N --no-text` and who knows whom. Every turn asks every
server the same questions, up to 25 of them, so that what else the machine does falls on all of them alike. Printed:
the median of each question at each server, and how many times as long the others take as the first.

    scripts/compare-gremlin.py --rhizome BIN --hugegraph-api rhizome=URL hugegraph=URL [--gremlin-server NAME=URL]

With --pid, the processor time of each server is measured instead, which does not depend on what else the machine does:
the mean of all rounds, in steps of ten milliseconds over all of them, so that quick questions need many rounds.

A server given with --hugegraph-api is loaded by `rhizome load`; one given with --gremlin-server (anything that speaks
TinkerPop's HTTP protocol, with an empty graph as `g`) by scripts that add vertices and edges.
"""

import argparse
import gzip
import http.client
import io
import json
import os
import pathlib
import random
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.parse

from comparison import KNOWS, TURN, network, text_of

NEIGHBOURS = f"both('{KNOWS}')"


class Server:
    """One connection to a server's Gremlin endpoint."""

    def __init__(self, name, url, hugegraph, pid):
        self.name, self.url, self.hugegraph, self.pid = name, url, hugegraph, pid
        address = urllib.parse.urlsplit(url)
        self.host = address.netloc
        self.connect()
        self.path = "/gremlin" if hugegraph else address.path or "/gremlin"
        # The address of a vertex differs: HugeGraph's ids are made of label and primary key.
        self.vertex_id = {}

    def connect(self):
        address = urllib.parse.urlsplit(self.url)
        self.connection = socket.create_connection((address.hostname, address.port), timeout=600)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def seconds(self):
        """Processor time since its start where its process is known, else the time of day."""
        if self.pid is None:
            return time.perf_counter()
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def request(self, method, path, body=None):
        """Asks, and keeps in `spent` the seconds from the first byte sent to the last received: reading the answer is
        the client's own work. Head and body go in one packet; in two, the server would be woken twice."""
        body = b"" if body is None else json.dumps(body).encode()
        head = (f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nAccept: application/json\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
        begun = self.seconds()
        self.connection.sendall(head.encode() + body)
        received = bytearray()
        while not complete(received):
            part = self.connection.recv(1 << 18)
            if not part:
                raise SystemExit(f"{self.name}: the connection ended within an answer to {method} {path}")
            received += part
        self.spent = self.seconds() - begun
        answer = http.client.HTTPResponse(Replay(bytes(received)), method=method)
        answer.begin()
        data = answer.read()
        if answer.will_close:
            # HugeGraph ends a connection after a number of requests.
            self.connection.close()
            self.connect()
        if answer.getheader("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        if answer.status >= 300:
            raise SystemExit(f"{self.name}: {method} {path} answered {answer.status}: {data[:600]!r}\n{body!r}")
        return json.loads(data) if data else None

    def gremlin(self, text, bindings=None):
        body = {"gremlin": text, "bindings": bindings or {}, "language": "gremlin-groovy"}
        if self.hugegraph:
            body["aliases"] = {"graph": "DEFAULT-hugegraph", "g": "__g_DEFAULT-hugegraph"}
        return plain(self.request("POST", self.path, body)["result"]["data"])


class Replay:
    """Bytes received before, as the socket that `http.client` reads."""

    def __init__(self, data):
        self.data = data

    def makefile(self, _mode):
        return io.BytesIO(self.data)


def complete(received):
    """Whether these bytes are a whole answer."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = bytes(received[:end]).lower()
    if b"content-length:" in head:
        length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
        return len(received) >= end + 4 + length
    return received.endswith(b"0\r\n\r\n") if b"chunked" in head else True


def plain(value):
    """Values without GraphSON's types."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        if set(value) == {"@type", "@value"}:
            inner = value["@value"]
            if value["@type"] == "g:Map":
                return {str(plain(k)): plain(v) for k, v in zip(inner[::2], inner[1::2])}
            return plain(inner)
        return {key: plain(each) for key, each in value.items()}
    return value


def load(server, binary, folder, people, edges):
    """Loads the network into one server and finds the ids of its vertices."""
    if server.hugegraph:
        subprocess.run([binary, "load", "--server", server.url, "--schema", f"{folder}/schema.json", "--mapping",
                        f"{folder}/mapping.json", "--no-verify"], check=True, stdout=subprocess.DEVNULL)
        label = server.request("GET", "/graphs/hugegraph/schema/vertexlabels/person")["id"]
        server.vertex_id = {row["id"]: f"{label}:{row['id']}" for row in people}
        return
    for start in range(0, len(people), 200):
        rows = [[row["id"], row["firstName"]] for row in people[start:start + 200]]
        text = ("ids = []; rows.each { ids << g.addV('person').property('id', it[0])"
                ".property('firstName', it[1]).next().id() }; ids")
        ids = server.gremlin(text, {"rows": rows})
        server.vertex_id.update(zip((row[0] for row in rows), ids))
    for start in range(0, len(edges), 500):
        rows = [[server.vertex_id[a], server.vertex_id[b]] for a, b, _ in edges[start:start + 500]]
        text = f"rows.each {{ g.V(it[0]).as('a').V(it[1]).addE('{KNOWS}').from('a').iterate() }}; 0"
        server.gremlin(text, {"rows": rows})


def operations(people, edges, seed):
    """Name, script, a function that makes the bindings of round n for a server, and whether answers are compared."""
    chance = random.Random(seed)
    picks = [chance.choice(people)["id"] for _ in range(100_000)]
    pairs = [(chance.choice(people)["id"], chance.choice(people)["id"]) for _ in range(1000)]
    names = sorted({row["firstName"] for row in people})
    one = lambda server, n: {"a": server.vertex_id[picks[n % len(picks)]]}
    two = lambda server, n: {"a": server.vertex_id[pairs[n % 1000][0]], "b": server.vertex_id[pairs[n % 1000][1]]}
    name = lambda server, n: {"n": names[n % len(names)]}
    fresh = lambda server, n: {"k": f"new-{seed}-{n}", "a": server.vertex_id[picks[n % len(picks)]]}
    add = ("g.addV('person').property('id', k).property('firstName', 'New').property('lastName', 'New')"
           ".property('gender', 'x').property('birthday', '2000-01-01').property('creationDate', '2020-01-01')"
           ".property('locationIP', '::1').property('browserUsed', 'none')")
    return [
        # name, script, bindings, compared, rounds, is a count or list to compare by
        ("vertex by id", "g.V(a)", one, False, 300),
        ("neighbours", f"g.V(a).{NEIGHBOURS}.id()", one, False, 300),
        ("neighbours counted", f"g.V(a).{NEIGHBOURS}.count()", one, True, 300),
        ("within 2 hops, distinct, counted", f"g.V(a).{NEIGHBOURS}.{NEIGHBOURS}.dedup().count()", one, True, 60),
        ("within 3 hops, distinct, counted", f"g.V(a).{NEIGHBOURS}.{NEIGHBOURS}.{NEIGHBOURS}.dedup().count()", one,
         True, 4),
        ("shortest path by repeat", f"g.V(a).repeat({NEIGHBOURS}.dedup()).until(hasId(b)).path().limit(1).count(local)",
         two, True, 10),
        ("group count", "g.V().hasLabel('person').groupCount().by('firstName')", one, True, 8),
        ("top 10 by degree", f"g.V().hasLabel('person').order().by({NEIGHBOURS}.count(), desc).limit(10).id()", one,
         False, 3),
        ("look-up by an index", "g.V().hasLabel('person').has('firstName', n).count()", name, True, 300),
        ("look-up by an index, elements", "g.V().hasLabel('person').has('firstName', n)", name, False, 300),
        ("count of a label", "g.V().hasLabel('person').count()", one, True, 20),
        ("count of all edges", "g.E().count()", one, True, 3),
        ("addV", add, fresh, False, 200),
        ("addE", None, two, False, 200),
    ]


def add_edge(server):
    properties = ".property('creationDate', '2020-01-01')" if server.hugegraph else ""
    return f"g.V(a).as('a').V(b).addE('{KNOWS}').from('a'){properties}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rhizome", required=True, help="the binary, for generate and load")
    parser.add_argument("--hugegraph-api", nargs="*", default=[], metavar="NAME=URL")
    parser.add_argument("--gremlin-server", nargs="*", default=[], metavar="NAME=URL")
    parser.add_argument("--pid", nargs="*", default=[], metavar="NAME=PID", help="measure processor time")
    parser.add_argument("--persons", type=int, default=10_000)
    parser.add_argument("--rounds", type=float, default=1.0, help="factor for the number of rounds")
    parser.add_argument("--loaded", action="store_true", help="the servers hold the network already")
    parser.add_argument("--only", nargs="*", help="names of operations")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    pids = dict(each.split("=", 1) for each in given.pid)
    named = [(*each.split("=", 1), True) for each in given.hugegraph_api]
    named += [(*each.split("=", 1), False) for each in given.gremlin_server]
    servers = [Server(*each, pids.get(each[0])) for each in named]
    with tempfile.TemporaryDirectory() as folder:
        people, edges = network(given.rhizome, folder, given.persons)
        print(f"{len(people)} persons, {len(edges)} edges", flush=True)
        for server in servers:
            start = time.monotonic()
            if given.loaded and server.hugegraph:
                label = server.request("GET", "/graphs/hugegraph/schema/vertexlabels/person")["id"]
                server.vertex_id = {row["id"]: f"{label}:{row['id']}" for row in people}
            else:
                load(server, given.rhizome, folder, people, edges)
                print(f"{server.name}: loaded in {time.monotonic() - start:.1f} s", flush=True)
    print("| operation | " + " | ".join(f"{server.name}, median" for server in servers) + " | "
          + " | ".join(f"{server.name} / {servers[0].name}" for server in servers[1:]) + " |")
    print("|---" * (2 * len(servers)) + "|")
    for server in servers:
        # Some end a connection that was silent while the others were loaded.
        server.connection.close()
        server.connect()
    for name, script, bindings, compared, rounds in operations(people, edges, given.seed):
        if given.only and name not in given.only:
            continue
        rounds = max(2, int(rounds * given.rounds))
        if given.pid:
            rounds = max(rounds, 50)
        warm = max(1, rounds // 3)
        took = {server.name: [] for server in servers}
        turn = max(1, min(TURN, (warm + rounds) // 4))
        for start in range(0, warm + rounds, turn):
            block = range(start, min(start + turn, warm + rounds))
            answers = [[] for _ in servers]
            for server, kept in zip(servers, answers):
                for n in block:
                    text = script or add_edge(server)
                    values = {key: value for key, value in bindings(server, n).items() if key in text}
                    answer = server.gremlin(text, values)
                    if n >= warm:
                        took[server.name].append(server.spent)
                    kept.append(answer if compared else None)
            for n, row in zip(block, zip(*answers)):
                if any(answer != row[0] for answer in row):
                    raise SystemExit(f"{name}: the servers differ in round {n}: {[str(each)[:200] for each in row]}")
        middle = statistics.mean if pids else statistics.median
        medians = {server.name: middle(took[server.name]) for server in servers}
        # Less than a step of the clock is taken for one.
        first = medians[servers[0].name] or 0.01 / rounds
        print(f"| {name} | " + " | ".join(text_of(medians[server.name]) for server in servers) + " | "
              + " | ".join(f"{medians[server.name] / first:.1f}" for server in servers[1:]) + " |", flush=True)


if __name__ == "__main__":
    main()
