/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/echo.h"

#include <string.h>

#include <apr_strings.h>
#include <xxhash.h>

#include "base/ascii.h"

/* The hashes of words, under a secret seed: nobody can choose words that fall into one slot. */
typedef struct {
    uint64_t *slots; /* 0: an empty slot */
    uint64_t mask;   /* the number of slots, a power of two, less one */
    uint64_t seed;
} words_t;

typedef struct {
    uint64_t hash; /* not 0 */
    uint32_t length;
} word_t;

static int is_word(char c)
{
    return tmpl_is_alnum(c) || (unsigned char)c >= 0x80;
}

/* The next word of *at, which it moves behind the word; length 0: there is none. */
static word_t request_word(const char **at, const char *end, uint64_t seed)
{
    while (*at < end && !is_word(**at)) {
        ++*at;
    }
    const char *start = *at;
    while (*at < end && is_word(**at)) {
        ++*at;
    }
    uint32_t length = (uint32_t)(*at - start);
    return (word_t){ XXH3_64bits_withSeed(start, length, seed) | 1, length };
}

/* The slot of a word, or the empty slot for it. */
static uint64_t *word_slot(const words_t *words, uint64_t hash)
{
    uint64_t i = (hash >> 1) & words->mask;
    while (words->slots[i] != 0 && words->slots[i] != hash) {
        i = (i + 1) & words->mask;
    }
    return &words->slots[i];
}

/* Decodes %XX in place. */
static void percent_decode(char *text)
{
    char *out = text;
    for (const char *in = text; *in != '\0'; in++) {
        int byte = tmpl_escaped_byte(in);
        *out++ = (char)(byte >= 0 ? byte : *in);
        in += byte >= 0 ? 2 : 0;
    }
    *out = '\0';
}

static words_t words_brought(const char *text, uint64_t seed, apr_pool_t *pool)
{
    const char *end = text + strlen(text);
    uint64_t n = 256;
    while (n < (uint64_t)(end - text)) { /* a word takes two bytes: half of the slots is empty */
        n *= 2;
    }
    words_t words = { apr_pcalloc(pool, n * sizeof(uint64_t)), n - 1, seed };
    for (word_t word = request_word(&text, end, seed); word.length > 0;
         word = request_word(&text, end, seed)) {
        *word_slot(&words, word.hash) = word.hash;
    }
    return words;
}

static int is_echo(const words_t *words, const char *text, const char *end)
{
    uint64_t all = 0, brought = 0;
    for (word_t word = request_word(&text, end, words->seed); word.length > 0;
         word = request_word(&text, end, words->seed)) {
        all += word.length;
        brought += *word_slot(words, word.hash) == word.hash ? word.length : 0;
    }
    return brought * 2 > all;
}

static const char *if_long(const char *text, size_t least)
{
    return text != NULL && strlen(text) >= least ? text : "";
}

void tmpl_echoes_empty(tmpl_observation_t *observation, const tmpl_page_t *page,
                       const tmpl_brought_t *brought, uint64_t seed, apr_pool_t *pool)
{
    char *text = apr_pstrcat(pool, if_long(brought->uri, brought->least), " ",
                             if_long(brought->fields, brought->least), NULL);
    if (text[1] == '\0') {
        return;
    }
    percent_decode(text);
    words_t words = words_brought(text, seed, pool);
    tmpl_share_t *shares =
        apr_pmemdup(pool, observation->shares, observation->n_shares * sizeof(*shares));
    for (uint32_t i = 0; i < page->n_segments; i++) {
        tmpl_span_t span = page->segments[i].span;
        if (is_echo(&words, page->src + span.start, page->src + span.end)) {
            shares[i].length = 0;
        }
    }
    observation->shares = shares;
}
