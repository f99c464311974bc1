// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#include "CLinux.h"

#include <dlfcn.h>

const char *clinux_load_library(const char *file, const char *const *names, void **functions, size_t count) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return dlerror();
    for (size_t index = 0; index < count; index++) {
        functions[index] = dlsym(library, names[index]);
        if (functions[index] == NULL) {
            const char *problem = dlerror();
            dlclose(library);
            return problem != NULL ? problem : names[index];
        }
    }
    return NULL;
}
