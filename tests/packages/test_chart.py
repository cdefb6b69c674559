"""The Helm chart: linted and rendered by Helm's own code, and checked against the schemas of Kubernetes."""

import base64
import os
import pathlib

import kubernetes_validate
import pytest
import yaml
from helm_python import chart as helm

PACKAGES = pathlib.Path(os.environ["RHIZOME_TEST_PACKAGES"])
KUBERNETES = ["1.28", "1.33"]
ALL = {
    "replicas": 3,
    "networkPolicy": {"enabled": True, "from": [{"namespaceSelector": {"matchLabels": {"team": "graphs"}}}]},
    "serviceMonitor": {"enabled": True, "credentialsSecret": "prometheus", "labels": {"release": "prometheus"}},
    "persistence": {"storageClass": "fast", "size": "5Gi"},
    "env": [{"name": "RHIZOME__TRACES__ENDPOINT", "value": "http://collector:4318"}],
    "image": {"tag": "1.2.3", "pullSecrets": [{"name": "registry"}]},
    "nodeSelector": {"disk": "ssd"},
    "podAnnotations": {"a": "b"},
    "config": "[log]\nformat = \"json\"\n[quotas]\nuser_requests_per_second = 100\n",
}
MEMORY_ONLY = {"persistence": {"enabled": False}, "existingSecret": "mine", "serviceAccount": {"create": False}}


@pytest.fixture(scope="module")
def archive():
    [archive] = PACKAGES.glob("rhizome-chart-*.tgz")
    return archive


@pytest.fixture(scope="module")
def chart(archive):
    return helm.Chart.load_archive(archive.read_bytes())


def rendered(chart, values):
    texts = chart.render(values, name="db", namespace="graphs", is_install=True)
    documents = [d for path, text in texts.items() if not path.endswith("NOTES.txt") for d in yaml.safe_load_all(text) if d]
    return {(document["kind"], document["metadata"]["name"]): document for document in documents}


def test_it_has_the_version_of_the_program(archive, chart):
    version = archive.name.removeprefix("rhizome-chart-").removesuffix(".tgz")
    assert (chart.name, chart.version, chart.metadata["appVersion"]) == ("rhizome", version, version)


@pytest.mark.parametrize("values", [{}, ALL, MEMORY_ONLY], ids=["defaults", "all", "memory"])
def test_it_lints(archive, tmp_path, values):
    helm.expand(tmp_path, archive)
    report = helm.lint(tmp_path / "rhizome", values, strict=True, namespace="graphs")
    serious = [message for message in report["messages"] if message["severity"] >= 2]
    assert not serious and not report["errors"], report


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("values", [{}, ALL, MEMORY_ONLY], ids=["defaults", "all", "memory"])
def test_what_it_renders_is_what_kubernetes_takes(chart, values, version):
    for (kind, name), document in rendered(chart, values).items():
        # Not one of Kubernetes' own.
        if kind != "ServiceMonitor":
            kubernetes_validate.validate(document, version, strict=True)


def test_the_server_has_no_rights_that_it_does_not_need(chart):
    pod = rendered(chart, {})[("StatefulSet", "db-rhizome")]["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["fsGroup"] == 65532
    assert pod["automountServiceAccountToken"] is False
    [container] = pod["containers"]
    context = container["securityContext"]
    assert context["readOnlyRootFilesystem"] and not context["allowPrivilegeEscalation"]
    assert context["capabilities"]["drop"] == ["ALL"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert container["livenessProbe"]["httpGet"]["path"] == "/health"
    assert container["resources"]["limits"]["memory"]


def test_parts_are_there_when_they_are_wanted(chart):
    kinds = {kind for kind, _ in rendered(chart, {})}
    assert kinds == {"ConfigMap", "Secret", "Service", "ServiceAccount", "StatefulSet"}
    everything = rendered(chart, ALL)
    assert {kind for kind, _ in everything} == kinds | {"NetworkPolicy", "PodDisruptionBudget", "ServiceMonitor"}
    assert everything[("ConfigMap", "db-rhizome")]["data"]["rhizome.toml"] == ALL["config"]
    claim = everything[("StatefulSet", "db-rhizome")]["spec"]["volumeClaimTemplates"][0]["spec"]
    assert claim["storageClassName"] == "fast" and claim["resources"]["requests"]["storage"] == "5Gi"
    [container] = everything[("StatefulSet", "db-rhizome")]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "rhizome:1.2.3"
    secret = rendered(chart, {})[("Secret", "db-rhizome-admin")]
    assert len(base64.b64decode(secret["data"]["admin-password"])) == 24
    assert not any(kind in ("Secret", "ServiceAccount") for kind, _ in rendered(chart, MEMORY_ONLY))


def test_a_selector_finds_one_service_to_ask_for_figures(chart):
    everything = rendered(chart, ALL)
    wanted = everything[("ServiceMonitor", "db-rhizome")]["spec"]["selector"]["matchLabels"].items()
    found = [d for (kind, _), d in everything.items() if kind == "Service" and wanted <= d["metadata"]["labels"].items()]
    assert [service["metadata"]["name"] for service in found] == ["db-rhizome"]


@pytest.mark.parametrize("values", [{"replica": 3}, {"replicas": 0}, {"service": {"ports": {"rest": 8080}, "type": "none"}}])
def test_values_that_mean_nothing_are_refused(chart, values):
    with pytest.raises(Exception, match="rhizome|schema|additional|minimum|value"):
        chart.render(values, name="db", namespace="graphs", is_install=True)
