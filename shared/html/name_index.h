/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of tags and attributes: where they end in the source, and which name of a table they are,
 * in any case.
 *
 * The names of a table are in a hash table with several times as many slots, so that nearly every
 * search is one comparison. The key of a name is its last eight bytes, in lower case, as a number;
 * no two names of a table share them.
 */
#ifndef TMPL_NAME_INDEX_H
#define TMPL_NAME_INDEX_H

#include <apr_cstr.h>

#include "base/bytes.h"
#include "base/tmpl.h"

/* Whether a byte ends names: of tags and attributes, or of attributes only ('='). */
#define TMPL_NAME_ENDS      1
#define TMPL_NAME_ENDS_ATTR 2
extern const unsigned char tmpl_name_ends[256];

/* The end of the tag name that begins at name; len, the length of src, if it does not end. */
uint32_t tmpl_tag_name_end(const char *src, uint32_t len, uint32_t name);

#define TMPL_NAMES_MOST     160
#define TMPL_NAME_SLOTS_LOG 9
#define TMPL_NAME_SLOTS     (1u << TMPL_NAME_SLOTS_LOG)
#define TMPL_NAME_KEY       8u /* bytes of a key */

typedef struct {
    const char *const *names; /* [0] is "" */
    uint64_t keys[TMPL_NAMES_MOST];
    unsigned char lengths[TMPL_NAMES_MOST];
    unsigned char slots[TMPL_NAME_SLOTS]; /* the number of a name; 0: the slot is free */
} tmpl_name_index_t;

/* Fills an index, which is all 0, with n names in lower case; the first one is "". */
void tmpl_name_index_fill(tmpl_name_index_t *index, const char *const *names, unsigned n);

/* The first slot to search. With this factor few names share one. */
static inline unsigned tmpl_name_slot(uint64_t key)
{
    return (unsigned)(key * 0x91D558B033E92BCDu >> (64 - TMPL_NAME_SLOTS_LOG));
}

/* The bytes with letters in lower case. No other byte becomes a letter, a digit or '-'. */
static inline uint64_t tmpl_name_lowered(uint64_t eight)
{
    return eight | (eight & TMPL_EACH(0x40)) >> 1;
}

/* The key of a name that is not empty. */
static inline uint64_t tmpl_name_key(const char *src, tmpl_span_t name)
{
    uint32_t len = tmpl_span_len(name);
    char first[TMPL_NAME_KEY] = { 0 };
    uint64_t last;
    if (name.end < TMPL_NAME_KEY) {
        memcpy(first + TMPL_NAME_KEY - name.end, src, name.end);
        last = tmpl_bytes8(first);
    }
    else {
        last = tmpl_bytes8(src + name.end - TMPL_NAME_KEY);
    }
    return tmpl_name_lowered(len < TMPL_NAME_KEY ? last >> 8 * (TMPL_NAME_KEY - len) : last);
}

/* The number of the name at a span that is not empty; 0: it is not in the table. */
static inline unsigned tmpl_name_find(const tmpl_name_index_t *index, const char *src,
                                      tmpl_span_t name)
{
    uint64_t key = tmpl_name_key(src, name);
    unsigned slot = tmpl_name_slot(key);
    while (index->slots[slot] != 0 && index->keys[index->slots[slot]] != key) {
        slot = (slot + 1) % TMPL_NAME_SLOTS;
    }
    unsigned found = index->slots[slot];
    uint32_t len = index->lengths[found];
    int is_it = len == tmpl_span_len(name) &&
                (len <= TMPL_NAME_KEY || apr_cstr_casecmpn(src + name.start, index->names[found],
                                                           len - TMPL_NAME_KEY) == 0);
    return is_it ? found : 0;
}

#endif
