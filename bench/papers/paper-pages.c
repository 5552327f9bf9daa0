/* SPDX-License-Identifier: Apache-2.0 */
#include "paper-pages.h"

#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_strings.h>

#include <xxhash.h>

#include "measure.h"
#include "read_file.h"
#include "text/text.h"

void paper_die(const char *what, const char *why)
{
    fprintf(stderr, "paper: %s: %s\n", what, why);
    exit(2);
}

double paper_clock(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- gold ---- */

/* A hash of UTF-8 text without its white space; 0 if nothing remains. */
static uint64_t hash_text(const char *text, apr_size_t len)
{
    uint64_t hash = 0;
    apr_size_t used;
    for (apr_size_t i = 0; i < len; i += used) {
        uint32_t code = tmpl_utf8_next(text + i, len - i, &used);
        if (code > 0x20 && code != 0x85 && code != 0xA0 && code != 0xFEFF) {
            hash = XXH3_64bits_withSeed(&code, sizeof(code), hash);
        }
    }
    return hash;
}

typedef struct {
    uint64_t hash;
    char label;
    uint32_t segment;
} row_t;

static apr_array_header_t *gold_rows(const char *gold, apr_size_t len, apr_pool_t *pool)
{
    apr_array_header_t *rows = apr_array_make(pool, 256, sizeof(row_t));
    const char *end = gold + len;
    while (gold < end) {
        const char *stop = memchr(gold, '\n', (apr_size_t)(end - gold));
        stop = stop != NULL ? stop : end;
        const char *tab = memchr(gold, '\t', (apr_size_t)(stop - gold));
        const char *text = tab != NULL ? memchr(tab + 1, '\t', (apr_size_t)(stop - tab - 1)) : NULL;
        if (text != NULL) {
            uint64_t hash = hash_text(text + 1, (apr_size_t)(stop - text - 1));
            APR_ARRAY_PUSH(rows, row_t) =
                (row_t){ hash, (char)(*gold == 'C' || *gold == 'T' ? *gold : ' '), 0 };
        }
        gold = stop + 1;
    }
    return rows;
}

static apr_array_header_t *page_rows(const tmpl_page_t *page, apr_pool_t *pool)
{
    apr_array_header_t *rows = apr_array_make(pool, (int)page->n_segments, sizeof(row_t));
    tmpl_decoder_t decoder;
    tmpl_buf_t buf;
    tmpl_decoder_find(&decoder, page->src, page->len, NULL, pool);
    tmpl_buf_init(&buf, pool);
    for (uint32_t s = 0; s < page->n_segments; s++) {
        tmpl_buf_clear(&buf);
        tmpl_text_segment(&buf, page, s, &decoder);
        uint64_t hash = hash_text(buf.at, buf.len);
        if (hash != 0) {
            APR_ARRAY_PUSH(rows, row_t) = (row_t){ hash, ' ', s };
        }
    }
    return rows;
}

/* At most so many rows may be on one side only before both sides agree again. */
#define AHEAD 400

/*
 * Moves (*a, *b) to the next pair of equal rows, over as few rows as possible; 0 if the next pair
 * is too far away.
 */
static int meet(const apr_array_header_t *as, const apr_array_header_t *bs, int *a, int *b)
{
    for (int passed = 0; passed < AHEAD; passed++) {
        for (int i = 0; i <= passed; i++) {
            if (*a + i < as->nelts && *b + passed - i < bs->nelts &&
                APR_ARRAY_IDX(as, *a + i, row_t).hash ==
                    APR_ARRAY_IDX(bs, *b + passed - i, row_t).hash) {
                *a += i;
                *b += passed - i;
                return 1;
            }
        }
    }
    return 0;
}

void paper_page_label(paper_page_t *page, const char *gold, apr_size_t len, apr_pool_t *pool)
{
    const tmpl_page_t *p = page->page;
    apr_array_header_t *golds = gold_rows(gold, len, pool);
    apr_array_header_t *rows = page_rows(p, pool);
    char *labels = apr_palloc(pool, p->n_segments + 1);
    memset(labels, ' ', p->n_segments + 1);
    page->template = apr_pcalloc(pool, (p->n_blocks + 1) * sizeof(*page->template));
    page->content = apr_pcalloc(pool, (p->n_blocks + 1) * sizeof(*page->content));
    int a = 0;
    int b = 0;
    while (a < rows->nelts && b < golds->nelts) {
        if (meet(rows, golds, &a, &b)) {
            labels[APR_ARRAY_IDX(rows, a++, row_t).segment] =
                APR_ARRAY_IDX(golds, b++, row_t).label;
        }
        else {
            a += AHEAD / 2; /* these rows are on one side only */
        }
    }
    for (uint32_t s = 0; s < p->n_segments; s++) {
        const tmpl_segment_t *segment = &p->segments[s];
        page->template[segment->block] += labels[s] == 'T' ? segment->length : 0;
        page->content[segment->block] += labels[s] == 'C' ? segment->length : 0;
    }
    page->labels = labels;
}

/* ---- sites ---- */

/* DIR/gold/NAME.tsv of DIR/pages/NAME.html */
static const char *gold_path(const char *path, apr_pool_t *pool)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(path, '.');
    const char *pages = slash;
    while (pages != NULL && pages > path && pages[-1] != '/') {
        pages--;
    }
    if (slash == NULL || dot == NULL || dot < slash || pages == NULL) {
        paper_die("is not DIR/pages/NAME.html", path);
    }
    return apr_psprintf(pool, "%.*sgold/%.*s.tsv", (int)(pages - path), path,
                        (int)(dot - slash - 1), slash + 1);
}

static void add_page(paper_site_t *site, const char *path, const tmpl_tag_set_t *separators)
{
    paper_page_t page = { .path = apr_pstrdup(site->pool, path) };
    tmpl_page_opts_t opts = { .separators = separators };
    apr_size_t len;
    const char *body = need_file(&len, path, site->pool);
    double begin = paper_clock();
    if (tmpl_page_parse(&page.page, body, len, &opts, site->pool) != TMPL_DECLINE_NONE) {
        site->declined++;
        return;
    }
    page.parsing = paper_clock() - begin;
    page.document = tmpl_document(page.page, "/", page.path, 0, site->pool);
    const char *gold = need_file(&len, gold_path(path, site->pool), site->pool);
    paper_page_label(&page, gold, len, site->pool);
    for (uint32_t s = 0; s < page.page->n_segments; s++) {
        site->labelled += page.labels[s] != ' ' ? page.page->segments[s].length : 0;
        site->text += page.page->segments[s].length;
    }
    APR_ARRAY_PUSH(site->pages, paper_page_t) = page;
}

/* The line that begins the next site, kept for the next call. */
static char line[8192];

static int next_line(FILE *list)
{
    if (fgets(line, sizeof(line), list) == NULL) {
        line[0] = '\0';
        return 0;
    }
    line[strcspn(line, "\n")] = '\0';
    return 1;
}

paper_site_t *paper_site_next(FILE *list, const tmpl_tag_set_t *separators, apr_pool_t *pool)
{
    if (line[0] != '=' && !next_line(list)) {
        return NULL;
    }
    if (strncmp(line, "= ", 2) != 0) {
        paper_die("a list of sites begins with \"= KEY\", not with", line);
    }
    paper_site_t *site = apr_pcalloc(pool, sizeof(*site));
    site->key = apr_pstrdup(pool, line + 2);
    site->pages = apr_array_make(pool, 100, sizeof(paper_page_t));
    site->pool = pool;
    while (next_line(list) && line[0] != '=') {
        add_page(site, line, separators);
    }
    return site;
}

/* ---- scores ---- */

void paper_score_add(paper_score_t *score, const paper_page_t *page, const tmpl_verdict_t *verdicts)
{
    for (uint32_t b = 0; b < page->page->n_blocks; b++) {
        uint64_t t = page->template[b];
        uint64_t c = page->content[b];
        int found = verdicts[b].template != 0;
        score->template_text += t;
        score->content_text += c;
        score->found_text += found ? t : 0;
        score->lost_text += found ? c : 0;
        if (t + c > 0) {
            score->template_blocks += t > c;
            score->content_blocks += t <= c;
            score->found_blocks += t > c && found;
            score->lost_blocks += t <= c && found;
        }
    }
}

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 1.0;
}

double paper_recall(const paper_score_t *score)
{
    return share(score->found_text, score->template_text);
}

double paper_precision(const paper_score_t *score)
{
    return share(score->found_text, score->found_text + score->lost_text);
}
