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

/* ---- words: FNV-1a of their letters in lower case, without apostrophes ---- */

#define NO_LETTERS 2166136261

static inline uint32_t hash_add(uint32_t hash, uint32_t c)
{
    return (hash ^ c) * 16777619;
}

/* A set of 64 that few other words are in. */
static inline uint64_t bit_of(uint32_t hash)
{
    return (uint64_t)1 << (hash >> 26);
}

/* Ends a word, which counts as `halves` halves of a word, and looks it up in the title. */
static inline void end_word(tmpl_tally_scan_t *scan, uint32_t halves)
{
    tmpl_title_t *title = &scan->title;
    if (scan->learns && title->n < TMPL_TITLE_WORDS) {
        title->hashes[title->n++] = scan->hash;
        title->some |= bit_of(scan->hash);
    }
    else if (title->some & bit_of(scan->hash)) {
        uint32_t i = 0;
        while (i < title->n && title->hashes[i] != scan->hash) {
            i++;
        }
        scan->tally->titled += i < title->n ? halves : 0;
    }
}

static inline void leave_word(tmpl_tally_scan_t *scan)
{
    if (scan->in_word == IN_WORD) {
        end_word(scan, 2);
    }
    scan->in_word = NO_WORD;
}

/* ---- characters ---- */

/*
 * Letters and digits of ASCII, at least one; returns the offset behind. Behind a dense word they
 * begin none that counts.
 */
static inline uint32_t read_letters(tmpl_tally_scan_t *scan, uint32_t at)
{
    tmpl_tally_t *tally = scan->tally;
    uint32_t begin = at, digits = 0, hash = scan->in_word == IN_WORD ? scan->hash : NO_LETTERS;
    unsigned class = tmpl_byte_classes[scan->s[at]];
    if (scan->in_word == NO_WORD) {
        tally->lower = tally->words == 0 ? class == TMPL_BYTE_SMALL : tally->lower;
        tally->words += 2;
        tally->capitals += class == TMPL_BYTE_CAPITAL;
    }
    do {
        hash = hash_add(hash, scan->s[at] | 0x20);
        digits += class == TMPL_BYTE_DIGIT;
        at++;
    } while (at < scan->end && (class = tmpl_byte_classes[scan->s[at]]) >= TMPL_BYTE_SMALL);
    scan->hash = hash;
    scan->in_word = IN_WORD;
    tally->chars += at - begin;
    tally->digits += digits;
    tally->ends = 0;
    return at;
}

/* A wide character that joins its neighbours to a word. */
static void enter_word(tmpl_tally_scan_t *scan, uint32_t c)
{
    scan->hash = hash_add(scan->in_word == IN_WORD ? scan->hash : NO_LETTERS, c);
    scan->tally->words += scan->in_word == NO_WORD ? 2 : 0;
    scan->tally->ends = 0;
    scan->in_word = IN_WORD;
}

static void read_dense(tmpl_tally_scan_t *scan, uint32_t c)
{
    leave_word(scan);
    scan->tally->words += 1;
    scan->tally->ends = 0;
    scan->hash = hash_add(NO_LETTERS, c);
    end_word(scan, 1);
    scan->in_word = DENSE;
}

/* A character beyond ASCII; returns the offset behind. */
static uint32_t read_wide(tmpl_tally_scan_t *scan, uint32_t at)
{
    tmpl_tally_t *tally = scan->tally;
    uint32_t after = at;
    uint32_t c = tmpl_next_char(scan->s, scan->end, &after);
    if (c == 0xA0) { /* no-break space */
        leave_word(scan);
        return after;
    }
    tally->chars += 1;
    if (tmpl_is_dense(c)) {
        read_dense(scan, c);
    }
    else if (tmpl_is_word(c)) {
        enter_word(scan, c);
    }
    else {
        leave_word(scan);
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

/*
 * A sign of ASCII in front of at, which may begin a character reference; returns the offset behind.
 * Apostrophes do not divide words.
 */
static uint32_t read_sign(tmpl_tally_scan_t *scan, uint32_t at, unsigned class)
{
    tmpl_tally_t *tally = scan->tally;
    tally->chars++;
    if (class != TMPL_BYTE_APOSTROPHE) {
        leave_word(scan);
    }
    uint32_t behind = class == TMPL_BYTE_REFERENCE ? skip_reference(scan->s, at, scan->end) : at;
    if (behind > at) {
        tally->rights |= (unsigned char)is_copyright(scan->s + at, behind - at);
        return behind;
    }
    tally->signs++;
    tally->commas += class == TMPL_BYTE_COMMA;
    if (class == TMPL_BYTE_STOP) {
        tally->stops += (uint32_t)is_last(scan, at);
        tally->ends = 1;
    }
    return at;
}

static void read_span(tmpl_tally_scan_t *scan, tmpl_span_t span)
{
    scan->end = span.end;
    for (uint32_t at = span.start; at < span.end;) {
        unsigned class = tmpl_byte_classes[scan->s[at]];
        if (class >= TMPL_BYTE_SMALL) {
            at = read_letters(scan, at);
        }
        else if (class == TMPL_BYTE_SPACE) {
            leave_word(scan);
            at++;
        }
        else {
            at = class == TMPL_BYTE_WIDE ? read_wide(scan, at) : read_sign(scan, at + 1, class);
        }
    }
    leave_word(scan);
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
