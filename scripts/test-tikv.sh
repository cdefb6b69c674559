#!/usr/bin/env bash
# Runs the tests that need a TiKV cluster, on the development store (see scripts/tikv.sh), which it starts and stops.
# With RHIZOME_TEST_TIKV_PD=host:port they run on that cluster instead, but for those that kill the store and those of TLS.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$root"
tests=(cargo test --workspace --test tikv --)

# Before the store is started, so that nothing else competes with it while it is waited for.
cargo test --workspace --test tikv --no-run

if [[ -n ${RHIZOME_TEST_TIKV_PD:-} ]]; then
    "${tests[@]}" --ignored --skip store:: --skip secured::
    exit
fi

# A folder and ports of its own, so that a store can be running meanwhile.
TIKV_STORE_DIR=$(mktemp -d)
export TIKV_STORE_DIR TIKV_PD_PORT=${TIKV_PD_PORT:-23890} TIKV_STORE_PORT=${TIKV_STORE_PORT:-20260}
trap 'scripts/tikv.sh clean' EXIT

# In three stores and some regions, so that nothing rests on there being one.
RHIZOME_TEST_TIKV_PD=$(scripts/tikv.sh start -stores 3 -regions 8)
export RHIZOME_TEST_TIKV_PD
say "on three stores and eight regions"
"${tests[@]}" --ignored --skip store:: --skip secured::

# The same while regions split and leaders change, and then the tests that kill the store themselves.
scripts/tikv.sh stop
RHIZOME_TEST_TIKV_PD=$(scripts/tikv.sh start -stores 3 -regions 8 -disturb 100ms)
say "while regions split and change their leaders"
"${tests[@]}" --ignored --skip store:: --skip secured::
scripts/tikv.sh stop
say "while the store is killed and restarted"
"${tests[@]}" --ignored store:: --test-threads 1

RHIZOME_TEST_TIKV_PD=$(scripts/tikv.sh start -tls "$TIKV_STORE_DIR/tls")
say "over TLS, with certificates of both sides"
RHIZOME_TEST_TIKV_TLS=$TIKV_STORE_DIR/tls "${tests[@]}" --ignored secured::
