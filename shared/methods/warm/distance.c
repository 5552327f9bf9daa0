/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/warm/distance.h"

#include <string.h>

/* The length of the directory at path with its '/'; 0 if there is none. */
static size_t directory_len(const char *path)
{
    size_t len = strcspn(path, "/?");
    return path[len] == '/' ? len + 1 : 0;
}

static int count_directories(const char *path)
{
    int n = 0;
    for (size_t len; (len = directory_len(path)) > 0; path += len) {
        n++;
    }
    return n;
}

int tmpl_hyperlink_distance(const char *from, const char *to)
{
    size_t len;
    from += from[0] == '/';
    to += to[0] == '/';
    while ((len = directory_len(from)) > 0 && strncmp(from, to, len) == 0) {
        from += len;
        to += len;
    }
    /* the rest of from is the paper's h1, or h if nothing is shared */
    int above = count_directories(from);
    return above > 0 ? -above : count_directories(to);
}

int tmpl_link_relevance(int a, int b)
{
    if ((a < 0) != (b < 0)) {
        return a < 0 ? 1 : -1;
    }
    int near = a < 0 ? -a : a;
    int far = b < 0 ? -b : b;
    return (near > far) - (near < far);
}

uint32_t tmpl_dom_distance(const tmpl_page_t *page, uint32_t a, uint32_t b)
{
    uint32_t edges = 0;
    while (a != b) {
        /* parents come before their children, so the later node is not an ancestor of the other */
        uint32_t *later = a > b ? &a : &b;
        *later = page->nodes[*later].parent;
        edges++;
    }
    return edges;
}
