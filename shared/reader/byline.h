/* SPDX-License-Identifier: Apache-2.0 */
/* The line below the headline: who wrote the page, and when. */
#ifndef TMPL_BYLINE_H
#define TMPL_BYLINE_H

#include "metadata/metadata.h"

/*
 * Whether a short text in UTF-8 says no more than the authors, or the day of publication, with
 * words like "by" and "posted on". Months are known by their English names.
 */
int tmpl_byline_says(const tmpl_metadata_t *metadata, const char *text);

#endif
