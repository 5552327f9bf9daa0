/* SPDX-License-Identifier: Apache-2.0 */
#include "table/counts.h"

#include <stdlib.h>

#include "table/listed.h"

/* Copies size bytes to at + *used, unless at is NULL, and counts them. */
static const void *piece_copy(char *at, size_t *used, const void *from, size_t size)
{
    const void *to = at == NULL || size == 0 ? at : memcpy(at + *used, from, size);
    *used += size;
    return to;
}

/* Copies a sighting and its strings. */
static const tmpl_sighting_t *sighting_copy(char *at, size_t *used, const tmpl_sighting_t *sighting)
{
    tmpl_sighting_t *copy = (tmpl_sighting_t *)piece_copy(at, used, sighting, sizeof(*sighting));
    const char *address = piece_copy(at, used, sighting->of.address, sighting->of.address_len);
    const char *title = piece_copy(at, used, sighting->of.title, sighting->of.title_len);
    if (copy != NULL) {
        copy->of.address = address;
        copy->of.title = title;
    }
    return copy;
}

/*
 * Copies a page to at, or only counts its bytes if at is NULL. The parts with the largest alignment
 * come first.
 */
static size_t page_copy(char *at, const tmpl_observation_t *page)
{
    tmpl_observation_t copy = *page;
    size_t used = sizeof(copy);
    copy.keys = piece_copy(at, &used, page->keys, page->n * sizeof(*page->keys));
    copy.document = piece_copy(at, &used, page->document, sizeof(*page->document));
    if (page->sighting != NULL) {
        copy.sighting = sighting_copy(at, &used, page->sighting);
        used = (used + 7) & ~(size_t)7;
    }
    copy.blocks = piece_copy(at, &used, page->blocks, page->n_blocks * sizeof(*page->blocks));
    copy.shares = piece_copy(at, &used, page->shares, page->n_shares * sizeof(*page->shares));
    copy.policy = piece_copy(at, &used, page->policy, sizeof(*page->policy));
    copy.site = piece_copy(at, &used, page->site, strlen(page->site) + 1);
    if (at != NULL) {
        memcpy(at, &copy, sizeof(copy));
    }
    return used;
}

size_t tmpl_observation_size(const tmpl_observation_t *page)
{
    return page_copy(NULL, page);
}

tmpl_observation_t *tmpl_observation_copy(const tmpl_observation_t *page)
{
    char *at = malloc(page_copy(NULL, page));
    if (at != NULL) {
        (void)page_copy(at, page);
    }
    return (tmpl_observation_t *)at;
}
