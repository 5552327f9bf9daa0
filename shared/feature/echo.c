/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/echo.h"

#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"
#include "base/hash.h"

static int is_word(char c)
{
    return tmpl_is_alnum(c) || (unsigned char)c >= 0x80;
}

/* The next word of [at, end), as a span of its bytes from at on; empty: there is none. */
static tmpl_span_t next_word_of(const char *at, const char *end)
{
    const char *start = at;
    while (start < end && !is_word(*start)) {
        start++;
    }
    const char *after = start;
    while (after < end && is_word(*after)) {
        after++;
    }
    return (tmpl_span_t){ (uint32_t)(start - at), (uint32_t)(after - at) };
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

/* Nobody can choose words that fall into one slot of the table. */
static apr_hash_t *words_brought(const char *text, apr_pool_t *pool)
{
    apr_hash_t *words = tmpl_hash_make(pool);
    const char *end = text + strlen(text);
    for (tmpl_span_t word; tmpl_span_len(word = next_word_of(text, end)) > 0; text += word.end) {
        apr_hash_set(words, text + word.start, tmpl_span_len(word), "");
    }
    return words;
}

static int is_echo(apr_hash_t *words, const char *text, const char *end)
{
    uint64_t all = 0, brought = 0;
    for (tmpl_span_t word; tmpl_span_len(word = next_word_of(text, end)) > 0; text += word.end) {
        uint32_t length = tmpl_span_len(word);
        all += length;
        brought += apr_hash_get(words, text + word.start, length) != NULL ? length : 0;
    }
    return brought * 2 > all;
}

static const char *if_long(const char *text, size_t least)
{
    return text != NULL && strlen(text) >= least ? text : "";
}

void tmpl_echoes_empty(tmpl_observation_t *observation, const tmpl_page_t *page,
                       const tmpl_brought_t *brought, apr_pool_t *pool)
{
    char *text = apr_pstrcat(pool, if_long(brought->uri, brought->least), " ",
                             if_long(brought->fields, brought->least), NULL);
    if (text[1] == '\0') {
        return;
    }
    percent_decode(text);
    apr_hash_t *words = words_brought(text, pool);
    tmpl_share_t *shares =
        apr_pmemdup(pool, observation->shares, observation->n_shares * sizeof(*shares));
    for (uint32_t i = 0; i < page->n_segments; i++) {
        tmpl_span_t span = page->segments[i].span;
        if (is_echo(words, page->src + span.start, page->src + span.end)) {
            shares[i].length = 0;
        }
    }
    observation->shares = shares;
}
