// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#include "CBundleShim.h"
#include <stddef.h>

// CFBundle.h and CFBundlePriv.h. Weak: a Foundation without one of them is still linked with.
extern void *CFBundleGetMainBundle(void) __attribute__((weak));
extern void *CFBundleCreate(void *allocator, void *url) __attribute__((weak));
extern void CFRelease(void *object) __attribute__((weak));
extern void _CFBundleFlushBundleCaches(void *bundle) __attribute__((weak));

bool cbundle_flush_main(void) {
    if (!CFBundleGetMainBundle || !_CFBundleFlushBundleCaches) return false;
    void *bundle = CFBundleGetMainBundle();
    if (!bundle) return false;
    _CFBundleFlushBundleCaches(bundle);
    return true;
}

bool cbundle_flush(void *url) {
    if (!CFBundleCreate || !CFRelease || !_CFBundleFlushBundleCaches) return false;
    // There is one object for each folder: this is the one that is used.
    void *bundle = CFBundleCreate(NULL, url);
    if (!bundle) return false;
    _CFBundleFlushBundleCaches(bundle);
    CFRelease(bundle);
    return true;
}
