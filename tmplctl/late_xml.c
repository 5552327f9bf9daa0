/* SPDX-License-Identifier: Apache-2.0 */
/* libxml2, which brings ICU and the library of C++, for commands that need a tree (library.h). */
#include <pthread.h>
#include <stdlib.h>

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/uri.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include "library.h"
#include "no_memory.h"

#if LIBXML_VERSION < 21400
#define LIBRARY "libxml2.so.2"
#else
#define LIBRARY "libxml2.so.16"
#endif

/* clang-format off */
#define FUNCTIONS(X) \
    X(htmlDocPtr, htmlCtxtReadMemory, \
      (htmlParserCtxtPtr parser, const char *s, int len, const char *url, const char *encoding, int options), \
      (parser, s, len, url, encoding, options)) \
    X(void, htmlFreeParserCtxt, (htmlParserCtxtPtr parser), (parser)) \
    X(htmlParserCtxtPtr, htmlNewParserCtxt, (void), ()) \
    X(xmlChar *, xmlBuildURI, (const xmlChar *uri, const xmlChar *base), (uri, base)) \
    X(xmlNodePtr, xmlDocGetRootElement, (const xmlDoc *doc), (doc)) \
    X(xmlNodePtr, xmlDocSetRootElement, (xmlDocPtr doc, xmlNodePtr root), (doc, root)) \
    X(void, xmlFreeDoc, (xmlDocPtr doc), (doc)) \
    X(xmlChar *, xmlGetNodePath, (const xmlNode *node), (node)) \
    X(xmlDocPtr, xmlNewDoc, (const xmlChar *version), (version)) \
    X(xmlNodePtr, xmlNewDocNode, \
      (xmlDocPtr doc, xmlNsPtr space, const xmlChar *name, const xmlChar *content), \
      (doc, space, name, content)) \
    X(void, xmlStopParser, (xmlParserCtxtPtr parser), (parser)) \
    X(int, xmlStrlen, (const xmlChar *s), (s)) \
    X(char *, xmlURIUnescapeString, (const char *s, int len, char *target), (s, len, target)) \
    X(int, xmlUTF8Strlen, (const xmlChar *s), (s)) \
    X(xmlXPathObjectPtr, xmlXPathCompiledEval, \
      (xmlXPathCompExprPtr expression, xmlXPathContextPtr context), (expression, context)) \
    X(xmlXPathCompExprPtr, xmlXPathCtxtCompile, (xmlXPathContextPtr context, const xmlChar *s), (context, s)) \
    X(xmlXPathObjectPtr, xmlXPathEvalExpression, (const xmlChar *s, xmlXPathContextPtr context), (s, context)) \
    X(void, xmlXPathFreeCompExpr, (xmlXPathCompExprPtr expression), (expression)) \
    X(void, xmlXPathFreeContext, (xmlXPathContextPtr context), (context)) \
    X(void, xmlXPathFreeObject, (xmlXPathObjectPtr object), (object)) \
    X(xmlXPathFunction, xmlXPathFunctionLookup, (xmlXPathContextPtr context, const xmlChar *name), (context, name)) \
    X(xmlXPathContextPtr, xmlXPathNewContext, (xmlDocPtr doc), (doc)) \
    X(long, xmlXPathOrderDocElems, (xmlDocPtr doc), (doc))
/* clang-format on */

static struct {
    void (*init)(void);
    __typeof__(xmlMemSetup) *set_memory;
    FUNCTIONS(CTL_LATE_FIELD)
} found;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const ctl_function_t functions[] = { { "xmlInitParser", (void **)(void *)&found.init },
                                                { "xmlMemSetup",
                                                  (void **)(void *)&found.set_memory },
                                                FUNCTIONS(CTL_LATE_ROW) };
    ctl_library_require(LIBRARY, functions, sizeof(functions) / sizeof(functions[0]));
    found.set_memory(free, ctl_malloc, ctl_realloc, ctl_strdup);
    found.init(); /* here, before another thread can use libxml2: it is not thread-safe */
}

FUNCTIONS(CTL_LATE_FUNCTION)

/* a variable of libxml2, with the value that it has there, too */
xmlFreeFunc xmlFree = free;
