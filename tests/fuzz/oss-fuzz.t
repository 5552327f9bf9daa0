#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/fuzz/oss-fuzz-build.sh, run as OSS-Fuzz runs it, with libFuzzer: each target that it leaves in $OUT has its
# seeds, needs nothing but the C library from elsewhere, and runs. replay.t runs all of the seeds.
# Environment: WORK, for objects; CFLAGS.
set -euo pipefail
cd "$(dirname "$0")/../.."

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
out=$tmp/out
mkdir "$tmp/src" && ln -s "$PWD" "$tmp/src/mod_tmpl"

n=0
is() {
    n=$((n + 1))
    if [ "$1" = "$2" ]; then echo "ok $n - $3"; else printf 'not ok %d - %s\n# got: %s\n# expected: %s\n' "$n" "$3" "$1" "$2"; fi
}

SRC=$tmp/src OUT=$out CC=clang CXX=clang++ LIB_FUZZING_ENGINE=-fsanitize=fuzzer tests/fuzz/oss-fuzz-build.sh >"$tmp/log" 2>&1 ||
    { sed 's/^/# /' "$tmp/log" && exit 1; }
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c) target=${source##*fuzz_} target=${target%.c}
    mkdir -p "$tmp/$name/seeds" "$tmp/$name/some"
    unzip -qd "$tmp/$name/seeds" "$out/${name}_seed_corpus.zip"
    is "$(cd "tests/fuzz/seeds/$target" && diff -q . "$tmp/$name/seeds" | grep -v "^Only in $tmp")" '' "$name has its seeds"
    is "$(ldd "$out/$name" | awk '$3 ~ "^/" { print $3 }' | grep -vE "^$out/lib/|/lib(c|m|dl|rt|pthread)\.so")" '' "$name has its libraries"
    find "$tmp/$name/seeds" -type f | LC_ALL=C sort | awk 'NR % 40 == 1' | xargs cp -t "$tmp/$name/some"
    status=0
    "$out/$name" -runs=0 -dict="$out/$name.dict" "$tmp/$name/some" >"$tmp/log" 2>&1 || status=$?
    is "$status, $(sed -n 's/^INFO: *\([0-9]*\) files found in .*/\1/p' "$tmp/log")" "0, $(find "$tmp/$name/some" -type f | wc -l)" "$name runs"
    [ "$status" = 0 ] || tail -n 40 "$tmp/log" | sed 's/^/# /'
done
echo "1..$n"
