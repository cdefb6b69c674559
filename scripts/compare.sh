#!/usr/bin/env bash
# Rhizome and Apache HugeGraph 1.7.0 on this machine, in turn (`rhizome bench compare`), with the goals of the project next to the ratios.
# HugeGraph is fetched with Maven the first time (about 280 MB). Both servers are started for this and thrown away after it: deleting
# the test's data from HugeGraph would take longer than the comparison.
#
#   QUICK=1               fewer and shorter measurements; docs/ is not touched
#   RHIZOME_REPORT        folder for the report                        default ./var/compare
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

hugegraph_settings=(restserver.max_worker_threads=96 batch.max_write_threads=96)
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

# shellcheck disable=SC2317  # called by the trap
finish() {
    local code=$?
    "$root/tests/servers/hugegraph/run.sh" stop "$dir/hugegraph" || code=1
    "$root/scripts/server.sh" stop "$dir/rhizome" || code=1
    rm -rf "$dir"
    exit "$code"
}

free_port_pair() {
    local port
    for _ in {1..50}; do
        port=$((20000 + RANDOM % 12000))
        if ! port_in_use 127.0.0.1 "$port" && ! port_in_use 127.0.0.1 $((port + 1)); then
            echo "$port"
            return
        fi
    done
    die "no two free ports found between 20000 and 32000"
}

"$root/scripts/setup.sh" java
"$root/scripts/build.sh" dist
# That binary from here on, also in the scripts called from here.
export RHIZOME_BIN=${RHIZOME_BIN:-$CARGO_TARGET_DIR/dist/rhizome}
rhizome_bin=$RHIZOME_BIN
mkdir -p "$root/var"
# Beside the data of `make run`, since the system's folder for temporary files is often in memory.
dir=$(mktemp -d "$root/var/compare-servers.XXXXXX")
trap finish EXIT
"$root/tests/servers/hugegraph/run.sh" start "$dir/hugegraph" "$(free_port_pair)" "${hugegraph_settings[@]}"
RHIZOME__LOG__LEVEL=warn "$root/scripts/server.sh" start "$dir/rhizome" 0
rhizome_url=$(cat "$dir/rhizome/url")
hugegraph_url=$(cat "$dir/hugegraph/url")

joined() { local IFS=,; echo "$*"; }

warm_up() { # DURATION SCENARIO ...
    local url
    for url in "$hugegraph_url" "$rhizome_url"; do
        "$rhizome_bin" bench run --url "$url" --scenario "$(joined "${@:2}")" --driver closed --concurrency 16 --duration "$1" --warm-up 0s --keep-data >/dev/null
    done
}

compare() { # OUT WARMED_UP SCENARIO ...
    local out=$1 warmed_up=$2 goal named=()
    shift 2
    for goal in "${goals[@]}"; do
        if [[ " $* " == *" ${goal%=*} "* ]]; then named+=("--goal=$goal"); fi
    done
    "$rhizome_bin" bench compare "$rhizome_url" "$hugegraph_url" --scenario "$(joined "$@")" "${lengths[@]}" --settle 10s --keep-data "${named[@]}" --out "$out" \
        --note "Rhizome: scripts/build.sh dist, its default settings (RocksDB, durability wal: write-ahead log, no fsync per request). HugeGraph: RocksDB, write-ahead log without fsync (its default), ${hugegraph_settings[*]}, otherwise the stock settings. $warmed_up; servers and load generator on the same machine."
}

rm -rf "$report"
cd "$root"
report=${report#"$root"/}
say "Warming up both servers with vertices by id and single inserts"
warm_up "$insert_warm_up" vertex-by-id "${inserts[@]}"
say "Comparing single inserts, before any edge is read"
compare "$report/before-edge-reads" "Both warmed up with vertices by id and single inserts, no edge read yet" "${inserts[@]}"
say "Warming up both servers with every scenario"
warm_up "$warm_up" "${scenarios[@]}"
say "Comparing everything"
compare "$report" "Both warmed up with every scenario" "${scenarios[@]}"
say "Comparing walks"
for url in "$hugegraph_url" "$rhizome_url"; do
    "$rhizome_bin" bench run --url "$url" --scenario "$(joined "${walks[@]}")" "${network[@]}" --driver closed --concurrency 2 --duration "$warm_up" --warm-up 0s --keep-data >/dev/null
done
"$rhizome_bin" bench compare "$rhizome_url" "$hugegraph_url" --scenario "$(joined "${walks[@]}")" "${network[@]}" --concurrency 1 --rounds 5 --duration 5s --settle 10s --keep-data --out "$report/walks" \
    --note "As above, 10,000 vertices with 40 neighbours each, one user."
say "Reports: $report/summary.md and $report/report.html, before edges were read $report/before-edge-reads/summary.md"
if [[ -n ${QUICK:-} ]]; then exit 0; fi

# Puts a summary's table of ratios between two markers of a page.
fill_in() { # PAGE MARKER SUMMARY
    awk -v marker="$2" -v summary="$3" '
        $0 == "<!-- " marker ":end -->" { print ""; inside = 0 }
        !inside { print }
        $0 == "<!-- " marker ":begin -->" {
            inside = 1
            print ""
            while ((getline line < summary) > 0) {
                if (line ~ /^## / && line != "## Ratio") break
                if (line ~ /^[|]/) print line
            }
        }' "$1" >"$1.new"
    mv "$1.new" "$1"
}

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
