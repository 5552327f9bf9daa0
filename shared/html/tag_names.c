/* SPDX-License-Identifier: Apache-2.0 */
#include "html/tag_names.h"

#include <xxhash.h>

#include "html/attr.h"

/* This bit distinguishes the number of a name from a tmpl_tag_e. */
#define NAME_UNKNOWN 0x80000000u

#define FIRST_NAMES 8

static uint32_t hash_of_tag(const char *src, tmpl_span_t span)
{
    char lower[64];
    uint32_t hash = 0;
    uint32_t n = 0;
    for (uint32_t p = span.start; p < span.end; p++) {
        if (src[p] > '\0' && (unsigned char)src[p] < 0x80) {
            lower[n++] = tmpl_lower(src[p]);
        }
        if (n == sizeof(lower)) {
            hash = XXH32(lower, n, hash);
            n = 0;
        }
    }
    return XXH32(lower, n, hash) | NAME_UNKNOWN;
}

static int is_same_tag(const char *src, tmpl_span_t a, tmpl_span_t b)
{
    uint32_t i = 0;
    while (i < tmpl_span_len(a) && i < tmpl_span_len(b) &&
           tmpl_lower(src[a.start + i]) == tmpl_lower(src[b.start + i])) {
        i++;
    }
    return i == tmpl_span_len(a) && i == tmpl_span_len(b);
}

uint32_t tmpl_name_add(tmpl_names_t *names, tmpl_span_t span)
{
    uint32_t hash = hash_of_tag(names->src, span);
    if (names->spans == NULL) {
        names->spans = apr_array_make(names->pool, FIRST_NAMES, sizeof(tmpl_span_t));
        tmpl_numbering_init(&names->hashes, FIRST_NAMES, names->pool, names->pool);
    }
    uint32_t known = tmpl_numbering_add(&names->hashes, hash);
    if (known == (uint32_t)names->spans->nelts) {
        APR_ARRAY_PUSH(names->spans, tmpl_span_t) = span;
    }
    return is_same_tag(names->src, APR_ARRAY_IDX(names->spans, known, tmpl_span_t), span) ? hash
                                                                                          : 0;
}
