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
    const char *name, *state;
    unsaid_e when;
    uint32_t len;
} unsaid_t;

/* By their last letters. */
/* clang-format off */
#define N(name, when, state) { name, state, when, sizeof(name) - 1 }
static const unsaid_t unsaid[] = {
    N("icons-outlined", NEVER, ""), N("icons-round", NEVER, ""), N("symbols-outlined", NEVER, ""),
    N("symbols-rounded", NEVER, ""), N("price__badge-sale", WITHOUT, "price--on-sale"),
    N("price__sale", WITHOUT, "price--on-sale"), N("unit-price", NO_NUMBER, ""), N("vh", HEARD, ""),
    N("viewcode-link", NEVER, ""), N("viewcode-back", NEVER, ""), N("editsection", NEVER, ""),
    N("icon", AS_ICON, ""), N("visually-hidden", HEARD, ""), N("visuallyhidden", HEARD, ""),
    N("offscreen", HEARD, ""), N("tooltip", IN_HEADING, ""), N("tool-tip", IN_HEADING, ""),
    N("price__regular", WITHIN, "price--on-sale"), N("material-icons", NEVER, ""),
    N("price__badge-sold-out", WITHOUT, "price--sold-out"), N("tool-tip__content", IN_HEADING, ""),
    N("sr-text", HEARD, ""), N("screen-reader-text", HEARD, ""), N("sr-only", HEARD, "")
};
#undef N
/* clang-format on */

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
static int is_named(const char *src, tmpl_span_t word, const unsaid_t *name)
{
    const char *at = src + word.end - name->len;
    return tmpl_span_len(word) >= name->len && *at == *name->name &&
           memcmp(at, name->name, name->len) == 0 &&
           (at == src + word.start || at[-1] == '-' || at[-1] == '_');
}

/* Bytes: an attribute may be read for each text in its element. */
#define ATTR_LONGEST 1000

/* The first name that the class of an element has; NULL: none. */
static const unsaid_t *name_of(const tmpl_page_t *page, const tmpl_node_t *node)
{
    static const unsigned char may_be[TMPL_TAG_COUNT] = {
        [TMPL_TAG_SPAN] = 1,  [TMPL_TAG_DIV] = 1, [TMPL_TAG_P] = 1,      [TMPL_TAG_I] = 1,
        [TMPL_TAG_SMALL] = 1, [TMPL_TAG_B] = 1,   [TMPL_TAG_STRONG] = 1, [TMPL_TAG_OTHER] = 1,
    };
    /* the first name that ends in a letter, from 1 on */
    static const unsigned char ends[256] = {
        ['d'] = 1,  ['e'] = 5,  ['h'] = 8,  ['k'] = 9,  ['n'] = 11,
        ['p'] = 16, ['r'] = 18, ['s'] = 19, ['t'] = 20, ['y'] = 24
    };
    const tmpl_known_attr_t *class = may_be[node->tag] && (node->flags & TMPL_NODE_NAMED)
                                         ? tmpl_node_attr(page, node, TMPL_ATTR_CLASS)
                                         : NULL;
    if (class == NULL || tmpl_span_len(class->value) > ATTR_LONGEST) {
        return NULL;
    }
    tmpl_span_t word = { class->value.start, class->value.start };
    while (tmpl_word_next(&word, page->src, class->value)) {
        char end = page->src[word.end - 1];
        for (size_t i = ends[(unsigned char)end];
             i > 0 && i <= COUNT(unsaid) && unsaid[i - 1].name[unsaid[i - 1].len - 1] == end; i++) {
            if (is_named(page->src, word, &unsaid[i - 1])) {
                return &unsaid[i - 1];
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
    enum { LOOKED = 16, REFERENCE = 32 };
    text->len = 0;
    for (uint32_t s = node->first_segment;
         s < node->after_segment && s < node->first_segment + LOOKED; s++) {
        tmpl_span_t span = page->segments[s].span;
        const char *after = page->src + span.end;
        for (const char *at = page->src + span.start;
             at < after && page->src[span.start] != '<' && text->len < sizeof(text->at); at++) {
            apr_size_t left = (apr_size_t)(after - at);
            const char *end =
                *at == '&' ? memchr(at, ';', left < REFERENCE ? left : REFERENCE) : NULL;
            text->at[text->len++] = end != NULL ? ' ' : *at;
            at = end != NULL ? end : at;
        }
    }
}

/* Whether a byte begins a letter or a digit, or is a mark of ASCII. */
static int is_typed(char c)
{
    return c > ' ' || tmpl_is_of_word(c);
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
        if (has_char(&own, tmpl_is_of_word) && has_char(&other, tmpl_is_of_word) &&
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

/* Whether a text, but for brackets, names an editor or a source. */
static int is_of_tools(const start_t *text)
{
    static const char *const words[] = { "edit",        "edit source", "source",   "src",
                                         "view source", "bearbeiten",  "modifier", "editar",
                                         "modifica",    "bewerken",    "redigera", "edytuj" };
    tmpl_span_t word = { 0, text->len };
    while (word.start < word.end && strchr("[ \n", text->at[word.start]) != NULL) {
        word.start++;
    }
    while (word.start < word.end && strchr("] \n", text->at[word.end - 1]) != NULL) {
        word.end--;
    }
    size_t i = 0;
    while (i < COUNT(words) && !tmpl_span_is(text->at, word, words[i])) {
        i++;
    }
    return i < COUNT(words);
}

/* Whether what stands in front of a link is a heading, but for a bracket. */
static int is_behind_heading(const tmpl_page_t *page, const tmpl_node_t *link)
{
    uint32_t s = link->first_segment;
    s -= s > 0 && page->segments[s - 1].length == 1 &&
         page->src[page->segments[s - 1].span.end - 1] == '[';
    return s > 0 && (tmpl_tag_flags((tmpl_tag_e)page->nodes[page->segments[s - 1].node].tag) &
                     TMPL_IS_HEADING) != 0;
}

/* Whether a link leads from a heading to its editor, or to the source of what is documented. */
static int is_tool_link(const tmpl_page_t *page, const tmpl_node_t *link)
{
    static const char source[] = "src/";
    const tmpl_known_attr_t *href = tmpl_node_attr(page, link, TMPL_ATTR_HREF);
    const tmpl_known_attr_t *class = tmpl_node_attr(page, link, TMPL_ATTR_CLASS);
    if (href == NULL || tmpl_span_len(href->value) > ATTR_LONGEST ||
        (class != NULL && tmpl_span_len(class->value) > ATTR_LONGEST)) {
        return 0;
    }
    start_t text;
    const char *to = page->src + href->value.start;
    apr_size_t len = tmpl_span_len(href->value);
    int is = (len >= sizeof(source) && memcmp(to, source, sizeof(source) - 1) == 0) ||
             (class != NULL && tmpl_has_word(page->src, class->value, "src srclink link-seesrc",
                                             tmpl_span_is_any)) ||
             ((is_in(page, link, TMPL_TAG_H1) || is_behind_heading(page, link)) &&
              (memmem(to, len, "action=edit", 11) != NULL || memmem(to, len, "/edit/", 6) != NULL));
    if (is) {
        read_start(&text, page, link);
    }
    return is && is_of_tools(&text);
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

int tmpl_named_is_unsaid(const tmpl_page_t *page, const tmpl_node_t *node)
{
    const unsaid_t *name = name_of(page, node);
    return name != NULL ? is_unsaid(page, node, name)
                        : (node->tag == TMPL_TAG_SPAN && is_seen_only(page, node) &&
                           is_twin(page, node, 0)) ||
                              (tmpl_link_is_short(page, node) && is_tool_link(page, node));
}

/* What the class of an element says of screens or states that it is shown in; 0: nothing. */
static size_t screens_of(const tmpl_page_t *page, const tmpl_node_t *node)
{
    static const char *const words[] = { "obile", "esktop",  "ablet",  "idden",
                                         "-none", "isible-", "updated" };
    size_t i = COUNT(words);
    while (i > 0 && !tmpl_node_says(page, node, TMPL_ATTR_CLASS, words[i - 1])) {
        i--;
    }
    return i;
}

/* Whether the classes of two elements differ, and one says where it is shown. */
static int are_for_screens(const tmpl_page_t *page, const tmpl_node_t *a, const tmpl_node_t *b)
{
    const tmpl_known_attr_t *x = tmpl_node_attr(page, a, TMPL_ATTR_CLASS),
                            *y = tmpl_node_attr(page, b, TMPL_ATTR_CLASS);
    size_t one = screens_of(page, a), two = screens_of(page, b);
    return one != two || (one > 0 && tmpl_span_len(x->value) != tmpl_span_len(y->value));
}

const tmpl_node_t *tmpl_named_twin(const tmpl_page_t *page, const tmpl_node_t *node)
{
    enum { LEAST = 12 /* bytes that are said twice by no accident */ };
    /* rows, cells and items are equal without being twins */
    int may = node->tag == TMPL_TAG_P || !(tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_IMPLIED);
    uint32_t n = node->after_segment - node->first_segment, length = 0, same = 0;
    if (n == 0 || n > node->first_segment || !may) {
        return NULL;
    }
    const tmpl_segment_t *own = page->segments + node->first_segment, *before = own - n;
    if (before->text != own->text) {
        return NULL;
    }
    const tmpl_node_t *twin = node - 1;
    while (twin->depth > node->depth) {
        twin = &page->nodes[twin->parent];
    }
    /* the texts last: they may be long, and few siblings come so far */
    if (twin->depth != node->depth || twin->first_segment != node->first_segment - n ||
        !are_for_screens(page, twin, node) || tmpl_node_is_unsaid(page, twin)) {
        return NULL;
    }
    while (same < n && own[same].text == before[same].text) {
        length += own[same++].length;
    }
    return same == n && length >= LEAST ? twin : NULL;
}

const char tmpl_permalink_signs[] =
    "# \xC2\xA7 &sect; \xC2\xB6 &para; &#182; \xC3\x82\xC2\xB6 \xEF\x83\x81";

int tmpl_text_is_unsaid(const tmpl_page_t *page, const tmpl_segment_t *segment)
{
    enum { SHORT = 8 /* bytes of a sign */, CLIMB = 4, FEW = 64 /* all are compared for each */ };
    const tmpl_node_t *node = &page->nodes[segment->node];
    if (segment->length <= SHORT && node->tag == TMPL_TAG_A &&
        tmpl_span_is_any(page->src, segment->span, tmpl_permalink_signs)) {
        const tmpl_known_attr_t *href = tmpl_node_attr(page, node, TMPL_ATTR_HREF);
        return href != NULL && page->src[href->value.start] == '#';
    }
    const tmpl_node_t *block = &page->nodes[page->blocks[segment->block].node];
    int is = tmpl_node_is_unsaid(page, node);
    for (int up = 1; up < CLIMB && node > block && !is; up++) {
        is = (node->flags & TMPL_NODE_NAMED) && node->after_segment - node->first_segment <= FEW &&
             tmpl_named_twin(page, node) != NULL;
        node = &page->nodes[node->parent];
        is |= tmpl_node_is_unsaid(page, node);
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
    for (size_t i = 0; end != NULL && i < COUNT(names); i++) {
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

/*
 * Whether a text is one name in the braces of a template that a script fills, or the state of
 * something that a script loads or sends.
 */
static int is_of_script(const char *at, uint32_t len)
{
    static const char *const states[] = { "Loading",    "Laden",    "Wird geladen", "Chargement",
                                          "Carregando", "Cargando", "Caricamento" };
    static const char oops[] = "Oops! Something went wrong";
    enum { LONGEST = 80, SPACE = 80 };
    size_t i = 0;
    if (len >= sizeof(oops) - 1 && memcmp(at, oops, sizeof(oops) - 1) == 0) {
        return 1;
    }
    while (i < COUNT(states) && (len <= strlen(states[i]) || len > LONGEST + SPACE ||
                                 memcmp(at, states[i], strlen(states[i])) != 0)) {
        i++;
    }
    int is_name = len > 4 && memcmp(at, "{{", 2) == 0 && memchr(at + 2, '{', len - 2) == NULL;
    if (i == COUNT(states) && !is_name) {
        return 0;
    }
    /* last, for a text with many shortcodes asks of each rest */
    while (tmpl_is_space(at[len - 1])) {
        len--;
    }
    const char *end = at + len;
    return is_name ? len > 4 && memcmp(end - 2, "}}", 2) == 0
                   : len <= LONGEST &&
                         (end[-1] == '.' || memcmp(end - 3, "\xE2\x80\xA6", 3) == 0 ||
                          memcmp(end - 3, "ip;", 3) == 0 || memcmp(end - 3, "30;", 3) == 0);
}

/* Whether a text is a bracket around a link that is not said. */
static int is_bracket(const tmpl_page_t *page, uint32_t node, const char *at, uint32_t len)
{
    enum { LOOKED = 16 /* elements: each text in the element may ask */ };
    uint32_t i = node + 1, after = page->nodes[node].after;
    after = after < i + LOOKED ? after : i + LOOKED;
    while (len == 1 && i < after && page->nodes[i].tag != TMPL_TAG_A) {
        i++;
    }
    return len == 1 && (*at == '[' || *at == ']') && i < after &&
           tmpl_link_is_short(page, &page->nodes[i]) && is_tool_link(page, &page->nodes[i]);
}

tmpl_span_t tmpl_text_for_machines(const tmpl_page_t *page, uint32_t node, tmpl_span_t rest)
{
    const char *src = page->src, *bracket;
    tmpl_span_t machines = { rest.end, rest.end };
    uint32_t at = tmpl_behind_space(src, rest.start, rest.end), len;
    if (at < rest.end && (is_of_script(src + at, rest.end - at) ||
                          is_bracket(page, node, src + at, rest.end - at))) {
        machines.start = rest.start;
    }
    while (at < machines.start && (bracket = memchr(src + at, '[', machines.start - at)) != NULL) {
        at = (uint32_t)(bracket - src);
        len = shortcode_at(bracket, rest.end - at);
        machines = len > 0 ? (tmpl_span_t){ at, at + len } : machines;
        at++;
    }
    return tmpl_span_len(machines) > 0 && is_in_code(page, node)
               ? (tmpl_span_t){ rest.end, rest.end }
               : machines;
}
