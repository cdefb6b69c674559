#!/usr/bin/env bash
# Deletes what `make run` stored: the graph and the generated input files. Refuses while a server uses them.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Whether any process has this file open. Where it cannot be known, it counts as open.
is_open() { # FILE
    local link
    if have fuser; then
        fuser -s "$1" 2>/dev/null
        return
    fi
    [[ -d /proc/self/fd ]] || die "cannot tell whether a server is using $1: install fuser (package psmisc)."
    for link in /proc/[0-9]*/fd/*; do
        if [[ $link -ef $1 ]]; then return 0; fi
    done
    return 1
}

data=${RHIZOME_DATA:-$root/var}
if [[ ! -d $data ]]; then
    say "Nothing to delete: $data does not exist"
    exit 0
fi
# RocksDB holds a lock on this file for as long as a server has the store open.
lock=$(find "$data" -name LOCK -print -quit)
if [[ -n $lock ]] && is_open "$(realpath "$lock")"; then
    die "a server is using $data; stop it first."
fi
# Only what run.sh makes: RHIZOME_DATA may hold other files.
rm -rf "$data/data" "$data/snb" "$data/snb.part" "$data/social-network.loaded"
rmdir "$data" 2>/dev/null || true
say "Deleted the stored graph and the generated files in $data"
