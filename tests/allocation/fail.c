/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to preload, in which a process gets no memory: a call of malloc, calloc, realloc or
 * mmap fails, by the plan of plan.h.
 */
#include <errno.h>

#include "plan.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static int fails(void)
{
    if (!is_planned()) {
        return 0;
    }
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return fails() ? MAP_FAILED
                   : (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}
