/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of a site that is a directory, for tmplctl train and clean --mirror. */
#ifndef CTL_SITE_PAGES_H
#define CTL_SITE_PAGES_H

#include <apr_file_info.h>
#include <apr_tables.h>

#include "files.h"

/*
 * The paths of the files below dir that end in .html or .htm, by name: const char *, from pool. If
 * there are more than most paths, the result is most of them, evenly spread. Prints the reason and
 * returns NULL if there are none, or if one is the file that out describes (all 0: no file), which
 * the caller is about to overwrite.
 */
apr_array_header_t *ctl_site_pages(const char *dir, uint32_t most, const apr_finfo_t *out,
                                   apr_pool_t *pool);

/*
 * Adds the pages below dir, a mirror of a site as wget -r makes it, to files, by name: those called
 * .html, .htm, .shtml or .xhtml, and other files that begin like HTML. Leaves out what is below
 * out. On failure prints the reason: dir cannot be read, or has no page.
 */
apr_status_t ctl_mirror_pages(apr_array_header_t *files, const char *dir, const char *out,
                              apr_pool_t *pool);

#endif
