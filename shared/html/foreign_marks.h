/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign marks: attributes data-tmpl and comments <!--tmpl--> or <!--/tmpl--> that the page itself
 * contains, which readers of annotated pages must not take for ours. The scan finds the
 * attributes.
 *
 * Comments have more forms than one: the HTML tokenizer also makes comments of "<!", "<?", and "</"
 * without a letter behind it, up to the next '>' (13.2.5.41, bogus comment state). To a reader of
 * the tree "<!tmpl>" is "<!--tmpl-->", and "<//tmpl>" is "<!--/tmpl-->". The end of the source ends
 * any comment. White space in front of the name counts as none, because readers may trim it.
 */
#ifndef TMPL_FOREIGN_MARKS_H
#define TMPL_FOREIGN_MARKS_H

#include "base/tmpl.h"

/*
 * The offset of "tmpl" in a comment that is such a mark, or 0. comment is a token that begins with
 * "<!", "<?" or "</" and is no tag.
 */
uint32_t tmpl_foreign_mark_in_comment(const char *src, tmpl_span_t comment);

#endif
