// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import ObjectStorage

struct SettingTests {
    @Test func aBucketOfAmazonsIsReachedUnderItsOwnName() throws {
        let location = try S3Location(setting: "s3://packs/coast/live?region=eu-central-1")
        #expect(location.prefix == "coast/live/")
        #expect("\(location)" == "s3://packs/coast/live")
        let place = location.place("coast/live/archives/ab/$x")
        #expect(place.host == "packs.s3.eu-central-1.amazonaws.com")
        #expect(place.path == "/coast/live/archives/ab/%24x")
        #expect(location.place(nil).path == "/")
    }

    @Test func otherServicesHaveTheBucketInThePath() throws {
        let location = try S3Location(
            setting:
                "s3://packs?endpoint=https://minio.local:9000/&public=https://packs.example.com&authority=/etc/m.pem")
        #expect(location.place("a/b").host == "minio.local:9000")
        #expect(location.place("a/b").path == "/packs/a/b")
        #expect(location.place("a/b", isPublic: true).host == "packs.example.com")
        #expect(location.place(nil).path == "/packs")
        #expect(location.authority == "/etc/m.pem")
        #expect(location.region == "us-east-1")
    }

    @Test(arguments: ["127.0.0.1:9000", "localhost", "[::1]:9000"])
    func plainHTTPIsForThisMachine(host: String) throws {
        let location = try S3Location(setting: "s3://packs?endpoint=http://\(host)&public=https://packs.example.com")
        #expect(location.place("a").scheme == "http")
        #expect(location.place("a").host == host)
        #expect(location.place("a", isPublic: true).scheme == "https")
    }

    @Test func styleAndDotsDecideWhereTheBucketStands() throws {
        #expect(try S3Location(setting: "s3://a.b").place("k").path == "/a.b/k")
        #expect(
            try S3Location(setting: "s3://ab?endpoint=https://r2.example.com&style=host").place("k").host
                == "ab.r2.example.com")
    }

    @Test(arguments: [
        "packs", "s3://", "s3:///x", "s3://packs/a//b", "s3://packs/../x", "s3://packs/a b", "s3://packs?colour=red",
        "s3://packs?endpoint=http://192.0.2.1:9000", "s3://packs?endpoint=https://", "s3://packs?endpoint=http://",
        "s3://packs?endpoint=ftp://127.0.0.1", "s3://packs?endpoint=http://127.0.0.1.example.com",
        "s3://packs?endpoint=https://h&public=http://packs.example.com",
        "s3://packs?endpoint=https://h/path",
        "s3://packs?endpoint=https://user@h", "s3://packs?style=sideways", "s3://packs?authority=relative.pem",
        "s3://packs?region=", "s3://packs?region=a&region=b",
    ])
    func aWrongSettingIsRefusedInWords(_ setting: String) {
        let error = #expect(throws: ObjectStorageError.self) { try S3Location(setting: setting) }
        #expect(error?.message.contains("s3://bucket/prefix?endpoint=") == true)
    }

    @Test func credentialsComeFromTheEnvironmentFirst() throws {
        let credentials = try S3Credentials.load(environment: [
            "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hidden", "AWS_SESSION_TOKEN": "token",
            "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
        ])
        #expect(credentials == S3Credentials(accessKey: "id", secretKey: "hidden", sessionToken: "token"))
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] { #expect(!text.contains("hidden")) }
    }

    @Test func aFileOfCredentialsHasSections() throws {
        try Scratch.with { scratch in
            let file = try scratch.write(
                """
                # keys
                [default]
                aws_access_key_id = one
                aws_secret_access_key=two

                [packs]
                aws_access_key_id=three
                aws_secret_access_key = fo=ur
                """, to: "credentials")
            let base = ["AWS_SHARED_CREDENTIALS_FILE": file.string]
            #expect(
                try S3Credentials.load(environment: base) == S3Credentials(accessKey: "one", secretKey: "two"))
            #expect(
                try S3Credentials.load(environment: base.merging(["AWS_PROFILE": "packs"]) { $1 })
                    == S3Credentials(accessKey: "three", secretKey: "fo=ur"))
            let missing = #expect(throws: ObjectStorageError.self) {
                try S3Credentials.load(environment: base.merging(["AWS_PROFILE": "other"]) { $1 })
            }
            #expect(missing?.message.contains("[other]") == true)
        }
        #expect(throws: ObjectStorageError.self) { try S3CredentialSource(environment: [:]) }
        #expect(throws: ObjectStorageError.self) { try S3Credentials.load(environment: [:]) }
        #expect(throws: ObjectStorageError.self) { try S3Credentials.load(environment: ["AWS_ACCESS_KEY_ID": "x"]) }
    }

    @Test func aFileOfCredentialsMayBeWrittenAnew() async throws {
        try await Scratch.with { scratch in
            func write(_ text: String) throws -> FilePath { try scratch.write(text, to: "credentials") }
            let file = try write("[default]\naws_access_key_id = one\naws_secret_access_key = two\n")
            let environment = ["AWS_SHARED_CREDENTIALS_FILE": file.string]
            let source = try S3CredentialSource(environment: environment, freshness: .zero)
            #expect(source.current.accessKey == "one")
            _ = try write("[default]\naws_access_key_id = three\n")
            await source.refresh()
            #expect(source.current.accessKey == "one", "half a file is not believed")
            _ = try write("[default]\naws_access_key_id = three\naws_secret_access_key = four\n")
            await source.refresh()
            #expect(source.current == S3Credentials(accessKey: "three", secretKey: "four"))
            // Not before it is time to look again.
            let lazy = try S3CredentialSource(environment: environment, freshness: .seconds(3600))
            _ = try write("[default]\naws_access_key_id = five\naws_secret_access_key = six\n")
            await lazy.refresh()
            #expect(lazy.current.accessKey == "three")
        }
    }
}
