"""The driver over bolt+s:// and neo4j+s://, with a password and with a certificate."""

import os
import sys
from pathlib import Path

import neo4j
import pytest
from neo4j.auth_management import ClientCertificate
from neo4j.exceptions import AuthError, ServiceUnavailable

sys.path.append(str(Path(__file__).parents[2]))
import tls_server  # noqa: E402

pytestmark = pytest.mark.skipif("RHIZOME_BIN" not in os.environ, reason="the server is not one of this script")


@pytest.fixture(scope="module")
def server():
    with tls_server.server() as made:
        made.post("/graphs/secret", {"schema.mode": "auto"})
        made.post("/auth/users", {"user_name": "alice", "user_password": "a long password"})
        yield made


@pytest.fixture
def trusted(server, monkeypatch):
    """Has the driver trust the CA, as a system does that knows it."""
    monkeypatch.setenv("SSL_CERT_FILE", str(server.ca))


@pytest.mark.parametrize("scheme", ["bolt+s", "neo4j+s"])
@pytest.mark.usefixtures("trusted")
def test_queries_are_encrypted(server, scheme):
    admin = ("admin", tls_server.PASSWORD)
    with neo4j.GraphDatabase.driver(f"{scheme}://{server.bolt}", auth=admin) as driver:
        # The server is shared by both schemes.
        create = "UNWIND range(1, 5000) AS n CREATE (:N {n: n, text: 'some text', scheme: $scheme})"
        driver.execute_query(create, scheme=scheme, database_="secret")
        read = "MATCH (n:N) WHERE n.scheme = $scheme RETURN n.n AS n, n.text AS text"
        records = driver.execute_query(read, scheme=scheme, database_="secret").records
    assert sorted(record["n"] for record in records) == list(range(1, 5001))


def test_a_ca_in_the_settings_of_the_driver(server):
    trust = {"encrypted": True, "trusted_certificates": neo4j.TrustCustomCAs(str(server.ca))}
    with neo4j.GraphDatabase.driver(f"bolt://{server.bolt}", auth=("alice", "a long password"), **trust) as driver:
        driver.verify_connectivity()
    with neo4j.GraphDatabase.driver(f"bolt://{server.bolt}", auth=("alice", "wrong"), **trust) as driver:
        with pytest.raises(AuthError):
            driver.verify_connectivity()


def test_who_does_not_know_the_ca_does_not_connect(server):
    with neo4j.GraphDatabase.driver(f"bolt+s://{server.bolt}", auth=("admin", tls_server.PASSWORD)) as driver:
        with pytest.raises(ServiceUnavailable):
            driver.verify_connectivity()


def test_plain_text_is_not_answered(server):
    with neo4j.GraphDatabase.driver(f"bolt://{server.bolt}", auth=("admin", tls_server.PASSWORD)) as driver:
        with pytest.raises(ServiceUnavailable):
            driver.verify_connectivity()


@pytest.mark.usefixtures("trusted")
def test_a_certificate_names_the_user(server):
    files = [server.certificates / f"client-alice{end}.pem" for end in ("", "-key")]
    certificate = ClientCertificate(*map(str, files))
    with neo4j.GraphDatabase.driver(f"bolt+s://{server.bolt}", client_certificate=certificate) as driver:
        driver.verify_connectivity()
    with neo4j.GraphDatabase.driver(f"bolt+s://{server.bolt}") as driver, pytest.raises(AuthError):
        driver.verify_connectivity()
