#!/usr/bin/env bash
# The same short load test (`rhizome bench run`) on every storage engine of this machine, one after the other: memory, RocksDB, Cassandra
# with one node and with three, the TiKV development store. Writes docs/benchmarks/engines.md's tables. Needs Java 17 and Maven
# (Cassandra) and Go (the store); nothing else should run. About twelve minutes.
#
#   scripts/engines.sh [NAME...]     of: memory rocksdb cassandra-1 cassandra-3 tikv; without any: all, and the page is written
#   RHIZOME_REPORT                   folder for the reports                     default ./var/engines
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

report=${RHIZOME_REPORT:-$root/var/engines}
page=$root/docs/benchmarks/engines.md
port=${RHIZOME_CASSANDRA_PORT:-9042}
scenarios=batch-vertex,batch-edge,single-vertex,single-edge,vertex-by-id,edge-by-id
# Users without pauses: the published pages' thousands of paced ones are more than stores that share two processors can serve.
load=(--driver closed --concurrency 4,16,64 --duration 5s --warm-up 1s --vertices 10000 --edges 20000)
all=(memory rocksdb cassandra-1 cassandra-3 tikv)
stop_store=()

finish() {
    if ((${#stop_store[@]} > 0)); then "${stop_store[@]}" || true; fi
    rm -rf "$dir"
}

measure() { # NAME ENGINE NOTE [KEY=VALUE...]
    local name=$1 engine=$2 note=$3 setting settings=()
    shift 3
    for setting in "$@"; do settings+=(--set "$setting"); done
    say "Measuring $name"
    rm -rf "${report:?}/$name"
    "$rhizome_bin" bench run --scenario "$scenarios" "${load[@]}" --engine "$engine" --data-in "$dir" "${settings[@]}" --note "$note" \
        --out "$report/$name" >/dev/null
}

cassandra() { # NODES
    local points=127.0.0.1:$port
    if (($1 == 3)); then points=$points,127.0.0.2:$port,127.0.0.3:$port; fi
    stop_store=("$root/scripts/cassandra.sh" stop "$dir/cassandra-$1")
    "$root/scripts/cassandra.sh" start "$dir/cassandra-$1" "$1"
    measure "cassandra-$1" cassandra "$1 node(s) on this machine, replication $1, consistency local_quorum" \
        "storage.cassandra.contact_points=$points" "storage.cassandra.replication_factor=$1"
    "${stop_store[@]}"
    stop_store=()
}

tikv() {
    local pd
    export TIKV_STORE_DIR=$dir/tikv TIKV_PD_PORT=${TIKV_PD_PORT:-23890} TIKV_STORE_PORT=${TIKV_STORE_PORT:-20260}
    stop_store=("$root/scripts/tikv.sh" stop)
    pd=$("$root/scripts/tikv.sh" start -stores 3 -regions 8)
    measure tikv tikv "the development store of this repository, not TiKV: one process, three stores, eight regions, no replicas" \
        "storage.tikv.pd_endpoints=$pd"
    "${stop_store[@]}"
    stop_store=()
}

"$root/scripts/build.sh"
mkdir -p "$root/var" "$report"
dir=$(mktemp -d "$root/var/engines-data.XXXXXX")
trap finish EXIT
names=("$@")
if ((${#names[@]} == 0)); then names=("${all[@]}"); fi
for name in "${names[@]}"; do
    case $name in
    memory) measure memory memory "nothing is kept" ;;
    rocksdb) measure rocksdb rocksdb "write-ahead log, no fsync for each write" ;;
    cassandra-1) cassandra 1 ;;
    cassandra-3) cassandra 3 ;;
    tikv) tikv ;;
    *) die "unknown engine: $name" "Known: ${all[*]}" ;;
    esac
done
if (($# > 0)); then exit 0; fi
python3 "$root/scripts/engines_tables.py" "$page" "${names[@]/#/$report/}"
say "$page has the new tables; the reports are in $report"
