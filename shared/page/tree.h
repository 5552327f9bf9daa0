/* SPDX-License-Identifier: Apache-2.0 */
/* tokens -> nodes of a page, and their segments. */
#ifndef TMPL_TREE_H
#define TMPL_TREE_H

#include "page/build.h"

/* Adds all nodes, and through segment.h their segments. Declines nodes deeper than max_depth. */
tmpl_decline_e tmpl_tree_build(tmpl_build_t *build);

#endif
