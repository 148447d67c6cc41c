#!/bin/sh
# Checks that wordnet.bin is what lab/examples/build_wordnet.rs makes of Debian's wordnet-base; with --write, writes it.
# Does the same for cow.bin if COW_TABLE names the table of the Chinese Open Wordnet; else looks at the file's sum.
# Needs apt (or the package, unpacked, named by WORDNET_DIR). Runs from anywhere.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${WORDNET_DIR:-}" ]; then
    # 1:3.0-37 and later; what counts are the files' sums below, not the package's.
    (cd "$work" && chmod 755 . && { apt-get download wordnet-base || { apt-get update && apt-get download wordnet-base; }; } && dpkg -x wordnet-base_*.deb .)
    WORDNET_DIR=$work/usr/share/wordnet
fi
(cd "$WORDNET_DIR" && sha256sum --quiet -c "$here/SHA256SUMS")
root=$(cd "$here/../../../.." && pwd)
# The laboratory depends on the command, so dependencies have the features that the tests built them with.
(cd "$root" && cargo build --quiet --locked -p retold-lab --example build_wordnet)
"${CARGO_TARGET_DIR:-$root/target}/debug/examples/build_wordnet" "$WORDNET_DIR" "$work/wordnet.bin"
if [ -n "${COW_TABLE:-}" ]; then
    "${CARGO_TARGET_DIR:-$root/target}/debug/examples/build_wordnet" "$COW_TABLE" "$work/cow.bin"
    cmp "$work/cow.bin" "$here/cow.bin" && echo "cow.bin is what the builder makes"
fi
(cd "$here" && grep cow.bin SHA256SUMS-cow | sha256sum --quiet -c -)
if [ "${1:-}" = --write ]; then
    cp "$work/wordnet.bin" "$here/wordnet.bin"
else
    cmp "$work/wordnet.bin" "$here/wordnet.bin" && echo "wordnet.bin is what the builder makes"
fi
