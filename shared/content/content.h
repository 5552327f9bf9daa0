/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page, edits -> content: what the page's edits leave, as a tree, with the page's address and its
 * metadata. All forms in which content is sent begin here: Markdown, JSON, the reader view.
 */
#ifndef TMPL_CONTENT_H
#define TMPL_CONTENT_H

#include "content/groups.h"
#include "content/href.h"
#include "metadata/metadata.h"

typedef struct {
    const tmpl_page_t *page;
    const tmpl_edits_t *edits; /* which only delete */
    tmpl_decoder_t decoder;
    const xmlNode *html; /* its children are head and body (dom/dom.h) */
    const xmlNode *body;
    const xmlNode *headline; /* the heading in body that is the page's title; NULL: there is none */
    uint32_t before;         /* bytes of text in front of it that is not template */
    tmpl_hrefs_t hrefs;      /* the page's address, for references in the tree */
    const tmpl_verdict_t *verdicts; /* by block, with parts; NULL: the page was not judged */
    tmpl_metadata_t metadata;
    tmpl_groups_t groups; /* its records */
    int languages;        /* elements of the body may have lang and dir, and opts asked for them */
} tmpl_content_t;

/* What is known of a page beside its bytes. */
typedef struct {
    const char *url;     /* the page's absolute URL; NULL: its canonical address, if it has one */
    const char *charset; /* from the Content-Type header; NULL: none */
    const tmpl_verdict_t *verdicts; /* by block, with parts; NULL: the page was not judged */
    int posts;  /* the tree is without what TMPL_RECORD_BESIDE says: whoever writes it writes the
                   fields of posts */
    int titles; /* also without TMPL_RECORD_TITLED: whoever writes it writes small cards' titles */
    int languages; /* the tree has spans with lang or dir */
} tmpl_content_opts_t;

/*
 * Reads the content of a page, from pool; page and edits must live as long. Returns 0 if the tree
 * would take too much memory (dom/dom.h).
 */
int tmpl_content_read(tmpl_content_t *content, const tmpl_page_t *page, const tmpl_edits_t *edits,
                      const tmpl_content_opts_t *opts, apr_pool_t *pool);

#endif
