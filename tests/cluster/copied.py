"""A copy of a graph while two servers write it: it has what was written up to one moment, and nothing of what came later.

usage: copied.py URL1 URL2 PROGRAM SETTINGS DIR     SETTINGS: a file that names the store; DIR: a new data folder

Vertices are written one after the other, at the one server and at the other in turn, each with an edge to the one before it. So a
copy of one moment has the first N of them, for some N, and at most the last one without its edge.
"""

import os
import subprocess
import sys
import threading

from client import call, done, until

G = "/graphs/copied"
BEFORE = 300
PATIENCE_S = 90

first, second, program, settings, folder = sys.argv[1:]
servers = (first, second)
done(first, "POST", G, {})
done(first, "POST", G + "/schema/vertexlabels", {"name": "thing", "id_strategy": "CUSTOMIZE_NUMBER", "properties": []})
done(first, "POST", G + "/schema/edgelabels", {"name": "to", "source_label": "thing", "target_label": "thing"})
until("the label is seen by the other server", PATIENCE_S, lambda: call(second, "GET", G + "/schema/edgelabels/to")[0] == 200)

written, stop, errors = [0], threading.Event(), []


def write():
    try:
        while not stop.is_set():
            n = written[0]
            done(servers[n % 2], "POST", G + "/graph/vertices", {"label": "thing", "id": n, "properties": {}})
            if n:
                edge = {"label": "to", "outV": n, "inV": n - 1, "outVLabel": "thing", "inVLabel": "thing", "properties": {}}
                done(servers[(n + 1) % 2], "POST", G + "/graph/edges", edge)
            written[0] = n + 1
    except BaseException as error:
        errors.append(error)


writer = threading.Thread(target=write)
writer.start()
until("writing", PATIENCE_S, lambda: written[0] >= BEFORE or errors)
before = written[0]
environment = {name: value for name, value in os.environ.items() if not name.startswith("RHIZOME_")}
command = [program, "copy", "--from", settings, "--to", folder, "--graph", "copied"]
copy = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
after = written[0]
until("writing on", PATIENCE_S, lambda: written[0] > after + 20 or errors)
stop.set()
writer.join()
assert not errors, errors
assert copy.returncode == 0, copy.stderr
print(copy.stdout.strip())
vertices, edges = int(copy.stdout.split()[2]), int(copy.stdout.split()[5])
assert before <= vertices <= after + 1, f"{vertices} vertices were copied, of {before} before and {after} after"
assert edges in (vertices - 1, vertices - 2), f"{vertices} vertices and {edges} edges are of no one moment"
check = subprocess.run([program, "check", "--indexes", "--data", folder], env=environment, capture_output=True, text=True, timeout=300)
assert check.returncode == 0, check.stdout + check.stderr
print(f"{before} were written when the copy began, {after} when it ended")
