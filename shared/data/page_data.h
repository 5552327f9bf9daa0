/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content -> a page as data: one JSON object, which conf/page.schema.json describes. Metadata are
 * its members; parts, links and images are what detectors keep of the page (markdown/fragments.h).
 */
#ifndef TMPL_PAGE_DATA_H
#define TMPL_PAGE_DATA_H

#include "content/content.h"
#include "markdown/fragments.h"

/* The version of the schema. A member that is added does not change it. */
#define TMPL_DATA_SCHEMA "1"

/* What is known of a page beside its content. */
typedef struct {
    const char *declined;    /* why the page is whole; NULL: it is not */
    double confidence;       /* cut/closure.h; if there are verdicts; < 0: not said */
    const char *fingerprint; /* NULL: there is none */
    uint64_t version;        /* of the verdicts (clean.h); 0: not known */
} tmpl_data_opts_t;

/*
 * Returns the object and a newline, *len bytes and a NUL, from pool. NULL if it would be more than
 * twice as long as Markdown may be (markdown.h).
 */
const char *tmpl_data(apr_size_t *len, const tmpl_content_t *content, const tmpl_data_opts_t *opts,
                      apr_pool_t *pool);

#endif
