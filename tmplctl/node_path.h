/* SPDX-License-Identifier: Apache-2.0 */
/* Where elements and blocks are in a page, for people: "html/body/div/ul", and spans. */
#ifndef CTL_NODE_PATH_H
#define CTL_NODE_PATH_H

#include "clean.h"

/* The tag names from the root down to the node, from pool; "" for TMPL_NONE. */
const char *ctl_node_path(const tmpl_page_t *page, uint32_t node, apr_pool_t *pool);

/* The span from a block's first segment to its last segment; 0, 0 without segments. */
tmpl_span_t ctl_block_span(const tmpl_page_t *page, const tmpl_block_t *block);

#endif
