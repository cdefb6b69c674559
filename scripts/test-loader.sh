#!/usr/bin/env bash
# Loads a generated social network (the files of LDBC SNB) with Apache HugeGraph's own bulk loader into one server and with
# `rhizome load` into another, and compares the two graphs element by element.
#
#   scripts/test-loader.sh [PERSONS]      default 100: about 100,000 elements
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Stops both servers and keeps the exit code.
# shellcheck disable=SC2317  # called by the trap
finish() {
    local code=$? side
    for side in loader own; do "$root/scripts/server.sh" stop "$dir/$side" || code=1; done
    rm -rf "$dir"
    exit "$code"
}

"$root/scripts/setup.sh" java
"$root/scripts/build.sh"
dir=$(mktemp -d)
trap finish EXIT

# The class path is kept: resolving it takes longer than the load.
pom=$root/tests/clients/loader/pom.xml
classpath=$RHIZOME_CACHE/loader/classpath
if ! cmp -s "$pom" "$RHIZOME_CACHE/loader/pom.xml" || [[ ! -s $classpath ]]; then
    say "Fetching Apache HugeGraph's loader"
    mkdir -p "$RHIZOME_CACHE/loader"
    mvn -B -ntp -q -f "$pom" dependency:build-classpath -Dmdep.outputFile="$classpath" </dev/null
    cp "$pom" "$RHIZOME_CACHE/loader/pom.xml"
fi

# Loads a folder both ways and compares.
load_both() { # FOLDER with mapping.json, schema.groovy and schema.json next to the CSV folders
    local data=$1 loader_url own_url entry
    "$root/scripts/server.sh" start "$dir/loader" 0
    "$root/scripts/server.sh" start "$dir/own" 0
    loader_url=$(cat "$dir/loader/url")
    own_url=$(cat "$dir/own/url")

    say "Apache HugeGraph's loader against $loader_url"
    # It writes its logs and its record of failures below where it runs; the mapping's paths are relative to the data.
    mkdir -p "$dir/run"
    for entry in "$data"/*; do ln -s "$entry" "$dir/run/"; done
    (
        cd "$dir/run"
        java -cp "$(cat "$classpath")" org.apache.hugegraph.loader.HugeGraphLoader -f mapping.json -s schema.groovy \
            -g hugegraph -h 127.0.0.1 -p "${loader_url##*:}" --batch-insert-threads 2 --single-insert-threads 2 \
            >"$dir/loader.log" 2>&1 </dev/null
    ) || { tail -n 40 "$dir/loader.log"; die "the loader failed; its last lines are above"; }
    grep -E '(success|failure|rate).* : ' "$dir/loader.log" || true
    if grep -qE 'failure +: *[1-9]' "$dir/loader.log"; then die "the loader reports failures"; fi

    say "rhizome load against $own_url"
    "$rhizome_bin" load --server "$own_url" --schema "$data/schema.json" --mapping "$data/mapping.json" \
        >"$dir/own.log" 2>&1 </dev/null || { tail -n 40 "$dir/own.log"; die "rhizome load failed"; }
    tail -n 2 "$dir/own.log"

    say "Comparing"
    python3 "$root/tests/clients/loader/compare_graphs.py" "$loader_url" "$own_url"
    "$root/scripts/server.sh" stop "$dir/loader"
    "$root/scripts/server.sh" stop "$dir/own"
    rm -rf "$dir/loader" "$dir/own" "$dir/run"
}

"$rhizome_bin" generate snb --persons "${1:-100}" --seed 42 --out "$dir/network"
load_both "$dir/network"

# The files of LDBC's own generator, where they are at hand; the project does not depend on them.
ldbc=${RHIZOME_TEST_DATA:-$root/../shared/data}/snb-interactive-v1-tiny/vanilla
if [[ -d $ldbc ]]; then
    mkdir -p "$dir/ldbc"
    for entry in "$(cd "$ldbc" && pwd)"/* "$dir"/network/{mapping.json,schema.json,schema.groovy}; do ln -s "$entry" "$dir/ldbc/"; done
    say "The same with LDBC's own files"
    load_both "$dir/ldbc"
else
    say "Skipped: LDBC's own files are not at $ldbc"
fi
