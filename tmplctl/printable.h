/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign text (names of files and sites, text of pages) for a terminal or a table: control
 * characters could act on the terminal, and a newline would begin another row.
 */
#ifndef CTL_PRINTABLE_H
#define CTL_PRINTABLE_H

#include <apr_pools.h>

/*
 * The text with \x1b in place of each byte of a control character (ASCII's, or ISO 6429's C1 in
 * UTF-8). From pool; text itself if it has none. The text need not be UTF-8.
 */
const char *ctl_printable(const char *text, apr_pool_t *pool);

#endif
