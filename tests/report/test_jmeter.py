"""JMeter opens our samples and finds the same figures as stand in our results."""

import json
import os
import pathlib
import subprocess

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
REPORTS = pathlib.Path(os.environ["RHIZOME_TEST_REPORTS"])
# Samples are whole milliseconds in JMeter's format.
ROUNDING_MS = 0.5


def rows(results):
    """What each label of the samples must show: count, mean in milliseconds, errors in a hundred."""
    expected = {}
    for scenario in results["scenarios"]:
        for row in scenario["rows"]:
            requests = row["requests"]
            if not requests:
                expected[f"{scenario['name']} @{row['concurrency']}"] = (
                    row["samples"], row["mean_us"] / 1000, row["error_percent"])
            for request in requests:
                share = 100 * request["errors"] / request["samples"]
                expected[f"{scenario['name']}: {request['label']} @{row['concurrency']}"] = (
                    request["samples"], request["mean_us"] / 1000, share)
    return expected


@pytest.mark.parametrize("folder", ["one", "real"])
def test_jmeter_finds_the_same_figures(folder, tmp_path):
    script = REPOSITORY / "scripts" / "jmeter.sh"
    subprocess.run([script, REPORTS / folder / "samples.jtl", tmp_path / "jmeter"], check=True)
    found = json.loads((tmp_path / "jmeter" / "statistics.json").read_text())
    expected = rows(json.loads((REPORTS / folder / "results.json").read_text()))

    assert set(found) - {"Total"} == set(expected)
    for label, (samples, mean_ms, error_percent) in expected.items():
        of_jmeter = found[label]
        assert of_jmeter["sampleCount"] == samples, label
        assert of_jmeter["meanResTime"] == pytest.approx(mean_ms, abs=ROUNDING_MS), label
        assert of_jmeter["errorPct"] == pytest.approx(error_percent, abs=0.001), label
    assert found["Total"]["sampleCount"] == sum(samples for samples, _, _ in expected.values())
