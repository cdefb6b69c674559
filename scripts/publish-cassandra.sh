#!/usr/bin/env bash
# HugeGraph's two published pages on Cassandra (`rhizome bench publish`), in their quick form, run against Rhizome and against Apache
# HugeGraph 1.5.0 on the same nodes of Cassandra on this machine, one server after the other. HugeGraph and Cassandra are fetched with
# Maven the first time (about 380 MB); all are started for this and thrown away after it. About 12 minutes for each number of nodes.
#
#   scripts/publish-cassandra.sh [NODES ...]     1, 3 or both; default: 1 3
#
#   RHIZOME_REPORT        folder for the reports                       default ./var/publish-cassandra
#   RHIZOME_BIN           the binary to measure                        default scripts/build.sh dist
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=scripts/compare-lib.sh
source "$root/scripts/compare-lib.sh"

pages=(hugegraph-0.5.6-cassandra hugegraph-0.2-cassandra)
report=$(realpath -m "${RHIZOME_REPORT:-$root/var/publish-cassandra}")
port=${RHIZOME_CASSANDRA_PORT:-9042}
(($# > 0)) || set -- 1 3

# The pages have up to 20,000 users.
ulimit -n "$(ulimit -Hn)"

start_servers() { # NODES
    local heap=2G
    if (($1 == 3)); then heap=1G; fi
    RHIZOME_CASSANDRA_YAML='batch_size_fail_threshold: 5MiB' RHIZOME_CASSANDRA_COMPILER=full RHIZOME_CASSANDRA_HEAP=${RHIZOME_CASSANDRA_HEAP:-$heap} \
        "$root/scripts/cassandra.sh" start "$dir/cassandra" "$1"
    HUGEGRAPH_CASSANDRA=127.0.0.1:$port HUGEGRAPH_CASSANDRA_REPLICATION=$1 \
        "$root/tests/servers/hugegraph/run.sh" start "$dir/hugegraph" "$(free_port_pair)" "${hugegraph_settings[@]}"
    RHIZOME__LOG__LEVEL=warn RHIZOME__STORAGE__ENGINE=cassandra \
        RHIZOME__STORAGE__CASSANDRA__CONTACT_POINTS=127.0.0.1:$port RHIZOME__STORAGE__CASSANDRA__REPLICATION_FACTOR=$1 \
        "$root/scripts/server.sh" start "$dir/rhizome" 0
    rhizome_url=$(cat "$dir/rhizome/url")
    hugegraph_url=$(cat "$dir/hugegraph/url")
}

stop_servers() {
    "$root/tests/servers/hugegraph/run.sh" stop "$dir/hugegraph"
    "$root/scripts/server.sh" stop "$dir/rhizome"
    "$root/scripts/cassandra.sh" stop "$dir/cassandra"
    rm -rf "${dir:?}"/*
}

prepare_compare
for nodes in "$@"; do
    start_servers "$nodes"
    say "Warming up both servers on $nodes node(s) of Cassandra"
    warm_up 5s --concurrency 32 --scenario single-vertex,vertex-by-id,batch-edge,batch-vertex,single-edge
    for page in "${pages[@]}"; do
        for server in rhizome hugegraph; do
            url=${server}_url
            say "$page on $nodes node(s): $server"
            "$rhizome_bin" bench publish "$page" --quick --url "${!url}" --out "$report/$nodes/$page/$server" \
                --note "$nodes node(s) of Cassandra, heap $( ((nodes == 3)) && echo 1 || echo 2) GiB, every row on each of them" >/dev/null
        done
        python3 "$root/scripts/publish_table.py" "$report/$nodes/$page" | tee "$report/$nodes/$page/table.md"
    done
    stop_servers
done
say "Reports: $report"
