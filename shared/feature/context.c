/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of nodes, by their start tags and the elements around them. */
#include <endian.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/hash.h"
#include "feature/context.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const unsigned in_tag[TMPL_TAG_COUNT] = {
    [TMPL_TAG_MAIN] = TMPL_IN_MAIN,        [TMPL_TAG_ARTICLE] = TMPL_IN_ARTICLE,
    [TMPL_TAG_NAV] = TMPL_IN_NAV,          [TMPL_TAG_ASIDE] = TMPL_IN_ASIDE,
    [TMPL_TAG_HEADER] = TMPL_IN_HEADER,    [TMPL_TAG_FOOTER] = TMPL_IN_FOOTER,
    [TMPL_TAG_FORM] = TMPL_IN_FORM,        [TMPL_TAG_UL] = TMPL_IN_LIST,
    [TMPL_TAG_OL] = TMPL_IN_LIST,          [TMPL_TAG_DL] = TMPL_IN_LIST,
    [TMPL_TAG_MENU] = TMPL_IN_LIST,        [TMPL_TAG_TABLE] = TMPL_IN_TABLE,
    [TMPL_TAG_H1] = TMPL_IN_HEADING,       [TMPL_TAG_H2] = TMPL_IN_HEADING,
    [TMPL_TAG_H3] = TMPL_IN_HEADING,       [TMPL_TAG_H4] = TMPL_IN_HEADING,
    [TMPL_TAG_H5] = TMPL_IN_HEADING,       [TMPL_TAG_H6] = TMPL_IN_HEADING,
    [TMPL_TAG_P] = TMPL_IN_PARAGRAPH,      [TMPL_TAG_LI] = TMPL_IN_ITEM,
    [TMPL_TAG_TD] = TMPL_IN_CELL,          [TMPL_TAG_TH] = TMPL_IN_CELL,
    [TMPL_TAG_DT] = TMPL_IN_TERM,          [TMPL_TAG_DD] = TMPL_IN_TERM,
    [TMPL_TAG_PRE] = TMPL_IN_VERBATIM,     [TMPL_TAG_CODE] = TMPL_IN_VERBATIM,
    [TMPL_TAG_A] = TMPL_IN_LINK,           [TMPL_TAG_SEARCH] = TMPL_IN_FORM,
    [TMPL_TAG_FIGURE] = TMPL_IN_FIGURE,    [TMPL_TAG_FIGCAPTION] = TMPL_IN_FIGURE,
    [TMPL_TAG_BLOCKQUOTE] = TMPL_IN_QUOTE,
};

static const struct {
    const char *role;
    unsigned in;
} in_role[] = {
    { "main", TMPL_IN_MAIN },      { "article", TMPL_IN_ARTICLE },
    { "navigation", TMPL_IN_NAV }, { "menu", TMPL_IN_NAV },
    { "menubar", TMPL_IN_NAV },    { "complementary", TMPL_IN_ASIDE },
    { "banner", TMPL_IN_HEADER },  { "contentinfo", TMPL_IN_FOOTER },
    { "search", TMPL_IN_FORM },
};

/* What a start tag says. */
typedef struct {
    uint64_t hash; /* a hash of class and id */
    unsigned in;
    tmpl_kinds_t names; /* by class and id */
    tmpl_kinds_t said;  /* by other attributes */
    unsigned hints;     /* TMPL_HINT_* */
} start_tag_t;

/* Longer values are cut off: they would cost time, and layouts do not depend on them. */
static tmpl_span_t cut_value(tmpl_span_t value)
{
    uint32_t end = value.start + TMPL_NAME_MOST;
    return (tmpl_span_t){ value.start, value.end < end ? value.end : end };
}

/* Reads a class or an id: its hash, and what it says. */
static tmpl_says_t read_class_or_id(start_tag_t *own, const tmpl_page_t *page, tmpl_span_t value)
{
    uint64_t hash;
    tmpl_says_t says = tmpl_says_of_span(page, cut_value(value), &hash);
    const uint64_t le = htole64(hash);
    own->hash = XXH3_64bits_withSeed(&le, sizeof(le), own->hash);
    return says;
}

/* style="display: none" */
static int displays_none(const tmpl_page_t *page, tmpl_span_t style)
{
    enum { BEFORE = sizeof("display:") - 1, NONE = sizeof("none") - 1 };
    const char *value = page->src + style.start;
    uint32_t at = BEFORE;
    if (tmpl_span_len(style) < BEFORE + NONE || memcmp(value, "display:", BEFORE) != 0) {
        return 0;
    }
    at += value[at] == ' ';
    return tmpl_span_len(style) - at >= NONE && memcmp(value + at, "none", NONE) == 0;
}

static unsigned role_of(const tmpl_page_t *page, tmpl_span_t role)
{
    unsigned in = 0;
    for (unsigned i = 0; i < COUNT(in_role); i++) {
        in |= tmpl_span_is(page->src, role, in_role[i].role) ? in_role[i].in : 0;
    }
    return in;
}

/* The kind of a link by its address. */
static unsigned links_to(const tmpl_page_t *page, tmpl_span_t href)
{
    const char *value = page->src + href.start;
    uint32_t len = tmpl_span_len(href);
    if (len > 0 && value[0] == '#') {
        return TMPL_LINKS_HERE;
    }
    return len > 8 && (memcmp(value, "//", 2) == 0 || memcmp(value, "http", 4) == 0)
               ? TMPL_LINKS_WHOLE
               : 0;
}

/* Reads an attribute other than class and id. */
static void read_other(start_tag_t *own, const tmpl_page_t *page, const tmpl_known_attr_t *attr)
{
    int is_yes = tmpl_span_len(attr->value) != 5; /* not "false" */
    if (attr->name == TMPL_ATTR_ROLE) {
        own->in |= role_of(page, attr->value);
    }
    if (attr->name == TMPL_ATTR_ROLE || attr->name == TMPL_ATTR_ITEMPROP ||
        attr->name == TMPL_ATTR_ITEMTYPE || attr->name == TMPL_ATTR_REL) {
        own->said |= tmpl_says_of_span(page, cut_value(attr->value), NULL).kinds & TMPL_NAMES_SAID;
    }
    else if (attr->name == TMPL_ATTR_ARIA_HIDDEN) {
        own->said |= is_yes ? TMPL_NAMED(ARIA) : 0;
    }
    else if (attr->name == TMPL_ATTR_HIDDEN ||
             (attr->name == TMPL_ATTR_STYLE && displays_none(page, attr->value))) {
        own->said |= TMPL_NAMED(HIDDEN);
        own->hints |= attr->name == TMPL_ATTR_STYLE ? TMPL_HINT_ARIA : 0;
    }
    own->hints |= tmpl_says_of_attr(page->src, attr).hints;
}

/* Whether an id is an anchor's: the text of a heading, made a name, says what the text says. */
static int is_anchor(const tmpl_node_t *node, const tmpl_known_attr_t *attr)
{
    return attr->name == TMPL_ATTR_ID &&
           (node->tag == TMPL_TAG_A || node->tag == TMPL_TAG_SECTION || node->tag == TMPL_TAG_DT ||
            (tmpl_tag_flags(node->tag) & TMPL_IS_HEADING));
}

static void context_read_tag(start_tag_t *own, const tmpl_page_t *page, const tmpl_node_t *node)
{
    const tmpl_known_attr_t *attr = page->attrs + node->attrs;
    for (; attr->value.start < node->open.end; attr++) {
        if (attr->name == TMPL_ATTR_CLASS || attr->name == TMPL_ATTR_ID) {
            tmpl_says_t says = read_class_or_id(own, page, attr->value);
            own->names |= is_anchor(node, attr) ? 0 : says.kinds;
            own->hints |= is_anchor(node, attr) ? 0 : says.hints;
        }
        else {
            read_other(own, page, attr);
        }
    }
}

/* Adds a step to each name that is there. Depths are too small for a carry. */
static void go_down(tmpl_near_t *near, const tmpl_near_t *up)
{
    _Static_assert(TMPL_MAX_DEPTH < 0x8000, "a count of steps has 15 bits");
    for (unsigned i = 0; i < COUNT(near->words); i++) {
        uint64_t some = (up->words[i] + 0x7FFF7FFF7FFF7FFF) & 0x8000800080008000;
        near->words[i] = up->words[i] + (some >> 15);
    }
}

/* The contexts of a page: nodes with the same layout path, TMPL_IN_* and TMPL_HINT_* share one. */
typedef struct {
    const tmpl_page_t *page;
    tmpl_contexts_t *contexts;
    tmpl_numbering_t all;       /* numbers pairs of layout path and in: indices of contexts */
    tmpl_numbering_t paths;     /* numbers layout paths */
    apr_array_header_t *firsts; /* uint32_t: the first context with each path */
    /* A cache: contexts of nodes by key_of, because most nodes are like an earlier one. */
    struct {
        uint64_t key;
        uint32_t context;
    } seen[256];
    apr_pool_t *pool;
} context_reader_t;

static uint64_t key_of_context(uint64_t layout, uint64_t said, unsigned in, unsigned hints)
{
    const unsigned both[] = { in, hints };
    return XXH3_64bits_withSeed(both, sizeof(both), layout ^ said);
}

/* What is said of an element and those around it. */
static uint64_t said_in(const start_tag_t *own, uint64_t around)
{
    return own->said != 0 ? XXH3_64bits_withSeed(&own->said, sizeof(own->said), own->hash ^ around)
                          : around;
}

/* Adds a context, which has the next index. */
static void add_context(context_reader_t *r, tmpl_context_t *context, uint32_t index)
{
    uint32_t path = tmpl_numbering_add(&r->paths, context->layout);
    if (path == (uint32_t)r->firsts->nelts) {
        APR_ARRAY_PUSH(r->firsts, uint32_t) = index;
    }
    context->first = APR_ARRAY_IDX(r->firsts, path, uint32_t);
    if (index % TMPL_CONTEXTS == 0) {
        APR_ARRAY_PUSH(r->contexts->list, tmpl_context_t *) =
            apr_palloc(r->pool, TMPL_CONTEXTS * sizeof(tmpl_context_t));
    }
    *tmpl_context_at(r->contexts, index) = *context;
}

/* The index of the context of a node, by its start tag and its parent's context. */
static uint32_t find_context(context_reader_t *r, const start_tag_t *own, const tmpl_context_t *up)
{
    uint32_t n = r->all.n;
    uint64_t said = said_in(own, up->said);
    uint32_t index =
        tmpl_numbering_add(&r->all, key_of_context(own->hash, said, own->in, own->hints));
    if (index == n) {
        tmpl_context_t context = {
            .layout = own->hash, .said = said, .in = own->in, .hints = own->hints
        };
        go_down(&context.near, &up->near);
        for (tmpl_kinds_t names = own->names | own->said; names != 0; names &= names - 1) {
            context.near.steps[__builtin_ctzll(names)] = 1;
        }
        add_context(r, &context, index);
    }
    return index;
}

/* in: the kind of the link, if the node is one. */
static uint32_t find_by_tag(context_reader_t *r, const tmpl_node_t *node, uint32_t up_context,
                            unsigned in)
{
    const tmpl_page_t *page = r->page;
    const tmpl_context_t *up = tmpl_context_at(r->contexts, up_context);
    start_tag_t own = { .hash = XXH3_64bits_withSeed(&node->tag, sizeof(node->tag), up->layout),
                        .in = in_tag[node->tag] | in,
                        .names = tmpl_says_of_tag[node->tag].kinds,
                        .hints = tmpl_says_of_tag[node->tag].hints };
    unsigned passed = up->in & ~(unsigned)(TMPL_LINKS_HERE | TMPL_LINKS_WHOLE);
    if (tmpl_separators_leaf.has[node->tag]) {
        passed &= ~(unsigned)TMPL_IN_OWN;
    }
    own.in |= passed;
    /* classes of html and body belong to the page, not to a context */
    if ((node->flags & TMPL_NODE_NAMED) && !(tmpl_tag_flags(node->tag) & TMPL_IS_NEVER_EDIT)) {
        context_read_tag(&own, page, node);
    }
    if (own.in & TMPL_IN_VERBATIM) { /* comments of programs */
        own.names &= ~TMPL_NAMED(COMMENT);
    }
    return find_context(r, &own, up);
}

/* The kind of the link, if the node is one. */
static unsigned kind_of_link(const tmpl_page_t *page, const tmpl_node_t *node)
{
    const tmpl_known_attr_t *href =
        node->tag == TMPL_TAG_A ? tmpl_node_attr(page, node, TMPL_ATTR_HREF) : NULL;
    return href != NULL ? links_to(page, href->value) : 0;
}

/*
 * A key, other than 0, that nodes with different contexts share only if 64 bits are equal by
 * accident.
 */
static uint64_t key_of_node(const tmpl_page_t *page, const tmpl_node_t *node, uint32_t up_context,
                            unsigned in)
{
    uint64_t key = 1 + (uint64_t)up_context * TMPL_TAG_COUNT + node->tag;
    if (node->flags & TMPL_NODE_NAMED) {
        return XXH3_64bits_withSeed(page->src + node->open.start, tmpl_span_len(node->open), key);
    }
    return key << 32 | in;
}

static uint32_t context_of(context_reader_t *r, const tmpl_node_t *node, uint32_t up_context)
{
    const tmpl_page_t *page = r->page;
    unsigned in = kind_of_link(page, node);
    uint64_t key = key_of_node(page, node, up_context, in);
    uint32_t slot = tmpl_slot_of(key, COUNT(r->seen));
    if (r->seen[slot].key != key) {
        r->seen[slot].key = key;
        r->seen[slot].context = find_by_tag(r, node, up_context, in);
    }
    return r->seen[slot].context;
}

void tmpl_contexts_read(tmpl_contexts_t *contexts, const tmpl_page_t *page, apr_pool_t *pool)
{
    /* the root's path holds the operator's seed, and so do all layout paths */
    tmpl_context_t root = { .layout = page->nodes[0].path };
    context_reader_t r = { .page = page, .contexts = contexts, .pool = pool };
    contexts->of = apr_palloc(pool, page->n_nodes * sizeof(*contexts->of));
    contexts->list = apr_array_make(pool, 16, sizeof(tmpl_context_t *));
    r.firsts = apr_array_make(pool, 64, sizeof(uint32_t));
    tmpl_numbering_init(&r.all, 64, pool, pool);
    tmpl_numbering_init(&r.paths, 64, pool, pool);
    add_context(
        &r, &root,
        tmpl_numbering_add(&r.all, key_of_context(root.layout, root.said, root.in, root.hints)));
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        uint32_t up = node->parent == TMPL_NONE ? 0 : contexts->of[node->parent];
        contexts->of[i] = node->after_segment > node->first_segment ? context_of(&r, node, up) : 0;
    }
}
