// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#define _GNU_SOURCE
#include "CZstdShim.h"

#include <CLinux.h>
#include <stdlib.h>
#include <zstd.h>

// The part of libzstd that is used: a table that the loader fills.
#define EACH_FUNCTION(X)                                                                                              \
    X(ZSTD_CCtx_refPrefix)                                                                                            \
    X(ZSTD_CCtx_setParameter)                                                                                         \
    X(ZSTD_DCtx_refPrefix)                                                                                            \
    X(ZSTD_DCtx_reset)                                                                                                \
    X(ZSTD_compress2)                                                                                                 \
    X(ZSTD_compressBound)                                                                                             \
    X(ZSTD_createCCtx)                                                                                                \
    X(ZSTD_createDCtx)                                                                                                \
    X(ZSTD_decompressDCtx)                                                                                            \
    X(ZSTD_freeCCtx)                                                                                                  \
    X(ZSTD_freeDCtx)                                                                                                  \
    X(ZSTD_isError)

CLINUX_FUNCTIONS(EACH_FUNCTION);

static struct clinux_library library = {
    .file = "libzstd.so.1",
    CLINUX_TABLE,
};

const char *larder_zstd_load(void) { return clinux_load_library(&library); }

// A device never compresses, so decompressing has its own memory. What compressing takes at high levels is a hundred
// megabytes: too much to keep.
struct larder_zstd {
    ZSTD_DCtx *decompressor;
};

struct larder_zstd *larder_zstd_create(void) {
    if (larder_zstd_load() != NULL) return NULL;
    return calloc(1, sizeof(struct larder_zstd));
}

void larder_zstd_free(struct larder_zstd *zstd) {
    if (zstd == NULL) return;
    if (zstd->decompressor != NULL) loaded.ZSTD_freeDCtx(zstd->decompressor);
    free(zstd);
}

size_t larder_zstd_bound(size_t length) { return loaded.ZSTD_compressBound(length); }

static int log_of(size_t length) {
    int log = 10;
    while (log < 27 && ((size_t)1 << log) < length) log++;
    return log;
}

size_t larder_zstd_compress(
    int level, const void *prefix, size_t prefix_length, const void *source, size_t length, void *target,
    size_t capacity) {
    ZSTD_CCtx *context = loaded.ZSTD_createCCtx();
    if (context == NULL) return 0;
    loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0);
    size_t result = 0;
    if (prefix != NULL && prefix_length > 0) {
        // The window must reach over the prefix and all of the source.
        loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, log_of(prefix_length + length));
        loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
        if (level > 10) {
            loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_chainLog, 23);
            loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, 22);
        }
        result = loaded.ZSTD_CCtx_refPrefix(context, prefix, prefix_length);
    } else if (level < 10) {
        if (length > (1 << 20)) {
            // Low levels look back half a megabyte otherwise.
            loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, log_of(length));
            loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
        }
    } else if (level >= 19 && length > (1 << 16)) {
        // With one pass and shorter searches a thousandth is lost, and a third of the time won.
        loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_strategy, ZSTD_btultra);
        loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_searchLog, 5);
        loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, 3);
        loaded.ZSTD_CCtx_setParameter(context, ZSTD_c_targetLength, 256);
    }
    if (!loaded.ZSTD_isError(result)) result = loaded.ZSTD_compress2(context, target, capacity, source, length);
    loaded.ZSTD_freeCCtx(context);
    return loaded.ZSTD_isError(result) ? 0 : result;
}

int larder_zstd_decompress(
    struct larder_zstd *zstd, const void *prefix, size_t prefix_length, const void *source, size_t length, void *target,
    size_t capacity) {
    if (zstd->decompressor == NULL) zstd->decompressor = loaded.ZSTD_createDCtx();
    ZSTD_DCtx *context = zstd->decompressor;
    if (context == NULL) return -1;
    loaded.ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters);
    if (prefix != NULL && prefix_length > 0) {
        if (loaded.ZSTD_isError(loaded.ZSTD_DCtx_refPrefix(context, prefix, prefix_length))) return -1;
    }
    size_t result = loaded.ZSTD_decompressDCtx(context, target, capacity, source, length);
    return loaded.ZSTD_isError(result) || result != capacity ? -1 : 0;
}
