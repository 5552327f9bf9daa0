/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of a page bring to its layout paths: the T and R of store.h. Pure functions.
 */
#ifndef TMPL_PARTS_H
#define TMPL_PARTS_H

#include "table/store.h"

/* Of one path, on one page. */
typedef struct {
    uint64_t text;
    uint64_t repeated;
    int named; /* some part names it */
} tmpl_credit_t;

/* The number of keys before the first of kind PATH: indices of paths begin there. */
uint32_t tmpl_observation_segments(const tmpl_observation_t *obs);

/* The level's path of a part, or TMPL_NONE where it names none, or one that a lower level names. */
uint32_t tmpl_part_path(const tmpl_part_t *part, int level);

/*
 * How often the length of a share is repeated text, by the DF of its segment before and after the
 * observation: 0, 1 or 2 times.
 */
unsigned tmpl_share_times(uint32_t before, uint32_t after);

/*
 * One credit for each path, from pool. times: of each segment, as above; NULL: 0 for all, so that
 * only text is told.
 */
tmpl_credit_t *tmpl_parts_credit(const tmpl_observation_t *obs, const unsigned char *times,
                                 apr_pool_t *pool);

#endif
