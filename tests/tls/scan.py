"""Looks at the TLS of every port of a server with sslyze, and at that of REST with testssl.sh too: `scan.py`, with the
program at RHIZOME_BIN.

Fails where a version before 1.2 is spoken, a cipher suite has no forward secrecy or no authenticated encryption, a known
weakness is there, new keys can be asked for without end, the grade by SSL Labs' criteria is no A, or testssl.sh warns.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))

import grade  # noqa: E402
import tls_server  # noqa: E402
from sslyze import (  # noqa: E402
    RobotScanResultEnum,
    ScanCommand,
    ScanCommandAttemptStatusEnum,
    Scanner,
    ServerNetworkLocation,
    ServerScanRequest,
    ServerScanStatusEnum,
)

SUITES = {
    "SSL 2.0": ScanCommand.SSL_2_0_CIPHER_SUITES,
    "SSL 3.0": ScanCommand.SSL_3_0_CIPHER_SUITES,
    "TLS 1.0": ScanCommand.TLS_1_0_CIPHER_SUITES,
    "TLS 1.1": ScanCommand.TLS_1_1_CIPHER_SUITES,
    "TLS 1.2": ScanCommand.TLS_1_2_CIPHER_SUITES,
    "TLS 1.3": ScanCommand.TLS_1_3_CIPHER_SUITES,
}
WEAKNESSES = (
    ScanCommand.HEARTBLEED,
    ScanCommand.OPENSSL_CCS_INJECTION,
    ScanCommand.ROBOT,
    ScanCommand.TLS_COMPRESSION,
    ScanCommand.SESSION_RENEGOTIATION,
    ScanCommand.TLS_1_3_EARLY_DATA,
    ScanCommand.ELLIPTIC_CURVES,
    ScanCommand.CERTIFICATE_INFO,
)
# Key agreement for each connection, and encryption that is authenticated.
SECRET_LATER = ("TLS_ECDHE_RSA_", "TLS_ECDHE_ECDSA_")
AUTHENTICATED = ("_GCM_SHA256", "_GCM_SHA384", "_CHACHA20_POLY1305_SHA256")
WEAK_CURVE_BITS = 224
# What testssl.sh is to look at: versions, the certificate, forward secrecy, known weaknesses, unknown extensions.
TESTSSL = ("testssl", "--quiet", "--warnings", "off", "--color", "0", "--ip", "one", "-p", "-S", "-f", "-U", "-g")
TESTSSL_SECONDS = 900
# What it warns of that is no matter of the server: a certificate of `rhizome cert dev` names no place to ask whether it was
# taken back, and "localhost" has no record in the DNS of who may sign for it; its own OpenSSL knows no ciphers of GOST.
PASSED_OVER = {"cert_revocation", "DNS_CAArecord", "engine_problem"}


def result_of(scan: Any, command: ScanCommand) -> Any:
    attempt = getattr(scan.scan_result, command.value)
    assert attempt.status == ScanCommandAttemptStatusEnum.COMPLETED, f"{command.value}: {attempt.error_trace}"
    return attempt.result


def check(name: str, scan: Any) -> list[str]:
    """What is wrong at one port."""
    assert scan.scan_status == ServerScanStatusEnum.COMPLETED, f"{name}: {scan.connectivity_error_trace}"
    wrong = []
    for version, command in SUITES.items():
        accepted = [suite.cipher_suite for suite in result_of(scan, command).accepted_cipher_suites]
        names = [suite.name for suite in accepted]
        print(f"    {version}: {', '.join(names) or 'not spoken'}")
        is_good = version in ("TLS 1.2", "TLS 1.3")
        if bool(accepted) != is_good:
            wrong.append(f"{version} is {'spoken' if accepted else 'not spoken'}")
        for suite in accepted:
            if version == "TLS 1.2" and not suite.name.startswith(SECRET_LATER):
                wrong.append(f"{suite.name} of {version} has no forward secrecy")
            if not suite.name.endswith(AUTHENTICATED) or suite.is_anonymous or suite.key_size < 128:
                wrong.append(f"{suite.name} of {version} is weak")
    if result_of(scan, ScanCommand.HEARTBLEED).is_vulnerable_to_heartbleed:
        wrong.append("Heartbleed")
    if result_of(scan, ScanCommand.OPENSSL_CCS_INJECTION).is_vulnerable_to_ccs_injection:
        wrong.append("CCS injection")
    robot = result_of(scan, ScanCommand.ROBOT).robot_result
    if robot not in (RobotScanResultEnum.NOT_VULNERABLE_NO_ORACLE, RobotScanResultEnum.NOT_VULNERABLE_RSA_NOT_SUPPORTED):
        wrong.append(f"ROBOT: {robot}")
    if result_of(scan, ScanCommand.TLS_COMPRESSION).supports_compression:
        wrong.append("compression")
    if result_of(scan, ScanCommand.SESSION_RENEGOTIATION).is_vulnerable_to_client_renegotiation_dos:
        wrong.append("clients can ask for new keys without end")
    if result_of(scan, ScanCommand.TLS_1_3_EARLY_DATA).supports_early_data:
        wrong.append("early data, which can be sent again by others")
    curves = result_of(scan, ScanCommand.ELLIPTIC_CURVES).supported_curves or []
    wrong += [f"the curve {curve.name}" for curve in curves if "25519" not in curve.name and "448" not in curve.name
              and int("".join(filter(str.isdigit, curve.name))[:3] or 0) < WEAK_CURVE_BITS]
    return wrong


def grade_of(scan: Any) -> tuple[str, int]:
    """By SSL Labs' criteria, from what sslyze has found."""
    suites, keys = [], []
    for version, command in SUITES.items():
        for accepted in result_of(scan, command).accepted_cipher_suites:
            suite, key = accepted.cipher_suite, accepted.ephemeral_key
            is_new = version == "TLS 1.3"
            suites.append(grade.Suite(version, suite.key_size, suite.name.endswith(AUTHENTICATED),
                                      is_new or suite.name.startswith(SECRET_LATER)))
            if key:
                keys.append(grade.rsa_bits("DH" if key.type_name == "DH" else "EC", key.size))
    assert keys, "no key of a handshake was seen"
    for deployed in result_of(scan, ScanCommand.CERTIFICATE_INFO).certificate_deployments:
        key = deployed.received_certificate_chain[0].public_key()
        kind = "RSA" if "RSA" in type(key).__name__ else "EC"
        keys.append(grade.rsa_bits(kind, getattr(key, "key_size", 256)))
    renegotiation = result_of(scan, ScanCommand.SESSION_RENEGOTIATION).supports_secure_renegotiation
    broken = any((
        result_of(scan, ScanCommand.HEARTBLEED).is_vulnerable_to_heartbleed,
        result_of(scan, ScanCommand.OPENSSL_CCS_INJECTION).is_vulnerable_to_ccs_injection,
    ))
    return grade.grade(suites, min(keys), broken, renegotiation)


def by_testssl(host: str, port: int, ca: Path) -> list[str]:
    """What testssl.sh warns of."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        command = [*TESTSSL, "--add-ca", str(ca), "--jsonfile", str(found), f"https://{host}:{port}"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TESTSSL_SECONDS)
        assert found.exists(), f"testssl.sh has found nothing:\n{done.stdout}\n{done.stderr}"
        findings = json.loads(found.read_text())
    seen = {finding["id"]: finding for finding in findings}
    for needed in ("TLS1_2", "TLS1_3", "heartbleed", "ROBOT", "PFS"):
        assert needed in seen, f"testssl.sh did not look at {needed}:\n{done.stdout}"
    warnings = [finding for finding in findings if finding["severity"] not in ("OK", "INFO")]
    passed_over = [finding for finding in warnings if finding["id"].split(" ")[0] in PASSED_OVER]
    names = ", ".join(sorted(finding["id"] for finding in passed_over))
    print(f"    testssl.sh: {len(findings)} findings; passed over: {names or 'none'}")
    return [
        f"testssl.sh: {finding['id']}: {finding['finding']} ({finding['severity']})"
        for finding in warnings
        if finding not in passed_over
    ]


def main() -> int:
    grade.check()
    failed = 0
    with tls_server.server() as server:
        rest, gremlin = urlsplit(server.url), urlsplit(server.gremlin)
        bolt_host, bolt_port = server.bolt.rsplit(":", 1)
        ports = {
            "REST": (rest.hostname, rest.port),
            "Gremlin": (gremlin.hostname, gremlin.port),
            "Bolt": (bolt_host, int(bolt_port)),
        }
        commands = {*SUITES.values(), *WEAKNESSES}
        scanner = Scanner()
        scanner.queue_scans(
            ServerScanRequest(
                server_location=ServerNetworkLocation(hostname="localhost", port=port, ip_address=host),
                scan_commands=commands,
            )
            for host, port in ports.values()
        )
        names = {port: name for name, (_, port) in ports.items()}
        for scan in scanner.get_results():
            name = names[scan.server_location.port]
            print(f"{name}:")
            wrong = check(name, scan)
            letter, points = grade_of(scan)
            print(f"    grade by SSL Labs' criteria: {letter} ({points} of 100)")
            if letter != "A":
                wrong.append(f"the grade is {letter}")
            if name == "REST":
                wrong += by_testssl(*ports[name], server.ca)
            for what in wrong:
                print(f"    WRONG: {what}")
            failed += bool(wrong)
    print(f"test result: {len(ports) - failed} passed; {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
