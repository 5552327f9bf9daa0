/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of tmplctl clean has done: the line it prints and the exit code it ends with. */
#ifndef CTL_CLEAN_SUMMARY_H
#define CTL_CLEAN_SUMMARY_H

#include "clean.h"

/* All zero: a run that begins at start. */
typedef struct {
    apr_time_t start;
    int pages; /* judged and written */
    int edited;
    int failed; /* pages that were not read, or not written in full */
    int binary; /* those of them that are no text */
    int declined[TMPL_DECLINE_COUNT];
    int store_failures; /* pages that the store did not learn or look up, in each pass */
    apr_uint64_t bytes_in, bytes_out;
} ctl_clean_summary_t;

/* Prints one line to standard output. */
void ctl_clean_summary_print(const ctl_clean_summary_t *summary);

/* The exit code, as the man page lists them. */
int ctl_clean_summary_code(const ctl_clean_summary_t *summary);

#endif
