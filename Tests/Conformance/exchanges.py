# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

"""Requests to every operation of the specification that the host has: with each argument that it may have, and with
everything that is wrong."""

import copy
import urllib.parse

from publisher import document

ABSENT = "00000000-0000-4000-8000-000000000000"

# Types of the host that come with others only, or are made in ways of Larder's own.
FURTHER_TYPES = ("actors", "appStoreVersions", "buildUploads", "preReleaseVersions", "webhookEvents")


class Prober:
    def __init__(self, publisher, strangers, known):
        self.publisher = publisher
        self.recorder = publisher.recorder
        self.strangers = strangers
        self.known = known
        self.own = {*known, *FURTHER_TYPES}

    def path(self, operation, id=None):
        kind = operation.path.split("/")[2]
        id = id or next(iter(self.known.get(kind, [])), ABSENT)
        return operation.path.replace("{id}", urllib.parse.quote(id, safe=""))

    def answers(self, operation, query, status):
        response = self.publisher.get(self.path(operation) + "?" + urllib.parse.urlencode(query))
        self.recorder.expect(
            response.status_code == status,
            f"{operation} with {query} is answered with {response.status_code}, not {status}: {response.text[:200]}")
        return response

    # Reading

    def read(self, operation):
        # filter[app] and filter[build] name one of those that there are.
        needed = [(p["name"], self.known[p["name"][7:-1] + "s"][0]) for p in operation.parameters if p.get("required")]
        for id in self.known.get(operation.path.split("/")[2], []) if "{id}" in operation.path else [None]:
            response = self.publisher.get(self.path(operation, id) + "?" + urllib.parse.urlencode(needed))
            self.recorder.expect(response.status_code == 200, f"{response.url} is answered with {response.status_code}")
        names = {p["name"] for p in operation.parameters}
        for parameter in operation.parameters:
            self.argue(operation, needed, parameter)
        self.answers(operation, [*needed, ("nonsense", "1")], 400)
        self.answers(operation, [*needed, ("filter[nonsense]", "1")], 400)
        if "limit" in names:
            self.pages(operation, needed)
        if needed:
            self.answers(operation, [], 400)

    def argue(self, operation, needed, parameter):
        """One argument, with good values and with bad ones."""
        name, schema = parameter["name"], parameter["schema"]
        needed = [(n, v) for n, v in needed if n != name]
        words = schema.get("items", schema).get("enum")
        if schema["type"] == "integer":
            good, bad = [1, schema["maximum"]], [0, -1, schema["maximum"] + 1, "x", "", "1.0"]
        elif words:
            good, bad = [*words, ",".join(words[:3])], ["NONSENSE", words[0].lower() + "x"]
            if name.startswith("fields["):
                good = [words[0], ",".join(words), ""]
                # Fields of what is never here are not looked at.
                bad = bad if name[7:-1] in self.own else []
            if name == "sort":
                joined = [f"{a},{b}" for a in words for b in words]
                good, bad = [*words, ",".join(words), *joined], ["nonsense", "-", "--" + words[0], f"{words[0]},nonsense"]
        elif schema["type"] == "boolean":
            good, bad = ["true", "false"], ["", "yes"]
        else:
            good, bad = ["x", "x,y", "Ünï\"code'%\\"], [""]
            if name.startswith("filter[createdDate"):
                good, bad = ["2026-01-02T03:04:05Z"], ["yesterday"]
            if name in ("filter[archived]", "filter[expired]", "filter[usesNonExemptEncryption]"):
                good = ["true", "false", "true,false"]
        for value in good:
            query = [*needed, (name, value)]
            response = self.publisher.get(self.path(operation) + "?" + urllib.parse.urlencode(query))
            self.recorder.expect(
                response.status_code == 200,
                f"{operation} with {query} is answered with {response.status_code}: {response.text[:300]}")
        for value in bad:
            self.answers(operation, [*needed, (name, value)], 400)
        if good:
            self.answers(operation, [*needed, (name, good[0]), (name, good[0])], 400)

    def pages(self, operation, needed):
        """One resource at a time gives the same as all at once."""
        whole = self.answers(operation, [*needed, ("limit", 200)], 200).json()
        found, response = [], self.answers(operation, [*needed, ("limit", 1)], 200).json()
        while True:
            found += [d["id"] for d in response["data"]]
            following = response["links"].get("next")
            if not following:
                break
            response = self.publisher.get(following).json()
        self.recorder.expect(
            found == [d["id"] for d in whole["data"]] and len(found) == whole["meta"]["paging"]["total"],
            f"{operation}: pages of one resource are not the whole list")
        self.answers(operation, [*needed, ("cursor", "bm9uc2Vuc2U")], 400)

    # Who asks

    def strangers_ask(self, operation):
        body = document("apps") if operation.body else None
        for token in ("", "nonsense", self.publisher.key.token(aud="somebody-else"),
                      self.publisher.key.token(lifetime=-120)):
            response = self.publisher.send(operation.method, self.path(operation), body, token=token)
            self.recorder.expect(response.status_code == 401, f"{operation} without a key: {response.status_code}")
        if operation.method == "GET":
            if "{id}" in operation.path:
                response = self.strangers["other app"].get(self.path(operation))
                self.recorder.expect(response.status_code == 404, f"{operation} of another app: {response.status_code}")
        else:
            response = self.strangers["reader"].send(operation.method, self.path(operation), body)
            self.recorder.expect(response.status_code == 403, f"{operation} as a reader: {response.status_code}")

    def absent(self, operation):
        if "{id}" not in operation.path:
            return
        kind = operation.path.split("/")[2]
        for id in (ABSENT, "x", "a b", "ü", "%00", "'\"", "a" * 3000):
            body = document(kind, {}, id=id) if operation.body else None
            response = self.publisher.send(operation.method, self.path(operation, id), body)
            self.recorder.expect(response.status_code == 404, f"{operation} of {id[:40]!r}: {response.status_code}")

    # Writing

    def write(self, operation):
        for body in (b"", b"{", b"[]", b"null", b"7", b'"x"', b"\xff\xfe", b'{"data": null}', b'{"data": []}',
                     b'{"data": {}}', b"[" * 3000):
            response = self.publisher.send(operation.method, self.path(operation), body)
            self.recorder.expect(
                response.status_code in (400, 409, 422), f"{operation} with {body[:20]}: {response.status_code}")
        good = self.example(operation.body)
        if operation.method == "PATCH":
            good["data"]["id"] = self.known[operation.path.split("/")[2]][0]
        for place, wrong in self.spoiled(good):
            response = self.publisher.send(operation.method, self.path(operation), wrong)
            self.recorder.expect(
                response.status_code in (400, 409, 422), f"{operation} with {place}: {response.status_code}")

    def example(self, schema, name=""):
        """A body with everything in it; the resources that it names are not there."""
        schema = self.publisher.recorder.specification.resolve(schema)
        if "properties" in schema:
            return {n: self.example(s, n) for n, s in schema["properties"].items()}
        if schema.get("type") == "array":
            return [self.example(schema["items"])]
        if "enum" in schema:
            return schema["enum"][0]
        return {"boolean": True, "integer": schema.get("minimum", 1)}.get(schema.get("type"), ABSENT)

    def spoiled(self, good):
        """Copies of a body in each of which one thing is wrong, with its place."""
        def places(value, path=()):
            for key, inner in value.items():
                yield (*path, key)
                if isinstance(inner, dict):
                    yield from places(inner, (*path, key))
        for path in places(good):
            for wrong in ([], {"x": 1}, "\0nonsense", -1.5):
                body = copy.deepcopy(good)
                holder = body
                for key in path[:-1]:
                    holder = holder[key]
                holder[path[-1]] = wrong
                yield f"{'/'.join(path)} as {wrong!r}", body
        for part in ("attributes", "relationships"):
            body = copy.deepcopy(good)
            body["data"].setdefault(part, {})["nonsense"] = "x" if part == "attributes" else {"data": None}
            yield f"an unknown name in {part}", body

    # What is left to do: requests that are right

    def change(self):
        change, known = self.publisher.change, self.known
        change("apps", known["apps"][0], primaryLocale="de-DE", accessibilityUrl="https://example.org/a",
               contentRightsDeclaration="USES_THIRD_PARTY_CONTENT")
        change("builds", known["builds"][0], expired=True, usesNonExemptEncryption=True)
        change("webhooks", known["webhooks"][0], name="other", enabled=False)
        rejected = known["reviewSubmissionItems"][1]
        change("reviewSubmissionItems", rejected, resolved=True)
        response = self.publisher.send("DELETE", f"/v1/reviewSubmissionItems/{rejected}")
        self.recorder.expect(response.status_code == 403, f"an item in review is deleted: {response.status_code}")
        waiting = known["backgroundAssetUploadFiles"][-1]
        response = self.publisher.send(
            "PATCH", f"/v1/backgroundAssetUploadFiles/{waiting}",
            document("backgroundAssetUploadFiles", {"uploaded": True}, id=waiting))
        self.recorder.expect(response.status_code == 409, f"an upload without parts ends: {response.status_code}")

    def run(self, operations):
        for operation in operations:
            self.strangers_ask(operation)
            self.absent(operation)
            if operation.method == "GET":
                self.read(operation)
            elif operation.body:
                self.write(operation)
        self.change()
