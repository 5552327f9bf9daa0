/* SPDX-License-Identifier: Apache-2.0 */
#include "data/page_data.h"

#include <string.h>

#include <apr_strings.h>

#include "base/bytes.h"
#include "markdown/markdown.h"

/* --- JSON (RFC 8259) as it is written. A tree of jansson would hold the page's text twice, and
 * outside of pools. A value has a name as a member of an object, and NULL as an item. --- */

/* Adds what stands in front of a value: a comma, its name. */
static void begin_value(tmpl_buf_t *out, const char *name)
{
    char last = out->len > 0 ? out->at[out->len - 1] : '{';
    tmpl_buf_add(out, ",", last != '{' && last != '[');
    if (name != NULL) {
        tmpl_buf_add_byte(out, '"');
        tmpl_buf_add_text(out, name);
        tmpl_buf_add_text(out, "\":");
    }
}

/* Opens an object or a list ('{' or '['). */
static void open_value(tmpl_buf_t *out, const char *name, char bracket)
{
    begin_value(out, name);
    tmpl_buf_add_byte(out, bracket);
}

/* Bits of the bytes that a string may not have as they are. */
static inline unsigned special_bits(tmpl_bytes16_t bytes)
{
    return tmpl_bytes16_bits((tmpl_bytes16_t)((bytes < ' ') | (bytes == '"') | (bytes == '\\')));
}

/* The next byte, from i on, that a string may not have as it is; len: there is none. */
static inline apr_size_t next_special(const char *text, apr_size_t i, apr_size_t len)
{
    unsigned marks = 0;
    while (i + TMPL_BYTES16 <= len && (marks = special_bits(tmpl_bytes16_load(text + i))) == 0) {
        i += TMPL_BYTES16;
    }
    if (marks == 0 && i < len) {
        marks = special_bits(tmpl_bytes16_part(text + i, len - i)) & ((1u << (len - i)) - 1);
    }
    return marks != 0 ? i + (apr_size_t)__builtin_ctz(marks) : len;
}

static void add_string(tmpl_buf_t *out, const char *name, const char *text, apr_size_t len)
{
    /* what stands behind a '\\' for a byte; u: its number */
    static const char escapes[256] = {
        [0 ... 8] = 'u', [11 ... 31] = 'u', ['\n'] = 'n', ['\t'] = 't', ['"'] = '"', ['\\'] = '\\'
    };
    begin_value(out, name);
    tmpl_buf_add_byte(out, '"');
    for (apr_size_t i = 0, special; i < len; i = special + 1) {
        special = next_special(text, i, len);
        tmpl_buf_add(out, text + i, special - i);
        if (special < len) {
            char number[sizeof("0000")] = "", escape = escapes[(unsigned char)text[special]];
            if (escape == 'u') {
                apr_snprintf(number, sizeof(number), "%04x", (unsigned char)text[special]);
            }
            tmpl_buf_add_byte(out, '\\');
            tmpl_buf_add_byte(out, escape);
            tmpl_buf_add_text(out, number);
        }
    }
    tmpl_buf_add_byte(out, '"');
}

/* Adds a number, true or false, as JSON writes it. */
static void add_word(tmpl_buf_t *out, const char *name, const char *word)
{
    begin_value(out, name);
    tmpl_buf_add_text(out, word);
}

/* Whether a text is a number as JSON writes it, without an exponent. */
static int is_number(const char *text)
{
    text += *text == '-';
    apr_size_t whole = strspn(text, "0123456789");
    if (whole == 0 || (*text == '0' && whole > 1)) {
        return 0;
    }
    text += whole;
    apr_size_t rest = *text == '.' ? strspn(text + 1, "0123456789") : 0;
    return *text == '\0' || (rest > 0 && text[1 + rest] == '\0');
}

/* Adds a text; NULL or "" adds nothing. */
static void add_text(tmpl_buf_t *out, const char *name, const char *text)
{
    if (text != NULL && *text != '\0') {
        add_string(out, name, text, strlen(text));
    }
}

/* Adds an address, made absolute; nothing if it is not safe (href.h). */
static void add_address(tmpl_buf_t *out, const char *name, const char *address,
                        const tmpl_hrefs_t *hrefs, apr_pool_t *pool)
{
    add_text(out, name, tmpl_href_absolute(hrefs, address, pool));
}

/* Adds a number, without zeros in front. */
static void add_number(tmpl_buf_t *out, const char *name, const char *text)
{
    while (text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
        text++;
    }
    if (is_number(text)) {
        add_word(out, name, text);
    }
}

/* Adds "4.5/5" or "4.5" as an object. */
static void add_rating(tmpl_buf_t *out, const char *name, const char *text, apr_pool_t *pool)
{
    const char *slash = strchr(text, '/');
    const char *value = apr_pstrmemdup(pool, text, strcspn(text, "/"));
    if (is_number(value)) {
        open_value(out, name, '{');
        add_number(out, "value", value);
        if (slash != NULL) {
            add_number(out, "best", slash + 1);
        }
        tmpl_buf_add_byte(out, '}');
    }
}

/* --- Metadata --- */

static void add_metadata(tmpl_buf_t *out, const tmpl_content_t *content, apr_pool_t *pool)
{
    tmpl_buf_t values;
    tmpl_buf_init(&values, pool);
    for (int i = 0; i < TMPL_METADATA_COUNT; i++) {
        const char *text = tmpl_metadata_first(&content->metadata, (tmpl_metadata_e)i);
        const char *key = tmpl_metadata_fields[i].key;
        if (text == NULL) {
            continue;
        }
        if (i == TMPL_METADATA_RATING) {
            add_rating(out, key, text, pool);
        }
        else if (i == TMPL_METADATA_PRICE) {
            add_number(out, key, text);
        }
        else if (i == TMPL_METADATA_CANONICAL || i == TMPL_METADATA_IMAGE) {
            add_address(out, key, text, &content->hrefs, pool);
        }
        else {
            tmpl_buf_clear(&values);
            tmpl_front_values(&values, &content->metadata, i, ",");
            add_word(out, key, values.at);
        }
    }
}

/* A page's fragments, and its Markdown. */
typedef struct {
    tmpl_fragments_t fragments;
    const char *markdown;
    apr_size_t len;
} written_t;

static const tmpl_run_t *run_at(const written_t *written, int i)
{
    return &APR_ARRAY_IDX(written->fragments.runs, i, tmpl_run_t);
}

static void add_part_of(tmpl_buf_t *out, const written_t *written, uint32_t run)
{
    static const char *const names[] = {
#define PART_NAME(id, name, explanation) "\"" name "\"",
        TMPL_PARTS(PART_NAME)
#undef PART_NAME
    };
    add_word(out, "part", names[run_at(written, (int)run)->part]);
}

static void add_parts(tmpl_buf_t *out, const written_t *written)
{
    open_value(out, "parts", '[');
    for (int i = 0; i + 1 < written->fragments.runs->nelts; i++) {
        tmpl_slice_t text = tmpl_fragments_text(&written->fragments, (uint32_t)i);
        tmpl_slice_t markdown = tmpl_fragments_slice(
            written->markdown, run_at(written, i)->markdown, run_at(written, i + 1)->markdown);
        open_value(out, NULL, '{');
        add_part_of(out, written, (uint32_t)i);
        add_string(out, "text", text.at, text.len);
        add_string(out, "markdown", markdown.at, markdown.len);
        tmpl_buf_add_byte(out, '}');
    }
    tmpl_buf_add_byte(out, ']');
}

static void add_links(tmpl_buf_t *out, const written_t *written, const tmpl_hrefs_t *hrefs)
{
    const apr_array_header_t *links = written->fragments.links;
    open_value(out, "links", '[');
    for (int i = 0; i < links->nelts; i++) {
        const tmpl_run_link_t *link = &APR_ARRAY_IDX(links, i, tmpl_run_link_t);
        const char *own = tmpl_href_own(hrefs, link->address);
        if (own != NULL && *own == '#') {
            continue; /* a place of the page itself */
        }
        open_value(out, NULL, '{');
        add_string(out, "text", link->text, strlen(link->text));
        add_text(out, "address", link->address);
        add_part_of(out, written, link->run);
        tmpl_buf_add_byte(out, '}');
    }
    tmpl_buf_add_byte(out, ']');
}

/* The line of text beside an image, or behind it, if it is of a caption. */
static tmpl_slice_t caption_of(const written_t *written, const tmpl_run_image_t *image)
{
    const tmpl_buf_t *text = &written->fragments.text;
    int run = (int)image->run;
    run += run_at(written, run + 1)->text == image->text;
    if (run_at(written, run)->part != TMPL_PART_CAPTION) {
        return (tmpl_slice_t){ "", 0 };
    }
    const char *line = text->at + image->text;
    return tmpl_fragments_slice(line, 0, strcspn(line, "\n"));
}

static void add_images(tmpl_buf_t *out, const written_t *written)
{
    const apr_array_header_t *images = written->fragments.images;
    open_value(out, "images", '[');
    for (int i = 0; i < images->nelts; i++) {
        const tmpl_run_image_t *image = &APR_ARRAY_IDX(images, i, tmpl_run_image_t);
        tmpl_slice_t caption = caption_of(written, image);
        open_value(out, NULL, '{');
        add_text(out, "address", image->address);
        add_string(out, "alt", image->alt, strlen(image->alt));
        if (caption.len > 0) {
            add_string(out, "caption", caption.at, caption.len);
        }
        add_part_of(out, written, image->run);
        tmpl_buf_add_byte(out, '}');
    }
    tmpl_buf_add_byte(out, ']');
}

/* --- Records --- */

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

/* records[g]: the records of group g; runs[r]: the runs of record r. NULL: it has none. */
typedef struct {
    apr_array_header_t **records, **runs; /* of uint32_t */
} record_lists_t;

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

/* Sets fragments apart by the innermost record around them, and the record's text in it. */
static void part_by_records(tmpl_fragments_t *fragments, const tmpl_groups_t *groups)
{
    const tmpl_page_t *page = fragments->page;
    if (groups->n == 0) {
        return;
    }
    uint32_t *places = apr_palloc(fragments->pool, page->n_segments * sizeof(*places));
    const unsigned char *beside = beside_of(page, groups, fragments->pool);
    for (uint32_t s = 0; s < page->n_segments; s++) {
        const tmpl_group_record_t *record =
            tmpl_record_of(groups, groups->owners[page->segments[s].node]);
        places[s] = TMPL_NONE;
        if (record != NULL) {
            const tmpl_node_t *text = &page->nodes[record->text];
            unsigned is_text = s >= text->first_segment && s < text->after_segment && !beside[s];
            places[s] = 2 * (uint32_t)(record - groups->records) + is_text;
        }
    }
    fragments->places = places;
}

static void add_index(apr_array_header_t **list, uint32_t index, apr_pool_t *pool)
{
    *list = *list != NULL ? *list : apr_array_make(pool, 4, sizeof(index));
    APR_ARRAY_PUSH(*list, uint32_t) = index;
}

static record_lists_t lists_of(const tmpl_groups_t *groups, const tmpl_fragments_t *fragments,
                               apr_pool_t *pool)
{
    record_lists_t lists = { apr_pcalloc(pool, (groups->n_groups + 1) * sizeof(*lists.records)),
                             apr_pcalloc(pool, (groups->n + 1) * sizeof(*lists.runs)) };
    for (uint32_t i = 0; i < groups->n; i++) {
        add_index(&lists.records[groups->records[i].group], i, pool);
    }
    for (int i = 0; i + 1 < fragments->runs->nelts; i++) { /* the last one ends the others */
        uint32_t place = APR_ARRAY_IDX(fragments->runs, i, tmpl_run_t).place;
        if (place != TMPL_NONE) {
            add_index(&lists.runs[place / 2], (uint32_t)i, pool);
        }
    }
    return lists;
}

static void add_field(tmpl_buf_t *out, int field, const char *value, const tmpl_content_t *content,
                      apr_pool_t *pool)
{
    const char *key = keys[field];
    switch (field) {
    case TMPL_RECORD_ADDRESS:
    case TMPL_RECORD_IMAGE:
        add_address(out, key, value, &content->hrefs, pool);
        break;
    case TMPL_RECORD_RATING:
        add_rating(out, key, value, pool);
        break;
    case TMPL_RECORD_VOTES:
    case TMPL_RECORD_PRICE:
        add_number(out, key, value);
        break;
    case TMPL_RECORD_ACCEPTED:
        add_word(out, key, value);
        break;
    default:
        add_text(out, key, value);
    }
}

/* Adds the text of those of a record's runs that are its text, and the numbers of all. */
static void add_runs(tmpl_buf_t *out, const apr_array_header_t *runs,
                     const tmpl_fragments_t *fragments, apr_pool_t *pool)
{
    tmpl_buf_t text;
    tmpl_buf_init(&text, pool);
    for (int i = 0; runs != NULL && i < runs->nelts; i++) {
        uint32_t run = APR_ARRAY_IDX(runs, i, uint32_t);
        if (APR_ARRAY_IDX(fragments->runs, run, tmpl_run_t).place % 2 == 1) {
            tmpl_slice_t of = tmpl_fragments_text(fragments, run);
            tmpl_buf_add(&text, "\n", text.len > 0 && of.len > 0);
            tmpl_buf_add(&text, of.at, of.len);
        }
    }
    add_string(out, "text", text.at, text.len);
    open_value(out, "parts", '[');
    for (int i = 0; runs != NULL && i < runs->nelts; i++) {
        add_word(out, NULL, apr_psprintf(pool, "%u", APR_ARRAY_IDX(runs, i, uint32_t)));
    }
    tmpl_buf_add_byte(out, ']');
}

static void add_item(tmpl_buf_t *out, const record_lists_t *lists, uint32_t index,
                     const tmpl_content_t *content, const tmpl_fragments_t *fragments,
                     apr_pool_t *pool)
{
    const tmpl_group_record_t *record = &content->groups.records[index];
    open_value(out, NULL, '{');
    add_text(out, "kind", kinds[record->kind]);
    add_word(out, "id", apr_psprintf(pool, "%u", index));
    if (record->parent != TMPL_NONE) {
        add_word(out, "parent", apr_psprintf(pool, "%u", record->parent));
    }
    for (int i = 0; i < TMPL_RECORD_FIELD_COUNT; i++) {
        if (record->fields[i].value != NULL) {
            add_field(out, i, record->fields[i].value, content, pool);
        }
    }
    add_runs(out, lists->runs[index], fragments, pool);
    tmpl_buf_add_byte(out, '}');
}

static void add_records(tmpl_buf_t *out, const tmpl_content_t *content,
                        const tmpl_fragments_t *fragments, apr_pool_t *pool)
{
    const tmpl_groups_t *groups = &content->groups;
    record_lists_t lists = lists_of(groups, fragments, pool);
    const char *type = tmpl_metadata_first(&content->metadata, TMPL_METADATA_TYPE);
    int is_article = type != NULL && strcmp(type, "article") == 0 && !groups->is_listing;
    open_value(out, "records", '[');
    for (uint32_t g = 0; g < groups->n_groups; g++) {
        const apr_array_header_t *records = lists.records[g];
        /* cards beside an article are other pages */
        if (records == NULL ||
            (is_article &&
             groups->records[APR_ARRAY_IDX(records, 0, uint32_t)].kind == TMPL_RECORD_CARD)) {
            continue;
        }
        open_value(out, NULL, '{');
        add_text(out, "kind", kinds[groups->records[APR_ARRAY_IDX(records, 0, uint32_t)].kind]);
        open_value(out, "items", '[');
        for (int i = 0; i < records->nelts; i++) {
            add_item(out, &lists, APR_ARRAY_IDX(records, i, uint32_t), content, fragments, pool);
        }
        tmpl_buf_add_byte(out, ']');
        tmpl_buf_add_byte(out, '}');
    }
    tmpl_buf_add_byte(out, ']');
}

/* --- The page --- */

/* The members that say how the page was judged. */
static void add_judgement(tmpl_buf_t *out, const tmpl_content_t *content,
                          const tmpl_data_opts_t *opts, apr_pool_t *pool)
{
    add_text(out, "declined", opts->declined);
    if (content->verdicts != NULL && opts->confidence >= 0) {
        add_number(out, "confidence", apr_psprintf(pool, "%.3f", opts->confidence));
    }
    add_text(out, "fingerprint", opts->fingerprint);
    if (opts->version != 0) {
        add_text(out, "version",
                 apr_psprintf(pool, "%08x-%08x", (unsigned)(opts->version >> 32),
                              (unsigned)opts->version));
    }
}

const char *tmpl_data(apr_size_t *len, const tmpl_content_t *content, const tmpl_data_opts_t *opts,
                      apr_pool_t *pool)
{
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    written_t written;
    tmpl_fragments_init(&written.fragments, content->page, content->verdicts,
                        opts->declined != NULL, scratch);
    part_by_records(&written.fragments, &content->groups);
    written.markdown = tmpl_markdown(&written.len, content, &written.fragments, scratch);
    tmpl_buf_t out;
    tmpl_buf_init(&out, pool);
    if (written.markdown != NULL) {
        tmpl_buf_room(&out, 2 * (written.len + written.fragments.text.len));
        open_value(&out, NULL, '{');
        add_word(&out, "schema", TMPL_DATA_SCHEMA);
        add_address(&out, "address", content->hrefs.url, &content->hrefs, scratch);
        add_metadata(&out, content, scratch);
        add_parts(&out, &written);
        add_records(&out, content, &written.fragments, scratch);
        add_links(&out, &written, &content->hrefs);
        add_images(&out, &written);
        add_judgement(&out, content, opts, scratch);
        tmpl_buf_add_byte(&out, '}');
        tmpl_buf_add_byte(&out, '\n');
    }
    *len = out.len;
    const char *json =
        out.len > 0 && out.len <= 2 * tmpl_markdown_most(content->page->len) ? out.at : NULL;
    apr_pool_destroy(scratch);
    return json;
}
