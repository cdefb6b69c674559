#!/usr/bin/env bash
# Makes the packages of a built server: a Debian package, an archive, and their checksums.
#
#   scripts/package.sh OUT [--quick]      of $RHIZOME_BIN, else of the binary of scripts/build.sh dist; --quick hardly compresses
#
# Both contain the program without symbols, manual pages, completions for three shells, the unit of systemd and a settings file.
# Files carry the time of the last commit, so that the same commit and binary give the same packages.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { die "usage: scripts/package.sh OUT [--quick]"; }

(($# >= 1)) || usage
out=$(realpath -m "$1")
compression=(-Zxz -z6)
level=-9
case ${2:-} in
--quick) compression=(-Zgzip -z1) level=-1 ;;
'') ;;
*) usage ;;
esac
command -v dpkg-deb >/dev/null || die "dpkg-deb is missing." "Install it: apt-get install dpkg"
if [[ -z ${RHIZOME_BIN:-} ]]; then
    "$root/scripts/build.sh" dist
    rhizome_bin=$CARGO_TARGET_DIR/dist/rhizome
fi
[[ -x $rhizome_bin ]] || die "there is no program at $rhizome_bin"

SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/Cargo.toml")
export SOURCE_DATE_EPOCH
version=$("$rhizome_bin" --version | awk '{ print $2 }')
architecture=$(dpkg --print-architecture)
name=rhizome-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# The tree that both packages share.
tree=$work/tree
install -D -m 755 "$rhizome_bin" "$tree/usr/bin/rhizome"
strip --strip-all "$tree/usr/bin/rhizome"
"$rhizome_bin" man "$tree/usr/share/man/man1"
gzip -9n "$tree"/usr/share/man/man1/*.1
completion() { # SHELL FILE
    mkdir -p "$tree/$(dirname "$2")"
    "$rhizome_bin" completions "$1" >"$tree/$2"
}
completion bash usr/share/bash-completion/completions/rhizome
completion zsh usr/share/zsh/vendor-completions/_rhizome
completion fish usr/share/fish/vendor_completions.d/rhizome.fish
install -D -m 644 "$root/packaging/rhizome.service" "$tree/lib/systemd/system/rhizome.service"
install -D -m 644 "$root/packaging/rhizome.toml" "$tree/etc/rhizome/rhizome.toml"
install -D -m 644 "$root/LICENSE" "$tree/usr/share/doc/rhizome/copyright"
gzip -9nc "$root/CHANGELOG.md" >"$tree/usr/share/doc/rhizome/changelog.gz"

# What the program needs of the system, by the versions of the symbols it uses.
glibc=$(objdump -T "$tree/usr/bin/rhizome" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1 | cut -d _ -f 2)
depends="libc6 (>= $glibc)"
for pair in libstdc++.so.6:libstdc++6 libgcc_s.so.1:libgcc-s1 libz.so.1:zlib1g; do
    if objdump -p "$tree/usr/bin/rhizome" | grep -q "NEEDED  *${pair%%:*}"; then depends+=", ${pair##*:}"; fi
done

mkdir "$tree/DEBIAN"
size=$(du -sk --exclude=DEBIAN "$tree" | cut -f 1)
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/; s/@DEPENDS@/$depends/" \
    "$root/packaging/debian/control" >"$tree/DEBIAN/control"
cp "$root/packaging/debian/conffiles" "$tree/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 755 "$root/packaging/debian/$script" "$tree/DEBIAN/$script"; done
(cd "$tree" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$work/md5sums"
mv "$work/md5sums" "$tree/DEBIAN/md5sums"
chmod -R u=rwX,go=rX "$tree"
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
deb=rhizome_${version}_$architecture.deb
dpkg-deb --root-owner-group "${compression[@]}" --build "$tree" "$out/$deb" >/dev/null
rm -rf "$tree/DEBIAN"

mv "$tree" "$work/$name"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" | gzip -n "$level" >"$out/$name.tar.gz"
(cd "$out" && sha256sum "$deb" "$name.tar.gz" >SHA256SUMS)
say "Packages in $out:"
(cd "$out" && ls -l --block-size=K "$deb" "$name.tar.gz" | awk '{ print "    " $9 "  " $5 }')
