#!/usr/bin/env python3
"""Graph algorithms on one Kronecker graph by several programs in turns, answers compared before times.

The graph is made by the benchmark of crate `analytics` (2^SCALE vertices, about 16 edges each, no directions, no
parallel edges, weights from 1 to 255), which writes it to --work for the others. In every turn each program is asked the same
questions one after the other, so that what else the machine does falls on all alike. Printed: the median time of each
question, how many times as long each program takes as Rhizome, and the load of the machine before and after. A question
whose answers differ is an error.

    scripts/compare-algorithms.py --work DIR [--gap DIR] [--networkit] [--igraph] [--scale 20] [--threads 2] [--turns 5]

--gap is the folder of the built programs of https://github.com/sbeamer/gapbs; --networkit and --igraph need these
packages of Python (`pip install networkit igraph numpy`), in the Python that runs this.

Differences between the programs: GAP's and NetworKit's PageRank lose what vertices without edges have, so that ranks
are compared by their ratios; GAP's updates ranks in place in `pr` and as Rhizome does in `pr_spmv`, which is used here.
Rhizome's is asked for a tolerance of 1e-7, which ten iterations do not reach: with a lower one it passes ranks on with
64 bits, GAP with 32.
GAP's shortest paths are given the better of three bucket widths.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
ITERATIONS = 10


class Rhizome:
    def __init__(self, options):
        built = ["cargo", "bench", "-q", "-p", "analytics", "--bench", "algorithms", "--"]
        serve = ["serve", str(options.scale), str(options.threads), str(options.graph)]
        self.process = subprocess.Popen(
            built + serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY
        )
        ready, self.vertices, arcs, seconds = self.process.stdout.readline().split()
        assert ready == "ready"
        print(f"{self.vertices} vertices, {arcs} arcs, made in {seconds} s")
        self.sources = self.ask(f"sources {options.turns}")

    def ask(self, line):
        print(line, file=self.process.stdin, flush=True)
        return self.process.stdout.readline().split()

    def bfs(self, source):
        seconds, reached, depths = self.ask(f"bfs {source}")
        return float(seconds), {"reached": int(reached), "depths": int(depths)}

    def pagerank(self, _):
        seconds, iterations, *top = self.ask(f"pagerank {ITERATIONS} 1e-7")
        return float(seconds) / int(iterations), ranks(top)

    def wcc(self, _):
        seconds, count = self.ask("wcc")
        return float(seconds), {"components": int(count)}

    def sssp(self, source):
        seconds, reached, far = self.ask(f"sssp {source}")
        return float(seconds), {"reached": int(reached), "distances": float(far)}

    def triangles(self, _):
        seconds, count = self.ask("triangles")
        return float(seconds), {"triangles": int(count)}


def ranks(top):
    """The five vertices of the highest rank, and their ranks as parts of the first."""
    pairs = [(int(vertex), float(rank)) for vertex, rank in (one.split(":") for one in top)]
    return {"order": [vertex for vertex, _ in pairs], "shares": [round(rank / pairs[0][1], 4) for _, rank in pairs]}


class Gap:
    def __init__(self, options, vertices):
        self.vertices = vertices
        self.folder, self.threads = options.gap, options.threads
        self.graphs = {}
        for end, flags in [("sg", []), ("wsg", ["-w"])]:
            path = f"{options.graph}.{end}"
            source = f"{options.graph}.wel"
            self.run("converter", "-f", source, "-s", *flags, "-b", path)
            self.graphs[end] = path
        self.delta = None

    def run(self, program, *arguments):
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.threads)}
        done = subprocess.run(
            [self.folder / program, *arguments], env=environment, text=True, capture_output=True, check=True
        )
        return done.stdout

    def timed(self, program, graph, *arguments, trials=2):
        out = self.run(program, "-f", self.graphs[graph], "-n", str(trials), "-a", *arguments)
        return min(float(it) for it in re.findall(r"Trial Time:\s+([\d.]+)", out)), out

    def bfs(self, source):
        seconds, out = self.timed("bfs", "sg", "-r", source)
        return seconds, {"reached": int(re.search(r"BFS Tree has (\d+) nodes", out)[1])}

    def pagerank(self, _):
        seconds, out = self.timed("pr_spmv", "sg", "-i", str(ITERATIONS), "-t", "0")
        top = re.findall(r"^(\d+:[\d.e-]+)$", out, re.MULTILINE)[-5:]
        return seconds / ITERATIONS, ranks(top)

    def wcc(self, _):
        seconds, out = self.timed("cc", "sg")
        # A list of edges names no vertices: those without edges at its end are not in GAP's graph.
        absent = self.vertices - int(re.search(r"Graph has (\d+) nodes", out)[1])
        return seconds, {"components": int(re.search(r"There are (\d+) components", out)[1]) + absent}

    def sssp(self, source):
        tried = [self.delta] if self.delta else ["4", "16", "64"]
        found = {delta: self.timed("sssp", "wsg", "-r", source, "-d", delta) for delta in tried}
        self.delta = min(found, key=lambda delta: found[delta][0])
        seconds, out = found[self.delta]
        return seconds, {"reached": int(re.search(r"SSSP Tree reaches (\d+) nodes", out)[1])}

    def triangles(self, _):
        seconds, out = self.timed("tc", "sg", trials=1)
        return seconds, {"triangles": int(re.findall(r"(\d+) triangles", out)[-1])}


def timed(work):
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def edges_of(options):
    import numpy

    return numpy.fromfile(f"{options.graph}.bin", dtype=numpy.uint32).reshape(-1, 3)


class NetworKit:
    def __init__(self, options, vertices):
        import networkit
        import numpy

        self.kit, self.numpy = networkit, numpy
        networkit.setNumberOfThreads(options.threads)
        edges = edges_of(options).astype(numpy.uint64)
        pairs = (numpy.ascontiguousarray(edges[:, 0]), numpy.ascontiguousarray(edges[:, 1]))
        weights = numpy.ascontiguousarray(edges[:, 2]).astype(numpy.float64)
        self.load, self.weighted = timed(
            lambda: networkit.GraphFromCoo((weights, pairs), n=vertices, weighted=True, directed=False)
        )
        self.graph = networkit.graphtools.toUnweighted(self.weighted)
        self.graph.indexEdges()

    def reached(self, work):
        seconds, _ = timed(work.run)
        far = self.numpy.array(work.getDistances())
        near = far[far < 1e300]
        return seconds, {"reached": len(near), "sum": float(near.sum())}

    def bfs(self, source):
        seconds, found = self.reached(self.kit.distance.BFS(self.graph, int(source), storePaths=False))
        return seconds, {"reached": found["reached"], "depths": int(found["sum"])}

    def sssp(self, source):
        seconds, found = self.reached(self.kit.distance.Dijkstra(self.weighted, int(source), storePaths=False))
        return seconds, {"reached": found["reached"], "distances": found["sum"]}

    def pagerank(self, _):
        work = self.kit.centrality.PageRank(self.graph, damp=0.85, tol=1e-300)
        work.maxIterations = ITERATIONS
        seconds, _ = timed(work.run)
        top = [f"{vertex}:{rank}" for vertex, rank in work.ranking()[:5]]
        return seconds / work.numberOfIterations(), ranks(top)

    def wcc(self, _):
        work = self.kit.components.ParallelConnectedComponents(self.graph)
        seconds, _ = timed(work.run)
        return seconds, {"components": work.numberOfComponents()}

    def triangles(self, _):
        work = self.kit.sparsification.TriangleEdgeScore(self.graph)
        seconds, _ = timed(work.run)
        return seconds, {"triangles": int(self.numpy.array(work.scores()).sum()) // 3}


class IGraph:
    def __init__(self, options, vertices):
        import igraph
        import numpy

        self.numpy = numpy
        edges = edges_of(options)
        self.weights = edges[:, 2].astype(float).tolist()
        self.load, self.graph = timed(lambda: igraph.Graph(n=vertices, edges=edges[:, :2].astype(numpy.int64)))
        degrees = numpy.array(self.graph.degree(), dtype=numpy.int64)
        self.wedges = int((degrees * (degrees - 1) // 2).sum())

    def reached(self, weights, source):
        seconds, found = timed(lambda: self.graph.distances(source=int(source), weights=weights))
        far = self.numpy.array(found[0], dtype=float)
        near = far[self.numpy.isfinite(far)]
        return seconds, {"reached": len(near), "sum": float(near.sum())}

    def bfs(self, source):
        seconds, found = self.reached(None, source)
        return seconds, {"reached": found["reached"], "depths": int(found["sum"])}

    def sssp(self, source):
        seconds, found = self.reached(self.weights, source)
        return seconds, {"reached": found["reached"], "distances": found["sum"]}

    def wcc(self, _):
        seconds, found = timed(lambda: self.graph.connected_components(mode="weak"))
        return seconds, {"components": len(found)}

    def triangles(self, _):
        seconds, share = timed(self.graph.transitivity_undirected)
        return seconds, {"triangles": round(share * self.wedges / 3)}


def load():
    return " ".join(f"{one:.1f}" for one in os.getloadavg())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for the graph")
    parser.add_argument("--gap", type=pathlib.Path, help="folder of GAP's built programs")
    parser.add_argument("--networkit", action="store_true")
    parser.add_argument("--igraph", action="store_true")
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    options.graph = options.work / f"kronecker-{options.scale}"
    own = Rhizome(options)
    programs = {"rhizome": own}
    if options.gap:
        programs["gap"] = Gap(options, int(own.vertices))
    for name, kind in [("networkit", NetworKit), ("igraph", IGraph)]:
        if getattr(options, name):
            programs[name] = kind(options, int(own.vertices))
            print(f"{name} has loaded the graph in {programs[name].load:.2f} s")
    print(f"load before: {load()}")
    times, differences = {}, []
    for turn, source in enumerate(own.sources):
        for question in ["bfs", "pagerank", "wcc", "sssp", "triangles"]:
            expected = None
            for name, program in programs.items():
                # The longest ones twice only.
                if not hasattr(program, question) or (question == "triangles" and turn >= 2):
                    continue
                seconds, answer = getattr(program, question)(source)
                times.setdefault(question, {}).setdefault(name, []).append(seconds)
                expected = expected or answer
                differing = {key for key in answer if not close(answer[key], expected.get(key, answer[key]))}
                if differing:
                    differences.append(f"{question} of {name}: {answer}, of rhizome: {expected}")
    print(f"load after: {load()}\n")
    names = list(programs)
    print("| | " + " | ".join(f"{name}, ms" for name in names) + " | " + " | ".join(names[1:]) + " |")
    print("|---|" + "---|" * (2 * len(names) - 1))
    for question, of in times.items():
        medians = {name: statistics.median(of[name]) * 1e3 for name in of}
        cells = [f"{medians[name]:.1f}" if name in medians else "" for name in names]
        ratios = [f"{medians[name] / medians['rhizome']:.2f}" if name in medians else "" for name in names[1:]]
        print(f"| {question} | " + " | ".join(cells + ratios) + " |")
    for difference in differences:
        print(f"different: {difference}", file=sys.stderr)
    sys.exit(1 if differences else 0)


def close(one, other):
    if isinstance(one, list):
        return len(one) == len(other) and all(close(a, b) for a, b in zip(one, other))
    return one == other or (isinstance(one, float) and abs(one - other) <= 2e-3 * max(abs(one), abs(other)))


if __name__ == "__main__":
    main()
