/* SPDX-License-Identifier: Apache-2.0 */
#include "content/element_kinds.h"

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
} math_element_t;

/* In order of the names. */
static const math_element_t elements[] = {
    { "annotation", "" },
    { "annotation-xml", "" },
    { "maction", "%1" },
    { "math", "%*" },
    { "menclose", "%*" },
    { "merror", "%*" },
    { "mfenced", "(%,)" },
    { "mfrac", "\\frac{%1}{%2}" },
    { "mi", "%i" },
    { "mlabeledtr", "%&" },
    { "mmultiscripts", "%b_{%2}^{%3}" },
    { "mn", "%n" },
    { "mo", "%o" },
    { "mover", "%^" },
    { "mpadded", "%*" },
    { "mphantom", "" },
    { "mroot", "\\sqrt[%2]{%1}" },
    { "mrow", "%*" },
    { "ms", "%t" },
    { "mspace", " " },
    { "msqrt", "\\sqrt{%*}" },
    { "mstyle", "%*" },
    { "msub", "%b_{%2}" },
    { "msubsup", "%b_{%2}^{%3}" },
    { "msup", "%b^{%2}" },
    { "mtable", "\\begin{matrix} %/ \\end{matrix}" },
    { "mtd", "%*" },
    { "mtext", "%t" },
    { "mtr", "%&" },
    { "munder", "%b_{%2}" },
    { "munderover", "%b_{%2}^{%3}" },
    { "semantics", "%1" },
    { "surd", "" }, /* MathJax's sign of a root */
};

/*
 * The TeX of elements with an attribute whose value begins so; without one, of MathJax's elements
 * that have their children in another order.
 */
static const struct {
    const char *name, *attribute, *value, *tex;
} variants[] = {
    { "menclose", "notation", "top", "\\overline{%*}" },
    { "mfrac", "linethickness", "0", "{%1 \\atop %2}" },
    { "mi", "mathvariant", "bold", "\\mathbf{%i}" },
    { "mi", "mathvariant", "double-struck", "\\mathbb{%i}" },
    { "mi", "mathvariant", "fraktur", "\\mathfrak{%i}" },
    { "mi", "mathvariant", "script", "\\mathcal{%i}" },
    { "mover", NULL, NULL, "\\overset{%1}{%2}" },
    { "mroot", NULL, NULL, "\\sqrt[%1]{%2}" },
    { "msubsup", NULL, NULL, "%b_{%3}^{%2}" },
    { "mtable", "columnalign", "right left", "\\begin{aligned} %/ \\end{aligned}" },
    { "munderover", NULL, NULL, "%2^{%1}" },
};

/* Characters and their names in TeX. */
static const char names[] =
    " ° degree ± pm · cdot × times ÷ div Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma"
    " Φ Phi Ψ Psi Ω Omega α alpha β beta γ gamma δ delta ε varepsilon ζ zeta η eta θ theta"
    " ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ varphi"
    " χ chi ψ psi ω omega ϕ phi ϵ epsilon … ldots ′ prime ℂ mathbb{C} ℏ hbar ℓ ell"
    " ℕ mathbb{N} ℚ mathbb{Q} ℝ mathbb{R} ℤ mathbb{Z} ← leftarrow → to ↔ leftrightarrow"
    " ↦ mapsto ⇒ Rightarrow ⇔ Leftrightarrow ∀ forall ∂ partial ∃ exists ∅ emptyset ∇ nabla"
    " ∈ in ∉ notin ∏ prod ∑ sum ∓ mp ∘ circ ∞ infty ∧ wedge ∨ vee ∩ cap ∪ cup ∫ int ∮ oint"
    " ∼ sim ≅ cong ≈ approx ≠ neq ≡ equiv ≤ leq ≥ geq ≪ ll ≫ gg ⊂ subset ⊆ subseteq ⊕ oplus"
    " ⊗ otimes ⋅ cdot ⋮ vdots ⋯ cdots ⋱ ddots ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ⟨ langle"
    " ⟩ rangle ";

/* Operators over a base, and the accents that they are. */
static const char accents[] =
    " . dot ^ hat _ overline ~ tilde ¨ ddot ¯ overline ˆ hat ˇ check ˙ dot ˜ tilde"
    " ― overline ‾ overline \xE2\x83\x97 vec → vec ⏞ overbrace ";

/* Names of functions, with a space on both sides of each. */
static const char functions[] =
    " arccos arcsin arctan arg cos cosh cot csc deg det dim exp gcd hom "
    "inf ker lim liminf limsup ln log max min Pr sec sin sinh sup tan "
    "tanh ";

static int compare_elements(const void *a, const void *b)
{
    return strcmp(((const math_element_t *)a)->name, ((const math_element_t *)b)->name);
}

/* The word behind one in a list; its length in *len. NULL: there is none. */
static const char *word_behind(apr_size_t *len, const char *list, const char *word)
{
    apr_size_t n = strlen(word);
    const char *at = list;
    while (n > 0 && (at = strstr(at + 1, word)) != NULL && (at[-1] != ' ' || at[n] != ' ')) {
    }
    if (n == 0 || at == NULL) {
        return NULL;
    }
    *len = strcspn(at + n + 1, " ");
    return at + n + 1;
}

static int is_mathjax(const xmlNode *node)
{
    return strncmp((const char *)node->name, "mjx-", 4) == 0;
}

/* The row of an element; NULL if there is none. */
static const math_element_t *element_of(const xmlNode *node)
{
    math_element_t key = { (const char *)node->name + (is_mathjax(node) ? 4 : 0), NULL };
    return node->type == XML_ELEMENT_NODE
               ? bsearch(&key, elements, sizeof(elements) / sizeof(elements[0]), sizeof(key),
                         compare_elements)
               : NULL;
}

/* Whether a row of variants is of an element. */
static int is_variant(const xmlNode *node, const char *attribute, const char *value)
{
    const char *is = attribute != NULL ? tmpl_dom_attribute(node, attribute) : NULL;
    return attribute == NULL ? is_mathjax(node)
                             : is != NULL && strncmp(is, value, strlen(value)) == 0;
}

/* What an element is written as. */
static const char *tex_of(const xmlNode *node)
{
    const math_element_t *element = element_of(node);
    for (apr_size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        if (strcmp(element->name, variants[i].name) == 0 &&
            is_variant(node, variants[i].attribute, variants[i].value)) {
            return variants[i].tex;
        }
    }
    return element->tex;
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
    char own[TMPL_UTF8_MOST + 2] = "\\";
    c = upright(c);
    own[1 + tmpl_utf8_put(own + 1, c)] = '\0';
    apr_size_t len;
    const char *name = word_behind(&len, names, own + 1);
    if (name != NULL) {
        add_tex(tex, "\\");
        tmpl_buf_add(tex, name, len);
    }
    else if (c < 0x80 && c != '\0' && strchr("{}#%&$_", (int)c) != NULL) {
        tmpl_buf_add_text(tex, own);
    }
    else if (c > ' ' && !(c >= 0x2061 && c <= 0x2064) && c != 0x200B) {
        add_tex(tex, own + 1);
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

/* Adds a token: a name (i), number (n), operator (o) or words (t). */
static void add_math_token(tmpl_buf_t *tex, const xmlNode *token, char kind)
{
    tmpl_buf_t text;
    tmpl_buf_init(&text, tex->pool);
    read_token(&text, token);
    const char *is = text.len > 0 ? text.at + strspn(text.at, " \t\n\r\f") : "";
    apr_size_t len;
    if (kind == 't') {
        add_tex(tex, "\\text{");
        for (; *is != '\0'; is++) {
            tmpl_buf_add(tex, "\\", (apr_size_t)(strchr("{}#%&$_", *is) != NULL));
            tmpl_buf_add_byte(tex, *is);
        }
        tmpl_buf_add_text(tex, "}");
    }
    else if (strlen(is) > 1 && word_behind(&len, functions, is) != NULL) {
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
    apr_size_t len;
    const xmlNode *over = child(node, 2);
    tmpl_buf_init(&text, tex->pool);
    if (over != NULL) {
        read_token(&text, over);
    }
    const char *is = text.len > 0 ? text.at + strspn(text.at, " \t\n\r\f") : "";
    const char *accent = tmpl_is_alpha(*is) ? NULL : word_behind(&len, accents, is);
    add_tex(tex, "\\");
    if (accent != NULL) {
        tmpl_buf_add(tex, accent, len);
    }
    else {
        tmpl_buf_add_text(tex, "overset{");
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
