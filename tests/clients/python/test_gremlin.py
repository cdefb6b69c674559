"""Gremlin as hugegraph-python sends it: POST /gremlin with aliases, and the texts of hugegraph-llm and hugegraph-ml."""

import pytest


@pytest.fixture(scope="module")
def run(client, graph):
    """Runs a script; three people who know each other are there."""
    for name, age in (("gremlin-ann", 30), ("gremlin-bob", 40), ("gremlin-cid", 50)):
        graph.addVertex("person", {"name": name, "age": age})
    graph.addEdge("knows", "1:gremlin-ann", "1:gremlin-bob", {"age": 1})
    graph.addEdge("knows", "1:gremlin-bob", "1:gremlin-cid", {"age": 2})
    return lambda script: client.gremlin().exec(script)["data"]


def test_elements_have_hugegraphs_form(run):
    ann = {"id": "1:gremlin-ann", "label": "person", "type": "vertex", "properties": {"name": "gremlin-ann", "age": 30}}
    assert run("g.V('1:gremlin-ann')") == [ann]
    [edge] = run("g.V('1:gremlin-ann').outE('knows')")
    assert edge["id"] == "S1:gremlin-ann>1>1>>S1:gremlin-bob"
    assert (edge["outV"], edge["outVLabel"], edge["inV"], edge["type"]) == ("1:gremlin-ann", "person", "1:gremlin-bob", "edge")
    [path] = run("g.V('1:gremlin-ann').out('knows').path()")
    assert [one["id"] for one in path["objects"]] == ["1:gremlin-ann", "1:gremlin-bob"]
    assert run("g.V('1:gremlin-ann').valueMap(true)") == [
        {"id": "1:gremlin-ann", "label": "person", "name": ["gremlin-ann"], "age": [30]}
    ]


def test_the_counts_of_hugegraph_llm(run):
    script = (
        "def res = [:];\nres.vertex_num = g.V().hasLabel('person').has('name', TextP.startingWith('gremlin-')).count().next();\n"
        "res.edge_num = g.V('1:gremlin-ann', '1:gremlin-bob').outE('knows').count().next();\nreturn res;"
    )
    # A map is answered entry by entry, as Gremlin Server does.
    assert run(script) == [{"vertex_num": 3}, {"edge_num": 2}]


def test_the_neighbourhood_of_hugegraph_llm(run):
    script = (
        "g.V('1:gremlin-ann').repeat(bothE('knows').limit(8).otherV().dedup()).times(2).emit().simplePath().path()"
        ".by(project('label', 'id', 'props').by(label()).by(id()).by(valueMap().by(unfold())))"
        ".by(project('label', 'inV', 'outV', 'props').by(label()).by(inV().id()).by(outV().id()).by(valueMap().by(unfold())))"
    )
    paths = sorted(run(script), key=lambda path: len(path["objects"]))
    assert [len(path["objects"]) for path in paths] == [3, 5]
    first = {"label": "person", "id": "1:gremlin-ann", "props": {"name": "gremlin-ann", "age": 30}}
    edge = {"label": "knows", "inV": "1:gremlin-bob", "outV": "1:gremlin-ann", "props": {"age": 1}}
    assert paths[0]["objects"][:2] == [first, edge]


def test_ids_in_a_list(run):
    found = run("g.V(['1:gremlin-ann', '1:gremlin-cid', '1:nobody']).limit(8).as('subj').toList()")
    assert sorted(one["id"] for one in found) == ["1:gremlin-ann", "1:gremlin-cid"]


def test_writes(run):
    assert run("g.addV('person').property('name', 'gremlin-dan').property('age', 60)")[0]["id"] == "1:gremlin-dan"
    assert run("g.V('1:gremlin-cid').as('s').V('1:gremlin-dan').addE('knows').from('s').property('age', 3)")[0]["label"] == "knows"
    assert run("g.V('1:gremlin-dan').in('knows').values('name')") == ["gremlin-cid"]
    assert run("g.V('1:gremlin-dan').drop()") == []
    assert run("g.V('1:gremlin-cid').outE('knows').count()") == [0]


def test_errors(run):
    with pytest.raises(Exception, match="nope"):
        run("g.V().nope()")
    with pytest.raises(Exception, match="(?i)closure|lambda|\\{"):
        run("g.V().filter{it.get()}")
