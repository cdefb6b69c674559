#!/usr/bin/env bash
# Runs the tests that need a disk that fills up: a small file system in memory, mounted in a name space of its own, so that
# nothing is left behind and, where the system allows user name spaces, no administrator's rights are needed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

size=64m

if [[ ${1:-} != mounted ]]; then
    # Built outside: only the tests themselves run on the small disk.
    cd "$root"
    cargo test --workspace --no-run
    flags=-m
    if ((EUID != 0)); then flags=-rm; fi
    unshare "$flags" true 2>/dev/null ||
        die "this system lets nobody mount a file system here (unshare $flags failed)." \
            "Run the script as root, or allow user name spaces: sysctl kernel.unprivileged_userns_clone=1"
    exec unshare "$flags" "${BASH_SOURCE[0]}" mounted
fi

disk=$(mktemp -d)
trap 'umount "$disk" && rmdir "$disk"' EXIT
mount -t tmpfs -o "size=$size" none "$disk"
cd "$root"
# One after the other: they share the disk.
for test in disk_full full_disk; do
    RHIZOME_TEST_SMALL_DISK=$disk cargo test --workspace --test "$test" -- --ignored --test-threads=1
    rm -rf "${disk:?}"/*
done
