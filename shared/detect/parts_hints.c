/* SPDX-License-Identifier: Apache-2.0 */
/* Hints of the nodes and blocks of a page: which of them hold, and for what text. */
#include "detect/parts_page.h"

#define ANY 0xFFFFFF

/* More blocks of tags are those of the items of a list. */
#define TAGGED_MOST 20

/*
 * The most words of an element of which a hint says something: larger ones only have a name that
 * is made of another thing. And the largest share of the page's content, in per cent.
 */
static const struct {
    uint32_t words;
    unsigned share;
} most[TMPL_HINT_COUNT] = {
#define MOST(id, words, share) [TMPL_HINT_NUMBER_##id] = { words, share }
    MOST(HIDDEN, 200, 30),  MOST(DIALOG, ANY, 80),  MOST(COOKIE, ANY, 80),  MOST(OFFER, 200, 30),
    MOST(BUTTON, 8, 30),    MOST(SHARE, 60, 30),    MOST(COMMENT, ANY, 95), MOST(REVIEW, ANY, 80),
    MOST(QA, ANY, 80),      MOST(RELATED, ANY, 40), MOST(TAGS, 60, 30),     MOST(CAPTION, 120, 40),
    MOST(FIGURE, 60, 40),   MOST(AUTHOR, 25, 50),   MOST(DATE, 25, 50),     MOST(META, 50, 50),
    MOST(BIO, 150, 40),     MOST(PRICE, 20, 100),   MOST(FACTS, ANY, 60),   MOST(LEAD, 100, 50),
    MOST(CODE, ANY, 100),   MOST(POST, ANY, 100),   MOST(TWIN, 200, 30),    MOST(POPUP, 200, 25),
    MOST(THREAD, ANY, 101), MOST(USER, 30, 50),     MOST(TOGGLE, 40, 30),   MOST(MODAL, ANY, 80),
};

static unsigned admit(const tmpl_parts_page_t *p, uint32_t i, unsigned own)
{
    const tmpl_page_t *page = p->page;
    uint32_t first = tmpl_first_block(page, i);
    uint32_t after = tmpl_after_block(page, i);
    uint32_t words = tmpl_part_words(p, first, after);
    uint64_t kept = p->kept[after] - p->kept[first];
    unsigned hints = 0;
    /* outside of a form a label is the text of an item that can be ticked, such as an ingredient */
    own &= page->nodes[i].tag == TMPL_TAG_LABEL &&
                   !(tmpl_context(p->judged->reading, i)->in & TMPL_IN_FORM)
               ? ~(unsigned)TMPL_HINT_BUTTON
               : ~0U;
    /* what hides an element of several blocks with content closes a panel */
    own &= after > first + 1 && 2 * kept > p->words[after] - p->words[first]
               ? ~(unsigned)(TMPL_HINT_HIDDEN | TMPL_HINT_TWIN)
               : ~0U;
    for (unsigned left = own; left != 0; left &= left - 1) {
        unsigned hint = (unsigned)__builtin_ctz(left);
        if (words <= most[hint].words &&
            kept * 100 <= (uint64_t)p->kept[page->n_blocks] * most[hint].share) {
            hints |= 1U << hint;
        }
    }
    return hints;
}

/*
 * Drops hints that are on most of the page: they name what the page is about, such as the articles
 * of a list.
 */
static void drop_frequent(tmpl_parts_page_t *p)
{
    const unsigned may_go = TMPL_HINT_REVIEW | TMPL_HINT_RELATED | TMPL_HINT_OFFER |
                            TMPL_HINT_POPUP | TMPL_HINT_BUTTON | TMPL_HINT_SHARE | TMPL_HINT_TWIN |
                            TMPL_HINT_HIDDEN;
    uint32_t n = p->page->n_blocks;
    uint32_t kept[TMPL_HINT_COUNT] = { 0 };
    uint32_t all = 0; /* words of content outside of notices */
    uint32_t tagged = 0;
    unsigned gone = 0;
    for (uint32_t b = 0; b < n; b++) {
        int is_notice = (p->all[b] & (TMPL_HINT_DIALOG | TMPL_HINT_COOKIE)) != 0;
        tagged += (p->all[b] & TMPL_HINT_TAGS) != 0;
        all += is_notice ? 0 : p->kept[b + 1] - p->kept[b];
        for (unsigned left = is_notice ? 0 : p->all[b] & may_go; left != 0; left &= left - 1) {
            kept[__builtin_ctz(left)] += p->kept[b + 1] - p->kept[b];
        }
    }
    for (unsigned i = 0; i < TMPL_HINT_COUNT; i++) {
        gone |= kept[i] * (uint64_t)2 > all ? 1U << i : 0;
    }
    gone |= tagged > TAGGED_MOST ? TMPL_HINT_TAGS : 0;
    for (uint32_t b = 0; gone != 0 && b < n; b++) {
        p->all[b] &= ~gone;
    }
}

void tmpl_parts_hints(tmpl_parts_page_t *p)
{
    const tmpl_page_t *page = p->page;
    p->node_hints = apr_palloc(p->pool, page->n_nodes * sizeof(*p->node_hints));
    p->node_hints[0] = 0;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        unsigned own = 0;
        if (node->first_segment < node->after_segment) {
            own = tmpl_context(p->judged->reading, i)->hints;
            own = own != 0 ? admit(p, i, own) : 0;
        }
        p->node_hints[i] = own | p->node_hints[node->parent];
    }
    p->all = apr_palloc(p->pool, page->n_blocks * sizeof(*p->all));
    p->some = apr_palloc(p->pool, page->n_blocks * sizeof(*p->some));
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        p->all[b] = ~0U;
        p->some[b] = 0;
        for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
            p->all[b] &= p->node_hints[page->segments[s].node];
            p->some[b] |= p->node_hints[page->segments[s].node];
        }
    }
    drop_frequent(p);
}
