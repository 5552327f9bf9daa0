/* SPDX-License-Identifier: Apache-2.0 */
#include "table/keys_line.h"

#include <stdlib.h>

#include <apr_encode.h>
#include <xxhash.h>

#include "base/buf.h"
#include "table/rules.h"

#define FORMAT    "1"
#define KEY_BYTES (TMPL_HASH_BITS / 8)

uint32_t tmpl_keys_check(uint64_t seed)
{
    return (uint32_t)XXH3_64bits_withSeed("tmpl", 4, seed) & UINT16_MAX;
}

/* ---- writing ---- */

static void number_add(tmpl_buf_t *buf, uint32_t number)
{
    for (; number >= 0x80; number >>= 7) {
        tmpl_buf_add_byte(buf, (char)(number | 0x80));
    }
    tmpl_buf_add_byte(buf, (char)number);
}

static void keys_add(tmpl_buf_t *buf, const tmpl_observation_t *page, uint32_t n_segments)
{
    number_add(buf, n_segments);
    number_add(buf, page->n - n_segments);
    for (uint32_t i = 0; i < page->n; i++) {
        unsigned char bytes[KEY_BYTES];
        tmpl_put_le(bytes, page->keys[i].hash, KEY_BYTES);
        tmpl_buf_add(buf, (const char *)bytes, KEY_BYTES);
    }
}

/* Returns 0 if the shares of some block are not behind those of the block before it. */
static int blocks_add(tmpl_buf_t *buf, const tmpl_observation_t *page, uint32_t n_segments)
{
    uint32_t at = 0;
    number_add(buf, page->n_blocks);
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        const tmpl_block_paths_t *block = &page->blocks[i];
        for (int level = 0; level < TMPL_PATH_LEVELS; level++) {
            uint32_t path = block->paths[level];
            number_add(buf, path == TMPL_NONE ? 0 : path - n_segments + 1);
        }
        if (block->first != at || block->after < at) {
            return 0;
        }
        number_add(buf, block->after - at);
        at = block->after;
    }
    return 1;
}

const char *tmpl_keys_line(const tmpl_observation_t *page, uint64_t seed, apr_pool_t *pool)
{
    uint32_t n_segments = tmpl_observation_segments(page);
    tmpl_buf_t buf;
    for (const char *p = page->site; *p != '\0'; p++) {
        if ((unsigned char)*p < ' ') {
            return NULL;
        }
    }
    tmpl_buf_init(&buf, pool);
    keys_add(&buf, page, n_segments);
    number_add(&buf, page->n_shares);
    for (uint32_t i = 0; i < page->n_shares; i++) {
        number_add(&buf, page->shares[i].key);
        number_add(&buf, (uint32_t)page->shares[i].length << 1 | page->shares[i].linked);
    }
    if (!blocks_add(&buf, page, n_segments)) {
        return NULL;
    }
    return apr_psprintf(pool,
                        "%s\t%016" APR_UINT64_T_HEX_FMT "\t%016" APR_UINT64_T_HEX_FMT "\t" FORMAT
                        "\t%04x\t%s\n",
                        page->site, page->document->id, page->document->text, tmpl_keys_check(seed),
                        apr_pencode_base64_binary(pool, (const unsigned char *)buf.at,
                                                  (apr_ssize_t)buf.len, APR_ENCODE_NONE, NULL));
}

/* ---- reading ---- */

/* The bytes of a page that are left. */
typedef struct {
    const unsigned char *at, *end;
    int bad; /* what was read is not valid */
} bytes_left_t;

static uint32_t number_take(bytes_left_t *left)
{
    uint64_t number = 0;
    unsigned shift = 0;
    int more = 1;
    for (; more && left->at < left->end && shift < 35; shift += 7) {
        more = *left->at & 0x80;
        number |= (uint64_t)(*left->at++ & 0x7f) << shift;
    }
    left->bad |= more || number > UINT32_MAX;
    return left->bad ? 0 : (uint32_t)number;
}

/* A count of things, each of least bytes or more. More than the input can hold is bad. */
static uint32_t count_take(bytes_left_t *left, size_t least)
{
    uint32_t n = number_take(left);
    left->bad |= n > (size_t)(left->end - left->at) / least;
    return left->bad ? 0 : n;
}

static void keys_take(tmpl_key_t *keys, uint32_t n, tmpl_kind_e kind, bytes_left_t *left)
{
    for (uint32_t i = 0; i < n; i++, left->at += KEY_BYTES) {
        keys[i] = (tmpl_key_t){ tmpl_get_le(left->at, KEY_BYTES), kind };
    }
}

static void shares_take(tmpl_observation_t *page, uint32_t n_segments, bytes_left_t *left,
                        apr_pool_t *pool)
{
    page->n_shares = count_take(left, 2);
    tmpl_share_t *shares = apr_palloc(pool, (page->n_shares + (apr_size_t)1) * sizeof(*shares));
    page->shares = shares;
    for (uint32_t i = 0; i < page->n_shares; i++) {
        uint32_t key = number_take(left), both = number_take(left), length = both / 2;
        shares[i] = (tmpl_share_t){ key, length & INT32_MAX, both & 1 };
        left->bad |= key >= n_segments;
    }
}

/* Takes the paths of a block, each of which is named once. */
static void paths_take(tmpl_block_paths_t *block, uint32_t n_segments, uint32_t n_paths,
                       bytes_left_t *left)
{
    for (int level = 0; level < TMPL_PATH_LEVELS; level++) {
        uint32_t path = number_take(left);
        block->paths[level] = path == 0 ? TMPL_NONE : n_segments + path - 1;
        left->bad |= path > n_paths;
        for (int other = 0; path > 0 && other < level; other++) {
            left->bad |= block->paths[other] == block->paths[level];
        }
    }
}

static void blocks_take(tmpl_observation_t *page, uint32_t n_segments, bytes_left_t *left,
                        apr_pool_t *pool)
{
    page->n_blocks = count_take(left, TMPL_PATH_LEVELS + 1);
    tmpl_block_paths_t *blocks =
        apr_palloc(pool, (page->n_blocks + (apr_size_t)1) * sizeof(*blocks));
    uint32_t at = 0;
    page->blocks = blocks;
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        paths_take(&blocks[i], n_segments, page->n - n_segments, left);
        uint32_t n = number_take(left);
        left->bad |= n > page->n_shares - at;
        blocks[i].first = at;
        at += left->bad ? 0 : n;
        blocks[i].after = at;
    }
}

static int coded_page_take(tmpl_observation_t *page, bytes_left_t *left, apr_pool_t *pool)
{
    uint32_t n_segments = count_take(left, KEY_BYTES), n_paths = count_take(left, KEY_BYTES);
    page->n = n_segments + n_paths;
    left->bad |= page->n > (size_t)(left->end - left->at) / KEY_BYTES;
    if (left->bad) {
        return 0;
    }
    tmpl_key_t *keys = apr_palloc(pool, (page->n + (apr_size_t)1) * sizeof(*keys));
    page->keys = keys;
    keys_take(keys, n_segments, TMPL_KIND_SEGMENT, left);
    keys_take(keys + n_segments, n_paths, TMPL_KIND_PATH, left);
    shares_take(page, n_segments, left, pool);
    blocks_take(page, n_segments, left, pool);
    return !left->bad && left->at == left->end;
}

/* Takes the next field, and its end; NULL if there is no such field. */
static const char *field_take(const char **at, apr_pool_t *pool)
{
    size_t len = strcspn(*at, "\t");
    const char *field = len > 0 && (*at)[len] == '\t' ? apr_pstrmemdup(pool, *at, len) : NULL;
    *at += len + (field != NULL);
    return field;
}

/* The same for a field of hexadecimal digits. Returns 0 if it has another length, or others. */
static int hex_take(uint64_t *number, size_t digits, const char **at, apr_pool_t *pool)
{
    const char *field = field_take(at, pool);
    if (field == NULL || strlen(field) != digits || strspn(field, "0123456789abcdef") != digits) {
        return 0;
    }
    *number = strtoull(field, NULL, 16);
    return 1;
}

apr_status_t tmpl_keys_line_read(tmpl_keys_page_t *keys, const char *line, tmpl_error_t *err,
                                 apr_pool_t *pool)
{
    uint64_t check = 0;
    apr_size_t len = 0;
    *keys = (tmpl_keys_page_t){ .page = { .learn = TMPL_LEARNING_NOW } };
    keys->page.document = &keys->document;
    keys->page.site = field_take(&line, pool);
    if (keys->page.site == NULL || strlen(keys->page.site) > TMPL_SITE_MAX ||
        !hex_take(&keys->document.id, 16, &line, pool) ||
        !hex_take(&keys->document.text, 16, &line, pool)) {
        return tmpl_fail(err, APR_EINVAL, "no keys of a page");
    }
    const char *format = field_take(&line, pool);
    if (format == NULL || strcmp(format, FORMAT) != 0) {
        return tmpl_fail(err, APR_EINVAL, "its format is not " FORMAT);
    }
    const unsigned char *bytes =
        hex_take(&check, 4, &line, pool)
            ? apr_pdecode_base64_binary(pool, line, APR_ENCODE_STRING, APR_ENCODE_NONE, &len)
            : NULL;
    bytes_left_t left = { bytes, bytes + len, 0 };
    keys->check = (uint32_t)check;
    if (bytes == NULL || !coded_page_take(&keys->page, &left, pool)) {
        return tmpl_fail(err, APR_EINVAL, "the keys of the page are damaged");
    }
    return APR_SUCCESS;
}
