// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <stddef.h>

// libzstd, loaded when it is first used rather than with the program. Bytes go through whole, from memory to memory.

/// Loads libzstd, once; any thread may. NULL when it is there, otherwise why it is not, in the loader's words, until
/// this thread asks again. A later call tries again.
const char *larder_zstd_load(void);

/// Working memory for decompressing, of one thread. NULL when there is no memory, or the library is not loaded.
struct larder_zstd *larder_zstd_create(void);
void larder_zstd_free(struct larder_zstd *zstd);

/// How many bytes compressed bytes have at most.
size_t larder_zstd_bound(size_t length);

/// Compresses to one frame without a checksum. `prefix` is what the source likely resembles; NULL for nothing. 0 when it
/// failed, mostly because `capacity` is too small.
size_t larder_zstd_compress(
    int level, const void *prefix, size_t prefix_length, const void *source, size_t length, void *target,
    size_t capacity);

/// Decompresses frames to exactly `capacity` bytes. 0 when that is what they give, otherwise -1.
int larder_zstd_decompress(
    struct larder_zstd *zstd, const void *prefix, size_t prefix_length, const void *source, size_t length, void *target,
    size_t capacity);
