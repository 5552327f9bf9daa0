/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that are loaded when a command first needs them, because the loader would spend more on
 * them at each start than the tool on a page: libcurl (fetch.c), libxml2 and OpenSSL.
 *
 * libtmpl calls libxml2 and OpenSSL as libraries that are linked, and in the module they are. In
 * the tool library.c defines the functions that libtmpl calls, by the same names and declarations;
 * each loads its library first, and passes the call on. The tool is linked without these libraries:
 * if libtmpl calls one more function of them, the linker names it, and a line is missing there.
 */
#ifndef CTL_LIBRARY_H
#define CTL_LIBRARY_H

#include <stddef.h>

/* A function, and the pointer that becomes its address. */
typedef struct {
    const char *name;
    void **at;
} ctl_function_t;

/* A row: the function, and a pointer of its type. */
#define CTL_LATE_AT(name, pointer)                                                                 \
    {                                                                                              \
#name, (void **)(void *)&(pointer)                                                         \
    }

/*
 * Loads a library by its file's name, and finds n functions; they stay until the process ends.
 * Returns NULL; or why not, as the loader says it, valid until the thread's next call.
 */
const char *ctl_library_load(const char *library, const ctl_function_t *functions, size_t n);

#endif
