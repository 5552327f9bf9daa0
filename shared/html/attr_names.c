/* SPDX-License-Identifier: Apache-2.0 */
#include "html/attr_names.h"

#include <pthread.h>
#include <string.h>

static tmpl_attr_names_t table = {
    .names = { "",
#define TMPL_ATTR_NAME_OF(id, name) name,
               TMPL_ATTRS(TMPL_ATTR_NAME_OF)
#undef TMPL_ATTR_NAME_OF
    },
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_slots(void)
{
    for (unsigned i = 1; i < TMPL_ATTR_COUNT; i++) {
        table.lengths[i] = (uint32_t)strlen(table.names[i]);
        table.last[i] = tmpl_attr_last(table.names[i], (tmpl_span_t){ 0, table.lengths[i] });
        unsigned slot = tmpl_attr_slot(table.last[i]);
        while (table.slots[slot] != 0) {
            slot = (slot + 1) % TMPL_ATTR_SLOTS;
        }
        table.slots[slot] = (unsigned char)i;
    }
}

const tmpl_attr_names_t *tmpl_attr_names(void)
{
    pthread_once(&once, fill_slots);
    return &table;
}
