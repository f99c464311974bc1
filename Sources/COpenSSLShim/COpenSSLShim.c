// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#include "COpenSSLShim.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

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
