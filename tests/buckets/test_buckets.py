"""Repositories of backups in buckets."""

import os
import pathlib
import re
import subprocess

from conftest import BIN, Bucket, content, load, s3
from cryptography.hazmat.primitives.asymmetric import rsa
from proxy import Refusing


def test_a_store_comes_back_from_a_bucket(bucket, network, data, tmp_path):
    at = ["--repository", bucket.address]
    assert "there is no repository" in bucket.refused("backup", "list", *at)
    bucket.ok("backup", "create", "--data", data, *at)
    # Only what is new is stored again.
    load(network, data, graph="second")
    second = bucket.ok("backup", "create", "--data", data, *at)
    size, new = re.search(r"made: ([\d.]+ \w+) in \d+ files, ([\d.]+ \w+) new", second).groups()
    assert size != new, second
    bucket.ok("backup", "verify", *at)
    bucket.ok("backup", "restore", *at, "--data", tmp_path / "restored")
    assert content(tmp_path / "restored") == content(data)
    bucket.ok("backup", "prune", *at, "--keep-last", "1")
    assert len(re.findall(r"^\d{8}T", bucket.ok("backup", "list", *at), re.MULTILINE)) == 1
    bucket.ok("backup", "restore", *at, "--data", tmp_path / "again")
    assert content(tmp_path / "again") == content(data)


def test_the_commands_of_the_page_work_as_printed(moto, network, tmp_path):
    """The block marked `bash`; those marked `sh` need no bucket, and are run by the tests of the program."""
    page = (pathlib.Path(__file__).parents[2] / "docs/operations/backup.md").read_text()
    (block,) = re.findall(r"^```bash\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    load(network, tmp_path / "rhizome-data")
    block = block.replace("https://minio.example.net:9000", f"http://127.0.0.1:{moto}")
    path = f"{pathlib.Path(BIN).parent}:{os.environ['PATH']}"
    environment = dict(os.environ, PATH=path, AWS_ALLOW_HTTP="true", AWS_REGION="eu-central-1")
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=tmp_path, capture_output=True, text=True,
                          env=environment, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert content(tmp_path / "restored") == content(tmp_path / "rhizome-data")


def test_a_repository_with_a_key_tells_nothing_without_it(bucket, data, tmp_path):
    at, phrase = ["--repository", bucket.address], {"RHIZOME_BACKUP_PASSPHRASE": "twelve or more characters"}
    bucket.ok("backup", "create", "--data", data, *at, variables=phrase)
    assert "encrypted" in bucket.refused("backup", "restore", *at, "--data", tmp_path / "restored")
    bucket.ok("backup", "restore", *at, "--data", tmp_path / "restored", variables=phrase)
    assert content(tmp_path / "restored") == content(data)


def test_a_killed_backup_leaves_whole_ones_only(bucket, data, tmp_path):
    with Refusing(bucket.port) as between:
        # It hangs at one of the requests with which it writes, the n-th, and is killed there.
        for nth in (1, 3, 40):
            at = ["--repository", f"{bucket.address}-{nth}"]
            between.hang_at(nth)
            running = subprocess.Popen([BIN, "backup", "create", "--data", str(data), *at],
                                       env=between.environment(bucket), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            assert between.hanging.wait(120), "it never wrote so often"
            running.kill()
            running.wait()
            between.let_go()
            if nth > 1:
                assert not re.search(r"^\d{8}T", bucket.ok("backup", "list", *at), re.MULTILINE)
            bucket.ok("backup", "create", "--data", data, *at)
            bucket.ok("backup", "verify", *at)
            bucket.ok("backup", "restore", *at, "--data", tmp_path / f"restored-{nth}")
            assert content(tmp_path / f"restored-{nth}") == content(data)


def test_requests_that_fail_now_and_then_are_sent_again(moto, data, tmp_path):
    bucket = Bucket("s3://backups/now-and-then", s3(moto), moto)
    with Refusing(moto) as between:
        between.every = 4
        environment = between.environment(bucket)
        done = subprocess.run([BIN, "backup", "create", "--data", str(data), "--repository", bucket.address],
                              env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert between.refused > 3
    bucket.ok("backup", "restore", "--repository", bucket.address, "--data", tmp_path / "restored")
    assert content(tmp_path / "restored") == content(data)


def test_what_a_provider_refuses_is_told(bucket, data, google, tmp_path):
    if bucket.address.startswith("s3://"):
        said = bucket.refused("backup", "list", "--repository", "s3://not-there/x")
        assert "not-there" in said, said
    elif bucket.address.startswith("gs://"):
        wrong = google.account(tmp_path / "account", rsa.generate_private_key(public_exponent=65537, key_size=2048))
        said = bucket.refused("backup", "create", "--data", data, "--repository", bucket.address, variables=wrong)
        assert "GOOGLE_SERVICE_ACCOUNT" in said and "PRIVATE" not in said, said
    else:
        wrong = {"AZURE_STORAGE_ACCOUNT_KEY": "bm90IHRoZSBrZXk="}
        said = bucket.refused("backup", "create", "--data", data, "--repository", bucket.address, variables=wrong)
        assert "AZURE_STORAGE_ACCOUNT_KEY" in said and "bm90" not in said, said
    said = bucket.refused("backup", "list", "--repository", "ftp://host/x")
    assert "s3://" in said, said
