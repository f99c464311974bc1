// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Mapped stretches of files go out by `sendfile`, in as few calls as the socket's buffer lets them, without libmicrohttpd
// knowing: what it sends of a stretch's memory is taken for the file.

/// From now on `length` bytes of memory at `bytes`, sent on the socket, mean the file's at `offset`.
void larder_file_sends_begin(int socket, const void *bytes, size_t length, int file, off_t offset);

/// What is sent on the socket means itself.
void larder_file_sends_end(int socket);
