/* SPDX-License-Identifier: Apache-2.0 */
#include "decide.h"
#include "fields.h"
#include "messages.h"
#include "status/counters.h"
#include "status/report.h"
#include "headers.h"

const tmpl_codec_t tmpl_codec_unknown;

/* Reads all three places where httpd keeps parts of the list of codings. */
const tmpl_codec_t *tmpl_coding_of(request_rec *r)
{
    static const tmpl_codec_t *const codecs[] = { &tmpl_codec_gzip, &tmpl_codec_br,
                                                  &tmpl_codec_zstd, NULL };
    const char *rest = tmpl_field(r, "Content-Encoding");
    const tmpl_codec_t *coding = NULL;
    if (r->content_encoding != NULL) {
        rest = rest == NULL ? r->content_encoding
                            : apr_pstrcat(r->pool, rest, ",", r->content_encoding, NULL);
    }
    while (rest != NULL && *rest != '\0') {
        const char *token = ap_get_token(r->pool, &rest, 0);
        if (*token != '\0' && ap_cstr_casecmp(token, "identity") != 0) {
            const tmpl_codec_t *codec = tmpl_codec_of_encoding(codecs, token);
            coding = codec != NULL && coding == NULL ? codec : &tmpl_codec_unknown;
        }
        rest += strcspn(rest, ",");
        rest += *rest == ',';
    }
    return coding;
}

/*
 * application/xhtml+xml is not HTML: browsers read it as XML, where <script/> is a whole element
 * and CDATA sections are text, so an element that seems balanced here might not be.
 */
int tmpl_is_html(const request_rec *r)
{
    static const char html[] = "text/html";
    const char *type = r->content_type;
    return type != NULL && strcspn(type, "; \t") == sizeof(html) - 1 &&
           ap_cstr_casecmpn(type, html, sizeof(html) - 1) == 0;
}

tmpl_decline_e tmpl_reason_to_stop(tmpl_ctx_t *ctx, const apr_bucket *e, request_rec *r,
                                   int may_be_coded)
{
    if ((apr_off_t)e->length > tmpl_conf_max_body(ctx->conf) - ctx->length) {
        return TMPL_DECLINE_TOO_LARGE;
    }
    if (ctx->length > 0) {
        return TMPL_DECLINE_NONE;
    }
    ctx->codec = tmpl_coding_of(r);
    int is_readable = ctx->codec == NULL || (may_be_coded && ctx->codec != &tmpl_codec_unknown);
    return !tmpl_is_html(r) ? TMPL_DECLINE_TYPE
           : is_readable    ? TMPL_DECLINE_NONE
                            : TMPL_DECLINE_ENCODING;
}

static int is_not_to_be_changed(request_rec *r)
{
    const char *control = tmpl_field(r, "Cache-Control");
    return control != NULL && ap_find_token(r->pool, control, "no-transform");
}

static int is_attachment(request_rec *r)
{
    const char *disposition = tmpl_field(r, "Content-Disposition");
    return disposition != NULL &&
           ap_cstr_casecmp(ap_get_token(r->pool, &disposition, 0), "attachment") == 0;
}

/* If the body is compressed, the page is longer still. */
static int is_too_large(request_rec *r)
{
    const char *length = tmpl_field(r, "Content-Length");
    apr_off_t bytes;
    return length != NULL && ap_parse_strict_length(&bytes, length) &&
           bytes > tmpl_conf_max_body(tmpl_conf_of(r));
}

tmpl_decline_e tmpl_reason_to_decline(request_rec *r, int is_for_script)
{
    return r->main != NULL                            ? TMPL_DECLINE_SUBREQUEST
           : tmpl_field(r, "Content-Range") != NULL   ? TMPL_DECLINE_RANGE
           : r->status != HTTP_OK                     ? TMPL_DECLINE_STATUS
           : !tmpl_is_html(r)                         ? TMPL_DECLINE_TYPE
           : is_for_script                            ? TMPL_DECLINE_FRAGMENT
           : tmpl_coding_of(r) == &tmpl_codec_unknown ? TMPL_DECLINE_ENCODING
           : is_not_to_be_changed(r)                  ? TMPL_DECLINE_NO_TRANSFORM
           : is_attachment(r)                         ? TMPL_DECLINE_ATTACHMENT
           : is_too_large(r)                          ? TMPL_DECLINE_TOO_LARGE
                                                      : TMPL_DECLINE_NONE;
}

void tmpl_decline_judged(request_rec *r, const tmpl_conf_t *conf, tmpl_decline_e reason)
{
    ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, TMPL_LOG_DECLINED, tmpl_decline_name(reason),
                  tmpl_decline_text(reason));
    tmpl_count_in(TMPL_GROUP_DECLINE, reason);
    if (r->main == NULL && tmpl_is_html(r)) {
        tmpl_field_declined(r, reason, tmpl_conf_headers(conf));
    }
}

void tmpl_decline(request_rec *r, const tmpl_ctx_t *ctx, tmpl_decline_e reason)
{
    tmpl_decline_judged(r, ctx->conf, reason);
    tmpl_report_declined(ctx, r, reason);
}
