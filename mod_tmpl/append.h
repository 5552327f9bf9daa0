/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes into a brigade, in as few buckets as possible. */
#ifndef TMPL_APPEND_H
#define TMPL_APPEND_H

#include "mod_tmpl.h"

/*
 * Appends a copy of len bytes to bb. apr_brigade_write() without a flush function would make a
 * bucket for each call once its first buffer is full.
 */
void tmpl_append(apr_bucket_brigade *bb, const char *data, apr_size_t len);

#endif
