/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text file with places for JSON data. Of a name, the innermost object that has it is asked:
 *
 *     {{name|format|else}}  the value in a format, escaped; else, if there is no value. Formats:
 *                           .3 (three decimals), ago (5 min), bytes (1.2M), count (12,345),
 *                           duration (2.5 ms), moment (2026-01-31 12:00:00Z), query (behind
 *                           ?name=), share (12.3 %); none: a string, or a number
 *     {{#name}} ... {{/}}   for each element of an array; for an object, once. The element, {{.}},
 *                           is the innermost object then.
 *     {{*name}} ... {{/}}   for each member of an object, as an object with its "name" and "value"
 *     {{?name}} ... {{/}}   if there is a value: neither null, false, 0, "" nor an empty array or
 *                           object; {{?name=other}}: if two members are equal
 *     {{^name}} ... {{/}}   otherwise
 *     {{>a|b|...}}          the beginning of a table or the like, by the function head
 *     {{! ... }}            a comment
 *
 * A line's end behind a tag that is no {{name}} is left out. Files are part of the program: they
 * are not checked.
 */
#ifndef TMPL_FILL_H
#define TMPL_FILL_H

#include <jansson.h>

#include "mod_tmpl.h"

/* What depends on the language of a file. */
typedef struct {
    /* makes a text harmless where the file has places */
    const char *(*escape)(apr_pool_t *pool, const char *text);
    /* sends what stands for {{>a|b|...}}, of which text is all behind >, and may be changed */
    void (*head)(request_rec *r, char *text);
} tmpl_language_t;

/*
 * Sends a file to a client. data is the outermost object; its member "time", seconds since 1970, is
 * the current time.
 */
void tmpl_fill(request_rec *r, const char *file, json_t *data, const tmpl_language_t *language);

#endif
