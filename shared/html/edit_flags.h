/* SPDX-License-Identifier: Apache-2.0 */
/* What the source allows to be done with an element without changing how anything else parses. */
#ifndef TMPL_EDIT_FLAGS_H
#define TMPL_EDIT_FLAGS_H

#define TMPL_NODE_MARK 0x01 /* an attribute may be added to its start tag */
#define TMPL_NODE_CUT  0x02 /* its bytes, from start tag to end tag, may be deleted */
#define TMPL_NODE_RUN                                                                              \
    0x10 /* what stands between two texts directly in it may be deleted with them */

#endif
