/* SPDX-License-Identifier: Apache-2.0 */
/* Names of people in bylines and in what programs write as authors. */
#ifndef TMPL_PEOPLE_H
#define TMPL_PEOPLE_H

#include <apr_tables.h>

/* What a text that is a single word may be. */
typedef enum {
    TMPL_NAMES_WHOLE, /* no name, but in scripts without spaces */
    TMPL_NAMES_ONE,   /* a name, if it begins with a capital: "Kim" */
    TMPL_NAMES_LOGIN  /* a name or a login: "kim_77" */
} tmpl_names_e;

/*
 * Adds the names in text to names: "Written by Ann Lee and Bo Chen, editors | 3 May" has two.
 * What is no name of a person adds nothing: addresses, roles,
 * organisations, and anything of more than six words. Words are in people.def.
 */
void tmpl_people_read(apr_array_header_t *names, const char *text, tmpl_names_e single);

/* The length of the words at the start of text that say that a name follows ("By "); 0: none. */
apr_size_t tmpl_people_by(const char *text);

/* Whether a word of len > 0 bytes stands beside dates ("on", "posted"), or is a day of the week. */
int tmpl_people_is_dated(const char *word, apr_size_t len);

/* Whether a part of len > 0 bytes of an address says that authors' pages are behind it. */
int tmpl_people_is_page(const char *part, apr_size_t len);

#endif
