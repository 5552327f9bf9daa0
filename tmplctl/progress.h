/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard error: messages and, on a terminal, a line of progress, which a message erases. For the
 * main thread only.
 */
#ifndef CTL_PROGRESS_H
#define CTL_PROGRESS_H

#include <apr_pools.h>

/*
 * Foreign text (names of files and sites, text of pages) for a terminal or a table, where control
 * characters could act on the terminal, and a newline would begin another row: the text with \x1b
 * in place of each byte of a control character (ASCII's, or ISO 6429's C1 in UTF-8). From pool;
 * text itself if it has none. The text need not be UTF-8.
 */
const char *ctl_printable(const char *text, apr_pool_t *pool);

/* Prints "tmplctl: " and one line to standard error; control characters as \x1b. */
void ctl_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Shows how far the command is. Nothing, unless standard error is a terminal. */
void ctl_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Erases the line of progress. */
void ctl_progress_end(void);

#endif
