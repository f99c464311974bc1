// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#define CURL_DISABLE_TYPECHECK
#include "TLSContext.h"
#include "CCurlShim.h"

#include <CLinux.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

// The part of libssl that is used, from the library that libcurl has loaded.
#define EACH_FUNCTION(X)                                                                                              \
    X(SSL_CIPHER_get_name)                                                                                            \
    X(SSL_CIPHER_get_protocol_id)                                                                                     \
    X(SSL_CTX_get_ciphers)                                                                                            \
    X(SSL_CTX_set_cipher_list)                                                                                        \
    X(SSL_CTX_set_ciphersuites)

CLINUX_FUNCTIONS(EACH_FUNCTION);

// What libcurl has loaded already is not loaded again.
static struct clinux_library library = {
    .file = "libssl.so.3",
    CLINUX_TABLE,
};

bool larder_tls_is_known(void) {
    const char *version = larder_curl_tls_library();
    return version != NULL && strncmp(version, "OpenSSL/3.", 10) == 0 && clinux_load_library(&library) == NULL;
}

/// Whether the processor has what AES-GCM is fast with.
static bool has_instructions(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
#elif defined(__aarch64__)
    const unsigned long wanted = 1 << 3 | 1 << 4; // HWCAP_AES, HWCAP_PMULL
    return (getauxval(AT_HWCAP) & wanted) == wanted;
#else
    return false;
#endif
}

/// AES-128-GCM, as browsers do, where the processor has instructions for it: OpenSSL would begin with AES-256, which takes a
/// fifth longer. ChaCha20 where it has none. Numbers of RFC 8446, 5289 and 7905, the newer TLS first.
static bool is_cheap(unsigned cipher) {
    return has_instructions() ? cipher == 0x1301 || cipher == 0xC02B || cipher == 0xC02F
                              : cipher == 0x1303 || cipher == 0xCCA9 || cipher == 0xCCA8;
}

/// The ciphers of TLS 1.3, or those of the older one, that the system's configuration leaves: the cheap ones first, the others in
/// its order. False when there are none, or more than there is room for.
static bool order(const STACK_OF(SSL_CIPHER) *ciphers, bool is_newest, char *list, size_t size) {
    size_t length = 0;
    for (int is_rest = 0; is_rest <= 1; is_rest++) {
        for (int index = 0; index < sk_SSL_CIPHER_num(ciphers); index++) {
            const SSL_CIPHER *cipher = sk_SSL_CIPHER_value(ciphers, index);
            unsigned number = loaded.SSL_CIPHER_get_protocol_id(cipher);
            if ((number >> 8 == 0x13) != is_newest || is_cheap(number) == is_rest) continue;
            int written = snprintf(
                list + length, size - length, "%s%s", length > 0 ? ":" : "", loaded.SSL_CIPHER_get_name(cipher));
            if (written < 0 || (size_t)written >= size - length) return false;
            length += (size_t)written;
        }
    }
    return length > 0;
}

void larder_tls_set_up_context(void *context) {
    const STACK_OF(SSL_CIPHER) *ciphers = loaded.SSL_CTX_get_ciphers(context);
    char newest[512], older[8192];
    bool has_newest = order(ciphers, true, newest, sizeof newest);
    bool has_older = order(ciphers, false, older, sizeof older);
    if (has_newest) loaded.SSL_CTX_set_ciphersuites(context, newest);
    if (has_older) loaded.SSL_CTX_set_cipher_list(context, older);
}

static CURLcode set_up(CURL *handle, void *context, void *nothing) {
    larder_tls_set_up_context(context);
    return CURLE_OK;
}

void larder_tls_set_up(CURL *handle) {
    if (larder_tls_is_known()) larder_curl_set_tls_context(handle, set_up, NULL);
}
