/* SPDX-License-Identifier: Apache-2.0 */
/* Films and sounds in a page: iframes of players, video, audio. */
#ifndef TMPL_PLAYER_H
#define TMPL_PLAYER_H

#include <apr_pools.h>
#include <libxml/tree.h>

/*
 * The safe address (href.h) of what an iframe, video or audio plays, and *title, what the page
 * calls it, or else its kind. NULL if it is none: an iframe of another host than those of
 * well-known players and maps, or a film without controls, which only decorates.
 */
const char *tmpl_player_address(const char **title, const xmlNode *player);

#endif
