/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of single blocks. */
#include <string.h>

#include "detect/parts_page.h"

#define WORDS_MAX 0xFFFF

/* A part that needs a picture near, and how many blocks may be between. */
#define CREDIT      TMPL_PART_COUNT
#define CREDIT_NEAR 3

/* Cells of a dialog: of a table of sizes or a comparison, or a form's. */
#define TABLE (TMPL_PART_COUNT + 1)

/* Body, if it is an item of several of which the trees are not sure that it is template. */
#define ITEM (TMPL_PART_COUNT + 2)

/*
 * The rules for single blocks, in the order of their weight: a block of at most so many words and
 * at least that templateness, of which all segments have one of the hints, or which has one of the
 * phrases, is of that part.
 */
static const struct {
    unsigned all, phrases; /* one of these */
    unsigned not_in;       /* and not in these elements */
    uint32_t words;
    float least;
    unsigned char part;
} rules[] = {
#define HINT(id)   TMPL_HINT_##id
#define PHRASE(id) TMPL_PHRASE_##id
#define TEXT       (TMPL_IN_VERBATIM | TMPL_IN_QUOTE | TMPL_IN_TABLE)
    /* these are said of nothing else: they hold inside an article, too */
    { HINT(MODAL), 0, TMPL_IN_TABLE, WORDS_MAX, 0, TMPL_PART_NOTICE },
    { 0, PHRASE(ADVERT), TEXT | TMPL_IN_HEADING | TMPL_IN_TERM, WORDS_MAX, 0, TMPL_PART_NOTICE },
    { 0, PHRASE(STATE), TEXT | TMPL_IN_HEADING | TMPL_IN_TERM, WORDS_MAX, 0, TMPL_PART_CONTROL },
    { HINT(HIDDEN), 0, 0, WORDS_MAX, 0.1F, TMPL_PART_HIDDEN },
    { HINT(ARIA), 0, 0, WORDS_MAX, 0.5F, TMPL_PART_HIDDEN },
    { HINT(COOKIE), 0, 0, WORDS_MAX, 0.15F, TMPL_PART_NOTICE },
    { HINT(DIALOG), 0, TMPL_IN_TABLE, WORDS_MAX, 0.3F, TMPL_PART_NOTICE },
    { HINT(DIALOG), 0, 0, 20, 0, TABLE },
    { HINT(STATS), 0, TMPL_IN_HEADING, 30, 0.1F, TMPL_PART_CONTROL },
    { HINT(BUTTON), 0, TMPL_IN_HEADING, 12, 0.02F, TMPL_PART_CONTROL },
    { 0, PHRASE(CONTROL), TMPL_IN_VERBATIM | TMPL_IN_CELL | TMPL_IN_TERM, 12, 0.2F,
      TMPL_PART_CONTROL },
    { HINT(SHARE), 0, TMPL_IN_HEADING, 12, 0.3F, TMPL_PART_CONTROL },
    { HINT(OFFER), 0, 0, WORDS_MAX, 0.3F, TMPL_PART_NOTICE },
    { HINT(POPUP), 0, 0, WORDS_MAX, 0.6F, TMPL_PART_NOTICE },
    { 0, PHRASE(NOTICE), TMPL_IN_VERBATIM | TMPL_IN_TERM, 60, 0.15F, TMPL_PART_NOTICE },
    { HINT(QA), 0, 0, WORDS_MAX, 0.1F, TMPL_PART_QA },
    { HINT(BIO), 0, 0, 4, 0.3F, TMPL_PART_BYLINE },
    { HINT(BIO), 0, TMPL_IN_TABLE, WORDS_MAX, 0.1F, TMPL_PART_RELATED },
    { HINT(RELATED), 0, TMPL_IN_TABLE, WORDS_MAX, 0.3F, TMPL_PART_RELATED },
    { HINT(TAGS), PHRASE(TAGS), TMPL_IN_TABLE, 20, 0.3F, TMPL_PART_RELATED },
    { 0, PHRASE(RELATED), TMPL_IN_TABLE, 10, 0.2F, TMPL_PART_RELATED },
    { 0, PHRASE(POINTER), TEXT, 40, 0.1F, TMPL_PART_RELATED },
    { HINT(CAPTION), 0, TMPL_IN_VERBATIM, WORDS_MAX, 0, TMPL_PART_CAPTION },
    { 0, PHRASE(CREDIT), TEXT | TMPL_IN_HEADING, 25, 0.1F, CREDIT },
    { HINT(FIGURE), 0, TEXT | TMPL_IN_HEADING, 60, 0, TMPL_PART_CAPTION },
    { HINT(RECIPE), 0, 0, 40, 0, ITEM },
};
#define RULES (sizeof(rules) / sizeof(rules[0]))

static int is_near_picture(const tmpl_parts_page_t *p, uint32_t b)
{
    uint32_t first = b > CREDIT_NEAR ? b - CREDIT_NEAR : 0;
    uint32_t after = b + 2 < p->page->n_blocks ? b + 2 : p->page->n_blocks;
    for (uint32_t i = first; i < after; i++) {
        if (tmpl_tally_of(p->judged->reading, i).images > 0) {
            return 1;
        }
    }
    return 0;
}

/* The fewest words of a question, and of the text that a button opens. */
#define QUESTION_WORDS 4
#define PANEL_WORDS    8

/* One of a block's texts: a sign of the button may be behind it. */
static int is_question(const tmpl_parts_page_t *p, uint32_t b)
{
    static const char *const signs[] = { "?", "\xEF\xBC\x9F", "\xD8\x9F" }; /* full width, Arabic */
    const tmpl_block_t *block = &p->page->blocks[b];
    for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
        for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
            if (tmpl_ends_in(p->page, p->page->segments[s].span, signs[i])) {
                return tmpl_part_words(p, b, b + 1) >= QUESTION_WORDS;
            }
        }
    }
    return 0;
}

/*
 * Whether a button is the heading of the text behind it, that stays: a question, or what opens a
 * panel.
 */
static int is_heading(const tmpl_parts_page_t *p, uint32_t b)
{
    uint32_t next = b + 1;
    if (next >= p->page->n_blocks || p->verdicts[next].template ||
        (tmpl_part_context(p, b)->in & TMPL_IN_FORM)) {
        return 0;
    }
    return is_question(p, b) ||
           ((p->all[b] & TMPL_HINT_TOGGLE) && !(p->phrases[b] & TMPL_PHRASE_CONTROL) &&
            tmpl_part_words(p, next, next + 1) >= PANEL_WORDS &&
            tmpl_tally_of(p->judged->reading, next).ends);
}

/* Whether a form is between a block and the dialog that it is in. */
static int is_in_form(const tmpl_parts_page_t *p, uint32_t b)
{
    const tmpl_node_t *nodes = p->page->nodes;
    uint32_t node = p->page->blocks[b].node;
    while (node > 0 && nodes[node].tag != TMPL_TAG_FORM &&
           (p->node_hints[nodes[node].parent] & TMPL_HINT_DIALOG)) {
        node = nodes[node].parent;
    }
    return nodes[node].tag == TMPL_TAG_FORM;
}

static int is_item(const tmpl_parts_page_t *p, uint32_t b)
{
    return p->records->fields[p->records->field[b]].n >= TMPL_RECORDS_LEAST &&
           p->verdicts[b].ratio <= TMPL_SURE_TEMPLATE;
}

unsigned tmpl_parts_rule_hints(void)
{
    unsigned hints = 0;
    for (unsigned i = 0; i < RULES; i++) {
        hints |= rules[i].all;
    }
    return hints;
}

/* The part of a block by the rules; TEMPLATE if there is none. */
unsigned char tmpl_parts_rule(const tmpl_parts_page_t *p, uint32_t b)
{
    uint32_t words = tmpl_part_words(p, b, b + 1);
    float ratio = p->verdicts[b].ratio;
    unsigned in = tmpl_part_context(p, b)->in;
    int may = (p->all[b] & p->rule_hints) != 0 || p->phrases[b] != 0;
    for (unsigned i = 0; may && i < RULES; i++) {
        if (((rules[i].all & p->all[b]) || (rules[i].phrases & p->phrases[b])) &&
            !(rules[i].not_in & in) && words <= rules[i].words && ratio >= rules[i].least) {
            if (words == 0 && rules[i].part == TMPL_PART_CAPTION) {
                return TMPL_PART_TEMPLATE; /* the picture itself */
            }
            if (rules[i].part == TABLE) {
                return is_in_form(p, b) ? TMPL_PART_NOTICE : TMPL_PART_FACTS;
            }
            if (rules[i].part == ITEM) {
                return is_item(p, b) ? TMPL_PART_BODY : TMPL_PART_TEMPLATE;
            }
            if (rules[i].part == TMPL_PART_CONTROL && is_heading(p, b)) {
                return TMPL_PART_BODY;
            }
            if (rules[i].part != CREDIT) {
                return rules[i].part;
            }
            if (is_near_picture(p, b)) {
                return TMPL_PART_CAPTION;
            }
        }
    }
    return TMPL_PART_TEMPLATE;
}

/* A short line of who or when. */
static int is_who_or_when(const tmpl_parts_page_t *p, uint32_t b)
{
    uint32_t words = tmpl_part_words(p, b, b + 1);
    if (words == 0 || words > 20 || p->verdicts[b].part != TMPL_PART_TEMPLATE ||
        (words > 8 && tmpl_tally_of(p->judged->reading, b).ends)) {
        return 0;
    }
    return (p->some[b] & TMPL_HINTS_WHO_OR_WHEN) != 0 ||
           (words <= 12 && (p->phrases[b] & TMPL_PHRASE_WHEN));
}

/* A term, or a description, of a few words, beside another. */
static int is_term(const tmpl_parts_page_t *p, uint32_t b)
{
    const tmpl_page_t *page = p->page;
    int is_dt = page->nodes[page->blocks[b].node].tag == TMPL_TAG_DT;
    uint32_t other = is_dt ? b + 1 : b - 1;
    return (tmpl_part_context(p, b)->in & TMPL_IN_TERM) && other < page->n_blocks &&
           (tmpl_part_context(p, other)->in & TMPL_IN_TERM) && tmpl_part_words(p, b, b + 1) <= 12 &&
           tmpl_part_words(p, other, other + 1) <= 12;
}

static int is_facts(const tmpl_parts_page_t *p, uint32_t b)
{
    uint32_t words = tmpl_part_words(p, b, b + 1);
    return words > 0 && words <= 40 && !(p->some[b] & TMPL_HINT_CODE) &&
           ((p->all[b] & (TMPL_HINT_FACTS | TMPL_HINT_PRICE)) != 0 || is_term(p, b));
}

/* The part of a block of content that no region and no rule has taken. */
unsigned char tmpl_parts_rest(const tmpl_parts_page_t *p, uint32_t b)
{
    if (is_who_or_when(p, b)) {
        return TMPL_PART_BYLINE;
    }
    if (is_facts(p, b)) {
        return TMPL_PART_FACTS;
    }
    return TMPL_PART_BODY;
}
