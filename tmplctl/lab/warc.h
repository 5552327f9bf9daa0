/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl warc: what its files share. */
#ifndef CTL_WARC_H
#define CTL_WARC_H

#include "address/address.h"
#include "archive/http_message.h"
#include "archive/warc_read.h"
#include "archive/warc_write.h"
#include "ctl.h"
#include "stages.h"

/* A file that output is added to. */
typedef struct {
    apr_file_t *file;
    const char *path;
    int is_own; /* not standard output */
    apr_off_t len;
    apr_status_t failed;
} ctl_warc_sink_t;

/* How far a run has come, between two inputs: what it says, and where the next run goes on. */
typedef struct {
    uint64_t run; /* a hash of its options and inputs */
    ctl_counts_t counts;
    long long records;   /* whole ones, of all types */
    long long damaged;   /* places of damage, each of which cost a record */
    long long responses; /* records that may have a page */
    long long written;   /* records or lines */
    long long micros;    /* of all passes and runs */
    int pass;
    int file;      /* index among the inputs */
    apr_off_t out; /* bytes of the output */
} ctl_warc_state_t;

typedef struct {
    ctl_run_t run;    /* its counts are the state's */
    int responses;    /* write the response records themselves, edited */
    int json_lines;   /* write lines of JSON in place of records */
    int gzip;         /* each in a member of gzip */
    const char *part; /* directory of the unfinished run; NULL: the output is standard output */
    ctl_warc_sink_t out;
    ctl_warc_state_t state;
    apr_off_t *sizes; /* of the inputs */
    apr_off_t size;   /* of all */
    apr_time_t began, saved;
    long long micros_before; /* of the runs before this one */
    /* of the current file */
    apr_pool_t *file_pool;
    tmpl_warc_t *warc;
    apr_off_t before;   /* bytes of the files in front of it */
    int failed;         /* a file cannot be read, or not to its end, or has no record */
    int is_cut;         /* the current file has given no record yet, or no whole one at its end */
    apr_uint64_t taken; /* bytes of records, since a part was ended for them */
} ctl_warc_run_t;

static inline const char *ctl_warc_input(const ctl_warc_run_t *run, int index)
{
    return APR_ARRAY_IDX(run->run.ctl->args, index, const char *);
}

/* --- warc_page.c: the page that a record of an archive has, as tmpl_clean() takes it --- */

typedef struct {
    const char *id;           /* WARC-Record-ID */
    const char *url;          /* WARC-Target-URI, without angle brackets */
    const char *date;         /* WARC-Date */
    const char *type;         /* the Content-Type of the page; "" if it has none */
    tmpl_http_message_t http; /* status 0: the record is the page itself */
    tmpl_input_t input;
    tmpl_decline_e decline; /* why it is no page that can be judged */
} ctl_warc_page_t;

/* Whether a record may have a page: responses of HTTP, and resources of type text/html. */
int ctl_warc_may_have_page(const tmpl_warc_record_t *record, apr_pool_t *pool);

/*
 * Fills page, whose strings live as long as pool and content, from a record that may have one. site
 * is that of --site; NULL: the host of the address. Any thread may call it.
 */
void ctl_warc_page_read(ctl_warc_page_t *page, const tmpl_warc_record_t *record,
                        const char *content, const char *site, apr_pool_t *pool);

/* --- warc_out.c: what is written of a page: a record of WARC, or a line of JSON --- */

/* The warcinfo record that an output called name begins with. */
void ctl_warc_info(tmpl_buf_t *to, const ctl_warc_run_t *run, const char *name, apr_pool_t *pool);

/* A page that was judged, as run says. record is the page's. */
void ctl_warc_written(tmpl_buf_t *to, const ctl_warc_run_t *run, const ctl_item_t *item,
                      const ctl_warc_page_t *page, const tmpl_warc_record_t *record);

/* Makes a member of gzip of what was written, if run says so. */
void ctl_warc_compress(tmpl_buf_t *written, const ctl_warc_run_t *run);

/* --- warc_part.c: the output and the state; functions that fail have printed the reason --- */

void ctl_warc_sink_add(ctl_warc_sink_t *sink, const char *bytes, apr_size_t len);

/* Takes back what was added behind the first len bytes; standard output fails then. */
void ctl_warc_sink_cut(ctl_warc_sink_t *sink, apr_off_t len);

/*
 * Opens all that the run writes to, where an earlier run has left it: at the end of an input. A run
 * to a file has a store of its own, unless one is named.
 */
apr_status_t ctl_warc_part_begin(ctl_warc_run_t *run);

/*
 * Between parts of the stages, when all that was read is reported: writes what waits and, between
 * two inputs, saves how far the run is.
 */
apr_status_t ctl_warc_part_save(ctl_warc_run_t *run);

/* The output gets its name, and what else the directory has is removed. */
apr_status_t ctl_warc_part_finish(ctl_warc_run_t *run);

/* --- warc_pass.c --- */

/*
 * Reads all inputs once, from the state's file on. APR_INCOMPLETE: it was interrupted, or cannot
 * write.
 */
apr_status_t ctl_warc_pass(ctl_warc_run_t *run, int learns, int judges);

/* --- late_codecs.c: gzip by libdeflate, which is loaded when it is needed (library.h) --- */

/* gzip, deflate, br and zstd */
extern const tmpl_codec_t *const ctl_codecs[];

/* Adds bytes to to, as a member of gzip. */
void ctl_gzip(tmpl_buf_t *to, const char *bytes, apr_size_t len);

#endif
