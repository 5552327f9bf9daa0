/* SPDX-License-Identifier: Apache-2.0 */
#include "dom/xpath_cost.h"

#include <string.h>

#include <libxml/xpathInternals.h>

#include "base/ascii.h"
#include "dom/dom.h"
#include "html/attr.h"

/* --- what an expression does --- */

/* Tokens of an expression that are told apart; a longer one may do everything. */
#define TOKENS 500

typedef struct {
    const char *at;
    uint32_t len; /* 0: the end */
    int is_operator;
    unsigned open; /* of ')': index of its '('; of '(': of the one around */
} token_t;

/* What stands on a side of an operator. */
typedef enum {
    SIDE_VALUE, /* a string, a number or a boolean */
    SIDE_OWN,   /* an attribute of the context's node */
    SIDE_TEXT,  /* "." or "text()": the text of the context's node */
    SIDE_NODES
} side_e;

static int is_xpath_name_byte(char c)
{
    return tmpl_is_alnum(c) || (unsigned char)c >= 0x80 || (c != '\0' && strchr("_-.", c) != NULL);
}

/* Whether a token is one of a list, "a b c". */
static int is_any_of(const token_t *token, const char *words)
{
    return tmpl_span_is_any(token->at, (tmpl_span_t){ 0, token->len }, words);
}

static token_t next_token(const char *from)
{
    token_t token = { .at = from + strspn(from, " \t\r\n"), .len = 2 };
    const char *at = token.at;
    if (*at == '\'' || *at == '"') {
        const char *end = strchr(at + 1, *at);
        token.len = (uint32_t)(end != NULL ? (size_t)(end + 1 - at) : strlen(at));
        return token;
    }
    if (*at != '\0' && is_any_of(&token, ":: // .. != <= >=")) {
        return token;
    }
    token.len = *at != '\0';
    if (!is_xpath_name_byte(*at) || *at == '-' || (*at == '.' && !tmpl_is_digit(at[1]))) {
        return token;
    }
    while (is_xpath_name_byte(at[token.len]) ||
           (at[token.len] == ':' && at[token.len + 1] != ':' && at[token.len - 1] != ':')) {
        token.len++;
    }
    return token;
}

/* Fills tokens, behind one that is an operator. Returns how many there are; TOKENS: too many. */
static unsigned read_tokens(token_t *tokens, const char *text)
{
    unsigned n = 0, open = 0;
    tokens[0] = (token_t){ .at = text, .is_operator = 1 };
    do {
        token_t token = next_token(tokens[n].at + tokens[n].len);
        token.is_operator = is_any_of(&token, "| = != < <= > >= + -") ||
                            (is_any_of(&token, "* div mod and or") && !tokens[n].is_operator &&
                             !is_any_of(&tokens[n], "( [ , / // :: @"));
        tokens[++n] = token;
        if (*token.at == '(') {
            tokens[n].open = open;
            open = n;
        }
        else if (*token.at == ')') {
            tokens[n].open = open;
            open = tokens[open].open;
        }
    } while (tokens[n].len > 0 && n + 2 < TOKENS);
    tokens[n + 1] = tokens[n];
    return tokens[n].len > 0 ? TOKENS : n;
}

/* Whether a token is the first of a path. */
static int begins_path(const token_t *token)
{
    return token[-1].is_operator || is_any_of(token - 1, "( [ ,");
}

static int is_literal(const token_t *token)
{
    const char *at = token->at;
    return *at == '"' || *at == '\'' || tmpl_is_digit(*at) || (*at == '.' && tmpl_is_digit(at[1]));
}

/* What a name in front of a parenthesis gives. */
static side_e called(const token_t *name)
{
    int is_name = !name->is_operator && is_xpath_name_byte(*name->at);
    return is_name && is_any_of(name, "text") && begins_path(name) ? SIDE_TEXT
           : !is_name || is_any_of(name, "node comment processing-instruction id text")
               ? SIDE_NODES
               : SIDE_VALUE;
}

static side_e left_of(const token_t *operator, const token_t * tokens)
{
    const token_t *token = operator- 1;
    if (begins_path(operator) || is_literal(token)) { /* a minus, or a value */
        return SIDE_VALUE;
    }
    if (*token->at == ')') {
        return called(&tokens[token->open - 1]);
    }
    int is_own = is_xpath_name_byte(*token->at) && is_any_of(token - 1, "@");
    return is_own && begins_path(token - 1)              ? SIDE_OWN
           : is_any_of(token, ".") && begins_path(token) ? SIDE_TEXT
                                                         : SIDE_NODES;
}

static side_e right_of(const token_t *operator)
{
    const token_t *token = operator+ 1;
    return is_literal(token) || is_any_of(token, "-")                    ? SIDE_VALUE
           : is_xpath_name_byte(*token->at) && is_any_of(token + 1, "(") ? called(token)
           : is_any_of(token, "@")                                       ? SIDE_OWN
           : is_any_of(token, ".") && token[1].len == 1                  ? SIDE_TEXT
                                                                         : SIDE_NODES;
}

static unsigned operator_does(const token_t *operator, const token_t * tokens, int reads_once)
{
    side_e left = left_of(operator, tokens), right = right_of(operator);
    unsigned does = is_any_of(operator, "|") ? TMPL_XPATH_MERGES : 0;
    if (left == SIDE_TEXT || right == SIDE_TEXT) {
        does |= reads_once ? TMPL_XPATH_READS : TMPL_XPATH_CASTS;
    }
    if (!is_any_of(operator, "| and or") && (left == SIDE_NODES || right == SIDE_NODES)) {
        does |= TMPL_XPATH_CASTS;
    }
    if (is_any_of(operator, "= != < <= > >=") && left != SIDE_VALUE && right != SIDE_VALUE) {
        does |= TMPL_XPATH_PAIRS;
    }
    return does;
}

/* Whether a step from several nodes may reach one node twice. */
static int merges_nodes(const token_t *token)
{
    return (is_any_of(token + 1, "::") && !is_any_of(token, "child attribute self")) ||
           is_any_of(token, "..") ||
           (is_any_of(token, "//") && !begins_path(token) &&
            !(is_any_of(token - 1, ".") && begins_path(token - 1)));
}

unsigned tmpl_xpath_does(const char *text)
{
    token_t tokens[TOKENS];
    unsigned n = read_tokens(tokens, text), does = 0;
    int depth = 0; /* of predicates */
    if (n == TOKENS) {
        return TMPL_XPATH_MERGES | TMPL_XPATH_CASTS | TMPL_XPATH_PAIRS;
    }
    for (const token_t *token = tokens + 1; token < tokens + n; token++) {
        depth += is_any_of(token, "[") - is_any_of(token, "]");
        if (token->is_operator) {
            /* each node's text once, unless many nodes lead to one */
            does |= operator_does(token, tokens, depth == 1 && !(does & TMPL_XPATH_MERGES));
        }
        else if (merges_nodes(token)) {
            does |= TMPL_XPATH_MERGES;
        }
    }
    return does;
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
    xmlXPathContext *context = parser->context;
    token_t name = next_token((const char *)context->function);
    uint64_t bytes[2] = { 0, 0 };
    for (int i = 0; i < n; i++) {
        bytes[i > 0] = count_argument(context, parser->valueTab[parser->valueNr - n + i],
                                      is_any_of(&name, "sum id"));
        if (i == 1 && is_any_of(&name, "contains substring-before substring-after translate")) {
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
    token_t token = next_token((const char *)name);
    return space == NULL && !is_any_of(&token, "boolean count false last not position true") &&
                   function_of(data, name) != NULL
               ? counted
               : NULL;
}

void tmpl_xpath_count_text(xmlXPathContext *context)
{
    context->funcLookupData = context;
    context->funcLookupFunc = find_counted;
}
