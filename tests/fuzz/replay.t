#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Each fuzz target, run once for each of its seeds, for its corpus and for no bytes: what fuzzers
# found stays mended. The targets are plain programs, made by the compiler of the other tests
# (tests/fuzz/replay.c), which may have its sanitizers. Environment: BUILD, where the programs are.
set -euo pipefail
cd "$(dirname "$0")/../.."

inputs=$(mktemp -d)
trap 'rm -rf "$inputs"' EXIT

# The first input of the target $1 for which it fails alone, and what the target said of it.
failing() {
    while IFS= read -r -d '' input; do
        "$BUILD/tests/fuzz/fuzz_$1" "$input" >"$inputs/log" 2>&1 && continue
        echo "$input: $(base64 -w 0 "$input")"
        tail -n 40 "$inputs/log"
        return
    done < <(find "$inputs/$1" -type f -print0)
}

n=0
for source in tests/fuzz/fuzz_*.c; do
    target=${source##*fuzz_} target=${target%.c}
    mkdir -p "$inputs/$target"
    [ ! -f "tests/fuzz/corpus/$target.tar.xz" ] || tar -xJf "tests/fuzz/corpus/$target.tar.xz" -C "$inputs"
    cp "tests/fuzz/seeds/$target"/* "$inputs/$target"
    : >"$inputs/$target/empty"
    if find "$inputs/$target" -type f -print0 | xargs -0 "$BUILD/tests/fuzz/fuzz_$target" >"$inputs/log" 2>&1; then
        result='ok'
    else
        result='not ok'
        failing "$target" | sed 's/^/# /'
    fi
    echo "$result $((++n)) - $target: $(find "$inputs/$target" -type f | wc -l) inputs"
done
echo "1..$n"
[ "$n" -gt 0 ]
