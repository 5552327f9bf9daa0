/* SPDX-License-Identifier: Apache-2.0 */
#include "html/tag_names.h"

#include <xxhash.h>

#include "base/slot.h"
#include "html/attr.h"

/* Tells the number of a name from a tmpl_tag_e. */
#define NAME_UNKNOWN 0x80000000u

#define FIRST_NAMES 16 /* a power of two */

typedef struct {
    tmpl_span_t span;
    uint32_t number;
} name_t;

static uint32_t hash_of(const char *src, tmpl_span_t span)
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

static void put_in_place(tmpl_names_t *names, uint32_t index)
{
    uint32_t slot = tmpl_slot_of(APR_ARRAY_IDX(names->names, index, name_t).number, names->n_slots);
    while (names->slots[slot] != 0) {
        slot = (slot + 1) & (names->n_slots - 1);
    }
    names->slots[slot] = index + 1;
}

/* A table of twice the places. */
static void grow(tmpl_names_t *names)
{
    names->n_slots *= 2;
    names->slots = apr_pcalloc(names->pool, names->n_slots * sizeof(*names->slots));
    for (int i = 0; i < names->names->nelts; i++) {
        put_in_place(names, (uint32_t)i);
    }
}

static uint32_t add_new(tmpl_names_t *names, name_t name)
{
    APR_ARRAY_PUSH(names->names, name_t) = name;
    if (2 * (uint32_t)names->names->nelts > names->n_slots) {
        grow(names);
    }
    else {
        put_in_place(names, (uint32_t)names->names->nelts - 1);
    }
    return name.number;
}

static int is_same(const char *src, tmpl_span_t a, tmpl_span_t b)
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
    name_t name = { span, hash_of(names->src, span) };
    if (names->names == NULL) {
        names->names = apr_array_make(names->pool, FIRST_NAMES, sizeof(name_t));
        names->n_slots = FIRST_NAMES;
        grow(names);
    }
    for (uint32_t slot = tmpl_slot_of(name.number, names->n_slots); names->slots[slot] != 0;
         slot = (slot + 1) & (names->n_slots - 1)) {
        const name_t *known = &APR_ARRAY_IDX(names->names, names->slots[slot] - 1, name_t);
        if (known->number == name.number) {
            return is_same(names->src, known->span, span) ? name.number : 0;
        }
    }
    return add_new(names, name);
}
