"""The packages: their content, the unit of systemd, completions, and the program out of them."""

import gzip
import hashlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import time

import pytest

PACKAGES = pathlib.Path(os.environ["RHIZOME_TEST_PACKAGES"])
# Points of `systemd-analyze security`, times ten: 0 is a service that can do nothing, 100 one that can do everything.
EXPOSURE_MAX = 20
NOBODY = 65534


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120, **options).stdout


@pytest.fixture(scope="module")
def deb():
    [deb] = PACKAGES.glob("rhizome_*.deb")
    return deb


@pytest.fixture(scope="module")
def tree(deb, tmp_path_factory):
    """The package's files, as they would be installed."""
    tree = tmp_path_factory.mktemp("tree")
    run("dpkg-deb", "-x", deb, tree)
    # Folders of fixtures are for their owner only; another user starts the program, too.
    for folder in [tree, *tree.parents]:
        if folder.is_relative_to("/tmp") and folder != pathlib.Path("/tmp"):
            folder.chmod(0o755)
    return tree


@pytest.fixture(scope="module")
def commands(tree):
    """The commands that the program's help lists."""
    text = run(tree / "usr/bin/rhizome", "--help")
    listed = re.search(r"Commands:\n((?:  .*\n)+)", text).group(1)
    return re.findall(r"^  ([a-z-]+) ", listed, re.M)


def test_checksums_are_those_of_the_files():
    lines = (PACKAGES / "SHA256SUMS").read_text().splitlines()
    for line in lines:
        digest, name = line.split()
        assert hashlib.sha256((PACKAGES / name).read_bytes()).hexdigest() == digest, name
    assert {line.split()[1] for line in lines} == {path.name for path in PACKAGES.iterdir()} - {"SHA256SUMS"}
    assert len(lines) == 6


def needed(program):
    return re.findall(r"NEEDED +(\S+)", run("objdump", "-p", program))


def test_the_package_says_what_it_is_and_needs(deb, tree):
    fields = dict(line.split(": ", 1) for line in run("dpkg-deb", "-f", deb).splitlines() if not line.startswith(" "))
    assert fields["Package"] == "rhizome"
    packages = {"libc.so.6": "libc6 (>= 2.", "libstdc++.so.6": "libstdc++6", "libgcc_s.so.1": "libgcc-s1"}
    libraries = needed(tree / "usr/bin/rhizome")
    for library, package in packages.items():
        assert (package in fields.get("Depends", "")) == (library in libraries), fields
    assert int(fields["Installed-Size"]) > 1000
    assert run("dpkg-deb", "--ctrl-tarfile", deb, errors="replace")


def test_files_belong_to_root_and_are_unchanged(deb, tree):
    listed = run("dpkg-deb", "-c", deb).splitlines()
    assert all(" root/root " in line for line in listed)
    sums = run("dpkg-deb", "-I", deb, "md5sums").splitlines()
    assert len(sums) == sum(1 for line in listed if line.startswith("-"))
    for line in sums:
        digest, name = line.split(maxsplit=1)
        assert hashlib.md5((tree / name).read_bytes()).hexdigest() == digest, name


def test_the_archive_has_the_same_files(tree):
    [archive] = PACKAGES.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        files = {member.name.split("/", 1)[1] for member in packed.getmembers() if member.isfile()}
    assert files == {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}


def test_the_program_has_no_symbols(tree):
    assert "no symbols" in subprocess.run(["nm", tree / "usr/bin/rhizome"], capture_output=True, text=True).stderr


def test_its_symbols_are_a_package_of_their_own(tree, tmp_path):
    [dbgsym] = PACKAGES.glob("rhizome-dbgsym_*.deb")
    run("dpkg-deb", "-x", dbgsym, tmp_path)
    build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", tree / "usr/bin/rhizome")).group(1)
    symbols = tmp_path / "usr/lib/debug/.build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    assert build_id in run("readelf", "-n", symbols)
    # Its functions, with those of our own crates among them.
    assert "rest_api" in run("readelf", "-sW", symbols)
    assert f"rhizome (= {run('dpkg-deb', '-f', dbgsym, 'Version').strip()})" == run("dpkg-deb", "-f", dbgsym, "Depends").strip()


def test_every_command_has_a_manual_page_with_its_options(tree, commands):
    pages = tree / "usr/share/man/man1"
    for command in commands:
        if command == "help":
            continue
        page = gzip.decompress((pages / f"rhizome-{command}.1.gz").read_bytes()).decode()
        text = run(tree / "usr/bin/rhizome", command, "--help")
        for option in re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.M):
            assert option.replace("-", r"\-") in page, f"{command}: --{option}"


def test_completions_offer_the_commands(tree, commands):
    script = tree / "usr/share/bash-completion/completions/rhizome"
    offer = f"source {script}; COMP_WORDS=(rhizome ''); COMP_CWORD=1; _rhizome rhizome '' rhizome; echo ${{COMPREPLY[*]}}"
    assert set(commands) <= set(run("bash", "-c", offer).split())
    for other in ["usr/share/zsh/vendor-completions/_rhizome", "usr/share/fish/vendor_completions.d/rhizome.fish"]:
        text = (tree / other).read_text()
        assert all(command in text for command in commands), other


def test_the_unit_is_valid_and_confined(tree, tmp_path):
    unit = tmp_path / "rhizome.service"
    # The other units are those of this system, where the program is not installed.
    text = (tree / "lib/systemd/system/rhizome.service").read_text()
    unit.write_text(text.replace("/usr/bin/rhizome", f"{tree}/usr/bin/rhizome"))
    said = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    assert "rhizome" not in said.stderr, said.stderr
    run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", f"--root={tree}", "rhizome.service")


def test_the_settings_file_is_kept_in_upgrades_and_starts_a_server(deb, tree):
    assert run("dpkg-deb", "-I", deb, "conffiles").split() == ["/etc/rhizome/rhizome.toml"]
    unit = (tree / "lib/systemd/system/rhizome.service").read_text()
    assert "--config /etc/rhizome/rhizome.toml" in unit


class Service:
    """The program as systemd starts it, with a socket that it tells how far it is."""

    def __init__(self, tree, folder, data, user=None):
        self.path = folder / "notify"
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.path.unlink(missing_ok=True)
        self.notify.bind(str(self.path))
        self.path.chmod(0o777)
        self.notify.settimeout(60)
        self.port = free_port()
        command = [
            tree / "usr/bin/rhizome", "serve", "--config", tree / "etc/rhizome/rhizome.toml", "--data", data,
            "--listen", f"127.0.0.1:{self.port}",
        ]
        # The ports of other protocols are those that every server would take.
        for section in re.findall(r"^\[(gremlin|bolt)\]", run(tree / "usr/bin/rhizome", "config"), re.M):
            command += ["--set", f"{section}.listen=127.0.0.1:{free_port()}"]
        environment = {**os.environ, "NOTIFY_SOCKET": str(self.path)}
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, user=user)

    def told(self):
        return self.notify.recv(4096).decode()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        told = self.told()
        output, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, output
        return told


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_it_starts_on_an_empty_and_on_an_old_volume(tree, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    for _ in range(2):
        service = Service(tree, tmp_path, data)
        assert service.told().strip() == "READY=1"
        # Ready means that it answers.
        socket.create_connection(("127.0.0.1", service.port), timeout=10).close()
        assert service.stop().startswith("STOPPING=1")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a program as another user")
def test_it_says_what_is_wrong_with_a_volume_of_another_user(tree, tmp_path):
    for folder in [tmp_path, *tmp_path.parents]:
        if folder.is_relative_to("/tmp") and folder != pathlib.Path("/tmp"):
            folder.chmod(0o755)
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    service = Service(tree, tmp_path, data, user=NOBODY)
    output, _ = service.process.communicate(timeout=60)
    assert service.process.returncode != 0
    assert str(data) in output and "ermission denied" in output, output
