/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that are looked at together, and what they are. */
#ifndef TMPL_BYTES64_H
#define TMPL_BYTES64_H

#include <stdint.h>

#include "base/processor.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define TMPL_BYTES64 64

/* What a byte begins. The last three, which make words, are bits. */
enum {
    TMPL_BYTE_SIGN,
    TMPL_BYTE_SPACE,
    TMPL_BYTE_APOSTROPHE,
    TMPL_BYTE_STOP,
    TMPL_BYTE_COMMA,
    TMPL_BYTE_REFERENCE,
    TMPL_BYTE_WIDE,
    TMPL_BYTE_SMALL = 0x10,
    TMPL_BYTE_CAPITAL = 0x20,
    TMPL_BYTE_DIGIT = 0x40
};

static const unsigned char tmpl_byte_classes[256] = {
    ['\t' ... '\r'] = TMPL_BYTE_SPACE,
    [' '] = TMPL_BYTE_SPACE,
    ['\''] = TMPL_BYTE_APOSTROPHE,
    ['.'] = TMPL_BYTE_STOP,
    ['!'] = TMPL_BYTE_STOP,
    ['?'] = TMPL_BYTE_STOP,
    [','] = TMPL_BYTE_COMMA,
    [';'] = TMPL_BYTE_COMMA,
    ['&'] = TMPL_BYTE_REFERENCE,
    ['a' ... 'z'] = TMPL_BYTE_SMALL,
    ['A' ... 'Z'] = TMPL_BYTE_CAPITAL,
    ['0' ... '9'] = TMPL_BYTE_DIGIT,
    [0x80 ... 0xFF] = TMPL_BYTE_WIDE,
};

/* Letters and digits. */
static inline int tmpl_byte_in_word(unsigned char byte)
{
    return tmpl_byte_classes[byte] >= TMPL_BYTE_SMALL;
}

/* Sets of bytes: bit i says it of byte i. */
typedef struct {
    uint64_t wide;  /* not ASCII */
    uint64_t marks; /* apostrophes and ampersands */
    uint64_t words; /* letters and digits */
    uint64_t digits;
    uint64_t capitals;
    uint64_t spaces;
    uint64_t titled; /* what words of the title may begin with: see first in title.h */
} tmpl_bytes64_t;

/* Looks at n bytes, at most TMPL_BYTES64; so many may be read, and of those behind n it may say anything. */
typedef tmpl_bytes64_t tmpl_look_t(const unsigned char *s, uint32_t n, const unsigned char *first);

/* One byte after another. */
static inline tmpl_bytes64_t tmpl_look_one_by_one(const unsigned char *s, uint32_t n,
                                                  const unsigned char *first)
{
    tmpl_bytes64_t piece = { .titled = ~(uint64_t)0 }; /* to look is more than it saves */
    (void)first;
    for (uint32_t i = 0; i < n; i++) {
        unsigned char class = tmpl_byte_classes[s[i]];
        uint64_t bit = (uint64_t)1 << i;
        piece.wide |= class == TMPL_BYTE_WIDE ? bit : 0;
        piece.marks |= class == TMPL_BYTE_APOSTROPHE || class == TMPL_BYTE_REFERENCE ? bit : 0;
        piece.words |= class >= TMPL_BYTE_SMALL ? bit : 0;
        piece.digits |= class == TMPL_BYTE_DIGIT ? bit : 0;
        piece.capitals |= class == TMPL_BYTE_CAPITAL ? bit : 0;
        piece.spaces |= class == TMPL_BYTE_SPACE ? bit : 0;
    }
    return piece;
}

#ifdef TMPL_FOR_AVX2

/* Which of 16 bytes are first, or one of so many behind it. */
static inline __m128i tmpl_in_range_16(__m128i bytes, char first, int more)
{
    /* compared with signs: first becomes the least of all */
    return _mm_cmpgt_epi8(_mm_set1_epi8((char)(more + 1 - 128)),
                          _mm_add_epi8(bytes, _mm_set1_epi8((char)(-128 - first))));
}

static inline uint64_t tmpl_bits_of_16(__m128i bytes, uint32_t at)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(bytes) << at;
}

static inline tmpl_bytes64_t tmpl_look_sse2(const unsigned char *s, uint32_t n,
                                            const unsigned char *first)
{
    tmpl_bytes64_t piece = { .titled = ~(uint64_t)0 }; /* to look is more than it saves */
    (void)first;
    for (uint32_t at = 0; at < n; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(s + at));
        __m128i letters =
            tmpl_in_range_16(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z' - 'a');
        __m128i digits = tmpl_in_range_16(bytes, '0', 9);
        __m128i spaces = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                                      tmpl_in_range_16(bytes, '\t', '\r' - '\t'));
        __m128i marks = _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(1)), _mm_set1_epi8('\''));
        /* the bit that small letters have, moved to where signs are */
        __m128i capitals = _mm_andnot_si128(_mm_slli_epi16(bytes, 2), letters);
        piece.wide |= tmpl_bits_of_16(bytes, at);
        piece.marks |= tmpl_bits_of_16(marks, at);
        piece.words |= tmpl_bits_of_16(_mm_or_si128(letters, digits), at);
        piece.digits |= tmpl_bits_of_16(digits, at);
        piece.capitals |= tmpl_bits_of_16(capitals, at);
        piece.spaces |= tmpl_bits_of_16(spaces, at);
    }
    return piece;
}

/*
 * Kinds of bytes, each a bit, by their upper and their lower four bits: a byte is of a kind if both say so. Those of
 * words are above all others, and those of white space are above that of marks.
 */
enum {
    TMPL_KIND_DIGIT = 0x40,
    TMPL_KIND_LETTER = 0x20, /* @ or ` and what stands behind it */
    TMPL_KIND_LATER = 0x10,  /* P or p and what stands behind it */
    TMPL_KIND_BLANK = 0x08,
    TMPL_KIND_CONTROL = 0x04, /* tab, line feed, ... */
    TMPL_KIND_MARK = 0x01
};

TMPL_FOR_AVX2 static inline __m256i tmpl_kinds_of(__m256i bytes, __m256i high)
{
    enum {
        D = TMPL_KIND_DIGIT,
        L = TMPL_KIND_LETTER,
        P = TMPL_KIND_LATER,
        B = TMPL_KIND_BLANK,
        C = TMPL_KIND_CONTROL,
        M = TMPL_KIND_MARK
    };
    const __m128i lower = _mm_setr_epi8(D | P | B, D | L | P, D | L | P, D | L | P, D | L | P,
                                        D | L | P, D | L | P | M, D | L | P | M, D | L | P,
                                        D | L | P | C, L | P | C, L | C, L | C, L | C, L, L);
    const __m128i upper = _mm_setr_epi8(C, 0, B | M, D, L, P, L, P, 0, 0, 0, 0, 0, 0, 0, 0);
    /* a byte with the top bit is of no kind */
    return _mm256_and_si256(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(lower), bytes),
                            _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(upper), high));
}

TMPL_FOR_AVX2 static inline uint64_t tmpl_bits_of_32(__m256i bytes)
{
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

/* 32 bytes; capitals are all but those that have the bit of small letters. */
TMPL_FOR_AVX2 static inline tmpl_bytes64_t tmpl_look_at_32(const unsigned char *s, __m256i first)
{
    const __m128i rows = _mm_setr_epi8(0, 0, 0, 4, 1, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0);
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)s);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0F));
    __m256i kinds = tmpl_kinds_of(bytes, high);
    __m256i row = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(rows), high);
    __m256i titled = _mm256_and_si256(_mm256_shuffle_epi8(first, bytes), row);
    __m256i words = _mm256_cmpgt_epi8(kinds, _mm256_set1_epi8(TMPL_KIND_LATER - 1));
    __m256i others = _mm256_cmpgt_epi8(kinds, _mm256_set1_epi8(TMPL_KIND_MARK));
    return (tmpl_bytes64_t){ .wide = tmpl_bits_of_32(bytes),
                             .marks = tmpl_bits_of_32(_mm256_slli_epi16(kinds, 7)),
                             .words = tmpl_bits_of_32(words),
                             .digits = tmpl_bits_of_32(_mm256_slli_epi16(kinds, 1)),
                             .capitals = tmpl_bits_of_32(_mm256_slli_epi16(bytes, 2)),
                             .spaces = tmpl_bits_of_32(others),
                             .titled = tmpl_bits_of_32(
                                 _mm256_cmpgt_epi8(titled, _mm256_setzero_si256())) };
}

TMPL_FOR_AVX2 static inline tmpl_bytes64_t tmpl_look_avx2(const unsigned char *s, uint32_t n,
                                                          const unsigned char *first)
{
    __m256i firsts =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)first));
    tmpl_bytes64_t piece = tmpl_look_at_32(s, firsts);
    if (n > 32) {
        tmpl_bytes64_t more = tmpl_look_at_32(s + 32, firsts);
        piece.wide |= more.wide << 32;
        piece.marks |= more.marks << 32;
        piece.words |= more.words << 32;
        piece.digits |= more.digits << 32;
        piece.capitals |= more.capitals << 32;
        piece.spaces |= more.spaces << 32;
        piece.titled |= more.titled << 32;
    }
    piece.capitals = piece.words & ~piece.digits & ~piece.capitals;
    piece.spaces &= ~piece.words;
    return piece;
}

#define tmpl_look_anywhere tmpl_look_sse2
#else
#define tmpl_look_anywhere tmpl_look_one_by_one
#endif

#endif
