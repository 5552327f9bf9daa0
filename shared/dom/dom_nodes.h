/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a tree while it is made (dom.h), with their names, attributes and text. */
#ifndef TMPL_DOM_NODES_H
#define TMPL_DOM_NODES_H

#include "base/buf.h"
#include "dom/dom.h"
#include "text/decode.h"

typedef struct {
    const tmpl_page_t *page;
    const tmpl_dom_opts_t *opts;
    xmlDoc *doc;
    tmpl_buf_t text; /* the text that is being converted */
    tmpl_buf_t run;  /* converted text that has no node yet: the run of text behind the last tag */
    uint32_t first;  /* run begins with the segment first - 1; 0: it has white space alone */
    uint32_t at;     /* behind the last tag or text that was passed */
    uint32_t cut;    /* the next of opts->without */
    uint32_t pre;    /* index of the pre around, whose white space is displayed; 0: there is none */
    int hidden;      /* at is in an element that was skipped and has no end tag */
    uint64_t left;   /* bytes of memory that the tree may still take */
    char *free;      /* memory for the next nodes, all zero */
    uint64_t n_free;
    int full; /* the tree needs more memory, or malloc failed */
    apr_pool_t *pool;
} tmpl_dom_maker_t;

/*
 * Adds the bytes of span as UTF-8, as the HTML5 tokenizer reads them: character references are
 * decoded, and line ends are '\n'. Control characters that XML forbids are left out.
 */
void tmpl_dom_decode(tmpl_buf_t *buf, const tmpl_decoder_t *decoder, const tmpl_page_t *page,
                     tmpl_span_t span, tmpl_reference_e where);

/* Adds a text: what was converted, a span of the page, or one that has no references. */
xmlNode *tmpl_dom_add_text(tmpl_dom_maker_t *m, xmlNode *parent, const tmpl_buf_t *converted);
void tmpl_dom_add_span(tmpl_dom_maker_t *m, xmlNode *parent, tmpl_span_t span,
                       tmpl_reference_e where);
void tmpl_dom_add_raw(tmpl_dom_maker_t *m, xmlNode *parent, tmpl_span_t span);

/* Adds an element; open may be empty. NULL if the tree may take no more memory. */
xmlNode *tmpl_dom_add_element(tmpl_dom_maker_t *m, xmlNode *parent, tmpl_tag_e tag,
                              tmpl_span_t open, uint32_t node);

/* Gives an element the attributes of a start tag, or the place where they are read on demand. */
void tmpl_dom_give_tag(tmpl_dom_maker_t *m, xmlNode *element, tmpl_span_t open);

/* The value of an attribute that the tree has; NULL: none. */
const char *tmpl_dom_stored(const xmlNode *element, const char *name);

#endif
