# Shared by the comparisons with HugeGraph: source it after lib.sh. They set $report and, if ten seconds are too long, $settle, and start
# both servers in folders of $dir.
# shellcheck shell=bash

# Fewer workers refuse requests of 64 users.
# shellcheck disable=SC2034  # used by the scripts that source this file
hugegraph_settings=(restserver.max_worker_threads=96 batch.max_write_threads=96)

joined() { local IFS=,; echo "$*"; }

# Ends what was started in $dir, and removes it.
# shellcheck disable=SC2317  # called by the trap
finish() {
    local code=$?
    "$root/tests/servers/hugegraph/run.sh" stop "$dir/hugegraph" || code=1
    "$root/scripts/server.sh" stop "$dir/rhizome" || code=1
    if [[ -e $dir/cassandra/nodes ]]; then "$root/scripts/cassandra.sh" stop "$dir/cassandra" || code=1; fi
    rm -rf "$dir"
    exit "$code"
}

# The binary that is measured, in the scripts called from here, too; a folder $dir for the servers; and $report, empty and relative to
# the repository, which is where what follows runs.
prepare_compare() {
    "$root/scripts/setup.sh" java
    "$root/scripts/build.sh" dist
    export RHIZOME_BIN=${RHIZOME_BIN:-$CARGO_TARGET_DIR/dist/rhizome}
    rhizome_bin=$RHIZOME_BIN
    mkdir -p "$root/var"
    # Beside the data of `make run`, since the system's folder for temporary files is often in memory.
    dir=$(mktemp -d "$root/var/compare-servers.XXXXXX")
    trap finish EXIT
    rm -rf "${report:?}"
    cd "$root"
    report=${report#"$root"/}
}

# Each server for so long.
warm_up() { # DURATION OPTION ...
    local url duration=$1
    shift
    for url in "$hugegraph_url" "$rhizome_url"; do
        "$rhizome_bin" bench run --url "$url" "$@" --driver closed --duration "$duration" --warm-up 0s --keep-data >/dev/null
    done
}

compare() { # OUT NOTE OPTION ...
    local out=$1 note=$2
    shift 2
    "$rhizome_bin" bench compare "$rhizome_url" "$hugegraph_url" "$@" --settle "${settle:-10s}" --keep-data --out "$out" --note "$note"
}

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
