// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Testing

@testable import AppBundles

struct AddressTests {
    @Test func patternsMatchHosts() throws {
        let exact = try #require(DomainPattern("CDN.example.com"))
        #expect(exact.matches(host: "cdn.Example.com"))
        #expect(!exact.matches(host: "a.cdn.example.com"))
        let below = try #require(DomainPattern("*.example.com"))
        #expect(below.matches(host: "a.b.example.com"))
        #expect(!below.matches(host: "example.com"))
        #expect(!below.matches(host: "badexample.com"))
    }

    @Test(arguments: ["", "*", "*.", "a.*.b", "https://a", "a:443", "a/b", "a..b", "-a.b", "*.*.a", "a b"])
    func otherTextIsNoPattern(_ text: String) { #expect(DomainPattern(text) == nil) }

    @Test func addressesAreTakenApart() throws {
        let plain = try #require(WebAddress("https://CDN.example.com:8443/a/b?c=d#e"))
        #expect(plain.host == "cdn.example.com")
        #expect(plain.port == 8443)
        #expect(plain.resource == "/a/b?c=d")
        #expect(plain.origin == "https://cdn.example.com:8443")
        #expect(try #require(WebAddress("https://a?x=1")).resource == "/?x=1")
        let address = try #require(WebAddress("http://[::1]:80"))
        #expect(address.isLoopback)
        #expect(!address.isSecure)
        #expect(try #require(WebAddress("https://127.1.2.3")).isLoopback)
        #expect(try !#require(WebAddress("https://127.evil.example")).isLoopback)
    }

    @Test(arguments: [
        "", "https://", "ftp://a", "https:a", "https://a:0", "https://a:99999", "https://a:x", "https://u:p@a/",
        "https://[::1",
        "https://a b/", "https://a\n/", "https://*.a/", "https://a\\b",
    ])
    func otherTextIsNoAddress(_ text: String) { #expect(WebAddress(text) == nil) }
}
