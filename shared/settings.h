/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings: what an operator may set, as a directive of the module, and for some as an option
 * of tmplctl. The table below is the only list of them. From it come
 *
 *     mod_tmpl/config.c          httpd's directives
 *     mod_tmpl/mod_tmpl.h        the fields of a section; section.c: how sections are merged, and
 *                                reach the options of the library
 *     shared/settings.c          the defaults
 *     mod_tmpl/cache.c           what a cached decision depends on
 *     tmplctl/options.c          names, ranges and help of the options that are settings
 *     docs/settings              docs/directives.md, docs/mod_tmpl.5, parts of tmpl-reference.conf
 *
 * docs/contributing.md, "Add a directive", has the steps.
 */
#ifndef TMPL_SETTINGS_H
#define TMPL_SETTINGS_H

#include <stddef.h>

#include "clean.h"

/*
 * Whether a cached decision about a page is valid under one value of the setting only (DECIDES) or
 * under all (ASIDE). ASIDE are settings that choose which pages are judged, when they are judged,
 * or where decisions are kept; and TmplSiteKey, whose value is in the cache's key anyway.
 */
#define TMPL_DECIDES 1
#define TMPL_ASIDE   0

/*
 * Where tmpl_clean_opts_t has the setting as it is: a number of 32 bits, two of them for a
 * lifetime, a share, a pointer. TMPL_NO_OPT are those that the library does not know, or keeps in
 * another form.
 */
#define TMPL_OPT(field) (1 + offsetof(tmpl_clean_opts_t, field))
#define TMPL_NO_OPT     0

/*
 * X(field, directive, option, form, least, most, preset, decides, opt, group, about)
 *
 *     field      the field of tmpl_conf_t, a section; TMPL_SETTING_field is the setting's index
 *     option     the option of tmplctl, without --; NULL: tmplctl has none
 *     form       what values look like (TMPL_VALUES_), how they are kept (TMPL_TYPE_ in
 *                mod_tmpl/mod_tmpl.h) and merged (kinds in mod_tmpl/section.c)
 *     least..    the range, as an administrator writes values; "" if the form has no range
 *     preset     the default, as documents show it; code reads a number or word at its beginning
 *                (docs/design.md, "Defaults", says where the numbers come from)
 *     decides    TMPL_DECIDES or TMPL_ASIDE
 *     opt        TMPL_OPT(field) or TMPL_NO_OPT
 *     group      the table of docs/directives.md: SET, TUNE (limits, load) or RESEARCH (verdicts)
 *     about      what the setting is
 */
/* clang-format off */
#define TMPL_SETTINGS(X) \
    X(mode, "TmplMode", NULL, MODE, "", "", "off", TMPL_DECIDES, TMPL_OPT(mode), SET, \
      "what is done with pages") \
    X(markdown, "TmplMarkdown", NULL, FLAG, "", "", "off", TMPL_ASIDE, TMPL_NO_OPT, SET, \
      "whether a request gets mode markdown if its Accept field prefers text/markdown to text/html, or " \
      "if it is for PATH.md and nothing is found there") \
    X(json, "TmplJson", NULL, FLAG, "", "", "off", TMPL_ASIDE, TMPL_NO_OPT, SET, \
      "whether a request gets mode json if its Accept field prefers application/json to text/html") \
    X(highlight_allow, "TmplHighlightAllow", NULL, CONDITION, "", "", "nobody", TMPL_ASIDE, TMPL_NO_OPT, SET, \
      "for which requests pages are shaded by their verdicts, whatever TmplMode is unless it is off") \
    X(detector, "TmplDetector", "detector", DETECTOR, "", "", "auto", TMPL_DECIDES, TMPL_OPT(detector), RESEARCH, \
      "what judges the blocks of a page: their text, repeated over the site (incremental), or words " \
      "repeated in repeated layout (style); what the page looks like (pagelevel); or all of it (auto)") \
    X(models, "TmplModel", "model", MODEL, "", "", "none", TMPL_DECIDES, TMPL_NO_OPT, RESEARCH, \
      "a model for pagelevel or auto, in place of the one that is built in") \
    X(smoothing, "TmplSmoothing", "smoothing", SMOOTHING, "", "", "off", TMPL_DECIDES, TMPL_OPT(detect.smoothing), RESEARCH, \
      "how pagelevel makes an element agree with those inside it") \
    X(store, "TmplStore", "store", STORE, "", "", "lmdb:tmpl", TMPL_DECIDES, TMPL_NO_OPT, SET, \
      "where the tables of all sites are kept") \
    X(store_read, "TmplStoreRead", NULL, STORE, "", "", "TmplStore", TMPL_ASIDE, TMPL_NO_OPT, TUNE, \
      "a replica of TmplStore, which is asked instead of it where nothing is written") \
    X(cache, "TmplCache", NULL, CACHE, "", "", "auto", TMPL_ASIDE, TMPL_NO_OPT, SET, \
      "where decisions about pages are kept, so that a page that comes again is not judged again") \
    X(site_key, "TmplSiteKey", NULL, KEY, "", "", "the ServerName", TMPL_ASIDE, TMPL_NO_OPT, SET, \
      "which site's table a page belongs to") \
    X(page_key, "TmplPageKey", NULL, KEY, "", "", "the page's canonical address", TMPL_ASIDE, TMPL_NO_OPT, TUNE, \
      "which document a page is") \
    X(min_df, "TmplMinDF", "min-df", NUMBER, "2", "64", "5", TMPL_DECIDES, TMPL_OPT(policy.min_df), RESEARCH, \
      "the number of documents from which a segment that is on all of them is template") \
    X(ratio, "TmplRatio", "ratio", SHARE, "0", "1", "0.7, or what the model says", TMPL_DECIDES, TMPL_OPT(detect.ratio), RESEARCH, \
      "a block is template above this share of repeated text or, with pagelevel and auto, above this " \
      "probability") \
    X(lifetime, "TmplLifetime", "lifetime", LIFETIME, "1", "1000000", "400 20", TMPL_DECIDES, TMPL_OPT(policy.lifetime_tb), RESEARCH, \
      "after how many further documents of its site a text is forgotten that is not seen again: Tb for " \
      "one that was seen once, more for one that was seen often, at most Tb * N") \
    X(separators, "TmplSeparators", "separators", SEPARATORS, "", "", \
      "table div section article nav header footer aside main form ul ol dl", TMPL_DECIDES, TMPL_NO_OPT, RESEARCH, \
      "elements that begin and end the blocks of incremental and style; with + in addition to those " \
      "inherited") \
    X(keep, "TmplKeep", "keep", SELECTORS, "", "", "none", TMPL_DECIDES, TMPL_OPT(guards.keep), SET, \
      "elements that are content, whatever was learnt") \
    X(drop, "TmplDrop", "drop", SELECTORS, "", "", "none", TMPL_DECIDES, TMPL_OPT(guards.drop), SET, \
      "elements that are template, whatever was learnt") \
    X(parts, "TmplParts", "parts", PARTS, "", "", "all -comment -review -related -notice -control -hidden", TMPL_DECIDES, TMPL_NO_OPT, SET, \
      "the parts of pages that stay, as detector auto tells them apart; with + and - a change of the " \
      "inherited ones") \
    X(marks, "TmplMark", "mark", MARKS, "", "", "data-tmpl", TMPL_DECIDES, TMPL_OPT(marks), SET, \
      "how mode annotate marks template, one or more; all presets: docs/indexing.md") \
    X(min_keep, "TmplMinKeep", "min-keep", SHARE, "0", "1", "0.5%", TMPL_DECIDES, TMPL_OPT(guards.min_keep), TUNE, \
      "a page of which a smaller share of its text would be left passes untouched") \
    X(min_confidence, "TmplMinConfidence", "min-confidence", SHARE, "0", "1", "0", TMPL_DECIDES, TMPL_OPT(guards.min_confidence), TUNE, \
      "a page with less confidence passes untouched; 0: none does") \
    X(learn, "TmplLearn", NULL, LEARN, "", "", "public", TMPL_ASIDE, TMPL_NO_OPT, SET, \
      "which pages are learnt from; public: those that are not one person's own") \
    X(delay, "TmplLearnDelay", NULL, TIME, "0", "10s", "100ms", TMPL_ASIDE, TMPL_NO_OPT, TUNE, \
      "how long a page waits at least until it is learnt; 0: it is learnt while its client waits") \
    X(documents, "TmplDocuments", NULL, FLAG, "", "", "off", TMPL_ASIDE, TMPL_NO_OPT, SET, \
      "whether the addresses, titles and dates of public pages are kept, for sitemaps, feeds and the field Tmpl") \
    X(max_documents, "TmplMaxDocuments", NULL, NUMBER, "1000", "200000", "50000", TMPL_ASIDE, TMPL_NO_OPT, TUNE, \
      "how many documents of a site TmplDocuments keeps") \
    X(max_body, "TmplMaxBody", NULL, SIZE, "1", "1G", "8M", TMPL_ASIDE, TMPL_NO_OPT, TUNE, \
      "the longest page that is read; longer ones pass untouched") \
    X(max_wait, "TmplMaxWait", NULL, TIME, "10ms", "10min", "1s", TMPL_ASIDE, TMPL_NO_OPT, TUNE, \
      "the longest time for which a page is held, from its first byte on; after it the page passes " \
      "untouched") \
    X(timeout, "TmplTimeout", NULL, TIME, "1ms", "10s", "100ms", TMPL_ASIDE, TMPL_NO_OPT, TUNE, \
      "the longest wait for the store") \
    X(seed, "TmplSecret", "secret", SECRET, "", "", "the store's own", TMPL_DECIDES, TMPL_OPT(page.seed), TUNE, \
      "a secret for the hashes in the store, in place of the one that the store keeps") \
    X(headers, "TmplHeaders", NULL, FLAG, "", "", "on, except in modes off and learn", TMPL_DECIDES, TMPL_NO_OPT, SET, \
      "whether responses have the fields Tmpl and Server-Timing") \
    X(validate, "TmplValidate", NULL, VALIDATE, "", "", "backend", TMPL_ASIDE, TMPL_NO_OPT, SET, \
      "what the entity tag of a page says that the mode changes: that the backend's page is the same, or " \
      "that what is sent is the same") \
    X(recent, "TmplRecent", NULL, GLOBAL, "0", "10000", "200", TMPL_ASIDE, TMPL_NO_OPT, TUNE, \
      "how many of the last decisions the status page shows; for the whole server") \
    X(metrics_sites, "TmplMetricsSites", NULL, SITES, "", "", "none", TMPL_ASIDE, TMPL_NO_OPT, SET, \
      "sites that have figures of their own among the metrics; for the whole server") \
    X(admin, "TmplAdmin", NULL, CONDITION, "", "", "nobody", TMPL_ASIDE, TMPL_NO_OPT, SET, \
      "for which requests the status page may forget and freeze sites")

/* The valid values of each form, for messages: "TmplX must be <values>". */
#define TMPL_VALUES_MODE(least, most)       "off, learn, headers, annotate, strip, text, markdown, json, reader or highlight"
#define TMPL_VALUES_DETECTOR(least, most)   "incremental, style, pagelevel or auto"
#define TMPL_VALUES_SMOOTHING(least, most)  "off, max, min or on"
#define TMPL_VALUES_PARTS(least, most)      "names of parts (all, headline, lead, byline, body, caption, facts, comment, review, qa, related, notice, control or hidden), as \"headline body\"; with + and - changes, as \"+review -comment\" or \"all -comment\""
#define TMPL_VALUES_NUMBER(least, most)     "a whole number from " least " to " most
#define TMPL_VALUES_GLOBAL(least, most)     "a whole number from " least " to " most
#define TMPL_VALUES_SIZE(least, most)       "a number of bytes from " least " to " most ", with K, M, G or nothing behind it"
#define TMPL_VALUES_TIME(least, most)       "a time from " least " to " most
#define TMPL_VALUES_FLAG(least, most)       "on or off"
#define TMPL_VALUES_VALIDATE(least, most)   "backend or content"
#define TMPL_VALUES_SHARE(least, most)      "a number from " least " to " most ", or from 0% to 100%"
#define TMPL_VALUES_LIFETIME(least, most)   "Tb, a whole number from " least " to " most ", and N, one from 1 to 1000"
#define TMPL_VALUES_MODEL(least, most)      "a file that holds a model"
#define TMPL_VALUES_STORE(least, most)      "lmdb:DIR[?size=BYTES&sites=N], redis://[user:pass@]host[:port][/db], redis+unix:///path[?db=n&user=u&pass=p], redis+sentinel://host[:port],.../master[/db] or redis+cluster://host[:port],..., with TLS rediss for redis"
#define TMPL_VALUES_CACHE(least, most)      "auto, none, shmcb or another of httpd's shared object caches"
#define TMPL_VALUES_KEY(least, most)        "an expression that gives a name"
#define TMPL_VALUES_CONDITION(least, most)  "an expression that is true or false"
#define TMPL_VALUES_LEARN(least, most)      "public, on, off or an expression"
#define TMPL_VALUES_SECRET(least, most)     "a text of one character or more"
#define TMPL_VALUES_SELECTORS(least, most)  "CSS selectors of tag, #id, .class, [attr] and [attr=value], as \"nav, main > div.ad p\", or XPath, as \"xpath://div[@id='ad']\""
#define TMPL_VALUES_SITES(least, most)      "keys of sites"
#define TMPL_VALUES_MARKS(least, most)      "up to 16 of data-tmpl, parts, pagefind, elastic, swiftype, nosnippet, googleoff, htdig, udm, noindex, stopindex, an attribute data-NAME or data-NAME=VALUE, or comments <!--BEGIN--><!--END-->"
#define TMPL_VALUES_SEPARATORS(least, most) "names of HTML elements, all of them or none with a + in front"
/* clang-format on */

/* Those whose values are kept as a number come first, then those kept as a pointer. */
/* clang-format off */
typedef enum {
    TMPL_FORM_MODE, TMPL_FORM_DETECTOR, TMPL_FORM_SMOOTHING, TMPL_FORM_VALIDATE, TMPL_FORM_FLAG,
    TMPL_FORM_NUMBER, TMPL_FORM_GLOBAL, TMPL_FORM_SIZE, TMPL_FORM_TIME,
    TMPL_FORM_STORE, TMPL_FORM_CACHE, TMPL_FORM_KEY, TMPL_FORM_CONDITION, TMPL_FORM_LEARN, TMPL_FORM_SITES,
    TMPL_FORM_SHARE, TMPL_FORM_LIFETIME, TMPL_FORM_MODEL, TMPL_FORM_SECRET, TMPL_FORM_SELECTORS,
    TMPL_FORM_SEPARATORS, TMPL_FORM_MARKS, TMPL_FORM_PARTS,
    TMPL_FORM_COUNT
} tmpl_form_e;
/* clang-format on */

typedef enum {
#define TMPL_SETTING_ID(field, ...) TMPL_SETTING_##field,
    TMPL_SETTINGS(TMPL_SETTING_ID)
#undef TMPL_SETTING_ID
        TMPL_SETTING_COUNT
} tmpl_setting_e;

typedef struct {
    const char *directive;
    const char *option;       /* NULL: tmplctl has none */
    const char *least, *most; /* the range, as values are written; "" if the form has none */
    const char *values;       /* what is valid, as in "X must be <values>" */
    const char *preset;       /* the default, for people */
    const char *about;
    tmpl_form_e form;
    int decides;
    size_t opt; /* TMPL_OPT() */
} tmpl_setting_t;

extern const tmpl_setting_t tmpl_settings[TMPL_SETTING_COUNT];

/*
 * The default of a setting of form MODE, DETECTOR, SMOOTHING, VALIDATE, NUMBER, GLOBAL, SIZE
 * (bytes) or TIME (microseconds).
 */
int64_t tmpl_setting_preset(tmpl_setting_e setting);

/* The default of TmplMaxBody, in bytes. */
#define TMPL_DEFAULT_MAX_BODY ((size_t)tmpl_setting_preset(TMPL_SETTING_max_body))

/* Separators as one directive or option names them. */
typedef struct {
    int relative;       /* own is added to the inherited separators, or to the default */
    tmpl_tag_set_t own; /* the tags that are named */
    tmpl_tag_set_t all; /* the tags in force */
} tmpl_separators_t;

/* TmplValidate: what entity tags are made of. */
typedef enum { TMPL_VALIDATE_BACKEND, TMPL_VALIDATE_CONTENT } tmpl_validate_e;

/*
 * Reads a value, as an administrator writes it, into *value, whose type is that of the form:
 *
 *     MODE, DETECTOR, SMOOTHING, VALIDATE    int64_t, the enum
 *     NUMBER, GLOBAL, SIZE, TIME             int64_t: bytes, microseconds
 *     LIFETIME     int64_t [2]: Tb and N, with a blank or a comma between them
 *     SHARE        double, from 0 to 1
 *     SECRET       uint64_t, the seed of all keys
 *     SELECTORS    apr_array_header_t *, of const tmpl_selector_t *: they are added
 *     MARKS        tmpl_marks_t *: the one mark is added
 *     PARTS        tmpl_parts_t: the text changes it
 *
 * What is added to is made if it is NULL. Returns NULL for a valid text, else a message from pool:
 * 'must be <values>, not "<text>"', with the reason behind a colon if it is known. The value
 * changes only for a valid text.
 */
const char *tmpl_setting_read(void *value, const tmpl_setting_t *setting, const char *text,
                              apr_pool_t *pool);

/* The same into an option of the library, where numbers are uint32_t. */
const char *tmpl_setting_read_opt(void *opt, const tmpl_setting_t *setting, const char *text,
                                  apr_pool_t *pool);

/* The names in n words, each of one or more names; the same is returned. */
const char *tmpl_setting_separators(tmpl_separators_t *separators, const tmpl_setting_t *setting,
                                    int n, char *const *words, apr_pool_t *pool);

/* The message for a text that is not valid; why may be NULL. Quotes it, unless it is a URI. */
const char *tmpl_setting_refuse(const tmpl_setting_t *setting, const char *text, const char *why,
                                apr_pool_t *pool);

#endif
