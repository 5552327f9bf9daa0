/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/records.h"

#include "base/hash.h"

/* Cells behind that many in a row count as one column, so that long rows cost no more. */
#define COLUMNS_MOST 32

/* The column of a cell of a table, from 1; 0 for other elements. */
static uint32_t column_of(const tmpl_node_t *nodes, uint32_t node)
{
    uint32_t column = 1;
    if (nodes[node].tag != TMPL_TAG_TD && nodes[node].tag != TMPL_TAG_TH) {
        return 0;
    }
    for (uint32_t i = nodes[node].parent + 1; i < node && column < COLUMNS_MOST;
         i = nodes[i].after) {
        column++;
    }
    return column;
}

static void add_to_field(tmpl_records_t *records, uint32_t block, uint32_t n)
{
    tmpl_field_t *field = &records->fields[n];
    if (field->n++ == 0) {
        field->first = block;
    }
    else {
        records->next[field->last] = block;
    }
    field->last = block;
    records->field[block] = n;
    records->next[block] = TMPL_NONE;
}

void tmpl_records_find(tmpl_records_t *records, const tmpl_page_t *page,
                       const tmpl_layout_t *layout, apr_pool_t *pool)
{
    tmpl_numbering_t fields;
    records->page = page;
    records->fields = apr_pcalloc(pool, page->n_blocks * sizeof(*records->fields));
    records->field = apr_palloc(pool, page->n_blocks * sizeof(*records->field));
    records->next = apr_palloc(pool, page->n_blocks * sizeof(*records->next));
    tmpl_numbering_init(&fields, 64, pool, pool);
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        uint64_t column = column_of(page->nodes, page->blocks[b].node);
        add_to_field(records, b,
                     tmpl_numbering_add(&fields, column << 32 | layout->blocks[b].paths[0]));
    }
    records->n_fields = fields.n;
}

uint32_t tmpl_records_run(const tmpl_records_t *records, const tmpl_field_t *field)
{
    const tmpl_page_t *page = records->page;
    uint32_t run = page->blocks[field->first].node;
    while (page->nodes[run].after <= page->blocks[field->last].node) {
        run = page->nodes[run].parent;
    }
    return run;
}

uint32_t tmpl_records_record(const tmpl_page_t *page, uint32_t run, uint32_t block)
{
    uint32_t record = page->blocks[block].node;
    while (record > 0 && page->nodes[record].parent != run) {
        record = page->nodes[record].parent;
    }
    return record;
}

typedef struct {
    const tmpl_ruled_t *judged;
    const tmpl_page_t *page;
    const tmpl_records_t *records;
    uint32_t *content; /* [i]: halves of words of content, by the trees, before block i */
} judge_t;

static uint32_t words_of(const judge_t *j, uint32_t block)
{
    const uint32_t *words = j->judged->reading->before.words;
    return words[block + 1] - words[block];
}

/* All of it: many prices begin with the same segment, a label or a currency. */
static int is_same_text(const judge_t *j, uint32_t a, uint32_t b)
{
    const tmpl_segment_t *segments = j->page->segments;
    uint32_t at = j->page->blocks[a].first_segment;
    uint32_t n = j->page->blocks[a].after_segment - at;
    uint32_t to = j->page->blocks[b].first_segment;
    int is = n == j->page->blocks[b].after_segment - to;
    for (uint32_t s = 0; is && s < n; s++) {
        is = segments[at + s].key == segments[to + s].key;
    }
    return is;
}

/* What a block says of itself. A heading is the name of its record. */
static tmpl_byline_e says_in_record(const judge_t *j, uint32_t block)
{
    uint32_t node = j->page->segments[j->page->blocks[block].first_segment].node;
    if (tmpl_context(j->judged->reading, node)->in & TMPL_IN_HEADING) {
        return TMPL_BYLINE_NAMED;
    }
    return tmpl_byline_of(j->judged, block);
}

/* What most of the first blocks say, at least. */
static tmpl_byline_e field_says(const judge_t *j, const tmpl_field_t *field)
{
    uint32_t looked = 0;
    uint32_t said = 0;
    uint32_t named = 0;
    for (uint32_t b = field->first; b != TMPL_NONE && looked < TMPL_RECORDS_LOOKED;
         b = j->records->next[b], looked++) {
        tmpl_byline_e is = says_in_record(j, b);
        said += is == TMPL_BYLINE_SAID ? 1 : 0;
        named += is != TMPL_BYLINE_NONE ? 1 : 0;
    }
    return 2 * said > looked    ? TMPL_BYLINE_SAID
           : 2 * named > looked ? TMPL_BYLINE_NAMED
                                : TMPL_BYLINE_NONE;
}

static int is_at_edge(const judge_t *j, const tmpl_field_t *field)
{
    static const unsigned edges = TMPL_IN_NAV | TMPL_IN_FOOTER | TMPL_IN_ASIDE;
    uint32_t run = tmpl_records_run(j->records, field);
    return (tmpl_context(j->judged->reading, run)->in & edges) != 0;
}

static int is_needed(const judge_t *j, const tmpl_field_t *field)
{
    const uint32_t *before = j->judged->reading->before.words;
    uint32_t around = 0;  /* neighbours with content between them */
    uint32_t kept = 0;    /* words of content between neighbours */
    uint32_t between = 0; /* all words between neighbours */
    uint32_t other = 0;   /* neighbours with different texts */
    uint32_t words = words_of(j, field->last);
    for (uint32_t b = field->first; b != field->last; b = j->records->next[b]) {
        uint32_t next = j->records->next[b];
        around += j->content[next] > j->content[b + 1] ? 1 : 0;
        kept += j->content[next] - j->content[b + 1];
        between += before[next] - before[b + 1];
        other += is_same_text(j, next, b) ? 0 : 1;
        words += words_of(j, b);
    }
    if (words == 0 || words > (uint64_t)2 * TMPL_RECORDS_WORDS * field->n ||
        2 * around < field->n - 1 || is_at_edge(j, field)) {
        return 0;
    }
    tmpl_byline_e is = field_says(j, field);
    return (is == TMPL_BYLINE_SAID || 2 * other >= field->n) &&
           (is != TMPL_BYLINE_NONE || (uint64_t)2 * kept >= between);
}

/* Elements from the block of a cell up to its row, at most, and words of a row of data. */
#define ROW_UP    2
#define ROW_WORDS 100

/* The row of data that a block is in; 0: none. Long rows are for layout. */
static uint32_t row_of_data(const judge_t *j, uint32_t block)
{
    const tmpl_node_t *nodes = j->page->nodes;
    const uint32_t *words = j->judged->reading->before.words;
    uint32_t node = j->page->blocks[block].node;
    for (unsigned up = 0; up < ROW_UP && nodes[node].tag != TMPL_TAG_TR && node > 0; up++) {
        node = nodes[node].parent;
    }
    int is = nodes[node].tag == TMPL_TAG_TR &&
             words[tmpl_after_block(j->page, node)] - words[tmpl_first_block(j->page, node)] <=
                 2 * ROW_WORDS;
    return is ? node : 0;
}

/* In a list of terms, or in a row of a table that is no cell of another: those are for layout. */
static int is_in_table(const judge_t *j, const tmpl_field_t *field)
{
    const tmpl_node_t *nodes = j->page->nodes;
    uint32_t node = j->page->blocks[field->first].node;
    if (tmpl_context(j->judged->reading, node)->in & TMPL_IN_TERM) {
        return 1;
    }
    unsigned tables = 0;
    for (node = row_of_data(j, field->first); node > 0; node = nodes[node].parent) {
        tables += nodes[node].tag == TMPL_TAG_TABLE ? 1 : 0;
    }
    return tables == 1;
}

/* Whether a block is of a row with content: rule 5 of cut/steps.h keeps all of a row. */
static int is_in_row(const judge_t *j, uint32_t block)
{
    uint32_t row = row_of_data(j, block);
    return row > 0 && words_of(j, block) <= 2 * TMPL_RECORDS_WORDS &&
           j->content[tmpl_after_block(j->page, row)] > j->content[tmpl_first_block(j->page, row)];
}

/* Whether the vote of a field may make a block template, and content. */
static int vote_may_cut(const judge_t *j, uint32_t block, int64_t more)
{
    return j->judged->verdicts[block].ratio >= TMPL_SURE_CONTENT &&
           !tmpl_is_inside(j->judged, block) &&
           (more <= 0 || words_of(j, block) <= 2 * TMPL_RECORDS_WORDS);
}

static int vote_may_keep(const judge_t *j, uint32_t block)
{
    return words_of(j, block) > 0 && !tmpl_is_of_site(j->judged, block) &&
           (j->judged->verdicts[block].ratio <= TMPL_SURE_TEMPLATE ||
            tmpl_is_inside(j->judged, block) || says_in_record(j, block) != TMPL_BYLINE_NONE);
}

static void judge_field(const judge_t *j, const tmpl_field_t *field)
{
    tmpl_verdict_t *verdicts = j->judged->verdicts;
    uint32_t n = field->n;
    uint32_t kept = 0;
    uint32_t rows = 0; /* blocks of template in rows with content */
    int64_t more = 0;  /* words of content less words of template */
    for (uint32_t b = field->first; b != TMPL_NONE; b = j->records->next[b]) {
        uint32_t words = words_of(j, b);
        kept += verdicts[b].template ? 0 : 1;
        rows += words > 0 && verdicts[b].template && is_in_row(j, b) ? 1 : 0;
        more += verdicts[b].template ? -(int64_t)words : (int64_t)words;
    }
    if (kept == n || (kept > 0 && n < TMPL_RECORDS_LEAST)) {
        return;
    }
    kept += kept > 0 && rows > 0 && is_in_table(j, field) ? rows : 0;
    int template = 2 * kept < n && !is_needed(j, field);
    for (uint32_t b = field->first; b != TMPL_NONE; b = j->records->next[b]) {
        int may = template ? vote_may_cut(j, b, more) : vote_may_keep(j, b);
        if (may) {
            verdicts[b].template = (unsigned char)template;
        }
    }
}

static void sum_content(const judge_t *j)
{
    for (uint32_t b = 0; b < j->page->n_blocks; b++) {
        uint32_t words = j->judged->verdicts[b].template ? 0 : words_of(j, b);
        j->content[b + 1] = j->content[b] + words;
    }
}

void tmpl_records_judge(const tmpl_ruled_t *judged, const tmpl_records_t *records, apr_pool_t *pool)
{
    judge_t j = { .judged = judged, .page = records->page, .records = records };
    j.content = apr_palloc(pool, (records->page->n_blocks + 1) * sizeof(*j.content));
    j.content[0] = 0;
    for (int round = 0; round < 2; round++) {
        sum_content(&j);
        for (uint32_t i = 0; i < records->n_fields; i++) {
            const tmpl_field_t *field = &records->fields[i];
            if (field->n > 1 && (round == 0 || is_in_table(&j, field))) {
                judge_field(&j, field);
            }
        }
    }
}

/* Whether most of the first records of a field have content. */
static int have_content(const judge_t *j, const tmpl_field_t *field)
{
    const tmpl_page_t *page = j->page;
    uint32_t run = tmpl_records_run(j->records, field);
    uint32_t looked = 0;
    uint32_t with = 0;
    for (uint32_t b = field->first; b != TMPL_NONE && looked < TMPL_RECORDS_LOOKED;
         b = j->records->next[b], looked++) {
        uint32_t record = tmpl_records_record(page, run, b);
        with +=
            j->content[tmpl_after_block(page, record)] > j->content[tmpl_first_block(page, record)]
                ? 1
                : 0;
    }
    return 2 * with > looked;
}

int tmpl_records_named(const tmpl_ruled_t *judged, const tmpl_records_t *records,
                       const tmpl_field_t *field, uint32_t *kept)
{
    judge_t j = { .judged = judged, .page = records->page, .records = records, .content = kept };
    return field_says(&j, field) != TMPL_BYLINE_NONE && is_needed(&j, field) &&
           have_content(&j, field);
}
