/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections of the configuration: created, merged, and read. The functions that return one setting
 * return its default where a section does not set it.
 */
#ifndef TMPL_SECTION_H
#define TMPL_SECTION_H

#include "mod_tmpl.h"

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

#endif
