/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a field of records have one part: a post, a card or a row is not torn. */
#include "detect/parts_page.h"

/* What the blocks of a field are. */
typedef struct {
    uint32_t parts[TMPL_PART_COUNT];
    uint32_t n, stay, go; /* blocks with words; of a part that stays, and that goes, by default */
    int64_t more;         /* words that stay less those that go */
    unsigned hints;       /* of the blocks that stay */
} votes_t;

static int stays_by_default(const tmpl_parts_page_t *p, uint32_t b)
{
    return (TMPL_PARTS_DEFAULT & TMPL_PART_BIT(p->verdicts[b].part)) != 0;
}

static int goes(const tmpl_parts_page_t *p, uint32_t b)
{
    return p->verdicts[b].part != TMPL_PART_TEMPLATE && !stays_by_default(p, b);
}

/* Items, rows and cells are records themselves; other elements in a row are parts of one. */
static int is_record(const tmpl_parts_page_t *p, uint32_t b)
{
    unsigned tag = p->page->nodes[p->page->blocks[b].node].tag;
    return tag == TMPL_TAG_LI || tag == TMPL_TAG_TR || tag == TMPL_TAG_TD || tag == TMPL_TAG_TH ||
           tag == TMPL_TAG_DT || tag == TMPL_TAG_DD;
}

static int is_beside(const tmpl_parts_page_t *p, uint32_t a, uint32_t b)
{
    const tmpl_page_t *page = p->page;
    return a != TMPL_NONE && b != TMPL_NONE && !is_record(p, b) &&
           page->nodes[page->blocks[a].node].parent == page->nodes[page->blocks[b].node].parent;
}

/*
 * Whether a block that goes has no vote, and keeps its part: a heading says what its region is, its
 * tag says something that those of the blocks that stay do not, or its words do so, in a record
 * with more blocks of the field, such as "Read more" below a paragraph.
 */
static int has_own_part(const votes_t *votes, const tmpl_parts_page_t *p, uint32_t before,
                        uint32_t b)
{
    return goes(p, b) && (p->headed[b] || (p->all[b] & ~votes->hints) != 0 ||
                          (p->phrases[b] != 0 &&
                           (is_beside(p, before, b) || is_beside(p, p->records->next[b], b))));
}

static unsigned hints_of(const tmpl_parts_page_t *p, const tmpl_field_t *field)
{
    unsigned hints = 0;
    unsigned all = ~0U;
    for (uint32_t b = field->first; b != TMPL_NONE; b = p->records->next[b]) {
        if (p->words[b + 1] > p->words[b]) {
            hints |= stays_by_default(p, b) ? p->all[b] : 0;
            all &= p->all[b];
        }
    }
    return hints | all;
}

static void count_votes(votes_t *votes, const tmpl_parts_page_t *p, const tmpl_field_t *field)
{
    uint32_t before = TMPL_NONE;
    for (uint32_t b = field->first; b != TMPL_NONE; before = b, b = p->records->next[b]) {
        uint32_t words = p->words[b + 1] - p->words[b];
        if (words == 0 || has_own_part(votes, p, before, b)) {
            continue;
        }
        votes->n++;
        votes->parts[p->verdicts[b].part]++;
        votes->stay += stays_by_default(p, b) ? 1 : 0;
        votes->go += goes(p, b) ? 1 : 0;
        votes->more += stays_by_default(p, b) ? (int64_t)words : -(int64_t)words;
    }
}

static unsigned char most(const votes_t *votes, tmpl_part_set_t among)
{
    unsigned best = TMPL_PART_TEMPLATE;
    for (unsigned i = 0; i < TMPL_PART_COUNT; i++) {
        if ((among & TMPL_PART_BIT(i)) && votes->parts[i] > 0 &&
            (best == TMPL_PART_TEMPLATE || votes->parts[i] > votes->parts[best])) {
            best = i;
        }
    }
    return (unsigned char)best;
}

/* Whether the trees are sure of the opposite of what the vote says. */
static int is_against(const tmpl_verdict_t *verdict, unsigned char part)
{
    return TMPL_PARTS_DEFAULT & TMPL_PART_BIT(part) ? verdict->ratio > TMPL_SURE_TEMPLATE
           : part != TMPL_PART_TEMPLATE             ? verdict->ratio < TMPL_SURE_CONTENT
                                                    : 0;
}

/*
 * Gives the blocks that have a part of `from` the part, unless the trees are sure of the opposite;
 * TEMPLATE: what tmpl_parts_rest() says.
 */
static void change(const votes_t *votes, const tmpl_parts_page_t *p, const tmpl_field_t *field,
                   tmpl_part_set_t from, unsigned char part)
{
    uint32_t before = TMPL_NONE;
    for (uint32_t b = field->first; b != TMPL_NONE; before = b, b = p->records->next[b]) {
        tmpl_verdict_t *verdict = &p->verdicts[b];
        if (p->words[b + 1] > p->words[b] && (from & TMPL_PART_BIT(verdict->part)) &&
            !is_against(verdict, part) && !has_own_part(votes, p, before, b)) {
            verdict->part = part;
            if (part == TMPL_PART_TEMPLATE) {
                verdict->part = tmpl_parts_rest(p, b);
            }
        }
    }
}

/* Whether a field of which most blocks go names, dates or prices records that stay. */
static int is_named(const tmpl_parts_page_t *p, const tmpl_field_t *field, unsigned char part)
{
    /* comments and reviews go with their authors; buttons and tags have names of prices, dates */
    return !(p->all[field->first] & TMPL_HINT_TAGS) && part != TMPL_PART_COMMENT &&
           part != TMPL_PART_REVIEW &&
           (part != TMPL_PART_CONTROL ||
            tmpl_tally_of(p->judged->reading, field->first).digits > 0) &&
           tmpl_records_named(p->judged, p->records, field, p->kept);
}

static void settle(const tmpl_parts_page_t *p, const tmpl_field_t *field)
{
    const tmpl_part_set_t stay = TMPL_PARTS_DEFAULT & ~TMPL_PART_BIT(TMPL_PART_HEADLINE);
    const tmpl_part_set_t go = TMPL_PARTS_ALL & ~TMPL_PARTS_DEFAULT;
    votes_t votes = { .hints = hints_of(p, field) };
    count_votes(&votes, p, field);
    if (votes.go == 0 || votes.n < TMPL_RECORDS_LEAST) {
        return;
    }
    if (2 * votes.stay >= votes.n) {
        change(&votes, p, field, go, most(&votes, stay));
    }
    else if (2 * votes.go > votes.n && is_named(p, field, most(&votes, go))) {
        change(&votes, p, field, go, TMPL_PART_TEMPLATE);
    }
    else if (2 * votes.go > votes.n && votes.more <= 0) {
        change(&votes, p, field, stay, most(&votes, go));
    }
}

void tmpl_parts_records(tmpl_parts_page_t *p)
{
    for (uint32_t b = 0; b < p->page->n_blocks; b++) {
        p->kept[b + 1] = p->kept[b] + (stays_by_default(p, b) ? p->words[b + 1] - p->words[b] : 0);
    }
    for (uint32_t i = 0; i < p->records->n_fields; i++) {
        if (p->records->fields[i].n >= TMPL_RECORDS_LEAST) {
            settle(p, &p->records->fields[i]);
        }
    }
}
