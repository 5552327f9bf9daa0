/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A quick search for names of tags in the table of tag.h.
 *
 * A hash table with four times as many slots as names, so that nearly every search is one
 * comparison. The key is the first eight bytes of the name as a number; no two names of the table
 * share them.
 */
#ifndef TMPL_TAG_INDEX_H
#define TMPL_TAG_INDEX_H

#include "base/bytes8.h"
#include "html/attr.h"
#include "html/tag.h"

#define TMPL_TAG_SLOTS_LOG 9
#define TMPL_TAG_SLOTS     (1u << TMPL_TAG_SLOTS_LOG)
#define TMPL_TAG_FIRST     8u

typedef struct {
    uint64_t first[TMPL_TAG_COUNT];     /* the first bytes of each name, by tag */
    unsigned char tags[TMPL_TAG_SLOTS]; /* 0: the slot is free */
} tmpl_tag_index_t;

/* The index; any thread may call. */
const tmpl_tag_index_t *tmpl_tag_index(void);

/* The first slot to search. With this factor few names share one. */
static inline unsigned tmpl_tag_slot(uint64_t first)
{
    return (unsigned)(first * 0x91D558B033E92BCDu >> (64 - TMPL_TAG_SLOTS_LOG));
}

/* The tag by the first eight bytes of its name, padded with 0; TMPL_TAG_OTHER if there is none. */
static inline tmpl_tag_e tmpl_tag_of_first(const tmpl_tag_index_t *index, uint64_t first)
{
    unsigned slot = tmpl_tag_slot(first);
    while (index->tags[slot] != 0 && index->first[index->tags[slot]] != first) {
        slot = (slot + 1) % TMPL_TAG_SLOTS;
    }
    return (tmpl_tag_e)index->tags[slot];
}

/* The bytes with letters in lower case. No other byte becomes a letter or a digit. */
static inline uint64_t tmpl_tag_lowered(uint64_t eight)
{
    return eight | (eight & TMPL_EACH(0x40)) >> 1;
}

/*
 * Reads the tag name at *at, in any case, and sets *at to its end as tmpl_tag_name_end does.
 * Returns TMPL_TAG_OTHER for a name that is not in the table. src has len bytes.
 */
static inline tmpl_tag_e tmpl_tag_read(const tmpl_tag_index_t *index, const char *src, uint32_t len,
                                       uint32_t *at)
{
    uint32_t p = *at;
    if (len - p > TMPL_TAG_FIRST) {
        /* marks bytes that may end a name, and a few others */
        uint64_t eight = tmpl_bytes8(src + p);
        uint64_t ends = tmpl_bytes8_below(eight, '0') | tmpl_bytes8_zero(eight ^ TMPL_EACH('>'));
        unsigned n = ends != 0 ? tmpl_bytes8_first(ends) : TMPL_TAG_FIRST;
        if (n < TMPL_TAG_FIRST && tmpl_name_ends[(unsigned char)src[p + n]] == TMPL_NAME_ENDS) {
            *at = p + n;
            return tmpl_tag_of_first(index, tmpl_tag_lowered(eight) & ~(UINT64_MAX << 8 * n));
        }
    }
    *at = tmpl_tag_name_end(src, len, p);
    return tmpl_tag_find(src + p, *at - p);
}

#endif
