/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header fields of a page that may have been changed.
 *
 * Validators. A changed page depends on the backend's page and, with most detectors, on the site's
 * table. Once the site is known (state warm) the table changes the page only a little, and the
 * backend's tag with a suffix, made weak, identifies it well enough. Before that, and while the
 * store fails, such a tag would keep a badly judged page in caches for good; so the page has none.
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
#include "canonical.h"
#include "policy.h"
#include "request.h"
#include "section.h"
#include "twin.h"
#include "validators.h"

#include "address/address.h"

/* Fields with a digest of the body. */
static const char *const digests[] = { "Content-MD5", "Digest", "Content-Digest", "Repr-Digest" };

/* httpd's logs write it as %{tmpl}n. */
static const char note[] = "tmpl";

const char *tmpl_field(request_rec *r, const char *name)
{
    const char *out = apr_table_getm(r->pool, r->headers_out, name);
    const char *err = apr_table_getm(r->pool, r->err_headers_out, name);

    if (out == NULL || err == NULL) {
        return out != NULL ? out : err;
    }
    return apr_pstrcat(r->pool, out, ",", err, NULL);
}

void tmpl_field_list_add(apr_array_header_t *items, const char *item)
{
    APR_ARRAY_PUSH(items, const char *) =
        items->nelts == 0 ? item : apr_pstrcat(items->pool, " ", item, NULL);
}

apr_table_t *tmpl_fields_copy(const apr_table_t *from, const char *const *names, apr_pool_t *pool)
{
    apr_table_t *copy = apr_table_make(pool, 4);
    const char *value;

    for (; *names != NULL; names++) {
        value = apr_table_getm(pool, from, *names);
        if (value != NULL) {
            apr_table_setn(copy, *names, value);
        }
    }
    return copy;
}

void tmpl_fields_restore(apr_table_t *to, const char *const *names, const apr_table_t *copy)
{
    const char *value;

    for (; *names != NULL; names++) {
        value = apr_table_get(copy, *names);
        if (value != NULL) {
            apr_table_setn(to, *names, value);
        }
        else {
            apr_table_unset(to, *names);
        }
    }
}

void tmpl_field_unset(request_rec *r, const char *name)
{
    apr_table_unset(r->headers_out, name);
    apr_table_unset(r->err_headers_out, name);
}

static void unset_digests(request_rec *r)
{
    size_t i;

    for (i = 0; i < sizeof(digests) / sizeof(digests[0]); i++) {
        tmpl_field_unset(r, digests[i]);
        apr_table_unset(r->trailers_out, digests[i]);
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

static void set_validators(request_rec *r, const tmpl_ctx_t *ctx, const tmpl_outcome_t *outcome,
                           int is_body)
{
    if (outcome->page == NULL) {
        return; /* the parser declines the page, now and next time */
    }
    tmpl_field_unset(r, "Last-Modified");
    /* if the mode sends another type than HTML, a page that stays HTML has no tag of the mode */
    set_tag(r, ctx->etag != NULL && is_settled(outcome) &&
                       (tmpl_conf_type(ctx->conf) == NULL || is_body)
                   ? tmpl_etag_of(ctx->etag, tmpl_conf_variant(ctx->conf, r->pool), r->pool)
                   : NULL);
    if (apr_table_get(r->headers_in, "If-Range") != NULL) {
        apr_table_unset(r->headers_in, "Range");
    }
}

/* A page for one person's eyes: no cache keeps it. Fields that only some caches read go, too. */
static void set_private(request_rec *r)
{
    static const char *const of_caches[] = {
        "ETag",         "Last-Modified",     "Expires",           "Pragma",
        "Age",          "Surrogate-Control", "CDN-Cache-Control", "Cloudflare-CDN-Cache-Control",
        "Edge-Control", "X-Accel-Expires",   "Cache-Control"
    };
    size_t i;

    for (i = 0; i < sizeof(of_caches) / sizeof(of_caches[0]); i++) {
        tmpl_field_unset(r, of_caches[i]);
    }
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

/* The text of the Tmpl field and of the note. */
static const char *what_was_found(request_rec *r, const tmpl_judged_t *judged)
{
    const tmpl_outcome_t *outcome = &judged->outcome;
    const char *said = "";
    int counted = outcome->counts.records != NULL;
    int learned = judged->input.learn != TMPL_LEARNING_OFF && counted && !outcome->counts.frozen &&
                  outcome->store_error.status == APR_SUCCESS;

    if (outcome->decline != TMPL_DECLINE_NONE) {
        said = apr_psprintf(r->pool, "declined=%s", tmpl_decline_name(outcome->decline));
    }
    if (counted || outcome->verdicts != NULL) {
        said = apr_psprintf(
            r->pool,
            "%s%sdetector=%s, state=%s, pages=%u, learned=?%d, blocks=%u, template=%u, ratio=%.3f, "
            "confidence=%.3f",
            said, *said != '\0' ? ", " : "", outcome->detector->name,
            tmpl_state_name(outcome->state), outcome->counts.pages, learned,
            outcome->page->n_blocks, outcome->closure.template_blocks, outcome->closure.ratio,
            outcome->closure.confidence);
        if (outcome->closure.parts != 0) {
            said = apr_pstrcat(r->pool, said, ", parts=(",
                               tmpl_part_names(outcome->closure.parts, r->pool), ")", NULL);
        }
        if (outcome->unmarked >= 0) {
            said = apr_psprintf(r->pool, "%s, unmarked=%.3f", said, outcome->unmarked);
        }
        said = counted ? said : apr_pstrcat(r->pool, said, ", store=?0", NULL);
    }
    if (judged->fingerprint != NULL) {
        /* a string, as RFC 9651's integers have at most 15 digits */
        said = apr_psprintf(r->pool, "%s, fingerprint=\"%s\"", said, judged->fingerprint);
    }
    if (outcome->verdicts != NULL) {
        said = apr_psprintf(r->pool, "%s, version=\"%08x-%08x\"", said,
                            (unsigned)(outcome->version >> 32), (unsigned)outcome->version);
    }
    if (tmpl_conf_mode(tmpl_request_conf(r)) == TMPL_MODE_HIGHLIGHT &&
        !tmpl_policy_allows_style(r)) {
        said = apr_pstrcat(r->pool, said, *said != '\0' ? ", " : "", "style=?0", NULL);
    }
    if (judged->cached.cache != NULL) {
        said = apr_psprintf(r->pool, "%s%scache=%s", said, *said != '\0' ? ", " : "",
                            tmpl_cached_name(judged->cached.found));
    }
    return said;
}

void tmpl_headers_noted(request_rec *r, const tmpl_judged_t *judged, apr_interval_time_t took)
{
    const tmpl_outcome_t *outcome = &judged->outcome;

    apr_table_setn(r->notes, note, what_was_found(r, judged));
    apr_table_setn(r->notes, "tmpl-ms", apr_psprintf(r->pool, "%.3f", (double)took / 1000));
    if (outcome->counts.records != NULL || outcome->verdicts != NULL) {
        apr_table_setn(r->notes, "tmpl-state", tmpl_state_name(outcome->state));
    }
    if (outcome->verdicts != NULL) {
        apr_table_setn(r->notes, "tmpl-ratio",
                       apr_psprintf(r->pool, "%.3f", outcome->closure.ratio));
        apr_table_setn(r->notes, "tmpl-confidence",
                       apr_psprintf(r->pool, "%.3f", outcome->closure.confidence));
    }
    if (judged->fingerprint != NULL) {
        /* a copy: the logs read it when the page's pool is gone */
        apr_table_set(r->notes, "tmpl-fingerprint", judged->fingerprint);
    }
}

static void set_fields(request_rec *r, apr_interval_time_t took)
{
    apr_table_setn(r->headers_out, "Tmpl", apr_table_get(r->notes, note));
    apr_table_addn(r->headers_out, "Server-Timing",
                   apr_psprintf(r->pool, "tmpl;dur=%.3f", (double)took / 1000));
}

static void add_link(request_rec *r, const char *uri, const char *parameters)
{
    /* no byte of the address, the host included, may end the link */
    const char *url = tmpl_address_spell(tmpl_canonical_url(uri, r, r->pool), r->pool);

    apr_table_addn(r->headers_out, "Link", apr_pstrcat(r->pool, "<", url, ">; ", parameters, NULL));
}

void tmpl_headers_canonical(request_rec *r)
{
    const char *link = tmpl_field(r, "Link");

    /* two different ones count as none */
    if (link != NULL && ap_strcasestr(link, "canonical") != NULL) {
        return;
    }
    add_link(r, tmpl_uri_of(r, r->pool), "rel=\"canonical\"");
}

void tmpl_headers_negotiated(request_rec *r, const tmpl_conf_t *conf, int is_html)
{
    /* a 304 has no type of its own */
    int may_vary = r->status == HTTP_NOT_MODIFIED ? tmpl_request_names_page(r) : is_html;

    if (r->main != NULL || !tmpl_conf_negotiates(conf) || !may_vary) {
        return;
    }
    apr_table_mergen(r->err_headers_out, "Vary", "Accept");
}

void tmpl_headers_alternate(request_rec *r, const tmpl_conf_t *conf)
{
    if (r->main == NULL && tmpl_conf_negotiates(conf) &&
        tmpl_conf_mode(conf) != TMPL_MODE_MARKDOWN) {
        add_link(r, tmpl_twin_name(tmpl_uri_of(r, r->pool), r->pool),
                 "rel=\"alternate\"; type=\"text/markdown\"");
    }
}

/* Sets the fields of the text or Markdown that is sent in place of a page. */
static void set_type(request_rec *r, const tmpl_conf_t *conf)
{
    ap_set_content_type(r, tmpl_conf_type(conf));
    /* mod_proxy has set the page's type as a field, which mod_cache would keep */
    tmpl_field_unset(r, "Content-Type");
    if (tmpl_conf_mode(conf) == TMPL_MODE_MARKDOWN) {
        tmpl_headers_canonical(r);
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
    if (judged->outcome.edits.n > 0 || judged->body != NULL || ctx->inflated) {
        unset_digests(r);
    }
    if (judged->body != NULL) {
        set_type(r, ctx->conf);
    }
    if (judged->body != NULL && tmpl_conf_mode(ctx->conf) == TMPL_MODE_MARKDOWN) {
        set_tokens(r, "X-Markdown-Tokens", length);
        set_tokens(r, "X-Original-Tokens", ctx->length);
    }
    if (judged->outcome.decline == TMPL_DECLINE_NONE) {
        tmpl_headers_alternate(r, ctx->conf);
    }
    if (tmpl_conf_mode(ctx->conf) == TMPL_MODE_HIGHLIGHT) {
        set_private(r);
    }
    else if (tmpl_conf_edits(ctx->conf)) {
        set_validators(r, ctx, &judged->outcome, judged->body != NULL);
    }
    tmpl_headers_noted(r, judged, took);
    if (tmpl_conf_headers(ctx->conf)) {
        set_fields(r, took);
    }
}

void tmpl_headers_head(request_rec *r, const tmpl_ctx_t *ctx)
{
    tmpl_headers_alternate(r, ctx->conf);
    if (!tmpl_conf_edits(ctx->conf)) {
        return;
    }
    if (ctx->inflated) {
        /* INFLATE does not change an answer to HEAD */
        tmpl_field_unset(r, "Content-Encoding");
        r->content_encoding = NULL;
    }
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

    if (r->main == NULL && tmpl_conf_edits(conf) && etag != NULL && list != NULL) {
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
    }
}

void tmpl_headers_error(request_rec *r)
{
    if (r->status == HTTP_NOT_MODIFIED) {
        tmpl_headers_negotiated(r, tmpl_request_conf(r), 0);
        tmpl_headers_not_modified(r, tmpl_request_conf(r));
    }
}

void tmpl_headers_declined(request_rec *r, tmpl_decline_e reason, int field)
{
    const char *said = apr_pstrcat(r->pool, "declined=", tmpl_decline_name(reason), NULL);

    apr_table_setn(r->notes, note, said);
    apr_table_setn(r->notes, "tmpl-declined", tmpl_decline_name(reason));
    if (field) {
        apr_table_setn(r->headers_out, "Tmpl", said);
    }
}
