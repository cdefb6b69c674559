#!/usr/bin/env bash
# Runs the fuzz targets (fuzz/fuzz_targets): first each input of its committed corpus (fuzz/corpus/TARGET), then mutations of them.
# The installed stable compiler will do: it counts branches for libFuzzer when LLVM's pass for it is asked for.
#
#   scripts/fuzz.sh [SECONDS] [TARGET...]     default: 3 seconds each, every target
#
# What makes a target fail is kept in ./var/fuzz. To find more, run longer; inputs worth keeping belong in the corpus.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

seconds=${1:-3}
[[ $seconds =~ ^[0-9]+$ ]] || die "usage: scripts/fuzz.sh [SECONDS] [TARGET...]"
(($# == 0)) || shift
targets=("$@")
if ((${#targets[@]} == 0)); then
    for file in "$root"/fuzz/fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done
fi

# A folder of its own, since these flags compile everything differently; naming the target keeps them from build scripts.
host=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/fuzz
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions -Coverflow-checks"
RUSTFLAGS=$(tr -s ' \n' ' ' <<<"$RUSTFLAGS")
cd "$root/fuzz"
cargo build --release --locked --target "$host" --bins

found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
artifacts=${RHIZOME_DATA:-$root/var}/fuzz
mkdir -p "$artifacts"
passed=0
failed=()
for target in "${targets[@]}"; do
    # The first folder takes new inputs: one that is thrown away, and the corpus after it is only read.
    mkdir -p "$found/$target"
    folders=("$found/$target")
    if [[ -d $root/fuzz/corpus/$target ]]; then folders+=("$root/fuzz/corpus/$target"); fi
    say "$target"
    if "$CARGO_TARGET_DIR/$host/release/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -verbosity=0 -artifact_prefix="$artifacts/$target-" "${folders[@]}" 2>&1 | tail -n 30; then
        passed=$((passed + 1))
    else
        failed+=("$target")
    fi
done
if ((${#failed[@]} > 0)); then say "Failed: ${failed[*]}; their inputs are in $artifacts"; fi
# In the form that scripts/test.sh counts.
echo "test result: $passed passed; ${#failed[@]} failed"
((${#failed[@]} == 0))
