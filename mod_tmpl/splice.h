/* SPDX-License-Identifier: Apache-2.0 */
/* Edits into a page's own buckets. */
#ifndef TMPL_SPLICE_H
#define TMPL_SPLICE_H

#include "mod_tmpl.h"

/*
 * Applies edits to the data of bb in one pass. Metadata keeps its position; long runs of data are
 * shared, short ones and the edits' texts are copied together. The lengths of all buckets must be
 * known. Pointers into the data that were read from bb are invalid afterwards. Returns an error if
 * a bucket cannot be read or split.
 */
apr_status_t tmpl_splice(apr_bucket_brigade *bb, const tmpl_edits_t *edits);

/* Replaces the data of bb by a copy of len bytes; the metadata buckets follow the copy. */
void tmpl_splice_body(apr_bucket_brigade *bb, const char *body, apr_size_t len);

#endif
