/* SPDX-License-Identifier: Apache-2.0 */
#include "content/groups.h"

#include <string.h>

#include <apr_cstr.h>

#include "content/record_page.h"

int tmpl_record_is_post(tmpl_record_kind_e kind)
{
    static const unsigned char posts[] = {
#define IS_POST(id, key, is_post) is_post,
        TMPL_RECORD_KINDS(IS_POST)
#undef IS_POST
    };
    return posts[kind];
}

uint32_t tmpl_record_first_from(const void *elements, size_t size, uint32_t low, uint32_t high,
                                uint32_t node)
{
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (*(const uint32_t *)((const char *)elements + middle * size) < node) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    return low;
}

const tmpl_group_record_t *tmpl_record_of(const tmpl_groups_t *groups, uint32_t node)
{
    uint32_t low =
        tmpl_record_first_from(groups->records, sizeof(*groups->records), 0, groups->n, node);
    return low < groups->n && groups->records[low].node == node ? &groups->records[low] : NULL;
}

/* The record that each record is in; an answer that is in none answers the question before it. */
static void find_parents(tmpl_groups_t *groups, const tmpl_page_t *page)
{
    uint32_t question = TMPL_NONE, around = TMPL_NONE;
    for (uint32_t i = 0; i < groups->n; i++) {
        tmpl_group_record_t *record = &groups->records[i];
        while (around != TMPL_NONE &&
               page->nodes[groups->records[around].node].after <= record->node) {
            groups->records[around].behind = i;
            around = groups->records[around].parent;
        }
        record->parent = around;
        around = i;
        question = record->kind == TMPL_RECORD_QUESTION ? i : question;
    }
    for (; around != TMPL_NONE; around = groups->records[around].parent) {
        groups->records[around].behind = groups->n;
    }
    for (uint32_t i = question; i < groups->n; i++) {
        tmpl_group_record_t *record = &groups->records[i];
        if (record->kind == TMPL_RECORD_ANSWER && record->parent == TMPL_NONE) {
            record->parent = question;
        }
    }
}

static const char *without_reply(const char *title)
{
    return apr_cstr_casecmpn(title, "Re: ", 4) == 0 ? title + 4 : title;
}

/* Drops titles that posts repeat: those are of the thread. */
static void drop_titles(const tmpl_groups_t *groups)
{
    const char *before = NULL; /* the title of the last post that had one */
    const tmpl_group_record_t *first = NULL;
    for (uint32_t i = 0; i < groups->n; i++) {
        tmpl_group_record_t *record = &groups->records[i];
        const char **title = &record->fields[TMPL_RECORD_TITLE].value;
        if (*title == NULL || !tmpl_record_is_post(record->kind)) {
            continue;
        }
        if (before != NULL && first->group == record->group &&
            strcmp(without_reply(before), without_reply(*title)) == 0) {
            *title = NULL;
        }
        else {
            before = *title;
            first = record;
        }
    }
}

void tmpl_groups_find(tmpl_groups_t *groups, const tmpl_page_t *page, const tmpl_edits_t *edits,
                      const tmpl_decoder_t *decoder, apr_pool_t *pool)
{
    tmpl_record_page_t p = { page, edits, decoder, groups, .pool = pool };
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    *groups = (tmpl_groups_t){ 0 };
    if (tmpl_record_page_read(&p, scratch)) {
        tmpl_record_groups(&p, scratch);
        find_parents(groups, page);
    }
    uint32_t in_cards = 0;
    for (uint32_t i = 0; i < groups->n; i++) {
        const tmpl_group_record_t *record = &groups->records[i];
        int is_card = record->kind == TMPL_RECORD_CARD && record->parent == TMPL_NONE;
        in_cards += is_card ? tmpl_record_sum(&p, p.kept, record->node, TMPL_NONE) : 0;
        tmpl_record_read(&p, &groups->records[i]);
    }
    if (groups->n > 0) {
        groups->is_listing = in_cards >= p.kept[page->n_segments] - in_cards;
        drop_titles(groups);
        tmpl_record_parts(&p);
    }
    apr_pool_destroy(scratch);
}
