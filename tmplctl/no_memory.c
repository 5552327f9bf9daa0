/* SPDX-License-Identifier: Apache-2.0 */
#include "no_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"

int ctl_no_memory(int status)
{
    static const char text[] = "tmplctl: out of memory\n";
    (void)status;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(CTL_FAILED);
}

static void *checked(void *memory)
{
    if (memory == NULL) {
        ctl_no_memory(ENOMEM);
    }
    return memory;
}

void *ctl_malloc(size_t size)
{
    return checked(malloc(size));
}

void *ctl_realloc(void *old, size_t size)
{
    return checked(realloc(old, size));
}

char *ctl_strdup(const char *text)
{
    return checked(strdup(text));
}
