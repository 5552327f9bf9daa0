/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files: read and written whole (file_io.c), and those of tmplctl clean and train: which pages they
 * read, and what each output is called (files.c).
 */
#ifndef CTL_FILES_H
#define CTL_FILES_H

#include <apr_tables.h>

#include "ctl.h"

/*
 * --- file_io.c. Reading does not wait for FIFOs, and an interrupted write leaves the old file.
 * Texts of errors are reasons without the path ---
 */

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
 * Replaces path: writes a temporary file and renames it, so that readers see the old file or the
 * new one. Any thread may call it. On failure err has the reason: APR_EEXIST if a link, a device or
 * another special file has the name, or the system's error.
 */
apr_status_t ctl_file_write(const char *path, const char *body, apr_size_t len, tmpl_error_t *err,
                            apr_pool_t *pool);

/* The text of an APR error, from pool. */
const char *ctl_error_text(apr_status_t status, apr_pool_t *pool);

/* --- files.c --- */

typedef struct {
    const char *path;    /* as given: a file, a URL, or CTL_STDIN */
    const char *site;    /* the key of its table */
    const char *address; /* in a tree: the page's address, "/path?query"; else NULL */
    const char *name;    /* in a tree: the path below it; else the last part of path */
    const char *out;     /* name of the output, below --out; NULL: standard output */
    int failed;          /* the file was reported as bad: a second pass skips it */
} ctl_file_t;

/*
 * The inputs named by the command line and --files-from, in that order, or those of --mirror:
 * ctl_file_t from ctl->pool, without out. None named and no --out: standard input. On failure
 * prints the reason: a list or the mirror cannot be read, there is no input, or the site of one is
 * unknown.
 */
apr_status_t ctl_files_list(apr_array_header_t **files, ctl_t *ctl);

/*
 * Adds the pages below dir, a site as wget -r saves it, to files (ctl_file_t), by name: those
 * called .html, .htm, .shtml or .xhtml, and other files that begin like HTML. Leaves out what is
 * below out, unless that is NULL. On failure prints the reason: dir cannot be read, or has no page.
 */
apr_status_t ctl_files_below(apr_array_header_t *files, const char *dir, const char *out,
                             const ctl_t *ctl);

/*
 * Sets out of every file: its own name with suffix (".txt") in place of .html, .htm, .shtml or
 * .xhtml. A page of --mirror keeps its whole name if suffix is ".html", so that links lead to it,
 * and also if another page has the same output. On failure prints the reason, APR_EEXIST: two files
 * have one output, or an output in dir is also an input.
 */
apr_status_t ctl_files_name_outputs(const apr_array_header_t *files, const char *dir,
                                    const char *suffix, apr_pool_t *pool);

#endif
