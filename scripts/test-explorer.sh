#!/usr/bin/env bash
# Tests of the explorer (web/).
#
#   scripts/test-explorer.sh sources      format, types, warnings of the compiler, unit tests
#   scripts/test-explorer.sh pages [TEXT]  every page in Chromium, against the server with the pages in it; with a text
#                                         only the checks whose names have it
#   scripts/test-explorer.sh pictures DIR [NAME [LOOK]]  pictures of every page on the graph of `make run`, in both
#                                         languages and themes; those of the documentation go to docs/images too. NAME and
#                                         LOOK (such as dark-zh) are regular expressions of what is wanted.
#
# RHIZOME_PICTURES=DIR keeps a picture of every page, in both languages and themes, and of where a check failed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Starts a server, and another one with users, which the first one has none of; both end with this script.
start_servers() {
    "$root/scripts/setup.sh" browser
    if [[ -z ${RHIZOME_BIN:-} ]]; then "$root/scripts/build.sh"; fi
    dir=$(mktemp -d)
    trap finish EXIT
    RHIZOME__STORAGE__ENGINE=memory RHIZOME__UI__LOAD_TEST=true "$root/scripts/server.sh" start "$dir" 0
    export RHIZOME_ADMIN_PASSWORD=${RHIZOME_ADMIN_PASSWORD:-explorer-tests-only}
    RHIZOME__STORAGE__ENGINE=memory RHIZOME__AUTH__ENABLED=true "$root/scripts/server.sh" start "$dir/users" 0
    RHIZOME_URL=$(cat "$dir/url")
    RHIZOME_AUTH_URL=$(cat "$dir/users/url")
    export RHIZOME_URL RHIZOME_AUTH_URL
}

finish() {
    local code=$?
    "$root/scripts/server.sh" stop "$dir/users" || code=1
    set +e
    (exit "$code")
    finish_server
}

case ${1:-} in
sources)
    for part in format:check check test; do "$root/scripts/web.sh" run npm run --silent "$part"; done
    ;;
pages)
    start_servers
    "$root/scripts/web.sh" run node tests/explorer.mjs "${@:2}"
    ;;
pictures)
    (($# >= 2)) || die "where do the pictures go?" "usage: scripts/test-explorer.sh pictures DIR [NAME [LOOK]]"
    start_servers
    "$rhizome_bin" generate snb --persons 1000 --seed 42 --out "$dir/snb"
    "$rhizome_bin" load --no-verify --mapping "$dir/snb/mapping.json" --schema "$dir/snb/schema.json" --server "$RHIZOME_URL"
    RHIZOME_PICTURES=$(realpath -m "$2") RHIZOME_DOCS=$root/docs/images \
        "$root/scripts/web.sh" run node tests/pictures.mjs "${@:3}"
    ;;
*) die "which tests?" "usage: scripts/test-explorer.sh sources|pages [TEXT]|pictures DIR [NAME [LOOK]]" ;;
esac
