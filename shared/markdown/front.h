/* SPDX-License-Identifier: Apache-2.0 */
/* The front matter of Markdown: the page's metadata as YAML. */
#ifndef TMPL_FRONT_H
#define TMPL_FRONT_H

#include "content/content.h"

/*
 * Adds a line for each field that has a value, in the order of TMPL_METADATA, and an empty line;
 * nothing if no field has one. Addresses become absolute; without a canonical one the page's URL is
 * it. Authors are one text, with commas; tags and breadcrumb are lists.
 */
void tmpl_front_write(tmpl_buf_t *out, const tmpl_content_t *content, apr_pool_t *pool);

/* Adds text, shortened to the number of characters, as a string of YAML in double quotes. */
void tmpl_write_yaml(tmpl_buf_t *buf, const char *text, apr_size_t characters);

#endif
