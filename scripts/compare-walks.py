#!/usr/bin/env python3
"""Walks over Rhizome's REST API, the same questions to other graph databases in turns, answers compared.

The data are the persons of `rhizome generate snb --persons N --no-text` and who knows whom. Every turn asks every
database the same questions, up to 25 of them, so that what else the machine does falls on all of them alike. Printed:
the median of each question, how many times as long the others take as Rhizome, and the goals of the project.

    scripts/compare-walks.py --rhizome BIN --url URL [--neo4j HOST:PORT] [--embedded kuzu ladybug] [--rounds 1.0]

Neo4j is asked over Bolt in Cypher and loaded by it. Kuzu and Ladybug run in a process of this program (`pip install
kuzu ladybug`): they are asked without a network, with statements that are prepared. Each is asked in the form of the
question that it answers fastest, as far as known. What is timed over a network ends with the last byte.
"""

import argparse
import csv
import importlib
import json
import pathlib
import random
import statistics
import subprocess
import tempfile
import time
import urllib.parse

from comparison import KNOWS, TURN, network, text_of
from embedded import Embedded

bolt = importlib.import_module("compare-cypher")
http = importlib.import_module("compare-gremlin")

GRAPH = "/graphs/hugegraph"
WALK = f"direction=BOTH&label={KNOWS}&max_degree=-1&capacity=-1"
# How many times as long as Rhizome the other must take, where that is a goal: (question, other) and the factor.
GOALS = {
    ("neighbours", "neo4j"): 6, ("within 2 hops, counted", "neo4j"): 13, ("shortest path", "neo4j"): 3,
    ("triangles of a person", "neo4j"): 7, ("look-up by an index, elements", "neo4j"): 3,
    ("within 3 hops, counted", "kuzu"): 3,
}


class Rhizome:
    """One connection to Rhizome's REST API."""

    def __init__(self, url):
        self.name = "Rhizome"
        self.server = http.Server("Rhizome", url, True, None)
        self.label = None

    def id(self, key):
        return f"{self.label}:{key}"

    def get(self, path, **parameters):
        query = urllib.parse.urlencode({name: json.dumps(value) for name, value in parameters.items()})
        joined = "&" if "?" in path else "?"
        answer = self.server.request("GET", GRAPH + path + (joined + query if query else ""))
        self.spent = self.server.spent
        return answer

    def load(self, binary, folder):
        subprocess.run([binary, "load", "--server", self.server.url, "--schema", f"{folder}/schema.json", "--mapping",
                        f"{folder}/mapping.json", "--no-verify"], check=True, stdout=subprocess.DEVNULL)

    def prepare(self):
        self.label = self.get("/schema/vertexlabels/person")["id"]

    def key(self, given):
        vertex = self.get(f"/graph/vertices/{urllib.parse.quote(json.dumps(self.id(given)))}")
        return [vertex["properties"]["id"]]

    def neighbours(self, given):
        found = self.get(f"/traversers/kout?max_depth=1&{WALK}", source=self.id(given))["vertices"]
        return sorted(each.split(":", 1)[1] for each in found)

    def within(self, hops):
        def ask(given):
            path = f"/traversers/kneighbor?max_depth={hops}&count_only=true&limit=-1&direction=BOTH&label={KNOWS}"
            return self.get(path, source=self.id(given))["vertices_size"]
        return ask

    def path(self, pair):
        path = f"/traversers/shortestpath?max_depth=20&{WALK}"
        return len(self.get(path, source=self.id(pair[0]), target=self.id(pair[1]))["path"]) - 1

    def rings(self, given):
        path = f"/traversers/rings?max_depth=3&limit=-1&direction=BOTH&label={KNOWS}&max_degree=-1&capacity=-1"
        found = self.get(path, source=self.id(given))["rings"]
        return len({frozenset(ring["objects"]) for ring in found if len(set(ring["objects"])) == 3})

    def look_up(self, name):
        found = self.get("/graph/vertices?label=person&limit=-1", properties={"firstName": name})["vertices"]
        return sorted(str(each["properties"]["id"]) for each in found)


class Cypher:
    """A database that is asked in Cypher. `database` has a name, `cypher(text, parameters)` and `spent`."""

    def __init__(self, database, name, hops, path):
        self.database, self.name, self.hops, self.path_text = database, name, hops, path

    def ask(self, text, **parameters):
        rows = self.database.cypher(text, parameters)
        self.spent = self.database.spent
        return rows

    def key(self, given):
        return [self.ask("MATCH (a:person {id: $a}) RETURN a.id, a", a=given)[0][0]]

    def neighbours(self, given):
        return sorted({row[0] for row in self.ask(f"MATCH (a:person {{id: $a}})-[:{KNOWS}]-(b:person) RETURN b.id",
                                                  a=given)})

    def within(self, hops):
        text = self.hops.replace("HOPS", str(hops))
        return lambda given: self.ask(text, a=given)[0][0]

    def path(self, pair):
        return self.ask(self.path_text, a=pair[0], b=pair[1])[0][0]

    def rings(self, given):
        text = (f"MATCH (a:person {{id: $a}})-[:{KNOWS}]-(b:person)-[:{KNOWS}]-(c:person)-[:{KNOWS}]-(a) "
                "RETURN count(*)")
        return self.ask(text, a=given)[0][0] // 2

    def look_up(self, name):
        return sorted(str(row[0]) for row in self.ask("MATCH (p:person {firstName: $n}) RETURN p.id, p", n=name))


def neo4j(address):
    hops = f"MATCH (a:person {{id: $a}})-[:{KNOWS}*1..HOPS]-(c) WHERE c <> a RETURN count(DISTINCT c)"
    path = (f"MATCH (a:person {{id: $a}}), (b:person {{id: $b}}), p = shortestPath((a)-[:{KNOWS}*]-(b)) "
            "RETURN length(p)")
    return Cypher(bolt.Server("neo4j", address), "neo4j", hops, path)


def embedded(system, folder):
    hops = f"MATCH (a:person {{id: $a}})-[:{KNOWS}* SHORTEST 1..HOPS]-(c:person) WHERE c.id <> $a RETURN count(*)"
    path = f"MATCH (a:person {{id: $a}})-[e:{KNOWS}* SHORTEST 1..20]-(b:person {{id: $b}}) RETURN length(e)"
    database = Embedded(system, folder)
    return Cypher(database, database.name, hops, path)


def load_embedded(database, folder, people, edges):
    """Loads the network by the fastest way there is, from files."""
    columns = ["id", *bolt.COLUMNS]
    folder = pathlib.Path(folder)
    with (folder / "embedded-people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([row[key] for key in columns] for row in people)
    with (folder / "embedded-edges.csv").open("w", newline="") as file:
        csv.writer(file).writerows(edges)
    database.ask(f"CREATE NODE TABLE person({', '.join(f'{column} STRING' for column in columns)}, PRIMARY KEY(id))")
    database.ask(f"CREATE REL TABLE {KNOWS}(FROM person TO person, creationDate STRING)")
    database.ask(f'COPY person FROM "{folder}/embedded-people.csv" (HEADER=false)')
    database.ask(f'COPY {KNOWS} FROM "{folder}/embedded-edges.csv" (HEADER=false)')


def questions(people, seed):
    """Name, the name of the method with its arguments, what is asked, rounds."""
    chance = random.Random(seed)
    picks = [chance.choice(people)["id"] for _ in range(10_000)]
    pairs = [pair for pair in zip(picks[::2], picks[1::2]) if pair[0] != pair[1]]
    names = sorted({row["firstName"] for row in people})
    chance.shuffle(names)
    return [
        ("vertex by id", ("key",), picks, 300),
        ("neighbours", ("neighbours",), picks, 300),
        ("within 2 hops, counted", ("within", 2), picks, 150),
        ("within 3 hops, counted", ("within", 3), picks, 30),
        ("shortest path", ("path",), pairs, 200),
        ("triangles of a person", ("rings",), picks, 150),
        ("look-up by an index, elements", ("look_up",), names, 300),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rhizome", required=True, help="the binary, for generate and load")
    parser.add_argument("--url", required=True, help="Rhizome's REST address, of an empty server")
    parser.add_argument("--neo4j", metavar="HOST:PORT", help="Neo4j's Bolt address, of an empty server")
    parser.add_argument("--embedded", nargs="*", default=[], metavar="MODULE[=PYTHON]", help="kuzu, ladybug")
    parser.add_argument("--persons", type=int, default=10_000)
    parser.add_argument("--rounds", type=float, default=1.0, help="factor for the number of rounds")
    parser.add_argument("--seed", type=int, default=1, help="of the persons asked for")
    parser.add_argument("--only", nargs="*", help="names of questions")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        people, edges = network(given.rhizome, folder, given.persons)
        print(f"{len(people)} persons, {len(edges)} edges", flush=True)
        rhizome = Rhizome(given.url)
        rhizome.load(given.rhizome, folder)
        rhizome.prepare()
        databases = [rhizome]
        if given.neo4j:
            databases.append(neo4j(given.neo4j))
            bolt.load(databases[-1].database, people, edges)
        for system in given.embedded:
            databases.append(embedded(system, folder))
            load_embedded(databases[-1], folder, people, edges)
        compare(databases, questions(people, given.seed), given)


def compare(databases, asked, given):
    others = databases[1:]
    print("| question | " + " | ".join(each.name for each in databases) + " | "
          + " | ".join(f"{each.name} / Rhizome" for each in others) + " | goal |")
    print("|---" + "|---:" * (2 * len(databases)) + "|")
    for name, (method, *arguments), values, rounds in asked:
        if given.only and name not in given.only:
            continue
        rounds = max(2, int(rounds * given.rounds))
        warm = max(1, rounds // 3)
        took = {each.name: [] for each in databases}
        turn = max(1, min(TURN, (warm + rounds) // 4))
        asks = [getattr(each, method)(*arguments) if arguments else getattr(each, method) for each in databases]
        for first in range(0, warm + rounds, turn):
            block = [values[n % len(values)] for n in range(first, min(first + turn, warm + rounds))]
            answers = []
            for database, ask in zip(databases, asks):
                kept = []
                for n, value in enumerate(block, first):
                    kept.append(ask(value))
                    if n >= warm:
                        took[database.name].append(database.spent)
                answers.append(kept)
            for value, row in zip(block, zip(*answers)):
                if any(answer != row[0] for answer in row):
                    raise SystemExit(f"{name}: the answers for {value} differ: {[str(each)[:200] for each in row]}")
        medians = [statistics.median(took[each.name]) for each in databases]
        goals = [f"{GOALS[name, each.name]} x {each.name}" for each in others if (name, each.name) in GOALS]
        print(f"| {name} | " + " | ".join(map(text_of, medians)) + " | "
              + " | ".join(f"{each / medians[0]:.1f}" for each in medians[1:]) + f" | {', '.join(goals)} |", flush=True)


if __name__ == "__main__":
    main()
