/* SPDX-License-Identifier: Apache-2.0 */
/* Edits of an element that do not change how the rest of the page is parsed. */
#ifndef TMPL_EDIT_FLAGS_H
#define TMPL_EDIT_FLAGS_H

#define TMPL_NODE_MARK 0x01 /* an attribute may be added to its start tag */
#define TMPL_NODE_CUT  0x02 /* its bytes, from start tag to end tag, may be deleted */
#define TMPL_NODE_RUN  0x10 /* two texts directly in it may be deleted with all between them */

#endif
