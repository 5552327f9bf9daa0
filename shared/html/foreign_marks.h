/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign marks: attributes data-tmpl and comments <!--tmpl--> or <!--/tmpl--> that the page itself
 * contains, which readers of annotated pages must not take for ours. Both functions return the
 * offset of "tmpl" in such a mark, or 0.
 *
 * Comments have more forms than one: the HTML tokenizer also makes comments of "<!", "<?", and "</"
 * without a letter behind it, up to the next '>' (13.2.5.41, bogus comment state). To a reader of
 * the tree "<!tmpl>" is "<!--tmpl-->", and "<//tmpl>" is "<!--/tmpl-->". The end of the source ends
 * any comment. White space in front of the name counts as none, because readers may trim it.
 */
#ifndef TMPL_FOREIGN_MARKS_H
#define TMPL_FOREIGN_MARKS_H

#include "html/attr.h"

static inline uint32_t tmpl_foreign_mark_in_attribute(const char *src, const tmpl_attr_t *attr)
{
    return tmpl_span_is(src, attr->name, "data-tmpl") ? attr->name.end - 4 : 0;
}

/* comment is a token that begins with "<!", "<?" or "</" and is no tag. */
uint32_t tmpl_foreign_mark_in_comment(const char *src, tmpl_span_t comment);

#endif
