/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes are to the records that they are in. */
#ifndef TMPL_RECORD_PARTS_H
#define TMPL_RECORD_PARTS_H

#include "content/record_fields.h"

/*
 * Fills parts and beside of groups, from p->pool, whose records have their fields; and which cards
 * are small. owners: of each node, the index of the record in whose own part it is.
 */
void tmpl_record_parts(tmpl_groups_t *groups, const uint32_t *owners, tmpl_record_page_t *p);

#endif
