/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl warc: what its files share. */
#ifndef CTL_WARC_H
#define CTL_WARC_H

#include <jansson.h>

#include "address/address.h"
#include "archive/http_message.h"
#include "archive/warc_read.h"
#include "archive/warc_write.h"
#include "clean.h"
#include "ctl.h"
#include "open_store.h"
#include "render.h"

/* --- warc_page.c: the page that a record of an archive has, as tmpl_clean() takes it --- */

typedef struct {
    const char *id;   /* WARC-Record-ID */
    const char *url;  /* WARC-Target-URI, without angle brackets */
    const char *date; /* WARC-Date */
    const char *type; /* the Content-Type of the page; "" if it has none */
    tmpl_address_t address;
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

/* --- warc_out.c: what is written of a page: a record of WARC or a line of JSON, and CDXJ --- */

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

/* --- a run; functions that fail have printed the reason --- */

/* X(id, name): numbers of --report. */
#define CTL_WARC_COUNTS(X)                                                                         \
    X(RECORDS, "records")               /* whole ones, of all types */                             \
    X(DAMAGED, "damaged")               /* places of damage, each of which cost a record */        \
    X(RESPONSES, "responses")           /* records that may have a page */                         \
    X(PAGES, "pages")                   /* pages that were judged */                               \
    X(EDITED, "edited")                 /* of them, those that had template */                     \
    X(LOST, "lost")                     /* of them, those that have no output */                   \
    X(WRITTEN, "written")               /* records or lines written */                             \
    X(STORE_FAILURES, "store_failures") /* pages that the store did not learn or look up */        \
    X(BYTES_IN, "bytes_in")             /* of pages, decoded */                                    \
    X(BYTES_OUT, "bytes_out")           /* of what became of them */

typedef enum {
#define CTL_WARC_COUNT_ID(id, name) CTL_WARC_##id,
    CTL_WARC_COUNTS(CTL_WARC_COUNT_ID)
#undef CTL_WARC_COUNT_ID
        CTL_WARC_COUNT_COUNT
} ctl_warc_count_e;

/* How far a run has come, between two inputs: what it says, and where the next run goes on. */
typedef struct {
    uint64_t run; /* a hash of its options and inputs */
    json_int_t counts[CTL_WARC_COUNT_COUNT];
    json_int_t declined[TMPL_DECLINE_COUNT];
    json_int_t learnt; /* pages of the first pass */
    json_int_t micros; /* of all passes and runs */
    int pass;
    int file;             /* index among the inputs */
    apr_off_t out, index; /* bytes of the output, of the index */
} ctl_warc_state_t;

typedef struct {
    ctl_t *ctl;
    ctl_warc_form_t form;
    int learns_only;
    const char *part; /* directory of the unfinished run; NULL: the output is standard output */
    ctl_store_t store;
    ctl_warc_sink_t out, index;
    const char *name; /* of the output, in an index */
    ctl_warc_state_t state;
    apr_off_t *sizes; /* of the inputs */
    apr_off_t size;   /* of all */
    apr_time_t began, saved, shown;
    json_int_t micros_before; /* of the runs before this one */
    /* of the current pass */
    int judges; /* else it learns only */
    tmpl_clean_opts_t opts;
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
    return APR_ARRAY_IDX(run->ctl->args, index, const char *);
}

static inline json_int_t *ctl_warc_count(ctl_warc_run_t *run, ctl_warc_count_e which)
{
    return &run->state.counts[which];
}

/* Whether pages are only observed (mode keys): no store is asked, and nothing is judged. */
static inline int ctl_warc_observes(const ctl_warc_run_t *run)
{
    return run->form.mode != NULL && run->form.mode->mode == TMPL_MODE_LEARN;
}

/* --- warc_part.c --- */

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

/* The outputs get their names, and what else the directory has is removed. */
apr_status_t ctl_warc_part_finish(ctl_warc_run_t *run);

/* --- warc_pass.c --- */

/*
 * Reads all inputs once, from the state's file on. APR_INCOMPLETE: it was interrupted, or cannot
 * write.
 */
apr_status_t ctl_warc_pass(ctl_warc_run_t *run, int learns, int judges);

/* --- warc_cmd.c --- */

void ctl_warc_progress(ctl_warc_run_t *run);

#endif
