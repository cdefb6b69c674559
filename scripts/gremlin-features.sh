#!/usr/bin/env bash
# Runs Apache TinkerPop's feature suite against a fresh server, and parses its traversals with the crate `gremlin`. The
# feature files and toy graphs come with Maven.
#
#   scripts/gremlin-features.sh [VERSION] [--graphs auto|strict] [--mode MODE]... [--shrink]
#                                                                          default: 3.8.1, strict, all modes
#   scripts/gremlin-features.sh parse [VERSION]                                        only parses
#
# MODE: http, ws-text-graphson, ws-text-graphbinary, ws-bytecode-graphson, ws-bytecode-graphbinary. Every
# failure fails the run, except those that tests/gremlin/expected-failures-VERSION.txt lists with their reasons, if there is one.
# The list may only shrink: a scenario on it that passes fails the run too, and --shrink takes its line out.
#
# RHIZOME_TEST_URL=http://HOST:PORT tests a server that already runs, with the graphs modern, classic, crew, sink, grateful
# and empty loaded; so the suite can be run against TinkerPop's own server.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { die "usage: scripts/gremlin-features.sh [parse] [VERSION] [--graphs auto|strict] [--mode MODE]... [--shrink]"; }

version=3.8.1
graphs=strict
modes=()
shrink=()
parse=no
while (($# > 0)); do
    case $1 in
    parse) parse=yes ;;
    --graphs) graphs=${2:-}; shift ;;
    --shrink) shrink=(--shrink) ;;
    --mode) modes+=(--mode "${2:-}"); shift ;;
    [0-9]*) version=$1 ;;
    *) usage ;;
    esac
    shift
done
case $graphs in auto | strict) ;; *) usage ;; esac
if ((${#modes[@]} == 0)); then
    for mode in http ws-{text,bytecode}-{graphson,graphbinary}; do modes+=(--mode "$mode"); done
fi

# Stops the server, shows the end of its log after a failure, and keeps the exit code.
# shellcheck disable=SC2317  # called by the trap
finish() {
    local code=$?
    [[ ! -e $dir/url ]] || "$root/scripts/server.sh" stop "$dir" || code=1
    rm -rf "$dir"
    exit "$code"
}

"$root/scripts/setup.sh" java
folder=$RHIZOME_CACHE/gremlin-features
jar=$folder/gremlin-test-$version.jar
if [[ ! -s $jar ]]; then
    say "Fetching gremlin-test $version"
    mkdir -p "$folder"
    mvn -B -ntp -q dependency:copy "-Dartifact=org.apache.tinkerpop:gremlin-test:$version" "-DoutputDirectory=$folder" </dev/null
fi

if [[ $parse == yes ]]; then
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
    unzip -oq "$jar" '*.feature' -d "$dir"
    cd "$root"
    RHIZOME_GREMLIN_FEATURES=$dir cargo test -p gremlin --test features -- --ignored --nocapture
    exit
fi

arguments=(--jar "$jar" --graphs "$graphs" "${modes[@]}" "${shrink[@]}")
expected=$root/tests/gremlin/expected-failures-$version.txt
if [[ -e $expected ]]; then arguments+=(--expected "$expected"); fi
export PYTHONDONTWRITEBYTECODE=1
if [[ -n ${RHIZOME_TEST_URL:-} ]]; then
    exec python3 "$root/tests/gremlin/run.py" --url "$RHIZOME_TEST_URL" "${arguments[@]}" --graphs preloaded
fi
"$root/scripts/build.sh"
dir=$(mktemp -d)
trap finish EXIT
"$root/scripts/server.sh" start "$dir" 0
say "Features of $version against $(cat "$dir/url"), $graphs graphs"
python3 "$root/tests/gremlin/run.py" --url "$(cat "$dir/url")" "${arguments[@]}"
