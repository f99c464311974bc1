// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#include "COpenSSLShim.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>

EVP_PKEY *larder_ossl_new_p256_key(void) {
    return EVP_EC_gen("P-256");
}

int larder_ossl_set_random_serial(X509 *certificate) {
    BIGNUM *number = BN_new();
    int done = number != NULL && BN_rand(number, 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
               BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return done;
}

int larder_ossl_set_validity(X509 *certificate, int64_t from, int64_t until) {
    return ASN1_TIME_set(X509_getm_notBefore(certificate), from) != NULL &&
           ASN1_TIME_set(X509_getm_notAfter(certificate), until) != NULL;
}

int larder_ossl_add_extension(X509 *certificate, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (extension == NULL) return 0;
    int done = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return done;
}

int larder_ossl_seconds_left(X509 *certificate, int64_t now, int64_t *left) {
    ASN1_TIME *start = ASN1_TIME_set(NULL, now);
    int days = 0, seconds = 0;
    int done = start != NULL && ASN1_TIME_diff(&days, &seconds, start, X509_get0_notAfter(certificate)) == 1;
    ASN1_TIME_free(start);
    *left = (int64_t)days * 86400 + seconds;
    return done;
}

long larder_ossl_memory(BIO *bio, const void **bytes) {
    char *data = NULL;
    long count = BIO_get_mem_data(bio, &data);
    *bytes = data;
    return count;
}

void larder_ossl_reason(char *buffer, size_t size) {
    unsigned long code = ERR_get_error();
    const char *reason = code != 0 ? ERR_reason_error_string(code) : NULL;
    buffer[0] = 0;
    if (reason != NULL) BIO_snprintf(buffer, size, "%s", reason);
    ERR_clear_error();
}

int larder_ossl_is_p256(EVP_PKEY *key) {
    char name[32];
    size_t length = 0;
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC && EVP_PKEY_get_group_name(key, name, sizeof name, &length) == 1 &&
           strcmp(name, "prime256v1") == 0;
}

int larder_ossl_es256_verify(EVP_PKEY *key, const void *message, size_t size, const unsigned char signature[64]) {
    if (!larder_ossl_is_p256(key)) return 0;
    int done = 0;
    unsigned char *der = NULL;
    ECDSA_SIG *parts = ECDSA_SIG_new();
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
    if (parts != NULL && context != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(parts, r, s) == 1) {
        r = s = NULL;  // They are the signature's now.
        int length = i2d_ECDSA_SIG(parts, &der);
        done = length > 0 && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
               EVP_DigestVerify(context, der, (size_t)length, message, size) == 1;
    }
    BN_free(r);
    BN_free(s);
    OPENSSL_free(der);
    ECDSA_SIG_free(parts);
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return done;
}

int larder_ossl_es256_sign(EVP_PKEY *key, const void *message, size_t size, unsigned char signature[64]) {
    if (!larder_ossl_is_p256(key)) return 0;
    unsigned char der[80];
    size_t length = sizeof der;
    ECDSA_SIG *parts = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = context != NULL && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
               EVP_DigestSign(context, der, &length, message, size) == 1;
    if (done) {
        const unsigned char *start = der;
        parts = d2i_ECDSA_SIG(NULL, &start, (long)length);
        done = parts != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(parts), signature, 32) == 32 &&
               BN_bn2binpad(ECDSA_SIG_get0_s(parts), signature + 32, 32) == 32;
    }
    ECDSA_SIG_free(parts);
    EVP_MD_CTX_free(context);
    return done;
}

EVP_PKEY *larder_ossl_new_ed25519_key(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
}

EVP_PKEY *larder_ossl_ed25519_public_key(const unsigned char bytes[32]) {
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, 32);
}

int larder_ossl_ed25519_public_bytes(EVP_PKEY *key, unsigned char bytes[32]) {
    size_t size = 32;
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 && EVP_PKEY_get_raw_public_key(key, bytes, &size) == 1 &&
           size == 32;
}

int larder_ossl_ed25519_sign(EVP_PKEY *key, const void *message, size_t size, unsigned char signature[64]) {
    if (EVP_PKEY_get_base_id(key) != EVP_PKEY_ED25519) return 0;
    size_t length = 64;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = context != NULL && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
               EVP_DigestSign(context, signature, &length, message, size) == 1 && length == 64;
    EVP_MD_CTX_free(context);
    return done;
}

int larder_ossl_ed25519_verify(EVP_PKEY *key, const void *message, size_t size, const unsigned char signature[64]) {
    if (EVP_PKEY_get_base_id(key) != EVP_PKEY_ED25519) return 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = context != NULL && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1 &&
               EVP_DigestVerify(context, signature, 64, message, size) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return done;
}
