// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#define CURL_DISABLE_TYPECHECK
#include "CCurlShim.h"

#include <CLinux.h>
#include <malloc.h>
#include <stdbool.h>
#include <sys/socket.h>

// The part of libcurl that is used: a table that the loader fills.
#define EACH_FUNCTION(X)                                                                                              \
    X(curl_easy_cleanup)                                                                                              \
    X(curl_easy_getinfo)                                                                                              \
    X(curl_easy_init)                                                                                                 \
    X(curl_easy_pause)                                                                                                \
    X(curl_easy_perform)                                                                                              \
    X(curl_easy_strerror)                                                                                             \
    X(curl_easy_setopt)                                                                                               \
    X(curl_free)                                                                                                      \
    X(curl_getdate)                                                                                                   \
    X(curl_global_init)                                                                                               \
    X(curl_multi_add_handle)                                                                                          \
    X(curl_multi_cleanup)                                                                                             \
    X(curl_multi_info_read)                                                                                           \
    X(curl_multi_init)                                                                                                \
    X(curl_multi_perform)                                                                                             \
    X(curl_multi_poll)                                                                                                \
    X(curl_multi_remove_handle)                                                                                       \
    X(curl_multi_setopt)                                                                                              \
    X(curl_multi_wakeup)                                                                                              \
    X(curl_slist_append)                                                                                              \
    X(curl_slist_free_all)                                                                                            \
    X(curl_url)                                                                                                       \
    X(curl_url_cleanup)                                                                                               \
    X(curl_url_get)                                                                                                   \
    X(curl_url_set)                                                                                                   \
    X(curl_version_info)

CLINUX_FUNCTIONS(EACH_FUNCTION);

// The first with CURLOPT_PROTOCOLS_STR. An older one would not limit redirects to https.
static const unsigned oldest_version = 0x075500;

static const char *check_version(void) {
    return loaded.curl_version_info(CURLVERSION_NOW)->version_num < oldest_version ? "it is older than 7.85" : NULL;
}

static struct clinux_library library = {
    .file = "libcurl.so.4",
    CLINUX_TABLE,
    .check = check_version,
};

const char *larder_curl_load(void) { return clinux_load_library(&library); }

static bool is_there(void) { return larder_curl_load() == NULL; }

CURLcode larder_curl_global_init(long flags) {
    return is_there() ? loaded.curl_global_init(flags) : CURLE_FAILED_INIT;
}

time_t larder_curl_getdate(const char *text) { return is_there() ? loaded.curl_getdate(text, NULL) : -1; }

CURLU *larder_curl_url(void) { return is_there() ? loaded.curl_url() : NULL; }

void larder_curl_url_cleanup(CURLU *url) { loaded.curl_url_cleanup(url); }

CURLUcode larder_curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned flags) {
    return loaded.curl_url_set(url, part, text, flags);
}

CURLUcode larder_curl_url_get(CURLU *url, CURLUPart part, char **text, unsigned flags) {
    return loaded.curl_url_get(url, part, text, flags);
}

void larder_curl_free(void *text) { loaded.curl_free(text); }

struct curl_slist *larder_curl_slist_append(struct curl_slist *list, const char *line) {
    return is_there() ? loaded.curl_slist_append(list, line) : NULL;
}

void larder_curl_slist_free_all(struct curl_slist *list) {
    if (list != NULL) loaded.curl_slist_free_all(list);
}

CURLM *larder_curl_multi_init(void) { return is_there() ? loaded.curl_multi_init() : NULL; }

void larder_curl_multi_cleanup(CURLM *multi) { loaded.curl_multi_cleanup(multi); }

void larder_curl_multi_add_handle(CURLM *multi, CURL *handle) { loaded.curl_multi_add_handle(multi, handle); }

void larder_curl_multi_remove_handle(CURLM *multi, CURL *handle) { loaded.curl_multi_remove_handle(multi, handle); }

void larder_curl_multi_perform(CURLM *multi) {
    int running = 0;
    loaded.curl_multi_perform(multi, &running);
}

void larder_curl_multi_limit_host(CURLM *multi, long connections) {
    loaded.curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections);
}

int larder_curl_multi_poll(CURLM *multi, int milliseconds) {
    int ready = 0;
    loaded.curl_multi_poll(multi, NULL, 0, milliseconds, &ready);
    return ready;
}

void larder_curl_multi_wakeup(CURLM *multi) { loaded.curl_multi_wakeup(multi); }

CURL *larder_curl_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    for (CURLMsg *message; (message = loaded.curl_multi_info_read(multi, &left)) != NULL;) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

CURL *larder_curl_easy_init(void) { return is_there() ? loaded.curl_easy_init() : NULL; }

void larder_curl_easy_cleanup(CURL *handle) { loaded.curl_easy_cleanup(handle); }

void larder_curl_easy_pause(CURL *handle, int directions) { loaded.curl_easy_pause(handle, directions); }

CURLcode larder_curl_easy_perform(CURL *handle) { return loaded.curl_easy_perform(handle); }

const char *larder_curl_easy_strerror(CURLcode code) { return loaded.curl_easy_strerror(code); }

CURLcode larder_curl_set_long(CURL *handle, CURLoption option, long value) {
    return loaded.curl_easy_setopt(handle, option, value);
}

CURLcode larder_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return loaded.curl_easy_setopt(handle, option, value);
}

CURLcode larder_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return loaded.curl_easy_setopt(handle, option, value);
}

CURLcode larder_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return loaded.curl_easy_setopt(handle, option, value);
}

CURLcode larder_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
    return loaded.curl_easy_setopt(handle, option, &blob);
}

CURLcode larder_curl_set_write(CURL *handle, larder_curl_data_callback callback, void *context) {
    CURLcode code = loaded.curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, callback);
    return code != CURLE_OK ? code : loaded.curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

CURLcode larder_curl_set_header(CURL *handle, larder_curl_data_callback callback, void *context) {
    CURLcode code = loaded.curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, callback);
    return code != CURLE_OK ? code : loaded.curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

CURLcode larder_curl_set_read(
    CURL *handle, larder_curl_data_callback callback, int (*seek)(void *context, curl_off_t offset, int origin),
    void *context) {
    CURLcode code = loaded.curl_easy_setopt(handle, CURLOPT_READFUNCTION, callback);
    if (code == CURLE_OK) code = loaded.curl_easy_setopt(handle, CURLOPT_READDATA, context);
    if (code == CURLE_OK) code = loaded.curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, seek);
    return code != CURLE_OK ? code : loaded.curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
}

CURLcode larder_curl_set_open_socket(CURL *handle, larder_curl_socket_callback callback, void *context) {
    CURLcode code = loaded.curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
    return code != CURLE_OK ? code : loaded.curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}

const struct sockaddr *larder_curl_address(const struct curl_sockaddr *address) { return &address->addr; }

curl_socket_t larder_curl_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode larder_curl_set_before_request(CURL *handle, larder_curl_request_callback callback, void *context) {
    CURLcode code = loaded.curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
    return code != CURLE_OK ? code : loaded.curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

long larder_curl_get_long(CURL *handle, CURLINFO info) {
    long value = 0;
    return loaded.curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

const char *larder_curl_get_string(CURL *handle, CURLINFO info) {
    char *value = NULL;
    return loaded.curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : NULL;
}

CURLcode larder_curl_set_tls_context(CURL *handle, larder_curl_tls_callback callback, void *context) {
    CURLcode code = loaded.curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, callback);
    return code != CURLE_OK ? code : loaded.curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, context);
}

const char *larder_curl_tls_library(void) {
    return is_there() ? loaded.curl_version_info(CURLVERSION_NOW)->ssl_version : NULL;
}

const char *larder_curl_authority_folder(void) {
    return is_there() ? loaded.curl_version_info(CURLVERSION_NOW)->capath : NULL;
}

const char *larder_curl_authority_bundle(void) {
    return is_there() ? loaded.curl_version_info(CURLVERSION_NOW)->cainfo : NULL;
}

void larder_curl_release_memory(void) { malloc_trim(0); }
