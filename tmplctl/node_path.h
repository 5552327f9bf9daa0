/* SPDX-License-Identifier: Apache-2.0 */
/* Where an element stands, for a person: "html/body/div/ul". */
#ifndef CTL_NODE_PATH_H
#define CTL_NODE_PATH_H

#include "clean.h"

/* The tag names from the root down to the node; "" for TMPL_NONE. */
const char *ctl_node_path(const tmpl_page_t *page, uint32_t node, apr_pool_t *pool);

/* From the first segment of a block to its last. */
tmpl_span_t ctl_block_span(const tmpl_page_t *page, const tmpl_block_t *block);

#endif
