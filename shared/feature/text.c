/* SPDX-License-Identifier: Apache-2.0 */
/* What a block's text says of itself: counts of words, sentences and signs, in any script. */
#include <string.h>

#include <apr_lib.h>

#include "feature/reading.h"
#include "page/attr.h"

#define COPYRIGHT 0xA9

/* What the scan stands in. A dense word is one character. */
enum { NO_WORD, IN_WORD, DENSE };

/* The next character of UTF-8; a byte that is none stands for itself. */
static uint32_t next_char(const unsigned char *s, uint32_t end, uint32_t *at)
{
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
    *at += more;
    return code;
}

static int is_one_of(uint32_t c, const uint32_t *table)
{
    while (*table != 0 && *table != c) {
        table++;
    }
    return *table != 0;
}

static const uint32_t stops[] = { '.',
                                  '!',
                                  '?',
                                  0x2026 /* ellipsis */,
                                  0x3002,
                                  0xFF01,
                                  0xFF1F /* CJK */,
                                  0x0964 /* danda */,
                                  0x06D4,
                                  0x061F /* Arabic */,
                                  0 };
static const uint32_t commas[] = { ',', ';', 0x3001, 0xFF0C /* CJK */, 0x060C /* Arabic */, 0 };

/* Scripts without spaces: kana, CJK ideographs, Thai. */
static int is_dense(uint32_t c)
{
    return (c >= 0x3040 && c <= 0x9FFF) || (c >= 0x0E00 && c <= 0x0E7F) ||
           (c >= 0x20000 && c <= 0x2FFFF);
}

static int is_ascii_of(uint32_t c, int (*type)(int))
{
    return c < 128 && type((int)c) != 0;
}

static int is_space(uint32_t c)
{
    return is_ascii_of(c, isspace) || c == 0xA0;
}

static int is_word(uint32_t c)
{
    return c < 128 ? isalnum((int)c) : (c < 0x2000 || c > 0x206F) && c != COPYRIGHT;
}

/* Behind a character reference at s[at - 1] == '&'; at if there is none. */
static uint32_t skip_reference(const unsigned char *s, uint32_t at, uint32_t end)
{
    uint32_t p = at;
    while (p < end && p - at < 10 && (isalnum(s[p]) || s[p] == '#')) {
        p++;
    }
    return p < end && p > at && s[p] == ';' ? p + 1 : at;
}

static int is_copyright(const unsigned char *reference, uint32_t len)
{
    static const char *const names[] = { "copy;", "#169;", "COPY;", "#xa9;", "#xA9;" };
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (len == 5 && memcmp(reference, names[i], len) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The words of the page's title, by hash. */
typedef struct {
    uint32_t *words;
    uint32_t n;
    uint32_t room;
} title_t;

/* A text while it is read. */
typedef struct {
    tmpl_tally_t *tally;
    unsigned char *ends;
    unsigned char *lower;
    int in_word;
    uint32_t hash;        /* of the word so far */
    const title_t *title; /* its words are looked up there */
    title_t *learn;       /* or put there */
} scan_t;

/* A word is over: is it of the title? */
static void end_word(scan_t *scan, double weight)
{
    if (scan->learn != NULL && scan->learn->n < scan->learn->room) {
        scan->learn->words[scan->learn->n++] = scan->hash;
    }
    for (uint32_t i = 0; scan->title != NULL && i < scan->title->n; i++) {
        if (scan->title->words[i] == scan->hash) {
            scan->tally->titled += weight;
            break;
        }
    }
}

static void leave_word(scan_t *scan)
{
    if (scan->in_word == IN_WORD) {
        end_word(scan, 1);
    }
    scan->in_word = NO_WORD;
}

static void word_char(scan_t *scan, uint32_t c)
{
    tmpl_tally_t *tally = scan->tally;
    *scan->ends = 0;
    tally->digits += is_ascii_of(c, isdigit);
    if (is_dense(c)) {
        leave_word(scan);
        tally->words += 0.5;
        scan->hash = c;
        end_word(scan, 0.5);
        scan->in_word = DENSE;
        return;
    }
    if (scan->in_word == NO_WORD) {
        if (tally->words == 0) {
            *scan->lower = (unsigned char)is_ascii_of(c, islower);
        }
        tally->words += 1;
        tally->capitals += is_ascii_of(c, isupper);
    }
    scan->hash = (scan->in_word == IN_WORD ? scan->hash : 0) * 31 +
                 (c < 128 ? (unsigned char)tmpl_lower((char)c) : c);
    scan->in_word = IN_WORD;
}

/* last: nothing, or white space or a quote, follows */
static void sign(scan_t *scan, uint32_t c, int last)
{
    tmpl_tally_t *tally = scan->tally;
    tally->signs += c < 128;
    if (c != '\'') {
        leave_word(scan);
    }
    if (is_one_of(c, stops)) {
        tally->stops += c > 127 || last;
        *scan->ends = 1;
    }
    else if (is_one_of(c, commas)) {
        tally->commas += 1;
    }
}

static void read_span(scan_t *scan, const unsigned char *s, tmpl_span_t span)
{
    uint32_t at = span.start;
    while (at < span.end) {
        if (s[at] < 128 && apr_isalnum(s[at])) { /* most are */
            scan->tally->chars += 1;
            word_char(scan, s[at++]);
            continue;
        }
        uint32_t c = next_char(s, span.end, &at);
        uint32_t behind = c == '&' ? skip_reference(s, at, span.end) : at;
        if (is_space(c) || behind > at) {
            leave_word(scan);
            scan->tally->chars += behind > at;
            scan->tally->rights += is_copyright(s + at, behind - at);
            at = behind;
            continue;
        }
        scan->tally->chars += 1;
        scan->tally->rights += c == COPYRIGHT;
        if (!is_one_of(c, stops) && !is_one_of(c, commas) && is_word(c)) {
            word_char(scan, c);
        }
        else {
            sign(scan, c, at >= span.end || is_space(s[at]) || s[at] == '"');
        }
    }
    leave_word(scan);
}

/* The link around a node, which is known to stand in one. */
static uint32_t link_of(const tmpl_page_t *page, uint32_t node)
{
    while (node != 0 && page->nodes[node].tag != TMPL_TAG_A) {
        node = page->nodes[node].parent;
    }
    return node;
}

/* Where a link goes. */
static void read_link(tmpl_tally_t *tally, const tmpl_page_t *page, uint32_t link)
{
    tmpl_attr_t href;
    tally->links += 1;
    if (tmpl_attr_find(&href, page->src, page->nodes[link].open, "href") &&
        tmpl_span_len(href.value) > 0) {
        const char *value = page->src + href.value.start;
        uint32_t len = tmpl_span_len(href.value);
        tally->here += value[0] == '#';
        tally->whole += len > 8 && (memcmp(value, "//", 2) == 0 || memcmp(value, "http", 4) == 0);
    }
}

static void read_block(tmpl_reading_t *reading, uint32_t b, const uint32_t *uses,
                       const title_t *title)
{
    const tmpl_page_t *page = reading->page;
    tmpl_tally_t *tally = &reading->blocks[b];
    scan_t scan = {
        .tally = tally, .ends = &reading->ends[b], .lower = &reading->lower[b], .title = title
    };
    uint32_t link = TMPL_NONE;
    for (uint32_t i = page->blocks[b].first_segment; i < page->blocks[b].after_segment; i++) {
        const tmpl_segment_t *segment = &page->segments[i];
        const tmpl_node_t *node = &page->nodes[segment->node];
        double words = tally->words;
        if (segment->span.start != node->open.start) {
            read_span(&scan, (const unsigned char *)page->src, segment->span);
        }
        tally->images += node->tag == TMPL_TAG_IMG;
        tally->length += segment->length;
        tally->again += uses[segment->key] > 1 ? segment->length : 0;
        if (reading->around[segment->node].in & TMPL_IN_LINK) {
            uint32_t own = link_of(page, segment->node);
            tally->linked += tally->words - words;
            if (own != link) {
                read_link(tally, page, own);
            }
            link = own;
        }
    }
    double plain = tally->words - tally->linked;
    tally->long_text = plain >= TMPL_LONG_TEXT ? plain : 0;
}

/* Blocks to the nearest long text, on either side. */
static void measure_distances(tmpl_reading_t *reading)
{
    uint32_t n = reading->page->n_blocks;
    uint32_t far = n;
    for (uint32_t b = 0; b < n; b++) {
        far = reading->blocks[b].long_text > 0 ? 0 : far < n ? far + 1 : n;
        reading->last[b] = far;
    }
    far = n;
    for (uint32_t b = n; b-- > 0;) {
        far = reading->blocks[b].long_text > 0 ? 0 : far < n ? far + 1 : n;
        reading->next[b] = far;
    }
}

/* Words of a title beyond these are not looked at. */
#define TITLE_MAX 64

static void read_title(tmpl_reading_t *reading, title_t *title)
{
    const tmpl_page_t *page = reading->page;
    tmpl_tally_t tally = { 0 };
    unsigned char ends;
    unsigned char lower;
    scan_t scan = { .tally = &tally, .ends = &ends, .lower = &lower, .learn = title };
    read_span(&scan, (const unsigned char *)page->src, page->title);
    reading->title = tally.words;
}

void tmpl_read_text(tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    uint32_t words[TITLE_MAX];
    title_t title = { words, 0, TITLE_MAX };
    uint32_t *uses = apr_pcalloc(pool, (page->n_keys + 1) * sizeof(*uses));
    for (uint32_t i = 0; i < page->n_segments; i++) {
        uses[page->segments[i].key]++;
    }
    read_title(reading, &title);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        read_block(reading, b, uses, &title);
    }
    tmpl_tally_sum(reading->before, reading->blocks, page->n_blocks);
    measure_distances(reading);
}

void tmpl_tally_sum(tmpl_tally_t *before, const tmpl_tally_t *blocks, uint32_t n)
{
    before[0] = (tmpl_tally_t){ 0 };
    for (uint32_t b = 0; b < n; b++) {
#define TMPL_TALLY(name) before[b + 1].name = before[b].name + blocks[b].name;
        TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    }
}

tmpl_tally_t tmpl_tally_between(const tmpl_tally_t *before, uint32_t first, uint32_t after)
{
    tmpl_tally_t between;
#define TMPL_TALLY(name) between.name = before[after].name - before[first].name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    return between;
}
