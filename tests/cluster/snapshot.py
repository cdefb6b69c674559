"""A moment of a cluster, kept by the cluster's own tool: two servers write, are frozen, and a snapshot of the node has all that
was acknowledged by then and nothing that was written later.

usage: snapshot.py write URL1 URL2 PROGRAM NODES FILE     FILE: which vertices there were
       snapshot.py compare URL FILE                       of a server over the restored node
"""

import json
import pathlib
import subprocess
import sys
import threading
import time

from client import call, done, until

SCRIPTS = pathlib.Path(__file__).parents[2] / "scripts"
G = "/graphs/snapshot"
WRITES_MIN = 200
PATIENCE_S = 90


class Writers:
    """Writes a vertex with an indexed property, and an edge to the one before it, through both servers until it is stopped."""

    def __init__(self, servers):
        self.acknowledged, self.refused, self.errors = set(), 0, []
        self.lock, self.stopped = threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(n, servers[n % 2])) for n in range(4)]
        [thread.start() for thread in self.threads]

    def write(self, writer, server):
        before = None
        for n in range(10**9):
            if self.stopped.is_set():
                return
            name = f"w{writer}-{n}"
            vertex = {"label": "thing", "id": name, "properties": {"n": n}}
            status, answer = call(server, "POST", G + "/graph/vertices", vertex)
            if status == 201 and before:
                edge = {"label": "to", "outV": before, "inV": name, "outVLabel": "thing", "inVLabel": "thing", "properties": {}}
                edge_status, edge_answer = call(server, "POST", G + "/graph/edges", edge)
                status = 503 if edge_status == 503 else status
                if edge_status not in (201, 503):
                    self.errors.append(f"{edge_status} {edge_answer}")
            with self.lock:
                if status == 201:
                    self.acknowledged.add(name)
                    before = name
                elif status == 503:
                    # A vertex whose edge was refused is there, too: it is not counted on.
                    self.refused += 1
                    before = None
                    time.sleep(0.05)
                else:
                    self.errors.append(f"{status} {answer}")
                    return

    def stop(self):
        self.stopped.set()
        [thread.join() for thread in self.threads]
        assert not self.errors, self.errors[:3]


def listed(server, kind):
    found, page = set(), ""
    while page is not None:
        answer = done(server, "GET", f"{G}/graph/{kind}?limit=500&page={page}")
        found |= {element["id"] for element in answer[kind]}
        page = answer["page"]
    return found


def backup(program, *arguments):
    said = subprocess.run([program, "backup", *arguments], capture_output=True, text=True, timeout=120)
    print((said.stdout + said.stderr).strip())
    return said


def write(first, second, program, nodes, file):
    done(first, "POST", G, {})
    done(first, "POST", G + "/schema/propertykeys", {"name": "n", "data_type": "INT"})
    done(first, "POST", G + "/schema/vertexlabels", {"name": "thing", "id_strategy": "CUSTOMIZE_STRING", "properties": ["n"]})
    done(first, "POST", G + "/schema/edgelabels", {"name": "to", "source_label": "thing", "target_label": "thing"})
    index = {"name": "by_n", "base_type": "VERTEX_LABEL", "base_value": "thing", "index_type": "RANGE", "fields": ["n"]}
    done(first, "POST", G + "/schema/indexlabels", index)
    until("the index is seen by the other server", PATIENCE_S, lambda: call(second, "GET", G + "/schema/indexlabels/by_n")[0] == 200)

    writers = Writers((first, second))
    until("writing", PATIENCE_S, lambda: len(writers.acknowledged) > WRITES_MIN)
    frozen = backup(program, "freeze", "--server", first, "--seconds", "300")
    assert frozen.returncode == 0, "the freeze failed"
    vertices, edges = listed(second, "vertices"), listed(first, "edges")
    refused = writers.refused
    until("refusing", PATIENCE_S, lambda: writers.refused > refused + 4)
    status, answer = call(second, "POST", G + "/graph/vertices", {"label": "thing", "id": "late", "properties": {"n": 1}})
    assert status == 503 and "rhizome backup freeze" in answer, f"{status} {answer}"
    assert done(second, "GET", "/rhizome/freeze")["frozen_ms"] > 0
    subprocess.run([SCRIPTS / "cassandra.sh", "snapshot", nodes, "1", "frozen"], check=True, timeout=300, stdout=subprocess.DEVNULL)
    assert listed(first, "vertices") == vertices, "somebody wrote"
    thawed = backup(program, "thaw", "--server", first)
    assert thawed.returncode == 0, "somebody may have written"
    with writers.lock:
        count = len(writers.acknowledged)
    until("writing again", PATIENCE_S, lambda: len(writers.acknowledged) > count + WRITES_MIN)
    again = backup(program, "thaw", "--server", second)
    assert again.returncode == 1 and "of no one moment" in again.stderr, again
    writers.stop()
    pathlib.Path(file).write_text(json.dumps({"vertices": sorted(vertices), "edges": sorted(edges)}))
    later = len(listed(first, "vertices")) - len(vertices)
    assert later >= WRITES_MIN, later
    print(f"frozen with {len(vertices)} vertices and {len(edges)} edges; {later} vertices came later")


def compare(server, file):
    expected = json.loads(pathlib.Path(file).read_text())
    for kind in ("vertices", "edges"):
        found = listed(server, kind)
        missing, extra = set(expected[kind]) - found, found - set(expected[kind])
        assert not missing and not extra, f"{kind}: {len(missing)} missing, {len(extra)} too many: {sorted(missing)[:3]} {sorted(extra)[:3]}"
    # By the index, all of them, and it takes writes again.
    numbers = [int(name.split("-")[1]) for name in expected["vertices"]]
    path = f"{G}/graph/vertices?label=thing&properties=%7B%22n%22%3A%22P.gte(0)%22%7D&limit=-1"
    assert len(done(server, "GET", path)["vertices"]) == len(numbers)
    # The snapshot says that the store is frozen, by a server that is dead.
    after = {"label": "thing", "id": "after", "properties": {"n": 1}}
    until("writing", PATIENCE_S, lambda: call(server, "POST", G + "/graph/vertices", after)[0] == 201)
    print(f"restored: the same {len(numbers)} vertices and {len(expected['edges'])} edges")


if __name__ == "__main__":
    {"write": write, "compare": compare}[sys.argv[1]](*sys.argv[2:])
