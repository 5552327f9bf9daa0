/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the process ends before its command does: by a signal, or without memory.
 *
 * After a signal the command finishes its current page and removes its temporary files; then the
 * process dies of the signal, as its parent expects. If the page takes longer than
 * CTL_INTERRUPT_WAIT, the process dies in the middle of it.
 *
 * Without memory the process ends with a message and CTL_FAILED. Libraries would return NULL, which
 * may look like a page that has less in it; libxml2 2.9 crashes.
 */
#ifndef CTL_PROCESS_H
#define CTL_PROCESS_H

#include <stddef.h>

/* Microseconds from a signal to the end of the process, if the command has not ended before. */
#define CTL_INTERRUPT_WAIT 500000

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

/* An apr_abortfunc_t; does not return. */
int ctl_no_memory(int status);

/* malloc(), realloc() and strdup() that never return NULL; free() frees what they return. */
void *ctl_malloc(size_t size);
void *ctl_realloc(void *old, size_t size);
char *ctl_strdup(const char *text);

#endif
