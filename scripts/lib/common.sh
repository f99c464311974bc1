# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

# Shared by every script here; sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Everything meant for a person goes to standard error, so that standard output stays usable by other programs.
say() { printf '%s\n' "$*" >&2; }
step() { printf '%s==>%s %s\n' "$bold" "$plain" "$*" >&2; }
die() {
    printf '%serror:%s %s\n' "$bold" "$plain" "$*" >&2
    exit 1
}

bold='' plain=''
if [ -t 2 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\033[1m' plain=$'\033[0m'
fi

# Where `scripts/setup` puts the one library that Debian does not have.
prefix=${LARDER_PREFIX:-/usr/local}
if [ "$prefix" != /usr/local ]; then
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
fi

# The toolchain is expected on PATH; its usual place is looked at too.
require_swift() {
    if ! command -v swift >/dev/null 2>&1 && [ -x /opt/swift/usr/bin/swift ]; then
        export PATH="$PATH:/opt/swift/usr/bin"
    fi
    command -v swift >/dev/null 2>&1 || die "no Swift toolchain on PATH: install Swift 6.2 or later, then try again"
}

# Runs a noisy command; its output is shown only when it fails.
quietly() {
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

# A python3 whose pip works, whatever else is on PATH.
find_pip() {
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -m pip --version >/dev/null 2>&1; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

# Builds one product as it is installed: optimised, with the Swift runtime inside, and linked for size: short relocations,
# equal functions once, nothing exported.
release_build() {
    swift build -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs \
        -Xlinker --icf=all -Xlinker --no-eh-frame-hdr -Xlinker -T -Xlinker "$root/scripts/lib/no-unwinding.ld" \
        -Xlinker --undefined-version -Xlinker "--version-script=$root/scripts/lib/executable.map" "$@"
}
