// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

// What one connection's TLS handshake shows: the server's certificates, whether it asked for one in its turn, and the
// alert that it ended with. A watch is counted: the handle that it is given to holds it, and so does each of libcurl's
// TLS contexts, which may outlive the handle. A handle's callbacks run on one thread at a time.

typedef struct larder_tls_watch larder_tls_watch;

/// Bytes owned by the watch.
typedef struct {
    const unsigned char *bytes;
    size_t count;
} larder_tls_bytes;

/// NULL when this libcurl does not use OpenSSL 3, or without memory.
/// - accepted: SHA-256 of the one certificate that is accepted instead of what the system trusts; NULL for none.
/// - stops_when_asked: break the handshake off when the server asks for a certificate and none is there to give.
larder_tls_watch *larder_tls_watch_new(const unsigned char accepted[32], bool stops_when_asked);
void larder_tls_watch_release(larder_tls_watch *watch);

/// Has the handle's connections watched.
CURLcode larder_tls_watch_attach(CURL *handle, larder_tls_watch *watch);

/// OpenSSL's reason why the certificates were refused (`X509_V_ERR_…`); 0 when they were not.
int larder_tls_watch_refusal(const larder_tls_watch *watch);
/// The server's certificates in DER, its own first, as it sent them; what is beyond the count is empty.
size_t larder_tls_watch_certificate_count(const larder_tls_watch *watch);
larder_tls_bytes larder_tls_watch_certificate(const larder_tls_watch *watch, size_t index);

/// Whether the server asked for a certificate and none was there to give.
bool larder_tls_watch_was_asked(const larder_tls_watch *watch);
/// The names in DER of the authorities whose certificates the server takes; none when it says nothing.
size_t larder_tls_watch_authority_count(const larder_tls_watch *watch);
larder_tls_bytes larder_tls_watch_authority(const larder_tls_watch *watch, size_t index);

/// The fatal alert that the server sent (RFC 8446, 6); -1 when it sent none.
int larder_tls_watch_alert(const larder_tls_watch *watch);
