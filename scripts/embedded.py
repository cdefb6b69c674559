"""A graph database that runs in the process that uses it, as a program that answers queries: Kuzu or Ladybug, of PyPI.

usage: embedded.py MODULE FOLDER     MODULE: kuzu or ladybug; two of them cannot live in one process

Each line of input is a JSON array of a query and its parameters; each line of output one of seconds and rows. The time
is that of the query and of fetching its rows, without JSON.
"""

import importlib
import json
import subprocess
import sys
import time


class Embedded:
    """The other end: starts such a program and asks it. `system` is MODULE or MODULE=PYTHON."""

    def __init__(self, system, folder):
        self.name, _, python = system.partition("=")
        self.process = subprocess.Popen([python or sys.executable, __file__, self.name, str(folder)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def cypher(self, text, parameters=None):
        """The rows; the seconds are in `spent`."""
        print(json.dumps([text, parameters or {}]), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name}: the program ended at {text}")
        self.spent, rows = json.loads(line)
        return rows

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    module, folder = importlib.import_module(sys.argv[1]), sys.argv[2]
    connection = module.Connection(module.Database(f"{folder}/{sys.argv[1]}"), num_threads=2)
    prepared = {}
    for line in sys.stdin:
        text, parameters = json.loads(line)
        begun = time.perf_counter()
        if text not in prepared:
            prepared[text] = connection.prepare(text, parameters)
        result = connection.execute(prepared[text], parameters)
        rows = []
        while result.has_next():
            rows.append(result.get_next())
        print(json.dumps([time.perf_counter() - begun, rows], default=str), flush=True)


if __name__ == "__main__":
    main()
