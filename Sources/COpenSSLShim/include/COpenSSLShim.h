// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdint.h>

// libcrypto's macros and variadic calls. Functions that return int give 1 for success, as libcrypto does.

/// A new key on the curve P-256; NULL when libcrypto cannot.
EVP_PKEY *larder_ossl_new_p256_key(void);

/// Gives the certificate a random serial number of 127 bits.
int larder_ossl_set_random_serial(X509 *certificate);

/// Sets the time, in seconds since 1970, from and until which the certificate is valid.
int larder_ossl_set_validity(X509 *certificate, int64_t from, int64_t until);

/// Adds an extension, its value written as in OpenSSL's configuration files.
int larder_ossl_add_extension(X509 *certificate, X509 *issuer, int nid, const char *value);

/// The seconds from `now` (since 1970) to the certificate's end; negative when it is over.
int larder_ossl_seconds_left(X509 *certificate, int64_t now, int64_t *left);

/// The bytes of a memory BIO, owned by it.
long larder_ossl_memory(BIO *bio, const void **bytes);

/// Writes the oldest reason in this thread's error queue and empties the queue; an empty string when there is none.
void larder_ossl_reason(char *buffer, size_t size);

/// Whether `signature`, 32 bytes each of r and s, is ES256 of the message by that key; the key must be one on P-256.
int larder_ossl_es256_verify(EVP_PKEY *key, const void *message, size_t size, const unsigned char signature[64]);

/// Signs the message with ES256: 32 bytes each of r and s.
int larder_ossl_es256_sign(EVP_PKEY *key, const void *message, size_t size, unsigned char signature[64]);

/// Whether the key is one on the curve P-256.
int larder_ossl_is_p256(EVP_PKEY *key);

/// A new Ed25519 key; NULL when libcrypto cannot.
EVP_PKEY *larder_ossl_new_ed25519_key(void);

/// The public key of those 32 bytes; NULL when libcrypto takes them for none.
EVP_PKEY *larder_ossl_ed25519_public_key(const unsigned char bytes[32]);

/// The 32 bytes of an Ed25519 key's public half; fails for keys of other kinds.
int larder_ossl_ed25519_public_bytes(EVP_PKEY *key, unsigned char bytes[32]);

/// Signs the message with Ed25519 (RFC 8032).
int larder_ossl_ed25519_sign(EVP_PKEY *key, const void *message, size_t size, unsigned char signature[64]);

/// Whether the signature is that key's for the message; fails for keys of other kinds.
int larder_ossl_ed25519_verify(EVP_PKEY *key, const void *message, size_t size, const unsigned char signature[64]);
