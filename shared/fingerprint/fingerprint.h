/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page + verdicts -> fingerprint: 64 bits that represent the text of a page that is not template.
 * Pages with the same article have fingerprints a few bits apart, whatever template is around it.
 * docs/fingerprint.md defines it exactly, with a program in another language.
 *
 * It is a sketch of the set of shingles (Broder, "On the resemblance and containment of documents",
 * 1997): a single permutation divided into bins (Li, Owen and Zhang, "One permutation hashing",
 * NIPS 2012, sections 2 and 3), with one bit of the least value of each bin (Li and Koenig, "b-bit
 * minwise hashing", WWW 2010, section 2, b = 1).
 */
#ifndef TMPL_FINGERPRINT_H
#define TMPL_FINGERPRINT_H

#include "detect/verdict.h"

/* Words in a shingle. */
#define TMPL_FINGERPRINT_SHINGLE 3

/* A text of fewer words has no fingerprint: changing one word would change half of the bits. */
#define TMPL_FINGERPRINT_LEAST 16

typedef struct {
    uint64_t bits;
    uint32_t words; /* words of the text; with fewer than TMPL_FINGERPRINT_LEAST, bits is 0 */
} tmpl_fingerprint_t;

/*
 * Fills fingerprint for the blocks of page that verdicts call content; verdicts NULL: for all
 * blocks. charset is the charset of the Content-Type header, or NULL. Nothing from pool is needed
 * afterwards.
 */
void tmpl_fingerprint(tmpl_fingerprint_t *fingerprint, const tmpl_page_t *page,
                      const tmpl_verdict_t *verdicts, const char *charset, apr_pool_t *pool);

/* The fingerprint as 16 hexadecimal digits, from pool; NULL if the text is too short for one. */
const char *tmpl_fingerprint_text(const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                                  const char *charset, apr_pool_t *pool);

#endif
