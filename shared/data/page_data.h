/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content -> a page as data: one JSON object, which conf/page.schema.json describes. Metadata are
 * its members; parts, links and images are what detectors keep of the page (markdown/fragments.h).
 */
#ifndef TMPL_PAGE_DATA_H
#define TMPL_PAGE_DATA_H

#include "content/content.h"
#include "markdown/fragments.h"

/* The version of the schema. A member that is added does not change it. */
#define TMPL_DATA_SCHEMA "1"

/* What is known of a page beside its content. */
typedef struct {
    const char *declined;    /* why the page is whole; NULL: it is not */
    double confidence;       /* cut/closure.h; if there are verdicts; < 0: not said */
    const char *fingerprint; /* NULL: there is none */
    uint64_t version;        /* of the verdicts (clean.h); 0: not known */
} tmpl_data_opts_t;

/*
 * Returns the object and a newline, *len bytes and a NUL, from pool. NULL if it would be more than
 * twice as long as Markdown may be (markdown.h).
 */
const char *tmpl_data(apr_size_t *len, const tmpl_content_t *content, const tmpl_data_opts_t *opts,
                      apr_pool_t *pool);

/* --- json_text.c --- */

/*
 * JSON (RFC 8259) as it is written: members and items one after another, with the commas between
 * them. A tree of jansson would hold the page's text twice, and outside of pools.
 */

/* Opens an object or a list ('{' or '['): the member name; NULL: an item, or the whole text. */
void tmpl_json_open(tmpl_buf_t *out, const char *name, char bracket);

/* Closes it with '}' or ']'. */
void tmpl_json_close(tmpl_buf_t *out, char bracket);

/* Adds the string text, UTF-8. name as above. */
void tmpl_json_string(tmpl_buf_t *out, const char *name, const char *text, apr_size_t len);

/* Adds a number, true, false or null, as JSON writes it. */
void tmpl_json_word(tmpl_buf_t *out, const char *name, const char *word);

/* Whether a text is a number as JSON writes it, without an exponent. */
int tmpl_json_is_number(const char *text);

/* Adds a text; NULL or "" adds nothing. */
void tmpl_value_text(tmpl_buf_t *out, const char *name, const char *text);

/* Adds an address, made absolute; nothing if it is not safe (href.h). */
void tmpl_value_address(tmpl_buf_t *out, const char *name, const char *address,
                        const tmpl_hrefs_t *hrefs, apr_pool_t *pool);

/* Adds a number, without zeros in front. */
void tmpl_value_number(tmpl_buf_t *out, const char *name, const char *text);

/* Adds "4.5/5" or "4.5" as an object. */
void tmpl_value_rating(tmpl_buf_t *out, const char *name, const char *text, apr_pool_t *pool);

#endif
