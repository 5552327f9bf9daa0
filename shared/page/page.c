/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page.h"

#include <string.h>

#include <apr_strings.h>

#include "page/attr.h"
#include "page/balance.h"
#include "page/build.h"
#include "page/charset.h"

/* Whether one of the words of an attribute's value is word, in any case. */
static int has_word(const char *src, tmpl_span_t value, const char *word)
{
    uint32_t p = value.start;
    while (p < value.end) {
        tmpl_span_t w = { p, p };
        while (w.end < value.end && !tmpl_is_space(src[w.end])) {
            w.end++;
        }
        if (tmpl_span_is(src, w, word)) {
            return 1;
        }
        p = w.end + 1;
    }
    return 0;
}

static tmpl_span_t find_canonical(const tmpl_tokens_t *tokens, const char *src)
{
    for (uint32_t i = 0; i < tokens->n; i++) {
        const tmpl_token_t *token = &tokens->tokens[i];
        tmpl_attr_t rel;
        tmpl_attr_t href;
        if (token->tag == TMPL_TAG_LINK && token->type == TMPL_TOKEN_START &&
            tmpl_attr_find(&rel, src, token->span, "rel") &&
            has_word(src, rel.value, "canonical") &&
            tmpl_attr_find(&href, src, token->span, "href")) {
            return href.value;
        }
    }
    return (tmpl_span_t){ 0, 0 };
}

tmpl_decline_e tmpl_page_parse(const tmpl_page_t **page, const char *src, apr_size_t len,
                               const tmpl_page_opts_t *opts, apr_pool_t *pool)
{
    tmpl_page_opts_t o = *opts;
    o.max_nodes = o.max_nodes != 0 ? o.max_nodes : TMPL_MAX_NODES;
    o.max_depth = o.max_depth != 0 ? o.max_depth : TMPL_MAX_DEPTH;
    if (len == 0) {
        return TMPL_DECLINE_EMPTY; /* src may be NULL */
    }
    if (len >= TMPL_NONE) {
        return TMPL_DECLINE_TOO_LARGE;
    }
    if (!tmpl_charset_is_ascii(tmpl_charset(src, len, o.charset, pool))) {
        return TMPL_DECLINE_CHARSET;
    }
    tmpl_page_t *p = apr_pcalloc(pool, sizeof(*p));
    p->src = src;
    p->len = (uint32_t)len;
    tmpl_tokens_t tokens;
    tmpl_build_t build = { .page = p, .opts = &o, .tokens = &tokens, .pool = pool };
    build.separators = o.separators != NULL ? o.separators : &tmpl_separators_default;
    /* An element has two tags at most; comments come on top. */
    tmpl_decline_e decline = tmpl_scan(&tokens, src, p->len, 3 * o.max_nodes, pool);
    if (decline == TMPL_DECLINE_NONE) {
        decline = tmpl_balance(&tokens, src, p->len, o.max_depth, pool);
    }
    if (decline != TMPL_DECLINE_NONE) {
        return decline;
    }
    p->claims = tokens.claims;
    p->n_claims = tokens.n_claims;
    p->canonical = find_canonical(&tokens, src);
    tmpl_skeleton(&build.skeleton, &tokens, src, p->len, pool);
    if (build.skeleton.n_marks > 3 * o.max_nodes) {
        return TMPL_DECLINE_TOO_MANY;
    }
    tmpl_segments_init(&build);
    decline = tmpl_tree_build(&build);
    if (decline != TMPL_DECLINE_NONE) {
        return decline;
    }
    tmpl_segments_finish(&build);
    if (p->n_segments == 0) {
        return TMPL_DECLINE_EMPTY;
    }
    *page = p;
    return TMPL_DECLINE_NONE;
}
