/* SPDX-License-Identifier: Apache-2.0 */
/* What of a page is not said to its readers, by names and texts that many sites write. */
#include <string.h>

#include "base/ascii.h"
#include "text/text.h"

/* When an element with a name is not said. */
typedef enum {
    NEVER,      /* a tool, or the name of an icon */
    AS_ICON,    /* if its text is a sign or one letter */
    WITHOUT,    /* if no element near around it has the class that shows it */
    WITHIN,     /* if one has the class that hides it */
    IN_HEADING, /* in a heading */
    NO_NUMBER,  /* if it has no digit */
    HEARD       /* for screen readers alone: if the text beside it says it */
} unsaid_e;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Ends of words of a class, behind its start, '-' or '_'; and the class of the state. */
typedef struct {
    const char *name;
    unsaid_e when;
    const char *state;
} unsaid_t;

static const unsaid_t unsaid[] = { { "editsection", NEVER, "" },
                                   { "viewcode-link", NEVER, "" },
                                   { "viewcode-back", NEVER, "" },
                                   { "material-icons", NEVER, "" },
                                   { "icons-outlined", NEVER, "" },
                                   { "icons-round", NEVER, "" },
                                   { "symbols-outlined", NEVER, "" },
                                   { "symbols-rounded", NEVER, "" },
                                   { "icon", AS_ICON, "" },
                                   { "price__badge-sold-out", WITHOUT, "price--sold-out" },
                                   { "price__badge-sale", WITHOUT, "price--on-sale" },
                                   { "price__sale", WITHOUT, "price--on-sale" },
                                   { "price__regular", WITHIN, "price--on-sale" },
                                   { "tooltip", IN_HEADING, "" },
                                   { "tool-tip", IN_HEADING, "" },
                                   { "unit-price", NO_NUMBER, "" },
                                   { "sr-only", HEARD, "" },
                                   { "sr-text", HEARD, "" },
                                   { "screen-reader-text", HEARD, "" },
                                   { "visually-hidden", HEARD, "" },
                                   { "visuallyhidden", HEARD, "" },
                                   { "offscreen", HEARD, "" },
                                   { "vh", HEARD, "" } };

/* Whether an element near around a node, or it itself, has a text in its class. */
static int is_in_state(const tmpl_page_t *page, const tmpl_node_t *node, const char *state)
{
    enum { UP = 4 };
    int is = 0;
    for (int up = 0; up < UP && node->parent != TMPL_NONE && !is; up++) {
        node = &page->nodes[node->parent];
        is = tmpl_node_says(page, node, TMPL_ATTR_CLASS, state);
    }
    return is;
}

/* Whether a word of a class ends in a name. */
static int is_named(const char *src, tmpl_span_t word, const char *name)
{
    uint32_t len = (uint32_t)strlen(name), from = word.end - len;
    return tmpl_span_len(word) >= len && memcmp(src + from, name, len) == 0 &&
           (from == word.start || src[from - 1] == '-' || src[from - 1] == '_');
}

/* The first name that the class of an element has; NULL: none. */
static const unsaid_t *name_of(const tmpl_page_t *page, const tmpl_node_t *node)
{
    static const unsigned char may_be[TMPL_TAG_COUNT] = {
        [TMPL_TAG_SPAN] = 1,  [TMPL_TAG_DIV] = 1, [TMPL_TAG_P] = 1,      [TMPL_TAG_I] = 1,
        [TMPL_TAG_SMALL] = 1, [TMPL_TAG_B] = 1,   [TMPL_TAG_STRONG] = 1, [TMPL_TAG_OTHER] = 1,
    };
    /* the last letters of names */
    static const unsigned char last[256] = {
        ['n'] = 1, ['k'] = 1, ['s'] = 1, ['d'] = 1, ['t'] = 1,
        ['e'] = 1, ['r'] = 1, ['p'] = 1, ['y'] = 1, ['h'] = 1
    };
    const tmpl_known_attr_t *class = may_be[node->tag] && (node->flags & TMPL_NODE_NAMED)
                                         ? tmpl_node_attr(page, node, TMPL_ATTR_CLASS)
                                         : NULL;
    tmpl_span_t word = class != NULL ? (tmpl_span_t){ class->value.start, class->value.start }
                                     : (tmpl_span_t){ 0, 0 };
    while (class != NULL && tmpl_word_next(&word, page->src, class->value)) {
        for (size_t i = 0; last[(unsigned char)page->src[word.end - 1]] && i < COUNT(unsaid); i++) {
            if (is_named(page->src, word, unsaid[i].name)) {
                return &unsaid[i];
            }
        }
    }
    return NULL;
}

static int is_heard_only(const tmpl_page_t *page, const tmpl_node_t *node)
{
    const unsaid_t *name = name_of(page, node);
    return name != NULL && name->when == HEARD;
}

/* Text at the start of an element, without references. */
typedef struct {
    char at[256];
    uint32_t len;
} start_t;

static void read_start(start_t *text, const tmpl_page_t *page, const tmpl_node_t *node)
{
    text->len = 0;
    for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
        tmpl_span_t span = page->segments[s].span;
        for (const char *at = page->src + span.start;
             at < page->src + span.end && page->src[span.start] != '<' &&
             text->len < sizeof(text->at);
             at++) {
            const char *end =
                *at == '&' ? memchr(at, ';', (apr_size_t)(page->src + span.end - at)) : NULL;
            text->at[text->len++] = end != NULL ? ' ' : *at;
            at = end != NULL ? end : at;
        }
    }
}

/* Whether a character is a letter or a digit: beyond ASCII, if its block is no signs. */
static int is_of_word(char c)
{
    unsigned char byte = (unsigned char)c;
    return tmpl_is_alnum(c) || (byte >= 0xC3 && byte != 0xE2 && byte < 0xEE);
}

/* The same, or a mark of ASCII. */
static int is_typed(char c)
{
    return c > ' ' || is_of_word(c);
}

static int has_char(const start_t *text, int is_meant(char))
{
    uint32_t i = 0;
    while (i < text->len && !is_meant(text->at[i])) {
        i++;
    }
    return i < text->len;
}

/* Whether a text that is seen has all numbers of one that is heard, and is not broken off. */
static int says_all(const start_t *seen, const start_t *heard)
{
    static const char dots[] = "\xE2\x80\xA6";
    int says = seen->len < 3 || memcmp(seen->at + seen->len - 3, dots, 3) != 0;
    for (uint32_t i = 0, end; i < heard->len && says; i = end + 1) {
        end = i;
        while (end < heard->len &&
               (tmpl_is_digit(heard->at[end]) ||
                (end > i && end + 1 < heard->len && tmpl_is_digit(heard->at[end + 1]) &&
                 (heard->at[end] == '.' || heard->at[end] == ',')))) {
            end++;
        }
        says = end == i || memmem(seen->at, seen->len, heard->at + i, end - i) != NULL;
    }
    return says;
}

static int is_seen_only(const tmpl_page_t *page, const tmpl_node_t *node)
{
    const tmpl_known_attr_t *hidden = tmpl_node_attr(page, node, TMPL_ATTR_ARIA_HIDDEN);
    return hidden != NULL && tmpl_span_is(page->src, hidden->value, "true");
}

/*
 * Whether the element before or behind a node, or behind its parent, says what the node says:
 * one of them is heard only, by its class, and the other one is seen only. What is heard is left
 * out, but not if what is seen has not all of it: a price without its point.
 */
static int is_twin(const tmpl_page_t *page, const tmpl_node_t *node, int is_heard)
{
    start_t own, other;
    const tmpl_node_t *beside[] = { node - 1, &page->nodes[node->after] };
    while (beside[0]->depth > node->depth) {
        beside[0] = &page->nodes[beside[0]->parent];
    }
    read_start(&own, page, node);
    for (int i = 0; i < 2; i++) {
        int is_near = i == 0 ? beside[0]->depth == node->depth
                             : node->after < page->n_nodes && beside[1]->depth + 1 >= node->depth;
        if (!is_near || !(is_heard ? is_seen_only : is_heard_only)(page, beside[i])) {
            continue;
        }
        read_start(&other, page, beside[i]);
        if (has_char(&own, is_of_word) && has_char(&other, is_of_word) &&
            says_all(is_heard ? &other : &own, is_heard ? &own : &other) == is_heard) {
            return 1;
        }
    }
    return 0;
}

/* Whether a text for screen readers says in which window the link around opens. */
static int is_of_window(const start_t *text)
{
    static const char *const windows[] = { "indow",   " tab",     "Fenster", " Tab",  "onglet",
                                           "ventana", "finestra", "venster", "janela" };
    size_t i = 0;
    while (i < COUNT(windows) &&
           memmem(text->at, text->len, windows[i], strlen(windows[i])) == NULL) {
        i++;
    }
    return i < COUNT(windows);
}

/* Whether a node is in a link (tag A), or in a heading. */
static int is_in(const tmpl_page_t *page, const tmpl_node_t *node, tmpl_tag_e tag)
{
    enum { UP = 3 };
    int is = 0;
    for (int up = 0; up < UP && node->parent != TMPL_NONE && !is; up++) {
        node = &page->nodes[node->parent];
        is = tag == TMPL_TAG_A ? node->tag == tag
                               : (tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_HEADING) != 0;
    }
    return is;
}

/* Whether the text of an element is one character that is no digit, and no letter beyond ASCII. */
static int is_sign(const tmpl_page_t *page, const tmpl_node_t *node)
{
    if (node->after_segment != node->first_segment + 1) {
        return 0;
    }
    tmpl_span_t text = page->segments[node->first_segment].span;
    const char *at = page->src + text.start;
    uint32_t len = page->segments[node->first_segment].length;
    unsigned char first = (unsigned char)*at;
    return (len == 1 && !tmpl_is_digit(*at)) || (len == 3 && (first == 0xE2 || first >= 0xEE)) ||
           (first == '&' && memchr(at, ';', len) == at + len - 1);
}

/* Whether an element with a name in its class is not said. */
static int is_unsaid(const tmpl_page_t *page, const tmpl_node_t *node, const unsaid_t *name)
{
    start_t text;
    switch (name->when) {
    case AS_ICON:
        return is_sign(page, node);
    case WITHOUT:
        return !is_in_state(page, node, name->state);
    case WITHIN:
        return is_in_state(page, node, name->state);
    case IN_HEADING:
        return is_in(page, node, TMPL_TAG_H1);
    case NO_NUMBER:
        read_start(&text, page, node);
        return !has_char(&text, tmpl_is_digit);
    case HEARD:
        read_start(&text, page, node);
        return !has_char(&text, is_typed) || is_twin(page, node, 1) ||
               (is_in(page, node, TMPL_TAG_A) && is_of_window(&text));
    default:
        return 1;
    }
}

int tmpl_node_is_unsaid(const tmpl_page_t *page, const tmpl_node_t *node)
{
    const unsaid_t *name = name_of(page, node);
    return name != NULL
               ? is_unsaid(page, node, name)
               : node->tag == TMPL_TAG_SPAN && is_seen_only(page, node) && is_twin(page, node, 0);
}

int tmpl_text_is_unsaid(const tmpl_page_t *page, const tmpl_segment_t *segment)
{
    enum { SHORT = 8 /* bytes of a sign */, CLIMB = 4 };
    const tmpl_node_t *node = &page->nodes[segment->node];
    if (segment->length <= SHORT && node->tag == TMPL_TAG_A &&
        tmpl_span_is_any(page->src, segment->span, "# \xC2\xB6 &para; &#182; \xC3\x82\xC2\xB6")) {
        const tmpl_known_attr_t *href = tmpl_node_attr(page, node, TMPL_ATTR_HREF);
        return href != NULL && page->src[href->value.start] == '#';
    }
    int is = tmpl_node_is_unsaid(page, node);
    for (int up = 1; up < CLIMB && node->parent != TMPL_NONE && !is; up++) {
        node = &page->nodes[node->parent];
        is = tmpl_node_is_unsaid(page, node);
    }
    return is;
}

/* Whether a node is code, or near in it. */
static int is_in_code(const tmpl_page_t *page, uint32_t node)
{
    static const unsigned char code[TMPL_TAG_COUNT] = {
        [TMPL_TAG_CODE] = 1, [TMPL_TAG_KBD] = 1, [TMPL_TAG_SAMP] = 1, [TMPL_TAG_TT] = 1
    };
    enum { CLIMB = 8 };
    int is = 0;
    for (int up = 0; up < CLIMB && node != TMPL_NONE && !is; up++) {
        is = code[page->nodes[node].tag] || tmpl_node_is_listing(page, &page->nodes[node]);
        node = page->nodes[node].parent;
    }
    return is;
}

/* The length of the shortcode at text, which begins with a bracket; 0: it is none. */
static uint32_t shortcode_at(const char *text, uint32_t len)
{
    static const char *const names[] = { "caption ", "et_pb_", "vc_", "fusion_", "gallery " };
    enum { LONGEST = 400 };
    const char *end = memchr(text, ']', len < LONGEST ? len : LONGEST);
    int closes = len > 1 && text[1] == '/';
    for (size_t i = 0; end != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        uint32_t n = (uint32_t)strlen(names[i]) - (closes && strchr(names[i], ' ') != NULL);
        const char *name = text + 1 + closes;
        if (end - name >= n && memcmp(name, names[i], n) == 0 &&
            (closes || strchr(names[i], '_') != NULL ||
             memchr(name, '=', (apr_size_t)(end - name)) != NULL)) {
            return (uint32_t)(end - text) + 1;
        }
    }
    return 0;
}

/* Whether a text begins with one of the words, and ends in dots where it must. */
static int is_state(const char *at, uint32_t len)
{
    static const struct {
        const char *begin;
        int dots;
    } states[] = { { "Loading", 1 },     { "Wird geladen", 1 },
                   { "Chargement", 1 },  { "Cargando", 1 },
                   { "Caricamento", 1 }, { "Laden", 1 },
                   { "Carregando", 1 },  { "Oops! Something went wrong", 0 } };
    static const char *const dots[] = { "...", "\xE2\x80\xA6", "&hellip;", "&#8230;" };
    enum { LONGEST = 80 };
    size_t i = 0, d = 0;
    while (i < COUNT(states) && (len < strlen(states[i].begin) || len > LONGEST ||
                                 memcmp(at, states[i].begin, strlen(states[i].begin)) != 0)) {
        i++;
    }
    while (d < COUNT(dots) && (len < strlen(dots[d]) ||
                               memcmp(at + len - strlen(dots[d]), dots[d], strlen(dots[d])) != 0)) {
        d++;
    }
    return i < COUNT(states) && (!states[i].dots || d < COUNT(dots));
}

/* Whether a text is one name in the braces of a template that a script fills, or a state. */
static int is_placeholder(const char *src, tmpl_span_t text)
{
    while (text.start < text.end && tmpl_is_space(src[text.start])) {
        text.start++;
    }
    while (text.start < text.end && tmpl_is_space(src[text.end - 1])) {
        text.end--;
    }
    uint32_t len = tmpl_span_len(text);
    return is_state(src + text.start, len) || (len > 4 && memcmp(src + text.start, "{{", 2) == 0 &&
                                               memcmp(src + text.end - 2, "}}", 2) == 0 &&
                                               memchr(src + text.start + 2, '{', len - 2) == NULL);
}

tmpl_span_t tmpl_text_for_machines(const tmpl_page_t *page, uint32_t node, tmpl_span_t rest)
{
    const char *src = page->src;
    tmpl_span_t machines = { rest.end, rest.end };
    if (is_placeholder(src, rest)) {
        machines.start = rest.start;
    }
    for (uint32_t at = rest.start, len; at < machines.start; at++) {
        const char *bracket = memchr(src + at, '[', machines.start - at);
        at = bracket != NULL ? (uint32_t)(bracket - src) : rest.end;
        len = shortcode_at(src + at, rest.end - at);
        machines = len > 0 ? (tmpl_span_t){ at, at + len } : machines;
    }
    return tmpl_span_len(machines) > 0 && is_in_code(page, node)
               ? (tmpl_span_t){ rest.end, rest.end }
               : machines;
}
