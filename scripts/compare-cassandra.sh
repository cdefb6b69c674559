#!/usr/bin/env bash
# Rhizome and Apache HugeGraph 1.5.0, the last release that stores in Cassandra, on one node of Cassandra on this machine, each in
# keyspaces of its own, in turn (`rhizome bench compare`). `make compare CASSANDRA=1` calls it. HugeGraph and Cassandra are fetched
# with Maven the first time (about 380 MB); all three are started for this and thrown away after it. About 35 minutes.
#
#   QUICK=1               fewer and shorter measurements; docs/ is not touched
#   RHIZOME_REPORT        folder for the report                        default ./var/compare-cassandra
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/compare-lib.sh
source "$root/scripts/compare-lib.sh"

goals=(vertex-by-id=8 edge-by-id=7 single-vertex=7 single-edge=5 batch-vertex=5 batch-edge=6)
scenarios=("${goals[@]%=*}")
walks=(neighbours within-2-hops within-3-hops shortest-path index-look-up)
# The number of users of the goals.
if [[ -n ${QUICK:-} ]]; then
    lengths=(--concurrency 32 --rounds 3 --duration 5s --probe 2s)
    walk_rounds=2
    warm_up=8s
    # shellcheck disable=SC2034  # read by compare
    settle=3s
else
    lengths=(--concurrency 8,32 --rounds 5 --duration 10s --probe 4s)
    walk_rounds=3
    warm_up=15s
fi
report=$(realpath -m "${RHIZOME_REPORT:-$root/var/compare-cassandra}")

start_servers() {
    local port=${RHIZOME_CASSANDRA_PORT:-9042}
    # As in production: Java's optimizing compiler, and memory for more than a test. HugeGraph sends a batch of 500 vertices as one of
    # Cassandra, which by default refuses more than 50 KiB.
    RHIZOME_CASSANDRA_YAML='batch_size_fail_threshold: 5MiB' RHIZOME_CASSANDRA_COMPILER=full RHIZOME_CASSANDRA_HEAP=${RHIZOME_CASSANDRA_HEAP:-2G} \
        "$root/scripts/cassandra.sh" start "$dir/cassandra"
    HUGEGRAPH_CASSANDRA=127.0.0.1:$port "$root/tests/servers/hugegraph/run.sh" start "$dir/hugegraph" "$(free_port_pair)" "${hugegraph_settings[@]}"
    RHIZOME__LOG__LEVEL=warn RHIZOME__STORAGE__ENGINE=cassandra RHIZOME__STORAGE__CASSANDRA__CONTACT_POINTS=127.0.0.1:$port \
        "$root/scripts/server.sh" start "$dir/rhizome" 0
    rhizome_url=$(cat "$dir/rhizome/url")
    hugegraph_url=$(cat "$dir/hugegraph/url")
}

prepare_compare
start_servers
note="Both on one node of Cassandra, commit log with its defaults, 2 GiB heap, replication 1, batch_size_fail_threshold 5 MiB, on the machine of the servers and the \
load generator. Rhizome: scripts/build.sh dist, its default settings. HugeGraph: ${hugegraph_settings[*]}, otherwise the stock \
settings."
say "Warming up both servers"
warm_up "$warm_up" --concurrency 32 --scenario "$(joined "${scenarios[@]}")"
say "Comparing reads and writes"
compare "$report" "$note Both warmed up with every scenario." "${lengths[@]}" --scenario "$(joined "${scenarios[@]}")" \
    "${goals[@]/#/--goal=}"
say "Comparing walks"
# A network in which right answers are known; one user, so that a walk has the machine to itself.
network=(--vertices 2000 --edges 20000)
warm_up "$warm_up" --concurrency 2 --scenario "$(joined "${walks[@]}")" "${network[@]}"
compare "$report/walks" "$note 2,000 vertices with 20 neighbours each, one user." --concurrency 1 --rounds "$walk_rounds" --duration 5s \
    --scenario "$(joined "${walks[@]}")" "${network[@]}"
say "Reports: $report/summary.md and $report/walks/summary.md"
if [[ -n ${QUICK:-} ]]; then exit 0; fi

pages=docs/benchmarks
mkdir -p "$pages/hugegraph-1.5-cassandra"
cp "$report/summary.md" "$report/report.html" "$pages/hugegraph-1.5-cassandra/"
cp "$report/walks/summary.md" "$pages/hugegraph-1.5-cassandra/walks.md"
fill_in "$pages/cluster.md" compare "$report/summary.md"
fill_in "$pages/cluster.md" compare-walks "$report/walks/summary.md"
say "$pages/cluster.md has the new tables"
