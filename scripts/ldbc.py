"""LDBC's Social Network Benchmark for the comparison of Cypher: the generated network, loaded from its mapping."""

import csv
import json
import pathlib
import subprocess

CHUNK = 2000


def network(binary, folder, persons):
    subprocess.run([binary, "generate", "snb", "--persons", str(persons), "--out", folder], check=True,
                   stdout=subprocess.DEVNULL)
    return pathlib.Path(folder)


def load_by_http(binary, url, folder):
    subprocess.run([binary, "load", "--server", url, "--schema", f"{folder}/schema.json", "--mapping",
                    f"{folder}/mapping.json", "--no-verify"], check=True, stdout=subprocess.DEVNULL)


def load_by_cypher(server, folder):
    """All of it, with a constraint for the id of each label."""
    schema, mapping = (json.loads((folder / f"{name}.json").read_text()) for name in ("schema", "mapping"))
    types = {key["name"]: (key["data_type"], key["cardinality"]) for key in schema["propertykeys"]}
    ends = {label["name"]: (label["source_label"], label["target_label"]) for label in schema["edgelabels"]}
    for label in schema["vertexlabels"]:
        server.cypher(f"CREATE CONSTRAINT FOR (n:{label['name']}) REQUIRE n.id IS UNIQUE")
    for struct in mapping["structs"]:
        for part in struct["vertices"]:
            own, dates = rows(folder, struct, part, types)
            for chunk in chunks(own):
                server.cypher(f"UNWIND $rows AS row CREATE (n:{part['label']}) SET n = row {as_dates('n', dates)}",
                              {"rows": chunk})
    for struct in mapping["structs"]:
        for part in struct["edges"]:
            source, target = ends[part["label"]]
            own, dates = rows(folder, struct, part, types)
            for chunk in chunks([(*list(row.values())[:2], dict(list(row.items())[2:])) for row in own]):
                server.cypher(f"UNWIND $rows AS row MATCH (a:{source} {{id: row[0]}}), (b:{target} {{id: row[1]}}) "
                              f"CREATE (a)-[r:{part['label']}]->(b) SET r = row[2] {as_dates('r', dates)}",
                              {"rows": list(map(list, chunk))})
    server.cypher("CALL db.awaitIndexes()")


def as_dates(name, dates):
    return "".join(f"SET {name}.{key} = datetime({{epochMillis: {name}.{key}}}) " for key in dates)


def chunks(rows):
    return (rows[start:start + CHUNK] for start in range(0, len(rows), CHUNK))


def rows(folder, struct, part, types):
    """The rows of a file with values of their types, and the columns that are dates. Columns of edges keep their
    order: the ends come first."""
    of_file = struct["input"]
    lines = csv.reader((folder / of_file["path"]).open(encoding="utf-8"), delimiter=of_file["delimiter"],
                       quoting=csv.QUOTE_NONE)
    first = next(lines)
    header = of_file.get("header", first)
    is_edge = "source" in part
    found, dates = [], set()
    for line in lines:
        row = {}
        for at, (column, text) in enumerate(zip(header, line)):
            if is_edge and at < 2:
                row[column] = text
                continue
            key = part["field_mapping"].get(column, column)
            kind, cardinality = types[key]
            if text == "":
                continue
            if cardinality == "SET":
                row[key] = text.split(";")
            else:
                row[key] = int(text) if kind in ("DATE", "INT") else text
            if kind == "DATE":
                dates.add(key)
        found.append(row)
    return found, sorted(dates)
