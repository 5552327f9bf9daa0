/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/part_words.h"

#include <pthread.h>
#include <string.h>

#include "base/ascii.h"

/* A phrase ends in '*' if texts that only begin so count, too. */
typedef struct {
    const char *phrase;
    unsigned kind;
} phrase_t;

static const phrase_t phrases[] = {
#define PHRASE(id, text) { text, TMPL_PHRASE_##id },
#include "detect/part_words.def"
#undef PHRASE
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A bit for each hash of the first BEGIN bytes of a phrase: most texts begin with no phrase. */
#define BEGIN 3
#define BITS  65536
static unsigned char begins[BITS / 8];
static pthread_once_t begins_once = PTHREAD_ONCE_INIT;

/* The first BEGIN bytes as a number, in their order; bytes behind a 0 count as 0. */
static unsigned key_of(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    unsigned key = (unsigned)c[0] << 16 | (c[0] != 0 ? (unsigned)c[1] << 8 : 0);
    return key | ((key & 0xFF00) != 0 ? c[2] : 0U);
}

static unsigned hash_of(unsigned key)
{
    return key * 2654435761U >> 16;
}

static void begins_fill(void)
{
    for (unsigned i = 0; i < COUNT(phrases); i++) {
        unsigned hash = hash_of(key_of(phrases[i].phrase));
        begins[hash / 8] |= (unsigned char)(1U << hash % 8);
    }
}

/* The first phrase whose key is not smaller. */
static unsigned first_of(unsigned key)
{
    unsigned low = 0;
    unsigned high = COUNT(phrases);
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (key_of(phrases[middle].phrase) < key) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    return low;
}

/* Adds a byte of text in the form of the phrases. */
static uint32_t add(char *out, uint32_t n, char c)
{
    unsigned char u = (unsigned char)c;
    if (u < 0x80 && !tmpl_is_alpha(c)) {
        if (n > 0 && out[n - 1] != ' ') {
            out[n++] = ' ';
        }
        return n;
    }
    /* capitals of Latin-1 in UTF-8 */
    if (n > 0 && (unsigned char)out[n - 1] == 0xC3 && u >= 0x80 && u < 0x9F && u != 0x97) {
        u = (unsigned char)(u + 0x20);
    }
    out[n++] = u < 0x80 ? tmpl_lower(c) : (char)u;
    return n;
}

static int is(const char *phrase, const char *text)
{
    while (*phrase != '\0' && *phrase == *text) {
        phrase++;
        text++;
    }
    return *phrase == '*' || (*phrase == '\0' && *text == '\0');
}

/*
 * The first most bytes of a block's text, in the form of the phrases, with a 0 behind them. out has
 * room for 4 more.
 */
static void read_text(char *out, const tmpl_page_t *page, const tmpl_block_t *block, uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t s = block->first_segment; s < block->after_segment && n < most; s++) {
        tmpl_span_t span = page->segments[s].span;
        if (page->src[span.start] == '<') {
            continue; /* an image */
        }
        n = s > block->first_segment ? add(out, n, ' ') : n;
        for (uint32_t at = span.start; at < span.end && n < most; at++) {
            n = add(out, n, page->src[at]);
        }
    }
    /* a blank may be behind the text, but before more of it */
    while (n > 0 && n < most && out[n - 1] == ' ') {
        n--;
    }
    memset(out + n, 0, 4);
}

unsigned tmpl_phrases_of(const tmpl_page_t *page, const tmpl_block_t *block)
{
    char text[TMPL_PHRASE_MAX + 4];
    unsigned kinds = 0;
    pthread_once(&begins_once, begins_fill);
    read_text(text, page, block, BEGIN);
    unsigned key = key_of(text);
    unsigned hash = hash_of(key);
    if (!(begins[hash / 8] & 1U << hash % 8)) {
        return 0;
    }
    read_text(text, page, block, TMPL_PHRASE_MAX);
    for (unsigned i = first_of(key); i < COUNT(phrases) && key_of(phrases[i].phrase) == key; i++) {
        kinds |= is(phrases[i].phrase, text) ? phrases[i].kind : 0;
    }
    return kinds;
}
