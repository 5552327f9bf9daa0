/* SPDX-License-Identifier: Apache-2.0 */
#include "data/page_data.h"

#include <string.h>

#include <apr_strings.h>

#include "data/json_text.h"

static const char *const kinds[] = {
#define KIND(id, key, is_post) key,
    TMPL_RECORD_KINDS(KIND)
#undef KIND
};

static const char *const keys[] = {
#define KEY(id, key) key,
    TMPL_RECORD_FIELDS(KEY)
#undef KEY
};

/* The records of groups, and the runs of records, as chains; TMPL_NONE ends a chain. */
typedef struct {
    uint32_t *first, *next;         /* the first record of each group, the next one of a record */
    uint32_t *first_run, *next_run; /* the first run of each record, the next one of a run */
} chains_t;

/* Marks the segments that stand beside the text of their records: who, when, numbers. */
static unsigned char *beside_of(const tmpl_page_t *page, const tmpl_groups_t *groups,
                                apr_pool_t *pool)
{
    unsigned char *beside = apr_pcalloc(pool, page->n_segments + 1);
    for (uint32_t i = 0; i < page->n_nodes;) {
        const tmpl_node_t *node = &page->nodes[i];
        int is_beside = groups->parts[i] == TMPL_RECORD_BESIDE;
        if (is_beside) {
            memset(beside + node->first_segment, 1, node->after_segment - node->first_segment);
        }
        i = is_beside ? node->after : i + 1;
    }
    return beside;
}

void tmpl_items_part(tmpl_fragments_t *fragments, const tmpl_groups_t *groups)
{
    const tmpl_page_t *page = fragments->page;
    uint32_t around = TMPL_NONE, next = 0;
    if (groups->n == 0) {
        return;
    }
    uint32_t *places = apr_palloc(fragments->pool, page->n_segments * sizeof(*places));
    uint32_t *outer = apr_palloc(fragments->pool, groups->n * sizeof(*outer));
    const unsigned char *beside = beside_of(page, groups, fragments->pool);
    for (uint32_t s = 0; s < page->n_segments; s++) {
        while (around != TMPL_NONE &&
               page->nodes[groups->records[around].node].after_segment <= s) {
            around = outer[around];
        }
        for (; next < groups->n && page->nodes[groups->records[next].node].first_segment <= s;
             next++) {
            if (page->nodes[groups->records[next].node].after_segment > s) {
                outer[next] = around;
                around = next;
            }
        }
        if (around == TMPL_NONE) {
            places[s] = TMPL_NONE;
            continue;
        }
        const tmpl_node_t *text = &page->nodes[groups->records[around].text];
        unsigned is_text = s >= text->first_segment && s < text->after_segment && !beside[s];
        places[s] = 2 * around + is_text;
    }
    fragments->places = places;
}

static uint32_t *chain_of(uint32_t n, apr_pool_t *pool)
{
    uint32_t *chain = apr_palloc(pool, (n + 1) * sizeof(*chain));
    memset(chain, 0xFF, (n + 1) * sizeof(*chain));
    return chain;
}

static chains_t chains_of(const tmpl_groups_t *groups, const tmpl_fragments_t *fragments,
                          apr_pool_t *pool)
{
    uint32_t n_runs = (uint32_t)fragments->runs->nelts - 1; /* the last one ends the others */
    chains_t chains = { chain_of(groups->n_groups, pool), chain_of(groups->n, pool),
                        chain_of(groups->n, pool), chain_of(n_runs, pool) };
    for (uint32_t i = groups->n; i-- > 0;) {
        uint32_t group = groups->records[i].group;
        chains.next[i] = chains.first[group];
        chains.first[group] = i;
    }
    for (uint32_t i = n_runs; i-- > 0;) {
        uint32_t place = APR_ARRAY_IDX(fragments->runs, i, tmpl_run_t).place;
        if (place != TMPL_NONE) {
            chains.next_run[i] = chains.first_run[place / 2];
            chains.first_run[place / 2] = i;
        }
    }
    return chains;
}

static void add_field(tmpl_buf_t *out, int field, const char *value, const tmpl_content_t *content,
                      apr_pool_t *pool)
{
    const char *key = keys[field];
    switch (field) {
    case TMPL_RECORD_ADDRESS:
    case TMPL_RECORD_IMAGE:
        tmpl_value_address(out, key, value, &content->hrefs, pool);
        break;
    case TMPL_RECORD_RATING:
        tmpl_value_rating(out, key, value, pool);
        break;
    case TMPL_RECORD_VOTES:
    case TMPL_RECORD_PRICE:
        tmpl_value_number(out, key, value);
        break;
    case TMPL_RECORD_ACCEPTED:
        tmpl_json_word(out, key, value);
        break;
    default:
        tmpl_value_text(out, key, value);
    }
}

/* Adds the text of a record's runs that are its text, and the numbers of all of its runs. */
static void add_runs(tmpl_buf_t *out, const chains_t *chains, uint32_t record,
                     const tmpl_fragments_t *fragments, apr_pool_t *pool)
{
    tmpl_buf_t text;
    tmpl_buf_init(&text, pool);
    for (uint32_t i = chains->first_run[record]; i != TMPL_NONE; i = chains->next_run[i]) {
        const tmpl_run_t *run = &APR_ARRAY_IDX(fragments->runs, i, tmpl_run_t);
        if (run->place % 2 == 1) {
            tmpl_slice_t of = tmpl_fragments_text(fragments, i);
            tmpl_buf_add(&text, "\n", text.len > 0 && of.len > 0);
            tmpl_buf_add(&text, of.at, of.len);
        }
    }
    tmpl_json_string(out, "text", text.at, text.len);
    tmpl_json_open(out, "parts", '[');
    for (uint32_t i = chains->first_run[record]; i != TMPL_NONE; i = chains->next_run[i]) {
        tmpl_json_word(out, NULL, apr_psprintf(pool, "%u", i));
    }
    tmpl_json_close(out, ']');
}

static void add_item(tmpl_buf_t *out, const chains_t *chains, uint32_t index,
                     const tmpl_content_t *content, const tmpl_fragments_t *fragments,
                     apr_pool_t *pool)
{
    const tmpl_group_record_t *record = &content->groups.records[index];
    tmpl_json_open(out, NULL, '{');
    tmpl_value_text(out, "kind", kinds[record->kind]);
    tmpl_json_word(out, "id", apr_psprintf(pool, "%u", index));
    if (record->parent != TMPL_NONE) {
        tmpl_json_word(out, "parent", apr_psprintf(pool, "%u", record->parent));
    }
    for (int i = 0; i < TMPL_RECORD_FIELD_COUNT; i++) {
        if (record->fields[i].value != NULL) {
            add_field(out, i, record->fields[i].value, content, pool);
        }
    }
    add_runs(out, chains, index, fragments, pool);
    tmpl_json_close(out, '}');
}

void tmpl_items_add(tmpl_buf_t *out, const tmpl_content_t *content,
                    const tmpl_fragments_t *fragments, apr_pool_t *pool)
{
    const tmpl_groups_t *groups = &content->groups;
    chains_t chains = chains_of(groups, fragments, pool);
    tmpl_json_open(out, "records", '[');
    for (uint32_t g = 0; g < groups->n_groups; g++) {
        uint32_t i = chains.first[g];
        if (i == TMPL_NONE) {
            continue;
        }
        tmpl_json_open(out, NULL, '{');
        tmpl_value_text(out, "kind", kinds[groups->records[i].kind]);
        tmpl_json_open(out, "items", '[');
        for (; i != TMPL_NONE; i = chains.next[i]) {
            add_item(out, &chains, i, content, fragments, pool);
        }
        tmpl_json_close(out, ']');
        tmpl_json_close(out, '}');
    }
    tmpl_json_close(out, ']');
}
