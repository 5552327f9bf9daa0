/* SPDX-License-Identifier: Apache-2.0 */
#include "room.h"

#include "rewrite/highlight.h"

int tmpl_takes_too_much(const tmpl_page_t *page, const tmpl_clean_opts_t *opts, uint64_t n_keys)
{
    enum { CLOSURE_BYTES = 40, MARK_BYTES = 4 * sizeof(tmpl_edit_t) };
    int is_early;
    uint64_t detecting = tmpl_detector_memory(opts->detector, page, &is_early);
    uint64_t more_marks =
        opts->mode == TMPL_MODE_ANNOTATE && opts->marks != NULL ? opts->marks->n - 1 : 0;
    uint64_t observed = n_keys * sizeof(tmpl_key_t) + page->n_segments * sizeof(tmpl_share_t) +
                        page->n_blocks * sizeof(tmpl_block_paths_t);
    uint64_t kept = page->n_nodes * sizeof(*page->nodes) +
                    page->n_segments * sizeof(*page->segments) +
                    page->n_keys * sizeof(*page->keys) + page->n_blocks * sizeof(*page->blocks) +
                    observed + n_keys * sizeof(tmpl_record_t);
    uint64_t counting = n_keys * TMPL_STORE_KEY_BYTES + (is_early ? detecting : 0);
    uint64_t judging =
        observed + page->n_segments * (CLOSURE_BYTES + more_marks * MARK_BYTES) + detecting;
    return kept + (counting > judging ? counting : judging) > tmpl_page_memory(page->len) ||
           (opts->mode == TMPL_MODE_HIGHLIGHT && page->n_segments > TMPL_HIGHLIGHT_SEGMENTS);
}
