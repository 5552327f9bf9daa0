/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is computed in two ways is alike: blocks judged with AVX2 and without it; edits of a page in
 * one bucket and in buckets of any sizes; Markdown of what edits leave, and of the stripped page;
 * the text of runs in mode json, and the text of their Markdown.
 *
 * brigade.c is included.
 */
/* first: without it APR finds offsets by a null pointer, which clang's sanitizer ends */
#include <stddef.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include "markdown/markdown.h"
#include "mod_tmpl/brigade.c"
#include "detect/detector.h"
#include "model/trees_model.h"
#include "oracle.h"
#include "pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

apr_int64_t tmpl_conf_number(const tmpl_conf_t *conf, tmpl_setting_e setting)
{
    (void)setting;
    (void)conf;
    return 0;
}

static void differ(const char *what, const char *html, const char *one, const char *other)
{
    fprintf(stderr, "%s differs for\n%s\n--- one way\n%s\n--- the other\n%s\n", what, html, one,
            other);
    abort();
}

static unsigned draw(uint64_t *seed, unsigned n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 40) % n;
}

/* ---- blocks judged with AVX2 and without ---- */

#ifdef TMPL_FOR_AVX2
static void judge_both_ways(const tmpl_trees_t *trees, uint64_t *seed, apr_pool_t *pool)
{
    static tmpl_columns_t columns;
    float plain[TMPL_BLOCKS_AT_ONCE], wide[TMPL_BLOCKS_AT_ONCE];
    uint32_t n = 1 + draw(seed, TMPL_BLOCKS_AT_ONCE);
    uint64_t *room = apr_palloc(pool, tmpl_trees_room(trees) * sizeof(*room));
    for (uint32_t i = 0; i < n; i++) {
        for (unsigned f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
            unsigned most = 1u << draw(seed, 12);
            columns.of[f][i] = (float)draw(seed, most) / (float)(1 + draw(seed, 4));
        }
    }
    tmpl_trees_judge_anywhere(plain, trees, &columns, n, room);
    tmpl_trees_judge_avx2(wide, trees, &columns, n, room);
    if (memcmp(plain, wide, n * sizeof(*plain)) != 0) {
        differ("templateness", "", "without AVX2", "with AVX2");
    }
}
#endif

/* ---- a page in one bucket and in many ---- */

static apr_bucket_brigade *split(const char *html, size_t len, uint64_t *seed, apr_pool_t *pool)
{
    apr_bucket_alloc_t *alloc = apr_bucket_alloc_create(pool);
    apr_bucket_brigade *bb = apr_brigade_create(pool, alloc);
    unsigned most = 1 + draw(seed, 60);
    for (size_t at = 0; at < len;) {
        size_t n = 1 + draw(seed, most);
        n = n < len - at ? n : len - at;
        apr_bucket *e = draw(seed, 2) == 0 ? apr_bucket_heap_create(html + at, n, NULL, alloc)
                                           : apr_bucket_transient_create(html + at, n, alloc);
        APR_BRIGADE_INSERT_TAIL(bb, e);
        if (draw(seed, 4) == 0) {
            APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_flush_create(alloc));
        }
        at += n;
    }
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(alloc));
    return bb;
}

static void edit_both_ways(const tmpl_page_t *page, const tmpl_edits_t *edits, uint64_t *seed,
                           apr_pool_t *pool)
{
    apr_bucket_brigade *bb = split(page->src, page->len, seed, pool);
    apr_size_t want_len, len;
    char *found;
    const char *want = tmpl_edits_apply(&want_len, edits, page->src, page->len, pool);
    if (tmpl_brigade_edit(bb, edits) != APR_SUCCESS ||
        apr_brigade_pflatten(bb, &found, &len, pool) != APR_SUCCESS || len != want_len ||
        memcmp(found, want, len) != 0) {
        differ("the edited page", page->src, want, "in buckets");
    }
    apr_brigade_destroy(bb);
}

/* ---- Markdown of what edits leave, and of the stripped page ---- */

/* Without front matter: metadata are those of the whole page. */
static const char *markdown_of(tmpl_fragments_t *fragments, const tmpl_page_t *page,
                               const tmpl_edits_t *edits, apr_pool_t *pool)
{
    static const tmpl_content_opts_t how = { .url = "https://a.example/b", .charset = "utf-8" };
    tmpl_content_t content;
    apr_size_t len;
    tmpl_fragments_init(fragments, page, NULL, 0, pool);
    return tmpl_content_read(&content, page, edits, &how, pool)
               ? tmpl_markdown(&len, &content, fragments, pool)
               : NULL;
}

/*
 * White space may be where something was cut out; and what is misnested, as a font that ends in an
 * i, may be nested in another way without it.
 */
static char *without_space(const char *text, apr_pool_t *pool)
{
    char *bare = apr_palloc(pool, strlen(text) + 1);
    size_t n = 0;
    for (; *text != '\0'; text++) {
        if (!isspace((unsigned char)*text) && *text != '*' && *text != '_') {
            bare[n++] = *text;
        }
    }
    bare[n] = '\0';
    return bare;
}

static void strip_both_ways(const tmpl_page_t *page, const tmpl_edits_t *edits, apr_pool_t *pool)
{
    static const char *const nothing[] = { "" };
    const tmpl_edits_t none = { NULL, 0, nothing };
    const tmpl_page_opts_t opts = { 0 };
    const tmpl_page_t *stripped;
    apr_size_t len;
    const char *html = tmpl_edits_apply(&len, edits, page->src, page->len, pool);
    /* a misnested format ends an option, whose text is left out, or not: by what is cut; and all
     * scripts stay in a stripped page, but a formula goes with the element around it */
    if (strcasestr(page->src, "<option") != NULL || strstr(page->src, "math/tex") != NULL ||
        tmpl_page_parse(&stripped, html, len, &opts, pool) != TMPL_DECLINE_NONE) {
        return;
    }
    tmpl_fragments_t fragments;
    const char *one = markdown_of(&fragments, page, edits, pool);
    const char *other = markdown_of(&fragments, stripped, &none, pool);
    if (one != NULL && other != NULL &&
        strcmp(without_space(one, pool), without_space(other, pool)) != 0) {
        differ("Markdown", page->src, one, other);
    }
}

/* ---- the text of runs, and the text of their Markdown ---- */

/*
 * Adds the letters of a text: marks and white space are different by design, and references to
 * footnotes have other numbers.
 */
static void add_letters(char *to, size_t *n, const char *text)
{
    for (; *text != '\0'; text++) {
        if (isalpha((unsigned char)*text)) {
            to[(*n)++] = *text;
        }
    }
    to[*n] = '\0';
}

/* Footnotes stand behind the text, and where they were in the page. */
static int compare_letters(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

static char *letters_of_markdown(const char *markdown, size_t len, apr_pool_t *pool)
{
    static const char *const extensions[] = { "table", "strikethrough" };
    cmark_parser *parser = cmark_parser_new(CMARK_OPT_FOOTNOTES);
    char *letters = apr_palloc(pool, len + 1);
    size_t n = 0;
    int images = 0; /* around the node; their text is in an attribute */
    cmark_event_type event;
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(extensions[i]));
    }
    cmark_parser_feed(parser, markdown, len);
    cmark_node *root = cmark_parser_finish(parser);
    cmark_iter *iter = cmark_iter_new(root);
    letters[0] = '\0';
    while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(iter);
        cmark_node_type type = cmark_node_get_type(node);
        images += type == CMARK_NODE_IMAGE ? (event == CMARK_EVENT_ENTER ? 1 : -1) : 0;
        if (images == 0 && event == CMARK_EVENT_ENTER &&
            (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE || type == CMARK_NODE_CODE_BLOCK)) {
            add_letters(letters, &n, cmark_node_get_literal(node));
        }
    }
    cmark_iter_free(iter);
    cmark_node_free(root);
    cmark_parser_free(parser);
    return letters;
}

static void read_both_ways(const tmpl_page_t *page, const tmpl_edits_t *edits, apr_pool_t *pool)
{
    tmpl_fragments_t fragments;
    const char *markdown = markdown_of(&fragments, page, edits, pool);
    if (markdown == NULL || strpbrk(markdown, "<$") != NULL) {
        return; /* HTML in Markdown has no text for cmark-gfm, and formulas have other letters */
    }
    char *text = apr_palloc(pool, fragments.text.len + 1);
    size_t n = 0;
    add_letters(text, &n, apr_pstrmemdup(pool, fragments.text.at, fragments.text.len));
    char *letters = letters_of_markdown(markdown, strlen(markdown), pool);
    qsort(text, n, 1, compare_letters);
    qsort(letters, strlen(letters), 1, compare_letters);
    if (strcmp(text, letters) != 0) {
        differ("text", page->src, text, apr_pstrcat(pool, letters, "\n", markdown, NULL));
    }
}

/* ---- */

static size_t put_together(char *html, size_t room, const uint8_t *data, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < size && len + 32 < room; i++) {
        const char *piece = data[i] < ORACLE_PIECES ? oracle_pieces[data[i]]
                            : data[i] < 200         ? "x "
                                                    : "y z";
        memcpy(html + len, piece, strlen(piece));
        len += strlen(piece);
    }
    html[len] = '\0';
    return len;
}

static void check_page(const char *html, size_t len, uint64_t *seed, apr_pool_t *pool)
{
    const tmpl_page_opts_t opts = { 0 };
    const tmpl_page_t *page;
    if (tmpl_page_parse(&page, html, len, &opts, pool) != TMPL_DECLINE_NONE) {
        return;
    }
    const tmpl_guards_t guards = { 0 };
    tmpl_verdict_t *verdicts = apr_pcalloc(pool, page->n_blocks * sizeof(*verdicts));
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    oracle_draw(verdicts, page, 40, seed);
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, NULL, pool);
    tmpl_strip(&edits, &closure, pool);
    edit_both_ways(page, &edits, seed, pool);
    strip_both_ways(page, &edits, pool);
    read_both_ways(page, &edits, pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tmpl_models_t models;
    static char html[65536];
    apr_pool_t *pool;
    if (size < 2 || size > sizeof(html)) {
        return 0;
    }
    if (models.trees == NULL) {
        static apr_pool_t *of_models;
        apr_initialize();
        cmark_gfm_core_extensions_ensure_registered();
        apr_pool_create(&of_models, NULL);
        tmpl_models_builtin(&models, of_models);
    }
    apr_pool_create(&pool, NULL);
    uint64_t seed = 0x9E3779B97F4A7C15u * (data[1] + 1u);
    size_t len = size - 2;
    if (data[0] % 2 == 0) {
        memcpy(html, data + 2, len);
        html[len] = '\0';
    }
    else {
        len = put_together(html, sizeof(html), data + 2, len);
    }
    check_page(html, len, &seed, pool);
#ifdef TMPL_FOR_AVX2
    if (data[0] % 16 == 0 && tmpl_has_avx2()) {
        judge_both_ways(models.trees, &seed, pool);
    }
#endif
    apr_pool_destroy(pool);
    return 0;
}
