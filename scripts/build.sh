#!/usr/bin/env bash
# Compiles the server: set-up, then cargo. The first build compiles RocksDB's C++ sources, which is most of the time.
#
#   scripts/build.sh [dist]     dist: optimized across crates, the binary to install and to measure; takes 4 to 10 minutes more
#
# With RHIZOME_BIN=PATH all scripts use that binary instead, and nothing is compiled.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ -n ${RHIZOME_BIN:-} ]]; then
    [[ -x $rhizome_bin ]] || die "RHIZOME_BIN names no program: $rhizome_bin"
    say "Not building: RHIZOME_BIN is $rhizome_bin"
    exit
fi
"$root/scripts/setup.sh" build
cd "$root"
if [[ ! -x $rhizome_bin ]]; then
    say "First build: RocksDB takes 11 to 16 minutes to compile on 2 cores. It is compiled once and kept in"
    say "$CARGO_TARGET_DIR"
fi
case ${1:-} in
'') cargo build --release -p rhizome ;;
dist)
    # RocksDB is compiled once, in the release profile, and handed over.
    executed=$(cargo build --release -p rhizome --message-format=json-render-diagnostics | grep '"build-script-executed".*librocksdb-sys' | tail -n 1)
    rocksdb=$(sed -n 's/.*"out_dir":"\([^"]*\)".*/\1/p' <<<"$executed")
    [[ -f $rocksdb/librocksdb.a ]] || die "RocksDB is not where cargo says it compiled it: $rocksdb"
    ROCKSDB_LIB_DIR=$rocksdb ROCKSDB_STATIC=1 cargo build --profile dist -p rhizome
    rhizome_bin=$CARGO_TARGET_DIR/dist/rhizome
    ;;
*) die "unknown argument: $1" "usage: scripts/build.sh [dist]" ;;
esac
# A short name for the binary, which lives in the cache.
ln -sfn "$rhizome_bin" "$root/rhizome"
say "Built: ./rhizome"
