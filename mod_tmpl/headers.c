/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validators. A changed page depends on the backend's page and, with most detectors, on the site's
 * table. Once the site is known (state warm) the table changes the page only a little, and the
 * backend's tag with a suffix, made weak, identifies it well enough. Before that, and while the
 * store fails, such a tag would keep a badly judged page in caches for good; so the page has none.
 * With TmplValidate content the tag is made of what is sent, and is strong.
 * A date can neither be weak nor name the mode, so no changed page has the backend's Last-Modified.
 * A page that will never be judged keeps its own validators. The answer to HEAD has no validators:
 * the page does not come, so nothing can be known about it.
 *
 * If-Range never matches: parts of two different outputs must not be combined.
 *
 * Vary: httpd's <If> adds the fields that its expression reads, so a mode that depends on the
 * request is covered.
 */
#include "headers.h"
#include "control.h"
#include "fields.h"
#include "page_links.h"
#include "request.h"
#include "validators.h"

#include "reader/reader.h"

/* The note with the text of the field Tmpl: httpd's logs write it as %{tmpl}n. */
static const char note[] = "tmpl";

/* Removes fields with a digest of the body. */
static void unset_digests(request_rec *r)
{
    static const char *const digests[] = { "Content-MD5", "Digest", "Content-Digest", "Repr-Digest",
                                           NULL };
    tmpl_fields_unset(r, digests);
    for (const char *const *name = digests; *name != NULL; name++) {
        apr_table_unset(r->trailers_out, *name);
    }
}

/* A changed page is not compressed any more. */
static void unset_coding(request_rec *r, const tmpl_ctx_t *ctx)
{
    if (ctx->codec != NULL) {
        tmpl_field_unset(r, "Content-Encoding");
        r->content_encoding = NULL;
    }
}

/* Sets the entity tag; NULL removes it. */
static void set_tag(request_rec *r, const char *etag)
{
    tmpl_field_unset(r, "ETag");
    if (etag != NULL) {
        apr_table_setn(r->headers_out, "ETag", etag);
    }
}

/* Whether judging the page again would give nearly the same result. */
static int is_settled(const tmpl_outcome_t *outcome)
{
    return outcome->detector->need == TMPL_NEED_NOTHING ||
           (outcome->counts.records != NULL && outcome->state == TMPL_STATE_WARM);
}

/* The tag of what is sent; NULL: none. */
static const char *sent_tag(request_rec *r, const tmpl_ctx_t *ctx)
{
    const char *variant = tmpl_conf_variant(ctx->conf, r->pool), *etag = NULL;
    if (!tmpl_conf_tags_content(ctx->conf)) {
        return ctx->etag != NULL ? tmpl_etag_of(ctx->etag, variant, r->pool) : NULL;
    }
    return r->method_number == M_GET &&
                   tmpl_etag_of_content(&etag, ctx->held, variant, r->pool) == APR_SUCCESS
               ? etag
               : NULL;
}

static void set_validators(request_rec *r, const tmpl_ctx_t *ctx, const tmpl_outcome_t *outcome,
                           int is_body)
{
    if (outcome->page == NULL) {
        return; /* the parser declines the page, now and next time */
    }
    tmpl_field_unset(r, "Last-Modified");
    /* if the mode sends another type than HTML, a page that stays HTML has no tag of the mode */
    set_tag(r, is_settled(outcome) && (tmpl_conf_type(ctx->conf) == NULL || is_body)
                   ? sent_tag(r, ctx)
                   : NULL);
    if (!tmpl_conf_tags_content(ctx->conf) && apr_table_get(r->headers_in, "If-Range") != NULL) {
        apr_table_unset(r->headers_in, "Range");
    }
}

/* A page for one person's eyes: no cache keeps it. Fields that only some caches read go, too. */
static void set_private(request_rec *r)
{
    static const char *const of_caches[] = {
        "ETag",         "Last-Modified",     "Expires",           "Pragma",
        "Age",          "Surrogate-Control", "CDN-Cache-Control", "Cloudflare-CDN-Cache-Control",
        "Edge-Control", "X-Accel-Expires",   "Cache-Control",     NULL
    };
    tmpl_fields_unset(r, of_caches);
    apr_table_setn(r->headers_out, "Cache-Control", "no-store, private");
    r->no_cache = 1;
}

/* The field tells whether a page is marked, so only this module may set it. */
void tmpl_headers_unset_foreign(request_rec *r, const tmpl_conf_t *conf)
{
    if (r->main == NULL && tmpl_conf_holds(conf)) {
        tmpl_field_unset(r, "Tmpl");
    }
}

void tmpl_headers_vary(request_rec *r, const tmpl_conf_t *conf, const char *script, int is_html)
{
    /* a 304 has no type of its own */
    int may_vary = r->status == HTTP_NOT_MODIFIED ? tmpl_request_names_page(r) : is_html;
    if (r->main != NULL || !may_vary) {
        return;
    }
    if (tmpl_conf_offers(conf) != 0) {
        apr_table_mergen(r->err_headers_out, "Vary", "Accept");
    }
    if (script != NULL && tmpl_conf_edits(conf)) {
        /* no cache may serve it as a page */
        apr_table_mergen(r->err_headers_out, "Vary", script);
    }
}

/* A reader view has its own style sheet and nothing else: the page's policy might forbid it. */
static void set_policy(request_rec *r, const tmpl_conf_t *conf)
{
    static const char *const of_page[] = { "Content-Security-Policy",
                                           "Content-Security-Policy-Report-Only", NULL };
    if (tmpl_conf_mode(conf) == TMPL_MODE_READER) {
        tmpl_fields_unset(r, of_page);
        apr_table_setn(r->headers_out, of_page[0], tmpl_reader_policy);
    }
}

/* Sets the fields of what is sent in place of a page. */
static void set_type(request_rec *r, const tmpl_conf_t *conf)
{
    set_policy(r, conf);
    ap_set_content_type(r, tmpl_conf_type(conf));
    /* mod_proxy has set the page's type as a field, which mod_cache would keep */
    tmpl_field_unset(r, "Content-Type");
    if (tmpl_conf_mode(conf) != TMPL_MODE_TEXT) {
        tmpl_link_canonical(r);
    }
}

/* About as many tokens as a language model makes of length bytes: one of four bytes. */
static void set_tokens(request_rec *r, const char *name, apr_off_t length)
{
    apr_table_setn(r->headers_out, name,
                   apr_psprintf(r->pool, "%" APR_OFF_T_FMT, (length + 3) / 4));
}

void tmpl_headers_judged(request_rec *r, const tmpl_ctx_t *ctx, const tmpl_judged_t *judged,
                         apr_off_t length, apr_interval_time_t took)
{
    ap_set_content_length(r, length);
    if (judged->outcome.edits.n > 0 || judged->body != NULL) {
        unset_digests(r);
        unset_coding(r, ctx);
    }
    if (judged->body != NULL) {
        set_type(r, ctx->conf);
    }
    if (judged->body != NULL && tmpl_conf_mode(ctx->conf) == TMPL_MODE_MARKDOWN) {
        set_tokens(r, "X-Markdown-Tokens", length);
        set_tokens(r, "X-Original-Tokens", (apr_off_t)judged->input.len);
    }
    if (judged->outcome.decline == TMPL_DECLINE_NONE) {
        tmpl_link_alternates(r, ctx->conf);
    }
    if (tmpl_conf_mode(ctx->conf) == TMPL_MODE_HIGHLIGHT) {
        set_private(r);
    }
    else if (tmpl_conf_edits(ctx->conf)) {
        set_validators(r, ctx, &judged->outcome, judged->body != NULL);
    }
    tmpl_field_note(r, judged, took);
    if (tmpl_conf_headers(ctx->conf)) {
        apr_table_setn(r->headers_out, "Tmpl", apr_table_get(r->notes, note));
        apr_table_addn(r->headers_out, "Server-Timing",
                       apr_psprintf(r->pool, "tmpl;dur=%.3f", (double)took / 1000));
    }
}

void tmpl_headers_head(request_rec *r, const tmpl_ctx_t *ctx)
{
    tmpl_link_alternates(r, ctx->conf);
    if (!tmpl_conf_edits(ctx->conf)) {
        return;
    }
    unset_coding(r, ctx);
    tmpl_field_unset(r, "Content-Length");
    unset_digests(r);
    /* without the page it is unknown which validators GET would have */
    tmpl_field_unset(r, "ETag");
    tmpl_field_unset(r, "Last-Modified");
    if (tmpl_conf_mode(ctx->conf) == TMPL_MODE_HIGHLIGHT) {
        set_private(r);
    }
    /* it is also unknown whether the page would be declined, but that is rare */
    if (tmpl_conf_type(ctx->conf) != NULL) {
        set_type(r, ctx->conf);
    }
}

/*
 * Only for a client whose copy has a tag of this module: other copies are images or declined pages.
 * The tag is sent as the client has it, perhaps with the suffix of a compressing filter: such
 * filters ignore a 304, and mod_cache refreshes a page only by the page's own tag.
 */
void tmpl_headers_not_modified(request_rec *r, const tmpl_conf_t *conf)
{
    const char *etag = apr_table_get(r->headers_out, "ETag");
    const char *list = apr_table_getm(r->pool, r->headers_in, "If-None-Match");
    const char *held = NULL;
    if (r->main == NULL && tmpl_conf_edits(conf) && !tmpl_conf_tags_content(conf) && etag != NULL &&
        list != NULL) {
        held = tmpl_etag_listed(list, etag, tmpl_conf_variant(conf, r->pool), r->pool);
    }
    if (held != NULL) {
        set_tag(r, held);
        unset_digests(r);
    }
    if (held != NULL && tmpl_conf_type(conf) != NULL) {
        /* these fields are the HTML page's, and mod_cache would keep them */
        tmpl_field_unset(r, "Content-Type");
        tmpl_field_unset(r, "Last-Modified");
        set_policy(r, conf);
    }
}

void tmpl_headers_error(request_rec *r)
{
    const tmpl_conf_t *conf = tmpl_request_conf(r);
    int is_off = tmpl_control_is_off(r);
    const char *script = is_off ? NULL : tmpl_script_field(r, conf);
    if (r->status == HTTP_NOT_MODIFIED) {
        tmpl_headers_vary(r, conf, script, 0);
        if (!is_off && script == NULL) {
            tmpl_headers_not_modified(r, conf);
        }
    }
}

/* ---- the field Tmpl, and notes for logs ---- */

/* Adds a member to the field. */
__attribute__((format(printf, 2, 3))) static void say(apr_array_header_t *members,
                                                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tmpl_field_list_add(members, apr_pvsprintf(members->pool, format, args));
    va_end(args);
}

/* What the verdicts are, for a page that was counted or has verdicts. */
static void say_judged(apr_array_header_t *members, const tmpl_judged_t *judged)
{
    const tmpl_outcome_t *outcome = &judged->outcome;
    int counted = outcome->counts.records != NULL;
    int learned = judged->input.learn != TMPL_LEARNING_OFF && counted && !outcome->counts.frozen &&
                  outcome->store_error.status == APR_SUCCESS;
    say(members, "detector=%s, state=%s, pages=%u, learned=?%d, blocks=%u, template=%u",
        outcome->detector->name, tmpl_state_name(outcome->state), outcome->counts.pages, learned,
        outcome->page->n_blocks, outcome->closure.template_blocks);
    say(members, "ratio=%.3f, confidence=%.3f", outcome->closure.ratio,
        outcome->closure.confidence);
    if (outcome->closure.parts != 0) {
        say(members, "parts=(%s)", tmpl_part_names(outcome->closure.parts, members->pool));
    }
    if (outcome->unmarked >= 0) {
        say(members, "unmarked=%.3f", outcome->unmarked);
    }
    if (!counted) {
        say(members, "store=?%d", 0);
    }
}

/* The text of the Tmpl field and of the note. */
static const char *what_was_found(request_rec *r, const tmpl_judged_t *judged)
{
    const tmpl_outcome_t *outcome = &judged->outcome;
    apr_array_header_t *members = apr_array_make(r->pool, 8, sizeof(const char *));
    if (outcome->decline != TMPL_DECLINE_NONE) {
        say(members, "declined=%s", tmpl_decline_name(outcome->decline));
    }
    if (outcome->counts.records != NULL || outcome->verdicts != NULL) {
        say_judged(members, judged);
    }
    if (judged->inflated != NULL) {
        say(members, "inflated=%s", judged->inflated);
    }
    if (judged->fingerprint != NULL) {
        /* a string, as RFC 9651's integers have at most 15 digits */
        say(members, "fingerprint=\"%s\"", judged->fingerprint);
    }
    if (judged->changed > 0) {
        say(members, "changed=@%u", judged->changed);
    }
    if (outcome->verdicts != NULL) {
        say(members, "version=\"%08x-%08x\"", (unsigned)(outcome->version >> 32),
            (unsigned)outcome->version);
    }
    if (judged->cached.cache != NULL && outcome->verdicts != NULL) {
        say(members, "cache=%s", tmpl_cached_name(judged->cached.found));
    }
    return apr_array_pstrcat(r->pool, members, ',');
}

static void note_share(request_rec *r, const char *name, double share)
{
    apr_table_setn(r->notes, name, apr_psprintf(r->pool, "%.3f", share));
}

void tmpl_field_note(request_rec *r, const tmpl_judged_t *judged, apr_interval_time_t took)
{
    const tmpl_outcome_t *outcome = &judged->outcome;
    apr_table_setn(r->notes, note, what_was_found(r, judged));
    note_share(r, "tmpl-ms", (double)took / 1000);
    if (outcome->counts.records != NULL || outcome->verdicts != NULL) {
        apr_table_setn(r->notes, "tmpl-state", tmpl_state_name(outcome->state));
    }
    if (outcome->verdicts != NULL) {
        note_share(r, "tmpl-ratio", outcome->closure.ratio);
        note_share(r, "tmpl-confidence", outcome->closure.confidence);
    }
    if (judged->fingerprint != NULL) {
        /* a copy: the logs read it when the page's pool is gone */
        apr_table_set(r->notes, "tmpl-fingerprint", judged->fingerprint);
    }
}

void tmpl_field_declined(request_rec *r, tmpl_decline_e reason, int is_sent)
{
    const char *said = apr_pstrcat(r->pool, "declined=", tmpl_decline_name(reason), NULL);
    apr_table_setn(r->notes, note, said);
    apr_table_setn(r->notes, "tmpl-declined", tmpl_decline_name(reason));
    if (is_sent) {
        apr_table_setn(r->headers_out, "Tmpl", said);
    }
}
