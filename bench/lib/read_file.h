/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of files, for benches and judges. */
#ifndef BENCH_READ_FILE_H
#define BENCH_READ_FILE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <apr_file_io.h>

/*
 * All bytes of a file, allocated from pool and followed by a zero byte; NULL if it cannot be read.
 */
static inline char *read_file(apr_size_t *len, const char *path, apr_pool_t *pool)
{
    apr_file_t *file;
    apr_finfo_t info;
    char *bytes = NULL;
    if (apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_BINARY, 0, pool) != APR_SUCCESS) {
        return NULL;
    }
    if (apr_file_info_get(&info, APR_FINFO_SIZE, file) == APR_SUCCESS) {
        bytes = apr_palloc(pool, (apr_size_t)info.size + 1);
        if (apr_file_read_full(file, bytes, (apr_size_t)info.size, len) == APR_SUCCESS) {
            bytes[*len] = '\0';
        }
        else {
            bytes = NULL;
        }
    }
    apr_file_close(file);
    return bytes;
}

/* As read_file; ends the program if the file cannot be read. */
static inline char *need_file(apr_size_t *len, const char *path, apr_pool_t *pool)
{
    char *bytes = read_file(len, path, pool);
    if (bytes == NULL) {
        fprintf(stderr, "%s: cannot read: %s\n", program_invocation_short_name, path);
        exit(2);
    }
    return bytes;
}

#endif
