#!/usr/bin/env bash
# Builds the server and starts it in the foreground. The first time it also generates a small social network and loads it
# through the REST API, as any client would. Ctrl-C or SIGTERM stops the server in good order (exit code 0).
#
#   RHIZOME_LISTEN    address to listen at               default 127.0.0.1:8080
#   RHIZOME_DATA      folder for data and input files    default ./var
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

listen=${RHIZOME_LISTEN:-127.0.0.1:8080}
data=${RHIZOME_DATA:-$root/var}
host=${listen%:*}
port=${listen##*:}
if [[ $host == 0.0.0.0 || -z $host ]]; then host=127.0.0.1; fi
url=http://$host:$port
loaded=$data/social-network.loaded
server_pid=''
stopping=no

[[ $port =~ ^[0-9]+$ ]] || die "RHIZOME_LISTEN must be HOST:PORT, not '$listen'"
if port_in_use "$host" "$port"; then
    die "port $port on $host is taken by another program (perhaps a Rhizome that is still running)." \
        "Stop that one, or choose another port: RHIZOME_LISTEN=127.0.0.1:18080 make run"
fi

# `wait` returns early when a trap runs, hence the loop.
wait_for() { # PID
    local code
    while true; do
        code=0
        wait "$1" || code=$?
        kill -0 "$1" 2>/dev/null || return "$code"
    done
}

# Runs a helper program; on Ctrl-C it is ended too and the script leaves with code 0.
run_step() { # COMMAND...
    local pid code=0
    "$@" &
    pid=$!
    wait "$pid" || code=$?
    if [[ $stopping == yes ]]; then
        kill -TERM "$pid" 2>/dev/null || true
        if [[ -n $server_pid ]]; then wait_for "$server_pid" || true; fi
        say "Stopped."
        exit 0
    fi
    return "$code"
}

"$root/scripts/build.sh" run

# From here on, Ctrl-C and SIGTERM mean: stop the server. Each background program gets a process group of its own, so
# that Ctrl-C reaches this script only, which tells the server once and in order.
set -m
# shellcheck disable=SC2317  # called by the trap
stop_server() {
    stopping=yes
    if [[ -n $server_pid ]]; then kill -TERM "$server_pid" 2>/dev/null || true; fi
}
trap stop_server INT TERM HUP
# Whatever ends this script, the server must not outlive it.
trap 'if [[ -n $server_pid ]]; then kill -TERM "$server_pid" 2>/dev/null || true; fi' EXIT

mkdir -p "$data"
if [[ ! -e $loaded && ! -e $data/snb/mapping.json ]]; then
    say "Generating a social network of 1000 persons (seed 42) in $data/snb"
    rm -rf "$data/snb.part"
    run_step "$rhizome_bin" generate snb --persons 1000 --seed 42 --out "$data/snb.part"
    mv "$data/snb.part" "$data/snb"
fi

say "Starting the server at $url"
"$rhizome_bin" serve --listen "$listen" --data "$data/data" &
server_pid=$!
# Opening a store after a crash replays its write-ahead log, hence the generous limit.
if ! wait_healthy "$host" "$port" "$server_pid" 120; then
    if [[ $stopping == yes ]]; then exit 0; fi
    die "the server did not become healthy; its own messages above say why."
fi

if [[ ! -e $loaded ]]; then
    say "Loading the social network (first time only)"
    run_step "$rhizome_bin" load --mapping "$data/snb/mapping.json" --schema "$data/snb/schema.json" --server "$url" ||
        die "loading failed; the message above says why. The next start tries again." \
            "To begin from nothing: make clean-data"
    touch "$loaded"
fi

case ${RHIZOME__STORAGE__DURABILITY:-wal} in
fsync) durability="fsync: an acknowledged write survives a power failure" ;;
*) durability="wal: an acknowledged write survives a process crash; RHIZOME__STORAGE__DURABILITY=fsync for power failures" ;;
esac
gremlin_url=ws://${RHIZOME__GREMLIN__LISTEN:-127.0.0.1:8182}/gremlin
if [[ ${RHIZOME__GREMLIN__ENABLED:-true} == false ]]; then gremlin_url=ws://$host:$port/gremlin; fi
bolt_url=bolt://${RHIZOME__BOLT__LISTEN:-127.0.0.1:7687}
if [[ ${RHIZOME__BOLT__ENABLED:-true} == false ]]; then bolt_url="off"; fi
cat <<END

Rhizome listens at $url
  explorer    $url/ui/g/hugegraph/explore#tour=friends
  Gremlin     ${gremlin_url}
  Cypher      ${bolt_url}
  data        $data/data
  durability  $durability
  stop        Ctrl-C

Try, in another terminal:
  curl $url/versions
  curl $url/graphs/hugegraph/schema/vertexlabels
  curl '$url/graphs/hugegraph/graph/vertices?label=person&limit=3'

END

code=0
wait_for "$server_pid" || code=$?
server_pid=''
if [[ $stopping == yes ]]; then
    say "Stopped."
    exit 0
fi
exit "$code"
