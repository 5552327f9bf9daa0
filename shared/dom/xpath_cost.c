/* SPDX-License-Identifier: Apache-2.0 */
#include "dom/xpath_cost.h"

#include <string.h>

#include <libxml/xpathInternals.h>

#include "base/ascii.h"
#include "dom/dom.h"

/* --- what an expression does --- */

/* What a token ends, for an operator behind it. */
typedef enum {
    OPERAND_NONE,  /* nothing: it is an operator, or opens something */
    OPERAND_VALUE, /* a string, a number or a boolean */
    OPERAND_OWN,   /* an attribute of the context's node */
    OPERAND_TEXT,  /* "." or "text()": the text of the context's node */
    OPERAND_NODES
} operand_e;

typedef enum { PATH_BEGINS, PATH_AT_NODE, PATH_GOES_ON } path_e;

typedef struct {
    const char *at;
    size_t len; /* 0: the end */
} token_t;

typedef struct {
    unsigned does;
    operand_e left; /* what is in front of the next token */
    path_e path;    /* where in a path the next token is; at the node ".": "//" merges nothing */
    int begins;     /* the last token, '@' or a name, is the first of a path */
    int depth;      /* of predicates */
    uint64_t calls; /* two bits for each open parenthesis: what it gives, an operand_e */
} reading_xpath_t;

static int is_xpath_name_byte(char c)
{
    return tmpl_is_alpha(c) || tmpl_is_digit(c) || (unsigned char)c >= 0x80 ||
           (c != '\0' && strchr("_-.", c) != NULL);
}

static token_t next_token(const char *from)
{
    static const char *const two[] = { "::", "//", "..", "!=", "<=", ">=" };
    token_t token = { from + strspn(from, " \t\r\n"), 1 };
    const char *at = token.at;
    if (*at == '\'' || *at == '"') {
        const char *end = strchr(at + 1, *at);
        token.len = end != NULL ? (size_t)(end + 1 - at) : strlen(at);
        return token;
    }
    for (unsigned i = 0; i < sizeof(two) / sizeof(*two); i++) {
        if (strncmp(at, two[i], 2) == 0) {
            token.len = 2;
            return token;
        }
    }
    if (*at == '\0' || *at == '-' || (*at == '.' && !tmpl_is_digit(at[1])) ||
        !is_xpath_name_byte(*at)) {
        token.len = *at != '\0';
        return token;
    }
    while (is_xpath_name_byte(at[token.len]) ||
           (at[token.len] == ':' && at[token.len + 1] != ':' && at[token.len - 1] != ':')) {
        token.len++;
    }
    return token;
}

static int is_any_of(token_t token, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strlen(*words) == token.len && memcmp(*words, token.at, token.len) == 0) {
            return 1;
        }
    }
    return 0;
}

/* What a name calls. */
static operand_e called(token_t name)
{
    static const char *const nodes[] = { "node", "comment", "processing-instruction", "id", NULL };
    static const char *const text[] = { "text", NULL };
    return !is_xpath_name_byte(*name.at) || is_any_of(name, nodes) ? OPERAND_NODES
           : is_any_of(name, text)                                 ? OPERAND_TEXT
                                                                   : OPERAND_VALUE;
}

/* What begins with a token, behind an operator. */
static operand_e operand_at(token_t token)
{
    char c = *token.at;
    token_t next = next_token(token.at + token.len);
    if (c == '"' || c == '\'' || tmpl_is_digit(c) || (c == '.' && tmpl_is_digit(token.at[1])) ||
        c == '-') {
        return OPERAND_VALUE;
    }
    if (is_xpath_name_byte(c) && *next.at == '(') {
        return called(token);
    }
    return c == '@'                                      ? OPERAND_OWN
           : c == '.' && token.len == 1 && next.len == 1 ? OPERAND_TEXT
                                                         : OPERAND_NODES;
}

/* Returns 0 if the token is no operator. */
static int read_operator(reading_xpath_t *r, token_t token, token_t before)
{
    static const char *const always[] = { "|", "=", "!=", "<", "<=", ">", ">=", "+", "-", NULL };
    static const char *const behind[] = { "*", "div", "mod", "and", "or", NULL };
    static const char *const casts_none[] = { "|", "and", "or", NULL };
    static const char *const compares[] = { "=", "!=", "<", "<=", ">", ">=", NULL };
    if (!is_any_of(token, always) && (r->left == OPERAND_NONE || !is_any_of(token, behind))) {
        return 0;
    }
    operand_e left =
        *before.at == '/' ? OPERAND_NODES : r->left; /* the root alone, as in "/ > 5" */
    operand_e right = operand_at(next_token(token.at + token.len));
    if (left == OPERAND_TEXT || right == OPERAND_TEXT) {
        /* each node's text once, unless many nodes lead to one */
        r->does |=
            r->depth == 1 && !(r->does & TMPL_XPATH_MERGES) ? TMPL_XPATH_READS : TMPL_XPATH_CASTS;
    }
    if (!is_any_of(token, casts_none) && (left == OPERAND_NODES || right == OPERAND_NODES)) {
        r->does |= TMPL_XPATH_CASTS;
    }
    if (is_any_of(token, compares) && left >= OPERAND_OWN && right >= OPERAND_OWN) {
        r->does |= TMPL_XPATH_PAIRS;
    }
    r->does |= *token.at == '|' ? TMPL_XPATH_MERGES : 0;
    r->left = OPERAND_NONE;
    r->path = PATH_BEGINS;
    return 1;
}

/* Whether a step from several nodes may reach one node twice. */
static int merges_nodes(const reading_xpath_t *r, token_t token)
{
    static const char *const reaching_once[] = { "child", "attribute", "self", NULL };
    int is_axis = is_xpath_name_byte(*token.at) && next_token(token.at + token.len).len == 2 &&
                  next_token(token.at + token.len).at[0] == ':';
    return (is_axis && !is_any_of(token, reaching_once)) ||
           (token.len == 2 && token.at[0] == '.' && token.at[1] == '.') ||
           (token.len == 2 && token.at[0] == '/' && r->path == PATH_GOES_ON);
}

/* Reads "(", "[", "," or "]". Returns 0 if the token is none. */
static int read_bracket(reading_xpath_t *r, token_t token, token_t before)
{
    char c = *token.at;
    if (c == '(') {
        operand_e gives = r->left == OPERAND_NONE ? OPERAND_NODES : called(before);
        gives = gives == OPERAND_TEXT && !r->begins ? OPERAND_NODES : gives;
        r->calls = r->calls << 2 | (OPERAND_NODES - gives);
    }
    if (c == ']') {
        r->depth--;
        r->left = OPERAND_NODES;
        r->path = PATH_GOES_ON;
        return 1;
    }
    r->depth += c == '[';
    if (c == '(' || c == '[' || c == ',') {
        r->left = OPERAND_NONE;
        r->path = PATH_BEGINS;
        return 1;
    }
    return 0;
}

static void read_operand(reading_xpath_t *r, token_t token)
{
    char c = *token.at;
    int begins = r->path == PATH_BEGINS;
    int is_own = is_xpath_name_byte(c) && r->begins && token.at[-1] == '@';
    r->does |= merges_nodes(r, token) ? TMPL_XPATH_MERGES : 0;
    if (c == ')') {
        r->left = (operand_e)(OPERAND_NODES - (r->calls & 3));
        r->calls >>= 2;
    }
    else {
        r->left = c == '/' || c == ':' || c == '@'            ? OPERAND_NONE
                  : is_own                                    ? OPERAND_OWN
                  : c == '"' || c == '\'' || tmpl_is_digit(c) ? OPERAND_VALUE
                  : c == '.' && tmpl_is_digit(token.at[1])    ? OPERAND_VALUE
                  : c == '.' && token.len == 1 && begins      ? OPERAND_TEXT
                                                              : OPERAND_NODES;
    }
    r->begins = begins;
    r->path = c == '.' && token.len == 1 && begins ? PATH_AT_NODE : PATH_GOES_ON;
}

unsigned tmpl_xpath_does(const char *text)
{
    reading_xpath_t r = { 0 };
    token_t before = { text, 0 };
    for (token_t token = next_token(text); token.len > 0;
         token = next_token(token.at + token.len)) {
        if (!read_operator(&r, token, before) && !read_bracket(&r, token, before)) {
            read_operand(&r, token);
        }
        before = token;
    }
    return r.does;
}

/* --- what it may cost --- */

typedef struct {
    uint64_t elements, texts, attributes;
    uint64_t bytes; /* of texts and attributes */
    uint64_t cast;  /* bytes of the strings of all nodes */
} tree_size_t;

static uint64_t node_bytes(const xmlNode *text)
{
    return text != NULL && text->content != NULL ? strlen((const char *)text->content) : 0;
}

static void measure_tree(tree_size_t *size, const xmlDoc *doc)
{
    const xmlNode *top = xmlDocGetRootElement(doc);
    *size = (tree_size_t){ 0 };
    for (const xmlNode *node = top; node != NULL; node = tmpl_dom_next(node, top, 0)) {
        if (node->type == XML_TEXT_NODE) {
            uint64_t depth = 1, bytes = node_bytes(node);
            for (const xmlNode *up = node; up != NULL; up = up->parent) {
                depth++;
            }
            size->texts++;
            size->bytes += bytes;
            size->cast += depth * bytes;
            continue;
        }
        size->elements++;
        for (const xmlAttr *attr = node->properties; attr != NULL; attr = attr->next) {
            size->attributes++;
            size->bytes += node_bytes(attr->children);
            size->cast += node_bytes(attr->children);
        }
    }
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*
 * The figures keep all expressions of tests/dom/test_xpath.c below a second, and take what the
 * largest of 1,200 real pages (12,000 nodes, 100 KB of text) needs for usual expressions.
 */
unsigned long tmpl_xpath_most(const char *text, const xmlDoc *doc)
{
    static const uint64_t all = 5000000, merged = 2000000000, cast = 400000000, paired = 1000000000,
                          read = 2000000000;
    unsigned does = tmpl_xpath_does(text);
    tree_size_t size;
    measure_tree(&size, doc);
    uint64_t most = least_of(all, 100000 + 100 * size.elements);
    uint64_t once = does & TMPL_XPATH_READS ? 4 * size.cast : size.bytes;
    most = least_of(most, read * size.elements / (once + 1));
    if (does & TMPL_XPATH_MERGES) {
        most = least_of(most, merged / (size.elements + size.texts + size.attributes / 4 + 1));
    }
    if (does & TMPL_XPATH_CASTS) {
        most = least_of(most, cast / (size.elements + size.texts + size.bytes / 32 + 1));
    }
    if (does & TMPL_XPATH_PAIRS) {
        most = least_of(most, paired / (size.cast + 1));
    }
    return most + 1; /* 0 would be no limit */
}

/* --- text that functions read --- */

/* Takes steps for the string of a node, until none are left; returns its bytes. */
static uint64_t count_node(xmlXPathContext *context, const xmlNode *node)
{
    uint64_t bytes = 0;
    if (node == NULL || node->type == XML_NAMESPACE_DECL) {
        return 0;
    }
    const xmlNode *top = node->type == XML_DOCUMENT_NODE || node->type == XML_HTML_DOCUMENT_NODE
                             ? xmlDocGetRootElement((const xmlDoc *)node)
                         : node->type == XML_ATTRIBUTE_NODE ? node->children
                                                            : node;
    uint64_t name = node->name != NULL ? strlen((const char *)node->name) : 0;
    for (node = top; node != NULL && context->opCount < context->opLimit;
         node = tmpl_dom_next(node, top, 0)) {
        uint64_t more = node->type == XML_TEXT_NODE ? node_bytes(node) : 0;
        bytes += more;
        context->opCount += 1 + more / 32;
    }
    context->opCount += name / 32;
    return bytes;
}

/* Takes steps for an argument; returns the bytes of its string. */
static uint64_t count_argument(xmlXPathContext *context, const xmlXPathObject *argument, int all)
{
    uint64_t bytes = 0;
    if (argument->type == XPATH_STRING) {
        bytes = strlen((const char *)argument->stringval);
        context->opCount += bytes / 32;
    }
    else if (argument->type == XPATH_NODESET && argument->nodesetval != NULL) {
        int n = argument->nodesetval->nodeNr;
        for (int i = 0; i < (all || n < 1 ? n : 1); i++) {
            bytes += count_node(context, argument->nodesetval->nodeTab[i]);
        }
    }
    return bytes;
}

static xmlXPathFunction function_of(xmlXPathContext *context, const xmlChar *name)
{
    xmlXPathFuncLookupFunc lookup = context->funcLookupFunc;
    context->funcLookupFunc = NULL;
    xmlXPathFunction function = xmlXPathFunctionLookup(context, name);
    context->funcLookupFunc = lookup;
    return function;
}

static void counted(xmlXPathParserContext *parser, int n)
{
    static const char *const of_all[] = { "sum", "id", NULL };
    static const char *const of_product[] = { "contains", "substring-before", "substring-after",
                                              "translate", NULL };
    xmlXPathContext *context = parser->context;
    const char *name = (const char *)context->function;
    token_t token = { name, strlen(name) };
    uint64_t bytes[2] = { 0, 0 };
    for (int i = 0; i < n; i++) {
        bytes[i > 0] = count_argument(context, parser->valueTab[parser->valueNr - n + i],
                                      is_any_of(token, of_all));
        if (i == 1 && is_any_of(token, of_product)) {
            context->opCount += (bytes[0] + 1) * bytes[1] / 64; /* reads each for each byte */
        }
    }
    if (n == 0) {
        count_node(context, context->node);
    }
    if (context->opCount >= context->opLimit) {
        parser->error = XPATH_OP_LIMIT_EXCEEDED;
        return;
    }
    function_of(context, context->function)(parser, n);
}

static xmlXPathFunction find_counted(void *data, const xmlChar *name, const xmlChar *space)
{
    static const char *const reads_none[] = { "boolean", "count",    "false", "last",
                                              "not",     "position", "true",  NULL };
    token_t token = { (const char *)name, strlen((const char *)name) };
    return space == NULL && !is_any_of(token, reads_none) && function_of(data, name) != NULL
               ? counted
               : NULL;
}

void tmpl_xpath_count_text(xmlXPathContext *context)
{
    context->funcLookupData = context;
    context->funcLookupFunc = find_counted;
}
