#!/usr/bin/env bash
# Runs the tests of one real client against a fresh server.
#
#   scripts/test-clients.sh java [CLIENT_VERSION] [--engine NAME]     Apache HugeGraph's Java client; default 1.5.0
#   scripts/test-clients.sh python [--engine NAME]                    the hugegraph-python package
#   scripts/test-clients.sh mcp [--engine NAME]                       the hugegraph-mcp package
#
# --login has the server ask for credentials; the client shows those of the administrator.
#
# --engine sets the server's `storage.engine`; RHIZOME__SECTION__KEY variables set anything else, such as the addresses of an engine that
# runs elsewhere.
#
# RHIZOME_TEST_URL=http://HOST:PORT tests a server that already runs instead (its graph must be empty); so the same
# tests can be checked against Apache HugeGraph itself; RHIZOME_TEST_REFERENCE=1 leaves out what is known to fail there.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { die "usage: scripts/test-clients.sh java [CLIENT_VERSION] | python | mcp, each with [--engine NAME] [--login]"; }

words=()
while (($# > 0)); do
    case $1 in
    --engine)
        [[ -n ${2:-} ]] || usage
        [[ -z ${RHIZOME_TEST_URL:-} ]] || die "--engine is for a server started here, but RHIZOME_TEST_URL names one that runs"
        # The server is started by this script and reads it.
        export RHIZOME__STORAGE__ENGINE=$2
        shift 2
        ;;
    --login)
        [[ -z ${RHIZOME_TEST_URL:-} ]] || die "--login is for a server started here, but RHIZOME_TEST_URL names one that runs"
        with_login
        shift
        ;;
    -*) usage ;;
    *)
        words+=("$1")
        shift
        ;;
    esac
done
client=${words[0]:-}
version=${words[1]:-1.5.0}
case $client in
java | python | mcp) ;;
*) usage ;;
esac
if ((${#words[@]} > 2)); then usage; fi

"$root/scripts/setup.sh" "${client/mcp/python}"
url=${RHIZOME_TEST_URL:-}
if [[ -z $url ]]; then
    "$root/scripts/build.sh"
    dir=$(mktemp -d)
    trap finish_server EXIT
    "$root/scripts/server.sh" start "$dir" 0
    url=$(cat "$dir/url")
fi

case $client in
java)
    say "Java client $version against $url${RHIZOME__STORAGE__ENGINE:+, engine $RHIZOME__STORAGE__ENGINE}"
    areas=()
    if [[ $version != 1.5.* ]]; then areas=(-P schema-and-elements); fi
    # The Maven output goes to the cache: nothing is written into the repository.
    mvn -B -ntp -f "$root/tests/clients/java/pom.xml" -Dstyle.color=never \
        -Dclient.version="$version" -Drhizome.url="$url" -Drhizome.password="${RHIZOME_ADMIN_PASSWORD:-}" \
        -Drhizome.build="$RHIZOME_CACHE/java-client-$version" "${areas[@]}" \
        ${RHIZOME_TEST_REFERENCE:+-Drhizome.reference=true -DexcludedGroups=beyond-hugegraph} test </dev/null
    ;;
python)
    say "Python client against $url${RHIZOME__STORAGE__ENGINE:+, engine $RHIZOME__STORAGE__ENGINE}"
    cd "$root/tests/clients/python"
    RHIZOME_URL=$url PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" -m pytest -p no:cacheprovider -q \
        ${RHIZOME_TEST_REFERENCE:+-m "not beyond_hugegraph"} . </dev/null
    ;;
mcp)
    say "hugegraph-mcp against $url${RHIZOME__STORAGE__ENGINE:+, engine $RHIZOME__STORAGE__ENGINE}"
    # It brings a hundred packages along, so it has an environment of its own.
    place=$RHIZOME_CACHE/mcp
    requirements=$root/tests/clients/mcp/requirements.txt
    if ! cmp -s "$requirements" "$place/requirements.installed"; then
        mkdir -p "$place"
        python3 -m venv --clear "$place/venv"
        "$place/venv/bin/pip" install -q --disable-pip-version-check --no-deps -r "$requirements"
        cp "$requirements" "$place/requirements.installed"
    fi
    cd "$root/tests/clients/mcp"
    RHIZOME_URL=$url PYTHONDONTWRITEBYTECODE=1 "$place/venv/bin/python" -m pytest -p no:cacheprovider -q . </dev/null
    ;;
esac
