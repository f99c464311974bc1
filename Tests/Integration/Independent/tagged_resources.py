# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors
"""Checks what `larder odr build` made, with nothing of Larder: tagged_resources.py TAGS FOLDER BUILT BUNDLE-ID [URL-PREFIX]"""

import datetime
import hashlib
import json
import os
import plistlib
import sys
import urllib.parse

tags_file, folder, built, bundle = sys.argv[1:5]
prefix = sys.argv[5] if len(sys.argv) > 5 else None
manifest = json.load(open(tags_file, encoding="utf-8"))

tags_of = {}
for tag, selectors in manifest["tags"].items():
    for selector in selectors:
        tags_of.setdefault(selector["file"], set()).add(tag)
packs = {}
for path, tags in tags_of.items():
    packs.setdefault(frozenset(tags), []).append(path)


def md5(tags):
    return hashlib.md5(":".join(sorted(tags)).encode()).hexdigest()


def identifier(tags):
    return f"{bundle}.asset-pack-{md5(tags)}"


def directory(tags):
    start, end = f"{bundle}.{'+'.join(sorted(tags))}", f"-{md5(tags)}.assetpack"
    while len((start + end).encode()) > 240:
        start = start[:-1]
    return start + end


def priority(tag):
    if tag in manifest["initialInstall"]:
        return 1.0
    order = manifest["prefetch"]
    if tag not in order:
        return None
    return 0.5 if len(order) == 1 else (len(order) - 1 - order.index(tag)) / (len(order) - 1) * 0.9 + 0.05


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r} where {expected!r} should be")


def read(name):
    path = os.path.join(built, "Resources", name)
    with open(path, "rb") as file:
        check(f"the form of {name}", file.read(8), b"bplist00")
    with open(path, "rb") as file:
        return plistlib.load(file)


resources = read("OnDemandResources.plist")
check("keys", set(resources), {"NSBundleResourceRequestTags", "NSBundleResourceRequestAssetPacks"})
check(
    "tags", resources["NSBundleResourceRequestTags"],
    {tag: {"NSAssetPacks": sorted(identifier(tags) for tags in packs if tag in tags)} for tag in manifest["tags"]})
check(
    "packs", resources["NSBundleResourceRequestAssetPacks"],
    {identifier(tags): sorted(paths) for tags, paths in packs.items()})

names = {"OnDemandResources.plist", "AssetPackManifest.plist" if prefix else "AssetPackManifestTemplate.plist"}
check("lists", set(os.listdir(os.path.join(built, "Resources"))), names)
entries = read((names - {"OnDemandResources.plist"}).pop())["resources"]
check("order", [entry["bundleKey"] for entry in entries], sorted(map(identifier, packs)))
by_id = {identifier(tags): tags for tags in packs}
for entry in entries:
    tags = by_id[entry["bundleKey"]]
    files = [os.path.join(folder, path) for path in packs[tags]]
    known = {"bundleKey", "URL", "isStreamable", "primaryContentHash", "uncompressedSize"}
    wanted = max((p for p in map(priority, tags) if p is not None), default=None)
    check("keys", set(entry), known | ({"downloadPriority"} if wanted is not None else set()))
    check("priority", entry.get("downloadPriority"), wanted)
    check("size", entry["uncompressedSize"], sum(os.path.getsize(file) for file in files))
    check("strategy", entry["primaryContentHash"]["strategy"], "modtime")
    newest = max(os.stat(file).st_mtime_ns for file in files) // 1_000_000
    hash_time = datetime.datetime.strptime(entry["primaryContentHash"]["hash"], "%Y-%m-%dT%H:%M:%S.%fZ")
    since = hash_time - datetime.datetime(1970, 1, 1)
    check("time", since // datetime.timedelta(milliseconds=1), newest)
    start = prefix or "http://127.0.0.1" + urllib.parse.quote(os.path.abspath(os.path.join(built, "OnDemandResources"))) + "/"
    check("URL", entry["URL"], start + urllib.parse.quote(directory(tags), safe="+,-./_~"))
    check("streamable", entry["isStreamable"], True)
check("archives", set(os.listdir(os.path.join(built, "packs"))), {f"{identifier(tags)}.{end}" for tags in packs for end in ("aar", "aar.index")})
print(f"{len(manifest['tags'])} tags, {len(packs)} packs")
