#!/usr/bin/env bash
# Parses every traversal of Apache TinkerPop's feature files, which Maven fetches: scripts/gremlin-features.sh [VERSION]
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:-3.8.1}
folder="${CARGO_TARGET_DIR:-target}/gremlin-features/$version"
if [ ! -d "$folder/org" ]; then
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
    mvn -q dependency:copy "-Dartifact=org.apache.tinkerpop:gremlin-test:$version" "-DoutputDirectory=$folder"
    unzip -oq "$folder/gremlin-test-$version.jar" '*.feature' -d "$folder"
fi
folder=$(cd "$folder" && pwd)
RHIZOME_GREMLIN_FEATURES=$folder cargo test -p gremlin --test features -- --ignored --nocapture
