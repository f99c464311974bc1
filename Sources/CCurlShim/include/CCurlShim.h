// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <curl/curl.h>

#include "TLSContext.h"
#include "TLSWatch.h"

// libcurl, loaded when it is first called rather than with the program. Each function below is libcurl's of the same
// name; its variadic calls become one typed function per kind of value. What makes something out of nothing loads the
// library, and gives NULL (or what it says) where that fails; the others are for what those made.

/// Loads libcurl, once; any thread may. NULL when it is there, otherwise why it is not, in the loader's words, until
/// this thread asks again. A later call tries again.
const char *larder_curl_load(void);

/// CURLE_FAILED_INIT without a library.
CURLcode larder_curl_global_init(long flags);
/// -1 when the text is no date, or without a library.
time_t larder_curl_getdate(const char *text);

CURLU *larder_curl_url(void);
void larder_curl_url_cleanup(CURLU *url);
CURLUcode larder_curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned flags);
CURLUcode larder_curl_url_get(CURLU *url, CURLUPart part, char **text, unsigned flags);
void larder_curl_free(void *text);

/// Longer by one line, which is copied; NULL, and the list is as it was, when there is no memory.
struct curl_slist *larder_curl_slist_append(struct curl_slist *list, const char *line);
/// NULL is an empty list.
void larder_curl_slist_free_all(struct curl_slist *list);

CURLM *larder_curl_multi_init(void);
void larder_curl_multi_cleanup(CURLM *multi);
void larder_curl_multi_add_handle(CURLM *multi, CURL *handle);
void larder_curl_multi_remove_handle(CURLM *multi, CURL *handle);
void larder_curl_multi_perform(CURLM *multi);
/// Connections to one host at once; what is more waits.
void larder_curl_multi_limit_host(CURLM *multi, long connections);
/// Waits for the handles' sockets, at most so many milliseconds.
/// Returns how many connections have something to do.
int larder_curl_multi_poll(CURLM *multi, int milliseconds);
void larder_curl_multi_wakeup(CURLM *multi);
/// The handle whose transfer has ended, and its result; NULL when no message is left.
CURL *larder_curl_next_finished(CURLM *multi, CURLcode *result);

CURL *larder_curl_easy_init(void);
void larder_curl_easy_cleanup(CURL *handle);
void larder_curl_easy_pause(CURL *handle, int directions);
/// Does the whole transfer on this thread.
CURLcode larder_curl_easy_perform(CURL *handle);
const char *larder_curl_easy_strerror(CURLcode code);

CURLcode larder_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode larder_curl_set_string(CURL *handle, CURLoption option, const char *value); // libcurl keeps a copy
CURLcode larder_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode larder_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);

/// Gives a blob option its bytes; libcurl keeps a copy.
CURLcode larder_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count);

typedef size_t (*larder_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
CURLcode larder_curl_set_write(CURL *handle, larder_curl_data_callback callback, void *context);
CURLcode larder_curl_set_header(CURL *handle, larder_curl_data_callback callback, void *context);

/// Fills bytes with more of what is sent; `CURL_READFUNC_ABORT` ends the transfer.
CURLcode larder_curl_set_read(
    CURL *handle, larder_curl_data_callback callback, int (*seek)(void *context, curl_off_t offset, int origin),
    void *context);

/// Called with each address before a connection to it is made: gives a socket for it, or -1 to refuse it.
typedef curl_socket_t (*larder_curl_socket_callback)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
CURLcode larder_curl_set_open_socket(CURL *handle, larder_curl_socket_callback callback, void *context);
const struct sockaddr *larder_curl_address(const struct curl_sockaddr *address);
/// A socket as libcurl would make one for that address; -1 where the system gives none.
curl_socket_t larder_curl_socket(const struct curl_sockaddr *address);

typedef int (*larder_curl_request_callback)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
CURLcode larder_curl_set_before_request(CURL *handle, larder_curl_request_callback callback, void *context);

/// Called with each new connection's TLS context, before its handshake.
typedef CURLcode (*larder_curl_tls_callback)(CURL *handle, void *tls_context, void *context);
CURLcode larder_curl_set_tls_context(CURL *handle, larder_curl_tls_callback callback, void *context);

/// Name and version of the library that secures libcurl's connections; NULL when there is none.
const char *larder_curl_tls_library(void);

/// 0 when libcurl does not know.
long larder_curl_get_long(CURL *handle, CURLINFO info);
/// Owned by the handle; NULL when libcurl does not know.
const char *larder_curl_get_string(CURL *handle, CURLINFO info);

/// Where this libcurl looks for the system's authorities: a folder of files named by hash, and one file with all.
/// NULL when it was built without.
const char *larder_curl_authority_folder(void);
const char *larder_curl_authority_bundle(void);

/// Gives memory that was freed back to the system.
void larder_curl_release_memory(void);
