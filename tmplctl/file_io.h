/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole files. Reading does not wait for FIFOs, and an interrupted write leaves the old file. Texts
 * of errors are reasons without the path.
 */
#ifndef CTL_FILE_IO_H
#define CTL_FILE_IO_H

#include "base/tmpl.h"

/* Bytes of the largest file that is read. */
#define CTL_FILE_MOST (1024 * 1024 * 1024)

/*
 * Reads a whole file into memory of pool. On failure err has the reason: APR_EINVAL for an empty
 * file, a file above CTL_FILE_MOST, a directory or a special file, or the system's error.
 */
apr_status_t ctl_file_read(const char **body, apr_size_t *len, const char *path, tmpl_error_t *err,
                           apr_pool_t *pool);

/*
 * Reads standard input to its end into memory of pool. On failure err has the reason:
 * APR_EINVAL if it is empty or above CTL_FILE_MOST, APR_EINTR after a signal, or the system's
 * error.
 */
apr_status_t ctl_stdin_read(const char **body, apr_size_t *len, tmpl_error_t *err,
                            apr_pool_t *pool);

/*
 * What tells a file from others, whatever path leads to it, also if it is not there yet; from pool.
 */
const char *ctl_file_identity(const char *path, apr_pool_t *pool);

/*
 * Whether ctl_file_write could begin to write path now, for commands that work long before they
 * write. Fails as ctl_file_write does.
 */
apr_status_t ctl_file_check_writable(const char *path, tmpl_error_t *err, apr_pool_t *pool);

/*
 * Replaces path: writes a temporary file and renames it, so that readers see the old file or
 * the new one; a signal does not end the process in between. Any thread may call it. On failure err
 * has the reason: APR_EEXIST if a link, a device or another special file has the name, or the
 * system's error.
 */
apr_status_t ctl_file_write(const char *path, const char *body, apr_size_t len, tmpl_error_t *err,
                            apr_pool_t *pool);

/* The text of an APR error, from pool. */
const char *ctl_error_text(apr_status_t status, apr_pool_t *pool);

#endif
