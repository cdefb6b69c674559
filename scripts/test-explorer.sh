#!/usr/bin/env bash
# Tests of the explorer (web/).
#
#   scripts/test-explorer.sh sources      format, types, warnings of the compiler, unit tests
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-sources} in
sources)
    "$root/scripts/web.sh" run npm run --silent format:check
    "$root/scripts/web.sh" run npm run --silent check
    "$root/scripts/web.sh" run npm run --silent test
    ;;
*) die "unknown argument: $1" "usage: scripts/test-explorer.sh sources" ;;
esac
