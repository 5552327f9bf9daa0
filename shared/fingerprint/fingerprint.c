/* SPDX-License-Identifier: Apache-2.0 */
#include "fingerprint/fingerprint.h"

#include <apr_strings.h>

#include "fingerprint/sketch.h"
#include "text/text.h"

static void add_code_to_sketch(void *ctx, uint32_t code)
{
    tmpl_sketch_add_code(ctx, code);
}

static void add_ascii_to_sketch(void *ctx, const char *bytes, apr_size_t len)
{
    tmpl_sketch_add(ctx, bytes, len);
}

void tmpl_fingerprint(tmpl_fingerprint_t *fingerprint, const tmpl_page_t *page,
                      const tmpl_verdict_t *verdicts, const char *charset, apr_pool_t *pool)
{
    tmpl_sketch_t sketch;
    tmpl_decoder_t decoder;
    tmpl_text_sink_t sink = { add_code_to_sketch, add_ascii_to_sketch, &sketch };
    tmpl_sketch_init(&sketch);
    tmpl_decoder_find(&decoder, page->src, page->len, charset, pool);
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        if (verdicts == NULL || !verdicts[i].template) {
            tmpl_text_block_to(&sink, page, i, &decoder, pool);
            tmpl_sketch_add_code(&sketch, ' ');
        }
    }
    tmpl_sketch_end(&sketch);
    fingerprint->words = sketch.n_words;
    fingerprint->bits = sketch.n_words >= TMPL_FINGERPRINT_LEAST ? tmpl_sketch_bits(&sketch) : 0;
}

const char *tmpl_fingerprint_text(const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                                  const char *charset, apr_pool_t *pool)
{
    tmpl_fingerprint_t fingerprint;
    tmpl_fingerprint(&fingerprint, page, verdicts, charset, pool);
    return fingerprint.words >= TMPL_FINGERPRINT_LEAST
               ? apr_psprintf(pool, "%016" APR_UINT64_T_HEX_FMT, fingerprint.bits)
               : NULL;
}
