#!/usr/bin/env bash
# Runs the tests of one of TinkerPop's drivers, unmodified, against a fresh server.
#
#   scripts/test-drivers.sh python [VERSION]     gremlinpython 3.8.2, 3.7.7 or 3.5.8; default 3.8.2
#   scripts/test-drivers.sh java [VERSION]       gremlin-driver; default 3.8.1
#   scripts/test-drivers.sh javascript           npm's gremlin 3.8.2; needs Node.js 20 or newer with npm
#   scripts/test-drivers.sh go                   gremlin-go 3.8.1
#   scripts/test-drivers.sh console              TinkerPop's console 3.7.3
#
# --login, before all others: the server asks for credentials, and the driver (python, java) shows the administrator's.
#
# RHIZOME_TEST_URL=http://HOST:PORT tests a server that already runs instead; it must not have the graphs of the tests yet.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { die "usage: scripts/test-drivers.sh [--login] python [VERSION] | java [VERSION] | javascript | go | console"; }

if [[ ${1:-} == --login ]]; then
    [[ -z ${RHIZOME_TEST_URL:-} ]] || die "--login is for a server started here, but RHIZOME_TEST_URL names one that runs"
    shift
    [[ ${1:-} == python || ${1:-} == java ]] || usage
    with_login
fi
driver=${1:-}
version=${2:-}
if (($# > 2)); then usage; fi
tests=$root/tests/clients/gremlin
case $driver in
python)
    version=${version:-3.8.2}
    [[ -e $tests/python/requirements-$version.txt ]] || usage
    "$root/scripts/setup.sh" python
    ;;
java)
    version=${version:-3.8.1}
    "$root/scripts/setup.sh" java
    ;;
console)
    [[ -z $version ]] || usage
    "$root/scripts/setup.sh" java
    ;;
javascript)
    [[ -z $version ]] || usage
    { have node && have npm; } || die "Node.js or npm is missing." "Install Node.js 20 or newer: https://nodejs.org"
    ;;
go)
    [[ -z $version ]] || usage
    go=$("$root/scripts/go.sh")
    ;;
*) usage ;;
esac

url=${RHIZOME_TEST_URL:-}
if [[ -z $url ]]; then
    "$root/scripts/build.sh"
    dir=$(mktemp -d)
    trap finish_server EXIT
    "$root/scripts/server.sh" start "$dir" 0
    url=$(cat "$dir/url")
    export RHIZOME_BIN=$rhizome_bin
fi
export RHIZOME_URL=$url
# What is downloaded or compiled stays in the cache: nothing is written into the repository.
place=$RHIZOME_CACHE/drivers/$driver${version:+-$version}
mkdir -p "$place"
say "Driver for $driver${version:+ $version} against $url"

case $driver in
python)
    pytest_pinned "$tests/python" "$tests/python/requirements-$version.txt" "$place"
    ;;
java)
    mvn -B -ntp -f "$tests/java/pom.xml" -Dstyle.color=never -Ddriver.version="$version" -Drhizome.url="$url" \
        -Drhizome.password="${RHIZOME_ADMIN_PASSWORD:-}" \
        -Drhizome.build="$place" test </dev/null
    ;;
javascript)
    cp "$tests/javascript"/* "$place/"
    cd "$place"
    cmp -s package-lock.json node_modules/lock.installed || npm ci --no-audit --no-fund
    cp package-lock.json node_modules/lock.installed
    code=0
    node --test --test-reporter=tap driver.test.js </dev/null | tee tests.log || code=$?
    # In the form that scripts/test.sh counts.
    awk '/^# pass /{p = $3} /^# (fail|cancelled) /{f += $3} END{print "test result: " p + 0 " passed; " f + 0 " failed"}' tests.log
    exit "$code"
    ;;
console)
    cp "$tests/console/pom.xml" "$place/"
    mvn -B -ntp -q -f "$place/pom.xml" dependency:build-classpath -Dmdep.outputFile="$place/classpath" </dev/null
    curl -sf -X POST "$url/graphs/consoledriver" -H 'Content-Type: application/json' -d '{"schema.mode": "auto"}' >/dev/null
    address=${url#http://}
    cat >"$place/remote.yaml" <<YAML
hosts: [${address%:*}]
port: ${address##*:}
serializer: {className: org.apache.tinkerpop.gremlin.util.ser.GraphBinaryMessageSerializerV1, config: {serializeResultToString: true}}
YAML
    {
        echo ":plugin use tinkerpop.server"
        echo ":remote connect tinkerpop.server $place/remote.yaml"
        cat "$tests/console/session.groovy"
    } >"$place/session.groovy"
    cd "$place"
    java -cp "$(cat classpath)" org.apache.tinkerpop.gremlin.console.Console <session.groovy >output.log 2>&1 || true
    # What is printed after the request that makes the elements, without colours, prompts and the console's questions.
    sed -E 's/\x1b\[[0-9;]*m//g' output.log | sed '1,/addV/d' | sed 1d | grep -vE '^(gremlin>|Type .:help|Display stack trace)' >results.txt || true
    code=0
    diff "$tests/console/expected.txt" results.txt || code=1
    echo "test result: $((1 - code)) passed; $code failed"
    exit "$code"
    ;;
go)
    cd "$tests/go"
    code=0
    GOFLAGS=-mod=readonly GOCACHE=$place/build "$go" test -count=1 -v ./... </dev/null | tee "$place/tests.log" || code=$?
    awk '/^ *--- PASS/{p++} /^ *--- FAIL/{f++} END{print "test result: " p + 0 " passed; " f + 0 " failed"}' "$place/tests.log"
    exit "$code"
    ;;
esac
