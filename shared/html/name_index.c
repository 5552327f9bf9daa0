/* SPDX-License-Identifier: Apache-2.0 */
#include "html/name_index.h"

#define ENDS      TMPL_NAME_ENDS
#define ENDS_ATTR TMPL_NAME_ENDS_ATTR
const unsigned char tmpl_name_ends[256] = {
    ['\t'] = ENDS, ['\n'] = ENDS, ['\f'] = ENDS, ['\r'] = ENDS,
    [' '] = ENDS,  ['/'] = ENDS,  ['>'] = ENDS,  ['='] = ENDS_ATTR,
};

uint32_t tmpl_tag_name_end(const char *src, uint32_t len, uint32_t name)
{
    uint32_t p = name;
    while (p < len && tmpl_name_ends[(unsigned char)src[p]] != ENDS) {
        p++;
    }
    return p;
}

void tmpl_name_index_fill(tmpl_name_index_t *index, const char *const *names, unsigned n)
{
    index->names = names;
    for (unsigned i = 1; i < n; i++) {
        index->lengths[i] = (unsigned char)strlen(names[i]);
        index->keys[i] = tmpl_name_key(names[i], (tmpl_span_t){ 0, index->lengths[i] });
        unsigned slot = tmpl_name_slot(index->keys[i]);
        while (index->slots[slot] != 0) {
            slot = (slot + 1) % TMPL_NAME_SLOTS;
        }
        index->slots[slot] = (unsigned char)i;
    }
}
