/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Apache module: the only code that includes httpd.h. It takes a page out of a brigade, calls
 * libtmpl's tmpl_clean(), puts the page back, and does what HTTP needs. This header has the two
 * records that its files share; each file's own header says what it offers. docs/architecture.md
 * shows the way of a request through the files, tests/project/structure.t their order.
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

#include "base/codec.h"

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

typedef struct tmpl_child_store_t tmpl_child_store_t; /* child_store.h */
typedef struct tmpl_cache_t tmpl_cache_t;             /* cache.c */
typedef struct tmpl_twin_t tmpl_twin_t;               /* request_state.h */

/* The type of a section's field, by the form of the setting. Not set: TMPL_UNSET, or NULL. */
#define TMPL_TYPE_MODE      apr_int64_t /* tmpl_mode_e */
#define TMPL_TYPE_DETECTOR  apr_int64_t /* tmpl_detector_e */
#define TMPL_TYPE_SMOOTHING apr_int64_t /* tmpl_smoothing_e */
#define TMPL_TYPE_NUMBER    apr_int64_t
#define TMPL_TYPE_GLOBAL    apr_int64_t /* a number for the whole server */
#define TMPL_TYPE_SIZE      apr_int64_t /* bytes */
#define TMPL_TYPE_TIME      apr_int64_t /* microseconds */
#define TMPL_TYPE_FLAG      apr_int64_t
#define TMPL_TYPE_VALIDATE  apr_int64_t /* tmpl_validate_e */
#define TMPL_TYPE_SHARE     double
#define TMPL_TYPE_LIFETIME  tmpl_lifetime_t
#define TMPL_TYPE_MODEL     tmpl_models_t /* the models that were named; each may be NULL */
#define TMPL_TYPE_STORE     tmpl_child_store_t *
#define TMPL_TYPE_CACHE     tmpl_cache_t *
#define TMPL_TYPE_KEY       const ap_expr_info_t *
#define TMPL_TYPE_CONDITION const ap_expr_info_t *
#define TMPL_TYPE_LEARN     const tmpl_learn_t *
#define TMPL_TYPE_SECRET    apr_uint64_t         /* the seed of the keys; not set: 0 */
#define TMPL_TYPE_SITES     apr_array_header_t * /* of const char *; for the whole server */
#define TMPL_TYPE_SELECTORS                                                                        \
    apr_array_header_t * /* of const tmpl_selector_t *, those of outer sections first */
#define TMPL_TYPE_MARKS      tmpl_marks_t *
#define TMPL_TYPE_PARTS      tmpl_parts_t /* not set: all 0 */
#define TMPL_TYPE_SEPARATORS const tmpl_separators_t *

/* A section of the configuration: a field for each setting. */
typedef struct {
#define TMPL_SETTING_FIELD(field, directive, option, form, ...) TMPL_TYPE_##form field;
    TMPL_SETTINGS(TMPL_SETTING_FIELD)
#undef TMPL_SETTING_FIELD
} tmpl_conf_t;

/* The life of a response, from the gate on. */
typedef enum {
    TMPL_UNDECIDED, /* nothing has come yet */
    TMPL_HELD,      /* TMPL holds the page until its end */
    TMPL_LATE,      /* as HELD, but TMPL passes it on at the next FLUSH, as it came */
    TMPL_PASSING,   /* the page passes, and TMPL_TEE copies it */
    TMPL_COPIED,    /* the page has passed; the copy is complete, and not judged yet */
    TMPL_BYPASSED,  /* the module has no more to do with it: it passes as it comes */
    TMPL_FAILED,    /* a filter in front of TMPL failed: the page will never be complete */
    TMPL_DISCARDED, /* the response is not sent: twin.c sends another */
    TMPL_DONE       /* a held page has been passed on, or a copy judged */
} tmpl_life_e;

/* Whether a page may be listed (TmplDocuments). */
typedef enum {
    TMPL_LISTS_NOT,  /* off, or the page may be a person's own */
    TMPL_LISTS_GONE, /* robots are not to index it: it leaves the list */
    TMPL_LISTS
} tmpl_lists_e;

/*
 * What the gate and the filter that it adds share about a response. Lives as long as the request:
 * EOS may come twice. conf and life are set at once, the other fields when the response is taken or
 * later.
 */
typedef struct {
    const tmpl_conf_t *conf;
    tmpl_life_e life;
    ap_filter_t *filter;       /* TMPL or TMPL_TEE */
    apr_bucket_brigade *held;  /* the page so far, as it came; for TMPL_TEE a copy */
    apr_bucket_brigade *chunk; /* what is being passed on; empty between calls */
    apr_off_t length;          /* bytes held, or, of a response that is not sent, discarded */
    const tmpl_codec_t *codec; /* what is held is in it, or, until data comes, will be; or NULL */
    int learn;                 /* the page may be learnt */
    tmpl_lists_e lists;        /* what TmplDocuments does with it */
    const char *etag;          /* the backend's entity tag; NULL if it sent none */
    const char *site;          /* the key of the table of the page's site */
    const char *page_key;      /* NULL: the page's address is its key */
    apr_time_t since;          /* when the first byte came, on tmpl_clock(); 0: none has come */
} tmpl_ctx_t;

#endif
