#!/usr/bin/env python3
"""Writes a container image FROM scratch as an OCI layout in a tar file, without a container engine.

    packaging/oci_image.py PROGRAM OUT.tar --version VERSION [--ca FILE]

In the image are the program, the shared libraries it needs (none where it is linked statically), the certificates of CAs,
and nothing else: no shell, no package manager. `skopeo copy oci-archive:OUT.tar docker://..`, `podman load -i OUT.tar` and
`docker load -i OUT.tar` take it. The same input gives the same bytes (SOURCE_DATE_EPOCH).

The format: https://github.com/opencontainers/image-spec
"""

import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import re
import subprocess
import tarfile

USER = 65532
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
ENVIRONMENT = {
    "PATH": "/",
    "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
    "RHIZOME__STORAGE__DATA_DIR": "/data",
    "RHIZOME__SERVER__LISTEN": "0.0.0.0:8080",
    "RHIZOME__GREMLIN__LISTEN": "0.0.0.0:8182",
    "RHIZOME__BOLT__LISTEN": "0.0.0.0:7687",
    # Who can reach the port has to log in; the first password of `admin` is RHIZOME_ADMIN_PASSWORD(_FILE), or in
    # /data/admin-password.
    "RHIZOME__AUTH__ENABLED": "true",
}
NANOSECONDS = 1_000_000_000


def libraries(program):
    """The shared libraries of a program, by the paths at which its loader looks for them."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True)
    if listed.returncode != 0:
        # "not a dynamic executable", or "statically linked".
        return []
    found = re.findall(r"(?:=> )?(/\S+) \(0x", listed.stdout)
    missing = re.findall(r"(\S+) => not found", listed.stdout)
    if missing:
        raise SystemExit(f"error: {program} needs libraries that are not here: {', '.join(missing)}")
    return found


class Layer:
    """The files of an image, in one layer."""

    def __init__(self, epoch):
        self.epoch = epoch
        self.bytes = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.bytes, mode="w", format=tarfile.PAX_FORMAT)
        self.folders = set()

    def _entry(self, path, mode, owner):
        entry = tarfile.TarInfo(path.strip("/"))
        entry.mode, entry.uid, entry.gid, entry.mtime = mode, owner, owner, self.epoch
        return entry

    def folder(self, path, mode=0o755, owner=0):
        parent = os.path.dirname(path.rstrip("/"))
        if parent not in ("", "/"):
            self.folder(parent)
        if path in self.folders:
            return
        self.folders.add(path)
        entry = self._entry(path, mode, owner)
        entry.type = tarfile.DIRTYPE
        self.tar.addfile(entry)

    def file(self, path, content, mode=0o644):
        if os.path.dirname(path) != "/":
            self.folder(os.path.dirname(path))
        entry = self._entry(path, mode, 0)
        entry.size = len(content)
        self.tar.addfile(entry, io.BytesIO(content))

    def finish(self):
        self.tar.close()
        return self.bytes.getvalue()


def digest(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--ca", type=pathlib.Path, default="/etc/ssl/certs/ca-certificates.crt")
    parser.add_argument("--level", type=int, default=9, help="of compression, 1 to 9")
    arguments = parser.parse_args()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    layer = Layer(epoch)
    layer.file("/rhizome", arguments.program.read_bytes(), 0o755)
    for library in sorted(set(libraries(arguments.program))):
        layer.file(library, pathlib.Path(library).read_bytes(), 0o755)
    layer.file("/etc/passwd", f"rhizome:x:{USER}:{USER}::/data:/sbin/nologin\n".encode())
    layer.file("/etc/group", f"rhizome:x:{USER}:\n".encode())
    layer.file("/etc/nsswitch.conf", b"hosts: files dns\n")
    if arguments.ca.exists():
        layer.file("/etc/ssl/certs/ca-certificates.crt", arguments.ca.read_bytes())
    layer.folder("/data", 0o750, USER)
    layer.folder("/tmp", 0o1777)
    content = layer.finish()
    packed = gzip.compress(content, arguments.level, mtime=0)

    config = {
        "created": created,
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {"7687/tcp": {}, "8080/tcp": {}, "8182/tcp": {}},
            "Env": [f"{name}={value}" for name, value in ENVIRONMENT.items()],
            "Entrypoint": ["/rhizome"],
            "Cmd": ["serve"],
            "Volumes": {"/data": {}},
            "WorkingDir": "/data",
            "StopSignal": "SIGTERM",
            # Docker's own; other engines leave it out and have probes.
            "Healthcheck": {
                "Test": ["CMD", "/rhizome", "health"],
                "Interval": 10 * NANOSECONDS,
                "Timeout": 6 * NANOSECONDS,
                "StartPeriod": 900 * NANOSECONDS,
                "Retries": 3,
            },
            "Labels": {
                "org.opencontainers.image.title": "rhizome",
                "org.opencontainers.image.description": "Property graph database",
                "org.opencontainers.image.version": arguments.version,
                "org.opencontainers.image.licenses": "Apache-2.0",
                "org.opencontainers.image.created": created,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(content)]},
        "history": [{"created": created, "created_by": "packaging/oci_image.py"}],
    }
    blobs = {}

    def blob(content, media_type):
        blobs[digest(content)] = content
        return {"mediaType": media_type, "digest": digest(content), "size": len(content)}

    def document(value):
        return json.dumps(value, separators=(",", ":")).encode()

    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": blob(document(config), "application/vnd.oci.image.config.v1+json"),
        "layers": [blob(packed, "application/vnd.oci.image.layer.v1.tar+gzip")],
    }
    described = blob(document(manifest), "application/vnd.oci.image.manifest.v1+json")
    described["annotations"] = {"org.opencontainers.image.ref.name": arguments.version}
    described["platform"] = {"architecture": config["architecture"], "os": "linux"}
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [described],
    }
    whole = Layer(epoch)
    whole.file("/oci-layout", document({"imageLayoutVersion": "1.0.0"}))
    whole.file("/index.json", document(index))
    for name, content in sorted(blobs.items()):
        whole.file(f"/blobs/{name.replace(':', '/')}", content)
    arguments.out.write_bytes(whole.finish())


if __name__ == "__main__":
    main()
