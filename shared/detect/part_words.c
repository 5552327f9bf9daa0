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

/* [byte]: the phrases that begin with it are phrases[firsts[byte]] and those behind it. */
static unsigned short firsts[257];
static pthread_once_t firsts_once = PTHREAD_ONCE_INIT;

/* The phrases are in the order of their first bytes. */
static void firsts_fill(void)
{
    unsigned i = 0;
    for (unsigned byte = 0; byte < COUNT(firsts); byte++) {
        while (i < COUNT(phrases) && (unsigned char)phrases[i].phrase[0] < byte) {
            i++;
        }
        firsts[byte] = (unsigned short)i;
    }
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

unsigned tmpl_phrases_of(const tmpl_page_t *page, const tmpl_block_t *block)
{
    char text[TMPL_PHRASE_MAX + 2];
    uint32_t n = 0;
    unsigned kinds = 0;
    pthread_once(&firsts_once, firsts_fill);
    for (uint32_t s = block->first_segment; s < block->after_segment && n < TMPL_PHRASE_MAX; s++) {
        tmpl_span_t span = page->segments[s].span;
        if (page->src[span.start] == '<') {
            continue; /* an image */
        }
        n = s > block->first_segment ? add(text, n, ' ') : n;
        for (uint32_t at = span.start; at < span.end && n < TMPL_PHRASE_MAX; at++) {
            n = add(text, n, page->src[at]);
        }
    }
    while (n > 0 && text[n - 1] == ' ') {
        n--;
    }
    text[n] = '\0';
    unsigned first = (unsigned char)text[0];
    for (unsigned i = firsts[first]; n > 0 && i < firsts[first + 1]; i++) {
        kinds |= is(phrases[i].phrase, text) ? phrases[i].kind : 0;
    }
    return kinds;
}
