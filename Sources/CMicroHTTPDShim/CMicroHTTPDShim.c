// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#define _GNU_SOURCE
#include "CMicroHTTPDShim.h"

#include "FileSends.h"

#include <CLinux.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// The part of libmicrohttpd that is used: a table that the loader fills.
#define EACH_FUNCTION(X)                                                                                              \
    X(MHD_add_response_header)                                                                                        \
    X(MHD_create_response_from_buffer)                                                                                \
    X(MHD_create_response_from_buffer_with_free_callback_cls)                                                         \
    X(MHD_create_response_from_callback)                                                                              \
    X(MHD_destroy_response)                                                                                           \
    X(MHD_get_connection_info)                                                                                        \
    X(MHD_get_connection_values)                                                                                      \
    X(MHD_lookup_connection_value)                                                                                    \
    X(MHD_queue_response)                                                                                             \
    X(MHD_quiesce_daemon)                                                                                             \
    X(MHD_resume_connection)                                                                                          \
    X(MHD_start_daemon)                                                                                               \
    X(MHD_stop_daemon)                                                                                                \
    X(MHD_suspend_connection)

CLINUX_FUNCTIONS(EACH_FUNCTION);

static struct clinux_library library = {
    .file = "libmicrohttpd.so.12",
    CLINUX_TABLE,
};

const char *larder_mhd_load(void) { return clinux_load_library(&library); }

// Of GnuTLS, which libmicrohttpd brings along: how a session's records are sent. Its headers are not needed for that.
static struct {
    int (*gnutls_transport_get_int)(void *session);
    void (*gnutls_transport_set_vec_push_function)(void *session, ssize_t (*push)(void *, const struct iovec *, int));
} tls;

static const char *const tls_names[] = {"gnutls_transport_get_int", "gnutls_transport_set_vec_push_function"};

_Static_assert(sizeof tls == sizeof tls_names, "one pointer for each name");

static struct clinux_library tls_library = {
    .file = "libgnutls.so.30",
    .names = tls_names,
    .functions = (void **)&tls,
    .count = sizeof tls_names / sizeof tls_names[0],
};

// libmicrohttpd sends an answer's head and its body as a record each, and the kernel each as a packet. So a head's record waits
// here for the body's, which comes at once, and leaves with it. By socket; one thread serves a connection.
static struct held {
    atomic_bool body_follows;
    struct record *record;
} held[1 << 16];

struct record {
    size_t length;
    size_t sent;
    char bytes[];
};

// The record on its way is the head's: keeps it.
static ssize_t hold(struct held *place, const struct iovec *parts, int count) {
    size_t length = 0;
    for (int index = 0; index < count; index++) length += parts[index].iov_len;
    struct record *record = malloc(sizeof *record + length);
    if (record == NULL) {
        errno = ENOMEM;
        return -1;
    }
    *record = (struct record){.length = length};
    size_t done = 0;
    for (int index = 0; index < count; index++) {
        memcpy(record->bytes + done, parts[index].iov_base, parts[index].iov_len);
        done += parts[index].iov_len;
    }
    place->record = record;
    return (ssize_t)length;
}

static ssize_t send_parts(int socket, const struct iovec *parts, int count) {
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

static ssize_t push_records(void *transport, const struct iovec *parts, int count) {
    int socket = (int)(intptr_t)transport;
    struct held *place = &held[socket];
    struct record *record = place->record;
    if (record == NULL) {
        if (atomic_exchange_explicit(&place->body_follows, 0, memory_order_relaxed)) return hold(place, parts, count);
        return send_parts(socket, parts, count);
    }
    struct iovec all[16];
    if (count > 15) count = 15;
    all[0] = (struct iovec){.iov_base = record->bytes + record->sent, .iov_len = record->length - record->sent};
    memcpy(all + 1, parts, sizeof *parts * (size_t)count);
    ssize_t sent = send_parts(socket, all, count + 1);
    if (sent < 0) return sent;
    if ((size_t)sent < all[0].iov_len) {
        record->sent += (size_t)sent;
        errno = EAGAIN;
        return -1;
    }
    sent -= (ssize_t)all[0].iov_len;
    free(record);
    place->record = NULL;
    if (sent > 0) return sent;
    errno = EAGAIN;
    return -1;
}

void larder_mhd_join_records(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        loaded.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    int socket = larder_mhd_socket(connection);
    if (info == NULL || info->tls_session == NULL || socket < 0 || socket >= 1 << 16) return;
    if (clinux_load_library(&tls_library) != NULL) return;
    void *session = info->tls_session;
    if (tls.gnutls_transport_get_int(session) != socket) return;
    // What an earlier connection of that number has left behind.
    atomic_store_explicit(&held[socket].body_follows, 0, memory_order_relaxed);
    free(held[socket].record);
    held[socket].record = NULL;
    tls.gnutls_transport_set_vec_push_function(session, push_records);
}

const short larder_mhd_poll_peer_closed = POLLRDHUP;
const ssize_t larder_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
const ssize_t larder_mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

struct MHD_Daemon *larder_mhd_start(
    const struct larder_mhd_options *options, MHD_AccessHandlerCallback access, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connections, void *context) {
    if (larder_mhd_load() != NULL) return NULL;
    // Not turbo: that breaks connections off without waiting for the client to read the last answer.
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem items[8];
    size_t count = 0;
    items[count++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_TIMEOUT, options->idle_seconds, NULL};
    items[count++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)options->head_size, NULL};
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
        MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_NOTIFY_CONNECTION, connections, context,
        MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

void *larder_mhd_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        loaded.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != NULL ? info->socket_context : NULL;
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

const char *larder_mhd_field(struct MHD_Connection *connection, const char *name) {
    return loaded.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

struct MHD_Response *larder_mhd_bytes(const void *bytes, size_t length) {
    return loaded.MHD_create_response_from_buffer(
        length, (void *)bytes, length > 0 ? MHD_RESPMEM_MUST_COPY : MHD_RESPMEM_PERSISTENT);
}

struct MHD_Response *larder_mhd_file_copy(int file, uint64_t offset, size_t length) {
    char *copy = malloc(length);
    if (copy == NULL) return NULL;
    size_t done = 0;
    while (done < length) {
        ssize_t count = pread(file, copy + done, length - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            free(copy);
            return NULL;
        }
        done += (size_t)count;
    }
    struct MHD_Response *response = loaded.MHD_create_response_from_buffer(length, copy, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) free(copy);
    return response;
}

// An answer that sends a mapped stretch of a file.
struct pages {
    int socket;
    void *context;
    MHD_ContentReaderFreeCallback release;
};

static void pages_done(void *context) {
    struct pages *pages = context;
    larder_file_sends_end(pages->socket);
    pages->release(pages->context);
    free(pages);
}

struct MHD_Response *larder_mhd_pages(
    struct MHD_Connection *connection, const void *bytes, size_t length, int file, uint64_t offset, void *context,
    MHD_ContentReaderFreeCallback release) {
    struct pages *pages = malloc(sizeof *pages);
    if (pages == NULL) return NULL;
    *pages = (struct pages){.socket = larder_mhd_socket(connection), .context = context, .release = release};
    struct MHD_Response *response = loaded.MHD_create_response_from_buffer_with_free_callback_cls(
        length, (void *)bytes, pages_done, pages);
    if (response == NULL) {
        free(pages);
        return NULL;
    }
    larder_file_sends_begin(pages->socket, bytes, length, file, (off_t)offset);
    return response;
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
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response, bool has_body) {
    int socket = has_body ? larder_mhd_socket(connection) : -1;
    if (socket >= 0 && socket < 1 << 16) atomic_store_explicit(&held[socket].body_follows, 1, memory_order_relaxed);
    enum MHD_Result result = loaded.MHD_queue_response(connection, status, response);
    loaded.MHD_destroy_response(response);
    return result;
}
