/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks that a page brings itself: attributes data-tmpl and comments <!--tmpl--> or <!--/tmpl-->. Whoever
 * reads our marks must not take them for ours. Both functions return where "tmpl" stands in what would
 * pass for one, or 0.
 */
#ifndef TMPL_FOREIGN_MARKS_H
#define TMPL_FOREIGN_MARKS_H

#include "html/attr.h"

static inline uint32_t tmpl_foreign_mark_in_attribute(const char *src, const tmpl_attr_t *attr)
{
    return tmpl_span_is(src, attr->name, "data-tmpl") ? attr->name.end - 4 : 0;
}

uint32_t tmpl_foreign_mark_in_comment(const char *src, tmpl_span_t comment);

#endif
