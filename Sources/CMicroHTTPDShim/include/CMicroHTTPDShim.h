// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

// libmicrohttpd, loaded when a server starts rather than with the program; without its variadic calls and unions.

/// Loads libmicrohttpd, once; any thread may. NULL when it is there, otherwise why it is not, in the loader's words,
/// until this thread asks again. A later call tries again.
const char *larder_mhd_load(void);

struct larder_mhd_options {
    int listener;             // a listening socket; the daemon takes it
    const char *certificate;  // PEM chain, leaf first; NULL for plain HTTP
    const char *key;          // PEM
    unsigned threads;         // 1 or more
    unsigned idle_seconds;    // connections without traffic are closed after that
    unsigned head_size;       // bytes of memory for a request's head, and for its answer's
};

/// NULL when the library is not there or the daemon cannot start, mostly for a certificate or key it cannot use.
struct MHD_Daemon *larder_mhd_start(
    const struct larder_mhd_options *options, MHD_AccessHandlerCallback access, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connections, void *context);

/// What `connections` has put down for the connection; NULL for nothing.
void *larder_mhd_connection_context(struct MHD_Connection *connection);

/// Takes no more connections, while those that are there go on. The listening socket, which is the caller's then, or -1.
int larder_mhd_quiesce(struct MHD_Daemon *daemon);
void larder_mhd_stop(struct MHD_Daemon *daemon);

void larder_mhd_suspend(struct MHD_Connection *connection);
void larder_mhd_resume(struct MHD_Connection *connection);

/// Visits the pairs of one kind.
void larder_mhd_values(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIterator visit, void *context);

/// A field of the request's head, the first of that name; NULL when there is none. Good until the request is over.
const char *larder_mhd_field(struct MHD_Connection *connection, const char *name);

/// A response with a copy of bytes; NULL when there is no memory.
struct MHD_Response *larder_mhd_bytes(const void *bytes, size_t length);
/// A response with a copy of a stretch of a file; NULL when there is no memory, or the file has less.
struct MHD_Response *larder_mhd_file_copy(int file, uint64_t offset, size_t length);
/// A response with `length` bytes of a file at `offset`, for a connection without TLS. They are mapped at `bytes`, and stay there
/// until `release` is called; only the kernel reads them. NULL when there is no memory; `release` is not called then.
struct MHD_Response *larder_mhd_pages(
    struct MHD_Connection *connection, const void *bytes, size_t length, int file, uint64_t offset, void *context,
    MHD_ContentReaderFreeCallback release);

/// NULL when there is no memory; `release` is not called then.
struct MHD_Response *larder_mhd_response(
    uint64_t length, size_t piece, MHD_ContentReaderCallback read, void *context,
    MHD_ContentReaderFreeCallback release);
void larder_mhd_add_header(struct MHD_Response *response, const char *name, const char *value);
/// Sends the response, which is the connection's from then on.
/// - has_body: whether the body goes out right behind the head.
enum MHD_Result larder_mhd_send(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response, bool has_body);

/// Has an answer's head and body leave together where they go over TLS, if that can be. To be called when the connection begins.
void larder_mhd_join_records(struct MHD_Connection *connection);

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
