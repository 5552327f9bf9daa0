/* SPDX-License-Identifier: Apache-2.0 */
/* The main() of a fuzz target without a fuzzer: runs it once for each file that is named. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <apr_file_io.h>
#include <apr_general.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In a block of its size, so that ASan sees a read behind it. NULL: the file cannot be read. */
static uint8_t *read_file(size_t *size, const char *name, apr_pool_t *pool)
{
    apr_file_t *file;
    apr_finfo_t info;
    if (apr_file_open(&file, name, APR_FOPEN_READ, 0, pool) != APR_SUCCESS ||
        apr_file_info_get(&info, APR_FINFO_SIZE, file) != APR_SUCCESS) {
        return NULL;
    }
    uint8_t *data = malloc((size_t)info.size);
    if (apr_file_read_full(file, data, (size_t)info.size, size) != APR_SUCCESS) {
        free(data);
        return NULL;
    }
    return data;
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    for (int i = 1; i < argc; i++) {
        size_t size = 0;
        uint8_t *data = read_file(&size, argv[i], pool);
        if (data == NULL) {
            fprintf(stderr, "%s cannot be read\n", argv[i]);
            return 2;
        }
        LLVMFuzzerTestOneInput(data, size);
        free(data);
        apr_pool_clear(pool);
    }
    return 0;
}
