#!/usr/bin/env bash
# Opens what the load tester writes in the programs it is written for: report.html in Chromium, samples.jtl in JMeter.
# Both made-up results with hostile texts and those of a short real test are opened.
#
# RHIZOME_TEST_REPORTS=DIR tests results that exist already (folders one, published, two and real) and builds nothing.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$root/scripts/setup.sh" java python browser
reports=${RHIZOME_TEST_REPORTS:-}
if [[ -z $reports ]]; then
    "$root/scripts/build.sh"
    reports=$(mktemp -d)
    trap 'rm -rf "$reports"' EXIT
    cd "$root"
    if [[ -n ${SAMPLE_REPORT_BIN:-} ]]; then
        "$SAMPLE_REPORT_BIN" "$reports"
    else
        cargo run --quiet -p load-test --example sample_report -- "$reports"
    fi
    # Fewer requests than a row keeps samples of: counts must be the same in both programs.
    "$rhizome_bin" bench run --scenario single-vertex,vertex-by-id,mixed --engine memory --driver closed --concurrency 2,8 \
        --requests 90000 --warm-up 200ms --duration 1s --vertices 1000 --edges 1000 --out "$reports/real" >"$reports/real.log"
fi
cd "$root/tests/report"
RHIZOME_TEST_REPORTS=$reports PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" -m pytest -p no:cacheprovider -q . </dev/null
