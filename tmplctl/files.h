/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of a run: which files they are, what they are written to, and their bytes. */
#ifndef CTL_FILES_H
#define CTL_FILES_H

#include "ctl.h"

typedef struct {
    const char *path; /* as it was named: the document's identity */
    const char *out;  /* file name, without directory, of what is written of it */
    int failed;       /* has been reported as bad; is not to be tried again */
} ctl_file_t;

/* Bytes of the largest file that is read. */
#define CTL_FILE_MOST (1024 * 1024 * 1024)

/*
 * The files that the command line and --files-from name, in that order. Fails, and has said why, if
 * a list cannot be read or no file is named.
 */
apr_status_t ctl_files_list(apr_array_header_t **files, ctl_t *ctl);

/*
 * Gives every file the name it is written to in dir: its own, with suffix (".txt") instead of
 * .html, .htm, .shtml or .xhtml. Fails, and has said why, if two would be written to the same name,
 * or one over a file that is read.
 */
apr_status_t ctl_files_name_outputs(const apr_array_header_t *files, const char *dir,
                                    const char *suffix, apr_pool_t *pool);

/* Reads a whole file, from pool. APR_EINVAL for what is no file or is empty, with the reason. */
apr_status_t ctl_file_read(const char **body, apr_size_t *len, const char *path, tmpl_error_t *err,
                           apr_pool_t *pool);

/*
 * Whether ctl_file_write would begin to write DIR/NAME now: for who works long before it has something to write.
 * Fails as it does.
 */
apr_status_t ctl_file_may_write(const char *dir, const char *name, tmpl_error_t *err,
                                apr_pool_t *pool);

/*
 * Writes DIR/NAME: under another name first, so that no reader finds half a page and an interrupted
 * run leaves the old one. APR_EEXIST if it is there and no regular file: a link, a device.
 */
apr_status_t ctl_file_write(const char *dir, const char *name, const char *body, apr_size_t len,
                            tmpl_error_t *err, apr_pool_t *pool);

/* The text of an APR error. */
const char *ctl_error_text(apr_status_t status, apr_pool_t *pool);

#endif
