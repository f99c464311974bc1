# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

"""Talks to a host, checks every answer against the specification, and makes one resource of each kind."""

import collections
import json
import time
import urllib.parse

import requests


def document(kind, attributes=None, links=None, id=None):
    data = {"type": kind}
    if id is not None:
        data["id"] = id
    if attributes is not None:
        data["attributes"] = attributes
    if links:
        data["relationships"] = {n: {"data": {"type": t, "id": i}} for n, (t, i) in links.items()}
    return {"data": data}


class Recorder:
    """What was answered, by operation, and what was wrong with it."""

    def __init__(self, specification):
        self.specification = specification
        self.statuses = collections.defaultdict(collections.Counter)
        self.findings = collections.Counter()

    def note(self, response):
        path = urllib.parse.urlsplit(response.request.url).path
        operation = self.specification.operation(response.request.method, path)
        if operation is None:
            return
        self.statuses[operation][response.status_code] += 1
        for problem in self.specification.problems(operation, response):
            self.findings[f"{operation}: {problem}"] += 1
            if self.findings[f"{operation}: {problem}"] == 1:
                print(f"  finding: {operation} ({response.request.url}): {problem}", flush=True)

    def expect(self, holds, text):
        if not holds:
            self.findings[text] += 1
            print(f"  finding: {text}", flush=True)


class Publisher:
    def __init__(self, service, key, recorder):
        self.service = service
        self.key = key
        self.recorder = recorder
        self.session = requests.Session()

    def send(self, method, target, body=None, token=None, headers=None):
        """One exchange.

        - body: a document, or bytes.
        - token: "" sends none.
        """
        url = target if target.startswith("http") else self.service.url + target
        fields = dict(headers or {})
        if token != "":
            fields["Authorization"] = "Bearer " + (token or self.key.token())
        if body is not None:
            fields.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        response = self.session.request(method, url, data=body, headers=fields, timeout=60)
        self.recorder.note(response)
        return response

    def get(self, target):
        return self.send("GET", target)

    def create(self, kind, attributes=None, links=None):
        response = self.send("POST", f"/v1/{kind}", document(kind, attributes, links))
        if response.status_code != 201:
            raise SystemExit(f"POST /v1/{kind} is answered with {response.status_code}: {response.text}")
        return response.json()["data"]

    def change(self, kind, id, **attributes):
        response = self.send("PATCH", f"/v1/{kind}/{id}", document(kind, attributes, id=id))
        if response.status_code != 200:
            raise SystemExit(f"PATCH /v1/{kind}/{id} is answered with {response.status_code}: {response.text}")
        return response.json()["data"]

    def settled(self, kind, id, state):
        """Asks until the host has done its work."""
        while True:
            data = self.get(f"/v1/{kind}/{id}").json()["data"]
            if state(data) not in ("PROCESSING", "PENDING"):
                return data
            time.sleep(0.02)

    # What there is

    def upload(self, kind, archive, name, links):
        file = self.create(kind, {"assetType": "ASSET", "fileName": name, "fileSize": len(archive)}
                           | ({"uti": "com.apple.archive"} if kind == "buildUploadFiles" else {}), links)
        for operation in file["attributes"]["uploadOperations"]:
            start = operation["offset"]
            part = archive[start:start + operation["length"]]
            answer = requests.request(operation["method"], operation["url"], data=part, timeout=60)
            answer.raise_for_status()
        return self.change(kind, file["id"], uploaded=True)

    def version(self, pack, archive):
        version = self.create("backgroundAssetVersions", links={"backgroundAsset": ("backgroundAssets", pack)})["id"]
        self.upload("backgroundAssetUploadFiles", archive, "Pack.aar",
                    {"backgroundAssetVersion": ("backgroundAssetVersions", version)})
        return self.settled("backgroundAssetVersions", version, lambda d: d["attributes"]["state"])

    def build(self, app, bundle_id, version, platform="LINUX"):
        upload = self.create("buildUploads", {"cfBundleShortVersionString": version, "cfBundleVersion": version,
                                              "platform": platform}, {"app": ("apps", app)})["id"]
        self.upload("buildUploadFiles", self.service.build(bundle_id, version), "Coast.aar",
                    {"buildUpload": ("buildUploads", upload)})
        data = self.settled("buildUploads", upload, lambda d: d["attributes"]["state"]["state"])
        return data["relationships"]["build"]["data"]["id"]

    def submit(self, app, platform, *subjects):
        """A review submission with these items: relationships by name."""
        submission = self.create("reviewSubmissions", {"platform": platform}, {"app": ("apps", app)})["id"]
        items = [
            self.create("reviewSubmissionItems",
                        links={"reviewSubmission": ("reviewSubmissions", submission), **subject})["id"]
            for subject in subjects
        ]
        self.change("reviewSubmissions", submission, submitted=True)
        return submission, items
