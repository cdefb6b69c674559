"""Neo4j's cypher-shell, unmodified."""

import os
import subprocess
import urllib.request

import pytest

URL = os.environ["RHIZOME_URL"]
BOLT = os.environ["RHIZOME_BOLT"]
JARS = os.environ["SHELL_JARS"]
GRAPH = "cyphershell"


def shell(*arguments, scheme="bolt", commands=None, format="plain"):
    command = ["java", "-cp", f"{JARS}/*", "org.neo4j.shell.Main", "-a", f"{scheme}://{BOLT}", "-d", GRAPH, "--format",
               format, *arguments]
    return subprocess.run(command, input=commands, capture_output=True, text=True, timeout=120, check=False)


def told(*arguments, **settings):
    done = shell(*arguments, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session", autouse=True)
def graph():
    body = b'{"schema.mode": "auto"}'
    request = urllib.request.Request(f"{URL}/graphs/{GRAPH}", body, {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request) as answer:
        assert answer.status in (200, 201)


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_query(scheme):
    assert told("RETURN 1 AS x, 'a' AS y", scheme=scheme) == 'x, y\n1, "a"\n'


def test_a_script(tmp_path):
    script = tmp_path / "script.cypher"
    script.write_text("""
        CREATE (:Script {name: 'Ann'})-[:KNOWS {since: date('2020-01-01')}]->(:Script {name: 'Bob'});
        MATCH (a:Script)-[r:KNOWS]->(b) RETURN a.name, r.since, b;
        :param x => 5
        RETURN $x + 1 AS six;
    """)
    lines = told("-f", str(script)).splitlines()
    assert lines == ["a.name, r.since, b", '"Ann", 2020-01-01, (:Script {name: "Bob"})', "six", "6"]


def test_transactions():
    lines = [":begin", "CREATE (:Kept);", ":commit", ":begin", "CREATE (:Kept);", ":rollback",
             "MATCH (n:Kept) RETURN count(*) AS n;"]
    assert told(commands="\n".join(lines) + "\n").splitlines()[-2:] == ["n", "1"]


def test_what_changed():
    shown = told("CREATE (:Counted {a: 1, b: 2})", format="verbose")
    assert "Added 1 nodes, Set 2 properties, Added 1 labels" in shown, shown


def test_a_mistake_is_shown():
    done = shell("RETURN 1 +")
    assert done.returncode == 1
    assert "expected an expression" in done.stderr, done.stderr


def test_plans():
    told("CREATE (:Planned)")
    shown = told("EXPLAIN MATCH (a:Planned) RETURN a", format="verbose")
    assert "NodeByLabelScan" in shown and "Estimated Rows" in shown, shown
    shown = told("PROFILE MATCH (a:Planned) RETURN a", format="verbose")
    assert "Rows" in shown and "DB Hits" in shown, shown


def test_databases():
    assert GRAPH in told("SHOW DATABASES")
