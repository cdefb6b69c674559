#!/usr/bin/env bash
# Runs the openCypher TCK. The feature files come with Maven.
#
#   scripts/cypher-tck.sh bolt [--graphs auto|strict] [--only PATTERN] [--shrink]      over Bolt against a fresh server
#   scripts/cypher-tck.sh local [--graphs auto|strict] [--only PATTERN] [--shrink]     without a server, in seconds
#
# On an auto graph (default) all scenarios run, over Bolt all but those that bring procedures along, which only the
# program of the local run takes; there the details of errors are compared too. On a strict graph, which needs a
# schema before anything can be stored, those run whose queries touch no graph. Every failure fails the run, except those that
# tests/cypher/expected-failures.txt lists with their reasons. The list may only shrink: a scenario on it that passes fails
# the run too, and --shrink takes its line out.
#
# RHIZOME_TEST_BOLT=HOST:PORT tests a server that already runs, Neo4j for example; its default database is emptied.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { die "usage: scripts/cypher-tck.sh bolt|local [--graphs auto|strict] [--only PATTERN] [--shrink]"; }

version=1.0.0-M23
# Scenarios that the jar has once its outlines are expanded.
scenarios=3897
graphs=auto
more=()
way=${1:-}
case $way in bolt | local) shift ;; *) usage ;; esac
while (($# > 0)); do
    case $1 in
    --graphs) graphs=${2:-}; shift ;;
    --only) more+=(--only "${2:-}"); shift ;;
    --shrink) more+=(--shrink) ;;
    *) usage ;;
    esac
    shift
done
case $graphs in auto | strict) ;; *) usage ;; esac

# Stops the server, shows the end of its log after a failure, and keeps the exit code.
# shellcheck disable=SC2317  # called by the trap
finish() {
    local code=$?
    [[ ! -e $dir/url ]] || "$root/scripts/server.sh" stop "$dir" || code=1
    rm -rf "$dir"
    exit "$code"
}

"$root/scripts/setup.sh" java
folder=$RHIZOME_CACHE/opencypher-tck
jar=$folder/tck-$version.jar
if [[ ! -s $jar ]]; then
    say "Fetching the TCK $version"
    mkdir -p "$folder"
    mvn -B -ntp -q dependency:copy "-Dartifact=org.opencypher:tck:$version" "-DoutputDirectory=$folder" </dev/null
fi

arguments=(--jar "$jar" --count "$scenarios" --graphs "$graphs" "${more[@]}")
expected=$root/tests/cypher/expected-failures.txt
if [[ -e $expected ]]; then arguments+=(--expected "$expected"); fi
export PYTHONDONTWRITEBYTECODE=1
if [[ $way == local ]]; then
    program=${CYPHER_TCK_BIN:-$CARGO_TARGET_DIR/debug/cypher-tck}
    [[ -n ${CYPHER_TCK_BIN:-} ]] || cargo build -q -p cypher-tck
    exec python3 "$root/tests/cypher/run.py" --program "$program" --details "${arguments[@]}"
fi
if [[ -n ${RHIZOME_TEST_BOLT:-} ]]; then
    exec python3 "$root/tests/cypher/run.py" --bolt "$RHIZOME_TEST_BOLT" "${arguments[@]}"
fi
"$root/scripts/build.sh"
dir=$(mktemp -d)
trap finish EXIT
bolt=127.0.0.1:$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
RHIZOME__BOLT__ENABLED=true RHIZOME__BOLT__LISTEN=$bolt "$root/scripts/server.sh" start "$dir" 0
say "TCK $version against bolt://$bolt, $graphs graphs"
python3 "$root/tests/cypher/run.py" --bolt "$bolt" --url "$(cat "$dir/url")" --database tck "${arguments[@]}"
