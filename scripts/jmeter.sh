#!/usr/bin/env bash
# Has JMeter make its report from a file of samples; fetches JMeter from Maven Central the first time.
#
#   scripts/jmeter.sh JTL DIR      DIR is made; its statistics.json has JMeter's aggregate figures
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[[ $# -eq 2 ]] || die "usage: scripts/jmeter.sh JTL DIR"
jtl=$(realpath "$1")
out=$2
home=$RHIZOME_CACHE/jmeter
pom=$root/tests/report/pom.xml

# The stamp is a copy of the file that names the versions.
if ! cmp -s "$pom" "$home/pom.installed"; then
    say "JMeter: fetching into $home"
    rm -rf "$home"
    mkdir -p "$home/lib/ext" "$home/lib/junit"
    mvn -B -ntp -q -f "$pom" dependency:copy-dependencies -DoutputDirectory="$home/lib" -DincludeScope=runtime </dev/null
    (cd "$home" && jar xf "$(compgen -G "$home/lib/ApacheJMeter_config-*.jar")" bin)
    cp "$pom" "$home/pom.installed"
fi

mkdir -p "$out"
java -Djava.awt.headless=true -Djava.util.prefs.userRoot="$out/prefs" -Djmeter.home="$home" -cp "$home/lib/*" \
    org.apache.jmeter.NewDriver -d "$home" -j "$out/jmeter.log" -g "$jtl" -o "$out/report" </dev/null >"$out/output" 2>&1 || {
    cat "$out/output" >&2
    die "JMeter could not read $jtl; its words are above, and $out/jmeter.log has more."
}
# JMeter ends well even when it could not make its report.
[[ -s $out/report/statistics.json ]] || {
    tail -n 20 "$out/jmeter.log" >&2
    die "JMeter made no report from $jtl; the end of its log is above."
}
cp "$out/report/statistics.json" "$out/statistics.json"
