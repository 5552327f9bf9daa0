/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/part_words.h"

#include <string.h>

#include "base/ascii.h"
#include "base/chars.h"
#include "text/decode.h"

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

/* Most texts do not begin as any phrase does. */
#define BEGIN 3

/* The first BEGIN bytes as a number, in their order; bytes behind a 0 count as 0. */
static unsigned first_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    unsigned key = (unsigned)c[0] << 16 | (c[0] != 0 ? (unsigned)c[1] << 8 : 0);
    return key | ((key & 0xFF00) != 0 ? c[2] : 0U);
}

/* The first phrase whose key is not smaller. */
static unsigned first_phrase(unsigned key)
{
    unsigned low = 0;
    unsigned high = COUNT(phrases);
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (first_bytes(phrases[middle].phrase) < key) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    return low;
}

/* Spaces, punctuation, arrows and other signs; digits, too. */
static int is_no_letter(uint32_t c)
{
    return c < 0x80 ? !tmpl_is_alpha((char)c)
                    : c < 0xC0 || c == 0xD7 || (c >= 0x2000 && c < 0x2C00) ||
                          (c >= 0x3000 && c < 0x3020 && (c < 0x3005 || c > 0x3007)) ||
                          (c > 0xFF00 && c < 0xFF21);
}

/* Adds a character of text in the form of the phrases. */
static uint32_t add_in_form(char *out, uint32_t n, uint32_t c)
{
    if (is_no_letter(c)) {
        if (n > 0 && out[n - 1] != ' ') {
            out[n++] = ' ';
        }
        return n;
    }
    if (c < 0x80) {
        out[n++] = tmpl_lower((char)c);
        return n;
    }
    return n + tmpl_utf8_put(out + n, tmpl_small_letter(c));
}

/* The character at *at, which is moved behind it. */
static uint32_t next(const char *src, uint32_t end, uint32_t *at)
{
    unsigned char c = (unsigned char)src[*at];
    if (c >= 0x80) {
        return tmpl_next_char((const unsigned char *)src, end, at);
    }
    tmpl_reference_t reference = { { 0 }, 0 };
    if (c == '&') {
        reference = tmpl_reference_read(src + *at, end - *at, TMPL_IN_TEXT);
    }
    *at += reference.used > 0 ? (uint32_t)reference.used : 1;
    return reference.used > 0 ? reference.codes[0] : c;
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
 * The first most bytes of a block's text, in the form of the phrases, and the rest of a character,
 * with a 0 behind them. out has room for 8 more. Returns whether digits are among what was read.
 */
static int read_in_form(char *out, const tmpl_page_t *page, const tmpl_block_t *block,
                        uint32_t most)
{
    uint32_t n = 0;
    int digits = 0;
    for (uint32_t s = block->first_segment; s < block->after_segment && n < most; s++) {
        tmpl_span_t span = page->segments[s].span;
        if (page->src[span.start] == '<') {
            continue; /* an image */
        }
        n = s > block->first_segment ? add_in_form(out, n, ' ') : n;
        for (uint32_t at = span.start; at < span.end && n < most;) {
            uint32_t c = next(page->src, span.end, &at);
            digits |= c >= '0' && c <= '9';
            n = add_in_form(out, n, c);
        }
    }
    /* a blank may be behind the text, but before more of it */
    while (n > 0 && n < most && out[n - 1] == ' ') {
        n--;
    }
    memset(out + n, 0, 4);
    return digits;
}

unsigned tmpl_phrases_of(const tmpl_page_t *page, const tmpl_block_t *block)
{
    char text[TMPL_PHRASE_MAX + 8];
    unsigned kinds = 0;
    read_in_form(text, page, block, BEGIN);
    unsigned key = first_bytes(text);
    unsigned first = first_phrase(key);
    if (first == COUNT(phrases) || first_bytes(phrases[first].phrase) != key) {
        return 0;
    }
    int digits = read_in_form(text, page, block, TMPL_PHRASE_MAX);
    if (digits && strlen(text) < BEGIN) {
        return 0; /* "2 x 30 cm", "79 AD", "Go 1.22": no button and no advertisement */
    }
    for (unsigned i = first; i < COUNT(phrases) && first_bytes(phrases[i].phrase) == key; i++) {
        kinds |= is(phrases[i].phrase, text) ? phrases[i].kind : 0;
    }
    return kinds;
}

int tmpl_ends_in(const tmpl_page_t *page, tmpl_span_t span, const char *sign)
{
    uint32_t n = (uint32_t)strlen(sign);
    while (span.end > span.start && (unsigned char)page->src[span.end - 1] <= ' ') {
        span.end--;
    }
    return tmpl_span_len(span) >= n && memcmp(page->src + span.end - n, sign, n) == 0;
}
