/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page + verdicts -> fingerprint: 64 bits that stand for the text that is not template, so that
 * whoever collects pages can tell by them that two hold the same article, whatever stands around it.
 * docs/fingerprint.md has all of it to the letter, and a program in another language.
 *
 * A sketch of the set of shingles: Broder, "On the resemblance and containment of documents" (1997),
 * with a single permutation cut into bins and one bit kept of each bin's least value: Li, Owen and
 * Zhang, "One permutation hashing" (NIPS 2012), sections 2 and 3; Li and Koenig, "b-bit minwise hashing"
 * (WWW 2010), section 2, with b = 1.
 */
#ifndef TMPL_FINGERPRINT_H
#define TMPL_FINGERPRINT_H

#include "detect/verdict.h"

/* Words of a shingle. */
#define TMPL_FINGERPRINT_SHINGLE 3

/* A text of fewer words has no fingerprint: one word changed would move it as far as another text. */
#define TMPL_FINGERPRINT_LEAST 16

/* At most so many bits apart, two fingerprints are taken to be of the same article. */
#define TMPL_FINGERPRINT_NEAR 16

typedef struct {
    uint64_t bits;
    uint32_t
        words; /* that were read; fewer than TMPL_FINGERPRINT_LEAST: there is none, bits is 0 */
} tmpl_fingerprint_t;

/*
 * The fingerprint of the blocks of page that are not template by verdicts (NULL: of all blocks).
 * charset is what the Content-Type header says, or NULL. What is allocated from pool, room for the
 * longest words and texts, is not needed afterwards.
 */
void tmpl_fingerprint(tmpl_fingerprint_t *fingerprint, const tmpl_page_t *page,
                      const tmpl_verdict_t *verdicts, const char *charset, apr_pool_t *pool);

/*
 * The same as text, 16 hexadecimal digits from pool; NULL if there is none. What else is allocated from pool is not
 * needed afterwards.
 */
const char *tmpl_fingerprint_text(const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                                  const char *charset, apr_pool_t *pool);

/* In how many of their 64 bits two fingerprints differ. */
static inline unsigned tmpl_fingerprint_distance(uint64_t a, uint64_t b)
{
    return (unsigned)__builtin_popcountll(a ^ b);
}

#endif
