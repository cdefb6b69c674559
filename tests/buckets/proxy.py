"""Proxies between the program and a server with buckets: one that refuses, and one that speaks as Google's does."""

import base64
import http.client
import http.server
import json
import os
import threading

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

# Where the buckets are.
REGION = "eu-central-1"


class Proxy:
    """Hands requests on to a port of this machine, while it is entered."""

    def __init__(self, port):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                status = outer.refusal(self)
                if status is None:
                    self.close_connection = True
                    return
                if status != 0:
                    self.send_response(status)
                    self.send_header("content-length", "0")
                    self.end_headers()
                    return
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
                headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
                connection.request(self.command, self.path, body, outer.asked(headers))
                answer = connection.getresponse()
                content = answer.read()
                self.send_response(answer.status)
                for name, value in outer.answered(answer.getheaders()):
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
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever)

    def refusal(self, _request):
        """0 to hand a request on, the status to answer it with instead, or None to close the connection."""
        return 0

    def asked(self, headers):
        return headers

    def answered(self, headers):
        return headers

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class Refusing(Proxy):
    """Answers some requests with 503, or keeps one waiting."""

    def __init__(self, port):
        super().__init__(port)
        self.behind = port
        self.every, self.refused, self.requests, self.writes = 0, 0, 0, 0
        self.hanging, self.released, self.nth = threading.Event(), threading.Event(), 0
        self.lock = threading.Lock()

    def refusal(self, request):
        with self.lock:
            self.requests += 1
            self.writes += request.command == "PUT"
            hangs = request.command == "PUT" and self.writes == self.nth
            refuses = self.every and self.requests % self.every == 0
            self.refused += bool(refuses)
        if hangs:
            self.hanging.set()
            self.released.wait(120)
            return None
        return 503 if refuses else 0

    def hang_at(self, nth):
        self.hanging.clear()
        self.released.clear()
        self.nth = self.writes + nth

    def let_go(self):
        self.nth = 0
        self.released.set()

    def environment(self, bucket):
        """That of a bucket, asked by way of this."""
        return dict(os.environ, **{name: value.replace(f":{self.behind}", f":{self.port}")
                                   for name, value in bucket.variables.items()})

    def __exit__(self, *_):
        self.released.set()
        super().__exit__()


class Google(Proxy):
    """Google's XML interface over a server of S3's protocol, which has the same requests and bodies, but for what Google
    names otherwise (https://cloud.google.com/storage/docs/xml-api/reference-headers) and for who asks: a service account
    that signs its own tokens (https://google.aip.dev/auth/4111)."""

    EMAIL = "backup@project.iam.gserviceaccount.com"
    SCOPE = "https://www.googleapis.com/auth/cloud-platform"

    def __init__(self, port):
        super().__init__(port)
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def refusal(self, request):
        kind, _, token = (request.headers.get("authorization") or "").partition(" ")
        return 0 if kind == "Bearer" and self.is_ours(token) else 401

    def is_ours(self, token):
        try:
            signed, _, signature = token.rpartition(".")
            self.key.public_key().verify(decoded(signature), signed.encode(), padding.PKCS1v15(), hashes.SHA256())
            claims = json.loads(decoded(signed.split(".")[1]))
        except (InvalidSignature, ValueError, IndexError):
            return False
        return (claims["iss"], claims["scope"]) == (self.EMAIL, self.SCOPE) and claims["exp"] > claims["iat"]

    def asked(self, headers):
        headers = {name.lower(): value for name, value in headers.items()}
        # moto checks no signature, but shows objects to nobody without one.
        headers["authorization"] = (f"AWS4-HMAC-SHA256 Credential=backup/20260101/{REGION}/s3/aws4_request, "
                                    "SignedHeaders=host, Signature=0")
        if headers.pop("x-goog-if-generation-match", None) == "0":
            headers["if-none-match"] = "*"
        return headers

    def answered(self, headers):
        return [(name, value) for name, value in headers if not name.lower().startswith("x-amz")] + [
            ("x-goog-generation", "1")]

    def account(self, file, key=None):
        """Writes the file of the service account, as Google hands it out."""
        key = (key or self.key).private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                              serialization.NoEncryption())
        file.write_text(json.dumps({"type": "service_account", "private_key_id": "1", "private_key": key.decode(),
                                    "client_email": self.EMAIL, "client_id": "1"}))
        return {"GOOGLE_SERVICE_ACCOUNT": str(file), "GOOGLE_BASE_URL": f"http://127.0.0.1:{self.port}",
                "GOOGLE_ALLOW_HTTP": "true"}


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
