/* SPDX-License-Identifier: Apache-2.0 */
#include "content/image.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "dom/dom.h"
#include "content/href.h"

/* Whether a script's attribute has an address: "false" and "/a_{width}.png" are none. */
static int is_address(const char *value)
{
    return strchr(value, '/') != NULL && strpbrk(value, " {}") == NULL;
}

/* The first address of a srcset: "a.png 1x, b.png 2x". */
static const char *first_of(const char *set, apr_pool_t *pool)
{
    set += strspn(set, " \t\n\f\r,");
    apr_size_t len = strcspn(set, " \t\n\f\r");
    while (len > 0 && set[len - 1] == ',') {
        len--;
    }
    return apr_pstrmemdup(pool, set, len);
}

/* Whether an image counts visits, or is a small icon that says nothing: its alt is empty. */
static int is_tiny(const xmlNode *image)
{
    enum { ICON = 32 };
    const char *alt = tmpl_dom_attribute(image, "alt");
    long most = alt != NULL && *alt == '\0' ? ICON : 1;
    const char *width = tmpl_dom_attribute(image, "width");
    const char *height = tmpl_dom_attribute(image, "height");
    return width != NULL && height != NULL && strtol(width, NULL, 10) <= most &&
           strtol(height, NULL, 10) <= most;
}

/* The address of the first source in front of an image in a picture element; NULL: none. */
static const char *source_beside(const xmlNode *image, apr_pool_t *pool)
{
    const char *found = NULL;
    const xmlNode *node = image->prev;
    for (int i = 0; i < 16 && node != NULL; i++, node = node->prev) {
        const char *set =
            node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, "source") == 0
                ? tmpl_dom_attribute(node, "srcset")
                : NULL;
        const char *address = set != NULL ? first_of(set, pool) : NULL;
        found = address != NULL && tmpl_href_is_safe(address) ? address : found;
    }
    return found;
}

const char *tmpl_image_address(const xmlNode *image, apr_pool_t *pool)
{
    /* in order of preference */
    static const struct {
        const char *name;
        int is_late;
        int is_set;
    } sources[] = {
        { "data-image-loader", 1, 0 }, { "data-src", 1, 0 },         { "data-lazy-src", 1, 0 },
        { "nitro-lazy-src", 1, 0 },    { "data-original", 1, 0 },    { "src", 0, 0 },
        { "data-src", 0, 0 },          { "data-srcset", 0, 1 },      { "srcset", 0, 1 },
        { "data-lazy-srcset", 0, 1 },  { "nitro-lazy-srcset", 0, 1 }
    };
    for (apr_size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        const char *address = tmpl_dom_attribute(image, sources[i].name);
        if (address != NULL && sources[i].is_set) {
            address = first_of(address, pool);
        }
        if (address != NULL && tmpl_href_is_safe(address) &&
            (!sources[i].is_late || is_address(address))) {
            return is_tiny(image) ? NULL : address;
        }
    }
    return source_beside(image, pool);
}
