/* SPDX-License-Identifier: Apache-2.0 */
#include "html/tag_index.h"

#include <pthread.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

static tmpl_tag_index_t the_index;
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static void index_fill(void)
{
    for (unsigned tag = 1; tag < TMPL_TAG_COUNT; tag++) {
        char first[TMPL_TAG_NAME_MAX + 1] = { 0 };
        const char *name = tmpl_tag_name((tmpl_tag_e)tag);
        apr_cpystrn(first, name, sizeof(first));
        the_index.first[tag] = tmpl_bytes8(first);
        unsigned slot = tmpl_tag_slot(the_index.first[tag]);
        while (the_index.tags[slot] != 0) {
            slot = (slot + 1) % TMPL_TAG_SLOTS;
        }
        the_index.tags[slot] = (unsigned char)tag;
    }
}

const tmpl_tag_index_t *tmpl_tag_index(void)
{
    pthread_once(&index_once, index_fill);
    return &the_index;
}

/* The tag by the first eight bytes of its name, padded with 0; TMPL_TAG_OTHER if there is none. */
static tmpl_tag_e of_first(const tmpl_tag_index_t *index, uint64_t first)
{
    unsigned slot = tmpl_tag_slot(first);
    while (index->tags[slot] != 0 && index->first[index->tags[slot]] != first) {
        slot = (slot + 1) % TMPL_TAG_SLOTS;
    }
    return (tmpl_tag_e)index->tags[slot];
}

tmpl_tag_e tmpl_tag_find(const char *name, apr_size_t len)
{
    char first[TMPL_TAG_FIRST] = { 0 };
    if (len == 0 || len > TMPL_TAG_NAME_MAX) {
        return TMPL_TAG_OTHER;
    }
    memcpy(first, name, len < TMPL_TAG_FIRST ? len : TMPL_TAG_FIRST);
    tmpl_tag_e tag = of_first(tmpl_tag_index(), tmpl_tag_lowered(tmpl_bytes8(first)));
    const char *known = tmpl_tag_name(tag);
    if (known[len - 1] == '\0' || known[len] != '\0') {
        return TMPL_TAG_OTHER; /* the lengths differ */
    }
    return len <= TMPL_TAG_FIRST || apr_cstr_casecmpn(known, name, len) == 0 ? tag : TMPL_TAG_OTHER;
}
