/* SPDX-License-Identifier: Apache-2.0 */
#include "dom/dom_nodes.h"

#include <string.h>

#include "base/bytes.h"
#include "html/attr.h"

/* Bytes of memory that are taken from the pool at once. */
#define CHUNK 2000

/* --- Text --- */

static void add_dom_code(tmpl_buf_t *buf, uint32_t code)
{
    /* U+FFFE and U+FFFF are no characters of XML */
    tmpl_buf_add_char(buf, code == 0xFFFE || code == 0xFFFF ? TMPL_REPLACEMENT : code);
}

/* The number of bytes at the start that stand for themselves: most of ASCII. */
static apr_size_t plain_bytes(const char *text, apr_size_t len, const char *limit)
{
    for (apr_size_t n = 0; n < len; n += TMPL_BYTES16) {
        tmpl_bytes16_t bytes = tmpl_bytes16(text + n, limit);
        unsigned odd = tmpl_bytes16_bits(
            (tmpl_bytes16_t)(((bytes < ' ') & (bytes != '\n')) | (bytes >= 0x80) | (bytes == '&')));
        if (odd != 0) {
            n += (apr_size_t)__builtin_ctz(odd);
            return n < len ? n : len;
        }
    }
    return len;
}

/* Adds a character that is written as a reference, or a control; but no soft hyphen to a text. */
static void add_odd(tmpl_buf_t *buf, uint32_t code, tmpl_reference_e where)
{
    enum { SOFT_HYPHEN = 0xAD };
    if (code == SOFT_HYPHEN && where == TMPL_IN_TEXT) {
        return;
    }
    if ((code >= ' ' && code != 0x7F) || code == '\n' || code == '\t') {
        add_dom_code(buf, code);
    }
    else if (code == '\f' || code == '\r') {
        tmpl_buf_add_byte(buf, '\n');
    }
}

static void add_utf8(tmpl_buf_t *buf, const char *text, apr_size_t len, const char *limit,
                     tmpl_reference_e where)
{
    for (apr_size_t i = 0, used; i < len; i += used) {
        used = plain_bytes(text + i, len - i, limit);
        if (used > 0) {
            tmpl_buf_add(buf, text + i, used);
            continue;
        }
        if (text[i] == '&') {
            tmpl_reference_t reference = tmpl_reference_read(text + i, len - i, where);
            used = reference.used;
            if (used > 0) {
                add_odd(buf, reference.codes[0], where);
                if (reference.codes[1] != 0) {
                    add_odd(buf, reference.codes[1], where);
                }
                continue;
            }
        }
        uint32_t code = tmpl_utf8_next(text + i, len - i, &used);
        if (code == '\r' && i + 1 < len && text[i + 1] == '\n') {
            continue;
        }
        add_odd(buf, code, where);
    }
}

void tmpl_dom_decode(tmpl_buf_t *buf, const tmpl_decoder_t *decoder, const tmpl_page_t *page,
                     tmpl_span_t span, tmpl_reference_e where)
{
    const char *text = page->src + span.start;
    apr_size_t before = buf->len;
    if (decoder->xlate == NULL) {
        add_utf8(buf, text, tmpl_span_len(span), page->src + page->len, where);
        return;
    }
    /* references are decoded where the converted text ends, and moved to where it began */
    tmpl_decode(buf, decoder, text, tmpl_span_len(span));
    apr_size_t len = buf->len - before;
    tmpl_buf_room(buf, 4 * len + 16); /* so that the buffer does not move while it is read */
    apr_size_t middle = buf->len;
    add_utf8(buf, buf->at + before, len, buf->at + middle, where);
    memmove(buf->at + before, buf->at + middle, buf->len - middle + 1);
    buf->len = before + (buf->len - middle);
}

/* --- Nodes --- */

const char *tmpl_dom_stored(const xmlNode *element, const char *name)
{
    for (const xmlAttr *attr = element->properties; attr != NULL; attr = attr->next) {
        if (strcmp((const char *)attr->name, name) == 0) {
            return attr->children != NULL ? (const char *)attr->children->content : "";
        }
    }
    return NULL;
}

/* Memory for the tree, all zero; NULL if the tree may take no more. */
static void *take_dom_memory(tmpl_dom_maker_t *m, uint64_t bytes)
{
    bytes = (bytes + 7) & ~(uint64_t)7;
    m->full |= bytes > m->left;
    if (m->full) {
        return NULL;
    }
    if (bytes > m->n_free) {
        m->n_free = bytes > CHUNK ? bytes : CHUNK;
        m->free = apr_pcalloc(m->pool, m->n_free + TMPL_BYTES16);
    }
    m->left -= bytes;
    m->n_free -= bytes;
    m->free += bytes;
    return m->free - bytes;
}

/* Adds a node with room for bytes of text behind it. */
static xmlNode *append(tmpl_dom_maker_t *m, xmlNode *parent, xmlElementType type, const char *name,
                       apr_size_t bytes)
{
    xmlNode *node = take_dom_memory(m, sizeof(*node) + bytes);
    if (node == NULL) {
        return NULL;
    }
    node->type = type;
    node->name = (const xmlChar *)name;
    node->doc = m->doc;
    node->parent = parent;
    node->prev = parent->last;
    *(parent->last != NULL ? &parent->last->next : &parent->children) = node;
    parent->last = node;
    return node;
}

xmlNode *tmpl_dom_add_text(tmpl_dom_maker_t *m, xmlNode *parent, const tmpl_buf_t *converted)
{
    xmlNode *text = append(m, parent, XML_TEXT_NODE, "text", converted->len + 1);
    if (text != NULL) {
        text->content = memcpy(text + 1, converted->at, converted->len);
    }
    return text;
}

void tmpl_dom_add_span(tmpl_dom_maker_t *m, xmlNode *parent, tmpl_span_t span,
                       tmpl_reference_e where)
{
    tmpl_buf_clear(&m->text);
    tmpl_dom_decode(&m->text, m->opts->decoder, m->page, span, where);
    tmpl_dom_add_text(m, parent, &m->text);
}

void tmpl_dom_add_raw(tmpl_dom_maker_t *m, xmlNode *parent, tmpl_span_t span)
{
    tmpl_buf_clear(&m->text);
    tmpl_decode(&m->text, m->opts->decoder, m->page->src + span.start, tmpl_span_len(span));
    tmpl_dom_add_text(m, parent, &m->text);
}

/* The name at span in lower case, with '_' for bytes that XML forbids. */
static const char *dom_name_of(tmpl_dom_maker_t *m, tmpl_span_t span)
{
    tmpl_buf_clear(&m->text);
    for (uint32_t i = span.start; i < span.end; i++) {
        char c = tmpl_lower(m->page->src[i]);
        int first = i == span.start;
        int may =
            tmpl_is_alpha(c) || c == '_' || (!first && (tmpl_is_digit(c) || c == '-' || c == '.'));
        tmpl_buf_add_byte(&m->text, may ? c : '_');
    }
    char *copy = take_dom_memory(m, m->text.len + 1);
    return copy != NULL ? memcpy(copy, m->text.at, m->text.len) : NULL;
}

static const char *tag_name(tmpl_dom_maker_t *m, tmpl_tag_e tag, tmpl_span_t open)
{
    if (tag == TMPL_TAG_OTHER) {
        uint32_t end = tmpl_tag_name_end(m->page->src, open.end, open.start + 1);
        return dom_name_of(m, (tmpl_span_t){ open.start + 1, end });
    }
    return tmpl_tag_name(tag);
}

static void add_attribute(tmpl_dom_maker_t *m, xmlNode *element, xmlAttr **last,
                          const tmpl_attr_t *attr)
{
    const char *name = dom_name_of(m, attr->name);
    if (name == NULL || tmpl_dom_stored(element, name) != NULL) {
        return;
    }
    xmlAttr *added = take_dom_memory(m, sizeof(*added));
    if (added == NULL) {
        return;
    }
    added->type = XML_ATTRIBUTE_NODE;
    added->name = (const xmlChar *)name;
    added->parent = element;
    added->doc = m->doc;
    added->prev = *last;
    *(*last != NULL ? &(*last)->next : &element->properties) = added;
    *last = added;
    /* xmlAttr begins as xmlNode does: libxml2 itself treats one as the other */
    tmpl_dom_add_span(m, (xmlNode *)added, attr->value, TMPL_IN_ATTRIBUTE);
}

static void add_attributes(tmpl_dom_maker_t *m, xmlNode *element, tmpl_span_t open)
{
    tmpl_attr_t attr;
    xmlAttr *last = NULL;
    uint32_t at = tmpl_attr_first(m->page->src, open);
    for (int n = 0; n < TMPL_DOM_ATTRIBUTES && !m->full &&
                    tmpl_attr_next(&attr, m->page->src, open.end, &at) == TMPL_ATTR_FOUND;
         n++) {
        add_attribute(m, element, &last, &attr);
    }
}

void tmpl_dom_give_tag(tmpl_dom_maker_t *m, xmlNode *element, tmpl_span_t open)
{
    if (tmpl_span_len(open) == 0 || element->psvi != NULL) {
        return;
    }
    if (!m->opts->content) {
        add_attributes(m, element, open);
    }
    else if (element->_private == NULL) {
        element->psvi = (void *)(uintptr_t)(open.start + 1);
    }
}

xmlNode *tmpl_dom_add_element(tmpl_dom_maker_t *m, xmlNode *parent, tmpl_tag_e tag,
                              tmpl_span_t open, uint32_t node)
{
    const char *name = tag_name(m, tag, open);
    xmlNode *element = name != NULL ? append(m, parent, XML_ELEMENT_NODE, name, 0) : NULL;
    if (element != NULL) {
        element->_private = (void *)(uintptr_t)(node + 1);
        tmpl_dom_give_tag(m, element, open);
    }
    return element;
}
