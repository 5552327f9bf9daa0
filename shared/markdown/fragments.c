/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/fragments.h"

#include <string.h>

#include <apr_strings.h>

/* Bytes of a link's text from which no further text is added. */
#define LONG_TEXT 200

void tmpl_fragments_init(tmpl_fragments_t *fragments, const tmpl_page_t *page,
                         const tmpl_verdict_t *verdicts, int whole, apr_pool_t *pool)
{
    *fragments = (tmpl_fragments_t){
        page, verdicts, whole, .part = TMPL_PART_BODY, .place = TMPL_NONE, .pool = pool
    };
    tmpl_buf_init(&fragments->text, pool);
    tmpl_buf_room(&fragments->text, page->length);
    fragments->runs = apr_array_make(pool, 16, sizeof(tmpl_run_t));
    fragments->links = apr_array_make(pool, 16, sizeof(tmpl_run_link_t));
    fragments->images = apr_array_make(pool, 16, sizeof(tmpl_run_image_t));
}

int tmpl_fragments_keep(tmpl_fragments_t *fragments, uint32_t segment, int begins)
{
    const tmpl_verdict_t *verdict =
        fragments->verdicts != NULL ? &fragments->verdicts[fragments->page->segments[segment].block]
                                    : NULL;
    if (verdict != NULL && verdict->template && !fragments->whole) {
        return 0;
    }
    if (begins) {
        fragments->part = verdict != NULL ? verdict->part : TMPL_PART_BODY;
        fragments->place = fragments->places != NULL ? fragments->places[segment] : TMPL_NONE;
    }
    return 1;
}

int tmpl_fragments_keep_node(tmpl_fragments_t *fragments, uint32_t node, int begins)
{
    enum { MOST = 64 }; /* segments that are looked at: nodes may be nested deeply */
    const tmpl_node_t *of = &fragments->page->nodes[node];
    uint32_t n = of->after_segment - of->first_segment;
    for (uint32_t s = of->first_segment; s < of->after_segment && s - of->first_segment < MOST;
         s++) {
        if (tmpl_fragments_keep(fragments, s, begins)) {
            return 1;
        }
    }
    return n == 0 || n > MOST;
}

int tmpl_fragments_run(tmpl_fragments_t *fragments, apr_size_t markdown)
{
    const tmpl_run_t *last =
        fragments->runs->nelts > 0
            ? &APR_ARRAY_IDX(fragments->runs, fragments->runs->nelts - 1, tmpl_run_t)
            : NULL;
    if (last != NULL && last->part == fragments->part && last->place == fragments->place) {
        return 0;
    }
    APR_ARRAY_PUSH(fragments->runs, tmpl_run_t) =
        (tmpl_run_t){ fragments->part, fragments->place, markdown, fragments->text.len };
    return 1;
}

tmpl_slice_t tmpl_fragments_slice(const char *text, apr_size_t from, apr_size_t to)
{
    while (from < to && (unsigned char)text[from] < ' ') {
        from++;
    }
    while (to > from && (unsigned char)text[to - 1] <= ' ') {
        to--;
    }
    return (tmpl_slice_t){ text + from, to - from };
}

tmpl_slice_t tmpl_fragments_text(const tmpl_fragments_t *fragments, uint32_t run)
{
    return tmpl_fragments_slice(fragments->text.at,
                                APR_ARRAY_IDX(fragments->runs, run, tmpl_run_t).text,
                                APR_ARRAY_IDX(fragments->runs, run + 1, tmpl_run_t).text);
}

static uint32_t last_run(const tmpl_fragments_t *fragments)
{
    return fragments->runs->nelts > 0 ? (uint32_t)fragments->runs->nelts - 1 : 0;
}

/* Adds a link; if the last one has the same address, adds the text to its text. */
static void add_run_link(tmpl_fragments_t *fragments, const char *text, int is_alt,
                         const char *address)
{
    tmpl_run_link_t *last =
        fragments->links->nelts > 0
            ? &APR_ARRAY_IDX(fragments->links, fragments->links->nelts - 1, tmpl_run_link_t)
            : NULL;
    if (last == NULL || strcmp(last->address, address) != 0) {
        if (fragments->links->nelts < TMPL_FRAGMENTS_LISTED) {
            APR_ARRAY_PUSH(fragments->links, tmpl_run_link_t) =
                (tmpl_run_link_t){ text, address, is_alt, last_run(fragments) };
        }
    }
    else if (*last->text == '\0' || (last->is_alt && !is_alt)) {
        last->text = text;
        last->is_alt = is_alt;
    }
    else if (!is_alt && strlen(last->text) < LONG_TEXT && strcmp(last->text, text) != 0) {
        last->text = apr_pstrcat(fragments->pool, last->text, " ", text, NULL);
    }
}

/* Adds the link that ends. */
static void end_link(tmpl_fragments_t *fragments, const char *address)
{
    char *text = apr_pstrmemdup(fragments->pool, fragments->text.at + fragments->link,
                                fragments->text.len - fragments->link);
    for (char *at = strchr(text, '\n'); at != NULL; at = strchr(at, '\n')) {
        *at = ' ';
    }
    int is_alt = text[strspn(text, " ")] == '\0';
    add_run_link(fragments, is_alt ? fragments->link_alt : text, is_alt, address);
}

static void add_run_image(tmpl_fragments_t *fragments, const char *alt, const char *address)
{
    const tmpl_run_image_t *last =
        fragments->images->nelts > 0
            ? &APR_ARRAY_IDX(fragments->images, fragments->images->nelts - 1, tmpl_run_image_t)
            : NULL;
    if ((last == NULL || strcmp(last->address, address) != 0) &&
        fragments->images->nelts < TMPL_FRAGMENTS_LISTED) {
        APR_ARRAY_PUSH(fragments->images, tmpl_run_image_t) =
            (tmpl_run_image_t){ alt, address, fragments->begin, last_run(fragments) };
    }
    fragments->link_alt = *alt != '\0' ? alt : fragments->link_alt;
}

void tmpl_fragments_begin(tmpl_fragments_t *fragments)
{
    fragments->begin = fragments->link = fragments->text.len;
    fragments->link_alt = "";
}

void tmpl_fragments_part(tmpl_fragments_t *fragments, const tmpl_inline_part_t *part)
{
    tmpl_buf_t *text = &fragments->text;
    switch (part->mark) {
    case TMPL_MARK_NONE:
    case TMPL_MARK_CODE: {
        /* beside an image, which the text does not have, there are two spaces */
        int is_double =
            *part->text == ' ' && (text->len == 0 || (unsigned char)text->at[text->len - 1] <= ' ');
        tmpl_buf_add(text, part->text + is_double, part->len - (apr_size_t)is_double);
        break;
    }
    case TMPL_MARK_FORMULA:
        tmpl_buf_add(text, part->text, part->len);
        break;
    case TMPL_MARK_NOTE:
        tmpl_buf_add_byte(text, '[');
        tmpl_buf_add(text, part->text, part->len);
        tmpl_buf_add_byte(text, ']');
        break;
    case TMPL_MARK_LINK:
        fragments->link = text->len;
        fragments->link_alt = "";
        break;
    case TMPL_MARK_LINK_END:
        end_link(fragments, apr_pstrmemdup(fragments->pool, part->address, part->address_len));
        break;
    case TMPL_MARK_IMAGE:
        add_run_image(fragments, apr_pstrmemdup(fragments->pool, part->text, part->len),
                      apr_pstrmemdup(fragments->pool, part->address, part->address_len));
        break;
    case TMPL_MARK_BREAK:
        tmpl_buf_add(text, "\n", text->len > fragments->begin);
        break;
    default:
        break;
    }
}

void tmpl_fragments_end(tmpl_fragments_t *fragments, char end)
{
    if (fragments->text.len > fragments->begin || end == '\t') {
        tmpl_buf_add_byte(&fragments->text, end);
    }
}

void tmpl_fragments_end_row(tmpl_fragments_t *fragments)
{
    tmpl_buf_t *text = &fragments->text;
    if (text->len > 0 && text->at[text->len - 1] == '\t') {
        text->at[text->len - 1] = '\n';
    }
}

void tmpl_fragments_lines(tmpl_fragments_t *fragments, const char *text, apr_size_t len)
{
    tmpl_buf_add(&fragments->text, text, len);
    tmpl_buf_add_byte(&fragments->text, '\n');
}
