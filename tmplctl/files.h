/* SPDX-License-Identifier: Apache-2.0 */
/* The files of tmplctl clean: which pages it reads, and what each output is called. */
#ifndef CTL_FILES_H
#define CTL_FILES_H

#include "ctl.h"

typedef struct {
    const char *path; /* as given: the document's identity */
    const char *out;  /* name of the output, without directory */
    int failed;       /* was reported as bad: a second pass skips it */
} ctl_file_t;

/*
 * The files named by the command line and --files-from, in that order: ctl_file_t from ctl->pool,
 * without out. Otherwise prints the reason: a list cannot be read, or no file is named.
 */
apr_status_t ctl_files_list(apr_array_header_t **files, ctl_t *ctl);

/*
 * Sets out of every file: its own name with suffix (".txt") in place of .html, .htm, .shtml or
 * .xhtml. Otherwise prints the reason, APR_EEXIST: two files have one output, or an output in dir
 * is also an input.
 */
apr_status_t ctl_files_name_outputs(const apr_array_header_t *files, const char *dir,
                                    const char *suffix, apr_pool_t *pool);

#endif
