#!/usr/bin/env bash
# A built server in the background, for tests.
#
#   scripts/server.sh start DIR PORT     data in DIR/data; PORT 0 chooses a free one; returns when it is healthy
#   scripts/server.sh stop DIR           in good order, then by force after 30 s; DIR's data are kept
#
# Written to DIR: url, bolt (address of Bolt), pid, server.log. More settings: RHIZOME__SECTION__KEY variables.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { die "usage: scripts/server.sh start DIR PORT | stop DIR"; }

running() { [[ -e $1/pid ]] && kill -0 "$(cat "$1/pid")" 2>/dev/null; }

# Below Linux's range of client ports, so that an outgoing connection cannot take it first.
free_port() {
    local port
    for _ in {1..50}; do
        port=$((20000 + RANDOM % 12000))
        if ! port_in_use 127.0.0.1 "$port"; then
            echo "$port"
            return
        fi
    done
    die "no free port found between 20000 and 32000"
}

start() { # DIR PORT
    [[ $# -eq 2 && $2 =~ ^[0-9]+$ ]] || usage
    local dir=$1 port=$2 pid
    [[ -x $rhizome_bin ]] || die "the server is not built: $rhizome_bin" "Run: make build"
    mkdir -p "$dir"
    if running "$dir"; then die "already running: pid $(cat "$dir/pid")"; fi
    if ((port == 0)); then port=$(free_port); fi
    if port_in_use 127.0.0.1 "$port"; then die "port $port is taken"; fi
    # Not the one port that every server would take: drivers are served at the port of the REST API too.
    RHIZOME__GREMLIN__LISTEN=${RHIZOME__GREMLIN__LISTEN:-127.0.0.1:0} \
        RHIZOME__BOLT__LISTEN=${RHIZOME__BOLT__LISTEN:-127.0.0.1:0} \
        "$rhizome_bin" serve --listen "127.0.0.1:$port" --data "$dir/data" >"$dir/server.log" 2>&1 </dev/null &
    pid=$!
    echo "$pid" >"$dir/pid"
    echo "http://127.0.0.1:$port" >"$dir/url"
    if ! wait_healthy 127.0.0.1 "$port" "$pid" 60; then
        tail -n 30 "$dir/server.log" >&2
        kill "$pid" 2>/dev/null || true
        rm -f "$dir/pid"
        die "the server at port $port did not become healthy; its last lines are above."
    fi
    sed -n 's|.*Cypher for drivers at bolt://\([0-9.:]*\).*|\1|p' "$dir/server.log" >"$dir/bolt"
}

stop() { # DIR
    [[ $# -eq 1 ]] || usage
    local dir=$1 pid
    if ! running "$dir"; then
        rm -f "$dir/pid"
        return
    fi
    pid=$(cat "$dir/pid")
    kill -TERM "$pid"
    for _ in {1..300}; do
        kill -0 "$pid" 2>/dev/null || { rm -f "$dir/pid"; return; }
        sleep 0.1
    done
    kill -KILL "$pid"
    rm -f "$dir/pid"
    die "the server did not stop within 30 s and was killed; see $dir/server.log"
}

case ${1:-} in
start) shift; start "$@" ;;
stop) shift; stop "$@" ;;
*) usage ;;
esac
