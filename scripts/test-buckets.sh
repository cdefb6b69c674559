#!/usr/bin/env bash
# Backups in buckets: the built program against servers that speak the protocols of S3 (moto), of Azure (Azurite) and of
# Google Cloud Storage (moto, behind a proxy that checks tokens and translates what Google names otherwise).
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

azurite=azurite@3.35.0

"$root/scripts/setup.sh" python
if [[ -z ${RHIZOME_BIN:-} ]]; then "$root/scripts/build.sh"; fi
place=$RHIZOME_CACHE/buckets
mkdir -p "$place"
if [[ $(cat "$place/azurite.installed" 2>/dev/null || true) != "$azurite" ]]; then
    (cd "$place" && npm install --no-audit --no-fund --save-exact "$azurite")
    echo "$azurite" >"$place/azurite.installed"
fi
export RHIZOME_BIN=$rhizome_bin AZURITE=$place/node_modules/.bin/azurite-blob
pytest_pinned "$root/tests/buckets" "$root/tests/buckets/requirements.txt" "$place"
