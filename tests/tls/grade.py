"""The grade of a server's TLS by SSL Labs' criteria: letters as testssl.sh 3.2 and ssllabs.com give them.

Source: SSL Server Rating Guide, version 2009r, which is 2009q of 31 January 2020 with a rule for TLS 1.3,
https://github.com/ssllabs/research/wiki/SSL-Server-Rating-Guide.
The certificate's chain is not rated: a CA of one's own would be a T for anyone who does not know it.
"""

from __future__ import annotations

from dataclasses import dataclass

PROTOCOL_SCORES = {"SSL 2.0": 0, "SSL 3.0": 80, "TLS 1.0": 90, "TLS 1.1": 95, "TLS 1.2": 100, "TLS 1.3": 100}
LETTERS = ((80, "A"), (65, "B"), (50, "C"), (35, "D"), (20, "E"), (0, "F"))
ORDER = ["A", "A-", "B", "C", "D", "E", "F"]
# Bits of elliptic curves as those of RSA (NIST SP 800-57 part 1, table 2).
CURVE_AS_RSA = ((512, 15360), (384, 7680), (256, 3072), (224, 2048), (160, 1024))


@dataclass(frozen=True)
class Suite:
    """A cipher suite that is accepted."""

    protocol: str
    bits: int
    authenticated: bool
    forward_secret: bool


def rsa_bits(kind: str, bits: int) -> int:
    """The strength of a key as that of an RSA key; `kind`: RSA, DH, or one of elliptic curves."""
    if kind in ("RSA", "DH"):
        return bits
    # Ed25519, X25519: keys of 253 to 255 bits are counted as 256.
    return next((rsa for least, rsa in CURVE_AS_RSA if bits >= least - 4), 512)


def key_score(bits: int) -> int:
    """Of the weakest key that a connection depends on, in bits of RSA."""
    return next(score for least, score in ((4096, 100), (2048, 90), (1024, 80), (512, 40), (0, 20)) if bits >= least)


def cipher_score(bits: int) -> int:
    return 0 if bits == 0 else 20 if bits < 128 else 80 if bits < 256 else 100


def grade(suites: list[Suite], weakest_key: int, broken: bool = False, secure_renegotiation: bool = True) -> tuple[str, int]:
    """The letter and the points from 0 to 100. `weakest_key`: bits of RSA; `broken`: by a known attack on the server."""
    protocols = {PROTOCOL_SCORES[suite.protocol] for suite in suites}
    ciphers = {cipher_score(suite.bits) for suite in suites}
    both_ends = lambda scores: (min(scores) + max(scores)) / 2
    parts = (both_ends(protocols), key_score(weakest_key), both_ends(ciphers))
    points = 0 if 0 in parts else round(0.3 * parts[0] + 0.3 * parts[1] + 0.4 * parts[2])
    spoken = {suite.protocol for suite in suites}
    capped = [next(letter for least, letter in LETTERS if points >= least)]
    if "TLS 1.3" not in spoken or not secure_renegotiation:
        capped.append("A-")
    if not any(suite.forward_secret for suite in suites) or not any(suite.authenticated for suite in suites):
        capped.append("B")
    if spoken & {"TLS 1.0", "TLS 1.1"} or weakest_key < 2048:
        capped.append("B")
    if not spoken & {"TLS 1.2", "TLS 1.3"} or "SSL 3.0" in spoken:
        capped.append("C")
    if broken or "SSL 2.0" in spoken or weakest_key < 1024 or any(suite.bits < 112 for suite in suites):
        capped.append("F")
    return max(capped, key=ORDER.index), points


def check() -> None:
    """The examples of the guide: what brings a grade down does."""
    good = [Suite("TLS 1.2", 128, True, True), Suite("TLS 1.3", 256, True, True)]
    assert grade(good, rsa_bits("EC", 256)) == ("A", 93)
    assert grade(good, 2048) == ("A", 93) and grade(good, 4096) == ("A", 96)
    assert grade(good, rsa_bits("EC", 255))[0] == "A"
    assert grade(good[:1], 2048)[0] == "A-"
    assert grade([*good, Suite("TLS 1.0", 128, False, True)], 2048)[0] == "B"
    assert grade(good, 1024)[0] == "B" and grade(good, 768)[0] == "F"
    assert grade([*good, Suite("TLS 1.2", 56, False, False)], 2048)[0] == "F"
    assert grade([*good, Suite("SSL 3.0", 128, False, False)], 2048)[0] == "C"
    assert grade([Suite("TLS 1.2", 128, True, False)], 2048)[0] == "B"
    assert grade(good, 2048, broken=True)[0] == "F"
