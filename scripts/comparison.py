"""What the comparisons of query languages share: the network that servers are given, and how times are shown."""

import csv
import json
import pathlib
import subprocess

KNOWS = "person_knows_person"
# Requests to one server before the next has its turn: after every single one, each would find the processor's caches
# full of the other's data and its own threads asleep, as no server in use does.
TURN = 25


def network(binary, folder, persons):
    """Generates the network and keeps what is loaded: persons, and who knows whom since when."""
    subprocess.run([binary, "generate", "snb", "--persons", str(persons), "--no-text", "--out", folder], check=True,
                   stdout=subprocess.DEVNULL)
    folder = pathlib.Path(folder)
    schema = json.loads((folder / "schema.json").read_text())
    mapping = json.loads((folder / "mapping.json").read_text())
    schema["vertexlabels"] = [label for label in schema["vertexlabels"] if label["name"] == "person"]
    schema["edgelabels"] = [label for label in schema["edgelabels"] if label["name"] == KNOWS]
    schema["indexlabels"] = [
        {"name": "personByFirstName", "base_type": "VERTEX_LABEL", "base_value": "person", "index_type": "SECONDARY",
         "fields": ["firstName"]}
    ]
    wanted = lambda struct: {part["label"] for part in struct.get("vertices", []) + struct.get("edges", [])}
    mapping["structs"] = [struct for struct in mapping["structs"] if wanted(struct) in ({"person"}, {KNOWS})]
    (folder / "schema.json").write_text(json.dumps(schema))
    (folder / "mapping.json").write_text(json.dumps(mapping))
    people = [row for struct in mapping["structs"] if wanted(struct) == {"person"}
              for row in csv.DictReader((folder / struct["input"]["path"]).open(), delimiter="|")]
    edges = [row for struct in mapping["structs"] if wanted(struct) == {KNOWS}
             for row in csv.reader((folder / struct["input"]["path"]).open(), delimiter="|")]
    return people, [tuple(row[:3]) for row in edges if row[0].isdigit()]


def text_of(seconds):
    return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
