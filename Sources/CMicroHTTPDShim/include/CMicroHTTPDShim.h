// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <microhttpd.h>
#include <stddef.h>

// libmicrohttpd's variadic calls and unions.

struct larder_mhd_options {
    int listener;             // a listening socket; the daemon takes it
    const char *certificate;  // PEM chain, leaf first; NULL for plain HTTP
    const char *key;          // PEM
    unsigned threads;         // 1 or more
    unsigned idle_seconds;    // connections without traffic are closed after that
};

/// NULL when the daemon cannot start, mostly for a certificate or key it cannot use.
struct MHD_Daemon *larder_mhd_start(
    const struct larder_mhd_options *options, MHD_AccessHandlerCallback access, MHD_RequestCompletedCallback completed,
    void *context);

/// The connection's socket, or -1.
int larder_mhd_socket(struct MHD_Connection *connection);

/// Writes the client's numeric address as a C string; empty when unknown.
void larder_mhd_client(struct MHD_Connection *connection, char *buffer, size_t size);

/// Makes the kernel send a TCP reset at once; the socket stays open but is connected to nobody.
void larder_mhd_abort_socket(int socket);

/// The poll event of a peer that has closed its side.
extern const short larder_mhd_poll_peer_closed;
extern const ssize_t larder_mhd_end_of_stream;
extern const ssize_t larder_mhd_end_with_error;
