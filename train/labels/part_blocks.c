/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part_blocks FILE...
 *
 * The leaf blocks of pages, for people who label their parts and for what compares these labels: a
 * line "P", file, number of blocks for each page, and for each block a line "B", hash of its text
 * (8 hexadecimal digits), the innermost elements with their names, the share of text in links in
 * per cent, and its text, separated by tabs.
 */
#include <stdio.h>

#include <apr_general.h>
#include <apr_strings.h>
#include <xxhash.h>

#include "detect/detector.h"
#include "html/attr.h"
#include "html/tag.h"
#include "page/page.h"
#include "read_file.h"
#include "text/text.h"

/* Elements of a block that are printed, and bytes of each attribute. */
#define ELEMENTS  4
#define VALUE_MAX 48

static void print_names(const tmpl_page_t *page, const tmpl_node_t *node)
{
    static const char *const names[] = { "class",      "id",   "role",     "aria-hidden",
                                         "aria-label", "rel",  "itemprop", "itemtype",
                                         "hidden",     "style" };
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        tmpl_attr_t attr;
        if (tmpl_span_len(node->open) == 0 ||
            !tmpl_attr_find(&attr, page->src, node->open, names[i])) {
            continue;
        }
        printf(" %s=", names[i]);
        for (uint32_t p = attr.value.start; p < attr.value.end && p - attr.value.start < VALUE_MAX;
             p++) {
            putchar((unsigned char)page->src[p] <= ' ' ? ' ' : page->src[p]);
        }
    }
}

static void print_elements(const tmpl_page_t *page, uint32_t node)
{
    for (unsigned i = 0; i < ELEMENTS && node != 0; i++) {
        printf("%s<%s", i > 0 ? " " : "", tmpl_tag_name((tmpl_tag_e)page->nodes[node].tag));
        print_names(page, &page->nodes[node]);
        putchar('>');
        node = page->nodes[node].parent;
    }
}

static int is_in_link(const tmpl_page_t *page, uint32_t node)
{
    while (node != TMPL_NONE && page->nodes[node].tag != TMPL_TAG_A) {
        node = page->nodes[node].parent;
    }
    return node != TMPL_NONE;
}

static void print_block(const tmpl_page_t *page, uint32_t b, const tmpl_decoder_t *decoder,
                        apr_pool_t *pool)
{
    const tmpl_block_t *block = &page->blocks[b];
    uint32_t linked = 0;
    tmpl_buf_t text;
    tmpl_buf_init(&text, pool);
    tmpl_text_block(&text, page, b, decoder);
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        linked += is_in_link(page, page->segments[s].node) ? page->segments[s].length : 0;
    }
    printf("B\t%08x\t", (unsigned)XXH3_64bits(text.at, text.len));
    print_elements(page, page->segments[block->first_segment].node);
    printf("\t%u\t%.*s\n", block->length > 0 ? 100 * linked / block->length : 0, (int)text.len,
           text.at);
}

static int print_page(const char *path, apr_pool_t *pool)
{
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    const tmpl_page_t *page;
    tmpl_decoder_t decoder;
    apr_size_t len;
    const char *body = read_file(&len, path, pool);
    if (body == NULL) {
        fprintf(stderr, "part_blocks: cannot read %s\n", path);
        return 0;
    }
    if (tmpl_page_parse(&page, body, len, &opts, pool) != TMPL_DECLINE_NONE) {
        printf("P\t%s\t0\n", path);
        return 1;
    }
    tmpl_decoder_find(&decoder, body, len, NULL, pool);
    printf("P\t%s\t%u\n", path, page->n_blocks);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        print_block(page, b, &decoder, pool);
    }
    return 1;
}

int main(int argc, char **argv)
{
    int ok = 1;
    apr_pool_t *pool;
    apr_initialize();
    for (int i = 1; i < argc; i++) {
        apr_pool_create(&pool, NULL);
        ok &= print_page(argv[i], pool);
        apr_pool_destroy(pool);
    }
    return ok ? 0 : 1;
}
