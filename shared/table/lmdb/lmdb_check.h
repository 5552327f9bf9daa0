/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a directory by somebody who does not have it open. */
#ifndef TMPL_LMDB_CHECK_H
#define TMPL_LMDB_CHECK_H

#include "table/lmdb/lmdb_env.h"

/*
 * Walks the file in dir while nobody writes it. APR_SUCCESS, or an error with text: APR_EGENERAL if
 * it is damaged, APR_TIMEUP if others wrote it until deadline (on tmpl_clock).
 */
apr_status_t tmpl_lmdb_examine(const char *dir, apr_time_t deadline, tmpl_error_t *err,
                               apr_pool_t *pool);

/*
 * Whether tmpl_lmdb_open() would open dir as it is, and could write to it. Creates and changes
 * nothing. Walks the file if no process has the directory open: otherwise that was done when it was
 * opened. APR_SUCCESS, or an error with text.
 */
apr_status_t tmpl_lmdb_test(const char *dir, tmpl_error_t *err, apr_pool_t *pool);

#endif
