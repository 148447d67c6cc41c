#!/usr/bin/env bash
# Builds the wheel, installs it into a new environment, and tests it there. Wants $RETOLD, the built command, or builds it.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cargo fmt --check
python3 -m venv "$work/build"
"$work/build/bin/pip" install --quiet --disable-pip-version-check "maturin>=1.9,<2"
cargo clippy --release --locked --quiet --features extension-module -- -D warnings
"$work/build/bin/maturin" build --release --quiet --out "$work/wheel"

python3 -m venv "$work/test"
"$work/test/bin/pip" install --quiet --disable-pip-version-check "$(echo "$work"/wheel/*.whl)[test,spark]"
"$work/test/bin/python" -m mypy.stubtest retold --mypy-config-file mypy.ini
"$work/test/bin/pytest"
