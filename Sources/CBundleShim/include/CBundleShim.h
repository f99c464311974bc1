// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <stdbool.h>

// CoreFoundation keeps what it has read of a bundle's folders, names that are not there included. It is part of Foundation on
// Linux and has no headers there.

/// Has the main bundle's folders read anew at the next look-up. False where CoreFoundation offers no way.
bool cbundle_flush_main(void);

/// Likewise the bundle in the folder of a URL (an `NSURL`, which is a `CFURLRef`).
bool cbundle_flush(void *url);
