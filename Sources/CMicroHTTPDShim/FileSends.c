// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#define _GNU_SOURCE
#include "FileSends.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// What the answer on a socket sends from mapped memory. Written before the answer is handed over and read by the thread that
// serves the connection; whoever ends the answer writes `length` only, so nothing is ever read half written.
static struct {
    atomic_size_t length;
    const char *bytes;
    int file;
    off_t offset;
} stretches[1 << 16];

enum { socket_count = sizeof stretches / sizeof stretches[0] };

void larder_file_sends_begin(int socket, const void *bytes, size_t length, int file, off_t offset) {
    if (socket < 0 || socket >= socket_count) return;
    stretches[socket].bytes = bytes;
    stretches[socket].file = file;
    stretches[socket].offset = offset;
    atomic_store_explicit(&stretches[socket].length, length, memory_order_release);
}

void larder_file_sends_end(int socket) {
    if (socket < 0 || socket >= socket_count) return;
    atomic_store_explicit(&stretches[socket].length, 0, memory_order_release);
}

// Whether bytes are of the stretch on that socket.
static bool is_of_file(int socket, const void *bytes, size_t count) {
    if (socket < 0 || socket >= socket_count) return false;
    size_t length = atomic_load_explicit(&stretches[socket].length, memory_order_acquire);
    if (length == 0) return false;
    const char *first = stretches[socket].bytes;
    return (const char *)bytes >= first && count <= length && (size_t)((const char *)bytes - first) <= length - count;
}

static ssize_t copy(int socket, const void *bytes, size_t count, int flags) {
    return syscall(SYS_sendto, socket, bytes, count, flags, NULL, 0);
}

static ssize_t send_file(int socket, const void *bytes, size_t count, int flags) {
    off_t offset = stretches[socket].offset + ((const char *)bytes - stretches[socket].bytes);
    ssize_t sent = sendfile(socket, stretches[socket].file, &offset, count);
    if (sent > 0) return sent;
    // A file system that cannot do that.
    if (sent < 0 && (errno == EINVAL || errno == ENOSYS)) return copy(socket, bytes, count, flags);
    // The file has become shorter.
    if (sent == 0) errno = EIO;
    return -1;
}

// These two are found by libmicrohttpd in place of the C library's, and by everyone else in the program. For all but mapped
// stretches of files they are the system calls of their names.

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
    if (is_of_file(socket, bytes, count)) return send_file(socket, bytes, count, flags);
    return copy(socket, bytes, count, flags);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    if (message == NULL || message->msg_iovlen != 2 ||
        !is_of_file(socket, message->msg_iov[1].iov_base, message->msg_iov[1].iov_len)) {
        return syscall(SYS_sendmsg, socket, message, flags);
    }
    // The answer's head, which goes into one packet with the start of its body.
    const struct iovec *head = message->msg_iov, *body = head + 1;
    ssize_t sent = copy(socket, head->iov_base, head->iov_len, flags | MSG_MORE);
    if (sent < (ssize_t)head->iov_len) return sent;
    ssize_t more = send_file(socket, body->iov_base, body->iov_len, flags);
    // What keeps the body from going is met again when it alone is sent.
    return more > 0 ? sent + more : sent;
}
