/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page as a store sees it (tmpl_observation_t), as a line of text: pages are read on many
 * machines, and counted on one. Six fields with tabs between them:
 *
 *     site     its name
 *     id       of the document, 16 hexadecimal digits
 *     text     of the document, 16 hexadecimal digits
 *     format   1
 *     check    tmpl_keys_check() of the seed of the keys, 4 hexadecimal digits
 *     page     base64, see below
 *
 * Lines that are sorted by their bytes (LC_ALL=C sort) are sorted by site, then by document. So
 * `sort -u` unites the lines of several machines, whatever part of the pages each has read.
 *
 * page holds unsigned integers of 7 bits a byte, the lowest first, with the bit 128 in all bytes
 * but the last; and keys of 5 bytes, little-endian:
 *
 *     s, p     numbers of SEGMENT and PATH keys
 *     keys     s + p of them
 *     n        number of shares; of each its key, and twice its length, plus 1 in a link
 *     b        number of blocks; of each its paths (0: none; else 1 + index of the PATH key), and
 *              the number of its shares, which follow those of the block before it
 */
#ifndef TMPL_KEYS_LINE_H
#define TMPL_KEYS_LINE_H

#include "table/counts.h"

/* Tells apart keys that were made with different seeds. */
uint32_t tmpl_keys_check(uint64_t seed);

/*
 * The line of a page whose keys were made with seed, with its end. NULL if the site's name has a
 * control character, or the shares of a block do not follow those of the block before it.
 */
const char *tmpl_keys_line(const tmpl_observation_t *page, uint64_t seed, apr_pool_t *pool);

/* A page of a line, and the check of its seed. It must not move: page points to document. */
typedef struct {
    tmpl_observation_t page; /* learn is NOW, policy and sighting are NULL */
    tmpl_document_t document;
    uint32_t check;
} tmpl_keys_page_t;

/* Reads a line without its end, into memory of pool. APR_EINVAL, with what is wrong with it. */
apr_status_t tmpl_keys_line_read(tmpl_keys_page_t *keys, const char *line, tmpl_error_t *err,
                                 apr_pool_t *pool);

#endif
