/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callouts: notes, tips and warnings in boxes, as publishers and generators mark them by classes.
 * In Markdown they are alerts of GitHub: a quote that begins with [!NOTE].
 */
#ifndef TMPL_CALLOUT_H
#define TMPL_CALLOUT_H

#include "dom/dom.h"

/* The first line of an element's alert, as "[!NOTE]"; NULL if the element is no callout. */
const char *tmpl_callout_of(const tmpl_page_t *page, const xmlNode *element);

/* The text in an element that only says which callout it is, as "Note"; NULL if there is none. */
const xmlNode *tmpl_callout_title(const xmlNode *element, const char *line);

#endif
