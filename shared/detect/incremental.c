/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/incremental.h"

void tmpl_detect_incremental(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                             const tmpl_record_t *records, uint32_t min_df, double threshold)
{
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        uint32_t template_length = 0;
        for (uint32_t s = block->first_segment; s < block->after_segment; s++) {
            if (records[page->segments[s].key].df >= min_df) {
                template_length += page->segments[s].length;
            }
        }
        double ratio = block->length > 0 ? (double)template_length / block->length : 0.0;
        verdicts[b].ratio = (float)ratio;
        verdicts[b].template = ratio > threshold;
    }
}
