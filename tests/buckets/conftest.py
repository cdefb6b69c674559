"""Servers with buckets, started for all tests of this folder, and data folders to back up."""

import base64
import email.utils
import hashlib
import hmac
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

import boto3
import pytest
from proxy import REGION, Google

BIN = os.environ["RHIZOME_BIN"]
# The account that Azurite has, by its documentation.
AZURITE = {
    "AZURE_STORAGE_ACCOUNT_NAME": "devstoreaccount1",
    "AZURE_STORAGE_ACCOUNT_KEY":
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
}


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def started(command, port, log):
    """A server, as soon as it accepts connections."""
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    for _ in range(1200):
        if process.poll() is not None:
            break
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.05)
    process.kill()
    log.seek(0)
    raise RuntimeError(f"{command[0]} did not start: {log.read()}")


class Bucket:
    """Where a repository can be, and what the environment says of it."""

    def __init__(self, address, variables, port):
        self.address, self.variables, self.port = address, variables, port

    def run(self, *arguments, variables=None, **options):
        environment = {**os.environ, **self.variables, **(variables or {})}
        return subprocess.run([BIN, *map(str, arguments)], env=environment, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=300, **options)

    def ok(self, *arguments, **options):
        done = self.run(*arguments, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def refused(self, *arguments, **options):
        done = self.run(*arguments, **options)
        assert done.returncode != 0, done.stdout
        return done.stderr


def s3(port):
    """Of S3's protocol, at a port of this machine."""
    return {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "backup",
            "AWS_SECRET_ACCESS_KEY": "not a secret", "AWS_REGION": REGION}


@pytest.fixture(scope="session")
def moto(tmp_path_factory):
    port, folder = free_port(), tmp_path_factory.mktemp("moto")
    program = pathlib.Path(sys.executable).parent / "moto_server"
    with (folder / "log").open("w+") as log:
        process = started([program, "-H", "127.0.0.1", "-p", str(port)], port, log)
        variables = s3(port)
        client = boto3.client("s3", endpoint_url=variables["AWS_ENDPOINT_URL"], region_name=variables["AWS_REGION"],
                              aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
                              aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"])
        where = {"LocationConstraint": variables["AWS_REGION"]}
        client.create_bucket(Bucket="backups", CreateBucketConfiguration=where)
        yield port
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def azurite(tmp_path_factory):
    port, folder = free_port(), tmp_path_factory.mktemp("azurite")
    with (folder / "log").open("w+") as log:
        process = started([os.environ["AZURITE"], "--blobHost", "127.0.0.1", "--blobPort", str(port), "--location",
                           str(folder), "--silent", "--skipApiVersionCheck"], port, log)
        make_container(port)
        yield port
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def google(moto):
    with Google(moto) as server:
        yield server


def make_container(port):
    """Creates the container, with a request signed by the account's key (Microsoft's "Shared Key")."""
    name, key = AZURITE.values()
    date = email.utils.formatdate(usegmt=True)
    signed = "\n".join(["PUT", *[""] * 11, f"x-ms-date:{date}", "x-ms-version:2021-08-06", f"/{name}/{name}/backups",
                        "restype:container"])
    mac = hmac.new(base64.b64decode(key), signed.encode(), hashlib.sha256).digest()
    address = f"http://127.0.0.1:{port}/{name}/backups?restype=container"
    headers = {"x-ms-date": date, "x-ms-version": "2021-08-06",
               "Authorization": f"SharedKey {name}:{base64.b64encode(mac).decode()}"}
    request = urllib.request.Request(address, method="PUT", headers=headers)
    urllib.request.urlopen(request, timeout=30).close()


@pytest.fixture(params=["s3", "gs", "az"])
def bucket(request, tmp_path):
    """A folder of a bucket that nobody has used before."""
    name = request.node.name.replace("[", "-").replace("]", "")
    if request.param == "s3":
        port = request.getfixturevalue("moto")
        return Bucket(f"s3://backups/{name}", s3(port), port)
    if request.param == "gs":
        server = request.getfixturevalue("google")
        return Bucket(f"gs://backups/{name}", server.account(tmp_path / "service-account"), server.port)
    port = request.getfixturevalue("azurite")
    endpoint = f"http://127.0.0.1:{port}/devstoreaccount1"
    return Bucket(f"az://backups/{name}", dict(AZURITE, AZURE_STORAGE_ENDPOINT=endpoint, AZURE_ALLOW_HTTP="true"), port)


@pytest.fixture(scope="session")
def network(tmp_path_factory):
    """A generated social network."""
    folder = tmp_path_factory.mktemp("network")
    subprocess.run([BIN, "generate", "snb", "--persons", "30", "--seed", "1", "--out", folder / "snb"], check=True,
                   stdout=subprocess.DEVNULL)
    return folder / "snb"


def load(network, data, graph="hugegraph"):
    subprocess.run([BIN, "load", "--offline", "--data", data, "--graph", graph, "--schema", network / "schema.json",
                    "--mapping", network / "mapping.json"], check=True, capture_output=True)


@pytest.fixture
def data(network, tmp_path):
    """A data folder with the network."""
    load(network, tmp_path / "data")
    return tmp_path / "data"


def content(folder):
    """What a data folder holds, as `rhizome check` tells."""
    done = subprocess.run([BIN, "check", "--indexes", "--data", folder], text=True, capture_output=True, check=True)
    return done.stdout
