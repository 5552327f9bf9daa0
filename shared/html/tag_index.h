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

#include "base/bytes.h"
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

/* The bytes with letters in lower case. No other byte becomes a letter or a digit. */
static inline uint64_t tmpl_tag_lowered(uint64_t eight)
{
    return eight | (eight & TMPL_EACH(0x40)) >> 1;
}

/*
 * Reads a tag name of less than TMPL_TAG_FIRST bytes, in any case, and sets *len. The caller checks
 * that the byte behind it ends names. TMPL_TAG_FIRST bytes must be readable. Returns TMPL_TAG_OTHER
 * for longer names, and for those that are not in the first slot that is searched.
 */
static inline tmpl_tag_e tmpl_tag_read_short(const tmpl_tag_index_t *index, const char *at,
                                             unsigned *len)
{
    uint64_t eight = tmpl_bytes8(at);
    /* marks bytes that may end a name, and a few others */
    uint64_t ends = tmpl_bytes8_below(eight, '0') | tmpl_bytes8_zero(eight ^ TMPL_EACH('>'));
    if (ends == 0) {
        return TMPL_TAG_OTHER;
    }
    unsigned n = tmpl_bytes8_first(ends);
    uint64_t first = tmpl_tag_lowered(eight) & ~(UINT64_MAX << 8 * n);
    tmpl_tag_e tag = (tmpl_tag_e)index->tags[tmpl_tag_slot(first)];
    *len = n;
    return index->first[tag] == first ? tag : TMPL_TAG_OTHER;
}

/*
 * Reads the tag name at *at, in any case, and sets *at to its end as tmpl_tag_name_end does.
 * Returns TMPL_TAG_OTHER for a name that is not in the table. src has len bytes.
 */
static inline tmpl_tag_e tmpl_tag_read(const tmpl_tag_index_t *index, const char *src, uint32_t len,
                                       uint32_t *at)
{
    uint32_t p = *at;
    unsigned n = 0;
    if (len - p > TMPL_TAG_FIRST) {
        tmpl_tag_e tag = tmpl_tag_read_short(index, src + p, &n);
        if (tag != TMPL_TAG_OTHER && tmpl_name_ends[(unsigned char)src[p + n]] == TMPL_NAME_ENDS) {
            *at = p + n;
            return tag;
        }
    }
    *at = tmpl_tag_name_end(src, len, p);
    return tmpl_tag_find(src + p, *at - p);
}

#endif
