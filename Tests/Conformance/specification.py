# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

"""The published interface, as its OpenAPI file says it, and what an answer must be to keep to it."""

import copy
import json
import re

from openapi_schema_validator import OAS30Validator, oas30_format_checker

# What an answer may be although the file does not say so for its operation. Everything else is a finding.
FURTHER_STATUSES = {
    405: "the path has no such method; App Store Connect's file names only the methods that there are",
    413: "the body is longer than `document-size`; the file has no limit, and no operation of it needs as much",
}

# The one word that Larder adds to the interface: the system that it installs apps on.
FURTHER_PLATFORMS = ["LINUX"]

def mended(value):
    """Without what is no OpenAPI: a format that is null."""
    if isinstance(value, dict):
        return {k: mended(v) for k, v in value.items() if not (k == "format" and v is None)}
    return [mended(v) for v in value] if isinstance(value, list) else value


METHODS = ("get", "post", "patch", "delete")


class Operation:
    def __init__(self, method, path, description, shared):
        self.method = method.upper()
        self.path = path
        self.description = description
        self.parameters = [p for p in shared + description.get("parameters", []) if p["in"] == "query"]
        self.pattern = re.compile("^" + re.sub(r"\{[^}]+\}", "[^/]+", path) + "$")

    def __str__(self):
        return f"{self.method} {self.path}"

    @property
    def body(self):
        content = self.description.get("requestBody", {}).get("content", {})
        return content.get("application/json", {}).get("schema")


class Specification:
    def __init__(self, file):
        with open(file, encoding="utf-8") as source:
            self.document = mended(json.load(source))
        platforms = self.document["components"]["schemas"]["Platform"]["enum"]
        platforms += [name for name in FURTHER_PLATFORMS if name not in platforms]
        self.operations = [
            Operation(method, path, item[method], item.get("parameters", []))
            for path, item in sorted(self.document["paths"].items()) for method in METHODS if method in item
        ]
        self.validators = {}

    def operation(self, method, path):
        """The operation that a request is for; exact paths win over those with parameters."""
        found = [o for o in self.operations if o.method == method and o.pattern.match(path)]
        return min(found, key=lambda o: o.path.count("{"), default=None)

    def resolve(self, schema):
        while "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def validator(self, reference):
        if reference not in self.validators:
            root = {"$ref": reference, "components": self.document["components"]}
            self.validators[reference] = OAS30Validator(root, format_checker=oas30_format_checker)
        return self.validators[reference]

    def problems(self, operation, response):
        """What is wrong with an answer, one sentence each."""
        status = response.status_code
        documented = operation.description["responses"].get(str(status))
        if documented is None:
            if status not in FURTHER_STATUSES:
                return [f"the status {status} is not documented: {response.text[:300]}"]
            documented = operation.description["responses"]["400"]
        content = documented.get("content")
        if not content:
            return [] if not response.content else [f"status {status} has a body"]
        kind = response.headers.get("Content-Type", "")
        if kind not in content:
            return [f"the content type {kind!r} is not documented for {status}"]
        try:
            value = response.json()
        except ValueError as error:
            return [f"the body is no JSON: {error}"]
        reference = content[kind]["schema"]["$ref"]
        found = [
            f"{'/'.join(str(p) for p in error.absolute_path)}: {error.message[:200]}"
            for error in self.validator(reference).iter_errors(value)
        ]
        return found + self.further_problems(status, value)

    @staticmethod
    def further_problems(status, value):
        """What the schemas leave open and clients rely on."""
        if status < 400:
            return []
        errors = value.get("errors") or []
        if not errors:
            return ["an error without errors"]
        return [
            f"errors/{n}: {name} is missing" for n, error in enumerate(errors)
            for name in ("id", "status", "code", "title", "detail") if not error.get(name)
        ] + [f"errors/{n}: status is {e['status']}" for n, e in enumerate(errors) if e.get("status") != str(status)]

    # For programs that make up requests

    def narrowed(self, operations, identifiers, webhook):
        """The file with these operations only, whose identifiers are often those of resources that there are.

        - identifiers: by type.
        - webhook: the only address that webhooks may be at; others would be asked, outside of this machine.
        """
        document = copy.deepcopy(self.document)
        kept = {}
        for operation in operations:
            item = document["paths"][operation.path]
            target = kept.setdefault(operation.path, {"parameters": item.get("parameters", [])})
            target[operation.method.lower()] = item[operation.method.lower()]
            if "{id}" in operation.path:
                kind = operation.path.split("/")[2]
                for parameter in target["parameters"]:
                    if parameter["name"] == "id":
                        parameter["schema"] = self.known(identifiers.get(kind, []))
        document["paths"] = kept
        for name, schema in document["components"]["schemas"].items():
            if name.endswith("Request"):
                self.fill(schema, identifiers, webhook)
        return document

    @staticmethod
    def known(values):
        if not values:
            return {"type": "string"}
        return {"anyOf": [{"type": "string", "enum": values}, {"type": "string", "maxLength": 40}]}

    def fill(self, schema, identifiers, webhook):
        properties = schema.get("properties", {})
        kinds = properties.get("type", {}).get("enum")
        if kinds and "id" in properties:
            properties["id"] = self.known(identifiers.get(kinds[0], []))
        if "eventTypes" in properties:
            properties["url"] = {"type": "string", "enum": [webhook]}
        for value in properties.values():
            self.fill(value, identifiers, webhook)
