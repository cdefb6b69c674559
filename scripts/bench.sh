#!/usr/bin/env bash
# Times of the hot paths (tools/hot-paths), as ratios to saved ones. The first run saves what it measures in the cache folder;
# SAVE=1 replaces the saved times. FILTER=store measures only what has this in its name.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$root/scripts/setup.sh" build
cd "$root"
# Where criterion keeps what it measures; survives a fresh clone and `cargo clean`.
export CRITERION_HOME=$RHIZOME_CACHE/criterion
saving=()
if [[ -n ${SAVE:-} || ! -e $CRITERION_HOME/saved-at ]]; then saving=(--save-baseline saved); fi
cargo bench -p hot-paths --bench hot_paths -- ${FILTER:+"$FILTER"} --warm-up-time 1 --measurement-time 3 "${saving[@]}"
if ((${#saving[@]} > 0)); then
    git describe --always --dirty >"$CRITERION_HOME/saved-at" 2>/dev/null || date -u >"$CRITERION_HOME/saved-at"
    say "Saved in $CRITERION_HOME; the next run is compared with this one"
    exit 0
fi
say "Ratios to the times saved at $(cat "$CRITERION_HOME/saved-at")"
cargo xtask bench-ratios "$CRITERION_HOME"
