#!/usr/bin/env bash
# Two real servers over one store that several processes can share: changes seen, ids unique, changes one after the other, pages
# that go on at the other server, a task taken over after kill -9.
#
#   RHIZOME__STORAGE__ENGINE=cassandra RHIZOME__STORAGE__CASSANDRA__CONTACT_POINTS=127.0.0.1:9042 scripts/test-cluster.sh
#
# The store is one that runs already (scripts/cassandra.sh, scripts/tikv.sh); a graph "two_servers" is made in it and dropped. The engine
# and its settings come from the environment, as for any server.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${RHIZOME__STORAGE__ENGINE:-} in
    "" | rocksdb | memory)
        die "the storage engine must be one that several servers can share" \
            "Set RHIZOME__STORAGE__ENGINE, and where the store is; see docs/operations/cluster.md"
        ;;
esac

# Stops the servers, shows the end of their logs after a failure, and keeps the exit code.
# shellcheck disable=SC2317  # called by the trap
finish() {
    local code=$? name
    for name in first second; do
        "$root/scripts/server.sh" stop "$dir/$name" || code=1
        if ((code != 0)) && [[ -e $dir/$name/server.log ]]; then
            say "The last lines of the log of the $name server:"
            tail -n 20 "$dir/$name/server.log"
        fi
    done
    rm -rf "$dir"
    exit "$code"
}

"$root/scripts/build.sh"
dir=$(mktemp -d)
trap finish EXIT
"$root/scripts/server.sh" start "$dir/first" 0
"$root/scripts/server.sh" start "$dir/second" 0
python3 "$root/tests/cluster/two_servers.py" "$(cat "$dir/first/url")" "$(cat "$dir/second/url")" "$(cat "$dir/first/pid")"
