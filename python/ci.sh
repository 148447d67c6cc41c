#!/usr/bin/env bash
# Builds the wheel, installs it into a new environment, and tests it there, Spark on a cluster of two workers included. Needs Java 17. Compares
# with the command that $RETOLD names, or builds one.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of pyspark, which is not at ease with the newest pandas yet.
export PYTHONWARNINGS="ignore::FutureWarning:pyspark"

cargo fmt --check
python3 -m venv "$work/build"
"$work/build/bin/pip" install --quiet --disable-pip-version-check "maturin>=1.9,<2"
cargo clippy --locked --quiet --features extension-module -- -D warnings
"$work/build/bin/maturin" build --release --quiet --out "$work/wheel"

python3 -m venv "$work/test"
"$work/test/bin/pip" install --quiet --disable-pip-version-check "$(echo "$work"/wheel/*.whl)[test,spark]"
"$work/test/bin/python" -m mypy.stubtest retold --mypy-config-file mypy.ini
timeout 20m "$work/test/bin/pytest"
