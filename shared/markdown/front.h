/* SPDX-License-Identifier: Apache-2.0 */
/* The front matter of a page's Markdown: its metadata as YAML. */
#ifndef TMPL_FRONT_H
#define TMPL_FRONT_H

#include <libxml/tree.h>

#include "markdown/href.h"
#include "metadata/metadata.h"

/*
 * Adds a line for each field that has a value, in the order of TMPL_METADATA, and an empty line;
 * nothing if no field has one. Addresses become absolute; without a canonical one the page's URL is
 * it. Authors are one text, with commas; tags and breadcrumb are lists.
 */
void tmpl_front_write(tmpl_buf_t *out, const tmpl_metadata_t *metadata, const tmpl_hrefs_t *hrefs,
                      apr_pool_t *pool);

/* The href of the first base element in head that has one; NULL if there is none. */
const char *tmpl_front_base(const xmlNode *head);

#endif
