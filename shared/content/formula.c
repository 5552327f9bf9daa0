/* SPDX-License-Identifier: Apache-2.0 */
#include "content/element_kinds.h"

#include <string.h>

#include <apr_strings.h>
#include <libxml/uri.h>

#include "base/ascii.h"
#include "html/attr.h"

/*
 * TeX in one line, from pool. Signs that Markdown would read are written in another way that TeX
 * reads alike: readers that do not know formulas must find no HTML, link, code or note in them.
 */
static const char *clean_tex(const char *tex, apr_size_t len, apr_pool_t *pool)
{
    tmpl_buf_t out;
    int in_text = 0; /* in a formula within the words of a formula */
    tmpl_buf_init(&out, pool);
    for (apr_size_t i = 0; i < len; i++) {
        char c = tex[i], next = i + 1 < len ? tex[i + 1] : '\0';
        if (c == '\\' && next != '\0' && !tmpl_is_space(next) && next != '<' && next != '`') {
            tmpl_buf_add(&out, tex + i++, 2);
        }
        else if (tmpl_is_space(c) || (unsigned char)c < ' ') {
            tmpl_buf_add(&out, " ", (apr_size_t)(out.len > 0 && out.at[out.len - 1] != ' '));
        }
        else if (c == '%') {
            while (i + 1 < len && tex[i + 1] != '\n') {
                i++; /* a comment */
            }
        }
        else if (c == '$') {
            in_text = !in_text;
            tmpl_buf_add_text(&out, in_text ? "\\(" : "\\)");
        }
        else if (c == '<' || c == '>') {
            tmpl_buf_add_text(&out, c == '<' ? "\\lt " : "\\gt ");
        }
        else {
            tmpl_buf_add_byte(&out, c == '`' ? '\'' : c);
            int splits = (c == ']' && (next == '(' || next == '[' || next == ':')) ||
                         (c == '[' && next == '^') ||
                         (c == '&' && (tmpl_is_alnum(next) || next == '#'));
            tmpl_buf_add(&out, " ", (apr_size_t)splits);
        }
    }
    while (out.len > 0 && out.at[out.len - 1] == ' ' &&
           (out.len < 2 || out.at[out.len - 2] != '\\')) {
        out.at[--out.len] = '\0';
    }
    return out.len > 0 ? out.at : NULL;
}

/* The same, without what Wikipedia writes around a formula. */
static void set_tex(tmpl_formula_t *formula, const char *tex, apr_pool_t *pool)
{
    static const char display[] = "{\\displaystyle ";
    tex += strspn(tex, " \t\n\r\f");
    apr_size_t len = strlen(tex);
    if (strncmp(tex, display, strlen(display)) == 0 && tex[len - 1] == '}') {
        tex += strlen(display);
        len -= strlen(display) + 1;
    }
    formula->tex = clean_tex(tex, len, pool);
}

static int is_attribute(const xmlNode *element, const char *name, const char *value)
{
    const char *is = tmpl_dom_attribute(element, name);
    return is != NULL && strstr(is, value) != NULL;
}

/* The text of the first annotation in TeX; NULL if there is none. */
static const char *annotation_in(const xmlNode *math)
{
    const xmlNode *node = math;
    while (node != NULL && (node->type != XML_ELEMENT_NODE || node->children == NULL ||
                            strcmp((const char *)node->name, "annotation") != 0 ||
                            !is_attribute(node, "encoding", "tex"))) {
        node = tmpl_dom_next(node, math, 0);
    }
    return node != NULL && node->children->type == XML_TEXT_NODE
               ? (const char *)node->children->content
               : NULL;
}

static void read_math(tmpl_formula_t *formula, const xmlNode *math, apr_pool_t *pool)
{
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    const xmlNode *content = tmpl_dom_math(math, scratch);
    const char *tex = content != NULL ? annotation_in(content) : NULL;
    if (tex == NULL) {
        tex = tmpl_dom_attribute(math, "alttext");
    }
    if (tex == NULL && content != NULL) {
        tmpl_buf_t buf;
        tmpl_buf_init(&buf, scratch);
        tmpl_mathml_write(&buf, content);
        tex = buf.len > 0 ? buf.at : NULL;
    }
    set_tex(formula, tex != NULL ? tex : "", pool);
    apr_pool_destroy(scratch);
    formula->display |=
        is_attribute(math, "display", "block") || is_attribute(math, "display", "true");
}

static int is_tex_script(const tmpl_page_t *page, const xmlNode *node)
{
    return node != NULL && tmpl_dom_tag(page, node) == TMPL_TAG_SCRIPT;
}

static void read_tex_script(tmpl_formula_t *formula, const xmlNode *script, apr_pool_t *pool)
{
    set_tex(formula, script->children != NULL ? (const char *)script->children->content : "", pool);
    formula->display |= is_attribute(script, "type", "mode=display");
}

/* The TeX in an address, as in ".../latex.php?latex=%5Cfrac%7B1%7D2&bg=0"; NULL: there is none. */
static const char *tex_in_address(const char *address, apr_pool_t *pool)
{
    const char *code = strstr(address, "%5C");
    const char *start = code != NULL ? code : strstr(address, "latex=");
    if (start == NULL) {
        return NULL;
    }
    start = code != NULL ? start : start + strlen("latex=");
    while (start > address && strchr("/?=&", start[-1]) == NULL) {
        start--;
    }
    char *part = apr_pstrmemdup(pool, start, strcspn(start, "&"));
    for (char *plus = part; memchr(address, '?', (apr_size_t)(start - address)) != NULL &&
                            (plus = strchr(plus, '+')) != NULL;) {
        *plus = ' ';
    }
    return xmlURIUnescapeString(part, 0, apr_palloc(pool, strlen(part) + 1));
}

static int is_image_formula(tmpl_formula_t *formula, const xmlNode *image, apr_pool_t *pool)
{
    const char *alt = tmpl_dom_attribute(image, "alt");
    const char *tex = alt;
    if (alt == NULL || *alt == '\0') {
        const char *address = tmpl_dom_listed(image, TMPL_ATTR_SRC);
        tex = address != NULL ? tex_in_address(address, pool) : NULL;
    }
    else if (!is_attribute(image, "class", "latex") && !is_attribute(image, "class", "mwe-math") &&
             !(*alt == '\\' && strchr(alt, '{') != NULL)) {
        tex = NULL;
    }
    if (tex != NULL) {
        set_tex(formula, tex, pool);
    }
    return formula->tex != NULL;
}

/* Whether an element's class says that it holds one formula. */
static int is_named_formula(const tmpl_page_t *page, const xmlNode *element,
                            tmpl_formula_t *formula)
{
    static const char in_line[] = "katex mathjax mathjax_preview mathjax_svg mathjax_chtml "
                                  "mwe-math-element math-inline";
    static const char display[] =
        "katex-display mathjax_display mathjax_svg_display math-block math-display";
    const char *src = page->src;
    const tmpl_node_t *node = &page->nodes[tmpl_dom_node(element)];
    const tmpl_known_attr_t *class = tmpl_node_attr(page, node, TMPL_ATTR_CLASS);
    tmpl_span_t word = { 0, 0 };
    if (class == NULL) {
        return 0;
    }
    word.start = word.end = class->value.start;
    while (tmpl_word_next(&word, src, class->value)) {
        int may_be = tmpl_lower(src[word.start]) == 'k' || tmpl_lower(src[word.start]) == 'm';
        formula->display = may_be && tmpl_span_is_any(src, word, display);
        if (formula->display || (may_be && tmpl_span_is_any(src, word, in_line))) {
            return 1;
        }
    }
    return 0;
}

/* Whether one of the elements directly behind is MathJax's script: what it displays is known. */
static int is_before_script(const tmpl_page_t *page, const xmlNode *element)
{
    const xmlNode *next = element->next;
    for (int i = 0; i < 3 && next != NULL && !is_tex_script(page, next); i++) {
        next = next->next;
    }
    return is_tex_script(page, next);
}

/* Reads the one formula in an element. */
static int is_holder(tmpl_formula_t *formula, const tmpl_page_t *page, const xmlNode *element,
                     apr_pool_t *pool)
{
    if (is_before_script(page, element)) {
        return 1;
    }
    static const char *const names[] = { "data-math", "data-tex", "data-latex" };
    for (apr_size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *tex = tmpl_dom_attribute(element, names[i]);
        if (tex != NULL) {
            set_tex(formula, tex, pool);
            return 1;
        }
    }
    formula->display |= is_attribute(element, "display", "true");
    const xmlNode *source = NULL;
    for (const xmlNode *node = tmpl_dom_next(element, element, 0); node != NULL;
         node = tmpl_dom_next(node, element, 0)) {
        tmpl_tag_e tag = tmpl_dom_tag(page, node);
        if (tmpl_tag_flags(tag) & TMPL_IS_CLOSES_P) {
            return 0; /* more than one formula */
        }
        int is =
            tag == TMPL_TAG_MATH || tag == TMPL_TAG_SCRIPT ||
            (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, "mjx-math") == 0);
        /* what MathJax made is the last resort */
        int better = source == NULL || tmpl_dom_tag(page, source) == TMPL_TAG_OTHER;
        source = is && better ? node : source;
    }
    if (source == NULL) {
        return 0;
    }
    if (tmpl_dom_tag(page, source) == TMPL_TAG_OTHER) {
        tmpl_buf_t buf;
        tmpl_buf_init(&buf, pool);
        tmpl_mathml_write(&buf, source);
        set_tex(formula, buf.len > 0 ? buf.at : "", pool);
        return 1;
    }
    (tmpl_dom_tag(page, source) == TMPL_TAG_MATH ? read_math : read_tex_script)(formula, source,
                                                                                pool);
    return 1;
}

/* Whether an element is in the one that holds no formula. */
static int is_in(const tmpl_page_t *page, const xmlNode *element, const xmlNode *around)
{
    return around != NULL && tmpl_dom_node(element) < page->nodes[tmpl_dom_node(around)].after;
}

int tmpl_formula_is(tmpl_formula_t *formula, const tmpl_page_t *page, const xmlNode *element)
{
    /* 1: by its tag; 2: by its class */
    static const unsigned char may_be[TMPL_TAG_COUNT] = {
        [TMPL_TAG_MATH] = 1, [TMPL_TAG_SCRIPT] = 1, [TMPL_TAG_IMG] = 1,
        [TMPL_TAG_SPAN] = 2, [TMPL_TAG_DIV] = 2,    [TMPL_TAG_OTHER] = 2,
    };
    const tmpl_node_t *node = &page->nodes[tmpl_dom_node(element)];
    apr_pool_t *pool = formula->pool;
    if (!may_be[node->tag] || (may_be[node->tag] == 2 && !(node->flags & TMPL_NODE_NAMED))) {
        return 0;
    }
    formula->tex = NULL;
    formula->display = 0;
    apr_pool_clear(pool);
    if (node->tag == TMPL_TAG_IMG) {
        return is_image_formula(formula, element, pool);
    }
    if (node->tag == TMPL_TAG_MATH || node->tag == TMPL_TAG_SCRIPT) {
        (node->tag == TMPL_TAG_MATH ? read_math : read_tex_script)(formula, element, pool);
        return 1;
    }
    if (!is_named_formula(page, element, formula) || is_in(page, element, formula->without)) {
        return 0;
    }
    int is = is_holder(formula, page, element, pool);
    if (!is) {
        formula->without = element;
    }
    return is;
}
