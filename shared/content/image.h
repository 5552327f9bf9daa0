/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address of an image. Pages whose scripts load images late have it in an attribute of the
 * script, and nothing, or the address of a placeholder, in src.
 */
#ifndef TMPL_IMAGE_H
#define TMPL_IMAGE_H

#include <apr_pools.h>
#include <libxml/tree.h>

/*
 * The safe address (href.h) of an img. NULL if there is none, if the image counts visits, or if it
 * is a small icon without alternative text.
 */
const char *tmpl_image_address(const xmlNode *image, apr_pool_t *pool);

#endif
