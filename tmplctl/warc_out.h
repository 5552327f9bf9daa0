/* SPDX-License-Identifier: Apache-2.0 */
/* What tmplctl warc writes of a page: a record of WARC, or a line of JSON; and its line of CDXJ. */
#ifndef CTL_WARC_OUT_H
#define CTL_WARC_OUT_H

#include "archive/warc_write.h"
#include "render.h"
#include "warc_page.h"

/* How pages are written. */
typedef struct {
    const ctl_mode_t *mode;
    int responses;  /* the response records themselves, edited */
    int json_lines; /* lines of JSON in place of records */
    int gzip;       /* each in a member of gzip */
} ctl_warc_form_t;

/* The warcinfo record that an output begins with. */
void ctl_warc_info(tmpl_buf_t *to, const ctl_warc_form_t *form, const char *name, apr_pool_t *pool);

/* A page that was judged, as form says. record is the page's. */
void ctl_warc_written(tmpl_buf_t *to, const ctl_warc_form_t *form, const ctl_warc_page_t *page,
                      const tmpl_warc_record_t *record, const ctl_page_t *judged,
                      const ctl_rendered_t *rendered);

/* Makes a member of gzip of what was written, if form says so. */
void ctl_warc_compress(tmpl_buf_t *written, const ctl_warc_form_t *form);

/*
 * The line of an index (CDXJ) of a record of len bytes at offset in the file called name, with its
 * newline, from pool; NULL if the address or the date has no key.
 */
const char *ctl_warc_index_line(const ctl_warc_form_t *form, const ctl_warc_page_t *page,
                                const char *name, apr_off_t offset, apr_size_t len,
                                apr_pool_t *pool);

/* A file that output is added to. */
typedef struct {
    apr_file_t *file;
    const char *path;
    int is_own; /* not standard output */
    apr_off_t len;
    apr_status_t failed;
} ctl_warc_sink_t;

/*
 * Opens path, and cuts it to len bytes, which it must have; NULL: standard output. Prints the
 * reason if it cannot.
 */
apr_status_t ctl_warc_sink_open(ctl_warc_sink_t *sink, const char *path, apr_off_t len,
                                apr_pool_t *pool);
void ctl_warc_sink_add(ctl_warc_sink_t *sink, const char *bytes, apr_size_t len);

/* Takes back what was added behind the first len bytes; standard output fails then. */
void ctl_warc_sink_cut(ctl_warc_sink_t *sink, apr_off_t len);

/* Passes all on to the system. Prints the first failure. */
apr_status_t ctl_warc_sink_flush(ctl_warc_sink_t *sink, apr_pool_t *pool);

#endif
