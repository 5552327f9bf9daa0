/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/why.h"

#include "base/names.h"

TMPL_ENUM_COLUMN(tmpl_rule_name, tmpl_rule_e, TMPL_RULES, TMPL_COLUMN_2)
TMPL_ENUM_COLUMN(tmpl_rule_text, tmpl_rule_e, TMPL_RULES, TMPL_COLUMN_3)

void tmpl_why_changed(tmpl_why_t *why, const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                      tmpl_rule_e rule)
{
    int is_first = why->page == NULL;
    if (is_first) {
        why->page = page;
        why->blocks = apr_pcalloc(why->pool, page->n_blocks * sizeof(*why->blocks));
    }
    for (uint32_t b = 0; b < page->n_blocks; b++) {
        tmpl_why_block_t *block = &why->blocks[b];
        if (is_first || block->verdict.template != verdicts[b].template) {
            block->rule = rule;
        }
        block->verdict = verdicts[b];
    }
}
