# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

"""Fills a host: every kind of resource, in as many of its states as requests can bring about."""

import collections

BUNDLE_ID = "org.example.coast"


def fill(publisher, reviewer, app, hook):
    """Returns identifiers by type."""
    service = publisher.service
    known = collections.defaultdict(list)
    known["apps"].append(app)

    def pack(name):
        id = publisher.create("backgroundAssets", {"assetPackIdentifier": name}, {"app": ("apps", app)})["id"]
        known["backgroundAssets"].append(id)
        return id

    def version(pack, archive, state="COMPLETE"):
        data = publisher.version(pack, archive)
        publisher.recorder.expect(data["attributes"]["state"] == state, f"a version is {data['attributes']}")
        known["backgroundAssetVersions"].append(data["id"])
        known["backgroundAssetUploadFiles"].append(data["relationships"]["assetFile"]["data"]["id"])
        for channel, kind in (("internalBeta", "InternalBeta"), ("externalBeta", "ExternalBeta"),
                              ("appStore", "AppStore")):
            release = data["relationships"].get(f"{channel}Release")
            if release:
                known[f"backgroundAssetVersion{kind}Releases"].append(release["data"]["id"])
        return data["id"]

    def subject(id):
        return {"backgroundAssetVersion": ("backgroundAssetVersions", id)}

    webhook = publisher.create(
        "webhooks", {
            "enabled": True, "name": "build machine", "secret": "s3cret", "url": hook,
            "eventTypes": ["BACKGROUND_ASSET_VERSION_STATE_UPDATED",
                           "BACKGROUND_ASSET_VERSION_INTERNAL_BETA_RELEASE_CREATED"],
        }, {"app": ("apps", app)})["id"]
    publisher.create("webhookPings", links={"webhook": ("webhooks", webhook)})

    coast, islands = pack("Coast"), pack("Islands")
    first = version(coast, service.pack("Coast", b"1", ["iOS", "macOS"]))
    second = version(coast, service.pack("Coast", b"2", ["iOS", "Linux"]))
    third = version(islands, service.pack("Islands", b"3"))
    version(islands, b"no archive at all", "FAILED")

    # Waiting for its archive, and one that waits for the rest of it.
    known["backgroundAssetVersions"].append(publisher.create(
        "backgroundAssetVersions", links={"backgroundAsset": ("backgroundAssets", islands)})["id"])
    waiting = publisher.create("backgroundAssetVersions", links={"backgroundAsset": ("backgroundAssets", coast)})["id"]
    known["backgroundAssetVersions"].append(waiting)
    for role in ("ASSET", "MANIFEST"):
        known["backgroundAssetUploadFiles"].append(publisher.create(
            "backgroundAssetUploadFiles", {"assetType": role, "fileName": "f", "fileSize": 1000},
            {"backgroundAssetVersion": ("backgroundAssetVersions", waiting)})["id"])
    publisher.change("backgroundAssets", pack("Old"), archived=True)

    # To the testers outside, and to the store: approved, in review, rejected, canceled, and not submitted yet.
    beta = publisher.create("betaBackgroundAssetReviewSubmissions", links=subject(first))["id"]
    reviewer.create("reviewDecisions", {"verdict": "APPROVED"},
                    {"betaBackgroundAssetReviewSubmission": ("betaBackgroundAssetReviewSubmissions", beta)})
    for platform, subjects, verdicts in (
            ("IOS", [first], ["APPROVED"]), ("MAC_OS", [second, third], ["REJECTED"])):
        submission, items = publisher.submit(app, platform, *map(subject, subjects))
        for item, verdict in zip(items, verdicts):
            reviewer.create("reviewDecisions", {"verdict": verdict, "message": "So it is."},
                            {"reviewSubmissionItem": ("reviewSubmissionItems", item)})
        known["reviewSubmissions"].append(submission)
        known["reviewSubmissionItems"] += items
    canceled, _ = publisher.submit(app, "TV_OS", subject(version(pack("Reef"), service.pack("Reef", b"4"))))
    publisher.change("reviewSubmissions", canceled, canceled=True)
    known["reviewSubmissions"] += [canceled, publisher.create(
        "reviewSubmissions", {"platform": "VISION_OS"}, {"app": ("apps", app)})["id"]]

    for number in ("1.0", "2.0"):
        known["builds"].append(publisher.build(app, BUNDLE_ID, number))

    for build, verdict in zip(known["builds"], ("APPROVED", "REJECTED")):
        beta = publisher.create("betaAppReviewSubmissions", links={"build": ("builds", build)})["id"]
        reviewer.create("reviewDecisions", {"verdict": verdict, "message": "So it is."},
                        {"betaAppReviewSubmission": ("betaAppReviewSubmissions", beta)})
        known["betaAppReviewSubmissions"].append(beta)

    known["webhooks"].append(webhook)
    deliveries = publisher.get(f"/v1/webhooks/{webhook}/deliveries").json()["data"]
    known["webhookDeliveries"] += [d["id"] for d in deliveries]
    publisher.create("webhookDeliveries", links={"template": ("webhookDeliveries", deliveries[0]["id"])})
    return known
