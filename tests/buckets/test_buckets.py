"""Repositories of backups in buckets."""

import http.client
import http.server
import os
import pathlib
import re
import subprocess
import threading

from conftest import BIN, Bucket, content, load, s3


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


def test_what_a_provider_refuses_is_told(azurite, bucket, data):
    if bucket.address.startswith("s3://"):
        said = bucket.refused("backup", "list", "--repository", "s3://not-there/x")
        assert "not-there" in said, said
    else:
        wrong = {"AZURE_STORAGE_ACCOUNT_KEY": "bm90IHRoZSBrZXk="}
        said = bucket.refused("backup", "create", "--data", data, "--repository", bucket.address, variables=wrong)
        assert "AZURE_STORAGE_ACCOUNT_KEY" in said and "bm90" not in said, said
    said = bucket.refused("backup", "list", "--repository", "ftp://host/x")
    assert "s3://" in said, said


class Refusing:
    """A proxy that answers some requests with 503, or keeps one waiting."""

    def __init__(self, port):
        self.every, self.refused, self.requests, self.writes = 0, 0, 0, 0
        self.hanging, self.released, self.nth = threading.Event(), threading.Event(), 0
        self.lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                with outer.lock:
                    outer.requests += 1
                    outer.writes += self.command == "PUT"
                    hangs = self.command == "PUT" and outer.writes == outer.nth
                    refuses = outer.every and outer.requests % outer.every == 0
                    outer.refused += bool(refuses)
                if hangs:
                    outer.hanging.set()
                    outer.released.wait(120)
                    self.close_connection = True
                    return
                if refuses:
                    self.send_response(503)
                    self.send_header("content-length", "0")
                    self.end_headers()
                    return
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
                headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
                connection.request(self.command, self.path, body, headers)
                answer = connection.getresponse()
                content = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("connection", "transfer-encoding", "content-length", "server", "date"):
                        self.send_header(name, value)
                length = answer.getheader("content-length") if self.command == "HEAD" else None
                if answer.status not in (204, 304):
                    self.send_header("content-length", length or str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                connection.close()

            do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever)

    def hang_at(self, nth):
        self.hanging.clear()
        self.released.clear()
        self.nth = self.writes + nth

    def let_go(self):
        self.nth = 0
        self.released.set()

    def environment(self, bucket):
        """That of a bucket, asked by way of this."""
        own, there = str(self.server.server_address[1]), str(bucket.port)
        return dict(os.environ, **{name: value.replace(f":{there}", f":{own}")
                                   for name, value in bucket.variables.items()})

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
