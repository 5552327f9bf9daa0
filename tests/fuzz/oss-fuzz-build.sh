#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
#
# Builds the fuzz targets as OSS-Fuzz asks a project to: its image for builds has the packages of "make deps
# deps-check" and this tree at $SRC/mod_tmpl, and sets the environment. Into $OUT go each target, its seeds, its
# dictionary and, in lib, the libraries that it loads: where targets run, there are no packages.
# Environment: SRC, OUT, WORK, CC, CXX, CFLAGS, LIB_FUZZING_ENGINE.
set -o pipefail
cd "$SRC/mod_tmpl"

make -j "$(nproc)" BUILD="$WORK" FUZZ_CC="$CC" FUZZ_LD="$CXX" FUZZ_SAN="$CFLAGS" FUZZ_ENGINE="$LIB_FUZZING_ENGINE" fuzzers

inputs=$(mktemp -d)
trap 'rm -rf "$inputs"' EXIT
mkdir -p "$OUT/lib"
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c) target=${source##*fuzz_} target=${target%.c}
    cp "$WORK/fuzz/$name" "$OUT"
    cp tests/fuzz/page.dict "$OUT/$name.dict"
    mkdir "$inputs/$target"
    [ ! -f "tests/fuzz/corpus/$target.tar.xz" ] || tar -xJf "tests/fuzz/corpus/$target.tar.xz" -C "$inputs"
    cp "tests/fuzz/seeds/$target"/* "$inputs/$target"
    rm -f "$OUT/${name}_seed_corpus.zip"
    (cd "$inputs/$target" && zip -qr "$OUT/${name}_seed_corpus.zip" .)
    # not the C library: the machine's own loads the others
    ldd "$WORK/fuzz/$name" | awk '$3 ~ "^/" && $1 !~ /^lib(c|m|dl|rt|pthread)\.so/ { print $3 }' | xargs cp -Lut "$OUT/lib"
done
