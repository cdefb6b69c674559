#!/usr/bin/env bash
# Makes the packages of a built server: Debian packages of the program and of its symbols, an archive, a container image, a
# Helm chart, the list of what it is made of (SBOM), and their checksums.
#
#   scripts/package.sh OUT [--quick]      of $RHIZOME_BIN, else of the binary of scripts/build.sh dist; --quick hardly compresses
#
# Those with the program contain it without symbols, manual pages, completions for three shells, the unit of systemd and a settings file.
# Files carry the time of the last commit, so that the same commit and binary give the same packages.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() { die "usage: scripts/package.sh OUT [--quick]"; }

(($# >= 1)) || usage
out=$(realpath -m "$1")
compression=(-Zxz -z6)
level=-9 image_level=9
case ${2:-} in
--quick) compression=(-Zgzip -z1) level=-1 image_level=1 ;;
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
# The symbols are a package of their own, found by the id of the build: with it, profiles and traces of panics have names.
build_id=$(readelf -n "$tree/usr/bin/rhizome" | awk '/Build ID:/ { print $3 }')
[[ -n $build_id ]] || die "the program has no build id: $rhizome_bin"
symbols=$work/symbols/usr/lib/debug/.build-id/${build_id:0:2}/${build_id:2}.debug
mkdir -p "$(dirname "$symbols")"
objcopy --only-keep-debug --compress-debug-sections "$tree/usr/bin/rhizome" "$symbols"
chmod 644 "$symbols"
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

# What the program needs of the system, by the versions of the symbols it uses: nothing where it is linked statically.
needed=$(objdump -p "$tree/usr/bin/rhizome" | awk '$1 == "NEEDED" { print $2 }')
depends=
for pair in libc.so.6:libc6 libstdc++.so.6:libstdc++6 libgcc_s.so.1:libgcc-s1 libz.so.1:zlib1g; do
    if ! grep -qxF "${pair%%:*}" <<<"$needed"; then continue; fi
    depends+=${depends:+, }${pair##*:}
    if [[ $pair == libc.so.6:* ]]; then
        glibc=$(objdump -T "$tree/usr/bin/rhizome" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1 | cut -d _ -f 2)
        depends+=" (>= $glibc)"
    fi
done

mkdir "$tree/DEBIAN"
size=$(du -sk --exclude=DEBIAN "$tree" | cut -f 1)
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/; s/@DEPENDS@/$depends/; /^Depends: $/d" \
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

tree=$work/symbols
mkdir "$tree/DEBIAN"
size=$(du -sk --exclude=DEBIAN "$tree" | cut -f 1)
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/" \
    "$root/packaging/debian/control-dbgsym" >"$tree/DEBIAN/control"
(cd "$tree" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$work/md5sums"
mv "$work/md5sums" "$tree/DEBIAN/md5sums"
chmod -R u=rwX,go=rX "$tree"
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dbgsym=rhizome-dbgsym_${version}_$architecture.deb
dpkg-deb --root-owner-group "${compression[@]}" --build "$tree" "$out/$dbgsym" >/dev/null

tree=$work/tree
image=rhizome-$version-$architecture.oci.tar
"$root/packaging/oci_image.py" "$tree/usr/bin/rhizome" "$out/$image" --version "$version" --level "$image_level"

chart=rhizome-chart-$version.tgz
cp -r "$root/packaging/helm" "$work/chart"
sed -i -e "s/^version: .*/version: $version/; s/^appVersion: .*/appVersion: \"$version\"/" "$work/chart/rhizome/Chart.yaml"
packed() { # FOLDER NAME LEVEL OUT
    tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$2" | gzip -n "$3" >"$4"
}
packed "$work/chart" rhizome -9 "$out/$chart"

sbom=rhizome-$version.cdx.json
"$root/packaging/sbom.py" "$version" >"$out/$sbom"

mv "$tree" "$work/$name"
packed "$work" "$name" "$level" "$out/$name.tar.gz"
made=("$deb" "$dbgsym" "$name.tar.gz" "$image" "$chart" "$sbom")
(cd "$out" && sha256sum "${made[@]}" >SHA256SUMS)
say "Packages in $out:"
(cd "$out" && ls -l --block-size=K "${made[@]}" | awk '{ print "    " $9 "  " $5 }')
say "Linked dynamically: $(xargs <<<"${needed:-nothing}")"
