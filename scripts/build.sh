#!/usr/bin/env bash
# Compiles the server: set-up, the explorer's pages (scripts/web.sh), then cargo. The first build compiles RocksDB, too, and keeps it for all profiles and checkouts.
#
#   scripts/build.sh            the server with all storage engines
#   scripts/build.sh run        what `make run` starts: without the engines over Cassandra and TiKV, which are half of the Rust that
#                               is compiled, unless this machine has built the one with all engines
#   scripts/build.sh dist       optimized across crates, the binary to install and to measure; takes 4 to 10 minutes more
#
# With RHIZOME_BIN=PATH all scripts use that binary instead, and nothing is compiled.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ -n ${RHIZOME_BIN:-} ]]; then
    [[ -x $rhizome_bin ]] || die "RHIZOME_BIN names no program: $rhizome_bin"
    ln -sfn "$rhizome_bin" "$root/rhizome"
    say "Not building: RHIZOME_BIN is $rhizome_bin"
    exit
fi
# Linked statically, so that it runs wherever the kernel does. Of the C++ library that RocksDB needs, gcc's folder has two forms, of
# which the linker would take the shared one; a folder with the other comes first.
build_server() { # [CARGO ARGUMENTS]
    local library folder=$CARGO_TARGET_DIR/static-libraries
    library=$(gcc -print-file-name=libstdc++.a 2>/dev/null || true)
    if [[ $library != /* ]]; then
        say "Linking dynamically: gcc has no static C++ library (apt-get install g++)"
        cargo rustc -p rhizome --bin rhizome "$@"
        return
    fi
    mkdir -p "$folder"
    ln -sfn "$library" "$folder/libstdc++.a"
    cargo rustc -p rhizome --bin rhizome "$@" -- -C target-feature=+crt-static -L "native=$folder"
}

"$root/scripts/setup.sh" build
"$root/scripts/web.sh"
# A binary without the explorer is a mistake here.
export RHIZOME_WEB=require
cd "$root"
# Names the engines of the program that is there now.
engines=$CARGO_TARGET_DIR/release/engines
case ${1:-} in
run)
    if [[ $(cat "$engines" 2>/dev/null || true) == all ]]; then
        build_server --release
    else
        build_server --release --no-default-features --features rocksdb
        say "Built with the engines RocksDB and memory; make build adds Cassandra and TiKV"
    fi
    ;;
'')
    build_server --release
    echo all >"$engines"
    ;;
dist)
    build_server --profile dist
    rhizome_bin=$CARGO_TARGET_DIR/dist/rhizome
    ;;
*) die "unknown argument: $1" "usage: scripts/build.sh [run|dist]" ;;
esac
# A short name for the binary, which lives in the cache.
ln -sfn "$rhizome_bin" "$root/rhizome"
say "Built: ./rhizome"
