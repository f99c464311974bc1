# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

"""Holds larder-host against App Store Connect's published interface; scripts/conformance runs it."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import exchanges
import seed
from publisher import Publisher, Recorder
from service import Listener, Service
from specification import Specification

CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance",
          "response_headers_conformance", "response_schema_conformance", "unsupported_method")


def present(publisher, operation):
    """Whether the host has an operation; asked without a key it says so, and nothing else."""
    path = operation.path.replace("{id}", exchanges.ABSENT)
    response = publisher.session.request(
        operation.method, publisher.service.url + path, headers={"Authorization": "Bearer " + publisher.key.token()},
        data=b"{}" if operation.body else None, timeout=60)
    if response.status_code == 405:
        return False
    return response.status_code != 404 or response.json()["errors"][0]["code"] != "PATH_ERROR"


def report(recorder, operations, absent):
    print(f"{'operation':<84} answers  by status")
    for operation in operations:
        counts = recorder.statuses[operation]
        words = " ".join(f"{status}:{count}" for status, count in sorted(counts.items()))
        print(f"{str(operation):<84} {sum(counts.values()):>7}  {words}")
    total = sum(sum(c.values()) for c in recorder.statuses.values())
    print(f"{total} answers of {len(operations)} operations, {len(recorder.findings)} findings")
    for operation in absent:
        print(f"not here: {operation}")


def made_up(specification, operations, publisher, known, hook, options):
    """Has schemathesis make up requests, and gives its status."""
    scratch = publisher.service.scratch
    file = scratch / "narrowed.json"
    file.write_text(json.dumps(specification.narrowed(operations, known, hook)))
    program = pathlib.Path(sys.executable).parent / "schemathesis"
    words = [
        str(program), "run", str(file), "--url", publisher.service.url,
        "--checks", ",".join(CHECKS), "--max-time", str(options.seconds), "--seed", str(options.seed),
        "--header", "Authorization:Bearer " + publisher.key.token(), "--no-color", "--generation-database", "none",
        "--suppress-health-check", "all", "--continue-on-failure", "--warnings", "off", "--output-sanitize", "false",
        "--request-timeout", "30", "--phases", "examples,coverage,fuzzing", "--no-shrink",
    ]
    return subprocess.run(words, cwd=scratch, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specification")
    parser.add_argument("--programs", required=True, help="the folder of larder and larder-host")
    parser.add_argument("--seconds", type=int, default=60, help="for made-up requests; 0 for none")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    specification = Specification(options.specification)
    recorder = Recorder(specification)
    with tempfile.TemporaryDirectory(prefix="larder-conformance-") as scratch, \
            Service(options.programs, scratch, "--private-webhooks") as service:
        hook = Listener().url
        app = service.app(seed.BUNDLE_ID, "The Coast")
        service.app("org.example.other", "Other")
        publisher = Publisher(service, service.key("admin", "ADMIN"), recorder)
        reviewer = Publisher(service, service.key("reviewer", "REVIEWER"), recorder)
        strangers = {
            "other app": Publisher(service, service.key("other", "ADMIN", "org.example.other"), recorder),
            "reader": reviewer,
        }
        operations = [o for o in specification.operations if present(publisher, o)]
        absent = [o for o in specification.operations if o not in operations]
        known = seed.fill(publisher, reviewer, app, hook)
        exchanges.Prober(publisher, strangers, known).run(operations)
        report(recorder, operations, absent)
        failed = bool(recorder.findings)
        if options.seconds:
            print(f"requests that schemathesis makes up, for {options.seconds} s, seed {options.seed}", flush=True)
            failed |= made_up(specification, operations, publisher, known, hook, options) != 0
    if failed:
        raise SystemExit("larder-host does not keep to the interface; see above")


if __name__ == "__main__":
    main()
