"""Two servers over one store: what the first does is seen by the second, ids are unique, a task outlives its server,
and of writes to the same elements at the same moment nothing is lost.

usage: two_servers.py URL1 URL2 PID1     PID1 is killed in the end
"""

import os
import signal
import sys
import threading
import time

from client import call, done, until

first, second, pid = sys.argv[1], sys.argv[2], int(sys.argv[3])
SEEN_S = float(os.environ.get("RHIZOME_TEST_SEEN_S", "3"))
"""The stated second, and what a loaded machine adds."""
PATIENCE_S = 90


def seen(server, path):
    return call(server, "GET", path)[0] == 200


G = "/graphs/two_servers"
if seen(first, G):
    done(first, "DELETE", G + "?confirm_message=I%27m%20sure%20to%20drop%20the%20graph")
done(first, "POST", G, {})
until("the graph is seen by the other server", SEEN_S, lambda: seen(second, G))

done(first, "POST", G + "/schema/propertykeys", {"name": "n", "data_type": "INT"})
done(first, "POST", G + "/schema/vertexlabels",
     {"name": "thing", "id_strategy": "AUTOMATIC", "properties": ["n"], "nullable_keys": ["n"]})
until("a label is seen by the other server", SEEN_S, lambda: seen(second, G + "/schema/vertexlabels/thing"))

ids, lock = [], threading.Lock()


def insert(server):
    for _ in range(20):
        batch = [{"label": "thing", "properties": {"n": n}} for n in range(250)]
        got = done(server, "POST", G + "/graph/vertices/batch", batch)
        with lock:
            ids.extend(got)


threads = [threading.Thread(target=insert, args=(server,)) for server in (first, second, first, second)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert len(ids) == 20_000, f"{len(ids)} of 20000 were inserted"
assert len(set(ids)) == len(ids), "two vertices have the same id"
print(f"{len(ids)} ids of two servers are unique")

keys = [f"k{n}" for n in range(10)]


def create(server, prefix):
    for key in keys:
        done(server, "POST", G + "/schema/propertykeys", {"name": prefix + key, "data_type": "INT"})


threads = [threading.Thread(target=create, args=pair) for pair in ((first, "a"), (second, "b"))]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
for server in (first, second):
    expected = {"n"} | {prefix + key for prefix in "ab" for key in keys}
    names = lambda: {key["name"] for key in done(server, "GET", G + "/schema/propertykeys")["propertykeys"]}
    until("changes of both servers are in force", SEEN_S, lambda: names() == expected)

page = "&page="
count = 0
at = 0
while page is not None:
    answer = done((first, second)[at % 2], "GET", f"{G}/graph/vertices?limit=900{page}")
    count += len(answer["vertices"])
    page = f"&page={answer['page']}" if answer["page"] else None
    at += 1
assert count == 20_000, f"{count} vertices were listed page by page over two servers"
print(f"{at} pages go on from one server to the other")

done(first, "POST", G + "/schema/propertykeys", {"name": "all", "data_type": "INT", "cardinality": "LIST"})
done(first, "POST", G + "/schema/vertexlabels",
     {"name": "kept", "id_strategy": "CUSTOMIZE_NUMBER", "properties": ["n", "all"], "nullable_keys": ["n", "all"]})
done(first, "POST", G + "/schema/edgelabels", {"name": "to", "source_label": "kept", "target_label": "kept"})
index = done(first, "POST", G + "/schema/indexlabels",
             {"name": "one_n", "base_type": "VERTEX_LABEL", "base_value": "kept", "index_type": "UNIQUE",
              "fields": ["n"]})
until("the unique index is built", PATIENCE_S,
      lambda: done(first, "GET", f"{G}/tasks/{index['task_id']}")["task_status"] == "success")
until("the unique index is seen by the other server", SEEN_S, lambda: seen(second, G + "/schema/indexlabels/one_n"))
time.sleep(SEEN_S)
WRITES = 40
done(first, "POST", G + "/graph/vertices/batch",
     [{"label": "kept", "id": n, "properties": {}} for n in [*range(WRITES), 5_000]])
wins, refused = [], []


def write_the_same(server, at):
    for n in range(WRITES):
        done(server, "PUT", G + "/graph/vertices/5000?action=append",
             {"label": "kept", "properties": {"all": [at * WRITES + n]}})
        vertex = {"label": "kept", "id": 1_000 * (at + 1) + n, "properties": {"n": n}}
        status, answer = call(server, "POST", G + "/graph/vertices", vertex)
        with lock:
            (wins if status < 300 else refused).append((n, status, answer))
        if at == 0:
            done(server, "DELETE", f"{G}/graph/vertices/{n}")
            continue
        edge = {"label": "to", "outV": n, "inV": 5_000, "outVLabel": "kept", "inVLabel": "kept", "properties": {}}
        status, answer = call(server, "POST", G + "/graph/edges", edge)
        assert status < 300 or status == 400, f"{status} {answer}"


began = time.monotonic()
threads = [threading.Thread(target=write_the_same, args=pair) for pair in ((first, 0), (second, 1))]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
took = time.monotonic() - began
stored = done(second, "GET", G + "/graph/vertices/5000")["properties"]["all"]
assert sorted(stored) == list(range(2 * WRITES)), f"of {2 * WRITES} appends these arrived: {sorted(stored)}"
assert sorted(n for n, _, _ in wins) == list(range(WRITES)), f"a unique index let these through: {wins}"
assert all(status == 400 for _, status, _ in refused), refused
edges = done(first, "GET", G + "/graph/edges?label=to&limit=-1")["edges"]
left = [edge["id"] for edge in edges if not seen(second, f"{G}/graph/vertices/{edge['outV']}")]
assert not left, f"edges without their vertex: {left}"
print(f"{2 * WRITES} appends, {2 * WRITES} claims of {WRITES} unique values, "
      f"and {WRITES} vertices deleted while edges to them came: all hold, in {took:.1f} s")

task = done(first, "PUT", G + "/jobs/rebuild/vertexlabels/thing")["task_id"]
os.kill(pid, signal.SIGKILL)
ended = lambda: done(second, "GET", f"{G}/tasks/{task}")["task_status"] == "success"
until("the task of the killed server is done by the other", PATIENCE_S, ended)
done(second, "POST", G + "/schema/propertykeys", {"name": "after", "data_type": "INT"})
done(second, "PUT", G, {"action": "clear", "clear_schema": True})
assert done(second, "GET", G + "/graph/vertices?limit=1")["vertices"] == []
done(second, "DELETE", G + "?confirm_message=I%27m%20sure%20to%20drop%20the%20graph")
print("all right")
