/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression of a copy of a page. */
#ifndef TMPL_GUNZIP_H
#define TMPL_GUNZIP_H

#include "mod_tmpl.h"

/*
 * Replaces the gzip data in bb by the data that was compressed, and sets *length to its length.
 * APR_ENOSPC if that is more than limit, APR_EGENERAL if bb is not exactly one complete member
 * (RFC 1952, 2.2); then bb is unchanged.
 */
apr_status_t tmpl_gunzip(apr_bucket_brigade *bb, apr_off_t *length, apr_off_t limit);

#endif
