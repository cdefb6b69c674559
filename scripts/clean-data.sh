#!/usr/bin/env bash
# Deletes what `make run` stored: the graph and the generated input files. Refuses while a server uses them.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

data=${RHIZOME_DATA:-$root/var}
if [[ ! -d $data ]]; then
    say "Nothing to delete: $data does not exist"
    exit 0
fi
# RocksDB holds a lock on this file for as long as a server has the store open.
lock=$(find "$data" -name LOCK -print -quit)
if [[ -n $lock ]] && have fuser && fuser -s "$lock" 2>/dev/null; then
    die "a server is using $data; stop it first."
fi
# Only what run.sh makes: RHIZOME_DATA may hold other files.
rm -rf "$data/data" "$data/snb" "$data/snb.part" "$data/social-network.loaded"
rmdir "$data" 2>/dev/null || true
say "Deleted the stored graph and the generated files in $data"
