/* SPDX-License-Identifier: Apache-2.0 */
/* What names an outcome: a fingerprint of the content, and a version of the verdicts. */
#ifndef TMPL_OUTCOME_H
#define TMPL_OUTCOME_H

#include "clean.h"

/*
 * The fingerprint of the page's content (fingerprint/fingerprint.h) as 16 hexadecimal digits, from
 * pool. NULL if the page was declined or not judged, or its content is too short.
 */
const char *tmpl_clean_fingerprint(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                                   apr_pool_t *pool);

/*
 * Fills outcome->version: a hash of all that decided the verdicts beside the page. Equal pages with
 * equal versions have equal verdicts, also if the site's table was imported elsewhere. Temporary
 * memory is from pool.
 *
 *     upper 32 bits   this library's version, the models, the settings that decide, and the site's
 *                     table: its documents, and how often an entry has reached MinDF
 *     lower 32 bits   what the table says of this page's own keys
 *
 * So while nothing is learnt of a site, all its pages have the same upper half. Neither half
 * reveals anything about the secret that seeds the keys.
 */
void tmpl_clean_version(tmpl_outcome_t *outcome, const tmpl_clean_opts_t *opts, apr_pool_t *pool);

#endif
