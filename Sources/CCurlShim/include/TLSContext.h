// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <curl/curl.h>
#include <stdbool.h>

// How libcurl's TLS connections are set up where it uses OpenSSL 3. Elsewhere they stay as libcurl has them.

/// Whether libcurl's TLS library is one that is set up here.
bool larder_tls_is_known(void);

/// Has each new connection of the handle offer the ciphers first that are cheapest on this machine.
void larder_tls_set_up(CURL *handle);

/// Does that for one context of OpenSSL's.
void larder_tls_set_up_context(void *context);
