/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edits [-a] [-m] PERCENT.. < LIST: the tree and edits of every file named on standard input, a
 * line of JSON each, for judges in other languages. The first line has sets of elements:
 *
 *   {"quiet":[NAME..],"code":[NAME..]}
 *
 * quiet: elements without nodes in them; code: elements that stay when an element around them is
 * cut. Then for each file
 *
 *   {"path":PATH,"decline":REASON}
 *   {"path":PATH,"nodes":[NODE..],"texts":[[START,NODE]..],"draws":[DRAW..]}
 *   NODE = [NAME,START,END,START,END,PARENT,QUIET]   start tag, end tag, parent (-1: none)
 *   DRAW = {"percent":N,"mark":EDITS,"cut":EDITS,"strip":EDITS}
 *   EDITS = [[START,END,TEXT]..]                     what replaces these bytes of the file
 *
 * A DRAW has random verdicts: each block is template with a chance of percent in a hundred. mark is
 * annotate's edits, cut is marks on all that strip cuts. With -a a page of few blocks has a draw
 * for every set of template blocks. With -m there are marks of all presets instead, one of each
 * kind of one's own, and no tree:
 *
 *   {"quiet":[NAME..],"code":[NAME..],"marks":[MARK..]}
 *   {"path":PATH,"segments":[[START,LENGTH,BLOCK]..],"draws":[DRAW..]}
 *   MARK = {"name":NAME,"attribute":NAME,"value":TEXT,"elements":NAMES,"begin":TEXT,"end":TEXT}
 *   DRAW = {"percent":N,"template":[0 or 1 for each block],"all":EDITS,"unmarked":[of each mark]}
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>

#include "bench/lib/read_file.h"
#include "html/tag.h"
#include "oracle.h"
#include "rewrite/rewrite.h"

#define FEW_BLOCKS 5

/* all marks, and each alone; for -m */
static const tmpl_marks_t *all_marks;
static tmpl_marks_t *each_mark[TMPL_MARKS_MOST];

typedef struct {
    unsigned percents[32];
    unsigned n_percents;
    int all;
    int marks;
} options_t;

static void say_string(const char *text)
{
    putchar('"');
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\') {
            putchar('\\');
        }
        putchar(*p);
    }
    putchar('"');
}

static void say_elements(const char *name, unsigned flag)
{
    const char *between = "";
    printf("\"%s\":[", name);
    for (unsigned tag = TMPL_TAG_OTHER + 1; tag < TMPL_TAG_COUNT; tag++) {
        if (tmpl_tag_flags((tmpl_tag_e)tag) & flag) {
            printf("%s\"%s\"", between, tmpl_tag_name((tmpl_tag_e)tag));
            between = ",";
        }
    }
    putchar(']');
}

static void say_nodes(const tmpl_page_t *page)
{
    printf(",\"nodes\":[");
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *n = &page->nodes[i];
        printf("%s[\"%s\",%u,%u,%u,%u,%ld,%d]", i > 0 ? "," : "", tmpl_tag_name((tmpl_tag_e)n->tag),
               n->open.start, n->open.end, n->close.start, n->close.end,
               n->parent == TMPL_NONE ? -1L : (long)n->parent, (n->flags & TMPL_NODE_QUIET) != 0);
    }
    putchar(']');
}

/* Segments that are text: the offset of the first byte that is not white space, and the node. */
static void say_texts(const tmpl_page_t *page)
{
    const char *between = "";
    printf(",\"texts\":[");
    for (uint32_t i = 0; i < page->n_segments; i++) {
        const tmpl_segment_t *s = &page->segments[i];
        if (s->span.start != page->nodes[s->node].open.start) {
            size_t space = strspn(page->src + s->span.start, " \n\t\r\f");
            printf("%s[%zu,%u]", between, s->span.start + space, s->node);
            between = ",";
        }
    }
    putchar(']');
}

static void say_edits(const char *name, const tmpl_edits_t *edits)
{
    printf(",\"%s\":[", name);
    for (uint32_t i = 0; i < edits->n; i++) {
        tmpl_span_t span = edits->edits[i].span;
        printf("%s[%u,%u,", i > 0 ? "," : "", span.start, span.end);
        say_string(tmpl_edit_text(edits, i));
        putchar(']');
    }
    putchar(']');
}

static void make_marks(apr_pool_t *pool)
{
    const char *between = "";
    all_marks = oracle_all_marks(pool);
    printf(",\"marks\":[");
    for (uint32_t i = 0; i < all_marks->n; i++) {
        const tmpl_mark_t *mark = all_marks->marks[i];
        tmpl_marks_add(&each_mark[i], mark->name, NULL, pool);
        printf("%s{\"name\":\"%s\",\"attribute\":\"%s\",\"value\":\"%s\",\"elements\":\"%s\","
               "\"begin\":\"%s\",\"end\":\"%s\"}",
               between, mark->name, mark->attribute, mark->value, mark->elements, mark->begin,
               mark->end);
        between = ",";
    }
    putchar(']');
}

/* As say_texts, with images and links without text. */
static void say_segments(const tmpl_page_t *page)
{
    printf(",\"segments\":[");
    for (uint32_t i = 0; i < page->n_segments; i++) {
        const tmpl_segment_t *s = &page->segments[i];
        size_t space = strspn(page->src + s->span.start, " \n\t\r\f");
        printf("%s[%zu,%u,%u]", i > 0 ? "," : "", s->span.start + space, s->length, s->block);
    }
    putchar(']');
}

static void say_marks(const tmpl_page_t *page, tmpl_verdict_t *verdicts, unsigned percent,
                      apr_pool_t *pool)
{
    tmpl_guards_t guards = { 0 };
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    printf("{\"percent\":%u,\"template\":[", percent);
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_MARK, NULL, pool);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        printf("%s%d", b > 0 ? "," : "", verdicts[b].template);
    }
    putchar(']');
    tmpl_annotate(&edits, page, &closure, all_marks, pool);
    say_edits("all", &edits);
    printf(",\"unmarked\":[");
    for (uint32_t i = 0; i < all_marks->n; i++) {
        double unmarked = tmpl_annotate(&edits, page, &closure, each_mark[i], pool);
        printf("%s%.9f", i > 0 ? "," : "", unmarked);
    }
    printf("]}");
}

static void say_draw(const tmpl_page_t *page, tmpl_verdict_t *verdicts, unsigned percent,
                     apr_pool_t *pool)
{
    tmpl_guards_t guards = { 0 };
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    printf("{\"percent\":%u", percent);
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_MARK, NULL, pool);
    tmpl_annotate(&edits, page, &closure, NULL, pool);
    say_edits("mark", &edits);
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, NULL, pool);
    tmpl_annotate(&edits, page, &closure, NULL, pool);
    say_edits("cut", &edits);
    tmpl_strip(&edits, &closure, pool);
    say_edits("strip", &edits);
    putchar('}');
}

static void say_draws(const tmpl_page_t *page, const options_t *options, apr_pool_t *pool)
{
    tmpl_verdict_t *verdicts = apr_pcalloc(pool, (page->n_blocks + 1) * sizeof(*verdicts));
    uint64_t seed =
        88172645463325252u; /* the same for each page, so that one page can be examined alone */
    int all = options->all && page->n_blocks < FEW_BLOCKS;
    unsigned n = all ? (1U << page->n_blocks) - 1 : options->n_percents;
    void (*say)(const tmpl_page_t *, tmpl_verdict_t *, unsigned, apr_pool_t *) =
        options->marks ? say_marks : say_draw;
    apr_pool_t *of_draw;
    apr_pool_create(&of_draw, pool);
    printf(",\"draws\":[");
    for (unsigned i = 0; i < n; i++) {
        unsigned percent = all ? 50 : options->percents[i];
        oracle_draw(verdicts, page, percent, &seed);
        for (uint32_t b = 0; all && b < page->n_blocks; b++) {
            verdicts[b].template = (i + 1) >> b & 1;
            verdicts[b].ratio = verdicts[b].template ? 1.0F : 0.0F;
        }
        printf("%s", i > 0 ? "," : "");
        say(page, verdicts, percent, of_draw);
        apr_pool_clear(of_draw);
    }
    putchar(']');
}

static void say_page(const char *path, const options_t *options, apr_pool_t *pool)
{
    const tmpl_page_t *page;
    apr_size_t len;
    tmpl_page_opts_t opts = { .comments = options->marks };
    const char *bytes = need_file(&len, path, pool);
    printf("{\"path\":");
    say_string(path);
    tmpl_decline_e decline = tmpl_page_parse(&page, bytes, len, &opts, pool);
    if (decline != TMPL_DECLINE_NONE) {
        printf(",\"decline\":\"%s\"", tmpl_decline_name(decline));
    }
    else if (options->marks) {
        say_segments(page);
        say_draws(page, options, pool);
    }
    else {
        say_nodes(page);
        say_texts(page);
        say_draws(page, options, pool);
    }
    puts("}");
    fflush(stdout);
}

static int read_options(options_t *options, int argc, char **argv)
{
    enum { MOST = sizeof(options->percents) / sizeof(options->percents[0]) };
    *options = (options_t){ 0 };
    for (int i = 1; i < argc; i++) {
        char *end;
        unsigned long percent = strtoul(argv[i], &end, 10);
        if (strcmp(argv[i], "-a") == 0) {
            options->all = 1;
        }
        else if (strcmp(argv[i], "-m") == 0) {
            options->marks = 1;
        }
        else if (*end == '\0' && percent <= 100 && options->n_percents < MOST) {
            options->percents[options->n_percents++] = (unsigned)percent;
        }
        else {
            return 0;
        }
    }
    return options->n_percents > 0;
}

int main(int argc, char **argv)
{
    char path[4096];
    options_t options;
    apr_pool_t *pool;
    if (!read_options(&options, argc, argv)) {
        fputs("usage: edits [-a] [-m] PERCENT.. < LIST\n", stderr);
        return 2;
    }
    apr_initialize();
    putchar('{');
    say_elements("quiet", TMPL_IS_QUIET);
    putchar(',');
    say_elements("code", TMPL_IS_CODE);
    if (options.marks) {
        apr_pool_create(&pool, NULL);
        make_marks(pool);
    }
    puts("}");
    while (fgets(path, sizeof(path), stdin) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        apr_pool_create(&pool, NULL);
        say_page(path, &options, pool);
        apr_pool_destroy(pool);
    }
    return 0;
}
