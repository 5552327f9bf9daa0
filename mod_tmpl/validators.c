/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entity tags. A client with a changed page asks the backend, through the module, whether the page
 * has changed. The module's tag is the backend's with a suffix, which is removed on the way to the
 * backend. A backend may compare weakly, as RFC 9110 requires (13.1.2), or byte by byte, and the
 * module's tag does not show whether the backend's was weak; so the backend gets both forms.
 */
#include "validators.h"
#include "headers.h"
#include <apr_hash.h>

/* An entity tag without W/ and quotes; points into a longer string. */
typedef struct {
    const char *opaque;
    apr_size_t len;
} tag_t;

/* The suffixes that httpd's compressing filters append. */
static const char *const compressed[] = { "-gzip", "-br", "-zstd" };

static const char *suffix_of(tmpl_mode_e mode, apr_pool_t *pool)
{
    return apr_pstrcat(pool, "-tmpl-", tmpl_mode_name(mode), NULL);
}

/* Reads the next tag of *list, and advances *list behind it. 0 at the end. */
static int next_tag(tag_t *tag, const char **list)
{
    const char *p = *list + strspn(*list, ", \t");
    const char *end;

    p += p[0] == 'W' && p[1] == '/' ? 2 : 0;
    end = *p == '"' ? ap_strchr_c(p + 1, '"') : NULL;
    if (end == NULL) {
        return 0;
    }
    tag->opaque = p + 1;
    tag->len = (apr_size_t)(end - tag->opaque);
    *list = end + 1;
    return 1;
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

/* Makes a tag of the mode with that suffix the backend's; 0 if it is another tag. */
static int cut_ours(tag_t *tag, const char *suffix)
{
    tag_t cut = *tag;
    size_t i;

    for (i = 0; i < sizeof(compressed) / sizeof(compressed[0]); i++) {
        if (cut_suffix(&cut, compressed[i])) {
            break;
        }
    }
    if (!cut_suffix(&cut, suffix)) {
        return 0;
    }
    *tag = cut;
    return 1;
}

static const char *weak(const tag_t *tag, const char *suffix, apr_pool_t *pool)
{
    return apr_pstrcat(pool, "W/\"", apr_pstrmemdup(pool, tag->opaque, tag->len), suffix, "\"",
                       NULL);
}

const char *tmpl_etag_of(const char *etag, tmpl_mode_e mode, apr_pool_t *pool)
{
    tag_t tag;

    if (!next_tag(&tag, &etag)) {
        return NULL;
    }
    return weak(&tag, suffix_of(mode, pool), pool);
}

/*
 * Adds a tag that is not in the list. seen has the tags that are: a redirect within the server
 * translates a list that is already translated, and a client may have copies of the same page with
 * and without the suffix of a compressing filter.
 */
static void add_once(apr_array_header_t *items, apr_hash_t *seen, const char *tag)
{
    if (apr_hash_get(seen, tag, APR_HASH_KEY_STRING) == NULL) {
        apr_hash_set(seen, tag, APR_HASH_KEY_STRING, tag);
        tmpl_field_list_add(items, tag);
    }
}

const char *tmpl_etag_for_backend(const char *list, tmpl_mode_e mode, int keep, apr_pool_t *pool)
{
    const char *suffix = suffix_of(mode, pool);
    apr_array_header_t *items = apr_array_make(pool, 8, sizeof(const char *));
    apr_hash_t *seen = apr_hash_make(pool);
    const char *rest = list;
    const char *start, *opaque;
    tag_t tag;
    int found = 0;

    for (start = rest; next_tag(&tag, &rest); start = rest) {
        const char *as_sent = start + strspn(start, ", \t");
        int ours = cut_ours(&tag, suffix);

        if (!ours || keep) {
            add_once(items, seen, apr_pstrmemdup(pool, as_sent, (apr_size_t)(rest - as_sent)));
        }
        if (ours) {
            found = 1;
            opaque = apr_pstrmemdup(pool, tag.opaque, tag.len);
            add_once(items, seen, apr_psprintf(pool, "\"%s\"", opaque));
            add_once(items, seen, apr_psprintf(pool, "W/\"%s\"", opaque));
        }
    }
    return found ? apr_array_pstrcat(pool, items, ',') : list;
}

const char *tmpl_etag_listed(const char *list, const char *etag, tmpl_mode_e mode, apr_pool_t *pool)
{
    const char *suffix = suffix_of(mode, pool);
    tag_t theirs, tag, cut;

    if (!next_tag(&theirs, &etag)) {
        return NULL;
    }
    while (next_tag(&tag, &list)) {
        cut = tag;
        if (cut_ours(&cut, suffix) && cut.len == theirs.len &&
            memcmp(cut.opaque, theirs.opaque, cut.len) == 0) {
            return weak(&tag, "", pool);
        }
    }
    return NULL;
}
