/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images, and films and sounds: iframes of players, video, audio. Pages whose scripts load images
 * late have the address in an attribute of the script, and nothing, or the address of a
 * placeholder, in src.
 */
#ifndef TMPL_MEDIA_H
#define TMPL_MEDIA_H

#include <apr_pools.h>
#include <libxml/tree.h>

/*
 * The safe address (href.h) of an img. NULL if there is none, if the image counts visits or keeps
 * the place of another, or if it is a small icon or portrait without a text.
 */
const char *tmpl_image_address(const xmlNode *image, apr_pool_t *pool);

/*
 * The alternative text of an img. "" if the page says that it needs none, or if it names an icon
 * only; NULL if there is none, or only the name of a file, or "image".
 */
const char *tmpl_image_text(const xmlNode *image);

/* Whether an image with that text is written as it: it is a smiley, by its class or its text. */
int tmpl_image_is_smiley(const xmlNode *image, const char *text);

/*
 * The safe address (href.h) of what an iframe, video or audio plays, and *title, what the page
 * calls it, or else its kind. NULL if it is none: an iframe of another host than those of
 * well-known players and maps, or a film without controls, which only decorates.
 */
const char *tmpl_player_address(const char **title, const xmlNode *player);

#endif
