// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#include "CLinux.h"

#include <dlfcn.h>
#include <pthread.h>

static const char *load(const struct clinux_library *library) {
    void *opened = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL) return dlerror();
    for (size_t index = 0; index < library->count; index++) {
        library->functions[index] = dlsym(opened, library->names[index]);
        if (library->functions[index] == NULL) {
            const char *problem = dlerror();
            dlclose(opened);
            return problem != NULL ? problem : library->names[index];
        }
    }
    return library->check != NULL ? library->check() : NULL;
}

const char *clinux_load_library(struct clinux_library *library) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const char *problem = library->is_loaded ? NULL : load(library);
    library->is_loaded = problem == NULL;
    pthread_mutex_unlock(&lock);
    return problem;
}
