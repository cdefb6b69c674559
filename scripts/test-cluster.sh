#!/usr/bin/env bash
# Real servers over stores that several processes can share, which are started and stopped here.
#
#   scripts/test-cluster.sh [cassandra] [tikv] [snapshot] [faults]     no argument: all
#
#   cassandra, tikv   over one Cassandra node, over the TiKV development store: two servers (changes seen, ids unique, pages that
#                     go on at the other server, a task taken over after kill -9), then HugeGraph's Java client against the one
#                     that is left
#                     then two servers with users: what is taken back through one is of no use at the other after
#                     cluster.stale_ms; over TiKV, first a copy of one moment while two servers write
#   snapshot          two servers over a Cassandra node that write while a frozen moment of it is kept by its own tool, and
#                     restored
#   faults            a server over three Cassandra nodes that are killed, slow, cut off, paused and come back
#
# Ports 9042 and 7000 of 127.0.0.1 to .3 must be free, 7199 to 7201, and those of scripts/tikv.sh after 23990 and 20360; others:
# RHIZOME_CASSANDRA_PORT, RHIZOME_CASSANDRA_STORAGE_PORT, RHIZOME_CASSANDRA_JMX_PORT, TIKV_PD_PORT, TIKV_STORE_PORT. RHIZOME_BIN=PATH
# tests that server instead of building one.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

port=${RHIZOME_CASSANDRA_PORT:-9042}
work=$(mktemp -d "${TMPDIR:-/tmp}/rhizome-cluster.XXXXXX")
# A folder and ports of its own, so that a store can be running meanwhile.
export TIKV_STORE_DIR=$work/tikv TIKV_PD_PORT=${TIKV_PD_PORT:-23990} TIKV_STORE_PORT=${TIKV_STORE_PORT:-20360}
nodes=
servers=()

# Stops what runs, servers first: without a store they would not know what to say goodbye to.
stop_all() {
    local server code=0
    for server in "${servers[@]}"; do "$root/scripts/server.sh" stop "$server" || code=1; done
    servers=()
    if [[ -n $nodes ]]; then "$root/scripts/cassandra.sh" stop "$nodes" || code=1; fi
    nodes=
    "$root/scripts/tikv.sh" clean || code=1
    return "$code"
}

# Shows the end of the servers' logs after a failure, stops everything, and keeps the exit code.
# shellcheck disable=SC2317  # called by the trap
finish() {
    local code=$? server
    if ((code != 0)); then
        for server in "${servers[@]}"; do
            say "The last lines of $server/server.log:"
            tail -n 20 "$server/server.log" || true
        done
    fi
    stop_all || code=1
    rm -rf "$work"
    exit "$code"
}
trap finish EXIT

start_cassandra() { # NODES [relayed]
    nodes=$work/cassandra$1
    "$root/scripts/cassandra.sh" start "$nodes" "$@"
}

start_server() { # NAME
    servers+=("$work/$1")
    "$root/scripts/server.sh" start "$work/$1" 0
}

# Of the engine that the environment names.
two_servers_and_a_client() { # STORE
    local first=$work/$1-first second=$work/$1-second
    start_server "$1-first"
    start_server "$1-second"
    python3 "$root/tests/cluster/two_servers.py" "$(cat "$first/url")" "$(cat "$second/url")" "$(cat "$first/pid")"
    RHIZOME_TEST_URL=$(cat "$second/url") "$root/scripts/test-clients.sh" java 1.5.0
}

# Two more servers, with users.
revocations() { # STORE
    local first=$work/$1-third second=$work/$1-fourth
    export RHIZOME__CLUSTER__STALE_MS=3000
    with_login
    start_server "$1-third"
    start_server "$1-fourth"
    python3 "$root/tests/cluster/revoked.py" "$(cat "$first/url")" "$(cat "$second/url")" "$RHIZOME__CLUSTER__STALE_MS"
    unset RHIZOME__CLUSTER__STALE_MS RHIZOME__AUTH__ENABLED RHIZOME__AUTH__PASSWORD_LENGTH_MIN
}

over_cassandra() {
    export RHIZOME__STORAGE__ENGINE=cassandra RHIZOME__STORAGE__CASSANDRA__CONTACT_POINTS=127.0.0.1:$port
    start_cassandra 1
    two_servers_and_a_client cassandra
    revocations cassandra
    stop_all
}

over_tikv() {
    export RHIZOME__STORAGE__ENGINE=tikv RHIZOME__STORAGE__TIKV__PD_ENDPOINTS
    RHIZOME__STORAGE__TIKV__PD_ENDPOINTS=$("$root/scripts/tikv.sh" start -stores 3 -regions 8)
    start_server tikv-one
    start_server tikv-two
    printf '[storage]\nengine = "tikv"\n[storage.tikv]\npd_endpoints = ["%s"]\n' "$RHIZOME__STORAGE__TIKV__PD_ENDPOINTS" >"$work/tikv.toml"
    python3 "$root/tests/cluster/copied.py" "$(cat "$work/tikv-one/url")" "$(cat "$work/tikv-two/url")" "$rhizome_bin" "$work/tikv.toml" \
        "$work/copied"
    "$root/scripts/server.sh" stop "$work/tikv-one"
    "$root/scripts/server.sh" stop "$work/tikv-two"
    two_servers_and_a_client tikv
    revocations tikv
    stop_all
}

with_a_snapshot() {
    local first=$work/snapshot-first second=$work/snapshot-second
    export RHIZOME__STORAGE__ENGINE=cassandra RHIZOME__STORAGE__CASSANDRA__CONTACT_POINTS=127.0.0.1:$port
    start_cassandra 1
    start_server snapshot-first
    start_server snapshot-second
    python3 "$root/tests/cluster/snapshot.py" write "$(cat "$first/url")" "$(cat "$second/url")" "$rhizome_bin" "$nodes" "$work/written"
    "$root/scripts/server.sh" stop "$first"
    "$root/scripts/server.sh" stop "$second"
    "$root/scripts/cassandra.sh" stop "$nodes"
    "$root/scripts/cassandra.sh" restore "$nodes" 1 frozen
    "$root/scripts/cassandra.sh" start "$nodes" 1
    start_server snapshot-third
    python3 "$root/tests/cluster/snapshot.py" compare "$(cat "$work/snapshot-third/url")" "$work/written"
    stop_all
}

with_faults() {
    export RHIZOME__STORAGE__ENGINE=cassandra RHIZOME__STORAGE__CASSANDRA__CONTACT_POINTS=127.0.0.1:$port
    export RHIZOME__STORAGE__CASSANDRA__REPLICATION_FACTOR=3 RHIZOME__STORAGE__CASSANDRA__CONSISTENCY=quorum
    # Shorter than the defaults, so that waiting for nodes that are away does not take minutes.
    export RHIZOME__STORAGE__CASSANDRA__REQUEST_TIMEOUT_MS=5000 RHIZOME__SERVER__REQUEST_TIMEOUT_MS=10000
    start_cassandra 3 relayed
    start_server faults
    python3 "$root/tests/cluster/faults.py" "$(cat "$work/faults/url")" "$nodes"
    stop_all
    unset RHIZOME__STORAGE__CASSANDRA__REPLICATION_FACTOR RHIZOME__STORAGE__CASSANDRA__CONSISTENCY
    unset RHIZOME__STORAGE__CASSANDRA__REQUEST_TIMEOUT_MS RHIZOME__SERVER__REQUEST_TIMEOUT_MS
}

"$root/scripts/build.sh"
(($# > 0)) || set -- cassandra tikv snapshot faults
for part in "$@"; do
    say "Servers over a cluster: $part"
    case $part in
    cassandra) over_cassandra ;;
    tikv) over_tikv ;;
    snapshot) with_a_snapshot ;;
    faults) with_faults ;;
    *) die "unknown part: $part" "usage: scripts/test-cluster.sh [cassandra] [tikv] [snapshot] [faults]" ;;
    esac
done
