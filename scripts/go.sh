#!/usr/bin/env bash
# Prints the command that runs a Go that is new enough for the tests, after downloading one into the cache where this machine has
# none or an older one than tests/servers/tikv-store/go.mod asks for.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

go_version=1.24.9
declare -A go_sha256=(
    [amd64]=2a683c9c1d65a0e221519c21850a3ed5fe5ff287d39d74e35e4af7ceb9e333b2
)

download_go() { # URL HOME SHA256
    local url=$1 home=$2 sha256=$3 work
    say "Go: missing, downloading $go_version" >&2
    mkdir -p "$(dirname "$home")"
    work=$(mktemp -d "$(dirname "$home")/download.XXXXXX")
    curl --fail --silent --show-error --location --retry 3 --output "$work/go.zip" "$url" ||
        die "cannot download Go from $url" "Install Go, or set GOPROXY to a proxy that can be reached."
    printf '%s  %s\n' "$sha256" "$work/go.zip" | sha256sum --check --status ||
        die "what $url sent is not the expected file (SHA-256)"
    python3 -m zipfile -e "$work/go.zip" "$work/unpacked"
    mv "$work/unpacked/golang.org/toolchain@"* "$work/go"
    # Archives of modules keep no permissions.
    chmod -R u+x "$work/go/bin" "$work/go/pkg/tool"
    rm -rf "$home"
    mv "$work/go" "$home"
    rm -rf "$work"
}

find_go() {
    local wanted found machine home url
    wanted=$(awk '$1 == "go" {print $2}' "$root/tests/servers/tikv-store/go.mod")
    found=$(go env GOVERSION 2>/dev/null || true)
    if [[ $found == go* && $(printf '%s\n' "$wanted" "${found#go}" | sort -V | head -n 1) == "$wanted" ]]; then
        command -v go
        return
    fi
    case $(uname -sm) in
    "Linux x86_64") machine=amd64 ;;
    *) die "Go $wanted or newer is needed, and is downloaded only for Linux on x86_64." "Install it: https://go.dev/dl/" ;;
    esac
    home=$RHIZOME_CACHE/go/$go_version-$machine
    if [[ ! -x $home/bin/go ]]; then
        # The first proxy of the list, as the go command would.
        url=${GOPROXY:-https://proxy.golang.org}
        url=${url%%[,|]*}
        [[ $url == http*://* ]] || url=https://proxy.golang.org
        download_go "${url%/}/golang.org/toolchain/@v/v0.0.1-go$go_version.linux-$machine.zip" "$home" "${go_sha256[$machine]}"
    fi
    printf '%s\n' "$home/bin/go"
}

find_go
