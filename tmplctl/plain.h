/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of others (names of files and sites, text of pages) as a terminal and a table can bear it: a control character
 * could do more than be read, and a newline would begin another row.
 */
#ifndef CTL_PLAIN_H
#define CTL_PLAIN_H

#include <apr_pools.h>

/* The text, in UTF-8 or not, with \x1b for each byte of a control character; itself if it has none. */
const char *ctl_plain(const char *text, apr_pool_t *pool);

#endif
