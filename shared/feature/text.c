/* SPDX-License-Identifier: Apache-2.0 */
/* What a block's text says of itself: counts of words, sentences and signs, in any script. */
#include <limits.h>
#include <string.h>

#include <apr_lib.h>

#include "feature/reading.h"

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
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (len == 5 && memcmp(reference, names[i], len) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The words of the page's title, by hash. */
typedef struct {
    uint64_t some; /* bit n: a word's hash ends in n */
    uint32_t *words;
    uint32_t n;
    uint32_t room;
} title_t;

/* A text while it is read. */
typedef struct {
    tmpl_tally_t *tally;
    const unsigned char *s;
    uint32_t end;
    int in_word;
    uint32_t hash;        /* of the word so far */
    uint64_t some;        /* bit n: a word whose hash ends in n may be of interest */
    const title_t *title; /* its words are looked up there */
    title_t *learn;       /* or put there */
} scan_t;

static int is_of_title(const title_t *title, uint32_t hash)
{
    uint32_t i = 0;
    while (i < title->n && title->words[i] != hash) {
        i++;
    }
    return i < title->n;
}

/* A word of so many halves is over: is it of the title? */
static void end_word(scan_t *scan, uint32_t hash, uint32_t halves)
{
    title_t *learn = scan->learn;
    if ((scan->some >> hash % 64 & 1) == 0) {
        return; /* most are not */
    }
    if (learn != NULL) {
        if (learn->n < learn->room) {
            learn->words[learn->n++] = hash;
            learn->some |= (uint64_t)1 << hash % 64;
        }
    }
    else if (is_of_title(scan->title, hash)) {
        scan->tally->titled += halves;
    }
}

static void leave_word(scan_t *scan)
{
    if (scan->in_word == IN_WORD) {
        end_word(scan, scan->hash, 2);
    }
    scan->in_word = NO_WORD;
}

static uint32_t digits_in(const unsigned char *s, const unsigned char *end)
{
    uint32_t n = 0;
    for (; s < end; s++) {
        n += classes[*s] == DIGIT;
    }
    return n;
}

/*
 * Words of letters and digits of ASCII with white space between them, which most text is, from a letter or
 * digit on. Returns where something else stands; the word before that may go on.
 */
static uint32_t read_words(scan_t *scan, uint32_t at)
{
    tmpl_tally_t *tally = scan->tally;
    const unsigned char *p = scan->s + at;
    const unsigned char *end = scan->s + scan->end;
    uint32_t hash = scan->in_word == IN_WORD ? scan->hash : 0;
    uint32_t halves = scan->in_word == NO_WORD ? 2 : 0; /* the first one may have begun before */
    tally->ends = 0;
    if (tally->words == 0) {
        tally->lower = classes[*p] == SMALL;
    }
    for (;;) {
        const unsigned char *begin = p;
        unsigned char class = classes[*p];
        unsigned char kinds = 0;
        tally->words += halves;
        tally->capitals += halves != 0 && class == CAPITAL;
        do {
            hash = hash * 31 + (*p | 0x20U); /* capitals as small letters */
            kinds |= class;
        } while (++p < end && (class = classes[*p]) >= SMALL);
        tally->chars += (uint32_t)(p - begin);
        tally->digits += kinds & DIGIT ? digits_in(begin, p) : 0;
        if (p == end || class != SPACE) {
            scan->in_word = IN_WORD;
            scan->hash = hash;
            break;
        }
        end_word(scan, hash, 2);
        hash = 0;
        halves = 2;
        while (++p < end && classes[*p] == SPACE) {
        }
        if (p == end || classes[*p] < SMALL) {
            scan->in_word = NO_WORD;
            break;
        }
    }
    return (uint32_t)(p - scan->s);
}

/* A wide character that is part of a word with its neighbours: the first one counts. */
static void enter_word(scan_t *scan, uint32_t c)
{
    tmpl_tally_t *tally = scan->tally;
    tally->words += scan->in_word == NO_WORD ? 2 : 0;
    tally->ends = 0;
    scan->hash = (scan->in_word == IN_WORD ? scan->hash : 0) * 31 + c;
    scan->in_word = IN_WORD;
}

static void read_dense(scan_t *scan, uint32_t c)
{
    leave_word(scan);
    scan->tally->words += 1;
    scan->tally->ends = 0;
    end_word(scan, c, 1);
    scan->in_word = DENSE;
}

/* A character that is none of ASCII's. */
static uint32_t read_wide(scan_t *scan, uint32_t at)
{
    tmpl_tally_t *tally = scan->tally;
    uint32_t c = next_char(scan->s, scan->end, &at);
    if (c == 0xA0) { /* a space that does not break */
        leave_word(scan);
        return at;
    }
    tally->chars += 1;
    if (is_dense(c)) {
        read_dense(scan, c);
    }
    else if (is_word(c)) {
        enter_word(scan, c);
    }
    else {
        leave_word(scan);
        tally->rights |= c == COPYRIGHT;
        tally->stops += (uint32_t)is_stop(c);
        tally->ends |= (unsigned char)is_stop(c);
        tally->commas += (uint32_t)is_comma(c);
    }
    return at;
}

/* A sign ends a sentence only if nothing, or white space or a quote, follows. */
static int is_last(const scan_t *scan, uint32_t at)
{
    return at >= scan->end || classes[scan->s[at]] == SPACE || scan->s[at] == '"' ||
           scan->s[at] == 0xA0;
}

static uint32_t read_sign(scan_t *scan, uint32_t at)
{
    tmpl_tally_t *tally = scan->tally;
    unsigned char class = classes[scan->s[at++]];
    tally->chars += 1;
    if (class != APOSTROPHE) {
        leave_word(scan);
    }
    if (class == REFERENCE) {
        uint32_t behind = skip_reference(scan->s, at, scan->end);
        if (behind > at) {
            tally->rights |= (unsigned char)is_copyright(scan->s + at, behind - at);
            return behind;
        }
    }
    tally->signs += 1;
    if (class == STOP) {
        tally->stops += (uint32_t)is_last(scan, at);
        tally->ends = 1;
    }
    tally->commas += class == COMMA;
    return at;
}

static void read_span(scan_t *scan, tmpl_span_t span)
{
    uint32_t at = span.start;
    scan->end = span.end;
    while (at < span.end) {
        unsigned char class = classes[scan->s[at]];
        if (class >= SMALL) {
            at = read_words(scan, at);
        }
        else if (class == SPACE) {
            leave_word(scan);
            at++;
        }
        else {
            at = class == WIDE ? read_wide(scan, at) : read_sign(scan, at);
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

/* A link that is seen first. */
static void read_link(tmpl_tally_t *tally, unsigned in)
{
    tally->links += 1;
    tally->here += (in & TMPL_LINKS_HERE) != 0;
    tally->whole += (in & TMPL_LINKS_WHOLE) != 0;
}

/* Which segments stand on the page more than once, by key. */
static void find_again(unsigned char *uses, const tmpl_page_t *page)
{
    enum { ONCE = 1, AGAIN = 2 };
    memset(uses, 0, page->n_keys);
    for (uint32_t i = 0; i < page->n_segments; i++) {
        unsigned char *use = &uses[page->segments[i].key];
        *use = *use == 0 ? ONCE : AGAIN;
    }
    for (uint32_t i = 0; i < page->n_keys; i++) {
        uses[i] = uses[i] == AGAIN;
    }
}

static void read_block(tmpl_tally_t *tally, const tmpl_reading_t *reading, uint32_t b,
                       const title_t *title)
{
    const tmpl_page_t *page = reading->page;
    scan_t scan = {
        .tally = tally, .s = (const unsigned char *)page->src, .some = title->some, .title = title
    };
    uint32_t link = TMPL_NONE;
    for (uint32_t i = page->blocks[b].first_segment; i < page->blocks[b].after_segment; i++) {
        const tmpl_segment_t *segment = &page->segments[i];
        const tmpl_node_t *node = &page->nodes[segment->node];
        uint32_t words = tally->words;
        if (segment->span.start != node->open.start) {
            read_span(&scan, segment->span);
        }
        tally->images += node->tag == TMPL_TAG_IMG;
        if (tmpl_place(reading, segment->node)->in & TMPL_IN_LINK) {
            uint32_t own = link_of(page, segment->node);
            tally->linked += tally->words - words;
            if (own != link) {
                read_link(tally, tmpl_place(reading, own)->in);
            }
            link = own;
        }
    }
}

/* Keeps what is not in the sums. */
static void keep(tmpl_reading_t *reading, uint32_t b, const tmpl_tally_t *tally)
{
    tmpl_small_t *small = &reading->blocks[b];
    uint32_t bits = 0;
    *small = (tmpl_small_t){ .marks = (unsigned char)((tally->rights ? TMPL_MARK_RIGHTS : 0) |
                                                      (tally->ends ? TMPL_MARK_ENDS : 0) |
                                                      (tally->lower ? TMPL_MARK_LOWER : 0)) };
#define TMPL_TALLY(name) bits |= tally->name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
    if (bits > UCHAR_MAX) {
        uint32_t index = (uint32_t)reading->large->nelts;
        memcpy(small, &index, sizeof(index));
        small->marks |= TMPL_MARK_LARGE;
        APR_ARRAY_PUSH(reading->large, tmpl_tally_t) = *tally;
        return;
    }
#define TMPL_TALLY(name) small->name = (unsigned char)tally->name;
    TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
}

tmpl_tally_t tmpl_tally_of(const tmpl_reading_t *reading, uint32_t b)
{
    const tmpl_small_t *small = &reading->blocks[b];
    if (small->marks & TMPL_MARK_LARGE) {
        uint32_t index;
        memcpy(&index, small, sizeof(index));
        return APR_ARRAY_IDX(reading->large, index, tmpl_tally_t);
    }
    tmpl_sums_t sums = tmpl_sums_between(reading->before, b, b + 1);
    return (tmpl_tally_t){ .words = sums.words,
                           .linked = sums.linked,
#define TMPL_TALLY(name) .name = small->name,
                           TMPL_TALLIES(TMPL_TALLY)
#undef TMPL_TALLY
                               .rights = (small->marks & TMPL_MARK_RIGHTS) != 0,
                           .ends = (small->marks & TMPL_MARK_ENDS) != 0,
                           .lower = (small->marks & TMPL_MARK_LOWER) != 0 };
}

/* Words of a title beyond these are not looked at. */
#define TITLE_MAX 64

static void read_title(tmpl_reading_t *reading, title_t *title)
{
    const tmpl_page_t *page = reading->page;
    tmpl_tally_t tally = { 0 };
    scan_t scan = {
        .tally = &tally, .s = (const unsigned char *)page->src, .some = ~(uint64_t)0, .learn = title
    };
    read_span(&scan, page->title);
    reading->title = tally.words;
}

void tmpl_read_text(tmpl_reading_t *reading, apr_pool_t *pool)
{
    const tmpl_page_t *page = reading->page;
    uint32_t words[TITLE_MAX];
    title_t title = { 0, words, 0, TITLE_MAX };
    tmpl_sums_t sums = { 0 }; /* those of what the table says stay 0 */
    uint32_t long_text = 0;
    find_again(reading->again, page);
    reading->longs = apr_array_make(pool, 32, sizeof(tmpl_long_t));
    reading->large = apr_array_make(pool, 16, sizeof(tmpl_tally_t));
    read_title(reading, &title);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        tmpl_tally_t tally = { 0 };
        read_block(&tally, reading, b, &title);
        keep(reading, b, &tally);
        uint32_t plain = tally.words - tally.linked;
        reading->before[b] = sums;
        sums.words += tally.words;
        sums.linked += tally.linked;
        sums.length += page->blocks[b].length;
        if (plain >= TMPL_LONG_TEXT) {
            APR_ARRAY_PUSH(reading->longs, tmpl_long_t) = (tmpl_long_t){ b, long_text };
            long_text += plain;
        }
    }
    reading->before[page->n_blocks] = sums;
    APR_ARRAY_PUSH(reading->longs, tmpl_long_t) = (tmpl_long_t){ page->n_blocks, long_text };
}
