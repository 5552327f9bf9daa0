/* SPDX-License-Identifier: Apache-2.0 */
/* The process: what it says on standard error, and how it ends by a signal or without memory. */
#ifndef CTL_PROCESS_H
#define CTL_PROCESS_H

#include <stddef.h>

#include <apr_pools.h>

/*
 * --- standard error: messages and, on a terminal, a line of progress, which a message erases; for
 * the main thread only ---
 */

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

/*
 * --- signals: the command finishes its current page and removes its temporary files; then the
 * process dies of the signal, as its parent expects ---
 */

/*
 * From now on SIGINT, SIGTERM and SIGHUP set ctl_interrupted; a second signal of the same kind
 * kills. Call this after input that may block is read, and before work that must not be cut off.
 */
void ctl_interrupt_catch(void);

/* The last signal caught, or 0. */
int ctl_interrupted(void);

/*
 * Between these calls the process does not die in the middle of a page: it has a temporary file.
 * Any thread may call them, for as short as it takes to write a file.
 */
void ctl_interrupt_hold(void);
void ctl_interrupt_release(void);

/* Dies of the signal caught; returns if there was none. */
void ctl_interrupt_finish(void);

/*
 * --- memory: without it the process ends with a message and CTL_FAILED. Libraries would return
 * NULL, which may look like a page that has less in it; libxml2 2.9 crashes ---
 */

/* An apr_abortfunc_t; does not return. */
int ctl_no_memory(int status);

/* malloc(), realloc() and strdup() that never return NULL; free() frees what they return. */
void *ctl_malloc(size_t size);
void *ctl_realloc(void *old, size_t size);
char *ctl_strdup(const char *text);

#endif
