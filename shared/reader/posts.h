/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posts of a thread, comments, reviews and answers (content/groups.h), each in a section with a
 * heading that says who wrote it and when. Comments, reviews and answers stand in a details
 * element with their number. Cards of a collection are sections without a heading.
 */
#ifndef TMPL_POSTS_H
#define TMPL_POSTS_H

#include "reader/view.h"

/* Finds the records of the walk's content. */
void tmpl_posts_find(tmpl_view_t *w);

/* Begins a list of records or a record with an element, before it is written. */
void tmpl_posts_begin(tmpl_view_t *w, const xmlNode *node);

/* Writes who wrote the record that begins with an element, and when, behind the element's start. */
void tmpl_posts_head(tmpl_view_t *w, const xmlNode *node);

#endif
