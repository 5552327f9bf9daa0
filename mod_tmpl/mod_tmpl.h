/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Apache module: the only code that includes httpd.h. It takes a page out of a brigade, calls
 * libtmpl's tmpl_clean(), puts the page back, and does what HTTP needs. This header has the
 * records that all its files share; other headers say what a file offers. docs/architecture.md
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

/*
 * --- section.c: sections of the configuration: created, merged, and read. The functions that
 * return one setting return its default where a section does not set it ---
 */

/* Sets of variants, the modes that a request may ask for (accept.h), are bits. */
#define TMPL_VARIANT(mode) (1U << (mode))

/* pre_config hook: makes the built-in models, and forgets which servers use the module. */
void tmpl_conf_begin(apr_pool_t *pconf);

/* Notes, while the configuration is read, that s has a section with a mode other than off. */
void tmpl_conf_used_by(server_rec *s);

/* Whether s has a section with a mode other than off, or inherits one; whether any server does. */
int tmpl_conf_is_used_by(const server_rec *s);
int tmpl_conf_is_used(void);

/* config.c: the directives, one for each setting, in their order. */
extern const command_rec tmpl_conf_directives[];

/* httpd's create_dir_config and merge_dir_config: a tmpl_conf_t from pool. */
void *tmpl_conf_create(apr_pool_t *pool, char *dir);
void *tmpl_conf_merge(apr_pool_t *pool, void *base, void *add);

/* The field of conf that keeps a setting; the field's type is the TMPL_TYPE_ of the form. */
void *tmpl_conf_field(tmpl_conf_t *conf, const tmpl_setting_t *setting);

/*
 * Sets *to to the named separators; if they are named with a +, to those of *to and the named ones.
 * The separators that *to pointed to are not changed.
 */
void tmpl_conf_add_separators(const tmpl_separators_t **to, const tmpl_separators_t *named,
                              apr_pool_t *pool);

/*
 * Passes the values of all settings that decide about a page (TMPL_DECIDES) to add, part by part.
 * Two sections of one configuration with equal bytes decide alike.
 */
void tmpl_conf_each_deciding(const tmpl_conf_t *conf,
                             void (*add)(void *baton, const void *bytes, apr_size_t len),
                             void *baton);

/* A copy of conf, from pool, that has another mode. */
const tmpl_conf_t *tmpl_conf_in_mode(const tmpl_conf_t *conf, tmpl_mode_e mode, apr_pool_t *pool);

/* The section in force for r. */
const tmpl_conf_t *tmpl_conf_of(const request_rec *r);

tmpl_mode_e tmpl_conf_mode(const tmpl_conf_t *conf);

/* A setting that is a number (tmpl_setting_preset); by name below. */
apr_int64_t tmpl_conf_number(const tmpl_conf_t *conf, tmpl_setting_e setting);

#define tmpl_conf_max_body(conf) tmpl_conf_number(conf, TMPL_SETTING_max_body)
#define tmpl_conf_max_wait(conf) tmpl_conf_number(conf, TMPL_SETTING_max_wait)
#define tmpl_conf_timeout(conf)  tmpl_conf_number(conf, TMPL_SETTING_timeout)
#define tmpl_conf_delay(conf)    tmpl_conf_number(conf, TMPL_SETTING_delay)
#define tmpl_conf_max_documents(conf)                                                              \
    ((apr_uint32_t)tmpl_conf_number(conf, TMPL_SETTING_max_documents))

int tmpl_conf_headers(const tmpl_conf_t *conf);

/* TmplRecent of the main server. */
apr_uint32_t tmpl_conf_recent(const server_rec *s);

/* TmplMetricsSites, of const char *; NULL: none. */
const apr_array_header_t *tmpl_conf_metrics_sites(const server_rec *s);

/* The name of the mode's output in entity tags: the mode; in annotate, also the marks. */
const char *tmpl_conf_variant(const tmpl_conf_t *conf, apr_pool_t *pool);

/* Fills all options of the library. The pointers in opts are those of conf. */
void tmpl_conf_opts(tmpl_clean_opts_t *opts, const tmpl_conf_t *conf);

/* The variants that requests may get instead of HTML, by their Accept field. */
unsigned tmpl_conf_offers(const tmpl_conf_t *conf);

/* The media type of what the mode sends in place of pages; NULL: it sends pages. */
const char *tmpl_conf_type(const tmpl_conf_t *conf);

/* Whether the mode changes bodies, and so lengths, validators and digests. */
int tmpl_conf_edits(const tmpl_conf_t *conf);

/* Whether entity tags of changed pages are made of what is sent: TmplValidate content. */
int tmpl_conf_tags_content(const tmpl_conf_t *conf);

/*
 * Whether responses are held until their page is complete, because it is changed or because
 * response fields say what was found in it.
 */
int tmpl_conf_holds(const tmpl_conf_t *conf);

/* --- config_check.c: directives without effect --- */

/* pre_config hook: forgets all directives. */
void tmpl_config_check_reset(apr_pool_t *pconf);

/*
 * Notes, while the configuration is read, that section has a directive. value is the
 * tmpl_child_store_t of a store, the name of the detector that a model is for, and NULL for other
 * settings.
 */
void tmpl_config_check_note(cmd_parms *cmd, tmpl_conf_t *section, const void *value);

/*
 * Drops the stores that no request can use. With warn, logs the directives that have no
 * effect. After the configuration was read, before stores are prepared.
 */
void tmpl_config_check(server_rec *main_server, int warn);

/* --- section.c: what the module keeps with a request --- */

/* A request for a twin, or for its page (twin.h). */
typedef struct {
    enum {
        TMPL_TWIN_WAITS,  /* the handlers have not been called */
        TMPL_TWIN_TRIES,  /* they are being called */
        TMPL_TWIN_MISSED, /* they have found nothing: next is requested */
        TMPL_TWIN_DONE
    } stage;
    int is_page;      /* the request is for a page */
    const char *next; /* path and query to be requested if nothing is found here; NULL: none */
    int discarded;    /* the status of the response that the gate has discarded; 0: none */
    apr_table_t *err_headers_out; /* as it was before the handlers were called */
} tmpl_twin_t;

typedef struct {
    /* the fields that request.c has changed, as they came; NULL: the request is as it came */
    const apr_table_t *sent;
    const char *accept; /* the client's Accept field, while html replaces it */
    const char *html;   /* NULL: request.c has not changed Accept */
    /* the connection to the backend, which may be used until EOS has come; NULL: not known */
    conn_rec *backend;
    tmpl_ctx_t *copied;         /* the page that TMPL_TEE copies; NULL: none */
    tmpl_twin_t *twin;          /* NULL: the request has nothing to do with twins */
    const tmpl_conf_t *section; /* NULL: conf is not made yet */
    const tmpl_conf_t *conf;    /* section, in the mode for this request */
} tmpl_request_t;

/* The record of r, which is created if there is none yet. */
tmpl_request_t *tmpl_request_of(request_rec *r);

/* The record of r to be read: one without values if there is none yet. */
const tmpl_request_t *tmpl_request_read(const request_rec *r);

/* The section in force for r, in the mode for r: highlight only if TmplHighlightAllow allows r. */
const tmpl_conf_t *tmpl_request_conf(request_rec *r);

#endif
