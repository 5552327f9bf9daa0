/* SPDX-License-Identifier: Apache-2.0 */
#include "page/tag.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "page/attr.h"
#include "text/eight.h"

#define NAME_MAX_LEN 10u

static const unsigned char lengths[TMPL_TAG_COUNT] = { 0,
#define TMPL_TAG_ROW(id, name, flags) sizeof(name) - 1,
                                                       TMPL_TAGS(TMPL_TAG_ROW)
#undef TMPL_TAG_ROW
};

static const char tags[TMPL_TAG_COUNT][NAME_MAX_LEN + 1] = { "",
#define TMPL_TAG_ROW(id, name, flags) name,
                                                             TMPL_TAGS(TMPL_TAG_ROW)
#undef TMPL_TAG_ROW
};

const uint32_t tmpl_tag_flag_table[TMPL_TAG_COUNT] = { 0,
#define TMPL_TAG_ROW(id, name, flags) flags,
                                                       TMPL_TAGS(TMPL_TAG_ROW)
#undef TMPL_TAG_ROW
};

const tmpl_tag_set_t tmpl_separators_default = { .has = {
                                                     [TMPL_TAG_TABLE] = 1,
                                                     [TMPL_TAG_DIV] = 1,
                                                     [TMPL_TAG_SECTION] = 1,
                                                     [TMPL_TAG_ARTICLE] = 1,
                                                     [TMPL_TAG_NAV] = 1,
                                                     [TMPL_TAG_HEADER] = 1,
                                                     [TMPL_TAG_FOOTER] = 1,
                                                     [TMPL_TAG_ASIDE] = 1,
                                                     [TMPL_TAG_MAIN] = 1,
                                                     [TMPL_TAG_FORM] = 1,
                                                     [TMPL_TAG_UL] = 1,
                                                     [TMPL_TAG_OL] = 1,
                                                     [TMPL_TAG_DL] = 1,
                                                 } };

const tmpl_tag_set_t
    tmpl_separators_leaf = { .has = {
                                 [TMPL_TAG_ADDRESS] = 1,    [TMPL_TAG_ARTICLE] = 1,
                                 [TMPL_TAG_ASIDE] = 1,      [TMPL_TAG_BLOCKQUOTE] = 1,
                                 [TMPL_TAG_BODY] = 1,       [TMPL_TAG_BR] = 1,
                                 [TMPL_TAG_CAPTION] = 1,    [TMPL_TAG_CENTER] = 1,
                                 [TMPL_TAG_DD] = 1,         [TMPL_TAG_DETAILS] = 1,
                                 [TMPL_TAG_DIALOG] = 1,     [TMPL_TAG_DIR] = 1,
                                 [TMPL_TAG_DIV] = 1,        [TMPL_TAG_DL] = 1,
                                 [TMPL_TAG_DT] = 1,         [TMPL_TAG_FIELDSET] = 1,
                                 [TMPL_TAG_FIGCAPTION] = 1, [TMPL_TAG_FIGURE] = 1,
                                 [TMPL_TAG_FOOTER] = 1,     [TMPL_TAG_FORM] = 1,
                                 [TMPL_TAG_H1] = 1,         [TMPL_TAG_H2] = 1,
                                 [TMPL_TAG_H3] = 1,         [TMPL_TAG_H4] = 1,
                                 [TMPL_TAG_H5] = 1,         [TMPL_TAG_H6] = 1,
                                 [TMPL_TAG_HEADER] = 1,     [TMPL_TAG_HGROUP] = 1,
                                 [TMPL_TAG_HR] = 1,         [TMPL_TAG_LEGEND] = 1,
                                 [TMPL_TAG_LI] = 1,         [TMPL_TAG_LISTING] = 1,
                                 [TMPL_TAG_MAIN] = 1,       [TMPL_TAG_MENU] = 1,
                                 [TMPL_TAG_NAV] = 1,        [TMPL_TAG_OL] = 1,
                                 [TMPL_TAG_P] = 1,          [TMPL_TAG_PRE] = 1,
                                 [TMPL_TAG_SEARCH] = 1,     [TMPL_TAG_SECTION] = 1,
                                 [TMPL_TAG_SUMMARY] = 1,    [TMPL_TAG_TABLE] = 1,
                                 [TMPL_TAG_TBODY] = 1,      [TMPL_TAG_TD] = 1,
                                 [TMPL_TAG_TFOOT] = 1,      [TMPL_TAG_TH] = 1,
                                 [TMPL_TAG_THEAD] = 1,      [TMPL_TAG_TR] = 1,
                                 [TMPL_TAG_UL] = 1,
                             } };

/*
 * A hash table of the names, four times as large as it need be so that nearly every look-up is one
 * comparison. It goes by their first eight bytes, as one number; no two names have those in common.
 */
#define SLOTS_LOG 9
#define SLOTS     (1u << SLOTS_LOG)
#define FIRST     8u

static unsigned char slots[SLOTS];
static uint64_t firsts[TMPL_TAG_COUNT]; /* bytes of each name */
static _Atomic int slots_are_filled;
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

/* The first slot to look at, by a factor for which few names share one. */
static inline unsigned slot_of(uint64_t first)
{
    return (unsigned)(first * 0x91D558B033E92BCDu >> (64 - SLOTS_LOG));
}

static void slots_fill(void)
{
    for (unsigned tag = 1; tag < TMPL_TAG_COUNT; tag++) {
        firsts[tag] = tmpl_eight(tags[tag]);
        unsigned slot = slot_of(firsts[tag]);
        while (slots[slot] != 0) {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = (unsigned char)tag;
    }
    slots_are_filled = 1;
}

/* The tag whose name begins with these bytes, or is them, and 0 behind it. */
static inline tmpl_tag_e look_up(uint64_t first)
{
    if (!atomic_load_explicit(&slots_are_filled, memory_order_acquire)) {
        pthread_once(&slots_once, slots_fill);
    }
    unsigned slot = slot_of(first);
    while (slots[slot] != 0 && firsts[slots[slot]] != first) {
        slot = (slot + 1) % SLOTS;
    }
    return (tmpl_tag_e)slots[slot];
}

/* Letters in lower case. What is none stays none, and what is no digit. */
static inline uint64_t lowered(uint64_t eight)
{
    return eight | (eight & TMPL_EACH(0x40)) >> 1;
}

tmpl_tag_e tmpl_tag_find(const char *name, apr_size_t len)
{
    char first[FIRST] = { 0 };
    if (len == 0 || len > NAME_MAX_LEN) {
        return TMPL_TAG_OTHER;
    }
    memcpy(first, name, len < FIRST ? len : FIRST);
    tmpl_tag_e tag = look_up(lowered(tmpl_eight(first)));
    if (lengths[tag] != len || (len > FIRST && strncasecmp(tags[tag], name, len) != 0)) {
        return TMPL_TAG_OTHER;
    }
    return tag;
}

tmpl_tag_e tmpl_tag_read(const char *src, uint32_t len, uint32_t *at)
{
    uint32_t p = *at;
    if (len - p > FIRST) {
        uint64_t eight = tmpl_eight(src + p);
        uint64_t ends = tmpl_eight_below(eight, '0') | tmpl_eight_zero(eight ^ TMPL_EACH('>'));
        unsigned n = ends != 0 ? tmpl_eight_first(ends) : FIRST;
        if (n < FIRST && tmpl_name_ends[(unsigned char)src[p + n]] == TMPL_NAME_ENDS) {
            *at = p + n;
            return look_up(lowered(eight) & ~(UINT64_MAX << 8 * n));
        }
    }
    *at = tmpl_tag_name_end(src, len, p);
    return tmpl_tag_find(src + p, *at - p);
}

const char *tmpl_tag_name(tmpl_tag_e tag)
{
    return (unsigned)tag < TMPL_TAG_COUNT ? tags[tag] : "";
}

apr_status_t tmpl_tag_set_add(tmpl_tag_set_t *set, const char *words, tmpl_error_t *err)
{
    while (*words != '\0') {
        apr_size_t len = strcspn(words, " \t\r\n");
        if (len > 0) {
            tmpl_tag_e tag = tmpl_tag_find(words, len);
            if (tag == TMPL_TAG_OTHER) {
                return tmpl_fail(err, APR_EINVAL, "'%.*s' is not the name of an HTML element",
                                 (int)len, words);
            }
            set->has[tag] = 1;
        }
        words += len + (words[len] != '\0');
    }
    return APR_SUCCESS;
}
