# Shared by the scripts of this folder: source it, do not run it.
# It sets the folders, and offers small functions for progress lines, free ports and plain HTTP reads without curl.
# shellcheck shell=bash

# The repository, and the place for everything that is downloaded or compiled.
# shellcheck disable=SC2034  # used by the scripts that source this file
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export RHIZOME_CACHE=${RHIZOME_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rhizome}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$RHIZOME_CACHE/target}
# shellcheck disable=SC2034
rhizome_bin=${RHIZOME_BIN:-$CARGO_TARGET_DIR/release/rhizome}
# shellcheck disable=SC2034
venv=$RHIZOME_CACHE/venv

say() { printf '==> %s\n' "$*"; }

die() {
    printf 'error: %s\n' "$1" >&2
    shift
    if (($# > 0)); then printf '       %s\n' "$@" >&2; fi
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# True when something accepts connections at HOST PORT.
port_in_use() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; }

# Prints the first of two ports in a row that nothing listens at, below Linux's range of client ports.
free_port_pair() {
    local port
    for _ in {1..50}; do
        port=$((20000 + RANDOM % 12000))
        if ! port_in_use 127.0.0.1 "$port" && ! port_in_use 127.0.0.1 $((port + 1)); then
            echo "$port"
            return
        fi
    done
    die "no two free ports found between 20000 and 32000"
}

# Prints the status code of GET PATH at HOST PORT; nothing and false when there is no answer.
http_status() { # HOST PORT PATH
    local line
    exec {http_fd}<>"/dev/tcp/$1/$2" || return 1
    printf 'GET %s HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n\r\n' "$3" "$1" "$2" >&"$http_fd" || return 1
    IFS= read -r -t 5 line <&"$http_fd" || { exec {http_fd}>&-; return 1; }
    # Read to the end: closing earlier would look like an error to the server.
    while IFS= read -r -t 1 _ <&"$http_fd"; do :; done
    exec {http_fd}>&-
    line=${line#* }
    printf '%s\n' "${line%% *}"
}

# Waits until GET /health answers 200; false as soon as process PID ends, or after SECONDS.
wait_healthy() { # HOST PORT PID SECONDS
    local deadline=$((SECONDS + $4))
    while ((SECONDS < deadline)); do
        kill -0 "$3" 2>/dev/null || return 1
        if [[ $(http_status "$1" "$2" /health 2>/dev/null || true) == 200 ]]; then return 0; fi
        sleep 0.1
    done
    return 1
}

# Has a server that is started after this ask for credentials; those of the administrator are `admin` and
# $RHIZOME_ADMIN_PASSWORD.
with_login() {
    export RHIZOME__AUTH__ENABLED=true RHIZOME__AUTH__PASSWORD_LENGTH_MIN=2 RHIZOME_ADMIN_PASSWORD=pa
}

# For scripts that start a server in $dir: stops it, shows the end of its log after a failure, removes the folder, and keeps the exit
# code. Use it as: trap finish_server EXIT
finish_server() {
    local code=$?
    "$root/scripts/server.sh" stop "$dir" || code=1
    if ((code != 0)) && [[ -e $dir/server.log ]]; then
        say "The last lines of the server's log:"
        tail -n 20 "$dir/server.log"
    fi
    rm -rf "$dir"
    exit "$code"
}

# Runs the tests of the folder TESTS with the packages that REQUIREMENTS names, in an environment below PLACE that is made again when
# they change.
pytest_pinned() { # TESTS REQUIREMENTS PLACE
    if ! cmp -s "$2" "$3/requirements.installed"; then
        python3 -m venv --clear "$3/venv"
        "$3/venv/bin/pip" install -q --disable-pip-version-check --no-deps -r "$2"
        cp "$2" "$3/requirements.installed"
    fi
    cd "$1"
    PYTHONDONTWRITEBYTECODE=1 "$3/venv/bin/python" -m pytest -p no:cacheprovider -q . </dev/null
}
