/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of pages that are hard for a parser, of any size. A table lists some kinds; a grammar
 * derives others from each element of HTML.
 */
#ifndef BENCH_KINDS_H
#define BENCH_KINDS_H

#include <apr_tables.h>

#define KIB 1024u

/*
 * A page: begin, deep times nest, then unit until the size is reached, then end. '#' in a unit
 * becomes an increasing number, '@' the same number in letters, which is shorter. With middle,
 * there are two halves with the same numbers, and middle in between.
 */
typedef struct {
    const char *name;
    const char *nest;
    unsigned deep;
    const char *begin;
    const char *unit;
    const char *middle;
    const char *end;
    int is_wide; /* 1: in UTF-16, with a byte order mark */
} kind_t;

/* The table; the first one is an ordinary page. */
extern const kind_t kinds[];
extern const unsigned n_kinds;

/*
 * The derived kinds, as an array of kind_t. A unit is <ELEMENT ATTRIBUTE>TEXT, without an end tag,
 * with an end tag, or with an end tag and the text again behind it. The unit is the kind's name.
 */
apr_array_header_t *kinds_derive(apr_pool_t *pool);

/* A page, from malloc. */
typedef struct {
    char *bytes;
    apr_size_t len;
    apr_size_t room;
} buffer_t;

/* Makes a page of a kind; it has about size bytes. */
void kind_make(buffer_t *b, const kind_t *kind, apr_size_t size);

#endif
