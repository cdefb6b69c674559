#!/usr/bin/env python3
"""Compares the graphs of two servers element by element, page by page: `compare_graphs.py URL_A URL_B`.

Ids, labels, ends and properties must be the same, but for blanks at the ends of texts, which Apache HugeGraph's loader drops and
`rhizome load` keeps. Prints the first differences and ends with code 1 when there are any.
Needs only Python's standard library.
"""
import json
import sys
import urllib.parse
import urllib.request

PAGE = 5000
SHOWN = 10


def elements(url, kind):
    """All vertices or edges of a server as {id: element}, read page by page."""
    found, page = {}, ""
    while page is not None:
        query = urllib.parse.urlencode({"page": page, "limit": PAGE})
        with urllib.request.urlopen(f"{url}/graphs/hugegraph/graph/{kind}?{query}", timeout=60) as answer:
            body = json.load(answer)
        for element in body[kind]:
            if element["id"] in found:
                sys.exit(f"{url} lists {element['id']} of {kind} twice")
            found[element["id"]] = comparable(element)
        page = body["page"]
    return found


def comparable(element):
    """Sets come back as lists in no particular order; blanks at the ends of texts do not count."""
    return {**element, "properties": {name: without_blanks(value) for name, value in element["properties"].items()}}


def without_blanks(value):
    if isinstance(value, list):
        return sorted(without_blanks(item) for item in value)
    return value.strip() if isinstance(value, str) else value


def main(url_a, url_b):
    total, differences = 0, 0
    for kind in ("vertices", "edges"):
        a, b = elements(url_a, kind), elements(url_b, kind)
        total += len(a)
        for key in sorted(a.keys() | b.keys(), key=str):
            if a.get(key) != b.get(key):
                differences += 1
                if differences <= SHOWN:
                    print(f"{kind} {key}:\n  A {a.get(key)}\n  B {b.get(key)}")
        print(f"{kind}: {len(a)} in A, {len(b)} in B")
    if total == 0:
        sys.exit("both graphs are empty: nothing was compared")
    if differences:
        sys.exit(f"{differences} elements differ")
    print(f"{total} elements are the same")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[0])
    main(sys.argv[1], sys.argv[2])
