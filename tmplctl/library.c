/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "ctl.h"
#include "progress.h"

const char *ctl_library_load(const char *library, const ctl_function_t *functions, size_t n)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    int found = handle != NULL;
    for (size_t i = 0; found && i < n; i++) {
        *functions[i].at = dlsym(handle, functions[i].name);
        found = *functions[i].at != NULL;
    }
    return found ? NULL : dlerror();
}

void ctl_library_require(const char *library, const ctl_function_t *functions, size_t n)
{
    const char *why = ctl_library_load(library, functions, n);
    if (why != NULL) {
        ctl_say("%s", why);
        exit(CTL_FAILED);
    }
}
