// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#define _GNU_SOURCE
#include "CMicroHTTPDShim.h"

#include <CLinux.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

// The part of libmicrohttpd that is used: a table that the loader fills.
#define EACH_FUNCTION(X)                                                                                              \
    X(MHD_add_response_header)                                                                                        \
    X(MHD_create_response_from_callback)                                                                              \
    X(MHD_destroy_response)                                                                                           \
    X(MHD_get_connection_info)                                                                                        \
    X(MHD_get_connection_values)                                                                                      \
    X(MHD_queue_response)                                                                                             \
    X(MHD_quiesce_daemon)                                                                                             \
    X(MHD_resume_connection)                                                                                          \
    X(MHD_start_daemon)                                                                                               \
    X(MHD_stop_daemon)                                                                                                \
    X(MHD_suspend_connection)

#define AS_POINTER(name) __typeof__(name) *name;
#define AS_TEXT(name) #name,

static struct {
    EACH_FUNCTION(AS_POINTER)
} loaded;

static const char *const names[] = {EACH_FUNCTION(AS_TEXT)};

_Static_assert(sizeof loaded == sizeof names, "one pointer for each name");

static struct clinux_library library = {
    .file = "libmicrohttpd.so.12",
    .names = names,
    .functions = (void **)&loaded,
    .count = sizeof names / sizeof names[0],
};

const char *larder_mhd_load(void) { return clinux_load_library(&library); }

const short larder_mhd_poll_peer_closed = POLLRDHUP;
const ssize_t larder_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
const ssize_t larder_mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

struct MHD_Daemon *larder_mhd_start(
    const struct larder_mhd_options *options, MHD_AccessHandlerCallback access, MHD_RequestCompletedCallback completed,
    void *context) {
    if (larder_mhd_load() != NULL) return NULL;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem items[8];
    size_t count = 0;
    items[count++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_TIMEOUT, options->idle_seconds, NULL};
    if (options->threads > 1) {
        items[count++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, options->threads, NULL};
    }
    if (options->certificate != NULL) {
        flags |= MHD_USE_TLS;
        items[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)options->certificate};
        items[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options->key};
    }
    items[count] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    return loaded.MHD_start_daemon(
        flags, 0, NULL, NULL, access, context, MHD_OPTION_LISTEN_SOCKET, options->listener,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

int larder_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = loaded.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info != NULL ? info->connect_fd : -1;
}

void larder_mhd_client(struct MHD_Connection *connection, char *buffer, size_t size) {
    buffer[0] = 0;
    const union MHD_ConnectionInfo *info = loaded.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (info == NULL || info->client_addr == NULL) return;
    socklen_t length =
        info->client_addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    getnameinfo(info->client_addr, length, buffer, size, NULL, 0, NI_NUMERICHOST);
}

void larder_mhd_abort_socket(int socket) {
    struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    connect(socket, &nobody, sizeof nobody);
}

int larder_mhd_quiesce(struct MHD_Daemon *daemon) { return loaded.MHD_quiesce_daemon(daemon); }

void larder_mhd_stop(struct MHD_Daemon *daemon) { loaded.MHD_stop_daemon(daemon); }

void larder_mhd_suspend(struct MHD_Connection *connection) { loaded.MHD_suspend_connection(connection); }

void larder_mhd_resume(struct MHD_Connection *connection) { loaded.MHD_resume_connection(connection); }

void larder_mhd_values(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIterator visit, void *context) {
    loaded.MHD_get_connection_values(connection, kind, visit, context);
}

struct MHD_Response *larder_mhd_response(
    uint64_t length, size_t piece, MHD_ContentReaderCallback read, void *context,
    MHD_ContentReaderFreeCallback release) {
    return loaded.MHD_create_response_from_callback(length, piece, read, context, release);
}

void larder_mhd_add_header(struct MHD_Response *response, const char *name, const char *value) {
    loaded.MHD_add_response_header(response, name, value);
}

enum MHD_Result larder_mhd_send(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
    enum MHD_Result result = loaded.MHD_queue_response(connection, status, response);
    loaded.MHD_destroy_response(response);
    return result;
}
