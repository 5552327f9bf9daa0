/* SPDX-License-Identifier: Apache-2.0 */
#include "table/bucket.h"

#include <stddef.h>

#include "base/bytes.h"

#define HEAD_SIZE 8
#define RUN_SIZE  2   /* bytes of a run: a tag, and how many entries have it */
#define RUN_MOST  255 /* entries of a run */
#define LOW_SIZE  4   /* bytes of a hash's low part */
#define KIND_BITS 2
#define KIND_MASK ((1u << KIND_BITS) - 1)
#define EXPLICIT  3   /* instead of a kind: a segment that has both DF and fingerprints */
#define TAGS      256 /* values of a tag */
#define INVALID   255 /* instead of a size: there is no such tag */

/* Bytes of a rest, by tag. */
#define REST_1(n)                                                                                  \
    ((n) > 0 ? INVALID : 0), (n) > 0 ? 2 * (n) : 4, ((n) > 0 ? INVALID : 12), 4 + 2 * (n)
#define REST_4(n)  REST_1(n), REST_1((n) + 1), REST_1((n) + 2), REST_1((n) + 3)
#define REST_16(n) REST_4(n), REST_4((n) + 4), REST_4((n) + 8), REST_4((n) + 12)
static const unsigned char rest_sizes[TAGS] = { REST_16(0), REST_16(16), REST_16(32), REST_16(48) };

int tmpl_bucket_open(tmpl_bucket_columns_t *c, const tmpl_bucket_t *bucket)
{
    const unsigned char *at = bucket->bytes;
    c->n = 0;
    if (bucket->len < HEAD_SIZE || bucket->len > TMPL_BUCKET_MOST) {
        return 0;
    }
    uint32_t n = (uint32_t)tmpl_get_le(at, 2);
    c->width = at[2];
    c->clock = (uint32_t)tmpl_get_le(at + 3, 4);
    size_t head = HEAD_SIZE + (size_t)RUN_SIZE * at[7];
    if (n == 0 || c->width - 1 > 3 || head + n * (size_t)(LOW_SIZE + 1 + c->width) > bucket->len) {
        return 0;
    }
    c->n = n;
    c->runs = at + HEAD_SIZE;
    c->lows = at + head;
    c->end = at + bucket->len;
    c->tops = c->lows + (size_t)LOW_SIZE * n;
    c->ages = c->tops + n;
    c->rests = c->ages + (size_t)c->width * n;
    return 1;
}

static uint64_t hash_at(const tmpl_bucket_columns_t *c, uint32_t i)
{
    return tmpl_get_le(c->lows + (size_t)LOW_SIZE * i, LOW_SIZE) | (uint64_t)c->tops[i] << 32;
}

static uint32_t last_at(const tmpl_bucket_columns_t *c, uint32_t i)
{
    const unsigned char *age = c->ages + (size_t)c->width * i;
    uint32_t last = c->clock;
    for (unsigned k = 0; k < c->width; k++) {
        last += (uint32_t)age[k] << 8 * k;
    }
    return last;
}

static tmpl_kind_e tag_kind(unsigned tag)
{
    return (tag & KIND_MASK) == EXPLICIT ? TMPL_KIND_SEGMENT : (tmpl_kind_e)(tag & KIND_MASK);
}

/* The DF of an entry; only some rests hold it. */
static uint32_t df_of(unsigned tag, const unsigned char *rest)
{
    unsigned is = tag & KIND_MASK, prints = tag >> KIND_BITS;
    return is == TMPL_KIND_DOCUMENT                ? 1
           : is == TMPL_KIND_SEGMENT && prints > 0 ? prints
                                                   : (uint32_t)tmpl_get_le(rest, 4);
}

/* Fills all fields of value but last. */
static void rest_get(tmpl_value_t *value, unsigned tag, const unsigned char *rest)
{
    unsigned is = tag & KIND_MASK;
    value->df = df_of(tag, rest);
    value->text = value->repeated = value->n = 0;
    value->fingerprints = rest + (is == EXPLICIT ? 4 : 0);
    if (is == TMPL_KIND_PATH) {
        value->text = (uint32_t)tmpl_get_le(rest + 4, 4);
        value->repeated = (uint32_t)tmpl_get_le(rest + 8, 4);
        /* only a damaged bucket has more repeated text than text */
        value->repeated = value->repeated < value->text ? value->repeated : value->text;
    }
    else if (is != TMPL_KIND_DOCUMENT) {
        value->n = tag >> KIND_BITS;
        value->n = value->n < value->df ? value->n : value->df;
    }
}

/* The tag of entry number i, and the bytes of its rest; NULL if the bucket does not have them. */
static const unsigned char *rest_find(const tmpl_bucket_columns_t *c, uint32_t i, unsigned *tag)
{
    const unsigned char *rest = c->rests;
    for (const unsigned char *run = c->runs; run < c->lows; run += RUN_SIZE) {
        *tag = run[0];
        if (i < run[1]) {
            rest += (size_t)i * rest_sizes[*tag];
            return c->end - rest >= rest_sizes[*tag] ? rest : NULL;
        }
        rest += (size_t)run[1] * rest_sizes[*tag];
        i -= run[1];
    }
    return NULL;
}

static int entry_get(const tmpl_bucket_columns_t *c, uint32_t i, tmpl_kind_e kind,
                     tmpl_value_t *value)
{
    unsigned tag;
    const unsigned char *rest = rest_find(c, i, &tag);
    if (rest == NULL || tag_kind(tag) != kind) {
        return 0;
    }
    rest_get(value, tag, rest);
    value->last = last_at(c, i);
    return 1;
}

/* A number whose bit k is set if entry i + k, of sixteen, has this top; other bits may be set. */
static unsigned tops_same(const tmpl_bucket_columns_t *c, uint32_t i, unsigned char top)
{
    unsigned same = 0;
    if (c->end - c->tops >= (ptrdiff_t)i + TMPL_BYTES16) {
        tmpl_bytes16_t tops;
        memcpy(&tops, c->tops + i, sizeof(tops));
        return tmpl_bytes16_bits((tmpl_bytes16_t)(tops == top));
    }
    for (uint32_t k = i; k < c->n; k++) {
        same |= (unsigned)(c->tops[k] == top) << (k - i);
    }
    return same;
}

/* One byte of the hash, compared in sixteen entries at once, tells most keys apart. */
int tmpl_bucket_find(const tmpl_bucket_columns_t *c, tmpl_key_t key, tmpl_value_t *value)
{
    const unsigned char top = (unsigned char)(key.hash >> 32);
    for (uint32_t i = 0; i < c->n; i += TMPL_BYTES16) {
        unsigned same = tops_same(c, i, top);
        for (; same != 0; same &= same - 1) {
            uint32_t k = i + (uint32_t)__builtin_ctz(same);
            if (k < c->n && hash_at(c, k) == key.hash && entry_get(c, k, key.kind, value)) {
                return 1;
            }
        }
    }
    return 0;
}

uint32_t tmpl_bucket_count(const tmpl_bucket_t *bucket)
{
    tmpl_bucket_columns_t c;
    return tmpl_bucket_open(&c, bucket) ? c.n : 0;
}

uint32_t tmpl_bucket_read(tmpl_bucket_row_t *rows, const tmpl_bucket_t *bucket)
{
    tmpl_bucket_columns_t c;
    uint32_t i = 0;
    if (!tmpl_bucket_open(&c, bucket)) {
        return 0;
    }
    const unsigned char *rest = c.rests;
    for (const unsigned char *run = c.runs; run < c.lows; run += RUN_SIZE) {
        unsigned char tag = run[0], len = rest_sizes[tag];
        if (len == INVALID || run[1] > c.n - i || c.end - rest < run[1] * len) {
            return 0;
        }
        for (uint32_t after = i + run[1]; i < after; i++, rest += len) {
            rows[i] = (tmpl_bucket_row_t){ .hash = hash_at(&c, i),
                                           .rest = rest,
                                           .last = last_at(&c, i),
                                           .df = df_of(tag, rest),
                                           .tag = tag,
                                           .len = len };
        }
    }
    return i == c.n && rest == c.end ? c.n : 0;
}

tmpl_key_t tmpl_bucket_key(const tmpl_bucket_row_t *row)
{
    return (tmpl_key_t){ row->hash, tag_kind(row->tag) };
}

void tmpl_bucket_value(tmpl_value_t *value, const tmpl_bucket_row_t *row)
{
    rest_get(value, row->tag, row->rest);
    value->last = row->last;
}

void tmpl_bucket_row(tmpl_bucket_row_t *row, tmpl_key_t key, const tmpl_value_t *value,
                     unsigned char room[TMPL_BUCKET_REST_MOST])
{
    unsigned n = key.kind == TMPL_KIND_SEGMENT ? value->n : 0;
    unsigned is = n > 0 && value->df != n ? EXPLICIT : key.kind;
    unsigned tag = is | n << KIND_BITS;
    unsigned char *at = room;
    if (is == EXPLICIT || is == TMPL_KIND_PATH || (is == TMPL_KIND_SEGMENT && n == 0)) {
        tmpl_put_le(at, value->df, 4);
        at += 4;
    }
    if (is == TMPL_KIND_PATH) {
        tmpl_put_le(at, value->text, 4);
        tmpl_put_le(at + 4, value->repeated, 4);
    }
    if (n > 0) {
        memcpy(at, value->fingerprints, 2 * (size_t)n);
    }
    *row = (tmpl_bucket_row_t){ .hash = key.hash,
                                .rest = room,
                                .last = value->last,
                                .df = value->df,
                                .tag = (unsigned char)tag,
                                .len = rest_sizes[tag] };
}

static unsigned age_width(uint32_t age)
{
    return age < 1u << 8 ? 1 : age < 1u << 16 ? 2 : age < 1u << 24 ? 3 : 4;
}

/* Rows in lists, one for each tag. */
typedef struct {
    uint16_t first[TAGS]; /* 1 + the row that begins the list; 0: it is empty */
    uint16_t n[TAGS];
    unsigned char tags[TAGS]; /* n_tags of them, those that some row has */
    unsigned n_tags, n_runs;
    uint32_t clock, latest; /* the least and the greatest "last" */
    size_t rests;           /* bytes of all rests */
} lists_t;

static void lists_fill(lists_t *lists, tmpl_bucket_row_t *rows, uint32_t n)
{
    *lists = (lists_t){ .clock = UINT32_MAX };
    for (uint32_t i = n; i-- > 0;) {
        tmpl_bucket_row_t *row = &rows[i];
        uint16_t *first = &lists->first[row->tag];
        if (*first == 0) {
            lists->tags[lists->n_tags++] = row->tag;
        }
        row->next = *first;
        *first = (uint16_t)(i + 1);
        lists->n_runs += lists->n[row->tag]++ % RUN_MOST == 0;
        lists->clock = row->last < lists->clock ? row->last : lists->clock;
        lists->latest = row->last > lists->latest ? row->last : lists->latest;
        lists->rests += row->len;
    }
}

/* Writes the runs of all lists. */
static void runs_put(unsigned char *at, const lists_t *lists)
{
    for (unsigned i = 0; i < lists->n_tags; i++) {
        for (unsigned left = lists->n[lists->tags[i]], some; left > 0; left -= some) {
            some = left < RUN_MOST ? left : RUN_MOST;
            *at++ = lists->tags[i];
            *at++ = (unsigned char)some;
        }
    }
}

int tmpl_bucket_write(tmpl_bucket_t *bucket, tmpl_bucket_row_t *rows, uint32_t n, apr_pool_t *pool)
{
    lists_t lists;
    if (n == 0) {
        *bucket = (tmpl_bucket_t){ 0 };
        return 1;
    }
    if (n > TMPL_BUCKET_MOST / TMPL_BUCKET_ENTRY_LEAST) {
        return 0;
    }
    lists_fill(&lists, rows, n);
    unsigned width = age_width(lists.latest - lists.clock);
    size_t head = HEAD_SIZE + (size_t)RUN_SIZE * lists.n_runs;
    size_t len = head + (size_t)n * (LOW_SIZE + 1 + width) + lists.rests;
    if (len > TMPL_BUCKET_MOST) {
        return 0;
    }
    unsigned char *bytes = apr_palloc(pool, len), *low = bytes + head;
    unsigned char *top = low + (size_t)LOW_SIZE * n, *age = top + n;
    unsigned char *rest = age + (size_t)width * n;
    tmpl_put_le(bytes, n, 2);
    bytes[2] = (unsigned char)width;
    tmpl_put_le(bytes + 3, lists.clock, 4);
    bytes[7] = (unsigned char)lists.n_runs;
    runs_put(bytes + HEAD_SIZE, &lists);
    for (unsigned i = 0; i < lists.n_tags; i++) {
        for (uint32_t k = lists.first[lists.tags[i]]; k > 0; k = rows[k - 1].next) {
            const tmpl_bucket_row_t *row = &rows[k - 1];
            tmpl_put_le(low, row->hash, LOW_SIZE);
            *top++ = (unsigned char)(row->hash >> 32);
            for (unsigned j = 0; j < width; j++) {
                age[j] = (unsigned char)((row->last - lists.clock) >> 8 * j);
            }
            memcpy(rest, row->rest, row->len);
            low += LOW_SIZE;
            age += width;
            rest += row->len;
        }
    }
    *bucket = (tmpl_bucket_t){ bytes, len };
    return 1;
}

/* ---- the head of a site ---- */

#define FROZEN (1u << 31) /* the highest bit of n */

void tmpl_head_pack(unsigned char bytes[TMPL_HEAD_SIZE], const tmpl_head_t *head)
{
    tmpl_put_le(bytes, head->site.pages, 4);
    tmpl_put_le(bytes + 4, head->site.version, 8);
    tmpl_put_le(bytes + 12, head->site.entries, 8);
    tmpl_put_le(bytes + 20, head->n | (head->site.frozen ? FROZEN : 0), 4);
    tmpl_put_le(bytes + 24, head->salt, 8);
    tmpl_put_le(bytes + 32, head->swept, 4);
}

int tmpl_head_unpack(tmpl_head_t *head, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    if (len != TMPL_HEAD_SIZE) {
        return 0;
    }
    uint32_t n = (uint32_t)tmpl_get_le(at + 20, 4);
    *head = (tmpl_head_t){ { (uint32_t)tmpl_get_le(at, 4), tmpl_get_le(at + 4, 8),
                             tmpl_get_le(at + 12, 8), (n & FROZEN) != 0 },
                           n & ~FROZEN,
                           tmpl_get_le(at + 24, 8),
                           (uint32_t)tmpl_get_le(at + 32, 4) };
    return head->n <= TMPL_BUCKETS_MOST;
}
