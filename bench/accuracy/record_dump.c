/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_dump < LIST: the records (content/groups.h) of each page named on standard input, each
 * page as its site's first. Prints "page NAME", and for each record its kind, index of its parent,
 * fields and the begin of its text, with tabs between.
 */
#include <stdio.h>
#include <string.h>

#include <apr_general.h>

#include "clean.h"
#include "content/groups.h"
#include "detect/detector.h"
#include "read_file.h"
#include "text/text.h"

static void print_record(const tmpl_groups_t *groups, uint32_t i, const tmpl_page_t *page,
                         const tmpl_decoder_t *decoder, apr_pool_t *pool)
{
    static const char *const kinds[] = {
#define KIND_KEY(id, key, is_post) key,
        TMPL_RECORD_KINDS(KIND_KEY)
#undef KIND_KEY
    };
    static const char *const fields[] = {
#define FIELD_KEY(id, key) key,
        TMPL_RECORD_FIELDS(FIELD_KEY)
#undef FIELD_KEY
    };
    const tmpl_group_record_t *record = &groups->records[i];
    printf("%s\tin=%d\tgroup=%u", kinds[record->kind], (int)record->parent, record->group);
    for (int f = 0; f < TMPL_RECORD_FIELD_COUNT; f++) {
        if (record->fields[f].value != NULL) {
            printf("\t%s=%s", fields[f], record->fields[f].value);
        }
    }
    const tmpl_node_t *text = &page->nodes[record->text];
    tmpl_buf_t buf;
    tmpl_buf_init(&buf, pool);
    tmpl_text_segments(&buf, page, text->first_segment, text->after_segment, decoder);
    tmpl_text_shorten(&buf, 100);
    printf("\t%s\n", buf.len > 0 ? buf.at : "");
}

int main(void)
{
    apr_pool_t *all, *pool;
    char path[4096];
    apr_initialize();
    apr_pool_create(&all, NULL);
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    opts.mode = TMPL_MODE_STRIP;
    tmpl_models_builtin(&opts.detect.models, all);
    while (fgets(path, sizeof(path), stdin) != NULL) {
        apr_pool_create(&pool, all);
        path[strcspn(path, "\n")] = '\0';
        tmpl_input_t input = { .site = "s", .uri = "/" };
        tmpl_outcome_t outcome;
        tmpl_decoder_t decoder;
        tmpl_groups_t groups = { 0 };
        input.body = need_file(&input.len, path, pool);
        tmpl_clean(&outcome, &input, &opts, NULL, 0, pool);
        printf("page\t%s\n", path);
        if (outcome.page != NULL) {
            tmpl_decoder_find(&decoder, input.body, input.len, NULL, pool);
            tmpl_groups_find(&groups, outcome.page, &outcome.edits, &decoder, pool);
        }
        for (uint32_t i = 0; i < groups.n; i++) {
            print_record(&groups, i, outcome.page, &decoder, pool);
        }
        apr_pool_destroy(pool);
    }
    apr_pool_destroy(all);
    return 0;
}
