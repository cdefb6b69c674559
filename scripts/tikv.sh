#!/usr/bin/env bash
# The TiKV development store (tests/servers/tikv-store) on this machine: a small server that speaks PD's and TiKV's
# protocols, for tests and for trying things out. It is not TiKV: see its README.md.
#
#   scripts/tikv.sh build                  compile it; prints where it is
#   scripts/tikv.sh start [FLAG...]        start it and wait until it answers; prints the address of PD
#   scripts/tikv.sh stop | kill            end it with SIGTERM | SIGKILL; the data stays
#   scripts/tikv.sh status                 say whether it runs
#   scripts/tikv.sh clean                  stop it and delete its data
#   scripts/tikv.sh command PATH           ask it for something over HTTP, e.g. '/silence?store=1' (README.md lists them)
#
# Flags (see main.go): -stores N, -regions N, -disturb 200ms, -delay 5ms, -tls FOLDER.
# Environment: TIKV_STORE_DIR (folder of data, log and pid), TIKV_PD_PORT (23790; commands are taken at the next one),
# TIKV_STORE_PORT (20160; the other stores have the next ones).
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sources=$root/tests/servers/tikv-store
dir=${TIKV_STORE_DIR:-$RHIZOME_CACHE/tikv-store/run}
pd_port=${TIKV_PD_PORT:-23790}
store_port=${TIKV_STORE_PORT:-20160}

# Prints the path of the program, after compiling it where its sources changed.
build() {
    local sum program go
    sum=$(cat "$sources"/*.go "$sources/go.mod" "$sources/go.sum" | sha256sum | cut -c1-16)
    program=$RHIZOME_CACHE/tikv-store/$sum/tikv-store
    if [[ ! -x $program ]]; then
        go=$("$root/scripts/go.sh")
        say "TiKV development store: compiling" >&2
        mkdir -p "$(dirname "$program")"
        # The toolchain is the one found; the go command must not fetch another.
        (cd "$sources" && GOTOOLCHAIN=local CGO_ENABLED=0 "$go" build -trimpath -o "$program.new" .) >&2
        mv "$program.new" "$program"
    fi
    printf '%s\n' "$program"
}

pid_of_store() {
    local pid
    pid=$(cat "$dir/pid" 2>/dev/null) && kill -0 "$pid" 2>/dev/null && printf '%s\n' "$pid"
}

start() { # FLAG...
    local program pid deadline
    if pid=$(pid_of_store); then die "it runs already (process $pid)"; fi
    if port_in_use 127.0.0.1 "$pd_port"; then die "port $pd_port is taken by something else; set TIKV_PD_PORT"; fi
    program=$(build)
    mkdir -p "$dir"
    setsid "$program" -data "$dir/data" -pd-port "$pd_port" -store-port "$store_port" "$@" >>"$dir/log" 2>&1 </dev/null &
    pid=$!
    printf '%s\n' "$pid" >"$dir/pid"
    deadline=$((SECONDS + 60))
    until port_in_use 127.0.0.1 "$pd_port"; do
        if ! kill -0 "$pid" 2>/dev/null || ((SECONDS > deadline)); then
            tail -n 20 "$dir/log" >&2
            die "the TiKV development store does not start; its log is $dir/log"
        fi
        sleep 0.1
    done
    printf '127.0.0.1:%s\n' "$pd_port"
}

finish() { # SIGNAL
    local pid
    if pid=$(pid_of_store); then
        kill "-$1" "$pid"
        while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    fi
    rm -f "$dir/pid"
}

action=${1:-}
(($# == 0)) || shift
case $action in
build) build ;;
start) start "$@" ;;
stop) finish TERM ;;
kill) finish KILL ;;
status) if pid=$(pid_of_store); then say "runs as process $pid, PD at 127.0.0.1:$pd_port"; else say "does not run"; fi ;;
clean)
    finish TERM
    rm -rf "${dir:?}"
    ;;
command) python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode(), end="")' \
    "http://127.0.0.1:$((pd_port + 1))${1:?PATH}" ;;
*)
    sed -n '2,15p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
