/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/tally.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define COPYRIGHT 0xA9

/* What the scan stands in. A dense word is one character. */
enum { NO_WORD, IN_WORD, DENSE };

/* What a byte begins. The last three, which make words, are bits. */
enum {
    SIGN,
    SPACE,
    APOSTROPHE,
    STOP,
    COMMA,
    REFERENCE,
    WIDE,
    SMALL = 0x10,
    CAPITAL = 0x20,
    DIGIT = 0x40
};

static const unsigned char classes[256] = {
    ['\t' ... '\r'] = SPACE,
    [' '] = SPACE,
    ['\''] = APOSTROPHE,
    ['.'] = STOP,
    ['!'] = STOP,
    ['?'] = STOP,
    [','] = COMMA,
    [';'] = COMMA,
    ['&'] = REFERENCE,
    ['a' ... 'z'] = SMALL,
    ['A' ... 'Z'] = CAPITAL,
    ['0' ... '9'] = DIGIT,
    [0x80 ... 0xFF] = WIDE,
};

static int is_in_word(unsigned char byte)
{
    return classes[byte] >= SMALL;
}

/*
 * The next character of UTF-8, from 0x80 on. A byte that is none stands for itself, for pages in other charsets, whose letters
 * are letters to the model; tmpl_utf8_next, which makes text to be read by people, has U+FFFD for it.
 */
static uint32_t next_char(const unsigned char *s, uint32_t end, uint32_t *at)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
    uint32_t c = s[(*at)++];
    uint32_t more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC2 ? 1 : 0;
    if (more == 0 || c > 0xF4 || end - *at < more) {
        return c;
    }
    uint32_t code = c & (0x3FU >> more);
    for (uint32_t i = 0; i < more; i++) {
        if ((s[*at + i] & 0xC0) != 0x80) {
            return c;
        }
        code = code << 6 | (s[*at + i] & 0x3F);
    }
    if (code < least[more]) {
        return c;
    }
    *at += more;
    return code;
}

/* Behind ASCII. */
static int is_stop(uint32_t c)
{
    return c == 0x2026 /* ellipsis */ || c == 0x3002 || c == 0xFF01 || c == 0xFF1F /* CJK */ ||
           c == 0x0964 /* danda */ || c == 0x06D4 || c == 0x061F /* Arabic */;
}

static int is_comma(uint32_t c)
{
    return c == 0x3001 || c == 0xFF0C /* CJK */ || c == 0x060C /* Arabic */;
}

static int is_word(uint32_t c)
{
    return (c < 0x2000 || c > 0x206F) && c != COPYRIGHT && !is_stop(c) && !is_comma(c);
}

/* Scripts without spaces: kana, CJK ideographs, Thai. */
static int is_dense(uint32_t c)
{
    return (c >= 0x3040 && c <= 0x9FFF) || (c >= 0x0E00 && c <= 0x0E7F) ||
           (c >= 0x20000 && c <= 0x2FFFF);
}

/* Behind a character reference at s[at - 1] == '&'; at if there is none. */
static uint32_t skip_reference(const unsigned char *s, uint32_t at, uint32_t end)
{
    uint32_t p = at;
    while (p < end && p - at < 10 && (is_in_word(s[p]) || s[p] == '#')) {
        p++;
    }
    return p < end && p > at && s[p] == ';' ? p + 1 : at;
}

static int is_copyright(const unsigned char *reference, uint32_t len)
{
    static const char *const names[] = { "copy;", "#169;", "COPY;", "#xa9;", "#xA9;" };
    for (unsigned i = 0; len == 5 && i < sizeof(names) / sizeof(names[0]); i++) {
        if (memcmp(reference, names[i], len) == 0) {
            return 1;
        }
    }
    return 0;
}

/*
 * How a word looks: the first and the last of the letters and digits of ASCII that it begins with, and how many
 * these are. Capitals look like small letters: what tells them apart is set.
 */
static inline unsigned look_of(uint32_t first, uint32_t last, uint32_t len)
{
    return (((first << 3 ^ last) | 0x20 << 3 | 0x20) + (len << 5)) % TMPL_LOOKS;
}

/* A word begins, or a character that is one. */
static void begin_word(tmpl_scan_t *scan, uint32_t at, unsigned look)
{
    scan->word = at;
    scan->may_be_of_title = scan->title->looks[look] | (scan->learn != NULL);
}

/* FNV-1a; with capitals as small letters, and without apostrophes, which do not divide words. */
static uint32_t hash_word(const tmpl_scan_t *scan, uint32_t at, uint32_t end)
{
    uint32_t hash = 2166136261;
    while (at < end) {
        unsigned char byte = scan->s[at];
        uint32_t after = at + 1;
        uint32_t c = byte < 0x80 ? byte | 0x20U : next_char(scan->s, scan->end, &at);
        hash = byte == '\'' ? hash : (hash ^ c) * 16777619;
        at = byte < 0x80 ? after : at;
    }
    return hash;
}

static int is_of_title(const tmpl_title_t *title, uint32_t hash)
{
    uint32_t i = 0;
    while (i < title->n && title->words[i] != hash) {
        i++;
    }
    return i < title->n;
}

/* That of a word of the title. An apostrophe does not count. */
static unsigned look_at_word(const tmpl_scan_t *scan, uint32_t at, uint32_t end)
{
    uint32_t len = 0;
    uint32_t first = at;
    uint32_t last = at;
    if (scan->s[at] >= 0x80) {
        uint32_t c = next_char(scan->s, scan->end, &at);
        return look_of(c, c, 0);
    }
    for (; at < end && scan->s[at] < 0x80; at++) {
        last = is_in_word(scan->s[at]) ? at : last;
        len += (uint32_t)is_in_word(scan->s[at]);
    }
    return look_of(scan->s[first], scan->s[last], len);
}

/* A word of so many halves ends: is it of the title? Most are not, by their looks. */
static void end_word(tmpl_scan_t *scan, uint32_t end, uint32_t halves)
{
    tmpl_title_t *learn = scan->learn;
    if (!scan->may_be_of_title) {
        return;
    }
    uint32_t hash = hash_word(scan, scan->word, end);
    if (learn == NULL) {
        scan->tally->titled += is_of_title(scan->title, hash) ? halves : 0;
    }
    else if (learn->n < learn->room) {
        learn->words[learn->n++] = hash;
        learn->looks[look_at_word(scan, scan->word, end)] = 1;
    }
}

static void leave_word(tmpl_scan_t *scan, uint32_t at)
{
    if (scan->in_word == IN_WORD) {
        end_word(scan, at, 2);
    }
    scan->in_word = NO_WORD;
}

/* A wide character that is part of a word with its neighbours: the first one counts. */
static void enter_word(tmpl_scan_t *scan, uint32_t at, uint32_t c)
{
    if (scan->in_word != IN_WORD) {
        begin_word(scan, at, look_of(c, c, 0));
    }
    scan->tally->words += scan->in_word == NO_WORD ? 2 : 0;
    scan->tally->ends = 0;
    scan->in_word = IN_WORD;
}

static void read_dense(tmpl_scan_t *scan, uint32_t at, uint32_t after, uint32_t c)
{
    leave_word(scan, at);
    scan->tally->words += 1;
    scan->tally->ends = 0;
    begin_word(scan, at, look_of(c, c, 0));
    end_word(scan, after, 1);
    scan->in_word = DENSE;
}

/* A character that is none of ASCII's. */
static uint32_t read_wide(tmpl_scan_t *scan, uint32_t at)
{
    tmpl_tally_t *tally = scan->tally;
    uint32_t after = at;
    uint32_t c = next_char(scan->s, scan->end, &after);
    if (c == 0xA0) { /* a space that does not break */
        leave_word(scan, at);
        return after;
    }
    tally->chars += 1;
    if (is_dense(c)) {
        read_dense(scan, at, after, c);
    }
    else if (is_word(c)) {
        enter_word(scan, at, c);
    }
    else {
        leave_word(scan, at);
        tally->rights |= c == COPYRIGHT;
        tally->stops += (uint32_t)is_stop(c);
        tally->ends |= (unsigned char)is_stop(c);
        tally->commas += (uint32_t)is_comma(c);
    }
    return after;
}

/* A sign ends a sentence only if nothing, or white space or a quote, follows. */
static int is_last(const tmpl_scan_t *scan, uint32_t at)
{
    return at >= scan->end || classes[scan->s[at]] == SPACE || scan->s[at] == '"' ||
           scan->s[at] == 0xA0;
}

/* An apostrophe or an ampersand. */
static uint32_t read_break(tmpl_scan_t *scan, uint32_t at)
{
    tmpl_tally_t *tally = scan->tally;
    unsigned char class = classes[scan->s[at]];
    tally->chars += 1;
    if (class == REFERENCE) {
        leave_word(scan, at);
        uint32_t behind = skip_reference(scan->s, at + 1, scan->end);
        if (behind > at + 1) {
            tally->rights |= (unsigned char)is_copyright(scan->s + at + 1, behind - at - 1);
            return behind;
        }
    }
    tally->signs += 1;
    return at + 1;
}

/* Bytes that are looked at together. */
#define PIECE 64

/* What they are: bit i says it of byte i. */
typedef struct {
    uint64_t breaks; /* apostrophes, ampersands, what is not ASCII: each is looked at by itself */
    uint64_t words;  /* letters and digits */
    uint64_t digits;
    uint64_t capitals;
    uint64_t spaces;
} piece_t;

#ifdef __SSE2__
/* Which of 16 bytes are first, or one of so many behind it. */
static inline __m128i in_range(__m128i bytes, char first, int more)
{
    /* compared with signs: first becomes the least of all */
    return _mm_cmpgt_epi8(_mm_set1_epi8((char)(more + 1 - 128)),
                          _mm_add_epi8(bytes, _mm_set1_epi8((char)(-128 - first))));
}

static inline uint64_t bits_of(__m128i bytes, uint32_t at)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(bytes) << at;
}

/* Those at `at`, 16 of them. */
static inline void look_at(piece_t *piece, const unsigned char *s, uint32_t at)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(s + at));
    __m128i letters = in_range(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z' - 'a');
    __m128i digits = in_range(bytes, '0', 9);
    __m128i spaces =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')), in_range(bytes, '\t', '\r' - '\t'));
    __m128i signs = _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(1)), _mm_set1_epi8('\''));
    piece->breaks |= bits_of(_mm_or_si128(bytes, signs), at);
    piece->words |= bits_of(_mm_or_si128(letters, digits), at);
    piece->digits |= bits_of(digits, at);
    piece->spaces |= bits_of(spaces, at);
    /* the bit that small letters have, moved to where signs are */
    piece->capitals |= bits_of(_mm_andnot_si128(_mm_slli_epi16(bytes, 2), letters), at);
}
#else
static inline void look_at(piece_t *piece, const unsigned char *s, uint32_t at)
{
    for (uint32_t i = at; i < at + 16; i++) {
        unsigned char class = classes[s[i]];
        uint64_t bit = (uint64_t)1 << i;
        piece->breaks |= class == APOSTROPHE || class == REFERENCE || class == WIDE ? bit : 0;
        piece->words |= class >= SMALL ? bit : 0;
        piece->digits |= class == DIGIT ? bit : 0;
        piece->capitals |= class == CAPITAL ? bit : 0;
        piece->spaces |= class == SPACE ? bit : 0;
    }
}
#endif

/* The first n bytes; of those behind it says anything. */
static piece_t look_at_piece(const tmpl_scan_t *scan, uint32_t at, uint32_t n)
{
    unsigned char copy[PIECE];
    const unsigned char *s = scan->s + at;
    piece_t piece = { 0 };
    if (scan->len - at < PIECE) {
        memset(copy, 0, sizeof(copy));
        s = memcpy(copy, s, n);
    }
    for (uint32_t i = 0; i < n; i += 16) {
        look_at(&piece, s, i);
    }
    return piece;
}

static uint32_t count_bits(uint64_t bits)
{
    if (bits == 0) {
        return 0;
    }
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return (uint32_t)(bits * 0x0101010101010101 >> 56);
}

/* Bits below n. */
static uint64_t below(uint32_t n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

/* What the word that was read last has at the begin of n bytes. */
static void go_on(tmpl_scan_t *scan, uint32_t at, uint32_t n, uint64_t words)
{
    uint32_t run = ~words != 0 ? (uint32_t)__builtin_ctzll(~words) : PIECE;
    if (scan->in_word == DENSE && run > 0) {
        begin_word(scan, at, look_of(scan->s[at], scan->s[at + run - 1], run));
        scan->in_word = IN_WORD;
    }
    else if (run > 0) { /* behind an apostrophe, or its looks are of a part of it */
        scan->may_be_of_title = 1;
    }
    if (run < n) {
        leave_word(scan, at + run);
    }
}

/* The words that begin among n bytes; the last one may go on behind them. */
static void read_words(tmpl_scan_t *scan, uint32_t at, uint32_t n, uint64_t words, uint64_t begins)
{
    const unsigned char *s = scan->s + at;
    uint64_t ends = ~words & words << 1;
    uint64_t last = words >> (n - 1) != 0 ? (uint64_t)1 << (63 - __builtin_clzll(begins)) : 0;
    if (scan->tally->words == 0) {
        scan->tally->lower = classes[s[__builtin_ctzll(begins)]] == SMALL;
    }
    scan->tally->words += 2 * count_bits(begins);
    for (begins ^= last; begins != 0; begins &= begins - 1, ends &= ends - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(begins);
        uint32_t end = (uint32_t)__builtin_ctzll(ends);
        unsigned look = look_of(s[i], s[end - 1], end - i);
        if (scan->title->looks[look] != 0 || scan->learn != NULL) {
            begin_word(scan, at + i, look);
            end_word(scan, at + end, 2);
        }
    }
    if (last != 0) {
        uint32_t i = (uint32_t)__builtin_ctzll(last);
        begin_word(scan, at + i, look_of(s[i], s[n - 1], n - i));
        scan->in_word = IN_WORD;
    }
}

/* Signs among bytes from at on; words: the letters and digits among these. */
static void read_signs(tmpl_scan_t *scan, uint32_t at, uint64_t signs, uint64_t words)
{
    tmpl_tally_t *tally = scan->tally;
    for (; signs != 0; signs &= signs - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(signs);
        unsigned char class = classes[scan->s[at + i]];
        tally->signs += 1;
        tally->commas += class == COMMA;
        if (class == STOP) {
            tally->stops += (uint32_t)is_last(scan, at + i + 1);
            tally->ends |= words >> i == 0;
        }
    }
}

/* Reads n bytes of ASCII without breaks, from bit i of piece on. */
static void read_run(tmpl_scan_t *scan, uint32_t at, const piece_t *piece, uint32_t i, uint32_t n)
{
    tmpl_tally_t *tally = scan->tally;
    uint64_t all = below(n);
    uint64_t words = piece->words >> i & all;
    uint64_t spaces = piece->spaces >> i & all;
    uint64_t signs = all & ~words & ~spaces;
    uint64_t whole = words; /* without the end of a word that began before */
    tally->chars += n - count_bits(spaces);
    tally->digits += count_bits(piece->digits >> i & all);
    if (scan->in_word != NO_WORD) {
        go_on(scan, at, n, words);
        whole = words & (words + (words & 1));
    }
    tally->ends = words != 0 ? 0 : tally->ends;
    if (whole != 0) {
        uint64_t begins = whole & ~(whole << 1);
        tally->capitals += count_bits(begins & piece->capitals >> i);
        read_words(scan, at, n, whole, begins);
    }
    if (signs != 0) {
        read_signs(scan, at, signs, words);
    }
}

/* Reads n bytes, and what the last character has more; returns what is behind. */
static uint32_t read_piece(tmpl_scan_t *scan, uint32_t at, uint32_t n)
{
    piece_t piece = look_at_piece(scan, at, n);
    uint32_t i = 0;
    if (n == PIECE && piece.words >> (PIECE - 1) != 0 && ~piece.words != 0) {
        n -= (uint32_t)__builtin_clzll(
            ~piece.words); /* a word that goes on would be hashed, whatever its looks */
    }
    while (i < n) {
        uint64_t breaks = piece.breaks >> i;
        uint32_t run = breaks != 0 ? (uint32_t)__builtin_ctzll(breaks) : PIECE;
        if (run == 0) {
            i = (scan->s[at + i] < 0x80 ? read_break : read_wide)(scan, at + i) - at;
            continue;
        }
        run = run < n - i ? run : n - i;
        read_run(scan, at + i, &piece, i, run);
        i += run;
    }
    return at + i;
}

void tmpl_tally_span(tmpl_scan_t *scan, tmpl_span_t span)
{
    uint32_t at = span.start;
    scan->end = span.end;
    while (at < span.end) {
        at = read_piece(scan, at, span.end - at < PIECE ? span.end - at : PIECE);
    }
    leave_word(scan, at);
}
