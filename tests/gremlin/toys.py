"""TinkerPop's toy graphs, from the jar of gremlin-test into a server."""

from __future__ import annotations

import json
import urllib.request
import zipfile
from typing import Any

import graphson
from notation import literal
from values import Typed

FOLDER = "org/apache/tinkerpop/gremlin/structure/io/graphson"
FILES = {"modern": "tinkerpop-modern", "classic": "tinkerpop-classic", "crew": "tinkerpop-crew", "sink": "tinkerpop-sink", "grateful": "grateful-dead"}
# Elements in one request.
BATCH = 40


def read_toy(jar: str, name: str) -> list:
    """The vertices of a graph, each with its edges out, as decoded JSON."""
    with zipfile.ZipFile(jar) as archive:
        text = archive.read(f"{FOLDER}/{FILES[name]}-v3.json").decode("utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def batches(items: list) -> list:
    return [items[at : at + BATCH] for at in range(0, len(items), BATCH)]


def edges_of(vertices: list) -> list:
    found = []
    for vertex in vertices:
        for label, edges in vertex.get("outE", {}).items():
            found += [(edge, label, vertex["id"]) for edge in edges]
    return found


def load_by_gremlin(transport: Any, jar: str, name: str, source: str) -> None:
    """Makes the elements with ids, multi-properties and meta-properties as they are in the file."""
    vertices = read_toy(jar, name)
    for batch in batches(vertices):
        transport.submit("g" + "".join(f".{add_vertex(vertex)}" for vertex in batch), {}, source)
    for batch in batches(edges_of(vertices)):
        transport.submit("g" + "".join(f".{add_edge(*edge)}" for edge in batch), {}, source)


def add_vertex(vertex: dict) -> str:
    text = f"addV({literal(vertex['label'])}).property(T.id, {literal(graphson.read(vertex['id']))})"
    for key, values in vertex.get("properties", {}).items():
        cardinality = "Cardinality.list, " if len(values) > 1 else ""
        for value in values:
            meta = f", T.id, {literal(graphson.read(value['id']))}"
            meta += "".join(f", {literal(k)}, {literal(graphson.read(v))}" for k, v in value.get("properties", {}).items())
            text += f".property({cardinality}{literal(key)}, {literal(graphson.read(value['value']))}{meta})"
    return text


def add_edge(edge: dict, label: str, source: Any) -> str:
    ends = [literal(graphson.read(end)) for end in (source, edge["inV"])]
    text = f"addE({literal(label)}).from(__.V({ends[0]})).to(__.V({ends[1]})).property(T.id, {literal(graphson.read(edge['id']))})"
    for key, value in edge.get("properties", {}).items():
        text += f".property({literal(key)}, {literal(graphson.read(value))})"
    return text


def call(url: str, method: str, path: str, body: Any) -> Any:
    data = json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def create_graph(url: str, name: str, is_auto: bool) -> None:
    call(url, "POST", f"/graphs/{name}", {"schema.mode": "auto"} if is_auto else {})


KINDS = {"int": "INT", "long": "LONG", "double": "DOUBLE", "float": "FLOAT"}


def load_by_rest(url: str, jar: str, name: str) -> None:
    """Lays a schema with CUSTOMIZE_NUMBER ids and indexes on every key, then stores the elements.

    A strict graph has no meta-properties: they are left out, and a key with several values has a list.
    """
    vertices = read_toy(jar, name)
    edges = edges_of(vertices)
    keys: dict = {}
    labels: dict = {}
    links: dict = {}
    label_of = {graphson.read(vertex["id"]).value: vertex["label"] for vertex in vertices}
    for vertex in vertices:
        for key, values in vertex.get("properties", {}).items():
            kind, several = keys.get(key, (None, False))
            value = graphson.read(values[0]["value"])
            keys[key] = (KINDS[value.kind] if isinstance(value, Typed) else "TEXT", several or len(values) > 1)
            labels.setdefault(vertex["label"], {})[key] = None
        labels.setdefault(vertex["label"], {})
    for edge, label, source in edges:
        ends = (label_of[graphson.read(source).value], label_of[graphson.read(edge["inV"]).value])
        link = links.setdefault(label, (set(), {}))
        link[0].add(ends)
        for key, value in edge.get("properties", {}).items():
            typed = graphson.read(value)
            keys.setdefault(key, (KINDS[typed.kind] if isinstance(typed, Typed) else "TEXT", False))
            link[1][key] = None
    lay_schema(url, name, keys, labels, links)
    store(url, name, keys, label_of, vertices, edges)


def lay_schema(url: str, name: str, keys: dict, labels: dict, links: dict) -> None:
    schema = f"/graphs/{name}/schema"
    for key, (kind, several) in keys.items():
        cardinality = "LIST" if several else "SINGLE"
        call(url, "POST", f"{schema}/propertykeys", {"name": key, "data_type": kind, "cardinality": cardinality})
    for label, properties in labels.items():
        body = {"name": label, "id_strategy": "CUSTOMIZE_NUMBER", "properties": list(properties), "nullable_keys": list(properties)}
        call(url, "POST", f"{schema}/vertexlabels", body)
        index_all(url, schema, "VERTEX_LABEL", label, properties, keys)
    for label, (ends, properties) in links.items():
        base = {"properties": list(properties), "nullable_keys": list(properties), "frequency": "SINGLE"}
        links_ = [{"source": source, "target": target} for source, target in sorted(ends)]
        if len(links_) == 1:
            body = base | {"name": label, "source_label": links_[0]["source"], "target_label": links_[0]["target"]}
        else:
            body = base | {"name": label, "links": [{link["source"]: link["target"]} for link in links_], "edgelabel_type": "GENERAL"}
        call(url, "POST", f"{schema}/edgelabels", body)
        index_all(url, schema, "EDGE_LABEL", label, properties, keys)


def index_all(url: str, schema: str, base_type: str, label: str, properties: dict, keys: dict) -> None:
    for key in properties:
        kind = "SECONDARY" if keys[key][0] == "TEXT" or keys[key][1] else "RANGE"
        body = {"name": f"{label}By{key}", "base_type": base_type, "base_value": label, "index_type": kind, "fields": [key]}
        call(url, "POST", f"{schema}/indexlabels", body)


def plain(value: Any) -> Any:
    read = graphson.read(value)
    return read.value if isinstance(read, Typed) else read


def store(url: str, name: str, keys: dict, label_of: dict, vertices: list, edges: list) -> None:
    new = []
    for vertex in vertices:
        properties = {}
        for key, values in vertex.get("properties", {}).items():
            found = [plain(value["value"]) for value in values]
            properties[key] = found if keys[key][1] else found[0]
        new.append({"id": plain(vertex["id"]), "label": vertex["label"], "properties": properties})
    for batch in batches(new):
        call(url, "POST", f"/graphs/{name}/graph/vertices/batch", batch)
    rows = []
    for edge, label, source in edges:
        ends = plain(source), plain(edge["inV"])
        rows.append({
            "label": label, "outV": ends[0], "inV": ends[1], "outVLabel": label_of[ends[0]], "inVLabel": label_of[ends[1]],
            "properties": {key: plain(value) for key, value in edge.get("properties", {}).items()},
        })
    for batch in batches(rows):
        call(url, "POST", f"/graphs/{name}/graph/edges/batch", batch)
