#!/usr/bin/env python3
"""Cypher over Bolt, the same requests to several servers in turns, answers compared.

The data are the persons of `rhizome generate snb --persons N --no-text` and who knows whom. Every turn asks every
server the same questions, up to 25 of them, so that what else the machine does falls on all of them alike. Printed:
the median of each question at each server, and how many times as long the others take as the first.

    scripts/compare-cypher.py --rhizome BIN --http rhizome=URL --bolt rhizome=HOST:PORT neo4j=HOST:PORT

A server that is also given with --http is loaded by `rhizome load`; the others by Cypher. RUN and PULL are sent in one
packet, and what is timed ends with the last byte of the answer: reading records is the client's own work.

With --lsqb or --lsqb-persons the nine queries of LSQB are asked instead, also of embedded databases, each a package of
Python in an environment of its own:

    scripts/compare-cypher.py --lsqb-persons 1700 --embedded kuzu=PYTHON ladybug=PYTHON --rhizome .. --http .. --bolt ..

With --snb-persons the 21 reads of LDBC's interactive workload are asked, and what each server answers is compared with
the model of tests/cypher/snb.py.
"""

import argparse
import pathlib
import random
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import ldbc
import lsqb
from comparison import KNOWS, TURN, network, text_of
from embedded import Embedded

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "cypher"))
import bolt  # noqa: E402  PackStream, as the runner of the openCypher TCK has it.
import snb  # noqa: E402

COLUMNS = ["firstName", "lastName", "gender", "birthday", "creationDate", "locationIP", "browserUsed"]


def message(tag, *fields):
    """A message in chunks."""
    data = bytes([0xB0 + len(fields), tag]) + b"".join(map(bolt.pack, fields))
    chunks = [data[start:start + 0xFFFF] for start in range(0, len(data), 0xFFFF)]
    return b"".join(struct.pack(">H", len(chunk)) + chunk for chunk in chunks) + b"\0\0"


class Server:
    """One Bolt connection, version 5.0."""

    def __init__(self, name, address):
        self.name = name
        host, port = address.rsplit(":", 1)
        self.connection = socket.create_connection((host, int(port)), timeout=600)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection.sendall(b"\x60\x60\xb0\x17" + b"\0\0\0\5" + bytes(12))
        if self.connection.recv(4) != b"\0\0\0\5":
            raise SystemExit(f"{name}: does not speak Bolt 5.0")
        self.exchange(message(bolt.HELLO, {"user_agent": "compare/1", "scheme": "none"}), 1)

    def exchange(self, request, answers):
        """Sends, waits for so many final messages, and keeps the seconds from first byte to last in `spent`."""
        begun = time.perf_counter()
        self.connection.sendall(request)
        received, at, start = bytearray(), 0, True
        while answers:
            received += self.receive()
            while at + 2 <= len(received):
                size = received[at] << 8 | received[at + 1]
                if at + 2 + size > len(received) or (start and size and at + 4 > len(received)):
                    break
                if start and size and received[at + 3] != bolt.RECORD:
                    answers -= 1
                start = size == 0
                at += 2 + size
        while not start:
            while at + 2 > len(received) or at + 2 + (received[at] << 8 | received[at + 1]) > len(received):
                received += self.receive()
            size = received[at] << 8 | received[at + 1]
            start = size == 0
            at += 2 + size
        self.spent = time.perf_counter() - begun
        return self.read(bytes(received))

    def receive(self):
        received = self.connection.recv(1 << 18)
        if not received:
            raise SystemExit(f"{self.name}: closed the connection")
        return received

    def read(self, received):
        """The records of an answer; a failure ends the program."""
        rows, at, whole = [], 0, b""
        while at < len(received):
            size = received[at] << 8 | received[at + 1]
            whole += received[at + 2:at + 2 + size]
            at += 2 + size
            if size == 0 and whole:
                answer, _ = bolt.unpack(whole, 0)
                whole = b""
                if ord(answer.tag) == bolt.RECORD:
                    rows.append(answer.fields[0])
                elif ord(answer.tag) != bolt.SUCCESS:
                    raise SystemExit(f"{self.name}: {answer.fields}")
        return rows

    def cypher(self, text, parameters=None):
        return self.exchange(message(bolt.RUN, text, parameters or {}, {}) + message(bolt.PULL, {"n": -1}), 2)


def load(server, people, edges):
    """Loads the network by Cypher."""
    server.cypher("CREATE CONSTRAINT FOR (p:person) REQUIRE p.id IS UNIQUE")
    server.cypher("CREATE INDEX FOR (p:person) ON (p.firstName)")
    for start in range(0, len(people), 1000):
        rows = [{**{key: row[key] for key in COLUMNS}, "id": row["id"]} for row in people[start:start + 1000]]
        server.cypher("UNWIND $rows AS row CREATE (p:person) SET p = row", {"rows": rows})
    for start in range(0, len(edges), 1000):
        rows = [list(row) for row in edges[start:start + 1000]]
        server.cypher("UNWIND $rows AS row MATCH (a:person {id: row[0]}), (b:person {id: row[1]}) "
                      f"CREATE (a)-[:{KNOWS} {{creationDate: row[2]}}]->(b)", {"rows": rows})
    server.cypher("CALL db.awaitIndexes()")


def operations(people, seed):
    """Name, query, a function that makes the parameters of round n, whether answers are compared, and rounds."""
    chance = random.Random(seed)
    picks = [chance.choice(people)["id"] for _ in range(100_000)]
    names = sorted({row["firstName"] for row in people})
    one = lambda n: {"a": picks[n % len(picks)]}
    # Neo4j looks for no path from a node to itself.
    pairs = [pair for pair in zip(picks[::2], picks[1::2]) if pair[0] != pair[1]]
    two = lambda n: dict(zip("ab", pairs[n % len(pairs)]))
    name = lambda n: {"n": names[n % len(names)]}
    fresh = lambda n: {"k": f"new-{seed}-{n}"}
    many = lambda n: {"rows": [{"id": f"many-{seed}-{n}-{i}", "name": f"New{i}"} for i in range(500)]}
    links = lambda n: {"rows": [dict(zip("ab", pairs[(n * 500 + i) % len(pairs)])) for i in range(500)]}
    rest = ("lastName: 'New', gender: 'x', birthday: '2000-01-01', creationDate: '2020-01-01', locationIP: '::1', "
            "browserUsed: 'none'")
    start = "MATCH (a:person {id: $a})"
    return [
        ("vertex by key", f"{start} RETURN a", one, False, 300),
        ("neighbours", f"{start}-[:{KNOWS}]-(b) RETURN b.id", one, True, 300),
        ("within 2 hops, distinct, counted", f"{start}-[:{KNOWS}]-()-[:{KNOWS}]-(c) RETURN count(DISTINCT c)", one,
         True, 100),
        ("within 3 hops, distinct, counted", f"{start}-[:{KNOWS}*1..3]-(c) RETURN count(DISTINCT c)", one, True, 6),
        ("shortest path", f"MATCH (a:person {{id: $a}}), (b:person {{id: $b}}), p = shortestPath((a)-[:{KNOWS}*]-(b)) "
         "RETURN length(p)", two, True, 200),
        ("triangles of a person", f"{start}-[:{KNOWS}]-(b)-[:{KNOWS}]-(c)-[:{KNOWS}]-(a) RETURN count(*)", one, True,
         100),
        ("look-up by an index, elements", "MATCH (p:person {firstName: $n}) RETURN p", name, False, 300),
        ("look-up by an index, counted", "MATCH (p:person) WHERE p.firstName = $n RETURN count(*)", name, True, 300),
        ("group count, top 10", f"MATCH (p:person)-[:{KNOWS}]-() RETURN p.id AS id, count(*) AS n "
         "ORDER BY n DESC, id LIMIT 10", lambda n: {}, True, 20),
        ("count of a label", "MATCH (p:person) RETURN count(*)", lambda n: {}, True, 100),
        ("count of all edges", "MATCH ()-[r]->() RETURN count(r)", lambda n: {}, True, 100),
        ("MERGE", f"MERGE (p:person {{id: $k}}) ON CREATE SET p += {{firstName: 'New', {rest}}}", fresh, False, 200),
        ("UNWIND of 500 creates", f"UNWIND $rows AS row CREATE (:person {{id: row.id, firstName: row.name, {rest}}})",
         many, False, 30),
        ("UNWIND of 500 relationships", "UNWIND $rows AS row MATCH (a:person {id: row.a}), (b:person {id: row.b}) "
         f"CREATE (a)-[:{KNOWS} {{creationDate: '2020-01-01'}}]->(b)", links, False, 30),
    ]


def compare_lsqb(given, urls, servers):
    """Each query of each system in turns; the first turn warms up."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        folder = pathlib.Path(given.lsqb) if given.lsqb else lsqb.network(given.rhizome, scratch, given.lsqb_persons)
        lines = lambda names: sum(sum(1 for _ in (folder / f"{name}.csv").open()) - 1 for name in names)
        nodes, edges = lsqb.files(folder)
        print(f"{lines(nodes)} nodes, {lines(map('_'.join, edges))} relationships", flush=True)
        systems = []
        for server in servers:
            begun = time.monotonic()
            if server.name in urls and not given.loaded:
                lsqb.load_by_http(given.rhizome, urls[server.name], folder, scratch)
            elif not given.loaded:
                lsqb.load_by_cypher(server, folder)
            print(f"{server.name}: loaded in {time.monotonic() - begun:.1f} s", flush=True)
            systems.append((server, lsqb.EITHER if server.name in urls else lsqb.MESSAGE, False))
        for each in given.embedded:
            begun = time.monotonic()
            database = Embedded(each, scratch)
            lsqb.load_embedded(database, folder)
            systems.append((database, lsqb.UNION, True))
            print(f"{database.name}: loaded in {time.monotonic() - begun:.1f} s", flush=True)
        names = [system.name for system, _, _ in systems]
        print("| query | count | " + " | ".join(names) + " | "
              + " | ".join(f"{name} / {names[0]}" for name in names[1:]) + " |")
        print("|---|---:" + "|---:" * (2 * len(systems) - 1) + "|")
        for name, text, other in lsqb.QUERIES:
            if given.queries and name not in given.queries:
                continue
            took = {system.name: [] for system, _, _ in systems}
            for turn in range(1 + max(1, int(5 * given.rounds))):
                counts = []
                for system, message, is_embedded in systems:
                    own = other if is_embedded and other else text
                    counts.append(system.cypher(own.format(message=message))[0][0])
                    if turn > 0:
                        took[system.name].append(system.spent)
                if any(count != counts[0] for count in counts):
                    raise SystemExit(f"{name}: the systems differ: {dict(zip(names, counts))}")
            medians = [statistics.median(took[own]) for own in names]
            print(f"| {name} | {counts[0]:,} | " + " | ".join(map(text_of, medians)) + " | "
                  + " | ".join(f"{each / medians[0]:.1f}" for each in medians[1:]) + " |", flush=True)
        for system, _, is_embedded in systems:
            if is_embedded:
                system.close()


def compare_snb(given, urls, servers):
    """The reads of LDBC's interactive workload, each with the same parameters at each server, in turns."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = ldbc.network(given.rhizome, scratch, given.snb_persons)
        for server in [] if given.loaded else servers:
            begun = time.monotonic()
            if server.name in urls:
                ldbc.load_by_http(given.rhizome, urls[server.name], folder)
            else:
                ldbc.load_by_cypher(server, folder)
            print(f"{server.name}: loaded in {time.monotonic() - begun:.1f} s", flush=True)
        model = snb.Model(folder)
    print(f"{len(model.person)} persons, {len(model.message)} messages", flush=True)
    chance = random.Random(given.seed)
    asked = [snb.parameters(model, chance) for _ in range(max(2, int(20 * given.rounds)))]
    table_head([server.name for server in servers], "query")
    for query, text in snb.QUERIES.items():
        if given.queries and query not in given.queries:
            continue
        text, took = snb.cypher_of(text), {server.name: [] for server in servers}
        rounds = [own for own in asked if query not in ("IC13", "IC14") or own["person"] != own["other"]]
        answers = [snb.plain(query, model.answer(query, own)) for own in rounds]
        for turn in range(2):
            for server in servers:
                for own, answer in zip(rounds, answers):
                    found = server.cypher(text, {name: value for name, value in own.items() if f"${name}" in text})
                    if snb.plain(query, found) != answer:
                        raise SystemExit(f"{query}: {server.name} answers {found} instead of {answer} for {own}")
                    if turn > 0:
                        took[server.name].append(server.spent)
        table_row(query, [statistics.median(took[server.name]) for server in servers])


def table_head(names, first):
    print(f"| {first} | " + " | ".join(names) + " | " + " | ".join(f"{name} / {names[0]}" for name in names[1:]) + " |")
    print("|---" + "|---:" * (2 * len(names) - 1) + "|")


def table_row(name, medians):
    print(f"| {name} | " + " | ".join(map(text_of, medians)) + " | "
          + " | ".join(f"{each / medians[0]:.1f}" for each in medians[1:]) + " |", flush=True)


def ordered(rows):
    return sorted(rows, key=repr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rhizome", required=True, help="the binary, for generate and load")
    parser.add_argument("--http", nargs="*", default=[], metavar="NAME=URL", help="loaded by `rhizome load`")
    parser.add_argument("--bolt", nargs="+", required=True, metavar="NAME=HOST:PORT")
    parser.add_argument("--persons", type=int, default=10_000)
    parser.add_argument("--rounds", type=float, default=1.0, help="factor for the number of rounds")
    parser.add_argument("--loaded", action="store_true", help="the servers hold the network already")
    parser.add_argument("--only", nargs="*", help="names of operations")
    parser.add_argument("--seed", type=int, default=1, help="of the persons asked for; new vertices differ by it")
    parser.add_argument("--lsqb", metavar="FOLDER", help="the queries of LSQB on the network of a folder")
    parser.add_argument("--lsqb-persons", type=int, help="the queries of LSQB on a generated network")
    parser.add_argument("--embedded", nargs="*", default=[], metavar="MODULE[=PYTHON]", help="for LSQB")
    parser.add_argument("--snb-persons", type=int, help="the reads of LDBC's interactive workload on such a network")
    parser.add_argument("--queries", nargs="*", help="of LSQB, q1 and so on; of LDBC's reads, IS1 and so on")
    given = parser.parse_args()
    urls = dict(each.split("=", 1) for each in given.http)
    servers = [Server(*each.split("=", 1)) for each in given.bolt]
    if given.lsqb or given.lsqb_persons:
        return compare_lsqb(given, urls, servers)
    if given.snb_persons:
        return compare_snb(given, urls, servers)
    with tempfile.TemporaryDirectory() as folder:
        people, edges = network(given.rhizome, folder, given.persons)
        print(f"{len(people)} persons, {len(edges)} edges", flush=True)
        for server in [] if given.loaded else servers:
            begun = time.monotonic()
            if server.name in urls:
                subprocess.run([given.rhizome, "load", "--server", urls[server.name], "--schema",
                                f"{folder}/schema.json", "--mapping", f"{folder}/mapping.json", "--no-verify"],
                               check=True, stdout=subprocess.DEVNULL)
            else:
                load(server, people, edges)
            print(f"{server.name}: loaded in {time.monotonic() - begun:.1f} s", flush=True)
    table_head([server.name for server in servers], "operation")
    for name, text, parameters, compared, rounds in operations(people, given.seed):
        if given.only and name not in given.only:
            continue
        rounds = max(2, int(rounds * given.rounds))
        warm = max(1, rounds // 3)
        took = {server.name: [] for server in servers}
        turn = max(1, min(TURN, (warm + rounds) // 4))
        for first in range(0, warm + rounds, turn):
            block = range(first, min(first + turn, warm + rounds))
            answers = [[] for _ in servers]
            for server, kept in zip(servers, answers):
                for n in block:
                    answer = server.cypher(text, parameters(n))
                    if n >= warm:
                        took[server.name].append(server.spent)
                    kept.append(ordered(answer) if compared else len(answer))
            for n, row in zip(block, zip(*answers)):
                if any(answer != row[0] for answer in row):
                    raise SystemExit(f"{name}: the servers differ in round {n}: {[str(each)[:200] for each in row]}")
        table_row(name, [statistics.median(took[server.name]) for server in servers])


if __name__ == "__main__":
    main()
