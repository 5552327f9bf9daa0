/* SPDX-License-Identifier: Apache-2.0 */
#include "html/open.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "html/attr.h"

#define FIRST_ROOM 64

/* Attributes of a formatting element at most; an element with more is equal to no other. */
#define MAX_ATTRIBUTES 256

#define FNV_BASIS 0xCBF29CE484222325u
#define FNV_PRIME 0x100000001B3u

/* A copy, in pool, of a full array of n elements, with twice the room. */
static void *grown(const void *array, uint32_t n, uint32_t *room, apr_size_t size, apr_pool_t *pool)
{
    void *larger = apr_palloc(pool, 2 * *room * size);
    memcpy(larger, array, n * size);
    *room *= 2;
    return larger;
}

void tmpl_opens_init(tmpl_opens_t *s, tmpl_token_t *tokens, const char *src, apr_pool_t *pool)
{
    *s = (tmpl_opens_t){ .tokens = tokens,
                         .src = src,
                         .room = FIRST_ROOM,
                         .room_active = FIRST_ROOM,
                         .paired = TMPL_NONE };
    s->pool = pool;
    s->stack = apr_palloc(pool, FIRST_ROOM * sizeof(*s->stack));
    s->active = apr_palloc(pool, FIRST_ROOM * sizeof(*s->active));
    s->stack[0] = (tmpl_open_t){ .token = TMPL_NONE, .held = TMPL_NONE };
    tmpl_opens_set_n(s, 1);
}

static uint32_t innermost_marker(const tmpl_opens_t *s)
{
    uint32_t i = s->n - 1;
    while (i > 0 && !(s->stack[i].flags & TMPL_IS_MARKER)) {
        i--;
    }
    return i;
}

/* "Clear the list of active formatting elements up to the last marker." */
static void clear_to_marker(tmpl_opens_t *s)
{
    uint32_t closed = TMPL_NONE;
    while (s->n_active > 0 && closed != 0) {
        closed = s->active[--s->n_active].id;
    }
}

/* The index on the stack of the element with that id; 0 if it is not there. */
static uint32_t index_of_open(const tmpl_opens_t *s, uint32_t id)
{
    uint32_t i = s->n - 1;
    while (i > 0 && s->stack[i].id != id) {
        i--;
    }
    return i;
}

void tmpl_opens_grow(tmpl_opens_t *s)
{
    s->stack = grown(s->stack, s->n, &s->room, sizeof(*s->stack), s->pool);
    tmpl_opens_set_n(s, s->n);
}

static inline void add_active(tmpl_opens_t *s, tmpl_active_t entry)
{
    if (s->n_active == s->room_active) {
        s->active = grown(s->active, s->n_active, &s->room_active, sizeof(*s->active), s->pool);
    }
    s->active[s->n_active++] = entry;
}

static void remove_active(tmpl_opens_t *s, uint32_t at)
{
    s->events++;
    memmove(&s->active[at], &s->active[at + 1], (s->n_active - at - 1) * sizeof(*s->active));
    s->n_active--;
}

/* The index of the innermost active element of that name behind the last marker, or TMPL_NONE. */
static uint32_t find_active(const tmpl_opens_t *s, uint32_t name)
{
    for (uint32_t i = s->n_active; i > 0 && s->active[i - 1].id != 0; i--) {
        if (s->active[i - 1].name == name) {
            return i - 1;
        }
    }
    return TMPL_NONE;
}

static uint32_t find_active_id(const tmpl_opens_t *s, uint32_t id)
{
    for (uint32_t i = s->n_active; i > 0; i--) {
        if (s->active[i - 1].id == id) {
            return i - 1;
        }
    }
    return TMPL_NONE;
}

/* A hash of a tag's attributes that ignores their order and repeated names. */
static uint64_t attributes_of(tmpl_opens_t *s, tmpl_span_t tag)
{
    const char *src = s->src;
    uint64_t names[MAX_ATTRIBUTES];
    uint64_t sum = 0;
    uint32_t n = 0;
    unsigned seen = 0; /* counts repeated names, too: each is compared with all names before it */
    uint32_t at = tmpl_attr_first(src, tag);
    tmpl_attr_t attr;
    while (tmpl_attr_next(&attr, src, tag.end, &at) == TMPL_ATTR_FOUND) {
        if (++seen > MAX_ATTRIBUTES) {
            tmpl_opens_taint(s, 0);
            return ((uint64_t)tag.start << 32) + tag.end;
        }
        uint64_t name = FNV_BASIS;
        uint32_t i = 0;
        for (uint32_t p = attr.name.start; p < attr.name.end; p++) {
            name = (name ^ (unsigned char)tmpl_lower(src[p])) * FNV_PRIME;
        }
        while (i < n && names[i] != name) {
            i++;
        }
        if (i == n) {
            names[n++] = name;
            sum += XXH3_64bits_withSeed(src + attr.value.start, tmpl_span_len(attr.value), name);
        }
    }
    return sum;
}

static uint64_t hash_of_attribute(tmpl_opens_t *s, tmpl_active_t *a)
{
    if (!a->has_hash) {
        a->hash = attributes_of(s, s->tokens[a->token].span);
        a->has_hash = 1;
    }
    return a->hash;
}

/* Taints what is open and began behind a start tag: what the tag does depends on it. */
static void taint_since(tmpl_opens_t *s, uint32_t token)
{
    uint32_t floor = 0;
    while (floor + 1 < s->n &&
           (s->stack[floor + 1].token == TMPL_NONE || s->stack[floor + 1].token <= token)) {
        floor++;
    }
    tmpl_opens_taint(s, floor);
}

/* "The Noah's Ark clause": of three active elements equal to the new one, the first is removed. */
static void leave_three(tmpl_opens_t *s, tmpl_active_t *new)
{
    unsigned alike = 0;
    for (uint32_t i = s->n_active; i > 0 && s->active[i - 1].id != 0; i--) {
        tmpl_active_t *a = &s->active[i - 1];
        if (a->name == new->name && hash_of_attribute(s, a) == hash_of_attribute(s, new) &&
            ++alike == 3) {
            taint_since(s, a->token);
            remove_active(s, i - 1);
            return;
        }
    }
}

/*
 * Makes a formatting element active. Returns whether other active elements have its name: a mark
 * would make the element unequal to them.
 */
static int activate(tmpl_opens_t *s, const tmpl_open_t *o)
{
    tmpl_active_t new = { .name = o->name, .id = o->id, .token = o->token };
    unsigned named = 0;
    for (uint32_t i = s->n_active; i > 0 && s->active[i - 1].id != 0; i--) {
        named += s->active[i - 1].name == o->name;
    }
    if (named >= 3) {
        leave_three(s, &new);
    }
    add_active(s, new);
    return named >= 2;
}

void tmpl_opens_read_flags(tmpl_opens_t *s, tmpl_open_t *o)
{
    if (o->flags & TMPL_IS_FIXED_TEXT) {
        o->fixed_text = 1;
        tmpl_open_mix(o);
    }
    o->quiet |= (o->flags & TMPL_IS_QUIET) != 0;
    if (o->flags & TMPL_IS_MARKER) {
        add_active(s, (tmpl_active_t){ .id = 0 });
    }
    else if ((o->flags & TMPL_IS_FORMATTING) && o->token != TMPL_NONE) {
        o->tainted = (unsigned char)activate(s, o);
    }
}

void tmpl_opens_taint(tmpl_opens_t *s, uint32_t floor)
{
    for (uint32_t i = floor + 1; i < s->n; i++) {
        s->stack[i].tainted = 1;
    }
}

uint32_t tmpl_opens_find(const tmpl_opens_t *s, uint32_t name, unsigned scope)
{
    if (name < TMPL_TAG_COUNT && s->n_of[name] == 0) {
        return 0;
    }
    for (uint32_t i = s->n - 1; i > 0; i--) {
        if (s->stack[i].name == name) {
            return i;
        }
        if (s->stack[i].flags & scope) {
            return 0;
        }
    }
    return 0;
}

/* Element `from`, and the elements that would end with it, end with `to`, which is inside it. */
static void hand_over_attributes(tmpl_opens_t *s, const tmpl_open_t *from, tmpl_open_t *to)
{
    uint32_t *last = &to->held;
    while (*last != TMPL_NONE) {
        last = &s->tokens[*last].end;
    }
    *last = from->held;
    if (from->token != TMPL_NONE) {
        s->tokens[from->token].end = to->held;
        to->held = from->token;
    }
}

static void take_out(tmpl_opens_t *s, uint32_t index)
{
    s->events++;
    s->n_of[s->stack[index].tag]--;
    memmove(&s->stack[index], &s->stack[index + 1], (s->n - index - 1) * sizeof(*s->stack));
    tmpl_opens_set_n(s, s->n - 1);
}

void tmpl_opens_remove(tmpl_opens_t *s, uint32_t index)
{
    if (index == s->n - 1) {
        tmpl_opens_end_at(s, &s->stack[index], s->at);
    }
    else {
        hand_over_attributes(s, &s->stack[index], &s->stack[index + 1]);
    }
    take_out(s, index);
}

/*
 * A div without an end tag has ended with the element around it. HTML 4 parsers, such as libxml2,
 * give it the end tag of the next div outwards, that div the end tag of the one around, and so on
 * up to the next cell: an attribute in the start tag of one of these elements would, for such a
 * parser, also cover content behind the element.
 */
static void mark_unbalanced(tmpl_opens_t *s)
{
    for (uint32_t i = innermost_marker(s) + 1; i < s->n; i++) {
        s->stack[i].may &= (unsigned char)~TMPL_NODE_MARK;
    }
}

void tmpl_opens_pop_above(tmpl_opens_t *s, uint32_t keep)
{
    s->events += s->n - 1 > keep;
    /* a formatting element stays active: it is reconstructed outside of its parent */
    int left = 0;
    /* a form stays open: HTML5 keeps its pointer and opens no other form; or a marker stays */
    int far = 0;
    int div = 0; /* a div had no end tag */
    while (s->n - 1 > keep) {
        tmpl_open_t o = *s->top;
        tmpl_opens_set_n(s, s->n - 1);
        s->n_of[o.tag]--;
        tmpl_opens_end_at(s, &o, s->at);
        if (o.flags & TMPL_IS_CELL) {
            clear_to_marker(s);
            left = 0;
            div = 0;
        }
        else if ((o.flags & TMPL_IS_FORMATTING) && o.token != TMPL_NONE) {
            left |= find_active_id(s, o.id) != TMPL_NONE;
        }
        far |= o.tag == TMPL_TAG_FORM && !s->tokens[o.token].is_paired;
        far |= (o.flags & (TMPL_IS_MARKER | TMPL_IS_CELL)) == TMPL_IS_MARKER &&
               !s->tokens[o.token].is_paired;
        div |= o.tag == TMPL_TAG_DIV && !s->tokens[o.token].is_paired;
    }
    if (div) {
        mark_unbalanced(s);
    }
    if (left || far) {
        tmpl_opens_taint(s, far ? 0 : innermost_marker(s));
    }
}

void tmpl_opens_close(tmpl_opens_t *s, uint32_t index, uint32_t end)
{
    const tmpl_open_t *o = &s->stack[index];
    if (end != TMPL_NONE && index == s->n - 1 &&
        !(o->flags & (TMPL_IS_MARKER | TMPL_IS_FORMATTING))) {
        tmpl_opens_close_top(s);
        return;
    }
    tmpl_opens_pop_above(s, index);
    if (end != TMPL_NONE && (o->flags & TMPL_IS_MARKER) && !(o->flags & TMPL_IS_CELL)) {
        clear_to_marker(s);
    }
    if (end != TMPL_NONE) {
        tmpl_opens_pair(s, o);
    }
    tmpl_opens_pop_above(s, index - 1);
}

int tmpl_opens_is_closed(const tmpl_opens_t *s)
{
    return index_of_open(s, s->active[s->n_active - 1].id) == 0;
}

void tmpl_opens_end_active(tmpl_opens_t *s, uint32_t name)
{
    uint32_t active = find_active(s, name);
    if (active == TMPL_NONE) {
        return;
    }
    uint32_t id = s->active[active].id;
    tmpl_opens_taint(s, 0);
    tmpl_opens_adopt(s, name, TMPL_NONE);
    active = find_active_id(s, id);
    if (active != TMPL_NONE) {
        remove_active(s, active);
    }
    uint32_t index = index_of_open(s, id);
    if (index != 0) {
        tmpl_opens_remove(s, index);
    }
}

void tmpl_opens_finish(tmpl_opens_t *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        tmpl_opens_end_at(s, &s->stack[i], TMPL_NONE);
    }
}

/*
 * Replaces an active element by a copy without a tag of its own, in the same position of the list.
 * Returns the copy's id.
 */
static uint32_t clone(tmpl_opens_t *s, uint32_t active)
{
    s->active[active].id = ++s->last_id;
    return s->last_id;
}

void tmpl_opens_reconstruct(tmpl_opens_t *s)
{
    uint32_t i = s->n_active;
    while (i > 0 && s->active[i - 1].id != 0 && index_of_open(s, s->active[i - 1].id) == 0) {
        i--;
    }
    for (; i < s->n_active; i++) {
        uint32_t name = s->active[i].name;
        /* All formatting elements are in the table of tags, so their name is their tag. */
        tmpl_open_t *o = tmpl_opens_push(s, TMPL_NONE, (tmpl_tag_e)name, name);
        o->id = clone(s, i);
    }
}

/*
 * "The furthest block": the outermost special element inside the element at index; 0 if there is
 * none.
 */
static uint32_t furthest_block(const tmpl_opens_t *s, uint32_t index)
{
    for (uint32_t i = index + 1; i < s->n; i++) {
        if (s->stack[i].flags & TMPL_IS_SPECIAL) {
            return i;
        }
    }
    return 0;
}

/*
 * Steps 11 to 19 of the adoption agency, as far as they change the stack and the list: elements
 * between the formatting element and the block are cloned or dropped, and the formatting element
 * moves from outside the block to inside. The block leaves all these elements, so they end where
 * the block begins.
 */
static void adopt_into(tmpl_opens_t *s, uint32_t active, uint32_t formatting, uint32_t block)
{
    uint32_t bookmark = active;
    unsigned inner = 0;
    uint32_t block_token = s->stack[block].token;
    /* the block leaves the form that it stood in */
    tmpl_opens_end_held(s, &s->stack[block], block_token);
    for (uint32_t node = block - 1; node > formatting; node--) {
        uint32_t at = find_active_id(s, s->stack[node].id);
        inner++;
        tmpl_opens_end_at(s, &s->stack[node], block_token);
        if (inner > 3 && at != TMPL_NONE) {
            remove_active(s, at);
            bookmark -= at < bookmark;
            active -= at < active;
            at = TMPL_NONE;
        }
        if (at == TMPL_NONE) {
            take_out(s, node);
            block--;
            continue;
        }
        s->stack[node].token = TMPL_NONE;
        s->stack[node].id = clone(s, at);
        if (node == block - 1) {
            bookmark = at + 1;
        }
    }
    tmpl_active_t moved = s->active[active];
    moved.id = ++s->last_id;
    remove_active(s, active);
    bookmark -= active < bookmark;
    add_active(s, moved);
    memmove(&s->active[bookmark + 1], &s->active[bookmark],
            (s->n_active - 1 - bookmark) * sizeof(moved));
    s->active[bookmark] = moved;
    tmpl_open_t o = s->stack[formatting];
    tmpl_opens_end_at(s, &o, block_token);
    o.token = TMPL_NONE;
    o.id = moved.id;
    take_out(s, formatting);
    if (s->n == s->room) {
        tmpl_opens_grow(s);
    }
    memmove(&s->stack[block + 1], &s->stack[block], (s->n - block) * sizeof(o));
    s->stack[block] = o;
    tmpl_opens_set_n(s, s->n + 1);
    s->n_of[o.tag]++;
}

/* The end tag of any other element: closes the innermost element of that name in scope. */
static void close_any(tmpl_opens_t *s, uint32_t name, uint32_t end)
{
    uint32_t index = tmpl_opens_find(s, name, TMPL_ANY_SPECIAL);
    if (index != 0) {
        tmpl_opens_close(s, index, end);
    }
}

static void adopt(tmpl_opens_t *s, uint32_t name, uint32_t end)
{
    if (s->top->name == name && find_active_id(s, s->top->id) == TMPL_NONE) {
        tmpl_opens_close(s, s->n - 1, end);
        return;
    }
    for (int outer = 0; outer < 8; outer++) {
        uint32_t active = find_active(s, name);
        if (active == TMPL_NONE) {
            if (outer == 0) {
                close_any(s, name, end);
            }
            return;
        }
        uint32_t index = index_of_open(s, s->active[active].id);
        if (index == 0) {
            /* the active element began outside of the open elements */
            tmpl_opens_taint(s, innermost_marker(s));
            remove_active(s, active);
            return;
        }
        for (uint32_t i = index + 1; i < s->n; i++) {
            if (s->stack[i].flags & TMPL_SCOPE) {
                return;
            }
        }
        uint32_t block = furthest_block(s, index);
        if (s->stack[index].token == TMPL_NONE || block != 0) {
            tmpl_opens_taint(s, block != 0 ? 0 : innermost_marker(s));
        }
        if (block == 0) {
            remove_active(s, active);
            tmpl_opens_close(s, index, end);
            return;
        }
        adopt_into(s, active, index, block);
        end = TMPL_NONE;
    }
}

/*
 * Whether the innermost open element has that name and its own tag, and is also the innermost
 * active element.
 */
static inline int is_in_order(const tmpl_opens_t *s, uint32_t name)
{
    const tmpl_open_t *o = s->top;
    return o->name == name && o->token != TMPL_NONE && s->n_active > 0 &&
           s->active[s->n_active - 1].id == o->id;
}

void tmpl_opens_adopt(tmpl_opens_t *s, uint32_t name, uint32_t end)
{
    if (end == TMPL_NONE || !is_in_order(s, name)) {
        adopt(s, name, end);
        return;
    }
    s->n_active--;
    tmpl_opens_close_top(s);
}
