#!/usr/bin/env bash
# Makes sure that what a build or a test suite needs from outside the repository is there; says so, one line a step.
#
#   scripts/setup.sh [build] [java] [python] [browser] [valgrind] [packages] [tls]      no argument: build
#
# Debian packages are installed with apt-get as root or through sudo; where neither is possible the script prints the
# command and ends with code 1. Python packages go into a virtual environment below ${RHIZOME_CACHE}.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

missing=()       # Debian packages to install
apt_updated=no

# Installs PACKAGES, or says what to do.
install_packages() { # PACKAGE...
    local as_root=()
    local command="apt-get install -y --no-install-recommends $*"
    have apt-get || die "these are missing, and there is no apt-get here: $*" \
        "Install the same things with the package tool of your system, then try again."
    if ((EUID != 0)); then
        have sudo || die "these Debian packages are missing: $*" "Run as root: $command" "Then try again."
        as_root=(sudo)
    fi
    if [[ $apt_updated == no ]]; then
        "${as_root[@]}" apt-get update -qq -o Acquire::Retries=5 || say "apt-get update failed; trying with the package lists at hand"
        apt_updated=yes
    fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o Acquire::Retries=5 "$@" \
        </dev/null ||
        die "apt-get could not install: $*" "Run it by hand to see why: $command"
}

# One step: TITLE, a function that tells whether the thing is present, and the packages that bring it.
step() { # TITLE CHECK PACKAGE...
    local title=$1 check=$2
    shift 2
    number=$((number + 1))
    if "$check"; then
        say "[$number/$total] $title: present"
        return
    fi
    say "[$number/$total] $title: missing, installing $*"
    missing=("$@")
    install_packages "${missing[@]}"
    "$check" || die "$title is still missing after installing: ${missing[*]}"
}

# The compiler must be as new as Cargo.toml asks; in the checkout rustup may choose it by rust-toolchain.toml.
has_rust() {
    local wanted found
    if ! { have cargo && have rustc; }; then return 1; fi
    wanted=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$root/Cargo.toml")
    found=$(cd "$root" && rustc --version | awk '{print $2}')
    [[ $(printf '%s\n' "$wanted" "${found%%-*}" | sort -V | head -n 1) == "$wanted" ]]
}

has_compiler() { have c++ && have cc && have make; }

# bindgen opens libclang.so while it writes RocksDB's bindings, and reads the headers that come with it. These are the
# places where it looks; a set LIBCLANG_PATH is trusted.
has_libclang() {
    local files
    if [[ -n ${LIBCLANG_PATH:-} ]]; then return 0; fi
    files=$(compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' || compgen -G '/usr/lib/*-linux-gnu/libclang*.so*' ||
        compgen -G '/usr/lib64/libclang*.so*' || compgen -G '/usr/lib/libclang*.so*') || return 1
    grep -qv 'libclang-cpp' <<<"$files" || return 1
    compgen -G '/usr/lib/llvm-*/lib/clang/*/include/stddef.h' >/dev/null ||
        compgen -G '/usr/lib*/clang/*/include/stddef.h' >/dev/null
}

has_curl() { have curl; }

has_pkg_config() { have pkg-config; }

has_java() { have javac && have java; }

has_maven() { have mvn; }

has_chromium() { have chromium; }

has_valgrind() { have valgrind; }

has_package_tools() { have dpkg-deb && have strip && have objdump && have systemd-analyze && have umoci; }

has_testssl() { have testssl && have hexdump; }

has_python() { have python3 && python3 -c 'import ensurepip, venv' 2>/dev/null; }

# Checkouts share the build folder, so that dependencies are compiled once for a machine. Cargo tells whether our own crates are
# up to date by the times of their files and would take another checkout's for ours: after a change of checkout they are
# rebuilt. Nothing else is.
own_crates_of_this_checkout() {
    local stamp=$CARGO_TARGET_DIR/checkout crates=() folder profile
    number=$((number + 1))
    if [[ ! -d $CARGO_TARGET_DIR/debug && ! -d $CARGO_TARGET_DIR/release || $(cat "$stamp" 2>/dev/null || true) == "$root" ]]; then
        say "[$number/$total] Build folder: of this checkout"
    else
        say "[$number/$total] Build folder: last used by another checkout, rebuilding our own crates"
        for folder in "$root"/crates/*/ "$root"/tools/*/ "$root/xtask/"; do crates+=(-p "$(basename "$folder")"); done
        for profile in dev release dist; do
            (cd "$root" && cargo clean --quiet --profile "$profile" "${crates[@]}")
        done
    fi
    mkdir -p "$CARGO_TARGET_DIR"
    printf '%s\n' "$root" >"$stamp"
}

# Code that utoipa-swagger-ui generates names its files by absolute paths. In a build folder that was copied or moved
# they are those of the old place, and cargo does not notice when that is gone.
generated_code_finds_its_files() {
    local embed file profile
    for profile in debug release dist; do
        for embed in "$CARGO_TARGET_DIR/$profile"/build/utoipa-swagger-ui-*/out/embed.rs; do
            [[ -f $embed ]] || continue
            file=$(sed -n '0,/include_bytes!/s/.*include_bytes!("\([^"]*\)").*/\1/p' "$embed")
            if [[ ! -e $file ]]; then
                say "Build folder: copied from elsewhere, rebuilding utoipa-swagger-ui ($profile)"
                (cd "$root" && cargo clean --quiet --profile "${profile/debug/dev}" -p utoipa-swagger-ui)
                break
            fi
        done
    done
}

setup_build() {
    number=$((number + 1))
    has_rust || die "cargo is missing or older than Cargo.toml asks (rust-version)." "Install Rust 1.95 or newer: https://www.rust-lang.org/tools/install"
    say "[$number/$total] Rust: present"
    step "C++ compiler and make" has_compiler g++ make
    step "libclang (for RocksDB's bindings)" has_libclang libclang-dev
    step "pkg-config" has_pkg_config pkg-config
    step "curl" has_curl curl
    own_crates_of_this_checkout
    generated_code_finds_its_files
}

setup_java() {
    step "JDK" has_java default-jdk-headless
    step "Maven" has_maven maven
}

# A virtual environment with the pinned packages of some files. The stamp holds a copy of what it was made from.
environment() { # TITLE FOLDER REQUIREMENTS...
    local title=$1 folder=$2 stamp=$2/requirements.installed file from=()
    shift 2
    for file in "$@"; do from+=(-r "$file"); done
    if [[ -x $folder/bin/python ]] && cat "$@" | cmp -s - "$stamp"; then
        say "[$number/$total] Python packages ($title): present"
        return
    fi
    say "[$number/$total] Python packages ($title): installing into $folder"
    mkdir -p "$(dirname "$folder")"
    python3 -m venv --clear "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "${from[@]}"
    cat "$@" >"$stamp"
}

setup_python() {
    step "Python with venv" has_python python3 python3-venv
    number=$((number + 1))
    environment "clients" "$venv" "$root"/tests/{clients/python,openapi,licenses}/requirements.txt
}

setup_browser() {
    step "Chromium" has_chromium chromium
}

setup_valgrind() {
    step "valgrind" has_valgrind valgrind
}

setup_packages() {
    step "dpkg, binutils, systemd and umoci" has_package_tools dpkg binutils systemd umoci
    number=$((number + 1))
    environment "what judges packages" "$RHIZOME_CACHE/packages-venv" "$root/tests/packages/requirements.txt"
}

setup_tls() {
    step "testssl.sh" has_testssl testssl.sh bsdextrautils
}

(($# > 0)) || set -- build
total=0
number=0
for part in "$@"; do
    case $part in
    build) total=$((total + 6)) ;;
    java | python | packages) total=$((total + 2)) ;;
    browser | valgrind | tls) total=$((total + 1)) ;;
    *) die "unknown part: $part" "usage: scripts/setup.sh [build] [java] [python] [browser] [valgrind] [packages] [tls]" ;;
    esac
done
for part in "$@"; do "setup_$part"; done
