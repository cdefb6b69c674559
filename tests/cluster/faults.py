"""A server over three Cassandra nodes that die, become slow, fall silent, are cut off and come back: nothing acknowledged is lost, and every request is answered.

usage: faults.py URL DIR     DIR is the cluster's, as scripts/cassandra.sh has it; every element has three replicas, and two must answer

The server's times are those of the environment: RHIZOME__SERVER__REQUEST_TIMEOUT_MS, RHIZOME__STORAGE__CASSANDRA__REQUEST_TIMEOUT_MS.
"""

import collections
import http.client
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

url, folder = urllib.parse.urlsplit(sys.argv[1]), sys.argv[2]
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "cassandra.sh"
REQUEST_S = int(os.environ["RHIZOME__SERVER__REQUEST_TIMEOUT_MS"]) / 1000
STORAGE_S = int(os.environ["RHIZOME__STORAGE__CASSANDRA__REQUEST_TIMEOUT_MS"]) / 1000
SLACK_S = 3
"""What a loaded machine adds to the time of an answer. Less than a second wait for the store would take."""
assert STORAGE_S > SLACK_S and REQUEST_S >= 2 * STORAGE_S, "the bounds below could not be told apart"
PATIENCE_S = 120
"""For what ends as soon as it can."""
REFUSED_PAUSE_S = 0.1

WRITERS, READERS = 3, 2
BATCH = 10
"""Vertices of a batch, and edges: a ring over them."""
PROGRESS = 30
"""Batches written, and reads answered, before the next fault."""
CROWD = 200
"""Reads of one graph at one time: more than server.remote_threads, so that some wait for others."""
BYSTANDERS = 4
"""Who reads another graph meanwhile."""
SLOW_STOPPED_S, SLOW_RUNNING_S = 0.09, 0.01
"""A slow node is stopped for so long, then runs for so long, and so on."""

BUSY, OTHER = "/graphs/faults_busy", "/graphs/faults_other"


class Client:
    """A connection, which is made anew when the server closed it."""

    def __init__(self):
        self.connection = None

    def call(self, method, path, body=None, limit_s=REQUEST_S + SLACK_S):
        """Status and JSON of an answer. None within `limit_s` is a failure, and so is any but success, 404 and 503."""
        data = None if body is None else json.dumps(body).encode()
        began = time.monotonic()
        for fresh in (False, True):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(url.hostname, url.port, timeout=limit_s)
                fresh = True
            try:
                self.connection.request(method, path, data, {"Content-Type": "application/json"})
                answer = self.connection.getresponse()
                text = answer.read()
                break
            except TimeoutError:
                raise AssertionError(f"{method} {path}: no answer within {limit_s} s") from None
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self.connection.close()
                self.connection = None
                if fresh:
                    raise
        took = time.monotonic() - began
        assert took < limit_s, f"{method} {path}: answered after {took:.1f} s, the limit is {limit_s} s"
        assert answer.status in (200, 201, 202, 204, 404, 503), f"{method} {path}: {answer.status} {text.decode()}"
        if answer.status == 503:
            message = json.loads(text)["message"]
            # What the server itself stopped may be too much at any time; all else is to be tried again.
            stopped = message.startswith("the request took longer")
            assert stopped or answer.headers["Retry-After"], f"{method} {path}: no Retry-After: {message}"
            counts[re.sub("[0-9]+", "N", message)[:90]] += 1
            # As clients are asked to: not again at once.
            time.sleep(REFUSED_PAUSE_S)
        return answer.status, json.loads(text) if text else None


counts = collections.Counter()
"""The beginnings of refusals' messages, without their numbers."""
main = Client()


def done(method, path, body=None):
    """A call that works in the end: repeated while it is answered 503."""
    began = time.monotonic()
    while True:
        status, answer = main.call(method, path, body)
        if status < 300:
            return answer
        assert status == 503, f"{method} {path}: {status} {answer}"
        assert time.monotonic() - began < PATIENCE_S, f"{method} {path}: does not work within {PATIENCE_S} s: {answer}"
        time.sleep(0.1)


def quoted(value):
    return urllib.parse.quote(json.dumps(value))


def number(writer, n):
    return writer * 1_000_000 + n


def ids(writer, n):
    return [f"v{writer}-{n}-{k}" for k in range(BATCH)]


def edge_ends(writer, n):
    names = ids(writer, n)
    return list(zip(names, names[1:] + names[:1]))


class Load:
    """Writers and readers of one graph, and what they know to be stored."""

    def __init__(self):
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.failure = None
        self.vertices, self.edges = [], []
        self.sent = [0] * WRITERS
        self.counted = [-1] * WRITERS
        self.refused = collections.Counter()
        self.read = 0
        runs = [(self.write, writer) for writer in range(WRITERS)] + [(self.check, reader) for reader in range(READERS)]
        self.threads = [threading.Thread(target=self.guarded, args=run) for run in runs]
        for thread in self.threads:
            thread.start()

    def guarded(self, work, which):
        try:
            work(Client(), which)
        except BaseException as error:  # noqa: BLE001: handed to the main thread
            self.failure = self.failure or error
            self.stop.set()

    def acknowledged(self, client, path, body):
        status, answer = client.call("POST", BUSY + path, body)
        if status == 503:
            self.refused["writes"] += 1
            return False
        assert status == 201, f"{path}: {status} {answer}"
        return True

    def write(self, client, writer):
        while not self.stop.is_set():
            n = self.sent[writer]
            self.sent[writer] = n + 1
            value = {"n": number(writer, n)}
            batch = [{"label": "thing", "id": name, "properties": value} for name in ids(writer, n)]
            if not self.acknowledged(client, "/graph/vertices/batch", batch):
                continue
            with self.lock:
                self.vertices.append((writer, n))
            batch = [{"label": "next", "outV": out, "inV": to, "outVLabel": "thing", "inVLabel": "thing", "properties": {}}
                     for out, to in edge_ends(writer, n)]
            if self.acknowledged(client, "/graph/edges/batch", batch):
                with self.lock:
                    self.edges.append((writer, n))
            one = {"label": "counter", "id": f"counter{writer}", "properties": value}
            if self.acknowledged(client, "/graph/vertices", one):
                self.counted[writer] = n

    def check(self, client, reader):
        chance = random.Random(reader)
        while not self.stop.is_set():
            with self.lock:
                vertices, edges = list(self.vertices[-100:]), list(self.edges[-100:])
            if not edges:
                time.sleep(0.01)
                continue
            self.check_vertices(client, *chance.choice([vertices[-1], chance.choice(vertices)]))
            self.check_edges(client, *chance.choice([edges[-1], chance.choice(edges)]))
            self.check_counter(client, chance.randrange(WRITERS))

    def found(self, client, path):
        status, answer = client.call("GET", BUSY + path)
        if status == 503:
            self.refused["reads"] += 1
            return None
        assert status == 200, f"{path}: what was acknowledged is not there: {status} {answer}"
        with self.lock:
            self.read += 1
        return answer

    def check_vertices(self, client, writer, n):
        vertex = self.found(client, f"/graph/vertices/{quoted(ids(writer, n)[0])}")
        assert vertex is None or vertex["properties"]["n"] == number(writer, n), vertex
        by_index = self.found(client, f"/graph/vertices?label=thing&properties={quoted({'n': number(writer, n)})}")
        if by_index is not None:
            names = sorted(vertex["id"] for vertex in by_index["vertices"])
            assert names == sorted(ids(writer, n)), f"found by index: {names}"

    def check_edges(self, client, writer, n):
        names = ids(writer, n)
        for direction, near, far in (("OUT", "outV", "inV"), ("IN", "inV", "outV")):
            answer = self.found(client, f"/graph/edges?vertex_id={quoted(names[1])}&direction={direction}")
            if answer is not None:
                other = names[2] if direction == "OUT" else names[0]
                ends = [(edge[near], edge[far]) for edge in answer["edges"]]
                assert ends == [(names[1], other)], f"{direction} edges of {names[1]}: {ends}"

    def check_counter(self, client, writer):
        least = self.counted[writer]
        if least < 0:
            return
        vertex = self.found(client, f"/graph/vertices/{quoted(f'counter{writer}')}")
        if vertex is not None:
            n = vertex["properties"]["n"]
            assert number(writer, least) <= n < number(writer, self.sent[writer]), f"{n} is not between {least} and the last"

    def wait_for_progress(self, while_what):
        with self.lock:
            written, read = len(self.edges), self.read
        began = time.monotonic()
        while not self.failure and (len(self.edges) < written + PROGRESS or self.read < read + PROGRESS):
            seconds = time.monotonic() - began
            assert seconds < PATIENCE_S, f"{while_what}: {len(self.edges) - written} batches, {self.read - read} reads in {seconds:.0f} s"
            time.sleep(0.02)
        if self.failure:
            raise self.failure
        print(f"{while_what}: {PROGRESS} batches and {PROGRESS} reads within {time.monotonic() - began:.1f} s; "
              f"refused so far: {dict(self.refused)}", flush=True)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()
        if self.failure:
            raise self.failure


def crowd(while_what):
    """Many read one graph, half of them lists: readers of another graph are answered, and none waits for the crowd."""
    answers, failures = collections.Counter(), []
    slowest = collections.Counter()
    crowding = threading.Event()

    def read(who, path, limit_s):
        began = time.monotonic()
        try:
            status, answer = Client().call("GET", path, limit_s=limit_s)
            assert status in (200, 503), f"{path}: {status} {answer}"
            answers[who, status] += 1
            slowest[who] = max(slowest[who], time.monotonic() - began)
        except BaseException as error:  # noqa: BLE001: told below
            failures.append(error)

    def bystander():
        crowding.wait()
        for _ in range(5):
            # One wait for the store, and none for others.
            read("bystanders", f"{OTHER}/graph/vertices/{quoted('alone')}", STORAGE_S + SLACK_S)

    crowds = (("lists", f"{BUSY}/graph/vertices?limit=50"), ("reads", f"{BUSY}/graph/vertices/{quoted('counter0')}"))
    threads = [threading.Thread(target=bystander) for _ in range(BYSTANDERS)]
    threads += [threading.Thread(target=read, args=(*crowds[at % 2], REQUEST_S + SLACK_S)) for at in range(CROWD)]
    for thread in threads:
        thread.start()
    crowding.set()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    print(f"{while_what}: " + "; ".join(
        f"{who}: {answers[who, 200]} answered, {answers[who, 503]} refused, none after {slowest[who]:.1f} s"
        for who in ("lists", "reads", "bystanders")), flush=True)
    return answers


def node(command, which):
    subprocess.run([SCRIPT, command, folder, str(which)], check=True)


class SlowNode:
    """A node that runs a tenth of the time: it answers everything, late."""

    def __init__(self, which):
        self.pid = int(pathlib.Path(folder, f"node{which}", "pid").read_text())
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.slow_down)

    def slow_down(self):
        while True:
            os.kill(self.pid, signal.SIGSTOP)
            self.over.wait(SLOW_STOPPED_S)
            os.kill(self.pid, signal.SIGCONT)
            if self.over.wait(SLOW_RUNNING_S):
                return

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def listed(kind, ids_of):
    found, page = set(), ""
    while page is not None:
        answer = done("GET", f"{BUSY}/graph/{kind}?limit=500&page={urllib.parse.quote(page)}")
        found.update(ids_of(element) for element in answer[kind])
        page = answer["page"]
    return found


def prepare():
    confirmed = "?confirm_message=" + urllib.parse.quote("I'm sure to drop the graph")
    for graph in (BUSY, OTHER):
        if main.call("GET", graph)[0] == 200:
            done("DELETE", graph + confirmed)
        done("POST", graph, {})
        done("POST", graph + "/schema/propertykeys", {"name": "n", "data_type": "INT"})
        for label in ("thing", "counter"):
            done("POST", graph + "/schema/vertexlabels",
                 {"name": label, "id_strategy": "CUSTOMIZE_STRING", "properties": ["n"]})
    done("POST", BUSY + "/schema/edgelabels", {"name": "next", "source_label": "thing", "target_label": "thing"})
    index = {"name": "by_n", "base_type": "VERTEX_LABEL", "base_value": "thing", "index_type": "SECONDARY", "fields": ["n"]}
    task = done("POST", BUSY + "/schema/indexlabels", index)["task_id"]
    while done("GET", f"{BUSY}/tasks/{task}")["task_status"] != "success":
        time.sleep(0.1)
    done("POST", OTHER + "/graph/vertices", {"label": "thing", "id": "alone", "properties": {"n": 1}})
    return confirmed


def verify(load):
    """Everything acknowledged is there, and nothing that was never sent."""
    sent = {name for writer in range(WRITERS) for n in range(load.sent[writer]) for name in ids(writer, n)}
    vertices = listed("vertices", lambda vertex: vertex["id"])
    acknowledged = {name for batch in load.vertices for name in ids(*batch)}
    assert not acknowledged - vertices, f"vertices lost: {sorted(acknowledged - vertices)[:10]}"
    strange = {name for name in vertices if not name.startswith("counter")} - sent
    assert not strange, f"vertices nobody sent: {sorted(strange)[:10]}"
    edges = listed("edges", lambda edge: (edge["outV"], edge["inV"]))
    acknowledged_edges = {ends for batch in load.edges for ends in edge_ends(*batch)}
    assert not acknowledged_edges - edges, f"edges lost: {sorted(acknowledged_edges - edges)[:10]}"
    for writer, n in enumerate(load.counted):
        stored = done("GET", f"{BUSY}/graph/vertices/{quoted(f'counter{writer}')}")["properties"]["n"]
        assert number(writer, n) <= stored < number(writer, load.sent[writer]), f"counter {writer} is {stored}, {n} was acknowledged"
    print(f"{len(acknowledged)} vertices and {len(acknowledged_edges)} edges acknowledged, none lost; refused: {dict(load.refused)}")
    for message, count in counts.most_common():
        print(f"{count:5} x 503: {message}")


confirmed = prepare()
load = Load()
try:
    load.wait_for_progress("all nodes are there")
    # The node that the server was given, and that the others know as theirs to begin with.
    node("kill-node", 1)
    load.wait_for_progress("a node was killed")
    node("start-node", 1)
    load.wait_for_progress("the killed node is back")
    with SlowNode(2):
        load.wait_for_progress("a node is slow")
    node("partition-node", 2)
    load.wait_for_progress("a node is cut off from the others, not from the server")
    node("rejoin-node", 2)
    load.wait_for_progress("the node that was cut off is back")
    node("pause-node", 3)
    load.wait_for_progress("a node is silent")
    answers = crowd("a node is silent")
    assert answers["bystanders", 200], f"two nodes of three answer nobody: {answers}"
    node("pause-node", 2)
    answers = crowd("two nodes of three are silent")
    assert not answers["lists", 200], f"read without a majority: {answers}"
    # The server is alone, so what it has in memory was answered until it had not reached the store for cluster.stale_ms, which
    # the crowd has outlasted.
    status, answer = main.call("GET", f"{OTHER}/graph/vertices/{quoted('alone')}")
    assert status == 503, f"answered out of memory, which may be out of date: {answer}"
    node("resume-node", 2)
    node("resume-node", 3)
    load.wait_for_progress("all nodes are back")
finally:
    load.end()
verify(load)
for graph in (BUSY, OTHER):
    done("DELETE", graph + confirmed)
print("all right")
