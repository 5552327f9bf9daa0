/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The volatile places of a page: nonces, tokens and the text of scripts, which may differ each time
 * that a page is sent and decide nothing about it. A place ends at the first byte that would end
 * it, so in another page of equal bytes around it it is found again without parsing, whatever its
 * length.
 *
 * A place holds nothing that could change how the rest is read: no NUL, no ESC (ISO-2022-JP), no
 * byte above ASCII unless the page says that it is UTF-8, no "<!--" in a script, and no name of a
 * type of page, which is looked for in all of the source (detect/parts_regions.c).
 */
#ifndef TMPL_PLACES_H
#define TMPL_PLACES_H

#include "html/construct.h"
#include "page/page.h"

/* A page with more places is treated as if it had none. */
#define TMPL_PLACES_MOST 256

struct tmpl_volatile_t {
    tmpl_span_t span;
    uint32_t end; /* what ends it: the quote of the attribute, or '<' for a script */
};

/*
 * Lists the places of a page whose tokens are known. read is of const char *: selectors of CSS,
 * XPath expressions without the axis attribute, and bare names. An attribute that one of them names
 * is read by others, so it is no place.
 */
void tmpl_places_find(tmpl_page_t *page, const tmpl_tokens_t *tokens,
                      const apr_array_header_t *read, const char *charset, apr_pool_t *pool);

/*
 * Finds n places again in len bytes at src, of a page that may be another one than the places are
 * from: found has room for n. Fills hash from all that places leave: the charset, the bytes around
 * them, and what the scripts look up. Returns 0 if a place has no end there, or holds what it must
 * not, or if there is no memory.
 */
#define TMPL_PLACES_HASH   16
#define TMPL_PLACES_SECRET 192
int tmpl_places_hash(unsigned char hash[TMPL_PLACES_HASH], tmpl_volatile_t *found,
                     const tmpl_volatile_t *places, uint32_t n, const char *src, uint32_t len,
                     const char *charset, const unsigned char *secret, apr_pool_t *pool);

/* --- what a script looks up in the document when it runs, as far as its text shows --- */

/* How: by a name, by a selector that begins with no name, or by the script's own position. */
typedef enum {
    TMPL_LOOK_ID,
    TMPL_LOOK_CLASS,
    TMPL_LOOK_NAMES,
    TMPL_LOOK_SELECTOR = TMPL_LOOK_NAMES,
    TMPL_LOOK_POSITION
} tmpl_look_e;

typedef struct {
    uint32_t at; /* where the search goes on; set it to the start of the script's text first */
    tmpl_look_e by;
    tmpl_span_t name; /* may be empty */
} tmpl_script_look_t;

/* Finds the next look-up in front of the offset end. Returns 0 if there is none. */
int tmpl_script_look(tmpl_script_look_t *look, const char *src, uint32_t end);

#endif
