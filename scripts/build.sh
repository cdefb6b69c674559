#!/usr/bin/env bash
# Compiles the server: set-up, then cargo. The first build compiles RocksDB's C++ sources, which is most of the time.
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
cargo build --release -p rhizome
# A short name for the binary, which lives in the cache.
ln -sfn "$rhizome_bin" "$root/rhizome"
say "Built: ./rhizome"
