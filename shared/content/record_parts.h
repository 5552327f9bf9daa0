/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes are to the records that they are in. */
#ifndef TMPL_RECORD_PARTS_H
#define TMPL_RECORD_PARTS_H

#include "content/record_fields.h"

/*
 * The part of each node (groups.h), from p->pool, of records whose fields are read; and which cards
 * are small. owners: of each node, the index of the record in whose own part it is.
 */
const unsigned char *tmpl_record_parts(const tmpl_groups_t *groups, const uint32_t *owners,
                                       const tmpl_record_page_t *p);

#endif
