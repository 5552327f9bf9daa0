/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign marks: attributes data-tmpl and comments <!--tmpl--> or <!--/tmpl--> that the page itself
 * contains, which readers of annotated pages must not take for ours. Both functions return the
 * offset of "tmpl" in such a mark, or 0.
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
