#!/usr/bin/env bash
# `rhizome migrate` from the real Apache HugeGraph 1.7: a graph with every kind of schema, and a generated social network. The
# migration is killed again and again and goes on; the result is compared element by element; a second one changes nothing; another one
# goes into a running server. Then the server is killed, and its files are migrated: the same elements, the same users.
#
#   scripts/test-migrate.sh [ELEMENTS] [PERSONS]      default 4000 and 40: about 50,000 elements
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

elements=${1:-4000}
persons=${2:-40}
kills=4

# shellcheck disable=SC2317  # called by the trap
finish() {
    local code=$? side
    for side in moved other files; do "$root/scripts/server.sh" stop "$dir/$side" || code=1; done
    for side in hugegraph hugegraph-users; do "$root/tests/servers/hugegraph/run.sh" stop "$dir/$side" || code=1; done
    if ((code != 0)) && [[ -e $dir/migrate.log ]]; then tail -n 30 "$dir/migrate.log"; fi
    rm -rf "$dir"
    exit "$code"
}

"$root/scripts/setup.sh" java
"$root/scripts/build.sh"
mkdir -p "$root/var"
dir=$(mktemp -d "$root/var/migrate.XXXXXX")
trap finish EXIT
graph=$root/tests/migrate/graph.py

export HUGEGRAPH_HEAP_MB=${HUGEGRAPH_HEAP_MB:-1024}
port=$(free_port_pair)
# A server with little data would compress none of it.
start_source() {
    "$root/tests/servers/hugegraph/run.sh" stop "$dir/hugegraph"
    "$root/tests/servers/hugegraph/run.sh" start "$dir/hugegraph" "$port" \
        "rocksdb.compression_per_level=[snappy,snappy,snappy,snappy,snappy,snappy,snappy]"
}
start_source
source_url=$(cat "$dir/hugegraph/url")
say "Filling it"
python3 "$graph" fill "$source_url" "$elements"
"$rhizome_bin" generate snb --persons "$persons" --seed 42 --out "$dir/network"
"$rhizome_bin" load --server "$source_url" --schema "$dir/network/schema.json" --mapping "$dir/network/mapping.json" \
    >"$dir/load.log" 2>&1 </dev/null || { tail -n 40 "$dir/load.log"; die "the social network could not be loaded"; }

data=$dir/moved/data
mkdir -p "$dir/moved"
migrate=("$rhizome_bin" migrate --from "$source_url" --workers 2)

# In the middle: while pages are being fetched, and while they are being loaded.
say "Migrating, killed $kills times"
killed=0
while ((killed < kills)); do
    "${migrate[@]}" --data "$data" >"$dir/migrate.log" 2>&1 </dev/null &
    pid=$!
    sleep "0.$((killed + 2))"
    if ! kill -KILL "$pid" 2>/dev/null; then
        wait "$pid" || die "the migration failed"
        say "It was done before it could be killed again"
        break
    fi
    wait "$pid" 2>/dev/null || true
    killed=$((killed + 1))
done
((killed > 0)) || die "it was never killed"

say "Migrating the rest"
"${migrate[@]}" --data "$data" 2>"$dir/migrate.log" </dev/null | tee "$dir/summary"
grep -q 'went on with an interrupted one' "$dir/summary" || say "(nothing was left of the killed ones)"
if [[ -e $data/migration ]]; then die "the work folder is still there"; fi

say "Migrating again"
"${migrate[@]}" --data "$data" 2>"$dir/migrate.log" </dev/null | tee "$dir/again"
grep -q 'made: 0 definitions' "$dir/again" || die "the second migration has changed the schema"

say "Comparing element by element"
"$root/scripts/server.sh" start "$dir/moved" 0
moved_url=$(cat "$dir/moved/url")
python3 "$graph" compare "$source_url" "$moved_url"

say "Into a running server"
"$root/scripts/server.sh" start "$dir/other" 0
other_url=$(cat "$dir/other/url")
"${migrate[@]}" --to "$other_url" --work-dir "$dir/work" 2>"$dir/migrate.log" </dev/null | tail -n 2
python3 "$graph" compare "$source_url" "$other_url"

say "From one Rhizome to another"
"$rhizome_bin" migrate --from "$moved_url" --data "$dir/third" 2>"$dir/migrate.log" </dev/null | tail -n 2

# A start writes what the log holds into data files; what comes after that stays in the log.
say "From the files of the server"
start_source
python3 "$graph" add "$source_url"
files=$dir/hugegraph/data/files
migrate_files=("$rhizome_bin" migrate --files "$files" --data "$dir/files/data")
if "${migrate_files[@]}" >"$dir/migrate.log" 2>&1 </dev/null; then die "files in use were read"; fi
grep -q "in use by process $(cat "$dir/hugegraph/pid")" "$dir/migrate.log" || die "the process that uses the files is not named"
"${migrate[@]}" --data "$dir/fresh" 2>"$dir/migrate.log" </dev/null | tail -n 2
"$root/tests/servers/hugegraph/run.sh" stop "$dir/hugegraph"
compgen -G "$files/g/*.sst" >/dev/null || die "there are no data files: only the log would be read"
sums() { find "$dir/hugegraph/data" -type f -exec sha256sum {} + | sort -k 2; }
before=$(sums)
"${migrate_files[@]}" 2>"$dir/migrate.log" </dev/null | tail -n 2
[[ $before == "$(sums)" ]] || die "files of the source have changed"

say "Comparing with what REST gave"
"$root/scripts/server.sh" stop "$dir/moved"
rm -rf "$data"
mv "$dir/fresh" "$data"
"$root/scripts/server.sh" start "$dir/moved" 0
"$root/scripts/server.sh" start "$dir/files" 0
python3 "$graph" compare "$(cat "$dir/moved/url")" "$(cat "$dir/files/url")"

say "Indexes agree with elements"
for side in moved files; do
    "$root/scripts/server.sh" stop "$dir/$side"
    "$rhizome_bin" check --data "$dir/$side/data" --indexes 2>&1 | tail -n 3
done

say "Users, by REST and from the files"
HUGEGRAPH_PASSWORD=admins "$root/tests/servers/hugegraph/run.sh" start "$dir/hugegraph-users" "$(free_port_pair)"
users_url=$(cat "$dir/hugegraph-users/url")
python3 "$graph" fill-users "$users_url" admins
rm -rf "$dir/moved/data" "$dir/files/data"
RHIZOME_USER=admin RHIZOME_PASSWORD=admins "$rhizome_bin" migrate --from "$users_url" --users --data "$dir/moved/data" \
    2>"$dir/migrate.log" </dev/null | tail -n 2
"$root/tests/servers/hugegraph/run.sh" stop "$dir/hugegraph-users"
"$rhizome_bin" migrate --files "$dir/hugegraph-users/data/files" --users --data "$dir/files/data" 2>"$dir/migrate.log" </dev/null |
    tail -n 2
with_login
for side in moved files; do "$root/scripts/server.sh" start "$dir/$side" 0; done
# The administrator logs in with the password that HugeGraph has hashed.
python3 "$graph" compare-users "$(cat "$dir/moved/url")" "$(cat "$dir/files/url")" admins
