#!/usr/bin/env python3
"""How many rounds to the cluster an operation costs, how much processor time, and what a network between server and
cluster takes of its speed.

Starts a node of Cassandra (or takes one that runs, --cassandra HOST:PORT --node-pid PID), puts a relay before it that
holds every packet back for half of a round trip, and runs `rhizome bench run --engine cassandra` through it with round
trips of 0, 1, 5 and 20 ms: one user, whose latency grows by the delay once for each round; 32 users without pauses; and
paced ones.

    scripts/cluster-delay.py --rhizome BIN [--cassandra 127.0.0.1:9042] [--scenario NAME,..] [--duration 4s]

The processor time of an element is measured without the relay, with 32 users: of the server as `rhizome bench` has it,
of the node from what it used in the last seconds of the run.

With --engine tikv the TiKV development store is started for each delay, which holds its answers back itself; then only
rounds are counted.

Prints Markdown tables. With --page they are put between the marks `<!-- delay:begin -->` and `<!-- delay:end -->`.
The relay shares the machine's processors with everything else, so figures at 0 ms go through it, too.
"""

import argparse
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
DELAYS_MS = [0, 1, 5, 20]
ELEMENTS = ["vertex-by-id", "edge-by-id", "single-vertex", "single-edge", "batch-vertex", "batch-edge"]
# On a network of their own, in which right answers are known: without what others insert.
WALKS = ["neighbours", "within-2-hops", "within-3-hops", "shortest-path", "index-look-up"]
BATCHES = ["batch-vertex", "batch-edge"]
PACED = ["vertex-by-id", "single-vertex", "single-edge"]
USERS = 32
PACED_USERS = 500
CHUNK = 1 << 18
# Packets under way in one direction of a connection; beyond, the relay stops reading, as a full network would.
UNDER_WAY_MAX = 4096


class Relay:
    """A listener on a free port that forwards to an address, every packet `one_way_s` after it came."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.target = (host, int(port))
        self.one_way_s = 0.0
        self.port = None
        self.started = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True).start()
        self.started.wait()

    async def serve(self):
        server = await asyncio.start_server(self.accept, "127.0.0.1", 0, limit=CHUNK)
        self.port = server.sockets[0].getsockname()[1]
        self.started.set()
        async with server:
            await server.serve_forever()

    async def accept(self, reader, writer):
        try:
            there_reader, there_writer = await asyncio.open_connection(*self.target, limit=CHUNK)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.forward(reader, there_writer), self.forward(there_reader, writer))

    async def forward(self, reader, writer):
        loop, under_way = asyncio.get_running_loop(), asyncio.Queue(UNDER_WAY_MAX)

        async def take():
            try:
                while data := await reader.read(CHUNK):
                    await under_way.put((loop.time() + self.one_way_s, data))
            except OSError:
                pass
            await under_way.put((0.0, b""))

        taking = asyncio.create_task(take())
        try:
            while True:
                due, data = await under_way.get()
                if not data:
                    break
                wait = due - loop.time()
                if wait > 0:
                    await asyncio.sleep(wait)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        taking.cancel()
        writer.close()


class Meter:
    """The processor time of a process in the last seconds before the meter is closed."""

    EVERY_S, STRETCH_S = 0.25, 3.0

    def __init__(self, pid):
        self.pid, self.samples, self.ended = pid, [], threading.Event()

    def __enter__(self):
        threading.Thread(target=self.watch, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ended.set()

    def watch(self):
        tick = os.sysconf("SC_CLK_TCK")
        while not self.ended.wait(self.EVERY_S):
            fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
            self.samples.append((time.monotonic(), (int(fields[11]) + int(fields[12])) / tick))

    def cores(self):
        """Seconds of processor time a second, without the last sample: the measured part may have ended before it."""
        ended, after = self.samples[-2]
        begun, used = min(self.samples, key=lambda sample: abs(ended - self.STRETCH_S - sample[0]))
        return (after - used) / (ended - begun)


def bench(options, port, scenarios, load, keyspace):
    """The rows of a run over Cassandra, by scenario."""
    return bench_over(options, "cassandra", scenarios, load, [
        f"storage.cassandra.contact_points=127.0.0.1:{port}",
        # New ones: an index that an earlier run left behind would cost inserts a read.
        f"storage.cassandra.keyspace={keyspace}_{os.getpid()}"])


def bench_over(options, engine, scenarios, load, settings):
    """The rows of a run, by scenario."""
    with tempfile.TemporaryDirectory() as out:
        command = [options.rhizome, "bench", "run", "--engine", engine, "--scenario", ",".join(scenarios), *load,
                   "--duration", options.duration, "--vertices", "2000", "--edges", "20000", "--out", out]
        for setting in [*settings, *options.set]:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True)
        results = pathlib.Path(out, "results.json")
        if not results.exists():
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        found = {}
        for each in json.loads(results.read_text())["scenarios"]:
            if each["rows"]:
                found[each["name"]] = each["rows"][0]
            else:
                print(f"{each['name']}: {each['failure']}", file=sys.stderr)
        return found


def measure(options, relay, scenarios, load, name):
    """For each delay the rows by scenario."""
    found = {}
    for delay in DELAYS_MS:
        relay.one_way_s = delay / 2000
        print(f"{name}, {delay} ms", file=sys.stderr)
        found[delay] = bench(options, relay.port, scenarios, load, f"delay_{name}_{delay}")
    return found


def cell(row, text):
    if row is None:
        return "-"
    errors = f" ({row['error_percent']:.1f} % errors)" if row["error_percent"] else ""
    return text(row) + errors


def table(head, scenarios, found, text, last):
    heads = [f"{delay} ms" for delay in DELAYS_MS]
    lines = ["| operation | " + " | ".join(heads) + f" | {head} |", "|---|" + "---:|" * (len(heads) + 1)]
    for name in scenarios:
        rows = [found[delay].get(name) for delay in DELAYS_MS]
        lines.append(f"| {name} | " + " | ".join(cell(row, text) for row in rows) + f" | {last(rows)} |")
    return [*lines, ""]


def rounds(rows):
    """By how much a median grows for each ms of the longest delay over the second longest."""
    (low, high), (near, far) = (rows[-2], rows[-1]), DELAYS_MS[-2:]
    if low is None or high is None:
        return "-"
    return f"{(high['p50_us'] - low['p50_us']) / 1000 / (far - near):.1f}"


def kept(rows):
    """The part of the speed without a delay that is kept with 5 ms."""
    here, there = rows[0], rows[DELAYS_MS.index(5)]
    return "-" if here is None or there is None else f"{100 * there['elements_per_s'] / here['elements_per_s']:.0f} %"


def costs(options, address, node):
    """Processor time of an element, in microseconds."""
    lines = ["| operation | elements a second | server | node |", "|---|---:|---:|---:|"]
    # Data are kept, so that the measured part is the last one.
    load = ["--driver", "closed", "--concurrency", str(USERS), "--keep-data"]
    for name in ELEMENTS:
        print(f"processor time of {name}", file=sys.stderr)
        with Meter(node) as meter:
            row = bench(options, address.rsplit(":", 1)[1], [name], load, f"cost_{name.replace('-', '_')}").get(name)
        if row is None:
            continue
        speed = row["elements_per_s"]
        own = row["server_cpu_s"] / row["duration_s"] / speed
        lines.append(f"| {name} | {speed:,.0f} | {1e6 * own:.1f} us | {1e6 * meter.cores() / speed:.1f} us |")
    return ["Processor time of an element.", "", *lines, ""]


def rounds_table(options, one):
    return [
        "Median of one user, ms; the last column is by how many ms it grows for each ms of delay.", "",
        *table("rounds", options.scenario, one, lambda row: f"{row['p50_us'] / 1000:.2f}", rounds),
    ]


def tables(options, relay):
    alone = ["--driver", "closed", "--concurrency", "1"]
    one = {delay: {} for delay in DELAYS_MS}
    for name, scenarios in [("one", ELEMENTS), ("walk", WALKS)]:
        wanted = [each for each in scenarios if each in options.scenario]
        if wanted:
            for delay, rows in measure(options, relay, wanted, alone, name).items():
                one[delay] |= rows
    if options.only_rounds:
        return rounds_table(options, one)
    many = measure(options, relay, BATCHES, ["--driver", "closed", "--concurrency", str(USERS)], "many")
    paced = measure(options, relay, PACED, ["--driver", "paced", "--concurrency", str(PACED_USERS)], "paced")

    def speed(row):
        return f"{row['elements_per_s']:,.0f}"

    return [
        *rounds_table(options, one),
        f"Elements a second of {USERS} users without pauses, and the part kept at 5 ms.", "",
        *table("kept", BATCHES, many, speed, kept),
        f"Requests a second of {PACED_USERS} users who begin one each second, and the part kept at 5 ms.", "",
        *table("kept", PACED, paced, speed, kept),
    ]


def over_tikv(options):
    """The table of rounds over the TiKV development store."""
    one = {delay: {} for delay in DELAYS_MS}
    for delay in DELAYS_MS:
        for scenarios in [ELEMENTS, WALKS]:
            wanted = [each for each in scenarios if each in options.scenario]
            if wanted:
                print(f"TiKV, {delay} ms", file=sys.stderr)
                one[delay] |= on_a_new_store(options, delay, wanted)
    return rounds_table(options, one)


def on_a_new_store(options, delay, scenarios):
    """The rows of one user over a development store that is made for this, in a folder of its own."""
    script = ROOT / "scripts" / "tikv.sh"
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"TIKV_STORE_DIR": folder}
        try:
            started = subprocess.run([script, "start", "-stores", "1", "-delay", f"{delay}ms"], check=True,
                                     stdout=subprocess.PIPE, text=True, env=environment)
            address = started.stdout.split()[-1]
            return bench_over(options, "tikv", scenarios, ["--driver", "closed", "--concurrency", "1"],
                              [f"storage.tikv.pd_endpoints={address}"])
        finally:
            subprocess.run([script, "clean"], check=True, stdout=sys.stderr, env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rhizome", required=True, help="the binary")
    parser.add_argument("--engine", choices=["cassandra", "tikv"], default="cassandra")
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="settings of the server")
    parser.add_argument("--cassandra", metavar="HOST:PORT", help="a node that runs")
    parser.add_argument("--node-pid", type=int, help="its process")
    parser.add_argument("--scenario", type=lambda text: text.split(","), default=ELEMENTS + WALKS,
                        help="of the table of rounds")
    parser.add_argument("--only-rounds", action="store_true", help="neither 32 users nor paced ones")
    parser.add_argument("--duration", default="4s", help="of each measurement")
    parser.add_argument("--page", type=pathlib.Path, help="where the tables are put")
    options = parser.parse_args()
    if options.engine == "tikv":
        print("\n".join(over_tikv(options)))
        return
    with tempfile.TemporaryDirectory(dir=ROOT) as node:
        script = ROOT / "scripts" / "cassandra.sh"
        address = options.cassandra
        if address is None:
            subprocess.run([script, "start", node], check=True, stdout=sys.stderr)
            address = "127.0.0.1:9042"
            options.node_pid = int(pathlib.Path(node, "node1", "pid").read_text())
        try:
            lines = costs(options, address, options.node_pid) if options.node_pid else []
            lines += tables(options, Relay(address))
        finally:
            if options.cassandra is None:
                subprocess.run([script, "stop", node], check=True)
    print("\n".join(lines))
    if options.page:
        begin, end = "<!-- delay:begin -->", "<!-- delay:end -->"
        before, rest = options.page.read_text().split(begin)
        options.page.write_text("\n".join([before + begin, "", *lines, end]) + rest.split(end)[1])


if __name__ == "__main__":
    main()
