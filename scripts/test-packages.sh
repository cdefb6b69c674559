#!/usr/bin/env bash
# Makes the packages of the server that was built for the tests and checks them: what is in them, the unit of systemd, the
# completions, the Helm chart, the list of components, and the program out of the package and out of the image on an empty, an
# old and another user's volume. Nothing is installed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$root/scripts/setup.sh" python packages
"$root/scripts/build.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
RHIZOME_BIN=$rhizome_bin "$root/scripts/package.sh" "$dir/out" --quick
cd "$root/tests/packages"
RHIZOME_TEST_PACKAGES=$dir/out PYTHONDONTWRITEBYTECODE=1 "$RHIZOME_CACHE/packages-venv/bin/python" -m pytest -p no:cacheprovider -q . </dev/null
