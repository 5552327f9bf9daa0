/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes that the rest of libtmpl looks for, in one table. The scan lists them while it
 * reads a tag, so that nobody has to read the tag again.
 */
#ifndef TMPL_ATTR_NAMES_H
#define TMPL_ATTR_NAMES_H

#include "html/attr.h"

/* X(id, name) */
#define TMPL_ATTRS(X)                                                                              \
    X(ARIA_CONTROLS, "aria-controls")                                                              \
    X(ARIA_EXPANDED, "aria-expanded")                                                              \
    X(ARIA_HIDDEN, "aria-hidden")                                                                  \
    X(ARIA_MODAL, "aria-modal")                                                                    \
    X(CLASS, "class")                                                                              \
    X(DATA_BS_TARGET, "data-bs-target")                                                            \
    X(DATA_BS_TOGGLE, "data-bs-toggle")                                                            \
    X(DATA_SRC, "data-src")                                                                        \
    X(DATA_TARGET, "data-target")                                                                  \
    X(DATA_TMPL, "data-tmpl")                                                                      \
    X(DATA_TOGGLE, "data-toggle")                                                                  \
    X(FORM, "form")                                                                                \
    X(HIDDEN, "hidden")                                                                            \
    X(HREF, "href")                                                                                \
    X(ID, "id")                                                                                    \
    X(ITEMPROP, "itemprop")                                                                        \
    X(ITEMSCOPE, "itemscope")                                                                      \
    X(ITEMTYPE, "itemtype")                                                                        \
    X(NAME, "name")                                                                                \
    X(REL, "rel")                                                                                  \
    X(ROLE, "role")                                                                                \
    X(SRC, "src")                                                                                  \
    X(STYLE, "style")

typedef enum {
    TMPL_ATTR_OTHER,
#define TMPL_ATTR_ID_OF(id, name) TMPL_ATTR_##id,
    TMPL_ATTRS(TMPL_ATTR_ID_OF)
#undef TMPL_ATTR_ID_OF
        TMPL_ATTR_COUNT
} tmpl_attr_name_e;

/* An attribute of the table, in a start tag. Lists are in the order of the source. */
typedef struct {
    tmpl_span_t value; /* behind the name, if the attribute has no value */
    tmpl_attr_name_e name;
} tmpl_known_attr_t;

/* The end of a list: behind all tags. */
#define TMPL_ATTRS_END ((tmpl_known_attr_t){ { TMPL_NONE, TMPL_NONE }, TMPL_ATTR_OTHER })

/*
 * The first attribute of that name in the tag that ends at the offset end; NULL if there is none.
 * attrs is a list that begins with the tag's attributes, or behind where they would be.
 */
static inline const tmpl_known_attr_t *tmpl_attrs_find(const tmpl_known_attr_t *attrs, uint32_t end,
                                                       tmpl_attr_name_e name)
{
    while (attrs->value.start < end && attrs->name != name) {
        attrs++;
    }
    return attrs->value.start < end ? attrs : NULL;
}

/*
 * A quick search: a hash table with more slots than names. The key is the last eight bytes of the
 * name; no two names of the table share them.
 */
#define TMPL_ATTR_SLOTS_LOG 7
#define TMPL_ATTR_SLOTS     (1u << TMPL_ATTR_SLOTS_LOG)

typedef struct {
    uint64_t last[TMPL_ATTR_COUNT];       /* the last bytes of each name */
    const char *names[TMPL_ATTR_COUNT];   /* each name */
    uint32_t lengths[TMPL_ATTR_COUNT];    /* the length of each name */
    unsigned char slots[TMPL_ATTR_SLOTS]; /* tmpl_attr_name_e; 0: the slot is free */
} tmpl_attr_names_t;

/* The table; any thread may call. */
const tmpl_attr_names_t *tmpl_attr_names(void);

static inline unsigned tmpl_attr_slot(uint64_t last)
{
    return (unsigned)(last * 0x91D558B033E92BCDu >> (64 - TMPL_ATTR_SLOTS_LOG));
}

/* The last eight bytes of the name, which ends at end, in lower case; 0 stands in front of it. */
static inline uint64_t tmpl_attr_last(const char *src, tmpl_span_t name)
{
    uint32_t len = tmpl_span_len(name);
    char first[8] = { 0 };
    uint64_t last;
    if (name.end < sizeof(first)) {
        memcpy(first + sizeof(first) - name.end, src, name.end);
        last = tmpl_bytes8(first);
    }
    else {
        last = tmpl_bytes8(src + name.end - sizeof(first));
    }
    last &= len < sizeof(first) ? ~(uint64_t)0 << 8 * (sizeof(first) - len) : ~(uint64_t)0;
    /* no other byte becomes a letter, a digit or '-' */
    return last | (last & TMPL_EACH(0x40)) >> 1;
}

/* Which attribute of the table a name is, in any case; TMPL_ATTR_OTHER: none. */
static inline tmpl_attr_name_e tmpl_attr_name(const tmpl_attr_names_t *table, const char *src,
                                              tmpl_span_t name)
{
    uint64_t last = tmpl_attr_last(src, name);
    unsigned slot = tmpl_attr_slot(last);
    while (table->slots[slot] != 0 && table->last[table->slots[slot]] != last) {
        slot = (slot + 1) % TMPL_ATTR_SLOTS;
    }
    unsigned found = table->slots[slot];
    uint32_t len = table->lengths[found];
    int is_it =
        len == tmpl_span_len(name) &&
        (len <= 8 || apr_cstr_casecmpn(src + name.start, table->names[found], len - 8) == 0);
    return is_it ? (tmpl_attr_name_e)found : TMPL_ATTR_OTHER;
}

#endif
