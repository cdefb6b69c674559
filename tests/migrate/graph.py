#!/usr/bin/env python3
"""A graph with every kind of schema, for tests of `rhizome migrate`.

    graph.py fill URL ELEMENTS      makes schema and about ELEMENTS elements in the graph `hugegraph` of HugeGraph 1.7
    graph.py add URL                adds a few elements with long ids, and removes one
    graph.py compare URL_A URL_B    schema and elements of two servers must be the same
    graph.py fill-users URL PASSWORD            makes users and rights; PASSWORD is that of `admin`
    graph.py compare-users URL_A URL_B PASSWORD     users and rights of two servers must be the same

Needs only Python's standard library.
"""
import base64
import concurrent.futures
import gzip
import json
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid

SPACE = "graphspaces/DEFAULT"
GRAPH = f"{SPACE}/graphs/hugegraph"
BATCH = 400
PAGE = 5000
SHOWN = 10
DAY_MS = 86_400_000
TYPES = ["BOOLEAN", "BYTE", "INT", "LONG", "FLOAT", "DOUBLE", "TEXT", "DATE", "UUID", "BLOB"]
VARIABLES = {"owner": "ann", "number": -1, "large": 9_999_999_999_999, "half": 1.5, "truth": True, "texts": ["a", "b"],
             "numbers": [-1, 2, -3], "halves": [1.5, 2.5]}
SCHEMA_LISTS = ["propertykeys", "vertexlabels", "edgelabels", "indexlabels"]


def ask(url, path, body=None, method=None, password=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    if password is not None:
        headers["Authorization"] = "Basic " + base64.b64encode(f"admin:{password}".encode()).decode()
    # Groups belong to no graph space.
    place = f"{SPACE}/{path}" if path.startswith("auth/") else f"{GRAPH}/{path}"
    place = path if path.startswith("auth/groups") else place
    request = urllib.request.Request(f"{url}/{place}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            text = answer.read()
            # HugeGraph compresses some answers whether it is asked to or not.
            text = gzip.decompress(text) if answer.headers.get("Content-Encoding") == "gzip" else text
            return json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        sys.exit(f"{method or 'GET'} {path}: {error.code} {error.read()[:600].decode(errors='replace')}")


def define(url):
    """Keys of every type and cardinality, labels of every id strategy, with sort keys, a time to live and indexes."""
    keys = []
    for data_type in TYPES:
        for cardinality in ["SINGLE", "LIST", "SET"]:
            name = f"{data_type}_{cardinality}".lower()
            keys.append(name)
            body = {"name": name, "data_type": data_type, "cardinality": cardinality}
            if name == "int_single":
                body["user_data"] = {"unit": "km", "order": [1, 2]}
            ask(url, "schema/propertykeys", body, "POST")
    for name, data_type in [("name", "TEXT"), ("rank", "INT")]:
        ask(url, "schema/propertykeys", {"name": name, "data_type": data_type}, "POST")
    labels = [
        ("keyed", {"id_strategy": "PRIMARY_KEY", "primary_keys": ["name", "rank"]}),
        ("texts", {"id_strategy": "CUSTOMIZE_STRING"}),
        ("numbers", {"id_strategy": "CUSTOMIZE_NUMBER"}),
        ("uuids", {"id_strategy": "CUSTOMIZE_UUID"}),
        ("made", {"id_strategy": "AUTOMATIC"}),
        ("mortal", {"id_strategy": "CUSTOMIZE_STRING", "ttl": DAY_MS}),
    ]
    for name, more in labels:
        body = {"name": name, "properties": ["name", "rank", *keys], "nullable_keys": keys, **more}
        body["user_data"] = {"label": name}
        ask(url, "schema/vertexlabels", body, "POST")
    edges = [
        ("once", {"source_label": "keyed", "target_label": "texts", "frequency": "SINGLE"}),
        ("often", {"source_label": "numbers", "target_label": "keyed", "frequency": "MULTIPLE",
                   "sort_keys": ["rank", "name"]}),
        ("passing", {"source_label": "texts", "target_label": "texts", "frequency": "SINGLE", "ttl": DAY_MS}),
        ("between", {"source_label": "uuids", "target_label": "made", "frequency": "SINGLE"}),
    ]
    for name, more in edges:
        body = {"name": name, "properties": ["name", "rank", "double_single", "text_set"],
                "nullable_keys": ["double_single", "text_set"], **more}
        ask(url, "schema/edgelabels", body, "POST")
    indexes = [
        ("keyed_by_int", "VERTEX_LABEL", "keyed", "RANGE", ["int_single"]),
        ("keyed_by_text", "VERTEX_LABEL", "keyed", "SECONDARY", ["text_single", "rank"]),
        ("texts_by_words", "VERTEX_LABEL", "texts", "SEARCH", ["text_single"]),
        ("keyed_by_tags", "VERTEX_LABEL", "keyed", "SECONDARY", ["text_set"]),
        ("often_by_rank", "EDGE_LABEL", "often", "RANGE", ["rank"]),
    ]
    for name, base_type, base, index_type, fields in indexes:
        body = {"name": name, "base_type": base_type, "base_value": base, "index_type": index_type, "fields": fields}
        ask(url, "schema/indexlabels", body, "POST")


def value_of(data_type, n):
    return {
        "BOOLEAN": n % 2 == 0, "BYTE": n % 256 - 128, "INT": n * 7919 - 2_000_000, "LONG": n * 10**12 - 5 * 10**15,
        "FLOAT": n / 3, "DOUBLE": n * 1e-9 if n % 3 else n * 1e12 + 0.25, "TEXT": f"text {n} \"ä\" \t\n 北京",
        "DATE": f"20{n % 80 + 10}-0{n % 9 + 1}-1{n % 10} 0{n % 10}:00:0{n % 7}.{n % 1000:03}",
        "UUID": str(uuid.UUID(int=n * 2**64 + n)), "BLOB": "AQIDBA==" if n % 2 else "/v8=",
    }[data_type]


def properties_of(n):
    properties = {"name": f"name {n}", "rank": n % 10}
    for at, data_type in enumerate(TYPES):
        # One in three is absent.
        if (n + at) % 3 != 0:
            properties[f"{data_type}_single".lower()] = value_of(data_type, n)
        if (n + at) % 3 != 1:
            properties[f"{data_type}_list".lower()] = [value_of(data_type, n + 5), value_of(data_type, n),
                                                       value_of(data_type, n + 5)]
            properties[f"{data_type}_set".lower()] = [value_of(data_type, n + 2), value_of(data_type, n + 1)]
    return properties


def text_id(n):
    return f"id {n} \"q\" / ? ü > !"


def send(url, kind, elements):
    query = "" if kind == "vertices" else "?check_vertex=false"
    batches = [elements[at:at + BATCH] for at in range(0, len(elements), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = pool.map(lambda batch: ask(url, f"graph/{kind}/batch{query}", batch, "POST"), batches)
        return [identity for answer in answers for identity in answer]


def fill(url, elements):
    define(url)
    each = max(elements // 10, 10)
    ids = {}
    for label in ["keyed", "texts", "numbers", "uuids", "made", "mortal"]:
        given = {"texts": text_id, "numbers": lambda n: n * 1_000_003, "mortal": lambda n: f"mortal {n}",
                 "uuids": lambda n: str(uuid.UUID(int=n * 2**70 + 1))}.get(label)
        made = [{"label": label, "properties": properties_of(n), **({"id": given(n)} if given else {})}
                for n in range(each)]
        ids[label] = send(url, "vertices", made)
    ends = [("once", "keyed", "texts", 1), ("often", "numbers", "keyed", 2), ("passing", "texts", "texts", 1),
            ("between", "uuids", "made", 1)]
    for label, source, target, times in ends:
        edges = []
        for n in range(each):
            for time in range(times):
                edges.append({"label": label, "outV": ids[source][n], "inV": ids[target][n * 7 % each],
                              "outVLabel": source, "inVLabel": target,
                              "properties": {"name": f"time {time}", "rank": time, "double_single": n / 7,
                                             "text_set": ["b", "a"]}})
        send(url, "edges", edges)
    for name, value in VARIABLES.items():
        ask(url, f"variables/{name}", {"data": value}, "PUT")


def add(url):
    """Ids of more than 64 bytes are written in another way."""
    ids = ["L" * length for length in (63, 64, 65, 100, 128)]
    send(url, "vertices", [{"label": "texts", "id": text, "properties": {"name": "long", "rank": 1}} for text in ids])
    send(url, "edges", [{"label": "passing", "outV": a, "inV": b, "outVLabel": "texts", "inVLabel": "texts",
                         "properties": {"name": "e", "rank": 1}} for a in ids for b in ids])
    ask(url, f"graph/vertices/{urllib.parse.quote(json.dumps(ids[0]), safe='')}?label=texts", method="DELETE")


def fill_users(url, password):
    def made(kind, body):
        return ask(url, f"auth/{kind}", body, "POST", password)["id"]
    users = [made("users", {"user_name": name, "user_password": f"{name}s", **more})
             for name, more in [("bob", {"user_email": "b@x.org", "user_phone": "123", "user_description": "d"}), ("eve", {})]]
    groups = [made("groups", {"group_name": name, **more})
              for name, more in [("readers", {"group_description": "all"}), ("writers", {})]]
    persons = [{"type": "VERTEX", "label": "person", "properties": None}, {"type": "GREMLIN", "label": "*"}]
    targets = [made("targets", {"target_name": name, "target_graph": "hugegraph", "target_url": "127.0.0.1:8080",
                                "target_resources": resources})
               for name, resources in [("persons", persons), ("all", [{"type": "ALL"}])]]
    for user, group in [(0, 0), (0, 1), (1, 0)]:
        made("belongs", {"user": users[user], "group": groups[group], "belong_description": f"{user} {group}"})
    for group, target, permission in [(0, 0, "READ"), (0, 0, "EXECUTE"), (1, 1, "WRITE"), (1, 1, "DELETE")]:
        made("accesses", {"group": groups[group], "target": targets[target], "access_permission": permission})


def compare_users(url_a, url_b, password):
    total = 0
    for kind in ["users", "groups", "targets", "belongs", "accesses"]:
        def records(url):
            def plain(record):
                return {key: value for key, value in record.items()
                        if not key.endswith(("_create", "_update", "_creator", "_password"))}
            return {record["id"]: plain(record) for record in ask(url, f"auth/{kind}", password=password)[kind]}
        a, b = records(url_a), records(url_b)
        print(f"{kind}: {len(a)} in A, {len(b)} in B")
        if a != b:
            sys.exit(f"{kind} differ:\n  A {a}\n  B {b}")
        total += len(a)
    if total < 14:
        sys.exit(f"there are only {total} records")
    print(f"{total} records are the same")


def listed(url, kind):
    found, page = {}, ""
    while page is not None:
        query = urllib.parse.urlencode({"page": page, "limit": PAGE})
        body = ask(url, f"graph/{kind}?{query}")
        for element in body[kind]:
            if element["id"] in found:
                sys.exit(f"{url} lists {element['id']} of {kind} twice")
            element["properties"] = {name: sorted(value, key=str) if name.endswith("_set") else value
                                     for name, value in element["properties"].items()}
            found[str(type(element["id"])) + str(element["id"])] = element
        page = body["page"]
    return found


def schema_of(url, name):
    found = {}
    for one in ask(url, f"schema/{name}")[name]:
        for field in ["properties", "nullable_keys", "index_labels"]:
            if field in one:
                one[field] = sorted(one[field])
        found[one["name"]] = one
    return found


def compare(url_a, url_b):
    differences, total = 0, 0
    parts = [(name, schema_of) for name in SCHEMA_LISTS] + [("vertices", listed), ("edges", listed)]
    for name, read in parts:
        a, b = read(url_a, name), read(url_b, name)
        total += len(a)
        for key in sorted(a.keys() | b.keys()):
            if a.get(key) != b.get(key):
                differences += 1
                if differences <= SHOWN:
                    print(f"{name} {key}:\n  A {a.get(key)}\n  B {b.get(key)}")
        print(f"{name}: {len(a)} in A, {len(b)} in B")
    if ask(url_a, "variables") != ask(url_b, "variables"):
        sys.exit("the variables differ")
    if total == 0:
        sys.exit("both graphs are empty: nothing was compared")
    if differences:
        sys.exit(f"{differences} definitions and elements differ")
    print(f"{total} definitions and elements are the same")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fill", url, elements]:
            fill(url, int(elements))
        case ["add", url]:
            add(url)
        case ["compare", url_a, url_b]:
            compare(url_a, url_b)
        case ["fill-users", url, password]:
            fill_users(url, password)
        case ["compare-users", url_a, url_b, password]:
            compare_users(url_a, url_b, password)
        case _:
            sys.exit(__doc__)
