/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to preload, in which a process gets no memory. TMPL_FAIL_AT is the number of the call
 * of malloc, calloc, realloc or mmap that fails; with "+" behind it, all later ones fail, too. At
 * its end the process writes how many calls there were to the file TMPL_FAIL_COUNT.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long calls, first, last;

__attribute__((constructor)) static void begin(void)
{
    char *end;
    const char *at = getenv("TMPL_FAIL_AT");
    if (at != NULL) {
        unsigned long n = strtoul(at, &end, 10);
        last = *end == '+' ? (unsigned long)-1 : n;
        first = n;
    }
    calls = 0;
}

__attribute__((destructor)) static void finish(void)
{
    const char *name = getenv("TMPL_FAIL_COUNT");
    unsigned long n = calls;
    FILE *out = name != NULL ? fopen(name, "w") : NULL;
    if (out != NULL) {
        fprintf(out, "%lu\n", n);
        fclose(out);
    }
}

static int fails(void)
{
    unsigned long call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (call < first || call > last) {
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
