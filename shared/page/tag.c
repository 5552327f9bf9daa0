/* SPDX-License-Identifier: Apache-2.0 */
#include "page/tag.h"

#include <pthread.h>
#include <string.h>

#include "page/attr.h"

#define NAME_MAX_LEN 10u

static const struct {
    char name[NAME_MAX_LEN + 1];
    unsigned char len;
} tags[TMPL_TAG_COUNT] = { { "", 0 },
#define TMPL_TAG_ROW(id, name, flags) { name, sizeof(name) - 1 },
                           TMPL_TAGS(TMPL_TAG_ROW)
#undef TMPL_TAG_ROW
};

const uint16_t tmpl_tag_flag_table[TMPL_TAG_COUNT] = { 0,
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
 * A hash table of the names by their length and three of their letters, four times as large as it need be so
 * that nearly every look-up is one comparison.
 */
#define SLOTS 512u

static unsigned char slots[SLOTS];
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

/* By factors for which few names share a place; the bit that is a letter's case is left out. */
static unsigned slot_of(const char *name, apr_size_t len)
{
    unsigned first = (unsigned char)name[0] & 0x1F;
    unsigned middle = (unsigned char)name[len / 2] & 0x1F;
    unsigned last = (unsigned char)name[len - 1] & 0x1F;
    return (399 * first + 242 * middle + 421 * last + 32 * (unsigned)len) % SLOTS;
}

static int is_name(const char *lower, const char *name, apr_size_t len)
{
    apr_size_t i = 0;
    while (i < len && tmpl_lower(name[i]) == lower[i]) {
        i++;
    }
    return i == len;
}

static void slots_fill(void)
{
    for (unsigned tag = 1; tag < TMPL_TAG_COUNT; tag++) {
        unsigned slot = slot_of(tags[tag].name, tags[tag].len);
        while (slots[slot] != 0) {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = (unsigned char)tag;
    }
}

tmpl_tag_e tmpl_tag_find(const char *name, apr_size_t len)
{
    if (len == 0 || len > NAME_MAX_LEN) {
        return TMPL_TAG_OTHER;
    }
    pthread_once(&slots_once, slots_fill);
    for (unsigned slot = slot_of(name, len); slots[slot] != 0; slot = (slot + 1) % SLOTS) {
        if (tags[slots[slot]].len == len && is_name(tags[slots[slot]].name, name, len)) {
            return (tmpl_tag_e)slots[slot];
        }
    }
    return TMPL_TAG_OTHER;
}

const char *tmpl_tag_name(tmpl_tag_e tag)
{
    return (unsigned)tag < TMPL_TAG_COUNT ? tags[tag].name : "";
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
