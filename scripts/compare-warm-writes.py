#!/usr/bin/env python3
"""What writes lose while neighbours are kept in memory: the same inserts to two servers in turns, one of which keeps
the neighbours of every vertex (`storage.adjacency_cache`) and one that keeps none.

    scripts/compare-warm-writes.py --rhizome BIN [--persons 10000] [--rounds 20]

Both servers are started by this program with RocksDB and loaded with the persons of `rhizome generate snb` and who
knows whom. Then every person's neighbours are asked for at both, which fills the one server's cache. Edges are inserted
between persons, so that every one of them must be registered. Printed: the medians of a request, the ratio, and how many
neighbours the first server had in memory before and after.
"""

import argparse
import importlib
import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import tempfile
import time
import urllib.request

from comparison import KNOWS, network, text_of

http = importlib.import_module("compare-gremlin")
walks = importlib.import_module("compare-walks")


def start(binary, folder, port, cache):
    """A server in a folder of its own."""
    settings = {"RHIZOME__STORAGE__ADJACENCY_CACHE": cache, "RHIZOME__GREMLIN__ENABLED": "false",
                "RHIZOME__BOLT__ENABLED": "false", "RHIZOME__LOG__LEVEL": "warn"}
    log = open(f"{folder}.log", "w")
    server = subprocess.Popen([binary, "serve", "--listen", f"127.0.0.1:{port}", "--data", folder],
                              env=os.environ | settings, stdout=log, stderr=log)
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health").read()
            return server
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.1)
    raise SystemExit(f"the server did not start: {pathlib.Path(f'{folder}.log').read_text()[-2000:]}")


def in_memory(url):
    """The figures of the cache, from /metrics."""
    text = urllib.request.urlopen(f"{url}/metrics").read().decode()
    return dict(re.findall(r"^(rhizome_adjacency\S*) (\S+)$", text, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rhizome", required=True, help="the binary")
    parser.add_argument("--persons", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=20, help="turns of 25 single inserts and 4 batches each")
    parser.add_argument("--port", type=int, default=18190, help="and the next one")
    given = parser.parse_args()
    chance = random.Random(5)
    started = []
    with tempfile.TemporaryDirectory() as folder:
        people, _ = network(given.rhizome, folder, given.persons)
        servers = {}
        try:
            for at, (name, cache) in enumerate([("kept", "128MiB"), ("none", "0")]):
                started.append(start(given.rhizome, f"{folder}/{name}", given.port + at, cache))
                servers[name] = walks.Rhizome(f"http://127.0.0.1:{given.port + at}")
                servers[name].load(given.rhizome, folder)
                servers[name].prepare()
                for row in people:
                    servers[name].within(1)(row["id"])
            before = in_memory(servers["kept"].server.url)
            took = {}
            def insert(name, kind, rows):
                path = f"{walks.GRAPH}/graph/edges" + ("/batch" if kind == "500 edges" else "")
                servers[name].server.request("POST", path, rows if kind == "500 edges" else rows[0])
                took.setdefault((kind, name), []).append(servers[name].server.spent)
            def edge():
                one, other = chance.sample(people, 2)
                at = servers["kept"].id
                return {"label": KNOWS, "outV": at(one["id"]), "inV": at(other["id"]), "outVLabel": "person",
                        "inVLabel": "person", "properties": {"creationDate": "2012-01-01 00:00:00.000"}}
            for turn in range(given.rounds + 2):
                for kind, size, times in [("one edge", 1, 25), ("500 edges", 500, 4)]:
                    bodies = [[edge() for _ in range(size)] for _ in range(times)]
                    order = list(servers) if turn % 2 else list(servers)[::-1]
                    for name in order:
                        for rows in bodies:
                            insert(name, kind, rows)
                if turn == 1:
                    took.clear()
            after = in_memory(servers["kept"].server.url)
        finally:
            for server in started:
                server.send_signal(signal.SIGTERM)
            for server in started:
                server.wait()
    print("| inserts | neighbours kept | none kept | speed kept |\n|---|---:|---:|---:|")
    for kind in ["one edge", "500 edges"]:
        kept, none = (statistics.median(took[kind, name]) for name in ["kept", "none"])
        print(f"| {kind} | {text_of(kept)} | {text_of(none)} | {none / kept * 100:.1f} % |")
    for name in sorted(after):
        print(f"{name}: {before.get(name)} before, {after[name]} after")


if __name__ == "__main__":
    main()
