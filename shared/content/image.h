/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address and the text of an image. Pages whose scripts load images late have it in an
 * attribute of the script, and nothing, or the address of a placeholder, in src.
 */
#ifndef TMPL_IMAGE_H
#define TMPL_IMAGE_H

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

#endif
