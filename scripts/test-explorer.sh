#!/usr/bin/env bash
# Tests of the explorer (web/).
#
#   scripts/test-explorer.sh sources      format, types, warnings of the compiler, unit tests
#   scripts/test-explorer.sh pages        every page in Chromium, against the server with the pages in it
#
# RHIZOME_PICTURES=DIR keeps a picture of every page, in both languages and themes, and of where a check failed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in
sources)
    for part in format:check check test; do "$root/scripts/web.sh" run npm run --silent "$part"; done
    ;;
pages)
    "$root/scripts/setup.sh" browser
    if [[ -z ${RHIZOME_BIN:-} ]]; then "$root/scripts/build.sh"; fi
    dir=$(mktemp -d)
    trap finish_server EXIT
    RHIZOME__STORAGE__ENGINE=memory "$root/scripts/server.sh" start "$dir" 0
    RHIZOME_URL=$(cat "$dir/url") "$root/scripts/web.sh" run node tests/explorer.mjs
    ;;
*) die "which tests?" "usage: scripts/test-explorer.sh sources|pages" ;;
esac
