#!/usr/bin/env python3
"""Prints what the program is made of, as a CycloneDX 1.5 document (https://cyclonedx.org/docs/1.5/json/).

    packaging/sbom.py VERSION

Crates are those of Cargo.lock that `rhizome` needs to be built for this machine, those for tests left out; packages of the
explorer's pages those of web/package-lock.json that are not for development. C and C++ code (RocksDB, LZ4, Zstandard,
AWS-LC) comes with the crates whose names end with `-sys`, by their versions.
"""

import base64
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tomllib
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent


def crates():
    """The packages of `rhizome` and what each needs, by cargo's ids."""
    host = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    host = next(line.split()[1] for line in host.splitlines() if line.startswith("host:"))
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host]
    metadata = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    [root] = [id for id in metadata["workspace_members"] if packages[id]["name"] == "rhizome"]
    # Features of the other members add to those in the metadata; the tree is that of this one.
    command = ["cargo", "tree", "--locked", "-p", "rhizome", "-e", "no-dev", "--target", host, "--prefix", "none"]
    tree = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    built = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    built = {(name, version.removeprefix("v")) for name, version in built}
    needs, waiting = {}, [root]
    while waiting:
        id = waiting.pop()
        if id in needs:
            continue
        kept = [dep for dep in nodes[id]["deps"] if any(kind["kind"] != "dev" for kind in dep["dep_kinds"])]
        others = {dep["pkg"] for dep in kept}
        needs[id] = sorted(other for other in others if (packages[other]["name"], packages[other]["version"]) in built)
        waiting += needs[id]
    return root, {id: packages[id] for id in needs}, needs


def checksums():
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    return {(package["name"], package["version"]): package.get("checksum") for package in locked}


def of_crate(package, checksum):
    component = {
        "type": "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
    }
    if package.get("description"):
        component["description"] = " ".join(package["description"].split())
    if checksum:
        component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if package.get("license"):
        component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if package["source"]:
        component["purl"] = f"pkg:cargo/{package['name']}@{package['version']}"
    if package.get("repository") and urllib.parse.urlparse(package["repository"]).scheme in ("http", "https"):
        component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return component


def reference(package):
    return f"{'crate' if package['source'] else 'rhizome'}:{package['name']}@{package['version']}"


def pages():
    """The packages in the explorer's pages."""
    locked = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    for path, package in sorted(locked.items()):
        if not path.startswith("node_modules/") or package.get("dev") or package.get("optional"):
            continue
        name = path.rsplit("node_modules/", 1)[1]
        component = {
            "type": "library",
            "bom-ref": f"npm:{path}@{package['version']}",
            "name": name,
            "version": package["version"],
            "purl": f"pkg:npm/{urllib.parse.quote(name)}@{package['version']}",
        }
        algorithm, _, value = package.get("integrity", "").partition("-")
        if algorithm == "sha512":
            component["hashes"] = [{"alg": "SHA-512", "content": base64.b64decode(value).hex()}]
        if package.get("license"):
            component["licenses"] = [{"expression": package["license"]}]
        yield component


def main():
    [version] = sys.argv[1:]
    root, packages, needs = crates()
    known = checksums()
    components = [
        of_crate(package, known.get((package["name"], package["version"])))
        for id, package in packages.items()
        if id != root
    ]
    of_pages = list(pages())
    components = sorted(components + of_pages, key=lambda component: component["bom-ref"])
    program = of_crate(packages[root], None) | {"type": "application", "version": version}
    dependencies = [
        {"ref": reference(packages[id]), "dependsOn": sorted(reference(packages[other]) for other in needs[id])}
        for id in packages
    ]
    for dependency in dependencies:
        if dependency["ref"] == program["bom-ref"]:
            dependency["dependsOn"] += [component["bom-ref"] for component in of_pages]
    dependencies.sort(key=lambda dependency: dependency["ref"])
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    content = hashlib.sha256(json.dumps([program, components]).encode()).hexdigest()
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": program,
        },
        "components": components,
        "dependencies": dependencies,
    }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
