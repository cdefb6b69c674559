"""Neo4j's Python driver, unmodified, over bolt:// and neo4j://."""

import datetime
import os
import urllib.request

import neo4j
import pytest
from neo4j.exceptions import ClientError, CypherSyntaxError
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration

URL = os.environ["RHIZOME_URL"]
BOLT = os.environ["RHIZOME_BOLT"]
GRAPH = "pythondriver" + neo4j.__version__.split(".", maxsplit=1)[0]


@pytest.fixture(scope="session", autouse=True)
def graph():
    body = b'{"schema.mode": "auto"}'
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{URL}/graphs/{GRAPH}", body, headers, method="POST")
    with urllib.request.urlopen(request) as answer:
        assert answer.status in (200, 201)


@pytest.fixture(params=["bolt", "neo4j"], scope="session")
def driver(request):
    with neo4j.GraphDatabase.driver(f"{request.param}://{BOLT}", auth=("any", "body")) as driver:
        driver.verify_connectivity()
        yield driver


@pytest.fixture
def session(driver):
    with driver.session(database=GRAPH) as session:
        session.run("MATCH (n) DETACH DELETE n").consume()
        yield session


def test_the_server_says_what_it_is(driver):
    info = driver.get_server_info()
    assert info.agent.startswith("Neo4j/5.26.0 compatible (Rhizome/")
    assert info.protocol_version[0] == 5


def test_without_credentials():
    with neo4j.GraphDatabase.driver(f"bolt://{BOLT}") as driver:
        assert driver.execute_query("RETURN 1 AS x", database_=GRAPH).records[0]["x"] == 1


def test_the_default_graph(driver):
    records, summary, keys = driver.execute_query("RETURN 1 AS x")
    assert (records[0]["x"], keys, summary.database) == (1, ["x"], "hugegraph")


def test_values_come_back(session):
    values = [
        None, True, 1, -(2**63), 2**63 - 1, 1.5, "text \U0001f600", b"\x00\x01", [1, [2, None]], {"a": {"b": []}},
        Date(2024, 2, 29), neo4j.time.Time(12, 34, 56, 789), Duration(months=14, days=3, seconds=-4, nanoseconds=5),
        DateTime(2024, 2, 29, 12, 34, 56, 789), CartesianPoint((1.5, 2.5)), WGS84Point((1.0, 2.0, 3.0)),
        datetime.datetime(2024, 6, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
    ]
    for value in values:
        found = session.run("RETURN $x AS x", x=value).single()["x"]
        if isinstance(value, datetime.datetime):
            found = found.to_native()
        assert found == value, value


def test_elements(session):
    text = "CREATE (a:Person {name: 'a'})-[r:KNOWS {since: 2020}]->(b:Person:Admin {name: 'b'}) RETURN a, r, b"
    result = session.run(text)
    record = result.single()
    a, r, b = record["a"], record["r"], record["b"]
    assert (set(b.labels), a["name"], r.type, r["since"]) == ({"Person", "Admin"}, "a", "KNOWS", 2020)
    assert (r.start_node.element_id, r.end_node.element_id) == (a.element_id, b.element_id)
    counters = result.consume().counters
    assert (counters.nodes_created, counters.relationships_created, counters.properties_set) == (2, 1, 3)
    path = session.run("MATCH p = (:Admin)<-[:KNOWS]-(a) RETURN p").single()["p"]
    assert [node["name"] for node in path.nodes] == ["b", "a"]
    assert path.relationships[0].start_node["name"] == "a"
    found = session.run("MATCH (n) WHERE elementId(n) = $id RETURN n.name AS name", id=a.element_id).single()
    assert found["name"] == "a"


def test_rows_beyond_the_fetch_size(driver):
    with driver.session(database=GRAPH, fetch_size=7) as session:
        assert [row["x"] for row in session.run("UNWIND range(1, 1000) AS x RETURN x")] == list(range(1, 1001))
        result = session.run("UNWIND range(1, 1000000) AS x RETURN x")
        assert next(iter(result))["x"] == 1
        # The rest is discarded.
        assert result.consume().query_type == "r"


def test_transactions(driver, session):
    with session.begin_transaction() as transaction:
        transaction.run("CREATE (:T {x: 1})")
        first = transaction.run("UNWIND range(1, 5000) AS x RETURN x")
        assert transaction.run("MATCH (n:T) RETURN count(n) AS c").single()["c"] == 1
        assert sum(row["x"] for row in first) == 12502500
        transaction.rollback()
    assert session.run("MATCH (n:T) RETURN count(n) AS c").single()["c"] == 0

    def create(transaction, x):
        return transaction.run("CREATE (n:T {x: $x}) RETURN n.x AS x", x=x).single()["x"]

    assert session.execute_write(create, 7) == 7
    assert session.execute_read(lambda t: t.run("MATCH (n:T) RETURN n.x AS x").single()["x"]) == 7
    bookmarks = session.last_bookmarks()
    with driver.session(database=GRAPH, bookmarks=bookmarks) as other:
        assert other.run("MATCH (n:T) RETURN n.x AS x").single()["x"] == 7


def test_many_rows_are_written_in_one_query(session):
    rows = [{"id": i, "name": f"n{i}"} for i in range(2000)]
    session.run("UNWIND $rows AS row CREATE (n:Row {id: row.id}) SET n += row", rows=rows).consume()
    assert session.run("MATCH (n:Row) RETURN count(n) AS c, max(n.name) AS m").single().values() == [2000, "n999"]


def test_failures(session):
    with pytest.raises(CypherSyntaxError) as wrong:
        session.run("RETURN foo").consume()
    assert wrong.value.code == "Neo.ClientError.Statement.SyntaxError"
    with pytest.raises(ClientError) as wrong:
        session.run("RETURN 1/0 AS x").consume()
    assert wrong.value.code == "Neo.ClientError.Statement.ArithmeticError"
    with pytest.raises(ClientError) as wrong:
        session.run("RETURN $missing AS x").consume()
    assert wrong.value.code == "Neo.ClientError.Statement.ParameterMissing"
    with pytest.raises(ClientError) as wrong:
        session.execute_read(lambda t: t.run("CREATE (:T)").consume())
    assert wrong.value.code == "Neo.ClientError.Statement.AccessMode"
    # The session goes on.
    assert session.run("RETURN 1 AS x").single()["x"] == 1


def test_unknown_databases(driver):
    with pytest.raises(ClientError) as wrong:
        driver.execute_query("RETURN 1", database_="nothere")
    assert wrong.value.code == "Neo.ClientError.Database.DatabaseNotFound"


def test_time_limits(driver):
    query = neo4j.Query("UNWIND range(1, 1000000) AS x UNWIND range(1, 1000) AS y RETURN count(y) AS c", timeout=0.2)
    with driver.session(database=GRAPH) as session, pytest.raises(ClientError) as wrong:
        session.run(query).consume()
    assert wrong.value.code == "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"


def test_procedures(session):
    session.run("CREATE (:Person {name: 'a'})-[:KNOWS]->(:City)").consume()
    assert session.run("CALL db.ping()").single()["success"] is True
    assert sorted(row["label"] for row in session.run("CALL db.labels()")) == ["City", "Person"]
    assert [row["relationshipType"] for row in session.run("CALL db.relationshipTypes()")] == ["KNOWS"]
    version = session.run("CALL dbms.components() YIELD versions RETURN versions[0] AS v").single()["v"]
    assert tuple(map(int, version.split("."))) >= (5, 11)
