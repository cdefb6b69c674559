"""The driver over wss://, with a password."""

from __future__ import annotations

import os
import ssl
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest
from gremlin_python.driver.client import Client

sys.path.append(str(Path(__file__).parents[2]))
import tls_server  # noqa: E402

pytestmark = pytest.mark.skipif("RHIZOME_BIN" not in os.environ, reason="the server is not one of this script")


@pytest.fixture(scope="module")
def server() -> Iterator[tls_server.Server]:
    with tls_server.server() as made:
        yield made


def ask(address: str, password: str, ca: Path | None) -> list[Any]:
    trust = ssl.create_default_context(cafile=ca)
    client = Client(address, "g", username="admin", password=password, ssl_options=trust)
    try:
        return client.submit("g.inject(1, 2, 3).sum()").all().result()
    finally:
        client.close()


def test_queries_are_encrypted(server: tls_server.Server) -> None:
    assert ask(server.gremlin, tls_server.PASSWORD, server.ca) == [6]
    # The port of the REST API serves drivers too.
    assert ask(server.url.replace("https://", "wss://") + "/gremlin", tls_server.PASSWORD, server.ca) == [6]
    with pytest.raises(Exception, match="Authentication|Unauthorized|401"):
        ask(server.gremlin, "wrong", server.ca)


def test_who_does_not_know_the_ca_does_not_connect(server: tls_server.Server) -> None:
    with pytest.raises(Exception, match="(?i)certificate"):
        ask(server.gremlin, tls_server.PASSWORD, None)
