// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The index of a database's write-ahead log, which all its connections share, where a connection has it in memory; good until it
/// is closed. NULL when there is none. Its format: https://sqlite.org/walformat.html
static inline const volatile void *larder_sqlite_log_index(sqlite3 *connection) {
    sqlite3_file *file = NULL;
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || file == NULL) return NULL;
    const sqlite3_io_methods *methods = file->pMethods;
    if (methods == NULL || methods->iVersion < 2 || methods->xShmMap == NULL) return NULL;
    void volatile *page = NULL;
    return methods->xShmMap(file, 0, 32768, 0, &page) == SQLITE_OK ? page : NULL;
}

/// Copies the index's head, which every commit makes another; false while one is under way.
static inline bool larder_sqlite_log_head(const volatile void *index, uint64_t head[6]) {
    const volatile uint64_t *first = (const volatile uint64_t *)index, *second = first + 6;
    for (int place = 0; place < 6; place++) head[place] = __atomic_load_n(first + place, __ATOMIC_RELAXED);
    // A commit writes the second copy first.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (int place = 0; place < 6; place++) {
        if (__atomic_load_n(second + place, __ATOMIC_RELAXED) != head[place]) return false;
    }
    return ((const uint8_t *)head)[12] != 0;
}
