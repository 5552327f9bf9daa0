/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entity tags. A client with a changed page asks the backend, through the module, whether the page
 * has changed. The module's tag is the backend's with a suffix, which is removed on the way to the
 * backend. All such tags are weak, so the suffix also tells whether the backend's tag was weak. So
 * the backend gets the very bytes that it sent: some backends compare the whole field with their
 * tag.
 *
 * A tag by what is sent (TmplValidate content) has the suffix behind a hash. The backend does not
 * know it, and never gets it: tmpl_conditions_answer() compares it with the tag of what is sent.
 */
#include "validators.h"
#include "brigade.h"
#include "fields.h"

#include <apr_hash.h>
#include <xxhash.h>

#include "status/counters.h"

/* An entity tag without W/ and quotes; points into a longer string. */
typedef struct {
    const char *opaque;
    apr_size_t len;
    int weak; /* whether it has W/ */
} tag_t;

/* The suffixes that httpd's compressing filters append. */
static const char *const compressed[] = { "-gzip", "-br", "-zstd" };

/* The suffixes of a variant's tags: for strong tags of the backend, and for weak tags. */
typedef struct {
    const char *of[2];
} suffixes_t;

static suffixes_t suffixes_of(const char *variant, apr_pool_t *pool)
{
    return (suffixes_t){ { apr_pstrcat(pool, "-tmpl-", variant, NULL),
                           apr_pstrcat(pool, "-tmpl-w-", variant, NULL) } };
}

/* Reads the next tag of *list, and advances *list behind it. 0 at the end. */
static int next_tag(tag_t *tag, const char **list)
{
    const char *p = *list + strspn(*list, ", \t");
    tag->weak = p[0] == 'W' && p[1] == '/';
    p += tag->weak ? 2 : 0;
    const char *end = *p == '"' ? ap_strchr_c(p + 1, '"') : NULL;
    if (end == NULL) {
        return 0;
    }
    tag->opaque = p + 1;
    tag->len = (apr_size_t)(end - tag->opaque);
    *list = end + 1;
    return 1;
}

static int are_equal(const tag_t *one, const tag_t *other)
{
    return one->len == other->len && memcmp(one->opaque, other->opaque, one->len) == 0;
}

static int cut_suffix(tag_t *tag, const char *suffix)
{
    apr_size_t len = strlen(suffix);
    if (tag->len < len || memcmp(tag->opaque + tag->len - len, suffix, len) != 0) {
        return 0;
    }
    tag->len -= len;
    return 1;
}

/* Cuts the suffix of a compressing filter off, if there is one. */
static void cut_coding(tag_t *tag)
{
    for (size_t i = 0; i < sizeof(compressed) / sizeof(compressed[0]); i++) {
        if (cut_suffix(tag, compressed[i])) {
            return;
        }
    }
}

/* Cuts one of the suffixes off, which leaves the backend's tag; 0 if the tag has none of them. */
static int cut_ours(tag_t *tag, const suffixes_t *suffixes)
{
    tag_t cut = *tag;
    cut_coding(&cut);
    for (cut.weak = 0; cut.weak < 2; cut.weak++) {
        if (cut_suffix(&cut, suffixes->of[cut.weak])) {
            *tag = cut;
            return 1;
        }
    }
    return 0;
}

/* Whether a tag of the list is one of the variant's. */
int tmpl_etag_names_variant(const char *list, const char *variant, apr_pool_t *pool)
{
    suffixes_t suffixes = suffixes_of(variant, pool);
    tag_t tag;
    while (next_tag(&tag, &list)) {
        if (cut_ours(&tag, &suffixes)) {
            return 1;
        }
    }
    return 0;
}

/* The tag as a field has it, with suffix inside of the quotes. */
static const char *written(const tag_t *tag, int weak, const char *suffix, apr_pool_t *pool)
{
    return apr_pstrcat(pool, weak ? "W/\"" : "\"", apr_pstrmemdup(pool, tag->opaque, tag->len),
                       suffix, "\"", NULL);
}

const char *tmpl_etag_of(const char *etag, const char *variant, apr_pool_t *pool)
{
    tag_t tag;
    if (!next_tag(&tag, &etag)) {
        return NULL;
    }
    return written(&tag, 1, suffixes_of(variant, pool).of[tag.weak], pool);
}

apr_status_t tmpl_etag_of_content(const char **etag, apr_bucket_brigade *sent, const char *variant,
                                  apr_pool_t *pool)
{
    char *bytes;
    apr_size_t len;
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    apr_status_t rv = apr_brigade_pflatten(sent, &bytes, &len, scratch);
    if (rv == APR_SUCCESS) {
        XXH128_hash_t hash = XXH3_128bits(bytes, len);
        *etag = apr_psprintf(pool, "\"%016" APR_UINT64_T_HEX_FMT "%016" APR_UINT64_T_HEX_FMT "%s\"",
                             (apr_uint64_t)hash.high64, (apr_uint64_t)hash.low64,
                             suffixes_of(variant, pool).of[0]);
    }
    apr_pool_destroy(scratch);
    return rv;
}

/*
 * Adds a tag unless the list has it already; seen has the tags of the list. A tag may come twice: a
 * redirect within the server translates a list that is already translated, and a client may have
 * copies of the same page with and without the suffix of a compressing filter.
 */
static void add_once(apr_array_header_t *items, apr_hash_t *seen, const char *tag)
{
    if (apr_hash_get(seen, tag, APR_HASH_KEY_STRING) == NULL) {
        apr_hash_set(seen, tag, APR_HASH_KEY_STRING, tag);
        tmpl_field_list_add(items, tag);
    }
}

const char *tmpl_etag_for_backend(const char *list, const char *variant, unsigned keep,
                                  apr_pool_t *pool)
{
    suffixes_t suffixes = suffixes_of(variant, pool);
    apr_array_header_t *items = apr_array_make(pool, 8, sizeof(const char *));
    apr_hash_t *seen = apr_hash_make(pool);
    const char *rest = list;
    tag_t tag;
    int changes = 0;
    for (const char *start = rest; next_tag(&tag, &rest); start = rest) {
        const char *as_sent = start + strspn(start, ", \t");
        int ours = cut_ours(&tag, &suffixes);
        if ((keep & (ours ? TMPL_TAGS_OURS : TMPL_TAGS_OTHERS)) != 0) {
            add_once(items, seen, apr_pstrmemdup(pool, as_sent, (apr_size_t)(rest - as_sent)));
        }
        else {
            changes = 1;
        }
        if (ours && (keep & TMPL_TAGS_BACKENDS) != 0) {
            changes = 1;
            add_once(items, seen, written(&tag, tag.weak, "", pool));
        }
    }
    if (!changes) {
        return list;
    }
    return items->nelts > 0 ? apr_array_pstrcat(pool, items, ',') : NULL;
}

const char *tmpl_etag_listed(const char *list, const char *etag, const char *variant,
                             apr_pool_t *pool)
{
    suffixes_t suffixes = suffixes_of(variant != NULL ? variant : "", pool);
    tag_t wanted, tag;
    if (!next_tag(&wanted, &etag)) {
        return NULL;
    }
    while (next_tag(&tag, &list)) {
        tag_t cut = tag;
        int is_candidate = variant == NULL || cut_ours(&cut, &suffixes);
        if (variant == NULL) {
            cut_coding(&cut);
        }
        if (is_candidate && are_equal(&cut, &wanted)) {
            return written(&tag, variant != NULL || tag.weak, "", pool);
        }
    }
    return NULL;
}

/* ---- conditions of a request ---- */

/*
 * The backend has sent its page whatever the client has, as it does not know the tag of what is
 * sent. So the conditions are answered here, in front of compressing filters and of mod_cache.
 *
 * There is no date: If-Modified-Since and If-Unmodified-Since have no effect (RFC 9110, 13.1.3 and
 * 13.1.4). httpd answers If-Range by the tag when it sends the data.
 */

/* Whether a Cache-Control field has a directive whose value is a number of seconds. */
static int has_seconds(const char *control, const char *directive)
{
    const char *at = control != NULL ? ap_strcasestr(control, directive) : NULL;
    apr_size_t digits = at != NULL ? strspn(at += strlen(directive), "0123456789") : 0;
    return digits > 0 && (at[digits] == '\0' || strchr(", \t", at[digits]) != NULL);
}

/*
 * A page without validators and without a time for which it is fresh is not kept by mod_cache, as
 * it may be a person's own. A tag of what is sent must not change that. (An invalid time is none.)
 */
static void keep_uncached(request_rec *r, const tmpl_ctx_t *ctx)
{
    const char *control = tmpl_field(r, "Cache-Control");
    if (ctx->etag == NULL && tmpl_field(r, "Expires") == NULL &&
        !has_seconds(control, "max-age=") && !has_seconds(control, "s-maxage=")) {
        apr_table_setn(r->subprocess_env, "no-cache", "1");
    }
}

/* Replaces the data that is held by a bucket; NULL: by nothing. */
static void replace_held(tmpl_ctx_t *ctx, apr_bucket *e)
{
    apr_bucket_brigade *made = apr_brigade_create(ctx->held->p, ctx->held->bucket_alloc);
    if (e != NULL) {
        APR_BRIGADE_INSERT_TAIL(made, e);
    }
    tmpl_brigade_replace(ctx->held, made);
}

/*
 * Whether a filter behind TMPL compresses: 200 has Accept-Encoding in Vary, so 304 needs it. Of
 * AddOutputFilterByType it has the name BYTYPE:DEFLATE.
 */
static int is_compressed(const ap_filter_t *f)
{
    while (f != NULL && ap_strcasestr(f->frec->name, "deflate") == NULL &&
           ap_strcasestr(f->frec->name, "brotli") == NULL) {
        f = f->next;
    }
    return f != NULL;
}

/*
 * The tag is sent as the client has it: compressing filters ignore a 304, and mod_cache refreshes a
 * page only by the page's own tag.
 */
static void send_unchanged(request_rec *r, tmpl_ctx_t *ctx, const char *held)
{
    replace_held(ctx, NULL);
    r->status = HTTP_NOT_MODIFIED;
    r->status_line = NULL;
    apr_table_setn(r->headers_out, "ETag", held);
    if (is_compressed(ctx->filter->next)) {
        apr_table_mergen(r->headers_out, "Vary", "Accept-Encoding");
    }
    /* 304 has no type, and no length, which mod_cache would keep for a page that is compressed */
    tmpl_field_unset(r, "Content-Length");
    tmpl_field_unset(r, "Content-Type");
    r->content_type = NULL;
    tmpl_count(TMPL_COUNTER_UNCHANGED, 1);
}

/* Whether If-Match lets the page be sent. Its tag may have a compressing filter's suffix. */
static int is_matched(request_rec *r, const char *etag)
{
    const char *list = apr_table_getm(r->pool, r->headers_in, "If-Match");
    const char *held = list != NULL ? tmpl_etag_listed(list, etag, NULL, r->pool) : NULL;
    /* a weak tag does not match */
    return (held != NULL && *held == '"') ||
           ap_condition_if_match(r, r->headers_out) != AP_CONDITION_NOMATCH;
}

void tmpl_conditions_answer(request_rec *r, tmpl_ctx_t *ctx)
{
    const char *etag = apr_table_get(r->headers_out, "ETag");
    const char *list = apr_table_getm(r->pool, r->headers_in, "If-None-Match"), *held;
    /* httpd forbids a 304 in place of an ErrorDocument */
    int may = r->method_number == M_GET && !r->no_local_copy;
    int ours = tmpl_conf_tags_content(ctx->conf) && tmpl_conf_edits(ctx->conf);
    /* where HTML is not sent, the backend was not told its own tags: a page may pass untouched */
    if (etag == NULL || (!ours && tmpl_conf_type(ctx->conf) == NULL)) {
        return;
    }
    if (ours && may && !is_matched(r, etag)) {
        replace_held(ctx, ap_bucket_error_create(HTTP_PRECONDITION_FAILED, NULL, r->pool,
                                                 ctx->held->bucket_alloc));
    }
    else if (may && list != NULL && (held = tmpl_etag_listed(list, etag, NULL, r->pool)) != NULL) {
        send_unchanged(r, ctx, held);
    }
    else if (ours) {
        keep_uncached(r, ctx);
    }
}
