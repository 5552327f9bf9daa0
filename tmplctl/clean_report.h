/* SPDX-License-Identifier: Apache-2.0 */
/* clean --report: a line of JSON about each page, in the order of the inputs. */
#ifndef CTL_CLEAN_REPORT_H
#define CTL_CLEAN_REPORT_H

#include "render.h"

/*
 * The line of a page, with its newline, from pool. mode is the name of --mode; failed says why the
 * output is missing or not complete, and is NULL if it is complete. A page that was not read has
 * neither input nor outcome: both are zero.
 */
const char *ctl_report_line(const ctl_page_t *page, const ctl_rendered_t *rendered,
                            const char *mode, const char *failed, apr_pool_t *pool);

#endif
