/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Apache module: the only code that includes httpd.h. It takes a page out of a brigade, calls
 * libtmpl's tmpl_clean(), puts the page back, and does what HTTP needs. This header has the two
 * records that its files share; each file's own header says what it offers:
 *
 *     mod_tmpl.c     the hooks
 *     config.c       directives -> tmpl_conf_t
 *     section.c      tmpl_conf_t: created, merged, read
 *     effect.c       directives that have no effect
 *     control.c      what the backend and no-tmpl say
 *     request.c      what the backend is asked for
 *     accept.c       the Accept field: HTML or Markdown
 *     twin.c         the Markdown of a page at an address of its own
 *     canonical.c    absolute addresses on this server
 *     gate.c         first brigade: takes the response or declines it, once; guards what was taken
 *     filter.c       brigades -> one page in memory -> one brigade that ends in EOS
 *     beside.c       brigades -> the same brigades, and a copy of the page
 *     wait.c         how long a page is waited for
 *     gunzip.c       a gzipped copy of a page -> the page
 *     raw.c          a gzipped page as it came
 *     judge.c        a page in memory -> what is decided about it
 *     personal.c     whether a page may be learnt from
 *     cache.c        decisions about pages that come again
 *     splice.c       edits -> the page's own buckets
 *     append.c       bytes -> a brigade
 *     policy.c       what a page's Content-Security-Policy allows
 *     headers.c      the response's header fields
 *     validators.c   entity tags
 *     connections.c  one store for each URI and child
 *     health.c       whether a store may be used, by its answers
 *     later.c        the queue of pages that wait to be learnt
 *     learning.c     passes that queue to the store
 *     ending.c       how a child ends
 *     messages.h     what is logged
 *     status/        what is counted, in memory that all children share; the handler that shows it
 *
 * After the configuration was read, only a child's own stores, the shared counters and the caches
 * change.
 */
#ifndef MOD_TMPL_H
#define MOD_TMPL_H

#include <httpd.h>
#include <http_config.h>
#include <http_connection.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <util_filter.h>
#include <ap_expr.h>

#include <apr_strings.h>

#include "clean.h"
#include "settings.h"

extern module AP_MODULE_DECLARE_DATA tmpl_module __attribute__((visibility("default")));
APLOG_USE_MODULE(tmpl);

/* The value of a number that was not set. */
#define TMPL_UNSET (-1)

/* TmplLearn: which 200 answers to GET are learnt from. */
typedef struct {
    enum {
        TMPL_LEARN_PUBLIC, /* all but answers that are a person's own: see personal.c */
        TMPL_LEARN_ALWAYS,
        TMPL_LEARN_NEVER,
        TMPL_LEARN_IF /* expr is true */
    } when;
    const ap_expr_info_t *expr; /* the condition of TMPL_LEARN_IF; NULL otherwise */
} tmpl_learn_t;

/* TmplLifetime; both TMPL_UNSET, or neither. */
typedef struct {
    apr_int64_t tb;
    apr_int64_t n;
} tmpl_lifetime_t;

typedef struct tmpl_link_t tmpl_link_t;   /* connections.c */
typedef struct tmpl_cache_t tmpl_cache_t; /* cache.c */
typedef struct tmpl_twin_t tmpl_twin_t;   /* twin.c */

/* The type of a section's field, by the form of the setting. Not set: TMPL_UNSET, or NULL. */
#define TMPL_TYPE_MODE      apr_int64_t /* tmpl_mode_e */
#define TMPL_TYPE_DETECTOR  apr_int64_t /* tmpl_detector_e */
#define TMPL_TYPE_SMOOTHING apr_int64_t /* tmpl_smoothing_e */
#define TMPL_TYPE_NUMBER    apr_int64_t
#define TMPL_TYPE_GLOBAL    apr_int64_t /* a number for the whole server */
#define TMPL_TYPE_SIZE      apr_int64_t /* bytes */
#define TMPL_TYPE_TIME      apr_int64_t /* microseconds */
#define TMPL_TYPE_FLAG      apr_int64_t
#define TMPL_TYPE_SHARE     double
#define TMPL_TYPE_LIFETIME  tmpl_lifetime_t
#define TMPL_TYPE_MODEL     tmpl_models_t /* the models that were named; each may be NULL */
#define TMPL_TYPE_STORE     tmpl_link_t *
#define TMPL_TYPE_CACHE     tmpl_cache_t *
#define TMPL_TYPE_KEY       const ap_expr_info_t *
#define TMPL_TYPE_CONDITION const ap_expr_info_t *
#define TMPL_TYPE_LEARN     const tmpl_learn_t *
#define TMPL_TYPE_SECRET    const apr_uint64_t * /* the seed of the keys */
#define TMPL_TYPE_SITES     apr_array_header_t * /* of const char *; for the whole server */
#define TMPL_TYPE_SELECTORS                                                                        \
    apr_array_header_t * /* of const tmpl_selector_t *, those of outer sections first */
#define TMPL_TYPE_MARKS      tmpl_marks_t *
#define TMPL_TYPE_PARTS      tmpl_parts_t /* not set: all 0 */
#define TMPL_TYPE_SEPARATORS const tmpl_separators_t *

/* A section of the configuration: a field for each setting. */
typedef struct {
#define TMPL_SETTING_FIELD(field, directive, option, form, least, most, preset, decides, about)    \
    TMPL_TYPE_##form field;
    TMPL_SETTINGS(TMPL_SETTING_FIELD)
#undef TMPL_SETTING_FIELD
} tmpl_conf_t;

/*
 * What the gate and the filter that it adds share about a response. Lives as long as the request:
 * EOS may come twice. conf is set at once, the other fields when the response is taken or later.
 * TMPL_BESIDE sets held, chunk and inflated at its first brigade.
 */
typedef struct {
    const tmpl_conf_t *conf;
    ap_filter_t *filter;       /* TMPL or TMPL_BESIDE; NULL: not decided yet */
    apr_bucket_brigade *held;  /* the page so far; for TMPL_BESIDE a copy */
    apr_bucket_brigade *chunk; /* what is being passed on; empty between calls */
    apr_off_t length;          /* bytes held */
    const char *etag;          /* the backend's entity tag; NULL if it sent none */
    tmpl_decline_e bypass;     /* why the page is to be passed on as it came, or NONE */
    const char *site;          /* the key of the table of the page's site */
    const char *page_key;      /* NULL: the page's address is its key */
    apr_time_t since;          /* when the first byte came, on tmpl_clock(); 0: none has come */
    unsigned inflated : 1; /* TMPL: INFLATE undoes gzip, or would if there were a body; TMPL_BESIDE:
                                  the copy is gzip */
    unsigned learn : 1;    /* the page may be learnt */
    unsigned failed : 1;   /* a filter before TMPL failed: the page will never be complete */
    unsigned done : 1;     /* everything has been passed on, or the filters were removed */
    unsigned whole : 1;    /* the copy is complete, and not judged yet */
    unsigned discard : 1;  /* the response is not sent: twin.c sends another; length counts it */

    apr_bucket_brigade *raw; /* the page before INFLATE; NULL where it is not kept */
    apr_off_t raw_length;
    apr_table_t *raw_headers_out;
    apr_table_t *raw_err_headers_out;
    const char *raw_encoding;
    request_rec *prev; /* r->prev, while the gate hides it from INFLATE; NULL: it is not hidden */
} tmpl_ctx_t;

#endif
