"""LSQB, the labelled subgraph query benchmark: its nine queries, its network, and how servers get it.

A network is a folder of LSQB's files (`Person.csv`, `Person_knows_Person.csv` and so on, ids only), LDBC's own or made
of `rhizome generate snb` by `network`. Servers and embedded databases are asked in Cypher.
"""

import csv
import json
import pathlib
import subprocess

# Each with what a message is, and with how embedded databases write it where they differ.
QUERIES = [
    ("q1", "MATCH (:Country)<-[:isPartOf]-(:City)<-[:isLocatedIn]-(:Person)<-[:hasMember]-(:Forum)"
     "-[:containerOf]->(:Post)<-[:replyOf]-(:Comment)-[:hasTag]->(:Tag)-[:hasType]->(:TagClass) RETURN count(*)", None),
    ("q2", "MATCH (person1:Person)-[:knows]-(person2:Person), (person1)<-[:hasCreator]-(comment:Comment)"
     "-[:replyOf]->(post:Post)-[:hasCreator]->(person2) RETURN count(*)", None),
    ("q3", "MATCH (country:Country) MATCH (person1:Person)-[:isLocatedIn]->(city1:City)-[:isPartOf]->(country) "
     "MATCH (person2:Person)-[:isLocatedIn]->(city2:City)-[:isPartOf]->(country) "
     "MATCH (person3:Person)-[:isLocatedIn]->(city3:City)-[:isPartOf]->(country) "
     "MATCH (person1)-[:knows]-(person2)-[:knows]-(person3)-[:knows]-(person1) RETURN count(*)", None),
    ("q4", "MATCH (:Tag)<-[:hasTag]-(message:{message})-[:hasCreator]->(creator:Person), "
     "(message)<-[:likes]-(liker:Person), (message)<-[:replyOf]-(comment:Comment) RETURN count(*)", None),
    ("q5", "MATCH (tag1:Tag)<-[:hasTag]-(message:{message})<-[:replyOf]-(comment:Comment)-[:hasTag]->(tag2:Tag) "
     "WHERE tag1 <> tag2 RETURN count(*)",
     "MATCH (tag1:Tag)<-[:hasTag]-(message:{message})<-[:replyOf]-(comment:Comment)-[:hasTag]->(tag2:Tag) "
     "WHERE tag1.id <> tag2.id RETURN count(*)"),
    ("q6", "MATCH (person1:Person)-[:knows]-(person2:Person)-[:knows]-(person3:Person)-[:hasInterest]->(tag:Tag) "
     "WHERE person1 <> person3 RETURN count(*)",
     "MATCH (person1:Person)-[:knows]-(person2:Person)-[:knows]-(person3:Person)-[:hasInterest]->(tag:Tag) "
     "WHERE person1.id <> person3.id RETURN count(*)"),
    ("q7", "MATCH (:Tag)<-[:hasTag]-(message:{message})-[:hasCreator]->(creator:Person) "
     "OPTIONAL MATCH (message)<-[:likes]-(liker:Person) "
     "OPTIONAL MATCH (message)<-[:replyOf]-(comment:Comment) RETURN count(*)", None),
    ("q8", "MATCH (tag1:Tag)<-[:hasTag]-(message:{message})<-[:replyOf]-(comment:Comment)-[:hasTag]->(tag2:Tag) "
     "WHERE NOT (comment)-[:hasTag]->(tag1) AND tag1 <> tag2 RETURN count(*)",
     "MATCH (tag1:Tag)<-[:hasTag]-(message:{message})<-[:replyOf]-(comment:Comment)-[:hasTag]->(tag2:Tag) "
     "WHERE NOT EXISTS {{ MATCH (comment)-[:hasTag]->(tag1) }} AND tag1.id <> tag2.id RETURN count(*)"),
    ("q9", "MATCH (person1:Person)-[:knows]-(person2:Person)-[:knows]-(person3:Person)-[:hasInterest]->(tag:Tag) "
     "WHERE NOT (person1)-[:knows]-(person3) AND person1 <> person3 RETURN count(*)",
     "MATCH (person1:Person)-[:knows]-(person2:Person)-[:knows]-(person3:Person)-[:hasInterest]->(tag:Tag) "
     "WHERE NOT EXISTS {{ MATCH (person1)-[:knows]-(person3) }} AND person1.id <> person3.id RETURN count(*)"),
]
# What a message is: a label of both in Neo4j, either of two where a node has one label, a union of tables.
MESSAGE, EITHER, UNION = "Message", "Post|Comment", "Post:Comment"

# LSQB's files: nodes, and relationships as (from, type, to).
NODES = ["City", "Comment", "Company", "Continent", "Country", "Forum", "Person", "Post", "Tag", "TagClass",
         "University"]


def files(folder):
    """Names of nodes, and (from, type, to) of relationships, of a folder."""
    names = sorted(path.stem for path in pathlib.Path(folder).glob("*.csv"))
    edges = [tuple(name.split("_")) for name in names if "_" in name]
    return [name for name in names if "_" not in name], edges


def network(binary, folder, persons):
    """A network of so many persons in LSQB's form, made of the one that Rhizome generates."""
    folder = pathlib.Path(folder)
    raw = folder / "snb"
    subprocess.run([binary, "generate", "snb", "--persons", str(persons), "--no-text", "--out", raw], check=True,
                   stdout=subprocess.DEVNULL)
    out = folder / "lsqb"
    out.mkdir()

    def rows(stem):
        path = next(raw.glob(f"*/{stem}_0_0.csv"))
        lines = csv.reader(path.open(), delimiter="|", quoting=csv.QUOTE_NONE)
        header = next(lines)
        return header, lines

    kinds = {}
    written = {}

    def write(name, row):
        if name not in written:
            written[name] = (out / f"{name}.csv").open("w")
            parts = name.split("_")
            header = [f"id:ID({name})"] if len(parts) == 1 else [f":START_ID({parts[0]})", f":END_ID({parts[2]})"]
            written[name].write("|".join(header) + "\n")
        written[name].write("|".join(row) + "\n")

    for stem, kind in [("place", "type"), ("organisation", "type")]:
        header, lines = rows(stem)
        at = header.index(kind)
        for row in lines:
            kinds[stem, row[0]] = row[at].capitalize()
            write(kinds[stem, row[0]], row[:1])
    plain = {"comment": "Comment", "forum": "Forum", "person": "Person", "post": "Post", "tag": "Tag",
             "tagclass": "TagClass"}
    for stem, label in plain.items():
        for row in rows(stem)[1]:
            write(label, row[:1])
    for path in sorted(raw.glob("*/*_0_0.csv")):
        parts = path.name.removesuffix("_0_0.csv").split("_")
        if len(parts) != 3:
            continue
        source, kind, target = parts
        for row in rows("_".join(parts))[1]:
            ends = [plain.get(stem) or kinds[stem, own] for stem, own in zip((source, target), row[:2])]
            write(f"{ends[0]}_{kind}_{ends[1]}", row[:2])
    for file in written.values():
        file.close()
    return out


def rhizome_files(folder, out):
    """Schema and mapping of a strict graph: types between several labels are parents of one for each pair."""
    nodes, edges = files(folder)
    kinds = {}
    for source, kind, target in edges:
        kinds.setdefault(kind, []).append((source, target))
    labels = [{"name": name, "id_strategy": "PRIMARY_KEY", "properties": ["id"], "primary_keys": ["id"],
               "nullable_keys": []} for name in nodes]
    made, structs = [], []

    def source_of(stem):
        return {"type": "FILE", "path": f"{stem}.csv", "format": "TEXT", "delimiter": "|", "charset": "UTF-8"}

    for name in nodes:
        given = dict(source_of(name), header=["id"], skipped_line={"regex": "^id:ID.*$"})
        structs.append({"id": name, "skip": False, "input": given,
                        "vertices": [{"label": name, "field_mapping": {}, "null_values": [""]}], "edges": []})
    for kind, pairs in sorted(kinds.items()):
        if len(pairs) > 1:
            made.append({"name": kind, "edgelabel_type": "PARENT"})
        for source, target in pairs:
            stem = f"{source}_{kind}_{target}"
            label = {"name": stem if len(pairs) > 1 else kind, "source_label": source, "target_label": target,
                     "frequency": "SINGLE", "properties": [], "sort_keys": [], "nullable_keys": []}
            if len(pairs) > 1:
                label |= {"edgelabel_type": "SUB", "parent_label": kind}
            made.append(label)
            given = dict(source_of(stem), header=["from", "to"], skipped_line={"regex": "^:START_ID.*$"})
            structs.append({"id": stem, "skip": False, "input": given, "vertices": [],
                            "edges": [{"label": label["name"], "source": ["from"], "target": ["to"],
                                       "field_mapping": {"from": "id", "to": "id"}}]})
    schema = {"propertykeys": [{"name": "id", "data_type": "TEXT", "cardinality": "SINGLE"}],
              "vertexlabels": labels, "edgelabels": made, "indexlabels": []}
    out = pathlib.Path(out)
    (out / "schema.json").write_text(json.dumps(schema))
    (out / "mapping.json").write_text(json.dumps({"version": "2.0", "structs": structs}))
    return out / "schema.json", out / "mapping.json"


def load_by_http(binary, url, folder, scratch):
    """Loads a network into a graph of Rhizome with a schema."""
    schema, mapping = rhizome_files(folder, scratch)
    # Paths of a mapping are those below its folder.
    for path in pathlib.Path(folder).glob("*.csv"):
        link = pathlib.Path(scratch) / path.name
        if not link.exists():
            link.symlink_to(path.resolve())
    subprocess.run([binary, "load", "--server", url, "--schema", schema, "--mapping", mapping, "--no-verify"],
                   check=True, stdout=subprocess.DEVNULL)


def load_by_cypher(server, folder):
    """Loads a network by Cypher, as into Neo4j."""
    folder = pathlib.Path(folder)
    nodes, edges = files(folder)

    def blocks(stem):
        lines = csv.reader((folder / f"{stem}.csv").open(), delimiter="|")
        next(lines)
        block = []
        for row in lines:
            block.append([int(field) for field in row])
            if len(block) == 10_000:
                yield block
                block = []
        if block:
            yield block

    for label in nodes:
        server.cypher(f"CREATE CONSTRAINT FOR (n:{label}) REQUIRE n.id IS UNIQUE")
        own = f"{label}:Message" if label in ("Post", "Comment") else label
        for block in blocks(label):
            server.cypher(f"UNWIND $rows AS row CREATE (:{own} {{id: row[0]}})", {"rows": block})
    server.cypher("CALL db.awaitIndexes()")
    for source, kind, target in edges:
        for block in blocks(f"{source}_{kind}_{target}"):
            server.cypher(f"UNWIND $rows AS row MATCH (a:{source} {{id: row[0]}}), (b:{target} {{id: row[1]}}) "
                          f"CREATE (a)-[:{kind}]->(b)", {"rows": block})


def load_embedded(database, folder):
    """Loads a network into an embedded database from its files."""
    nodes, edges = files(folder)
    kinds = {}
    for source, kind, target in edges:
        kinds.setdefault(kind, []).append((source, target))
    for label in nodes:
        database.cypher(f"CREATE NODE TABLE {label}(id INT64, PRIMARY KEY(id))")
        database.cypher(f"COPY {label} FROM '{folder}/{label}.csv' (header=true, delim='|')")
    for kind, pairs in kinds.items():
        ends = ", ".join(f"FROM {source} TO {target}" for source, target in pairs)
        database.cypher(f"CREATE REL TABLE {kind}({ends})")
        for source, target in pairs:
            which = f", from='{source}', to='{target}'" if len(pairs) > 1 else ""
            path = f"{folder}/{source}_{kind}_{target}.csv"
            database.cypher(f"COPY {kind} FROM '{path}' (header=true, delim='|'{which})")
