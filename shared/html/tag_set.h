/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of tags, such as the separators of blocks. */
#ifndef TMPL_TAG_SET_H
#define TMPL_TAG_SET_H

#include "html/tag.h"

/* One byte for each tag. */
typedef struct {
    unsigned char has[TMPL_TAG_COUNT];
} tmpl_tag_set_t;

/* table div section article nav header footer aside main form ul ol dl */
extern const tmpl_tag_set_t tmpl_separators_default;

/* Every tag that begins a new line in a browser: leaf blocks are the text between such tags. */
extern const tmpl_tag_set_t tmpl_separators_leaf;

/*
 * Adds the tags named in words, divided by white space. Returns APR_EINVAL, with the name in err,
 * for a name that is not in the table.
 */
apr_status_t tmpl_tag_set_add(tmpl_tag_set_t *set, const char *words, tmpl_error_t *err);

#endif
