#!/usr/bin/env bash
# Sends generated requests, right and wrong ones, for every operation of /openapi.json to a fresh server, with schemathesis.
# Fails when an answer is a server error, has a status, type or shape the document does not name, when a method that is not
# described is accepted, or when what needs credentials by the document is answered without them, or with wrong ones.
#
#   scripts/test-openapi.sh [EXAMPLES]     generated requests for each operation and phase; default 10, about a minute
#
# The server has users, and the administrator asks: without users the operations on them are refused as by HugeGraph, by a server
# error.
#
# RHIZOME_TEST_URL=http://HOST:PORT tests a server that already runs instead, whose administrator has the password in
# RHIZOME_ADMIN_PASSWORD; its graph "hugegraph" and its users are changed at random.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

examples=${1:-10}
[[ $examples =~ ^[0-9]+$ ]] || die "usage: scripts/test-openapi.sh [EXAMPLES]"

# Stops the server, shows the end of its log after a failure, and keeps the exit code.
# shellcheck disable=SC2317  # called by the trap
finish() {
    local code=$?
    [[ ! -e $dir/url ]] || "$root/scripts/server.sh" stop "$dir" || code=1
    if ((code != 0)) && [[ -e $dir/server.log ]]; then
        say "The last lines of the server's log:"
        tail -n 20 "$dir/server.log"
    fi
    rm -rf "$dir"
    exit "$code"
}

"$root/scripts/setup.sh" python
dir=$(mktemp -d)
trap finish EXIT
export RHIZOME_ADMIN_PASSWORD=${RHIZOME_ADMIN_PASSWORD:-generated-requests}
url=${RHIZOME_TEST_URL:-}
if [[ -z $url ]]; then
    "$root/scripts/build.sh"
    RHIZOME__AUTH__ENABLED=true "$root/scripts/server.sh" start "$dir" 0
    url=$(cat "$dir/url")
fi
"$venv/bin/python" "$root/tests/openapi/prepare.py" "$url"
cd "$dir"
credentials=$(printf 'admin:%s' "$RHIZOME_ADMIN_PASSWORD" | base64 -w 0)
export SCHEMATHESIS_HOOKS=hooks PYTHONPATH=$root/tests/openapi PYTHONDONTWRITEBYTECODE=1
"$venv/bin/schemathesis" --config-file "$root/tests/openapi/schemathesis.toml" run "$url/openapi.json" -H "Authorization: Basic $credentials" \
    --checks not_a_server_error,content_type_conformance,response_schema_conformance,status_code_conformance,unsupported_method,ignored_auth \
    --phases examples,coverage,fuzzing --max-examples "$examples" --seed 1 --warnings off --no-color </dev/null
