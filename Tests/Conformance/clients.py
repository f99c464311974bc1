# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

"""Clients of App Store Connect that others wrote, with nothing changed but the address that they ask, read and change apps,
builds and versions of a larder-host over TLS."""

import argparse
import datetime
import ipaddress
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import seed
from publisher import Publisher
from service import Service

# Runs codemagic-cli-tools as its own program does, after its address was changed.
CODEMAGIC = """
import sys
from codemagic.apple.app_store_connect import AppStoreConnectApiClient
from codemagic.tools import AppStoreConnect
AppStoreConnectApiClient.API_URL = sys.argv.pop(1) + "/v1"
sys.argv[0] = "app-store-connect"
sys.exit(AppStoreConnect.invoke_cli())
"""

# Uses the module appstoreconnect, after its address was changed.
OLDER = """
import json, sys
from appstoreconnect import api
api.BASE_API, key, file, issuer, bundle = sys.argv[1:]
client = api.Api(key, file, issuer, submit_stats=False)
apps = list(client.list_apps(filters={"bundleId": bundle}, sort="name"))
app = client.read_app_information(apps[0].id)
builds = list(client.list_builds(filters={"app": app.id}, sort="-version"))
client.set_uses_non_encryption_exemption_setting(builds[0].id, True)
print(json.dumps({
    "apps": [a.bundleId for a in apps], "name": app.name, "builds": [b.version for b in builds],
    "states": [
        client.build_processing_state(app.id, b.version)["data"][0]["attributes"]["processingState"] for b in builds
    ],
    "ofApp": sorted(b.version for b in app.builds()), "owner": builds[0].app().bundleId,
    "versions": sorted(v.version for v in client.list_prerelease_versions(filters={"app": app.id})),
}))
try:
    client.read_app_information("1")
except api.APIError as error:
    print(json.dumps({"status": error.status_code}))
"""


def authority(folder):
    """A CA and a certificate for this machine by it; the files."""
    def certificate(name, key, issuer, signer, is_authority):
        now = datetime.datetime.now(datetime.timezone.utc)
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        builder = (
            x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False))
        if is_authority:
            usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
            builder = builder.add_extension(usage, critical=True)
        else:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, n)]) for n in ("Test authority", "localhost")]
    files = [folder / name for name in ("ca.pem", "host.pem", "host.key")]
    files[0].write_bytes(certificate(names[0], keys[0], names[0], keys[0], True))
    files[1].write_bytes(certificate(names[1], keys[1], names[0], keys[0], False))
    files[2].write_bytes(keys[1].private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return files


class Nobody:
    """Notes nothing: here the clients judge."""

    def note(self, _):
        pass

    def expect(self, holds, text):
        if not holds:
            raise SystemExit(text)


class Clients:
    def __init__(self, service, key, certificates, older):
        self.service, self.key, self.older = service, key, older
        self.environment = {
            **service.environment(), "REQUESTS_CA_BUNDLE": str(certificates), "TMPDIR": str(service.scratch),
            "HOME": str(service.scratch), "APP_STORE_CONNECT_ISSUER_ID": key.issuer,
            "APP_STORE_CONNECT_KEY_IDENTIFIER": key.id, "APP_STORE_CONNECT_PRIVATE_KEY": key.private,
        }
        self.count = 0

    def run(self, python, text, *words, fails=False):
        done = subprocess.run([str(python), "-c", text, *words], env=self.environment, cwd=self.service.scratch,
                              capture_output=True, text=True, timeout=120, check=False)
        self.count += 1
        if (done.returncode != 0) != fails:
            raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def codemagic(self, *words, fails=False):
        """What a command prints as JSON; its text when it fails, as it should."""
        output = self.run(sys.executable, CODEMAGIC, self.service.url, *words, "--disable-jwt-cache",
                          *([] if fails else ["--json"]), fails=fails)
        return None if fails else json.loads(output) if output.strip() else None


def expect(actual, expected, what):
    if actual != expected:
        raise SystemExit(f"{what} is {actual!r}, and should be {expected!r}")
    print(f"  {what}: {actual}")


def use(clients, publisher, app):
    builds = {}
    for version in ("1.9", "1.10"):
        builds[version] = publisher.build(app, seed.BUNDLE_ID, version, "IOS")
    def names(found):
        return [b["attributes"]["version"] for b in found]

    run = clients.codemagic
    apps = run("apps", "list", "--bundle-id-identifier", seed.BUNDLE_ID)
    expect([a["id"] for a in apps], [app], "apps list")
    expect(run("apps", "get", app)["attributes"]["name"], "The Coast", "apps get")
    expect(sorted(names(run("apps", "builds", app))), ["1.10", "1.9"], "apps builds")
    versions = run("apps", "pre-release-versions", app)
    expect(sorted(v["attributes"]["version"] for v in versions), ["1.10", "1.9"], "apps pre-release-versions")
    expect(run("apps", "app-store-versions", app), [], "apps app-store-versions")
    expect(names(run("builds", "list", "--app-id", app)), ["1.9", "1.10"], "builds list")
    expect(names(run("builds", "list", "--app-id", app, "--pre-release-version", "1.9")), ["1.9"], "one version's builds")
    build = builds["1.10"]
    expect(run("builds", "get", build)["attributes"]["processingState"], "VALID", "builds get")
    expect(run("builds", "app", build)["attributes"]["bundleId"], seed.BUNDLE_ID, "builds app")
    expect(run("builds", "pre-release-version", build)["attributes"]["version"], "1.10", "builds pre-release-version")
    expect(run("get-latest-testflight-build-number", app), "1.10", "get-latest-testflight-build-number")

    beta = run("beta-app-review-submissions", "create", build)
    expect(beta["attributes"]["betaReviewState"], "APPROVED", "beta-app-review-submissions create")
    expect(len(run("beta-app-review-submissions", "list", build)), 1, "beta-app-review-submissions list")

    made = run("app-store-versions", "create", build, "--version-string", "1.10", "--platform", "IOS")
    expect(made["attributes"]["appStoreState"], "PREPARE_FOR_SUBMISSION", "app-store-versions create")
    expect(run("builds", "app-store-version", build)["id"], made["id"], "builds app-store-version")
    expect(run("get-latest-app-store-build-number", app), "1.10", "get-latest-app-store-build-number")
    expect(run("get-latest-build-number", app), "1.10", "get-latest-build-number")
    submission, _ = publisher.submit(app, "IOS", {"appStoreVersion": ("appStoreVersions", made["id"])})
    expect(run("review-submissions", "get", submission)["attributes"]["state"], "COMPLETE", "review-submissions get")
    expect(run("app-store-versions", "get", made["id"])["attributes"]["appStoreState"], "READY_FOR_SALE",
           "app-store-versions get")
    run("builds", "expire", builds["1.9"])
    expect(run("builds", "get", builds["1.9"])["attributes"]["expired"], True, "builds expire")
    run("apps", "get", "1", fails=True)

    output = clients.run(clients.older / "bin/python", OLDER, clients.service.url, clients.key.id, clients.key.file,
                         clients.key.issuer, seed.BUNDLE_ID).splitlines()
    expect(json.loads(output[0]), {
        "apps": [seed.BUNDLE_ID], "name": "The Coast", "builds": ["1.10", "1.9"], "states": ["VALID", "VALID"],
        "ofApp": ["1.10", "1.9"], "owner": seed.BUNDLE_ID, "versions": ["1.10", "1.9"],
    }, "appstoreconnect")
    expect(json.loads(output[1]), {"status": 404}, "appstoreconnect with an app that is not there")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True, help="the folder of larder and larder-host")
    parser.add_argument("--older", required=True, type=pathlib.Path, help="the environment of appstoreconnect")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="larder-clients-") as scratch:
        scratch = pathlib.Path(scratch)
        ca, certificate, key = authority(scratch)
        os.environ["REQUESTS_CA_BUNDLE"] = str(ca)
        with Service(options.programs, scratch, "--certificate", certificate, "--key", key, "--auto-review") as service:
            app = service.app(seed.BUNDLE_ID, "The Coast")
            service.app("org.example.other", "Other")
            admin = service.key("admin", "ADMIN")
            clients = Clients(service, admin, ca, options.older)
            use(clients, Publisher(service, admin, Nobody()), app)
            print(f"{clients.count} runs of other people's clients")


if __name__ == "__main__":
    main()
