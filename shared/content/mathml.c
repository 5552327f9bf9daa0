/* SPDX-License-Identifier: Apache-2.0 */
#include "content/mathml.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/chars.h"

enum {
    DEEPEST = 60,    /* elements in one another; what is deeper is left out */
    LONG_TOKEN = 200 /* bytes of an operator, a name or a number at most */
};

/*
 * The TeX of elements. "%1" to "%3": a child; "%b": the first child as a base, in braces if it is
 * no token; "%*", "%&", "%/", "%,": all children, with nothing, &, \\ or a comma between them;
 * "%i", "%n", "%o", "%t": the element's text as a name, number, operator or words.
 */
typedef struct {
    const char *name; /* in MathML; MathJax's elements have "mjx-" in front of it */
    const char *tex;
    const char *mathjax; /* where MathJax has the children in another order; else NULL */
} math_element_t;

/* In order of the names. */
static const math_element_t elements[] = {
    { "annotation", "", NULL },
    { "annotation-xml", "", NULL },
    { "maction", "%1", NULL },
    { "math", "%*", NULL },
    { "menclose", "%*", NULL },
    { "merror", "%*", NULL },
    { "mfenced", "(%,)", NULL },
    { "mfrac", "\\frac{%1}{%2}", NULL },
    { "mi", "%i", NULL },
    { "mlabeledtr", "%&", NULL },
    { "mmultiscripts", "%b_{%2}^{%3}", NULL },
    { "mn", "%n", NULL },
    { "mo", "%o", NULL },
    { "mover", "%^", "\\overset{%1}{%2}" },
    { "mpadded", "%*", NULL },
    { "mphantom", "", NULL },
    { "mroot", "\\sqrt[%2]{%1}", "\\sqrt[%1]{%2}" },
    { "mrow", "%*", NULL },
    { "ms", "%t", NULL },
    { "mspace", " ", NULL },
    { "msqrt", "\\sqrt{%*}", NULL },
    { "mstyle", "%*", NULL },
    { "msub", "%b_{%2}", NULL },
    { "msubsup", "%b_{%2}^{%3}", "%b_{%3}^{%2}" },
    { "msup", "%b^{%2}", NULL },
    { "mtable", "\\begin{matrix} %/ \\end{matrix}", NULL },
    { "mtd", "%*", NULL },
    { "mtext", "%t", NULL },
    { "mtr", "%&", NULL },
    { "munder", "%b_{%2}", NULL },
    { "munderover", "%b_{%2}^{%3}", "%2^{%1}" },
    { "semantics", "%1", NULL },
    { "surd", "", NULL }, /* MathJax's sign of a root */
};

/* The TeX of elements with an attribute whose value begins so. */
static const struct {
    const char *name, *attribute, *value, *tex;
} variants[] = {
    { "menclose", "notation", "top", "\\overline{%*}" },
    { "mfrac", "linethickness", "0", "{%1 \\atop %2}" },
    { "mi", "mathvariant", "bold", "\\mathbf{%i}" },
    { "mi", "mathvariant", "double-struck", "\\mathbb{%i}" },
    { "mi", "mathvariant", "fraktur", "\\mathfrak{%i}" },
    { "mi", "mathvariant", "script", "\\mathcal{%i}" },
    { "mtable", "columnalign", "right left", "\\begin{aligned} %/ \\end{aligned}" },
};

/* Names of characters in TeX, in order of the characters. */
typedef struct {
    uint32_t c;
    const char *name;
} math_name_t;

static const math_name_t names[] = {
    { 0xB0, "degree" },
    { 0xB1, "pm" },
    { 0xB7, "cdot" },
    { 0xD7, "times" },
    { 0xF7, "div" },
    { 0x393, "Gamma" },
    { 0x394, "Delta" },
    { 0x398, "Theta" },
    { 0x39B, "Lambda" },
    { 0x39E, "Xi" },
    { 0x3A0, "Pi" },
    { 0x3A3, "Sigma" },
    { 0x3A6, "Phi" },
    { 0x3A8, "Psi" },
    { 0x3A9, "Omega" },
    { 0x3B1, "alpha" },
    { 0x3B2, "beta" },
    { 0x3B3, "gamma" },
    { 0x3B4, "delta" },
    { 0x3B5, "varepsilon" },
    { 0x3B6, "zeta" },
    { 0x3B7, "eta" },
    { 0x3B8, "theta" },
    { 0x3B9, "iota" },
    { 0x3BA, "kappa" },
    { 0x3BB, "lambda" },
    { 0x3BC, "mu" },
    { 0x3BD, "nu" },
    { 0x3BE, "xi" },
    { 0x3C0, "pi" },
    { 0x3C1, "rho" },
    { 0x3C3, "sigma" },
    { 0x3C4, "tau" },
    { 0x3C5, "upsilon" },
    { 0x3C6, "varphi" },
    { 0x3C7, "chi" },
    { 0x3C8, "psi" },
    { 0x3C9, "omega" },
    { 0x3D5, "phi" },
    { 0x3F5, "epsilon" },
    { 0x2026, "ldots" },
    { 0x2032, "prime" },
    { 0x2102, "mathbb{C}" },
    { 0x210F, "hbar" },
    { 0x2113, "ell" },
    { 0x2115, "mathbb{N}" },
    { 0x211A, "mathbb{Q}" },
    { 0x211D, "mathbb{R}" },
    { 0x2124, "mathbb{Z}" },
    { 0x2190, "leftarrow" },
    { 0x2192, "to" },
    { 0x2194, "leftrightarrow" },
    { 0x21A6, "mapsto" },
    { 0x21D2, "Rightarrow" },
    { 0x21D4, "Leftrightarrow" },
    { 0x2200, "forall" },
    { 0x2202, "partial" },
    { 0x2203, "exists" },
    { 0x2205, "emptyset" },
    { 0x2207, "nabla" },
    { 0x2208, "in" },
    { 0x2209, "notin" },
    { 0x220F, "prod" },
    { 0x2211, "sum" },
    { 0x2213, "mp" },
    { 0x2218, "circ" },
    { 0x221E, "infty" },
    { 0x2227, "wedge" },
    { 0x2228, "vee" },
    { 0x2229, "cap" },
    { 0x222A, "cup" },
    { 0x222B, "int" },
    { 0x222E, "oint" },
    { 0x223C, "sim" },
    { 0x2245, "cong" },
    { 0x2248, "approx" },
    { 0x2260, "neq" },
    { 0x2261, "equiv" },
    { 0x2264, "leq" },
    { 0x2265, "geq" },
    { 0x226A, "ll" },
    { 0x226B, "gg" },
    { 0x2282, "subset" },
    { 0x2286, "subseteq" },
    { 0x2295, "oplus" },
    { 0x2297, "otimes" },
    { 0x22C5, "cdot" },
    { 0x22EE, "vdots" },
    { 0x22EF, "cdots" },
    { 0x22F1, "ddots" },
    { 0x2308, "lceil" },
    { 0x2309, "rceil" },
    { 0x230A, "lfloor" },
    { 0x230B, "rfloor" },
    { 0x27E8, "langle" },
    { 0x27E9, "rangle" },
};

/* Accents over a base, by their operator, in order. */
static const math_name_t accents[] = {
    { '.', "dot" },    { '^', "hat" },       { '_', "overline" },     { '~', "tilde" },
    { 0xA8, "ddot" },  { 0xAF, "overline" }, { 0x2C6, "hat" },        { 0x2C7, "check" },
    { 0x2D9, "dot" },  { 0x2DC, "tilde" },   { 0x2015, "overline" },  { 0x203E, "overline" },
    { 0x20D7, "vec" }, { 0x2192, "vec" },    { 0x23DE, "overbrace" },
};

/* Names of functions, with a space on both sides of each. */
static const char functions[] =
    " arccos arcsin arctan arg cos cosh cot csc deg det dim exp gcd hom "
    "inf ker lim liminf limsup ln log max min Pr sec sin sinh sup tan "
    "tanh ";

static int compare_elements(const void *a, const void *b)
{
    return strcmp(((const math_element_t *)a)->name, ((const math_element_t *)b)->name);
}

static int compare_names(const void *a, const void *b)
{
    uint32_t x = ((const math_name_t *)a)->c, y = ((const math_name_t *)b)->c;
    return (x > y) - (x < y);
}

static const char *name_in(const math_name_t *table, apr_size_t n, uint32_t c)
{
    math_name_t key = { c, NULL };
    const math_name_t *found = bsearch(&key, table, n, sizeof(*table), compare_names);
    return found != NULL ? found->name : NULL;
}
#define NAME_IN(table, c) name_in(table, sizeof(table) / sizeof((table)[0]), c)

static int is_mathjax(const xmlNode *node)
{
    return strncmp((const char *)node->name, "mjx-", 4) == 0;
}

/* The row of an element; NULL if there is none. */
static const math_element_t *element_of(const xmlNode *node)
{
    math_element_t key = { (const char *)node->name + (is_mathjax(node) ? 4 : 0), NULL, NULL };
    return node->type == XML_ELEMENT_NODE
               ? bsearch(&key, elements, sizeof(elements) / sizeof(elements[0]), sizeof(key),
                         compare_elements)
               : NULL;
}

/* What an element is written as. */
static const char *tex_of(const xmlNode *node)
{
    const math_element_t *element = element_of(node);
    for (apr_size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        const char *value =
            element->name[1] == variants[i].name[1] && strcmp(element->name, variants[i].name) == 0
                ? tmpl_dom_attribute(node, variants[i].attribute)
                : NULL;
        if (value != NULL && strncmp(value, variants[i].value, strlen(variants[i].value)) == 0) {
            return variants[i].tex;
        }
    }
    return element->mathjax != NULL && is_mathjax(node) ? element->mathjax : element->tex;
}

/* The child behind before, or the first one; elements without a row are left out around theirs. */
static const xmlNode *child_behind(const xmlNode *parent, const xmlNode *before)
{
    const xmlNode *node = tmpl_dom_next(before != NULL ? before : parent, parent, before != NULL);
    while (node != NULL && element_of(node) == NULL) {
        node = tmpl_dom_next(node, parent, 0);
    }
    return node;
}

static const xmlNode *child(const xmlNode *parent, int n)
{
    const xmlNode *node = child_behind(parent, NULL);
    while (node != NULL && --n > 0) {
        node = child_behind(parent, node);
    }
    return node;
}

/* Whether the TeX ends in a command that a letter would go on. */
static int ends_in_command(const tmpl_buf_t *tex)
{
    apr_size_t i = tex->len;
    while (i > 0 && tmpl_is_alpha(tex->at[i - 1])) {
        i--;
    }
    return i > 0 && i < tex->len && tex->at[i - 1] == '\\';
}

static void add_tex(tmpl_buf_t *tex, const char *text)
{
    if (tmpl_is_alpha(*text) && ends_in_command(tex)) {
        tmpl_buf_add_byte(tex, ' ');
    }
    tmpl_buf_add_text(tex, text);
}

/* The letter for which an italic letter of Mathematical Alphanumeric Symbols stands. */
static uint32_t upright(uint32_t c)
{
    if (c >= 0x1D434 && c <= 0x1D467) {
        return c - 0x1D434 + (c < 0x1D44E ? 'A' : 'a' - 26);
    }
    return c >= 0x1D6E2 && c <= 0x1D714 ? c - 0x1D6E2 + (c < 0x1D6FC ? 0x391 : 0x3B1 - 26)
           : c == 0x210E                ? 'h'
           : c == 0x2212                ? '-'
                                        : c;
}

static void add_math_character(tmpl_buf_t *tex, uint32_t c)
{
    c = upright(c);
    const char *name = NAME_IN(names, c);
    char own[TMPL_UTF8_MOST + 2] = "\\";
    if (name != NULL) {
        add_tex(tex, "\\");
        tmpl_buf_add_text(tex, name);
    }
    else if (c < 0x80 && c != '\0' && strchr("{}#%&$_", (int)c) != NULL) {
        own[1] = (char)c;
        tmpl_buf_add_text(tex, own);
    }
    else if (c > ' ' && !(c >= 0x2061 && c <= 0x2064) && c != 0x200B) {
        own[tmpl_utf8_put(own, c)] = '\0';
        add_tex(tex, own);
    }
}

/* Adds the text of a token without white space around it; a character by its class in MathJax. */
static void read_token(tmpl_buf_t *text, const xmlNode *token)
{
    for (const xmlNode *node = token; node != NULL && text->len < LONG_TOKEN;
         node = tmpl_dom_next(node, token, 0)) {
        if (node->type == XML_TEXT_NODE) {
            tmpl_buf_add_text(text, (const char *)node->content);
        }
        else if (node->children == NULL && strcmp((const char *)node->name, "mjx-c") == 0) {
            const char *class = tmpl_dom_attribute(node, "class");
            unsigned long c =
                class != NULL && strncmp(class, "mjx-c", 5) == 0 ? strtoul(class + 5, NULL, 16) : 0;
            if (c <= TMPL_UNICODE_LAST && tmpl_is_character((uint32_t)c)) {
                tmpl_buf_add_char(text, (uint32_t)c);
            }
        }
    }
    while (text->len > 0 && tmpl_is_space(text->at[text->len - 1])) {
        text->at[--text->len] = '\0';
    }
}

static void add_math_characters(tmpl_buf_t *tex, const char *text)
{
    apr_size_t used;
    for (apr_size_t left = strlen(text); left > 0; left -= used, text += used) {
        add_math_character(tex, tmpl_utf8_next(text, left, &used));
    }
}

static int is_function(const char *name)
{
    apr_size_t len = strlen(name);
    const char *at = functions;
    while (len > 1 && (at = strstr(at + 1, name)) != NULL && (at[-1] != ' ' || at[len] != ' ')) {
    }
    return len > 1 && at != NULL;
}

/* Adds a token: a name (i), number (n), operator (o) or words (t). */
static void add_math_token(tmpl_buf_t *tex, const xmlNode *token, char kind)
{
    tmpl_buf_t text;
    tmpl_buf_init(&text, tex->pool);
    read_token(&text, token);
    const char *is = text.len > 0 ? text.at + strspn(text.at, " \t\n\r\f") : "";
    if (kind == 't') {
        add_tex(tex, "\\text{");
        for (; *is != '\0'; is++) {
            tmpl_buf_add(tex, "\\", (apr_size_t)(strchr("{}#%&$_", *is) != NULL));
            tmpl_buf_add_byte(tex, *is);
        }
        tmpl_buf_add_text(tex, "}");
    }
    else if (is_function(is)) {
        add_tex(tex, "\\");
        tmpl_buf_add_text(tex, is);
        tmpl_buf_add_text(tex, " ");
    }
    else if (kind == 'i' && strlen(is) > 1 && tmpl_is_alpha(is[0]) && tmpl_is_alpha(is[1])) {
        add_tex(tex, "\\mathrm{");
        add_math_characters(tex, is);
        tmpl_buf_add_text(tex, "}");
    }
    else {
        /* not invisible operators: U+2061 to U+2064 */
        int spaced = kind == 'o' && *is != '\0' && strchr("()[]{}|,.!':;/", *is) == NULL &&
                     strncmp(is, "\xE2\x81", 2) != 0;
        tmpl_buf_add(tex, " ", (apr_size_t)spaced);
        add_math_characters(tex, is);
        tmpl_buf_add(tex, " ", (apr_size_t)spaced);
    }
}

static void add_math(tmpl_buf_t *tex, const xmlNode *node, int depth);

static void add_children(tmpl_buf_t *tex, const xmlNode *parent, const char *between, int depth)
{
    const xmlNode *first = child_behind(parent, NULL);
    for (const xmlNode *node = first; node != NULL; node = child_behind(parent, node)) {
        tmpl_buf_add_text(tex, node != first ? between : "");
        add_math(tex, node, depth);
    }
}

/* Adds a base with something over it: an accent, or a text. */
static void add_over(tmpl_buf_t *tex, const xmlNode *node, int depth)
{
    tmpl_buf_t text;
    apr_size_t used;
    const xmlNode *over = child(node, 2);
    tmpl_buf_init(&text, tex->pool);
    if (over != NULL) {
        read_token(&text, over);
    }
    const char *is = text.len > 0 ? text.at + strspn(text.at, " \t\n\r\f") : "";
    uint32_t c = *is != '\0' ? tmpl_utf8_next(is, strlen(is), &used) : 0;
    const char *accent = c != 0 && is[used] == '\0' ? NAME_IN(accents, c) : NULL;
    add_tex(tex, "\\");
    tmpl_buf_add_text(tex, accent != NULL ? accent : "overset{");
    if (accent == NULL) {
        add_math(tex, over, depth);
        tmpl_buf_add_text(tex, "}");
    }
    tmpl_buf_add_text(tex, "{");
    add_math(tex, child(node, 1), depth);
    tmpl_buf_add_text(tex, "}");
}

/* Adds what a sign of a row stands for. */
static void add_part(tmpl_buf_t *tex, const xmlNode *node, char sign, int depth)
{
    static const char *const between[256] = {
        ['*'] = "", ['&'] = " & ", ['/'] = " \\\\ ", [','] = ","
    };
    if (between[(unsigned char)sign] != NULL) {
        add_children(tex, node, between[(unsigned char)sign], depth);
    }
    else if (sign == '^') {
        add_over(tex, node, depth);
    }
    else if (sign >= '1' && sign <= '3') {
        add_math(tex, child(node, sign - '0'), depth);
    }
    else if (sign == 'b') {
        const xmlNode *base = child(node, 1);
        while (base != NULL && strcmp(element_of(base)->tex, "%*") == 0 && child(base, 2) == NULL) {
            base = child(base, 1);
        }
        int token = base == NULL || strspn(tex_of(base), "%ino") == 2;
        tmpl_buf_add_text(tex, token ? "" : "{");
        add_math(tex, base, depth);
        tmpl_buf_add_text(tex, token ? "" : "}");
    }
    else {
        add_math_token(tex, node, sign);
    }
}

static void add_math(tmpl_buf_t *tex, const xmlNode *node, int depth)
{
    if (node == NULL || depth == DEEPEST) {
        return;
    }
    for (const char *at = tex_of(node); *at != '\0'; at++) {
        if (*at == '%') {
            add_part(tex, node, *++at, depth + 1);
            continue;
        }
        /* no space in front of what belongs to a base */
        if ((*at == '_' || *at == '^') && tex->len > 0 && tex->at[tex->len - 1] == ' ') {
            tex->at[--tex->len] = '\0';
        }
        tmpl_buf_add_byte(tex, *at);
    }
}

void tmpl_mathml_write(tmpl_buf_t *tex, const xmlNode *math)
{
    add_math(tex, math, 0);
}
