// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <curl/curl.h>

// libcurl's variadic calls, one typed function per kind of value.

CURLcode larder_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode larder_curl_set_string(CURL *handle, CURLoption option, const char *value); // libcurl keeps a copy
CURLcode larder_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode larder_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);

/// Gives a blob option its bytes; libcurl keeps a copy.
CURLcode larder_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count);

typedef size_t (*larder_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
CURLcode larder_curl_set_write(CURL *handle, larder_curl_data_callback callback, void *context);
CURLcode larder_curl_set_header(CURL *handle, larder_curl_data_callback callback, void *context);

typedef int (*larder_curl_request_callback)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
CURLcode larder_curl_set_before_request(CURL *handle, larder_curl_request_callback callback, void *context);

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

/// The handle whose transfer has ended, and its result; NULL when no message is left.
CURL *larder_curl_next_finished(CURLM *multi, CURLcode *result);
