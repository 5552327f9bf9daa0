/* SPDX-License-Identifier: Apache-2.0 */
#include "content/element_kinds.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"
#include "html/attr.h"

/* Languages that classes name beside the name of a highlighter: "hljs python", "highlight sh". */
static const char languages[] =
    "asm awk bash bat c c++ clojure cmake console cpp cs csharp css dart diff docker "
    "dockerfile elixir elm erlang fish fortran fsharp go golang graphql groovy haskell hcl "
    "html http ini ipython ipython3 java javascript js json jsx julia kotlin latex lean less "
    "lisp lua make makefile markdown matlab md nginx nim nix objc objectivec ocaml perl php "
    "powershell proto ps1 puppet py pycon pycon3 python python2 python3 r rb rs ruby rust "
    "sass scala scheme scss sh shell shell-session solidity sql svelte swift tcl terraform "
    "tex toml ts tsx typescript vb verilog vhdl vim vue wasm xml yaml yml zig zsh";

/* The language that a word of a class names: "language-c"; empty: none. */
static tmpl_span_t language_in(const char *src, tmpl_span_t word)
{
    static const char *const prefixes[] = { "language-",  "lang-",  "highlight-source-",
                                            "highlight-", "brush:", "sourceCode-" };
    enum { SURE = 3, MOST = 32 };
    for (uint32_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        uint32_t n = (uint32_t)strlen(prefixes[i]);
        tmpl_span_t name = { word.start + n, word.end };
        if (tmpl_span_len(word) > n && tmpl_span_len(word) < n + MOST &&
            memcmp(src + word.start, prefixes[i], n) == 0) {
            return i < SURE || tmpl_span_is_any(src, name, languages) ? name
                                                                      : (tmpl_span_t){ 0, 0 };
        }
    }
    return (tmpl_span_t){ 0, 0 };
}

/* Whether a language can be written behind a fence. */
static int is_language_writable(const char *language)
{
    while (tmpl_is_alnum(*language) || (*language != '\0' && strchr("+#-_.", *language) != NULL)) {
        language++;
    }
    return *language == '\0';
}

static const char *language_in_class(const char *src, tmpl_span_t class, apr_pool_t *pool)
{
    static const char highlighters[] =
        "brush: chroma code highlight hl hljs prettyprint prism sourcecode syntaxhighlighter";
    tmpl_span_t language = { 0, 0 }, known = { 0, 0 };
    int highlighter = 0;
    tmpl_span_t word = { class.start, class.start };
    while (tmpl_span_len(language) == 0 && tmpl_word_next(&word, src, class)) {
        tmpl_span_t name = { word.start, word.end - (src[word.end - 1] == ';') };
        language = language_in(src, name);
        if (highlighter && tmpl_span_len(known) == 0 && tmpl_span_is_any(src, name, languages)) {
            known = name;
        }
        highlighter |= tmpl_span_is_any(src, name, highlighters);
    }
    language = tmpl_span_len(language) > 0 ? language : known;
    return tmpl_span_len(language) > 0
               ? apr_pstrmemdup(pool, src + language.start, tmpl_span_len(language))
               : NULL;
}

/*
 * The language that an element names first; NULL: none, or the start tag is long: it could be read
 * again for each of very many listings in the element. For the same reason, the tag is read where
 * it stands: a copy for each listing would take many times the page's memory.
 */
static const char *language_of(const tmpl_page_t *page, const xmlNode *node, apr_pool_t *pool)
{
    enum { LONGEST = 1000, LONG = 32 };
    static const char *const names[] = { "data-lang", "data-language", "language" };
    const tmpl_node_t *of = &page->nodes[tmpl_dom_node(node)];
    tmpl_span_t open = of->open;
    tmpl_attr_t attr;
    if (tmpl_span_len(open) > LONGEST) {
        return NULL;
    }
    const char *language = NULL;
    for (apr_size_t i = 0; i < sizeof(names) / sizeof(names[0]) && language == NULL; i++) {
        if (tmpl_attr_find(&attr, page->src, open, names[i]) && tmpl_span_len(attr.value) > 0 &&
            tmpl_span_len(attr.value) < LONG) {
            language =
                apr_pstrmemdup(pool, page->src + attr.value.start, tmpl_span_len(attr.value));
        }
    }
    const tmpl_known_attr_t *class =
        language == NULL ? tmpl_node_attr(page, of, TMPL_ATTR_CLASS) : NULL;
    if (class != NULL) {
        language = language_in_class(page->src, class->value, pool);
    }
    return language != NULL && is_language_writable(language) ? language : NULL;
}

/* The language that one of the elements around a listing names, not far up. */
static const char *language_around(const tmpl_page_t *page, const xmlNode *pre, apr_pool_t *pool)
{
    enum { FAR = 8 };
    const char *language = NULL;
    const xmlNode *up = pre;
    for (int i = 0; i < FAR && language == NULL && up->parent->parent != NULL;
         i++, up = up->parent) {
        tmpl_tag_e tag = tmpl_dom_tag(page, up);
        if (tag == TMPL_TAG_BODY || tag == TMPL_TAG_ARTICLE || tag == TMPL_TAG_SECTION ||
            tag == TMPL_TAG_LI || tag == TMPL_TAG_MAIN) {
            break;
        }
        language = language_of(page, up, pool);
    }
    return language;
}

static int is_number(const char *text)
{
    return text[strspn(text, " \t\n\r0123456789")] == '\0';
}

/* Whether an element in a listing is the number of a line. */
static int is_line_number(const tmpl_page_t *page, const xmlNode *node)
{
    static const char words[] = "lineno linenos linenumber line-number ln lnt line_number line-num "
                                "react-syntax-highlighter-line-number";
    const xmlNode *text = node->children;
    const tmpl_known_attr_t *class =
        tmpl_node_attr(page, &page->nodes[tmpl_dom_node(node)], TMPL_ATTR_CLASS);
    return class != NULL && text != NULL && text->type == XML_TEXT_NODE && text->next == NULL &&
           is_number((const char *)text->content) &&
           tmpl_has_word(page->src, class->value, words, tmpl_span_is_any);
}

/* Whether an element has lines of a listing for itself. */
static int is_line(const tmpl_page_t *page, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_dom_tag(page, node);
    return (tmpl_tag_flags(tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) != 0 ||
           tag == TMPL_TAG_BUTTON ||
           (tag == TMPL_TAG_SPAN && tmpl_node_is_line(page, &page->nodes[tmpl_dom_node(node)]));
}

/* Whether an element that has lines for itself ends where a node ends. */
static int ends_line(const tmpl_page_t *page, const xmlNode *node)
{
    while (node != NULL && !is_line(page, node)) {
        node = node->last;
    }
    return node != NULL;
}

static void begin_line(tmpl_buf_t *code)
{
    if (code->len > 0 && code->at[code->len - 1] != '\n') {
        tmpl_buf_add(code, "\n", 1);
    }
}

/* Removes blank lines at the start, and white space at the end. */
static void trim(tmpl_buf_t *code)
{
    while (code->len > 0 && tmpl_is_space(code->at[code->len - 1])) {
        code->at[--code->len] = '\0';
    }
    apr_size_t blank = 0;
    for (apr_size_t i = 0; i < code->len && tmpl_is_space(code->at[i]); i++) {
        blank = code->at[i] == '\n' ? i + 1 : blank;
    }
    if (blank > 0) {
        code->len -= blank;
        memmove(code->at, code->at + blank, code->len + 1);
    }
}

/*
 * Removes the numbers of lines if each stands in a line of its own in front of the line that it
 * counts, from 1 on: not all highlighters name them. The first round only looks.
 */
static void drop_numbers(tmpl_buf_t *code)
{
    for (int writes = 0; writes < 2; writes++) {
        long next = 1, lines = 0;
        int is_behind = 0; /* behind a number */
        char *to = code->at, *end;
        for (char *at = code->at, *behind; *at != '\0'; at = end) {
            end = at + strcspn(at, "\n");
            int counts = tmpl_is_digit(*at) && strtol(at, &behind, 10) == next && behind == end;
            end += *end == '\n';
            if (!counts && !is_behind) {
                return;
            }
            const char *from = counts ? "\n" : at; /* two numbers: an empty line */
            apr_size_t len = counts ? (apr_size_t)is_behind : (apr_size_t)(end - at);
            if (writes) {
                memmove(to, from, len);
                to += len;
            }
            lines += !counts;
            next += counts;
            is_behind = counts;
        }
        if (next <= 2 || 2 * lines < next) {
            return;
        }
        code->len = writes ? (apr_size_t)(to - code->at) : code->len;
    }
    code->at[code->len] = '\0';
}

const char *tmpl_listing_read(tmpl_buf_t *code, const tmpl_page_t *page, const xmlNode *pre,
                              apr_pool_t *pool)
{
    const char *language = language_around(page, pre, pool);
    int over = 0;
    for (const xmlNode *node = tmpl_dom_next(pre, pre, 0); node != NULL;
         node = tmpl_dom_next(node, pre, over)) {
        if (is_line(page, node) || ends_line(page, node->prev)) {
            begin_line(code);
        }
        over = node->type == XML_ELEMENT_NODE && is_line_number(page, node);
        if (node->type == XML_TEXT_NODE) {
            tmpl_buf_add_text(code, (const char *)node->content);
        }
        else if (tmpl_dom_tag(page, node) == TMPL_TAG_BR) {
            tmpl_buf_add(code, "\n", 1);
        }
        else if (language == NULL && tmpl_dom_tag(page, node) == TMPL_TAG_CODE) {
            language = language_of(page, node, pool);
        }
    }
    drop_numbers(code);
    trim(code);
    /* the numbers of lines beside a listing: Pygments puts a div around them */
    int is_div = tmpl_dom_tag(page, pre->parent) == TMPL_TAG_DIV;
    const xmlNode *cell = is_div ? pre->parent->parent : pre->parent;
    if (code->len > 0 && tmpl_dom_tag(page, cell) == TMPL_TAG_TD && is_number(code->at)) {
        tmpl_buf_clear(code);
    }
    return language;
}
