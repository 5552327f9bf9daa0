/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text file with places for JSON data. Of a name, the innermost object that has it is asked:
 *
 *     {name|format|else}  the value in a format of fill.c, with & < > " escaped; else, if there is
 *                         no value. Without a format the value is a string, or an integer.
 *     {#name} ... {/}     for each element of an array; for an object, once. The element, {.}, is
 *                         the innermost object then.
 *     {?name} ... {/}     if there is a value: neither null, false, 0, "" nor an array without
 *                         elements
 *     {^name} ... {/}     if there is none
 *     {! ... }            a comment
 *
 * Files are part of the program: they are not checked.
 */
#ifndef TMPL_FILL_H
#define TMPL_FILL_H

#include "json.h"

/* data is the outermost object. Its member "time", seconds since 1970, is the current time. */
void tmpl_fill(request_rec *r, const char *file, const json_t *data);

/* Seconds for people: 2.5 ms. */
const char *tmpl_text_duration(double seconds, apr_pool_t *pool);

#endif
