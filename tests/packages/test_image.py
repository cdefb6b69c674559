"""The container image: unpacked by a tool that is not ours, and run as its configuration says, without an engine."""

import base64
import json
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import tarfile
import time
import urllib.error
import urllib.request

import pytest

PACKAGES = pathlib.Path(os.environ["RHIZOME_TEST_PACKAGES"])
IMAGE_BYTES_MAX = 60_000_000
USER = 65532
CHROOT = shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin") or "chroot"
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the root folder of a program")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def image():
    [image] = PACKAGES.glob("*.oci.tar")
    return image


@pytest.fixture
def bundle(image, tmp_path):
    """What an engine would make of the image: a root folder, and what to run in it."""
    layout = tmp_path / "layout"
    with tarfile.open(image) as packed:
        packed.extractall(layout, filter="data")
    [tag] = [m["annotations"]["org.opencontainers.image.ref.name"] for m in index_of(layout)["manifests"]]
    bundle = tmp_path / "bundle"
    subprocess.run(["umoci", "unpack", "--image", f"{layout}:{tag}", bundle], check=True, capture_output=True, timeout=120)
    # Which every engine adds: https://github.com/opencontainers/runtime-spec/blob/main/config-linux.md#default-devices
    devices = bundle / "rootfs/dev"
    devices.mkdir(exist_ok=True)
    for name, minor in ("null", 3), ("random", 8), ("urandom", 9):
        os.mknod(devices / name, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        (devices / name).chmod(0o666)
    return bundle


def index_of(layout):
    return json.loads((layout / "index.json").read_text())


class Container:
    """The program of the image, with the image as its root folder and as its user."""

    def __init__(self, bundle, **settings):
        self.root = bundle / "rootfs"
        self.process_of = json.loads((bundle / "config.json").read_text())["process"]
        self.port = free_port()
        environment = dict(line.split("=", 1) for line in self.process_of["env"])
        environment |= {
            # The addresses are those of all networks, as in the image; the ports are this test's.
            "RHIZOME__SERVER__LISTEN": f"0.0.0.0:{self.port}",
            "RHIZOME__GREMLIN__LISTEN": f"0.0.0.0:{free_port()}",
            "RHIZOME__BOLT__LISTEN": f"0.0.0.0:{free_port()}",
            "RHIZOME_ADMIN_PASSWORD": "a first password",
        } | settings
        self.environment = environment
        self.process = subprocess.Popen(
            self.command(*self.process_of["args"]), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def command(self, *arguments):
        user = self.process_of["user"]
        return [CHROOT, f"--userspec={user['uid']}:{user['gid']}", self.root, *arguments]

    def run(self, *arguments):
        return subprocess.run(self.command(*arguments), env=self.environment, capture_output=True, text=True, timeout=60)

    def wait_ready(self):
        until = time.monotonic() + 60
        url = f"http://127.0.0.1:{self.port}"
        while (said := self.run("/rhizome", "health", "--url", url)).returncode != 0:
            assert self.process.poll() is None, self.process.communicate()[0]
            assert time.monotonic() < until, said.stderr
            time.sleep(0.1)

    def status(self, path, password=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}")
        if password:
            request.add_header("Authorization", "Basic " + base64.b64encode(f"admin:{password}".encode()).decode())
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        output, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, output


def test_it_is_small_and_has_nothing_but_the_program(image, bundle):
    assert image.stat().st_size < IMAGE_BYTES_MAX
    files = [path for path in (bundle / "rootfs").rglob("*") if path.is_file() and not path.is_symlink()]
    programs = [path for path in files if os.access(path, os.X_OK) and ".so" not in path.name and "ld-linux" not in path.name]
    assert [path.name for path in programs] == ["rhizome"]
    assert not any(path.stat().st_mode & 0o7022 for path in files), "set-user-id, or writable for others"
    for path in files:
        assert path.stat().st_uid == 0, path


def test_its_configuration_says_how_to_run_it(image):
    with tarfile.open(image) as packed:
        def blob(described):
            return json.load(packed.extractfile(f"blobs/{described['digest'].replace(':', '/')}"))
        [manifest] = json.load(packed.extractfile("index.json"))["manifests"]
        config = blob(blob(manifest)["config"])["config"]
    assert config["User"] == f"{USER}:{USER}"
    assert config["Entrypoint"] == ["/rhizome"] and config["Cmd"] == ["serve"]
    assert set(config["ExposedPorts"]) == {"8080/tcp", "8182/tcp", "7687/tcp"}
    assert config["Volumes"] == {"/data": {}} and config["StopSignal"] == "SIGTERM"
    assert config["Healthcheck"]["Test"] == ["CMD", "/rhizome", "health"]


def test_it_runs_on_an_empty_and_on_an_old_volume_and_asks_for_a_login(bundle):
    for _ in range(2):
        container = Container(bundle)
        container.wait_ready()
        assert container.status("/health") == 200
        graphs = "/graphspaces/DEFAULT/graphs"
        assert container.status(graphs) == 401
        assert container.status(graphs, "a first password") == 200
        container.stop()
    owners = {path.stat().st_uid for path in (bundle / "rootfs/data").rglob("*")}
    assert owners == {USER}


def test_it_says_what_is_wrong_with_a_volume_of_another_user(bundle):
    data = bundle / "rootfs/data"
    os.chown(data, 0, 0)
    data.chmod(0o700)
    container = Container(bundle)
    output, _ = container.process.communicate(timeout=60)
    assert container.process.returncode != 0
    assert "/data" in output and "ermission denied" in output, output


def test_its_probe_fails_where_nothing_answers(bundle):
    container = Container(bundle)
    container.wait_ready()
    container.stop()
    said = container.run("/rhizome", "health", "--url", f"http://127.0.0.1:{container.port}")
    assert said.returncode == 1 and "cannot reach" in said.stderr, said
