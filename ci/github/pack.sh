#!/usr/bin/env bash
# Packs a released binary with its checksum, as install.sh and `cargo binstall` expect it.
#
#   pack.sh TARGET [FOLDER]   of the binary in FOLDER [target/TARGET/release]
set -euo pipefail
target=$1
folder=${2:-target/$target/release}
case "$target" in *windows*) binary=toolprobe.exe ;; *) binary=toolprobe ;; esac
name="toolprobe-$target.tar.gz"
tar -czf "$name" -C "$folder" "$binary"
if command -v sha256sum > /dev/null; then sha256sum "$name"; else shasum -a 256 "$name"; fi > "$name.sha256"
