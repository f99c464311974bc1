// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#define CURL_DISABLE_TYPECHECK
#include "TLSWatch.h"
#include "CCurlShim.h"
#include "TLSContext.h"

#include <CLinux.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// The part of libssl that is used, from the library that libcurl has loaded.
#define EACH_FUNCTION(X)                                                                                              \
    X(SSL_CTX_get_ex_data)                                                                                            \
    X(SSL_CTX_set_cert_verify_callback)                                                                               \
    X(SSL_CTX_set_client_cert_cb)                                                                                     \
    X(SSL_CTX_set_ex_data)                                                                                            \
    X(SSL_CTX_set_info_callback)                                                                                      \
    X(SSL_CTX_set_options)                                                                                            \
    X(SSL_get0_peer_CA_list)                                                                                          \
    X(SSL_get_SSL_CTX)

CLINUX_FUNCTIONS(EACH_FUNCTION);

// More than any server has reason to send; what comes beyond is not kept.
enum { certificates_kept = 16, authorities_kept = 256, bytes_kept = 64 << 10 };

struct larder_tls_watch {
    atomic_int references;
    bool accepts, stops_when_asked;
    unsigned char accepted[32];
    int refusal;
    int alert;
    bool was_asked;
    size_t certificate_count, authority_count;
    larder_tls_bytes certificates[certificates_kept];
    larder_tls_bytes authorities[authorities_kept];
};

static int context_index = -1;

static void forget(larder_tls_bytes *list, size_t *count) {
    for (size_t index = 0; index < *count; index++) OPENSSL_free((void *)list[index].bytes);
    *count = 0;
}

void larder_tls_watch_release(larder_tls_watch *watch) {
    if (watch == NULL || atomic_fetch_sub(&watch->references, 1) != 1) return;
    forget(watch->certificates, &watch->certificate_count);
    forget(watch->authorities, &watch->authority_count);
    free(watch);
}

static void release_with_context(void *parent, void *watch, CRYPTO_EX_DATA *data, int index, long number, void *more) {
    larder_tls_watch_release(watch);
}

static const char *make_index(void) {
    if (context_index < 0) {
        context_index = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, release_with_context);
    }
    return context_index < 0 ? "it has no room for an index" : NULL;
}

// What libcurl has loaded already is not loaded again.
static struct clinux_library library = {
    .file = "libssl.so.3",
    CLINUX_TABLE,
    .check = make_index,
};

larder_tls_watch *larder_tls_watch_new(const unsigned char accepted[32], bool stops_when_asked) {
    if (!larder_tls_is_known() || clinux_load_library(&library) != NULL) return NULL;
    larder_tls_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) return NULL;
    atomic_init(&watch->references, 1);
    watch->alert = -1;
    watch->stops_when_asked = stops_when_asked;
    if (accepted != NULL) {
        watch->accepts = true;
        memcpy(watch->accepted, accepted, sizeof watch->accepted);
    }
    return watch;
}

/// Keeps what libcrypto has written into memory of its own.
static void keep(larder_tls_bytes *list, size_t *count, size_t limit, unsigned char *bytes, int length) {
    if (length <= 0) return;
    if (*count >= limit || length > bytes_kept) {
        OPENSSL_free(bytes);
        return;
    }
    list[(*count)++] = (larder_tls_bytes){.bytes = bytes, .count = (size_t)length};
}

static void keep_certificate(larder_tls_watch *watch, X509 *certificate) {
    unsigned char *bytes = NULL;
    int length = i2d_X509(certificate, &bytes);
    keep(watch->certificates, &watch->certificate_count, certificates_kept, bytes, length);
}

/// Decides about the server's certificates: as libcurl would have, but for the one that was accepted.
static int verify(X509_STORE_CTX *store, void *context) {
    larder_tls_watch *watch = context;
    X509 *own = X509_STORE_CTX_get0_cert(store);
    forget(watch->certificates, &watch->certificate_count);
    STACK_OF(X509) *sent = X509_STORE_CTX_get0_untrusted(store);
    if (own != NULL) keep_certificate(watch, own);
    for (int index = 0; index < sk_X509_num(sent); index++) {
        X509 *certificate = sk_X509_value(sent, index);
        if (own == NULL || X509_cmp(certificate, own) != 0) keep_certificate(watch, certificate);
    }
    if (watch->accepts) {
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned length = 0;
        if (own != NULL && X509_digest(own, EVP_sha256(), digest, &length) == 1 && length == sizeof watch->accepted
            && CRYPTO_memcmp(digest, watch->accepted, length) == 0) {
            X509_STORE_CTX_set_error(store, X509_V_OK);
            return 1;
        }
        // Another one than was accepted: nothing else will do on this connection.
        watch->refusal = X509_V_ERR_CERT_REJECTED;
        X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
        return 0;
    }
    int result = X509_verify_cert(store);
    watch->refusal = result == 1 ? 0 : X509_STORE_CTX_get_error(store);
    return result;
}

/// The server asks for a certificate and libcurl has none: the handshake goes on without, or is over. A connection on which
/// it went on is one of those who have none.
static int give_certificate(SSL *connection, X509 **certificate, EVP_PKEY **key) {
    larder_tls_watch *watch = loaded.SSL_CTX_get_ex_data(loaded.SSL_get_SSL_CTX(connection), context_index);
    if (watch == NULL) return 0;
    watch->was_asked = true;
    forget(watch->authorities, &watch->authority_count);
    const STACK_OF(X509_NAME) *authorities = loaded.SSL_get0_peer_CA_list(connection);
    for (int index = 0; index < sk_X509_NAME_num(authorities); index++) {
        unsigned char *bytes = NULL;
        int length = i2d_X509_NAME(sk_X509_NAME_value(authorities, index), &bytes);
        keep(watch->authorities, &watch->authority_count, authorities_kept, bytes, length);
    }
    return watch->stops_when_asked ? -1 : 0;
}

static void note_alert(const SSL *connection, int where, int value) {
    if ((where & SSL_CB_READ_ALERT) != SSL_CB_READ_ALERT || (value >> 8) != SSL3_AL_FATAL) return;
    larder_tls_watch *watch = loaded.SSL_CTX_get_ex_data(loaded.SSL_get_SSL_CTX(connection), context_index);
    if (watch != NULL) watch->alert = value & 0xFF;
}

static CURLcode watch_context(CURL *handle, void *context, void *given) {
    larder_tls_watch *watch = given;
    larder_tls_set_up_context(context);
    // Nothing is negotiated anew on a connection whose certificates were looked at.
    loaded.SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    atomic_fetch_add(&watch->references, 1);
    if (loaded.SSL_CTX_set_ex_data(context, context_index, watch) != 1) {
        larder_tls_watch_release(watch);
        return CURLE_OUT_OF_MEMORY;
    }
    loaded.SSL_CTX_set_cert_verify_callback(context, verify, watch);
    loaded.SSL_CTX_set_client_cert_cb(context, give_certificate);
    loaded.SSL_CTX_set_info_callback(context, note_alert);
    return CURLE_OK;
}

CURLcode larder_tls_watch_attach(CURL *handle, larder_tls_watch *watch) {
    return larder_curl_set_tls_context(handle, watch_context, watch);
}

int larder_tls_watch_refusal(const larder_tls_watch *watch) { return watch->refusal; }

size_t larder_tls_watch_certificate_count(const larder_tls_watch *watch) { return watch->certificate_count; }

larder_tls_bytes larder_tls_watch_certificate(const larder_tls_watch *watch, size_t index) {
    return index < watch->certificate_count ? watch->certificates[index] : (larder_tls_bytes){0};
}

bool larder_tls_watch_was_asked(const larder_tls_watch *watch) { return watch->was_asked; }

size_t larder_tls_watch_authority_count(const larder_tls_watch *watch) { return watch->authority_count; }

larder_tls_bytes larder_tls_watch_authority(const larder_tls_watch *watch, size_t index) {
    return index < watch->authority_count ? watch->authorities[index] : (larder_tls_bytes){0};
}

int larder_tls_watch_alert(const larder_tls_watch *watch) { return watch->alert; }
