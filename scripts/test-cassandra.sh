#!/usr/bin/env bash
# Runs the tests of kv-cassandra against real nodes that it starts and stops: the conformance suite on one node, the faults
# on three, and logins, rights and TLS on one that asks for them. Ports 9042 and 7000 of 127.0.0.1 to .3 must be free; others:
# RHIZOME_CASSANDRA_PORT, RHIZOME_CASSANDRA_STORAGE_PORT.
#
#   scripts/test-cassandra.sh [one] [three] [secured]     no argument: all
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

port=${RHIZOME_CASSANDRA_PORT:-9042}
work=$(mktemp -d "${TMPDIR:-/tmp}/rhizome-cassandra.XXXXXX")
running=
finish() {
    if [[ -n $running ]]; then "$root/scripts/cassandra.sh" stop "$running" || true; fi
    rm -rf "$work"
}
trap finish EXIT

# Of the whole workspace, so that dependencies are those compiled already: alone, the crate would want fewer of their features.
of_workspace=(cargo test --workspace --features kv-cassandra/cluster-tests)
of_cluster=("${of_workspace[@]}" --test cluster)
of_secured=("${of_workspace[@]}" --test cassandra_secured)
# One after the other: they share a keyspace.
tests() { "${of_cluster[@]}" -- --test-threads=1 "$@"; }

start() { # NODES [secured]
    running=$work/$1${2:-}
    "$root/scripts/cassandra.sh" start "$running" "$@"
}

stop() {
    "$root/scripts/cassandra.sh" stop "$running"
    running=
}

cd "$root"
"${of_cluster[@]}" --test cassandra_secured --no-run
(($# > 0)) || set -- one three secured
for part in "$@"; do
    case $part in
    one)
        start 1
        RHIZOME_TEST_CASSANDRA=127.0.0.1:$port tests --skip faults::
        stop
        ;;
    three)
        start 3
        export RHIZOME_TEST_CASSANDRA=127.0.0.1:$port,127.0.0.2:$port,127.0.0.3:$port
        # With one copy of each row: requests go to the node that has it.
        tests conformance::many_partitions
        RHIZOME_TEST_CASSANDRA_DIR=$running tests faults::
        unset RHIZOME_TEST_CASSANDRA
        stop
        ;;
    secured)
        start 1 secured
        RHIZOME_TEST_CASSANDRA_SECURED=127.0.0.1:$port RHIZOME_TEST_CASSANDRA_TLS=$running/tls "${of_secured[@]}"
        stop
        ;;
    *) die "unknown part: $part" "usage: scripts/test-cassandra.sh [one] [three] [secured]" ;;
    esac
done
