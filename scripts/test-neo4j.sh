#!/usr/bin/env bash
# Runs the tests of one of Neo4j's drivers, or of a program that uses one, unmodified, over Bolt against a fresh server.
#
#   scripts/test-neo4j.sh python [VERSION]         6.4.1 or 5.28.8; default 6.4.1
#   scripts/test-neo4j.sh java [VERSION]           neo4j-java-driver; default 5.28.15
#   scripts/test-neo4j.sh javascript [VERSION]     npm's neo4j-driver; default 6.3.0; needs Node.js 20 or newer with npm
#   scripts/test-neo4j.sh go [MAJOR]               neo4j-go-driver; default 5
#   scripts/test-neo4j.sh shell [VERSION]          cypher-shell; default 5.26.0
#   scripts/test-neo4j.sh langchain                langchain-neo4j and neo4j-graphrag
#
# RHIZOME_TEST_URL=http://HOST:PORT and RHIZOME_TEST_BOLT=HOST:PORT test a server that already runs instead; it must not have the
# graphs of the tests yet.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { die "usage: scripts/test-neo4j.sh python [VERSION] | java [VERSION] | javascript [VERSION] | go [MAJOR] |
       shell [VERSION] | langchain"; }

driver=${1:-}
version=${2:-}
if (($# > 2)); then usage; fi
tests=$root/tests/clients/neo4j
case $driver in
python)
    version=${version:-6.4.1}
    [[ -e $tests/python/requirements-$version.txt ]] || usage
    "$root/scripts/setup.sh" python
    ;;
java)
    version=${version:-5.28.15}
    "$root/scripts/setup.sh" java
    ;;
javascript)
    version=${version:-6.3.0}
    { have node && have npm; } || die "Node.js or npm is missing." "Install Node.js 20 or newer: https://nodejs.org"
    ;;
go)
    version=${version:-5}
    go=$("$root/scripts/go.sh")
    ;;
shell)
    version=${version:-5.26.0}
    "$root/scripts/setup.sh" java python
    ;;
langchain)
    version=${version:-pinned}
    "$root/scripts/setup.sh" python
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
    RHIZOME_TEST_BOLT=$(cat "$dir/bolt")
fi
export RHIZOME_URL=$url RHIZOME_BOLT=${RHIZOME_TEST_BOLT:?the address of Bolt, HOST:PORT} DRIVER_VERSION=$version
# What is downloaded or compiled stays in the cache: nothing is written into the repository.
place=$RHIZOME_CACHE/drivers/neo4j-$driver-$version
mkdir -p "$place"
say "Neo4j's driver for $driver $version against bolt://$RHIZOME_BOLT"

case $driver in
python)
    pytest_pinned "$tests/python" "$tests/python/requirements-$version.txt" "$place"
    ;;
java)
    mvn -B -ntp -f "$tests/java/pom.xml" -Dstyle.color=never -Ddriver.version="$version" -Drhizome.url="$url" \
        -Drhizome.bolt="$RHIZOME_BOLT" -Drhizome.build="$place" test </dev/null
    ;;
javascript)
    cp "$tests/javascript"/* "$place/"
    cd "$place"
    [[ -e node_modules/neo4j-driver ]] || npm install --no-audit --no-fund --save-exact "neo4j-driver@$version"
    code=0
    node --test --test-reporter=tap driver.test.js </dev/null | tee tests.log || code=$?
    # In the form that scripts/test.sh counts.
    awk '/^# pass /{p = $3} /^# (fail|cancelled) /{f += $3} END{print "test result: " p + 0 " passed; " f + 0 " failed"}' tests.log
    exit "$code"
    ;;
go)
    cp "$tests/go"/* "$place/"
    cd "$place"
    sed "s/MAJOR/$version/g" driver_test.go.in >driver_test.go
    if [[ ! -e go.mod ]]; then
        "$go" mod init driver
        "$go" mod tidy
    fi
    code=0
    GOCACHE=$place/build "$go" test -count=1 -v ./... </dev/null | tee "$place/tests.log" || code=$?
    awk '/^ *--- PASS/{p++} /^ *--- FAIL/{f++} END{print "test result: " p + 0 " passed; " f + 0 " failed"}' "$place/tests.log"
    exit "$code"
    ;;
shell)
    if [[ ! -e $place/jars/complete ]]; then
        mvn -B -ntp -q -f "$tests/shell/pom.xml" -Dshell.version="$version" dependency:copy-dependencies \
            "-DoutputDirectory=$place/jars" </dev/null
        touch "$place/jars/complete"
    fi
    cd "$tests/shell"
    SHELL_JARS=$place/jars PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" -m pytest -p no:cacheprovider -q . </dev/null
    ;;
langchain)
    pytest_pinned "$tests/langchain" "$tests/langchain/requirements.txt" "$place"
    ;;
esac
