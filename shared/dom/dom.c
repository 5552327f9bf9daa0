/* SPDX-License-Identifier: Apache-2.0 */
#include "dom/dom.h"

#include <string.h>

#include <apr_strings.h>

#include "dom/dom_nodes.h"
#include "html/attr.h"
#include "html/tag.h"
#include "text/text.h"

/* What tmpl_dom_attribute() reads attributes from: _private of a document. */
typedef struct {
    const tmpl_page_t *page;
    tmpl_decoder_t decoder;
    int on_demand;
    tmpl_buf_t value;
} dom_source_t;

/* Whether a text joins nothing: editors write a zero width joiner into an empty paragraph. */
static int is_lone_joiner(const char *text)
{
    static const char joiner[] = "\xE2\x80\x8D";
    while (strncmp(text, joiner, sizeof(joiner) - 1) == 0) {
        text += sizeof(joiner) - 1;
    }
    return *text == '\0';
}

/* Whether an element is in a line with what is beside it. */
static int is_line_node(const tmpl_node_t *node)
{
    tmpl_tag_e tag = (tmpl_tag_e)node->tag;
    return (tmpl_tag_flags(tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART | TMPL_IS_NEVER_EDIT)) == 0 &&
           tag != TMPL_TAG_BR;
}

/* Whether white space beside a node, or in front of its content, is displayed: it is in a line. */
static int is_in_line(const tmpl_dom_maker_t *m, const xmlNode *node)
{
    return node->type != XML_ELEMENT_NODE || is_line_node(&m->page->nodes[tmpl_dom_node(node)]);
}

/* Drops a sign at the end of a line, unless it says something. */
static void drop_sign(tmpl_dom_maker_t *m, const xmlNode *parent)
{
    tmpl_tag_e tag = tmpl_dom_table_tag(m->page, parent);
    if (tag != TMPL_TAG_TD && tag != TMPL_TAG_TH &&
        !tmpl_text_says_sign(m->page, tmpl_dom_node(parent))) {
        tmpl_text_drop_sign(&m->run, 0, parent->last == NULL || !is_in_line(m, parent->last));
    }
}

/* Adds the run of text, if there is one. ends: a line ends behind it. */
static void add_run(tmpl_dom_maker_t *m, xmlNode *parent, int ends)
{
    char last = m->run.len > 0 ? m->run.at[m->run.len - 1] : '.';
    if (ends && m->opts->content && m->pre == 0 && last != '.' && !tmpl_is_of_word(last)) {
        drop_sign(m, parent);
    }
    if (m->run.len == 0) {
        return;
    }
    int is_text = !m->opts->content || !is_lone_joiner(m->run.at);
    xmlNode *text = is_text ? tmpl_dom_add_text(m, parent, &m->run) : NULL;
    if (text != NULL) {
        text->_private = (void *)(uintptr_t)m->first;
    }
    tmpl_buf_clear(&m->run);
    m->first = 0;
}

/* Adds a script to head if it is wanted there. */
static void add_data(tmpl_dom_maker_t *m, xmlNode *head, tmpl_span_t open, tmpl_span_t content)
{
    enum { LONGEST = 256 * 1024 };
    const char *src = m->page->src;
    tmpl_attr_t type;
    if (!m->opts->content || content.start >= content.end || tmpl_span_len(content) > LONGEST ||
        !tmpl_attr_find(&type, src, open, "type") ||
        !tmpl_span_is(src, type.value, "application/ld+json")) {
        return;
    }
    xmlNode *script =
        tmpl_dom_add_element(m, head, TMPL_TAG_SCRIPT, (tmpl_span_t){ 0, 0 }, TMPL_NONE);
    if (script != NULL) {
        tmpl_dom_add_raw(m, script, content);
    }
}

/* Adds the data in an element that is left out: the page says them of itself. */
static void add_data_within(tmpl_dom_maker_t *m, xmlNode *head, uint32_t node)
{
    const tmpl_node_t *nodes = m->page->nodes;
    for (uint32_t i = node; m->opts->content && i < nodes[node].after; i++) {
        if (nodes[i].tag == TMPL_TAG_SCRIPT) {
            add_data(m, head, nodes[i].open,
                     (tmpl_span_t){ nodes[i].open.end, nodes[i].close.start });
        }
    }
}

/* Whether the node is a formula: MathML, or a script of MathJax. */
static int is_formula(const tmpl_dom_maker_t *m, const tmpl_node_t *node)
{
    static const char tex[] = "math/tex";
    tmpl_attr_t type;
    return node->tag == TMPL_TAG_MATH ||
           (node->tag == TMPL_TAG_SCRIPT &&
            tmpl_attr_find(&type, m->page->src, node->open, "type") &&
            tmpl_span_len(type.value) >= strlen(tex) &&
            memcmp(m->page->src + type.value.start, tex, strlen(tex)) == 0);
}

/* Adds an element whose text is not displayed, if it is wanted. */
static void add_quiet(tmpl_dom_maker_t *m, xmlNode *parent, xmlNode *head, uint32_t node)
{
    const tmpl_node_t *n = &m->page->nodes[node];
    tmpl_span_t content = { n->open.end, n->close.start };
    if (n->tag == TMPL_TAG_SCRIPT && !is_formula(m, n)) {
        add_data(m, head, n->open, content);
        return;
    }
    if (!is_formula(m, n) && n->tag != TMPL_TAG_IFRAME) {
        return;
    }
    add_run(m, parent, 0);
    xmlNode *script = tmpl_dom_add_element(m, parent, (tmpl_tag_e)n->tag, n->open, node);
    if (script != NULL && n->tag == TMPL_TAG_SCRIPT && content.start < content.end) {
        tmpl_dom_add_raw(m, script, content);
    }
}

/* The offset behind the tag, or behind what HTML reads as a comment: "<?" and the like. */
static uint32_t tag_end(const char *src, uint32_t at, uint32_t end)
{
    uint32_t name = at + 1 + (at + 1 < end && src[at + 1] == '/');
    if (name >= end || !tmpl_is_alpha(src[name])) {
        const char *last = memchr(src + at, '>', end - at);
        return last != NULL ? (uint32_t)(last - src) + 1 : end;
    }
    uint32_t behind = tmpl_tag_name_end(src, end, name);
    tmpl_attr_t attr;
    tmpl_attr_e last;
    /* values of attributes may have a '>' */
    while ((last = tmpl_attr_next(&attr, src, end, &behind)) == TMPL_ATTR_FOUND) {
    }
    return last != TMPL_ATTR_TRUNCATED ? behind : end;
}

/* The offset behind the comment or tag that begins at the offset at. */
static uint32_t pass_tag(const char *src, uint32_t at, uint32_t end)
{
    if (end - at >= 4 && memcmp(src + at, "<!--", 4) == 0) {
        const char *last = memmem(src + at + 4, end - at - 4, "-->", 3);
        return last != NULL ? (uint32_t)(last - src) + 3 : end;
    }
    return tag_end(src, at, end);
}

static void add_head(tmpl_dom_maker_t *m, xmlNode *html)
{
    const tmpl_page_t *page = m->page;
    xmlNode *head = tmpl_dom_add_element(m, html, TMPL_TAG_HEAD, (tmpl_span_t){ 0, 0 }, TMPL_NONE);
    for (uint32_t i = 0; i < page->n_head && !m->full; i++) {
        const tmpl_head_tag_t *tag = &page->head[i];
        if (tag->tag == TMPL_TAG_HTML) {
            tmpl_dom_give_tag(m, html, tag->open);
        }
        else if (tag->tag == TMPL_TAG_SCRIPT) {
            add_data(m, head, tag->open, tag->content);
        }
        else {
            tmpl_dom_add_element(m, head, tag->tag, tag->open, TMPL_NONE);
        }
    }
    if (tmpl_span_len(page->title) > 0 && !m->full) {
        xmlNode *title =
            tmpl_dom_add_element(m, head, TMPL_TAG_TITLE, (tmpl_span_t){ 0, 0 }, TMPL_NONE);
        if (title != NULL) {
            tmpl_dom_add_span(m, title, page->title, TMPL_IN_TEXT);
        }
    }
}

static void add_dom_gap(tmpl_dom_maker_t *m, xmlNode *parent, uint32_t at)
{
    const char *src = m->page->src;
    const tmpl_buf_t *run = &m->run;
    if (m->hidden) {
        m->hidden = 0;
        m->at = at;
    }
    while (m->at < at) {
        const char *tag = memchr(src + m->at, '<', at - m->at);
        tmpl_span_t space = { m->at, tag != NULL ? (uint32_t)(tag - src) : at };
        m->at = tag != NULL ? pass_tag(src, space.end, at) : at;
        if (m->pre != 0) {
            tmpl_dom_decode(&m->run, m->opts->decoder, m->page, space, TMPL_IN_TEXT);
        }
        else if (tmpl_span_len(space) > 0 &&
                 (run->len > 0 ? run->at[run->len - 1] != ' '
                               : is_in_line(m, parent->last != NULL ? parent->last : parent))) {
            tmpl_buf_add(&m->run, " ", 1);
        }
    }
}

/*
 * Adds the text between the last tag or text and the byte at: it is white space, because it is no
 * segment. Outside a pre it becomes one space.
 */
static inline void add_dom_space(tmpl_dom_maker_t *m, xmlNode *parent, uint32_t at)
{
    if (m->at < at) {
        add_dom_gap(m, parent, at);
    }
}

/* Whether the byte is in a part that is left out; if so, skips that part. */
static int is_out(tmpl_dom_maker_t *m, uint32_t at)
{
    const tmpl_dom_opts_t *opts = m->opts;
    while (m->cut < opts->n_without && opts->without[m->cut].end <= at) {
        m->cut++;
    }
    if (m->cut == opts->n_without || opts->without[m->cut].start > at) {
        return 0;
    }
    m->at = opts->without[m->cut].end > m->at ? opts->without[m->cut].end : m->at;
    return 1;
}

/* Adds the text of a segment without what it has for machines. */
static void add_for_readers(tmpl_dom_maker_t *m, const tmpl_segment_t *segment)
{
    tmpl_span_t rest = segment->span;
    for (tmpl_span_t machines; rest.start < rest.end; rest.start = machines.end) {
        machines = tmpl_text_for_machines(m->page, segment->node, rest);
        tmpl_dom_decode(&m->run, m->opts->decoder, m->page,
                        (tmpl_span_t){ rest.start, machines.start }, TMPL_IN_TEXT);
    }
}

static void add_dom_segment(tmpl_dom_maker_t *m, xmlNode *parent, const tmpl_segment_t *segment)
{
    /* the segments of images and empty links are spans of a tag */
    if (segment->span.start < m->page->nodes[segment->node].open.end) {
        return;
    }
    add_dom_space(m, parent, segment->span.start);
    if (is_out(m, segment->span.start)) {
        return;
    }
    if (segment->boxed && m->pre == 0) {
        tmpl_buf_add(&m->run, " ", 1);
    }
    apr_size_t before = m->run.len;
    if (m->opts->content && tmpl_text_may_be_for_machines(m->page->src, segment->span)) {
        add_for_readers(m, segment);
    }
    else {
        tmpl_dom_decode(&m->run, m->opts->decoder, m->page, segment->span, TMPL_IN_TEXT);
    }
    if (m->first == 0 && m->run.len > before) {
        m->first = (uint32_t)(segment - m->page->segments) + 1;
    }
    m->at = segment->span.end;
}

tmpl_tag_e tmpl_dom_table_role(const tmpl_page_t *page, const tmpl_node_t *node)
{
    static const struct {
        const char *role;
        tmpl_tag_e tag;
    } roles[] = { { "table", TMPL_TAG_TABLE },     { "rowgroup", TMPL_TAG_TBODY },
                  { "row", TMPL_TAG_TR },          { "cell", TMPL_TAG_TD },
                  { "columnheader", TMPL_TAG_TH }, { "rowheader", TMPL_TAG_TH } };
    const tmpl_known_attr_t *role = tmpl_node_attr(page, node, TMPL_ATTR_ROLE);
    for (size_t i = 0; role != NULL && i < sizeof(roles) / sizeof(roles[0]); i++) {
        if (tmpl_span_is(page->src, role->value, roles[i].role)) {
            return roles[i].tag;
        }
    }
    return (tmpl_tag_e)node->tag;
}

/* Whether a class has a word that Markdown needs: of formulas, footnotes and numbers of lines. */
static int is_class_kept(const char *src, tmpl_span_t class)
{
    static const char *const begins[] = { "katex",           "mathjax", "math-",    "mwe-math",
                                          "footnote",        "fn",      "sidenote", "marginnote",
                                          "lineno",          "line-nu", "line_nu",  "linenu",
                                          "inline-footnote", "ln" };
    static const unsigned char first[256] = {
        ['k'] = 1, ['m'] = 1, ['M'] = 1, ['f'] = 1, ['s'] = 1, ['l'] = 1, ['i'] = 1
    };
    tmpl_span_t word = { class.start, class.start };
    while (tmpl_word_next(&word, src, class)) {
        for (apr_size_t i = 0;
             first[(unsigned char)src[word.start]] && i < sizeof(begins) / sizeof(begins[0]); i++) {
            apr_size_t len = strlen(begins[i]);
            if (tmpl_lower(src[word.start]) == *begins[i] && tmpl_span_len(word) >= len &&
                apr_cstr_casecmpn(src + word.start, begins[i], len) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

/*
 * Whether a span is left out, but not its content. Most spans only have a class: on pages with
 * highlighted code they are four of five elements.
 */
static int is_bare(const tmpl_dom_maker_t *m, uint32_t node)
{
    const tmpl_node_t *nodes = m->page->nodes;
    const char *src = m->page->src;
    tmpl_attr_t said;
    if (!m->opts->content || nodes[node].tag != TMPL_TAG_SPAN) {
        return 0;
    }
    const tmpl_known_attr_t *class = tmpl_node_attr(m->page, &nodes[node], TMPL_ATTR_CLASS);
    if (class != NULL && (is_class_kept(src, class->value) ||
                          (m->pre != 0 && tmpl_node_is_line(m->page, &nodes[node])))) {
        return 0;
    }
    if (m->opts->languages && (tmpl_attr_find(&said, src, nodes[node].open, "lang") ||
                               tmpl_attr_find(&said, src, nodes[node].open, "dir"))) {
        return 0;
    }
    /* a footnote may begin with a span that is its label */
    int begins = nodes[node].parent == node - 1;
    const tmpl_known_attr_t *attr = m->page->attrs + nodes[node].attrs;
    while (attr->value.start < nodes[node].open.end && attr->name != TMPL_ATTR_ID &&
           attr->name != TMPL_ATTR_ROLE) {
        attr++;
    }
    return attr->value.start >= nodes[node].open.end &&
           !(begins && tmpl_node_attr(m->page, &nodes[node - 1], TMPL_ATTR_ID) != NULL);
}

/* Whether a node is of a part that is left out; if it has no content, skips it. */
static int is_left_out(tmpl_dom_maker_t *m, uint32_t node)
{
    const tmpl_node_t *n = &m->page->nodes[node];
    int is = m->opts->parts != NULL && (m->opts->left_out >> m->opts->parts[node] & 1);
    if (is && (tmpl_tag_flags((tmpl_tag_e)n->tag) & TMPL_IS_VOID) && m->at < n->open.end) {
        m->at = n->open.end;
    }
    return is;
}

/* Whether the element in front of a node says what the node says, and is all there. */
static int is_said_before(const tmpl_dom_maker_t *m, const tmpl_node_t *node)
{
    const tmpl_node_t *twin = tmpl_node_twin(m->page, node);
    return twin != NULL && (m->cut == 0 || m->opts->without[m->cut - 1].end <= twin->open.start);
}

/* What an icon says that is an element without a text; an empty span: nothing. */
static tmpl_span_t label_of_icon(const tmpl_page_t *page, const tmpl_node_t *icon)
{
    static const char *const names[] = { "aria-label", "title" };
    tmpl_span_t inside = { icon->open.end, icon->close.start };
    tmpl_attr_t label;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (tmpl_attr_find(&label, page->src, icon->open, names[i])) {
            return label.value;
        }
    }
    if (icon->tag != TMPL_TAG_SVG || inside.start >= inside.end) {
        return (tmpl_span_t){ 0, 0 };
    }
    const char *behind = page->src + inside.end;
    const char *title = memmem(page->src + inside.start, tmpl_span_len(inside), "<title", 6);
    const char *open = title != NULL ? memchr(title, '>', (apr_size_t)(behind - title)) : NULL;
    const char *text = open != NULL ? open + 1 : behind;
    const char *end = memchr(text, '<', (apr_size_t)(behind - text));
    return (tmpl_span_t){ (uint32_t)(text - page->src),
                          (uint32_t)((end != NULL ? end : text) - page->src) };
}

/* The sign for an icon whose class says yes or no; NULL: it says neither. */
static const char *sign_of_icon(const tmpl_page_t *page, const tmpl_node_t *icon)
{
    static const char yes[] = "fa-check fa-check-circle bi-check check-icon icon-check";
    static const char no[] = "fa-times fa-xmark fa-close bi-x cross-icon icon-cross icon-close";
    const tmpl_known_attr_t *class = tmpl_node_attr(page, icon, TMPL_ATTR_CLASS);
    return class == NULL                                                   ? NULL
           : tmpl_has_word(page->src, class->value, yes, tmpl_span_is_any) ? "\xE2\x9C\x93"
           : tmpl_has_word(page->src, class->value, no, tmpl_span_is_any)  ? "\xE2\x9C\x97"
                                                                           : NULL;
}

/* Adds what the icons in a cell say that has no text. */
static void add_icons(tmpl_dom_maker_t *m, uint32_t cell)
{
    enum { WITHIN = 8 };
    const tmpl_node_t *nodes = m->page->nodes;
    for (uint32_t i = cell + 1; i < nodes[cell].after && i <= cell + WITHIN; i++) {
        if (nodes[i].tag != TMPL_TAG_I && nodes[i].tag != TMPL_TAG_SPAN &&
            nodes[i].tag != TMPL_TAG_SVG) {
            continue;
        }
        tmpl_span_t label = label_of_icon(m->page, &nodes[i]);
        const char *sign = sign_of_icon(m->page, &nodes[i]);
        if (tmpl_span_len(label) > 0) {
            tmpl_dom_decode(&m->run, m->opts->decoder, m->page, label, TMPL_IN_ATTRIBUTE);
        }
        else if (sign != NULL) {
            tmpl_buf_add_text(&m->run, sign);
        }
        i = nodes[i].tag == TMPL_TAG_SVG ? nodes[i].after - 1 : i;
    }
}

/* Adds the elements and texts in body. */
static void add_dom_body(tmpl_dom_maker_t *m, xmlNode *body)
{
    const tmpl_page_t *page = m->page;
    xmlNode *parent = body;
    uint32_t open = 0, node = 1, segment = 0;
    m->at = page->nodes[0].open.end;
    while (!m->full) {
        const tmpl_node_t *up = &page->nodes[open];
        uint32_t text_at =
            segment < up->after_segment ? page->segments[segment].span.start : TMPL_NONE;
        if (node < up->after && page->nodes[node].open.start <= text_at) {
            const tmpl_node_t *n = &page->nodes[node];
            add_dom_space(m, parent, n->open.start);
            int out = is_out(m, n->open.start) || is_left_out(m, node) ||
                      (m->opts->content && (tmpl_node_is_unsaid(page, n) || is_said_before(m, n)));
            if (out || (m->opts->content && n->flags & TMPL_NODE_QUIET)) {
                if (out) {
                    add_data_within(m, body->prev, node);
                }
                else {
                    add_quiet(m, parent, body->prev, node);
                }
                node = n->after;
                segment = n->after_segment;
                m->hidden = tmpl_span_len(n->close) == 0 && m->at < n->open.end;
                m->at = n->close.end > m->at ? n->close.end : m->at;
                continue;
            }
            if (!is_bare(m, node)) {
                add_run(m, parent, !is_line_node(n));
                parent = tmpl_dom_add_element(m, parent, (tmpl_tag_e)n->tag, n->open, node);
            }
            if (m->pre == 0 && tmpl_node_is_listing(page, n)) {
                m->pre = node;
            }
            if (n->tag == TMPL_TAG_TD && m->opts->content && n->first_segment == n->after_segment) {
                add_icons(m, node);
            }
            m->at = n->open.end;
            open = node++;
        }
        else if (text_at != TMPL_NONE) {
            add_dom_segment(m, parent, &page->segments[segment++]);
        }
        else if (open == 0) {
            add_run(m, parent, 1);
            return;
        }
        else {
            add_dom_space(m, parent, tmpl_span_len(up->close) > 0 ? up->close.start : m->at);
            m->at = up->close.end > m->at ? up->close.end : m->at;
            m->pre = m->pre == open ? 0 : m->pre;
            if (tmpl_dom_node(parent) == open) {
                add_run(m, parent, !is_line_node(up));
                parent = parent->parent;
            }
            open = up->parent;
        }
    }
}

xmlDoc *tmpl_dom(const tmpl_page_t *page, const tmpl_dom_opts_t *opts, apr_pool_t *pool)
{
    tmpl_dom_maker_t m = {
        .page = page, .opts = opts, .left = tmpl_page_memory(page->len), .pool = pool
    };
    m.doc = apr_pcalloc(pool, sizeof(*m.doc));
    m.doc->type = XML_DOCUMENT_NODE;
    m.doc->doc = m.doc;
    dom_source_t *source = apr_palloc(pool, sizeof(*source));
    *source = (dom_source_t){ page, *opts->decoder, .on_demand = opts->content };
    tmpl_buf_init(&source->value, pool);
    m.doc->_private = source;
    tmpl_buf_init(&m.text, pool);
    tmpl_buf_init(&m.run, pool);
    xmlNode *html =
        tmpl_dom_add_element(&m, (xmlNode *)m.doc, TMPL_TAG_HTML, (tmpl_span_t){ 0, 0 }, TMPL_NONE);
    if (html != NULL) {
        add_head(&m, html);
        xmlNode *body = tmpl_dom_add_element(&m, html, TMPL_TAG_BODY, page->nodes[0].open, 0);
        if (body != NULL) {
            add_dom_body(&m, body);
        }
    }
    return m.full ? NULL : m.doc;
}

/* Adds the elements and texts of a span in which each element has an end tag. */
static void add_content(tmpl_dom_maker_t *m, xmlNode *root, tmpl_span_t span)
{
    const char *src = m->page->src;
    xmlNode *parent = root;
    for (uint32_t at = span.start, behind; at < span.end && !m->full; at = behind) {
        const char *tag = memchr(src + at, '<', span.end - at);
        uint32_t start = tag != NULL ? (uint32_t)(tag - src) : span.end;
        if (at < start) {
            tmpl_dom_add_span(m, parent, (tmpl_span_t){ at, start }, TMPL_IN_TEXT);
        }
        behind = start < span.end ? pass_tag(src, start, span.end) : span.end;
        if (start + 1 < span.end && src[start + 1] == '/') {
            parent = parent != root ? parent->parent : root;
        }
        else if (start + 1 < span.end && tmpl_is_alpha(src[start + 1])) {
            xmlNode *added = tmpl_dom_add_element(m, parent, TMPL_TAG_OTHER,
                                                  (tmpl_span_t){ start, behind }, TMPL_NONE);
            parent = added == NULL || src[behind - 2] == '/' ? parent : added;
        }
    }
}

const xmlNode *tmpl_dom_math(const xmlNode *math, apr_pool_t *pool)
{
    enum { LONGEST = 64 * 1024, NODES = 40 /* bytes of nodes for a byte of tags */ };
    const dom_source_t *source = math->doc->_private;
    const tmpl_node_t *node = &source->page->nodes[tmpl_dom_node(math)];
    tmpl_span_t content = { node->open.end, node->close.start };
    if (content.start >= content.end || tmpl_span_len(content) > LONGEST) {
        return NULL;
    }
    tmpl_dom_opts_t opts = { .decoder = &source->decoder };
    tmpl_dom_maker_t m = { .page = source->page, .opts = &opts, .doc = math->doc, .pool = pool };
    m.left = NODES * (uint64_t)tmpl_span_len(content) + 4096;
    tmpl_buf_init(&m.text, pool);
    xmlNode top = { .type = XML_DOCUMENT_NODE };
    xmlNode *root = tmpl_dom_add_element(&m, &top, TMPL_TAG_MATH, node->open, TMPL_NONE);
    if (root == NULL) {
        return NULL;
    }
    root->parent = NULL;
    add_content(&m, root, content);
    return m.full ? NULL : root;
}

/* The start tag of an element around body; it ends somewhere in the span. */
static tmpl_span_t head_tag(const tmpl_page_t *page, const xmlNode *element)
{
    return (tmpl_span_t){ (uint32_t)(uintptr_t)element->psvi - 1, (uint32_t)page->len };
}

static const char *value_of(dom_source_t *source, tmpl_span_t value)
{
    tmpl_buf_clear(&source->value);
    tmpl_dom_decode(&source->value, &source->decoder, source->page, value, TMPL_IN_ATTRIBUTE);
    return apr_pstrmemdup(source->value.pool, source->value.at, source->value.len);
}

const char *tmpl_dom_attribute(const xmlNode *element, const char *name)
{
    dom_source_t *source = element->doc->_private;
    uint32_t node = tmpl_dom_node(element);
    tmpl_attr_t attr;
    if (!source->on_demand || (node == TMPL_NONE && element->psvi == NULL)) {
        return tmpl_dom_stored(element, name);
    }
    tmpl_span_t open =
        node != TMPL_NONE ? source->page->nodes[node].open : head_tag(source->page, element);
    if (tmpl_span_len(open) == 0 || !tmpl_attr_find(&attr, source->page->src, open, name)) {
        return NULL;
    }
    return value_of(source, attr.value);
}

const char *tmpl_dom_listed(const xmlNode *element, tmpl_attr_name_e name)
{
    dom_source_t *source = element->doc->_private;
    const tmpl_page_t *page = source->page;
    const tmpl_known_attr_t *attr =
        tmpl_node_attr(page, &page->nodes[tmpl_dom_node(element)], name);
    return attr != NULL ? value_of(source, attr->value) : NULL;
}

xmlNode *tmpl_dom_next(const xmlNode *node, const xmlNode *top, int over)
{
    if (!over && node->type == XML_ELEMENT_NODE && node->children != NULL) {
        return node->children;
    }
    while (node != top && node->next == NULL) {
        node = node->parent;
    }
    return node != top ? node->next : NULL;
}
