# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

"""A larder-host of its own in a scratch folder, keys for it, and files to upload to it."""

import http.server
import json
import os
import pathlib
import plistlib
import subprocess
import threading
import time

import jwt


class Key:
    """A key of the host, and the tokens that it signs."""

    def __init__(self, description):
        self.id = description["id"]
        self.issuer = description["issuer"]
        self.file = description["file"]
        self.private = pathlib.Path(self.file).read_text()

    def token(self, lifetime=1200, **changes):
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": "appstoreconnect-v1", "iat": now, "exp": now + lifetime, **changes}
        return jwt.encode(claims, self.private, algorithm="ES256", headers={"kid": self.id})


class Listener:
    """Where webhooks are sent: hears everything, and answers with 204."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Service:
    """larder-host, from its start to its end."""

    def __init__(self, programs, scratch, *options):
        self.programs = pathlib.Path(programs)
        self.scratch = pathlib.Path(scratch)
        self.data = self.scratch / "data"
        self.log = open(self.scratch / "host.log", "ab")
        self.options = options
        self.process = None
        self.url = None

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.programs / "larder-host", "serve", "--data", self.data, "--port", "0", "--json", *self.options],
            stdout=subprocess.PIPE, stderr=self.log, env=self.environment())
        self.url = json.loads(self.process.stdout.readline())["url"]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        if self.process.wait(timeout=60) != 0:
            raise SystemExit(f"larder-host ended with {self.process.returncode}; see {self.scratch}/host.log")

    def environment(self):
        return {**os.environ, "LARDER_HOME": str(self.scratch / "home"), "NO_COLOR": "1"}

    def run(self, program, *words):
        """Runs a program of the package, and gives what it prints."""
        done = subprocess.run(
            [self.programs / program, *words], capture_output=True, text=True, env=self.environment(),
            cwd=self.scratch)
        if done.returncode != 0:
            raise SystemExit(f"{program} {words[0]} failed:\n{done.stderr}")
        return done.stdout

    def administer(self, *words):
        return json.loads(self.run("larder-host", *words, "--data", str(self.data), "--json"))

    def app(self, bundle_id, name):
        return self.administer("app", "create", bundle_id, "--name", name)["id"]

    def key(self, name, role, app=None):
        file = self.scratch / f"{name}.p8"
        words = ["--app", app] if app else []
        return Key(self.administer("keys", "create", name, "--role", role, "--out", str(file), *words))

    # What is uploaded

    def pack(self, identifier, content, platforms=()):
        """The archive of a pack with one file."""
        folder = self.scratch / f"pack-{identifier}-{time.monotonic_ns()}"
        folder.mkdir()
        (folder / "data.bin").write_bytes(content)
        manifest = {
            "assetPackID": identifier, "downloadPolicy": {"onDemand": {}}, "fileSelectors": [{"file": "data.bin"}],
            "platforms": list(platforms), "sourceRoot": ".", "language": "en",
        }
        (folder / "manifest.json").write_text(json.dumps(manifest))
        archive = folder / f"{identifier}.aar"
        self.run("larder", "package", str(folder / "manifest.json"), "-o", str(archive), "-q")
        return archive.read_bytes()

    def build(self, bundle_id, version):
        """The archive of an app."""
        folder = self.scratch / f"app-{time.monotonic_ns()}"
        bundle = folder / "Coast.app"
        bundle.mkdir(parents=True)
        program = bundle / "Coast"
        program.write_text("#!/bin/sh\nexit 0\n")
        program.chmod(0o755)
        (bundle / "Info.plist").write_bytes(plistlib.dumps({
            "CFBundleIdentifier": bundle_id, "CFBundleExecutable": "Coast", "CFBundleDisplayName": "The Coast",
            "CFBundleShortVersionString": version, "CFBundleVersion": version,
        }))
        archive = folder / "Coast.aar"
        self.run("larder", "archive", str(bundle), "-o", str(archive), "-q")
        return archive.read_bytes()
