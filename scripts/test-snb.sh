#!/usr/bin/env bash
# Runs the reads of LDBC's Social Network Benchmark (Interactive version 1: short 1 to 7, complex 1 to 14) in Cypher on
# a generated network against a fresh server, and compares what they answer with a model in Python.
#
#   scripts/test-snb.sh [PERSONS [ROUNDS]]     default 120 persons, 10 rounds of parameters for each query
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if (($# > 2)); then die "usage: scripts/test-snb.sh [PERSONS [ROUNDS]]"; fi
persons=${1:-120}
rounds=${2:-10}

"$root/scripts/build.sh"
dir=$(mktemp -d)
trap finish_server EXIT
"$root/scripts/server.sh" start "$dir" 0
say "Generating $persons persons"
"$rhizome_bin" generate snb --persons "$persons" --out "$dir/snb" >/dev/null
"$rhizome_bin" load --server "$(cat "$dir/url")" --schema "$dir/snb/schema.json" --mapping "$dir/snb/mapping.json" \
    --no-verify >/dev/null
say "21 queries, $rounds rounds each"
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/cypher/snb.py" --data "$dir/snb" --bolt "$(cat "$dir/bolt")" \
    --rounds "$rounds" --latencies
