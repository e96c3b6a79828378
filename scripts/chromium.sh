#!/bin/sh
# Prints where a Chromium is, for the browser tests. `install` first installs one where none is found and apt can.
# CHROMIUM=/path/to/one in the environment counts before all others.
set -eu

found() {
    if [ -n "${CHROMIUM:-}" ]; then
        command -v "$CHROMIUM"
        return
    fi
    for each in chromium chromium-browser google-chrome google-chrome-stable \
        "/Applications/Chromium.app/Contents/MacOS/Chromium" \
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
        # Ubuntu has a chromium-browser that only says where to get one.
        if command -v "$each" >/dev/null && "$each" --version >/dev/null 2>&1; then
            command -v "$each"
            return
        fi
    done
    return 1
}

# Quiet unless it fails.
as_root() {
    if [ "$(id -u)" = 0 ]; then set -- env DEBIAN_FRONTEND=noninteractive "$@"
    else set -- sudo -n env DEBIAN_FRONTEND=noninteractive "$@"; fi
    said=$("$@" 2>&1) || { echo "$said" >&2; return 1; }
}

can_install() {
    [ -z "${CHROMIUM:-}" ] && command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
}

if found; then exit; fi
if [ "${1:-}" = install ] && can_install; then
    echo "Installing Chromium for the browser tests" >&2
    as_root apt-get update -qq || true # an older list may do
    as_root apt-get install -qq -y --no-install-recommends chromium || true
    if found; then exit; fi
fi
echo "The browser tests need a Chromium: install the system's package chromium, or set CHROMIUM=/path/to/one." >&2
exit 1
