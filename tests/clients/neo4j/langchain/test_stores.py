"""LangChain's graph store and GraphRAG's reading of schemas for Neo4j, unmodified."""

import os
import urllib.request

import neo4j
import pytest
from langchain_core.documents import Document
from langchain_neo4j import Neo4jGraph
from langchain_neo4j.chains.graph_qa.cypher_utils import CypherQueryCorrector, Schema
from langchain_neo4j.graphs.graph_document import GraphDocument, Node, Relationship
from neo4j_graphrag.llm.base import LLMInterface
from neo4j_graphrag.llm.types import LLMResponse
from neo4j_graphrag.retrievers import Text2CypherRetriever
from neo4j_graphrag.schema import get_schema, get_structured_schema

URL = os.environ["RHIZOME_URL"]
BOLT = os.environ["RHIZOME_BOLT"]
GRAPH = "langchain"


@pytest.fixture(scope="session", autouse=True)
def graph():
    body = b'{"schema.mode": "auto"}'
    request = urllib.request.Request(f"{URL}/graphs/{GRAPH}", body, {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request) as answer:
        assert answer.status in (200, 201)


@pytest.fixture
def store():
    own = Neo4jGraph(url=f"bolt://{BOLT}", username="", password="", database=GRAPH)
    own.query("MATCH (n) DETACH DELETE n")
    yield own
    own.close()


@pytest.fixture
def driver():
    with neo4j.GraphDatabase.driver(f"bolt://{BOLT}") as own:
        yield own


def document():
    ann, bern = Node(id="ann", type="Person", properties={"name": "Ann"}), Node(id="bern", type="City")
    lives = Relationship(source=ann, target=bern, type="LIVES_IN", properties={"since": 2020})
    source = Document(page_content="Ann lives in Bern.", metadata={"id": "d1", "page": 3})
    return GraphDocument(nodes=[ann, bern], relationships=[lives], source=source)


def test_documents_become_nodes_and_relationships(store):
    for _ in range(2):
        store.add_graph_documents([document()])
    rows = store.query("MATCH (a)-[r]->(b) RETURN labels(a) AS a, a.name AS name, type(r) AS r, r.since AS since, "
                       "labels(b) AS b, b.id AS id")
    assert rows == [{"a": ["Person"], "name": "Ann", "r": "LIVES_IN", "since": 2020, "b": ["City"], "id": "bern"}]


def test_documents_with_their_source(store):
    store.add_graph_documents([document()], include_source=True)
    rows = store.query("MATCH (d:Document)-[:MENTIONS]->(n) RETURN d.text AS text, d.page AS page, n.id AS id "
                       "ORDER BY id")
    assert rows == [{"text": "Ann lives in Bern.", "page": 3, "id": own} for own in ("ann", "bern")]


def test_the_schema(store):
    store.add_graph_documents([document()])
    store.refresh_schema()
    found = store.get_structured_schema
    sort = lambda properties: sorted(properties, key=lambda own: own["property"])
    assert {label: sort(own) for label, own in found["node_props"].items()} == {
        "City": [{"property": "id", "type": "STRING"}],
        "Person": [{"property": "id", "type": "STRING"}, {"property": "name", "type": "STRING"}],
    }
    assert found["rel_props"] == {"LIVES_IN": [{"property": "since", "type": "INTEGER"}]}
    assert found["relationships"] == [{"start": "Person", "type": "LIVES_IN", "end": "City"}]
    assert "(:Person)-[:LIVES_IN]->(:City)" in store.get_schema


def test_directions_are_corrected_by_the_schema(store):
    store.add_graph_documents([document()])
    store.refresh_schema()
    pairs = [Schema(own["start"], own["type"], own["end"]) for own in store.get_structured_schema["relationships"]]
    corrected = CypherQueryCorrector(pairs)("MATCH (p:Person)<-[:LIVES_IN]-(c:City) RETURN p.name AS name")
    assert store.query(corrected) == [{"name": "Ann"}]


def test_graphrag_reads_the_schema(store, driver):
    store.add_graph_documents([document()])
    found = get_structured_schema(driver, database=GRAPH)
    assert found["relationships"] == [{"start": "Person", "type": "LIVES_IN", "end": "City"}]
    assert "LIVES_IN {since: INTEGER}" in get_schema(driver, database=GRAPH)


class Fixed(LLMInterface):
    """A model that always says the same."""

    def __init__(self):
        super().__init__("fixed")

    def invoke(self, *_, **__):
        return LLMResponse(content="MATCH (p:Person)-[:LIVES_IN]->(c:City) RETURN p.name AS name, c.id AS city")

    async def ainvoke(self, *_, **__):
        return self.invoke()


def test_graphrag_asks_in_cypher(store, driver):
    store.add_graph_documents([document()])
    retriever = Text2CypherRetriever(driver, Fixed(), neo4j_database=GRAPH)
    assert [dict(record) for record in retriever.get_search_results("who lives where?").records] == [
        {"name": "Ann", "city": "bern"}
    ]


def test_procedures_of_writers(store):
    store.query("CREATE (:Part {id: 1}), (:Part {id: 2})")
    rows = store.query(
        "UNWIND [1, 2] AS id MATCH (n:Part {id: id}) CALL apoc.create.addLabels(n, ['Chunk']) YIELD node "
        "CALL db.create.setNodeVectorProperty(node, 'embedding', [0.5, id]) "
        "RETURN labels(node) AS labels, node.embedding AS embedding ORDER BY id")
    assert [(sorted(row["labels"]), row["embedding"]) for row in rows] == [
        (["Chunk", "Part"], [0.5, 1.0]), (["Chunk", "Part"], [0.5, 2.0])]
    rows = store.query(
        "MATCH (a:Part {id: 1}), (b:Part {id: 2}) "
        "CALL apoc.merge.relationship(a, 'NEXT', {}, {made: true}, b, {found: true}) YIELD rel "
        "RETURN rel.made AS made, rel.found AS found")
    assert rows == [{"made": True, "found": None}]
    rows = store.query(
        "MATCH (a:Part {id: 1}), (b:Part {id: 2}) "
        "CALL apoc.merge.relationship(a, 'NEXT', {}, {made: true}, b, {found: true}) YIELD rel AS r "
        "RETURN r.found AS f")
    assert rows == [{"f": True}]
    assert store.query("CALL apoc.merge.node(['Part', 'Odd'], {id: 3}, {new: 1}, {old: 1})")[0]["node"] == {
        "id": 3, "new": 1}
