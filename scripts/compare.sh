#!/usr/bin/env bash
# Rhizome and Apache HugeGraph 1.7.0 on this machine, in turn (`rhizome bench compare`), with the goals of the project next to the ratios.
# HugeGraph is fetched with Maven the first time (about 280 MB). Both servers are started for this and thrown away after it: deleting
# the test's data from HugeGraph would take longer than the comparison.
#
#   QUICK=1               fewer and shorter measurements; docs/ is not touched
#   CASSANDRA=1           both on a node of Cassandra, HugeGraph 1.5.0 instead: scripts/compare-cassandra.sh
#   RHIZOME_REPORT        folder for the report                        default ./var/compare
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/compare-lib.sh
source "$root/scripts/compare-lib.sh"

if [[ -n ${CASSANDRA:-} ]]; then exec "$root/scripts/compare-cassandra.sh"; fi

# Each insert makes HugeGraph empty its cache of edges, which takes the longer the more edges it has read since it started. So single
# inserts are compared before any edge is read, where it is at its best, and again with everything else.
inserts=(single-vertex single-edge)
# Creating schema comes last: HugeGraph slows down as its schema grows.
scenarios=(vertex-by-id edge-by-id single-vertex single-edge batch-vertex batch-edge-unchecked batch-edge schema-property-keys)
goals=(vertex-by-id=5 edge-by-id=6 single-vertex=12 single-edge=10 batch-vertex=3 batch-edge-unchecked=4 batch-edge=3 schema-property-keys=10)
# Walks have a network of their own, in which right answers are known; one user, so that a walk has the machine to itself.
walks=(neighbours within-2-hops within-3-hops shortest-path rings-of-3 index-look-up)
network=(--vertices 10000 --edges 200000)
# A Java process is slow until its hot code is compiled: each scenario is run for so long before.
if [[ -n ${QUICK:-} ]]; then
    lengths=(--concurrency 16,64 --rounds 3 --duration 5s --probe 3s)
    insert_warm_up=15s
else
    lengths=(--concurrency 4,16,64,256 --rounds 5 --duration 10s --probe 4s)
    insert_warm_up=30s
fi
warm_up=15s
report=$(realpath -m "${RHIZOME_REPORT:-$root/var/compare}")

note="Rhizome: scripts/build.sh dist, its default settings (RocksDB, durability wal: write-ahead log, no fsync per request). HugeGraph: \
RocksDB, write-ahead log without fsync (its default), ${hugegraph_settings[*]}, otherwise the stock settings. Servers and load generator on \
the same machine."

compare_named() { # OUT WARMED_UP SCENARIO ...
    local out=$1 warmed_up=$2 goal named=()
    shift 2
    for goal in "${goals[@]}"; do
        if [[ " $* " == *" ${goal%=*} "* ]]; then named+=("--goal=$goal"); fi
    done
    compare "$out" "$note $warmed_up." "${lengths[@]}" --scenario "$(joined "$@")" "${named[@]}"
}

prepare_compare
"$root/tests/servers/hugegraph/run.sh" start "$dir/hugegraph" "$(free_port_pair)" "${hugegraph_settings[@]}"
RHIZOME__LOG__LEVEL=warn "$root/scripts/server.sh" start "$dir/rhizome" 0
rhizome_url=$(cat "$dir/rhizome/url")
hugegraph_url=$(cat "$dir/hugegraph/url")
say "Warming up both servers with vertices by id and single inserts"
warm_up "$insert_warm_up" --concurrency 16 --scenario "$(joined vertex-by-id "${inserts[@]}")"
say "Comparing single inserts, before any edge is read"
compare_named "$report/before-edge-reads" "Both warmed up with vertices by id and single inserts, no edge read yet" "${inserts[@]}"
say "Warming up both servers with every scenario"
warm_up "$warm_up" --concurrency 16 --scenario "$(joined "${scenarios[@]}")"
say "Comparing everything"
compare_named "$report" "Both warmed up with every scenario" "${scenarios[@]}"
say "Comparing walks"
warm_up "$warm_up" --concurrency 2 --scenario "$(joined "${walks[@]}")" "${network[@]}"
compare "$report/walks" "$note 10,000 vertices with 40 neighbours each, one user." --concurrency 1 --rounds 5 --duration 5s \
    --scenario "$(joined "${walks[@]}")" "${network[@]}"
say "Reports: $report/summary.md and $report/report.html, before edges were read $report/before-edge-reads/summary.md"
if [[ -n ${QUICK:-} ]]; then exit 0; fi

pages=docs/benchmarks
mkdir -p "$pages/hugegraph-1.7"
cp "$report/summary.md" "$report/report.html" "$pages/hugegraph-1.7/"
cp "$report/before-edge-reads/summary.md" "$pages/hugegraph-1.7/before-edge-reads.md"
cp "$report/walks/summary.md" "$pages/hugegraph-1.7/walks.md"
fill_in "$pages/hugegraph.md" compare "$report/summary.md"
fill_in "$pages/walks.md" compare-walks "$report/walks/summary.md"
fill_in "$pages/hugegraph.md" compare-inserts "$report/before-edge-reads/summary.md"
scripts/chart.py
say "$pages/hugegraph.md has the new tables, docs/images the new chart"
