#!/usr/bin/env bash
# What a backup costs those who read and write meanwhile, and how fast a restore is. A server with a social network takes reads of vertices
# and inserts of edges at constant rates, in turn without a backup and while one backup follows the other, each of which reads all files
# again. Then the last one is restored. Measure with a release build on a machine that does nothing else.
#
#   scripts/bench-backup.sh [PERSONS] [RATE] [SECONDS] [ROUNDS]
#
# PERSONS of the network (default 30000: 88 million elements, 3.5 GB), RATE of reads a second, and a quarter of it of writes (default 2000),
# SECONDS of a measurement (default 60), ROUNDS without and with (default 3). BENCH_DIR: where data, repository and results are kept
# meanwhile (default var/ of the checkout; the repository is best on another disk: BENCH_REPOSITORY).
# Goals (docs/operations/backup.md): p99 of reads and of writes at most 20 % above that without a backup; a restore of 200 MB/s.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

persons=${1:-30000}
rate=${2:-2000}
seconds=${3:-60}
rounds=${4:-3}
writes=$((rate / 4 > 0 ? rate / 4 : 1))

# shellcheck disable=SC2317  # called by the trap
finish() {
    local code=$?
    rm -f "$dir/backing-up"
    wait
    "$root/scripts/server.sh" stop "$dir/server" || code=1
    rm -rf "$dir"
    if [[ -n ${BENCH_REPOSITORY:-} ]]; then rm -rf "$repository"; fi
    exit "$code"
}

"$root/scripts/build.sh"
folder=${BENCH_DIR:-$root/var}
mkdir -p "$folder"
dir=$(mktemp -d "$folder/bench-backup.XXXXXX")
repository=$(mktemp -d "${BENCH_REPOSITORY:-$dir}/repository.XXXXXX")
trap finish EXIT

say "Loading a social network of $persons persons"
"$rhizome_bin" generate snb --persons "$persons" --seed 42 --out "$dir/network"
"$rhizome_bin" load --offline --data "$dir/server/data" --schema "$dir/network/schema.json" --mapping "$dir/network/mapping.json" \
    >"$dir/load.log" 2>&1 </dev/null || { tail -n 30 "$dir/load.log"; die "the network could not be loaded"; }
rm -rf "$dir/network"
RHIZOME__BACKUP__REPOSITORY=$repository "$root/scripts/server.sh" start "$dir/server" 0
url=$(cat "$dir/server/url")
say "$(du -sh "$dir/server/data" | cut -f 1) of data; the first backup fills the repository"
"$rhizome_bin" backup create --server "$url"

load() { # NAME SCENARIO RATE
    "$rhizome_bin" bench run --url "$url" --scenario "$2" --driver open --rate "$3" --concurrency 64 --duration "${seconds}s" \
        --warm-up 5s --out "$dir/results/$1" >"$dir/$1.log" 2>&1 </dev/null || { tail -n 20 "$dir/$1.log"; return 1; }
}

measure() { # ROUND without|with
    local name=$2-$1 backups=
    mkdir -p "$dir/results"
    if [[ $2 == with ]]; then
        touch "$dir/backing-up"
        python3 "$root/scripts/bench-backup.py" back-up "$url" "$dir/backing-up" >"$dir/$name-backups.log" 2>&1 </dev/null &
        backups=$!
    fi
    load "$name-reads" vertex-by-id "$rate" &
    local reads=$!
    load "$name-writes" single-edge "$writes"
    wait "$reads" || die "the reads failed"
    if [[ -n $backups ]]; then
        rm -f "$dir/backing-up"
        wait "$backups" || { cat "$dir/$name-backups.log"; die "the backups failed"; }
        say "$(cat "$dir/$name-backups.log")"
    fi
}

for ((round = 1; round <= rounds; round++)); do
    for kind in without with; do
        say "Round $round of $rounds, $kind backups: $rate reads and $writes writes a second for $seconds s"
        measure "$round" "$kind"
    done
done

"$root/scripts/server.sh" stop "$dir/server"
say "Restoring, $rounds times"
for ((round = 1; round <= rounds; round++)); do
    # From the disk, where that is allowed.
    sync
    if [[ -w /proc/sys/vm/drop_caches ]]; then echo 3 >/proc/sys/vm/drop_caches; else say "(the repository may be in memory: not root)"; fi
    "$rhizome_bin" backup restore latest --repository "$repository" --data "$dir/restored" | tee -a "$dir/restores.log"
    rm -rf "$dir/restored"
done

python3 "$root/scripts/bench-backup.py" report "$dir/results" "$rounds" "$dir/restores.log"
