/* SPDX-License-Identifier: Apache-2.0 */
#include "html/tag.h"

#include <pthread.h>

/* Columns of the table. */
#define NAME(id, name, flags)  name,
#define FLAGS(id, name, flags) flags,
#define LINE(id, name, flags)  ((flags)&TMPL_IS_LINE) != 0,

static const char *const names[TMPL_TAG_COUNT] = { "", TMPL_TAGS(NAME) };
const uint32_t tmpl_tag_flag_table[TMPL_TAG_COUNT] = { 0, TMPL_TAGS(FLAGS) };
const tmpl_tag_set_t tmpl_separators_leaf = { .has = { 0, TMPL_TAGS(LINE) } };

const tmpl_tag_set_t tmpl_separators_default = { .has = { [TMPL_TAG_TABLE] = 1,
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
                                                          [TMPL_TAG_DL] = 1 } };

const char *tmpl_tag_name(tmpl_tag_e tag)
{
    return (unsigned)tag < TMPL_TAG_COUNT ? names[tag] : "";
}

static tmpl_name_index_t the_index;
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static void tag_index_fill(void)
{
    tmpl_name_index_fill(&the_index, names, TMPL_TAG_COUNT);
}

const tmpl_name_index_t *tmpl_tag_index(void)
{
    pthread_once(&index_once, tag_index_fill);
    return &the_index;
}

tmpl_tag_e tmpl_tag_find(const char *name, apr_size_t len)
{
    tmpl_span_t span = { 0, (uint32_t)len };
    return len > 0 ? (tmpl_tag_e)tmpl_name_find(tmpl_tag_index(), name, span) : TMPL_TAG_OTHER;
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
