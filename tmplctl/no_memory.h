/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Without memory the process ends with a message and CTL_FAILED. Libraries would return NULL, which
 * may look like a page that has less in it; libxml2 2.9 crashes.
 */
#ifndef CTL_NO_MEMORY_H
#define CTL_NO_MEMORY_H

#include <stddef.h>

/* An apr_abortfunc_t; does not return. */
int ctl_no_memory(int status);

/* malloc(), realloc() and strdup() that never return NULL; free() frees what they return. */
void *ctl_malloc(size_t size);
void *ctl_realloc(void *old, size_t size);
char *ctl_strdup(const char *text);

#endif
