#!/usr/bin/env bash
# Builds the wheel, installs it into a new environment, and tests it there, Spark on a cluster of two workers included. Needs Java 17. Compares
# with the command that $RETOLD names, or builds one.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# Of pyspark, which is not at ease with the newest pandas yet.
export PYTHONWARNINGS="ignore::FutureWarning:pyspark"

cargo fmt --check
./shared_crates
python3 -m venv "$work/build"
"$work/build/bin/pip" install --quiet --disable-pip-version-check "maturin>=1.9,<2"
cargo clippy --locked --quiet --features extension-module -- -D warnings
"$work/build/bin/maturin" build --release --locked --quiet --out "$work/wheel"

python3 -m venv "$work/test"
"$work/test/bin/pip" install --quiet --disable-pip-version-check "$(echo "$work"/wheel/*.whl)[test,spark]"
"$work/test/bin/python" -m mypy.stubtest retold --mypy-config-file mypy.ini

# Every other Python of this machine, with what needs no other package.
python_of() { # on the path, or one of pyenv's
  local python
  for python in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python3; do
    if "$python" -c 'import ensurepip' 2>/dev/null; then echo "$python"; return; fi
  done
  return 1
}
other_pythons() {
  for version in 3.10 3.11 3.12 3.13 3.14; do
    [ "$version" != "$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')" ] || continue
    python=$(python_of "$version") || { echo "skipped: no python$version"; continue; }
    "$python" -m venv "$work/$version"
    "$work/$version/bin/pip" install --quiet --disable-pip-version-check "$work"/wheel/*.whl pytest
    echo "Python $version:"
    timeout 5m "$work/$version/bin/pytest" -p no:cacheprovider tests/test_{docs,index,model,notebook,sketch}.py
  done
}
# Beside the tests with all packages, because these wait for Spark.
other_pythons >"$work/others" 2>&1 &
others=$!
timeout 20m "$work/test/bin/pytest" -rs
failed=""
wait "$others" || failed=yes
cat "$work/others"
[ -z "$failed" ]
