"""The list of what the program is made of."""

import json
import os
import pathlib
import tomllib

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

PACKAGES = pathlib.Path(os.environ["RHIZOME_TEST_PACKAGES"])
ROOT = pathlib.Path(__file__).resolve().parents[2]


def document():
    [path] = PACKAGES.glob("*.cdx.json")
    return path.read_text()


def test_it_is_valid():
    assert JsonStrictValidator(SchemaVersion.V1_5).validate_str(document()) is None


def test_it_has_what_is_locked_and_nothing_of_tests():
    components = json.loads(document())["components"]
    purls = {component.get("purl") for component in components}
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    versions = {package["name"]: package["version"] for package in locked}
    for name in ["hyper", "tokio", "librocksdb-sys", "rustls", "clap"]:
        assert f"pkg:cargo/{name}@{versions[name]}" in purls
    names = {component["name"] for component in components}
    assert {"serving", "rest-api", "sigma"} <= names
    assert not {"proptest", "criterion", "vitest", "playwright-core"} & names
    for component in components:
        if component.get("purl"):
            assert component["hashes"] and component["licenses"], component


def test_everything_that_is_needed_is_listed():
    whole = json.loads(document())
    listed = {component["bom-ref"] for component in whole["components"]} | {whole["metadata"]["component"]["bom-ref"]}
    assert len(listed) == len(whole["components"]) + 1, "a name twice"
    for dependency in whole["dependencies"]:
        assert dependency["ref"] in listed and set(dependency["dependsOn"]) <= listed
