#!/usr/bin/env bash
# Looks at the TLS of a fresh server's ports for REST, Gremlin and Bolt with sslyze, and at REST with testssl.sh: versions, cipher
# suites, known weaknesses, and the grade by SSL Labs' criteria, which must be A.
#
#   scripts/test-tls.sh
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

(($# == 0)) || die "usage: scripts/test-tls.sh"
"$root/scripts/setup.sh" python tls
"$root/scripts/build.sh"
place=$RHIZOME_CACHE/tls-scan
requirements=$root/tests/tls/requirements.txt
if ! cmp -s "$requirements" "$place/requirements.installed"; then
    python3 -m venv --clear "$place"
    "$place/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$requirements"
    cp "$requirements" "$place/requirements.installed"
fi
RHIZOME_BIN=$rhizome_bin PYTHONDONTWRITEBYTECODE=1 "$place/bin/python" "$root/tests/tls/scan.py" </dev/null
