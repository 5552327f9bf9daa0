/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/tally.h"

#include <string.h>

#include "base/bytes.h"
#include "base/chars.h"

/* Where the scan is. A dense word is one character. */
enum { NO_WORD, IN_WORD, DENSE };

/* The longest name or number of a character reference that is skipped. */
#define REFERENCE_NAME 10

/* The offset behind the character reference at s[at - 1] == '&'; at if there is none. */
static uint32_t skip_reference(const unsigned char *s, uint32_t at, uint32_t end)
{
    uint32_t p = at;
    while (p < end && p - at < REFERENCE_NAME && (tmpl_byte_in_word(s[p]) || s[p] == '#')) {
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

/* Begins a word; may_be_of_title says whether the title has one with this beginning. */
static inline void begin_word(tmpl_tally_scan_t *scan, uint32_t at, int may_be_of_title)
{
    scan->word = at;
    scan->may_be_of_title = may_be_of_title;
}

static inline void begin_wide(tmpl_tally_scan_t *scan, uint32_t at, uint32_t c)
{
    begin_word(scan, at, tmpl_title_begins_wide(&scan->title, c) || scan->learns);
}

/* Ends a word, which counts as `halves` halves of a word, and looks it up in the title. */
static void look_up_word(tmpl_tally_scan_t *scan, uint32_t end, uint32_t halves)
{
    if (scan->learns) {
        tmpl_title_add(&scan->title, scan->s, scan->word, end, scan->end);
    }
    else if (tmpl_title_has(&scan->title, scan->s, scan->word, end, scan->end)) {
        scan->tally->titled += halves;
    }
}

static inline void leave_word(tmpl_tally_scan_t *scan, uint32_t at)
{
    if (scan->in_word == IN_WORD && scan->may_be_of_title) {
        look_up_word(scan, at, 2);
    }
    scan->in_word = NO_WORD;
}

/* A wide character that joins its neighbours to a word. */
static void enter_word(tmpl_tally_scan_t *scan, uint32_t at, uint32_t c)
{
    if (scan->in_word != IN_WORD) {
        begin_wide(scan, at, c);
    }
    scan->tally->words += scan->in_word == NO_WORD ? 2 : 0;
    scan->tally->ends = 0;
    scan->in_word = IN_WORD;
}

static void read_dense(tmpl_tally_scan_t *scan, uint32_t at, uint32_t after, uint32_t c)
{
    leave_word(scan, at);
    scan->tally->words += 1;
    scan->tally->ends = 0;
    begin_wide(scan, at, c);
    if (scan->may_be_of_title) {
        look_up_word(scan, after, 1);
    }
    scan->in_word = DENSE;
}

/* A character beyond ASCII. */
static uint32_t read_wide(tmpl_tally_scan_t *scan, uint32_t at)
{
    tmpl_tally_t *tally = scan->tally;
    uint32_t after = at;
    uint32_t c = tmpl_next_char(scan->s, scan->end, &after);
    if (c == 0xA0) { /* no-break space */
        leave_word(scan, at);
        return after;
    }
    tally->chars += 1;
    if (tmpl_is_dense(c)) {
        read_dense(scan, at, after, c);
    }
    else if (tmpl_is_word(c)) {
        enter_word(scan, at, c);
    }
    else {
        leave_word(scan, at);
        tally->rights |= c == TMPL_COPYRIGHT;
        tally->stops += (uint32_t)tmpl_is_stop(c);
        tally->ends |= (unsigned char)tmpl_is_stop(c);
        tally->commas += (uint32_t)tmpl_is_comma(c);
    }
    return after;
}

/* Whether a sign ends a sentence: only at the end, or in front of white space or a quote. */
static inline int is_last(const tmpl_tally_scan_t *scan, uint32_t at)
{
    return at >= scan->end || tmpl_byte_classes[scan->s[at]] == TMPL_BYTE_SPACE ||
           scan->s[at] == '"' || scan->s[at] == 0xA0;
}

/* __builtin_popcountll is a function call unless the processor is known to have popcnt. */
static inline uint32_t count_bits(uint64_t bits)
{
    if (bits == 0) {
        return 0;
    }
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return (uint32_t)(bits * 0x0101010101010101 >> 56);
}

/* The lowest n bits; n is at most 64. */
static inline uint64_t lowest_bits(uint32_t n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

/* The number of set bits from the lowest one on. */
static inline uint32_t count_run(uint64_t bits)
{
    return ~bits != 0 ? (uint32_t)__builtin_ctzll(~bits) : 64;
}

/* A run of ASCII in a text, as sets of its bytes. */
typedef struct {
    const unsigned char *s; /* the bytes, or a copy; TMPL_TITLE_LETTERS more may be read */
    uint32_t at;            /* offset in the text */
    uint32_t n;
    uint64_t words;
    uint64_t digits;
    uint64_t capitals;
    uint64_t solid;  /* not white space; of a character reference only its first byte */
    uint64_t quotes; /* apostrophes */
    uint64_t signs;
} tally_run_t;

/* Sets of a chunk that tmpl_bytes64 does not find. */
typedef struct {
    uint64_t quotes;
    uint64_t references; /* their first bytes */
    uint64_t tails;      /* their other bytes */
} marks_t;

/* Continues the word in which the run before ended. */
static void go_on_with_word(tmpl_tally_scan_t *scan, const tally_run_t *run)
{
    uint32_t more = count_run(run->words | run->quotes);
    uint32_t first = run->words != 0 ? (uint32_t)__builtin_ctzll(run->words) : 64;
    if (scan->in_word == DENSE && first < more) {
        begin_word(scan, run->at + first, 1);
        scan->in_word = IN_WORD;
    }
    if (more < run->n) {
        leave_word(scan, run->at + more);
    }
}

/* Letters behind an apostrophe that are inside a word: apostrophes do not divide words. */
static inline uint64_t joined_letters(const tally_run_t *run, int in_word)
{
    uint64_t first = (uint64_t)(in_word != NO_WORD);
    uint64_t behind = run->quotes & (run->words << 1 | first);
    /* adding 1 at the first bit of a run carries to the bit behind its last */
    return ((behind + run->quotes) & ~run->quotes) | first;
}

/* Looks up the word that begins at i and ends in this run; may_be: words of the title, as bits. */
static inline void look_up(tmpl_tally_scan_t *scan, const tally_run_t *run, uint32_t i,
                           unsigned may_be)
{
    const tmpl_title_t *title = &scan->title;
    uint32_t len = count_run((run->words | run->quotes) >> i);
    if (scan->learns || run->quotes != 0 || len > TMPL_TITLE_LETTERS) {
        scan->word = run->at + i;
        look_up_word(scan, run->at + i + len, 2);
    }
    else if (may_be & title->lengths[len]) {
        uint64_t letters = tmpl_bytes8((const char *)run->s + i) | TMPL_EACH(0x20);
        letters &= lowest_bits(8 * len);
        scan->tally->titled += tmpl_title_has_letters(title, letters) ? 2 : 0;
    }
}

/* Looks up the words that begin here; the last one may continue behind the run. */
static inline void read_words(tmpl_tally_scan_t *scan, const tally_run_t *run, uint64_t begins)
{
    unsigned all = scan->learns ? 0xFF : 0;
    uint32_t last = 63 - (uint32_t)__builtin_clzll(begins);
    begins ^= (uint64_t)1 << last;
    for (; begins != 0; begins &= begins - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(begins);
        unsigned may_be = tmpl_title_begins(&scan->title, run->s + i) | all;
        if (may_be != 0) {
            look_up(scan, run, i, may_be);
        }
    }
    /* bytes behind a span are not text */
    unsigned may_be = run->at + last + 1 >= scan->end
                          ? 0xFF
                          : tmpl_title_begins(&scan->title, run->s + last) | all;
    if (run->at + run->n < scan->end &&
        count_run((run->words | run->quotes) >> last) >= run->n - last) {
        begin_word(scan, run->at + last, may_be != 0);
        scan->in_word = IN_WORD;
    }
    else if (may_be != 0) {
        look_up(scan, run, last, may_be);
    }
}

static inline void read_signs(tmpl_tally_scan_t *scan, const tally_run_t *run)
{
    tmpl_tally_t *tally = scan->tally;
    for (uint64_t signs = run->signs; signs != 0; signs &= signs - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(signs);
        unsigned char class = tmpl_byte_classes[run->s[i]];
        tally->commas += class == TMPL_BYTE_COMMA;
        if (class == TMPL_BYTE_STOP) {
            tally->stops += (uint32_t)is_last(scan, run->at + i + 1);
            tally->ends |= (unsigned char)(run->words >> i == 0);
        }
    }
}

static inline __attribute__((always_inline)) void read_run(tmpl_tally_scan_t *scan,
                                                           const tally_run_t *run)
{
    tmpl_tally_t *tally = scan->tally;
    uint64_t begins = run->words & ~(run->words << 1);
    tally->chars += count_bits(run->solid);
    tally->digits += count_bits(run->digits);
    tally->signs += count_bits(run->signs);
    if (run->quotes != 0 || scan->in_word != NO_WORD) {
        begins &= ~joined_letters(run, scan->in_word);
        if (scan->in_word != NO_WORD) {
            go_on_with_word(scan, run);
        }
    }
    if (run->words != 0) {
        tally->ends = 0;
    }
    if (begins != 0) {
        if (tally->words == 0) {
            tally->lower = tmpl_byte_classes[run->s[__builtin_ctzll(begins)]] == TMPL_BYTE_SMALL;
        }
        tally->words += 2 * count_bits(begins);
        tally->capitals += count_bits(begins & run->capitals);
        read_words(scan, run, begins);
    }
    read_signs(scan, run);
}

/* Bytes [i, i + n) of a chunk. */
static inline tally_run_t tally_part_of(const tmpl_bytes64_t *chunk, const marks_t *marks,
                                        const unsigned char *s, uint32_t at, uint32_t i, uint32_t n)
{
    uint64_t all = lowest_bits(n);
    uint64_t solid = ~(chunk->spaces | marks->tails) >> i & all;
    uint64_t words = chunk->words >> i & all;
    return (tally_run_t){ .s = s + i,
                          .at = at + i,
                          .n = n,
                          .words = words,
                          .digits = chunk->digits >> i & all,
                          .capitals = chunk->capitals >> i,
                          .solid = solid,
                          .quotes = marks->quotes >> i & all,
                          .signs = solid & ~words & ~(marks->references >> i) };
}

/*
 * The offset behind the reference whose ampersand is at i, if it is one. The fast path is a name
 * and a semicolon.
 */
static inline uint32_t behind_reference(const tmpl_tally_scan_t *scan, const tmpl_bytes64_t *chunk,
                                        uint32_t at, uint32_t i, uint32_t n)
{
    uint32_t name = count_run(chunk->words >> i >> 1);
    if (name > 0 && name <= REFERENCE_NAME && i + 1 + name < n &&
        scan->s[at + i + 1 + name] == ';') {
        return i + name + 2;
    }
    return skip_reference(scan->s, at + i + 1, scan->end) - at;
}

/*
 * Separates apostrophes from references, whose bytes leave the other sets. Returns how many bytes
 * can be read now.
 */
static inline uint32_t find_marks(tmpl_tally_scan_t *scan, marks_t *marks, tmpl_bytes64_t *chunk,
                                  uint32_t at, uint32_t n)
{
    for (uint64_t left = chunk->marks & lowest_bits(n); left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        if (scan->s[at + i] == '\'') {
            marks->quotes |= left & -left;
            continue;
        }
        uint32_t behind = behind_reference(scan, chunk, at, i, n);
        if (behind > n) {
            n = i;
            break;
        }
        if (behind > i + 1) {
            marks->references |= left & -left;
            marks->tails |= lowest_bits(behind) & ~lowest_bits(i + 1);
            scan->tally->rights |=
                (unsigned char)is_copyright(scan->s + at + i + 1, behind - i - 1);
        }
    }
    chunk->words &= ~marks->tails;
    chunk->digits &= ~marks->tails;
    chunk->capitals &= ~marks->tails;
    return n;
}

/*
 * Reads n bytes, some beyond ASCII, and the rest of the last character; returns the offset behind.
 */
static inline uint32_t read_mixed(tmpl_tally_scan_t *scan, const tmpl_bytes64_t *chunk,
                                  const marks_t *marks, const unsigned char *s, uint32_t at,
                                  uint32_t n)
{
    uint32_t i = 0;
    while (i < n) {
        uint64_t wide = chunk->wide >> i;
        uint32_t ascii = wide != 0 ? (uint32_t)__builtin_ctzll(wide) : TMPL_BYTES64;
        if (ascii == 0) {
            i = read_wide(scan, at + i) - at;
            continue;
        }
        ascii = ascii < n - i ? ascii : n - i;
        tally_run_t run = tally_part_of(chunk, marks, s, at, i, ascii);
        read_run(scan, &run);
        i += ascii;
    }
    return at + i;
}

/* Reads at most n bytes, and the rest of the last character; returns the offset behind. */
static inline uint32_t read_chunk(tmpl_tally_scan_t *scan, uint32_t at, uint32_t n)
{
    unsigned char copy[TMPL_BYTES64 + TMPL_TITLE_LETTERS];
    const unsigned char *s = scan->s + at;
    marks_t marks = { 0 };
    if (scan->page->len - at < sizeof(copy)) {
        memset(copy, 0, sizeof(copy));
        s = memcpy(copy, s, n);
    }
    tmpl_bytes64_t chunk = tmpl_bytes64(s, n);
    if ((chunk.marks & lowest_bits(n)) != 0) {
        n = find_marks(scan, &marks, &chunk, at, n);
    }
    uint64_t open = chunk.words | marks.quotes;
    if (n == TMPL_BYTES64 && open >> (TMPL_BYTES64 - 1) != 0 && ~open != 0) {
        n -= (uint32_t)__builtin_clzll(~open); /* the last word may continue in the next chunk */
    }
    if ((chunk.wide & lowest_bits(n)) != 0) {
        return read_mixed(scan, &chunk, &marks, s, at, n);
    }
    tally_run_t run = tally_part_of(&chunk, &marks, s, at, 0, n);
    read_run(scan, &run);
    return at + n;
}

static inline void read_span(tmpl_tally_scan_t *scan, tmpl_span_t span)
{
    uint32_t at = span.start;
    scan->end = span.end;
    while (at < span.end) {
        at = read_chunk(scan, at, span.end - at < TMPL_BYTES64 ? span.end - at : TMPL_BYTES64);
    }
    leave_word(scan, at);
}

/* The link around a node that stands in a link. */
static uint32_t link_of(const tmpl_page_t *page, uint32_t node)
{
    while (node != 0 && page->nodes[node].tag != TMPL_TAG_A) {
        node = page->nodes[node].parent;
    }
    return node;
}

/* Counts a link. */
static inline void read_link(tmpl_tally_t *tally, unsigned in)
{
    tally->links += 1;
    tally->here += (in & TMPL_LINKS_HERE) != 0;
    tally->whole += (in & TMPL_LINKS_WHOLE) != 0;
}

void tmpl_tally_block(tmpl_tally_t *tally, tmpl_tally_scan_t *scan, uint32_t b)
{
    const tmpl_page_t *page = scan->page;
    uint32_t link = TMPL_NONE;
    scan->tally = tally;
    for (uint32_t i = page->blocks[b].first_segment; i < page->blocks[b].after_segment; i++) {
        const tmpl_segment_t *segment = &page->segments[i];
        const tmpl_node_t *node = &page->nodes[segment->node];
        uint32_t words = tally->words;
        if (segment->span.start != node->open.start) {
            read_span(scan, segment->span);
        }
        tally->images += node->tag == TMPL_TAG_IMG;
        if (tmpl_context_of(scan->contexts, segment->node)->in & TMPL_IN_LINK) {
            uint32_t own = link_of(page, segment->node);
            tally->linked += tally->words - words;
            if (own != link) {
                read_link(tally, tmpl_context_of(scan->contexts, own)->in);
            }
            link = own;
        }
    }
}

void tmpl_tally_begin(tmpl_tally_scan_t *scan, const tmpl_page_t *page,
                      const tmpl_contexts_t *contexts)
{
    tmpl_tally_t tally = { 0 };
    *scan = (tmpl_tally_scan_t){ .tally = &tally,
                                 .page = page,
                                 .contexts = contexts,
                                 .s = (const unsigned char *)page->src,
                                 .learns = 1 };
    read_span(scan, page->title);
    scan->titled = tally.words;
    scan->learns = 0;
}
