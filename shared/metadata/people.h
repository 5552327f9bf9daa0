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

/* Lists of words (people.def). */
typedef enum {
    TMPL_WORDS_BY,
    TMPL_WORDS_NO_NAME,
    TMPL_WORDS_PARTICLE,
    TMPL_WORDS_DATED, /* beside dates: "on", "posted", days of the week */
    TMPL_WORDS_PAGE,  /* parts of addresses of authors' pages, and */
    TMPL_WORDS_USER   /* of pages of people who discuss */
} tmpl_words_e;

/* Whether a word of len > 0 bytes, in any case, is in a list. */
int tmpl_people_word(tmpl_words_e list, const char *word, apr_size_t len);

#endif
