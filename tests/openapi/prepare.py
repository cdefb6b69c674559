"""Makes what the examples of /openapi.json name, so that generated requests find something: `prepare.py URL`.

The example of every name and id in an address is 1; so a property key, labels, a vertex and a task get that name or number.
"""

import base64
import json
import os
import sys
import urllib.request

base = sys.argv[1]
graph = base + "/graphs/hugegraph"
login = base64.b64encode(f"admin:{os.environ['RHIZOME_ADMIN_PASSWORD']}".encode()).decode()
headers = {"Content-Type": "application/json", "Authorization": f"Basic {login}"}


def send(method: str, url: str, body: object = None) -> None:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        answer.read()


send("POST", graph + "/schema/propertykeys", {"name": "1", "data_type": "INT"})
for label in ("1", "2"):
    body = {"name": label, "id_strategy": "CUSTOMIZE_NUMBER", "properties": ["1"], "nullable_keys": ["1"]}
    send("POST", graph + "/schema/vertexlabels", body)
for label in ("1", "gone"):
    body = {"name": label, "source_label": "1", "target_label": "1", "properties": ["1"], "nullable_keys": ["1"]}
    send("POST", graph + "/schema/edgelabels", body)
vertices = [{"label": "1", "id": number, "properties": {"1": number}} for number in range(1, 9)]
send("POST", graph + "/graph/vertices/batch", vertices)
edges = [
    {"label": "1", "outV": number, "outVLabel": "1", "inV": number + 1, "inVLabel": "1", "properties": {}}
    for number in range(1, 8)
]
send("POST", graph + "/graph/edges/batch", edges)
send("DELETE", graph + "/schema/edgelabels/gone")
