#!/usr/bin/env python3
"""What walks cost where the graph is larger than the memory for neighbours: the same walks to three servers in turns,
whose memory (`storage.adjacency_cache`) holds the whole graph, about a tenth of it, and nothing.

    scripts/compare-cache-sizes.py --rhizome BIN [--persons 10000] [--rounds 10]

Each server has the persons of `rhizome generate snb --persons N --no-text` and who knows whom. One client walks from
persons in turns. The tenth is of what the first server has in memory once every person was walked from. Printed: the
medians, and how many times as long the walks take as without any memory for neighbours.
"""

import argparse
import importlib
import random
import signal
import statistics
import tempfile

from comparison import TURN, network, text_of

walks = importlib.import_module("compare-walks")
warm = importlib.import_module("compare-warm-writes")

QUESTIONS = {
    "neighbours": lambda server, one, _: server.neighbours(one),
    "within 2 hops, counted": lambda server, one, _: server.within(2)(one),
    "within 3 hops, counted": lambda server, one, _: server.within(3)(one),
    "shortest path": lambda server, one, other: server.path((one, other)),
    "triangles of a person": lambda server, one, _: server.rings(one),
}
# Walks through the whole graph take too long out of rows to be many.
TURNS = {"within 3 hops, counted": 3}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rhizome", required=True, help="the binary")
    parser.add_argument("--persons", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=10, help=f"turns of {TURN} walks of each kind")
    parser.add_argument("--port", type=int, default=18290, help="and the next two")
    given = parser.parse_args()
    chance = random.Random(7)
    running, servers, took = {}, {}, {}

    def start(name, cache):
        port = given.port + len(running)
        running[name] = warm.start(given.rhizome, f"{folder}/{name}", port, cache)
        servers[name] = walks.Rhizome(f"http://127.0.0.1:{port}")
        servers[name].load(given.rhizome, folder)
        servers[name].prepare()

    with tempfile.TemporaryDirectory() as folder:
        people, _ = network(given.rhizome, folder, given.persons)
        ids = [row["id"] for row in people]
        try:
            start("all", "128MiB")
            for person in ids:
                servers["all"].within(1)(person)
            whole = int(float(warm.in_memory(servers["all"].server.url)["rhizome_adjacency_cache_bytes"]))
            start("a tenth", str(whole // 10))
            start("none", "0")
            for turn in range(given.rounds + 1):
                for question, ask in QUESTIONS.items():
                    pairs = [chance.sample(ids, 2) for _ in range(TURNS.get(question, TURN))]
                    for name in chance.sample(list(servers), len(servers)):
                        for one, other in pairs:
                            ask(servers[name], one, other)
                            if turn > 0:
                                took.setdefault((question, name), []).append(servers[name].spent)
            figures = {name: warm.in_memory(server.server.url) for name, server in servers.items()}
        finally:
            for server in running.values():
                server.send_signal(signal.SIGTERM)
            for server in running.values():
                server.wait()
    print(f"memory for all: {whole:,} bytes\n")
    print("| walk | all | a tenth | none | a tenth, times as long as none |\n|---|---:|---:|---:|---:|")
    for question in QUESTIONS:
        median = {name: statistics.median(took[question, name]) for name in servers}
        print(f"| {question} | {' | '.join(text_of(median[name]) for name in ('all', 'a tenth', 'none'))} "
              f"| {median['a tenth'] / median['none']:.2f} |")
    for name, of in figures.items():
        print(f"{name}: {of}")


if __name__ == "__main__":
    main()
