// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#define _GNU_SOURCE
#include "CMicroHTTPDShim.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

const short larder_mhd_poll_peer_closed = POLLRDHUP;
const ssize_t larder_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
const ssize_t larder_mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

struct MHD_Daemon *larder_mhd_start(
    const struct larder_mhd_options *options, MHD_AccessHandlerCallback access, MHD_RequestCompletedCallback completed,
    void *context) {
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
    return MHD_start_daemon(
        flags, 0, NULL, NULL, access, context, MHD_OPTION_LISTEN_SOCKET, options->listener,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

int larder_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info != NULL ? info->connect_fd : -1;
}

void larder_mhd_client(struct MHD_Connection *connection, char *buffer, size_t size) {
    buffer[0] = 0;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (info == NULL || info->client_addr == NULL) return;
    socklen_t length =
        info->client_addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    getnameinfo(info->client_addr, length, buffer, size, NULL, 0, NI_NUMERICHOST);
}

void larder_mhd_abort_socket(int socket) {
    struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    connect(socket, &nobody, sizeof nobody);
}
