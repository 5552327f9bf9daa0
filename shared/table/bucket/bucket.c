/* SPDX-License-Identifier: Apache-2.0 */
#include "table/bucket/bucket.h"

#include <string.h>

#define LOW_SIZE    4 /* of a hash; the rest of it is a byte */
#define HASH_SIZE   (LOW_SIZE + 1)
#define KIND_BITS   2
#define KIND_MASK   ((1u << KIND_BITS) - 1)
#define EXPLICIT    3 /* in the place of the kind: a segment that has its DF and fingerprints */
#define RUN_LEAST   2 /* in the upper bits of a document's tag, where 0 and 1 say how it has its DF */
#define RUN_MOST    63
#define VARINT_MOST 5 /* bytes of 32 bits */

/* ---- numbers ---- */

static unsigned char *put(unsigned char *at, uint32_t x)
{
    while (x > 127) {
        *at++ = (unsigned char)(x | 128);
        x >>= 7;
    }
    *at++ = (unsigned char)x;
    return at;
}

/* A number of any length; NULL: there is none. */
__attribute__((noinline)) static const unsigned char *
get_long(const unsigned char *at, const unsigned char *end, uint32_t *x)
{
    uint64_t sum = 0;

    for (unsigned shift = 0; at < end && shift < 7 * VARINT_MOST; shift += 7) {
        sum |= (uint64_t)(*at & 127) << shift;
        if (*at++ < 128) {
            *x = (uint32_t)sum;
            return at;
        }
    }
    return NULL;
}

/* The same; nearly all are short. */
static inline const unsigned char *get(const unsigned char *at, const unsigned char *end,
                                       uint32_t *x)
{
    if (end - at >= 2) {
        if (at[0] < 128) {
            *x = at[0];
            return at + 1;
        }
        if (at[1] < 128) {
            *x = (at[0] & 127u) | (uint32_t)at[1] << 7;
            return at + 2;
        }
    }
    return get_long(at, end, x);
}

/* ---- reading ---- */

static inline uint64_t hash_get(const tmpl_bucket_reader_t *reader, uint32_t i)
{
    return tmpl_get_le(reader->lows + (size_t)i * LOW_SIZE, LOW_SIZE) | (uint64_t)reader->tops[i]
                                                                            << 8 * LOW_SIZE;
}

static inline tmpl_kind_e row_kind(const tmpl_bucket_row_t *row)
{
    unsigned is = row->tag & KIND_MASK;

    return is == EXPLICIT ? TMPL_KIND_SEGMENT : (tmpl_kind_e)is;
}

/* Whether a DF stands behind since. */
static int has_df(unsigned tag)
{
    unsigned is = tag & KIND_MASK;

    return is >= TMPL_KIND_PATH || (is == TMPL_KIND_SEGMENT) == (tag >> KIND_BITS == 0);
}

/* What stands behind since, up to the next tag; NULL: there is nothing of that kind. */
static inline const unsigned char *rest_get(const unsigned char *at, const unsigned char *end,
                                            unsigned tag, uint32_t *df)
{
    unsigned is = tag & KIND_MASK, prints = tag >> KIND_BITS;

    *df = prints > 0 ? prints : 1;
    if (has_df(tag)) {
        at = get(at, end, df);
    }
    if (is == TMPL_KIND_PATH) {
        uint32_t unread;

        at = at == NULL ? NULL : get(at, end, &unread);
        return at == NULL ? NULL : get(at, end, &unread);
    }
    if (is == TMPL_KIND_DOCUMENT || at == NULL) {
        return at;
    }
    return prints > *df || (size_t)(end - at) < 2 * (size_t)prints ? NULL : at + 2 * prints;
}

static inline int is_run(unsigned tag)
{
    return (tag & KIND_MASK) == TMPL_KIND_DOCUMENT && tag >> KIND_BITS >= RUN_LEAST;
}

/* How many rows have the value at *at, which goes behind the byte that says so, if there is one. */
static inline uint32_t run_get(const unsigned char **at)
{
    unsigned tag = **at;

    if (!is_run(tag)) {
        return 1;
    }
    (*at)++;
    return tag >> KIND_BITS;
}

/* The row at a tag, but for its hash, and how many are like it; returns what stands behind, NULL: there is none. */
static inline const unsigned char *row_get(const unsigned char *at, const unsigned char *end,
                                           uint32_t clock, tmpl_bucket_row_t *row, uint32_t *run)
{
    uint32_t since = 0;

    if (at >= end) {
        return NULL;
    }
    *run = run_get(&at);
    if (at >= end) {
        return NULL;
    }
    row->tag = *at++;
    if (is_run(row->tag)) {
        return NULL; /* of runs there are none */
    }
    at = get(at, end, &since);
    if (at == NULL) {
        return NULL;
    }
    row->last = clock + since;
    row->rest = at;
    at = rest_get(at, end, row->tag, &row->df);
    if (at != NULL) {
        row->len = (unsigned char)(at - row->rest);
    }
    return at;
}

static void value_get(const tmpl_bucket_row_t *row, tmpl_value_t *value)
{
    const unsigned char *at = row->rest, *end = at + row->len;
    uint32_t once = 0;

    value->df = row->df;
    value->last = row->last;
    value->text = value->repeated = value->n = 0;
    if (has_df(row->tag)) {
        at = get(at, end, &value->df);
    }
    if ((row->tag & KIND_MASK) == TMPL_KIND_PATH) {
        at = get(at, end, &value->text);
        get(at, end, &once);
        value->repeated = value->text > once ? value->text - once : 0;
    }
    else if ((row->tag & KIND_MASK) != TMPL_KIND_DOCUMENT) {
        value->n = row->tag >> KIND_BITS;
        for (uint32_t i = 0; i < value->n; i++, at += 2) {
            value->fingerprints[i] = (uint16_t)tmpl_get_le(at, 2);
        }
    }
}

void tmpl_bucket_open(tmpl_bucket_reader_t *reader, const void *bytes, size_t len)
{
    const unsigned char *at = bytes, *end;

    *reader = (tmpl_bucket_reader_t){ 0 };
    if (len == 0 || len > TMPL_BUCKET_MOST) {
        return;
    }
    end = at + len;
    at = get(at, end, &reader->left);
    if (at == NULL || (size_t)(end - at) < 4 ||
        ((size_t)(end - at) - 4) / HASH_SIZE < reader->left) {
        reader->left = 0;
        return;
    }
    reader->clock = (uint32_t)tmpl_get_le(at, 4);
    reader->lows = at + 4;
    reader->tops = reader->lows + (size_t)reader->left * LOW_SIZE;
    reader->at = reader->tops + reader->left;
    reader->end = end;
}

int tmpl_bucket_next(tmpl_bucket_reader_t *reader, tmpl_key_t *key, tmpl_value_t *value)
{
    if (reader->left == 0) {
        return 0;
    }
    if (reader->run == 0) {
        reader->at = row_get(reader->at, reader->end, reader->clock, &reader->row, &reader->run);
        if (reader->at == NULL) {
            reader->left = 0;
            return 0;
        }
    }
    *key = (tmpl_key_t){ hash_get(reader, 0), row_kind(&reader->row) };
    value_get(&reader->row, value);
    reader->lows += LOW_SIZE;
    reader->tops++;
    reader->left--;
    reader->run--;
    return 1;
}

/* How many numbers stand behind a tag, by its upper bits and its kind; none behind that of a run. */
static const unsigned char numbers_of[RUN_MOST + 1][KIND_MASK + 1] = {
    [0] = { [TMPL_KIND_DOCUMENT] = 1,
            [TMPL_KIND_SEGMENT] = 2,
            [TMPL_KIND_PATH] = 4,
            [EXPLICIT] = 2 },
    [1] = { [TMPL_KIND_DOCUMENT] = 2,
            [TMPL_KIND_SEGMENT] = 1,
            [TMPL_KIND_PATH] = 4,
            [EXPLICIT] = 2 },
    [RUN_LEAST... RUN_MOST] = { [TMPL_KIND_SEGMENT] = 1, [TMPL_KIND_PATH] = 4, [EXPLICIT] = 2 },
};

/* Where n numbers from at on end, one byte after another. */
__attribute__((noinline)) static size_t numbers_skip(const unsigned char *bytes, size_t len,
                                                     size_t at, unsigned n)
{
    for (; n > 0 && at < len; at++) {
        n -= bytes[at] < 128;
    }
    return at;
}

/* From the value of row *i on, to that of row wanted, or of the run that it is in, whose first is *i then. */
static const unsigned char *rows_skip(const unsigned char *bytes, const unsigned char *end,
                                      uint32_t *i, uint32_t wanted)
{
    size_t len = (size_t)(end - bytes), at = 0;
    uint32_t row = *i;

    while (at < len) {
        unsigned tag = bytes[at], is = tag & KIND_MASK, prints = tag >> KIND_BITS;
        unsigned numbers = numbers_of[prints][is];
        uint64_t ends;

        if (row == wanted || (numbers == 0 && prints > wanted - row)) {
            break;
        }
        at++;
        if (numbers == 0) {
            row += prints - 1; /* the value that follows is the last one's */
            continue;
        }
        row++;
        /* the last bytes of numbers: those of a row hardly ever take more than eight */
        ends = len - at < 8 ? 0 : ~tmpl_get_le(bytes + at, 8) & 0x8080808080808080u;
        for (unsigned k = 1; k < numbers; k++) {
            ends &= ends - 1;
        }
        at = ends != 0 ? at + (size_t)(__builtin_ctzll(ends) + 1) / 8
                       : numbers_skip(bytes, len, at, numbers);
        at += is == TMPL_KIND_SEGMENT || is == EXPLICIT ? 2 * (size_t)prints : 0;
    }
    *i = row;
    return bytes + (at < len ? at : len);
}

#define SIDE_BY_SIDE 8 /* hashes that are compared at once */
typedef uint32_t four_t __attribute__((vector_size(16)));

/* Whether one of eight words is such a one. */
static inline int eight_have(const unsigned char *bytes, uint32_t word)
{
    const four_t words = { word, word, word, word };
    four_t eight[2];
    uint64_t found[2];

    memcpy(eight, bytes, sizeof(eight));
    eight[0] = (four_t)(eight[0] == words) | (four_t)(eight[1] == words);
    memcpy(found, eight, sizeof(found));
    return (found[0] | found[1]) != 0;
}

/* The first of all hashes from i on that is wanted; their number: there is none. */
static inline uint32_t hash_find(const tmpl_bucket_reader_t *reader, uint32_t i, uint64_t wanted)
{
    const uint32_t low = htole32((uint32_t)wanted), n = reader->left;
    const unsigned char *lows = reader->lows;
    /* what stands behind the last one may be compared, too */
    const uint32_t words = (uint32_t)((size_t)(reader->end - lows) / LOW_SIZE);

    for (; i < n; i += SIDE_BY_SIDE) {
        if (i + SIDE_BY_SIDE <= words && !eight_have(lows + (size_t)i * LOW_SIZE, low)) {
            continue;
        }
        for (uint32_t k = i; k < i + SIDE_BY_SIDE && k < n; k++) {
            if (hash_get(reader, k) == wanted) {
                return k;
            }
        }
    }
    return n;
}

int tmpl_bucket_find(const void *bytes, size_t len, tmpl_key_t key, tmpl_value_t *value)
{
    tmpl_bucket_reader_t reader;
    uint32_t first = 0; /* whose value reader.at is */
    uint32_t run, i = 0;

    tmpl_bucket_open(&reader, bytes, len);
    for (; (i = hash_find(&reader, i, key.hash)) < reader.left; i++) {
        reader.at = rows_skip(reader.at, reader.end, &first, i);
        if (row_get(reader.at, reader.end, reader.clock, &reader.row, &run) == NULL) {
            return 0;
        }
        if (row_kind(&reader.row) == key.kind) {
            value_get(&reader.row, value);
            return 1;
        }
    }
    return 0;
}

/* ---- rows ---- */

tmpl_kind_e tmpl_bucket_row_kind(const tmpl_bucket_row_t *row)
{
    return row_kind(row);
}

void tmpl_bucket_row(tmpl_bucket_row_t *row, tmpl_key_t key, const tmpl_value_t *value,
                     unsigned char room[TMPL_BUCKET_REST_MOST])
{
    int implied =
        key.kind == TMPL_KIND_DOCUMENT ? value->df == 1 : value->n > 0 && value->df == value->n;
    unsigned is = key.kind == TMPL_KIND_SEGMENT && value->n > 0 && !implied ? EXPLICIT : key.kind;
    unsigned n = key.kind == TMPL_KIND_PATH       ? 0
                 : key.kind == TMPL_KIND_DOCUMENT ? (unsigned)!implied
                                                  : value->n;
    unsigned char *at = room;

    *row = (tmpl_bucket_row_t){
        key.hash, room, value->last, value->df, (unsigned char)(is | n << KIND_BITS), 0
    };
    if (has_df(row->tag)) {
        at = put(at, value->df);
    }
    if (key.kind == TMPL_KIND_PATH) {
        at = put(at, value->text);
        at = put(at, value->text - value->repeated);
    }
    for (uint32_t i = 0; key.kind == TMPL_KIND_SEGMENT && i < value->n; i++, at += 2) {
        tmpl_put_le(at, value->fingerprints[i], 2);
    }
    row->len = (unsigned char)(at - room);
}

uint32_t tmpl_bucket_count(const tmpl_bucket_t *bucket)
{
    tmpl_bucket_reader_t reader;

    tmpl_bucket_open(&reader, bucket->bytes, bucket->len);
    return reader.left;
}

uint32_t tmpl_bucket_rows(tmpl_bucket_row_t *rows, const tmpl_bucket_t *bucket)
{
    tmpl_bucket_reader_t reader;
    const unsigned char *at;
    uint32_t run = 0;

    tmpl_bucket_open(&reader, bucket->bytes, bucket->len);
    at = reader.at;
    for (uint32_t i = 0; i < reader.left; i++, run--) {
        if (run == 0) {
            at = row_get(at, reader.end, reader.clock, &rows[i], &run);
        }
        else {
            rows[i] = rows[i - 1];
        }
        if (at == NULL) {
            return i;
        }
        rows[i].hash = hash_get(&reader, i);
    }
    return reader.left;
}

static unsigned char *lows_put(unsigned char *at, const tmpl_bucket_row_t *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, at += LOW_SIZE) {
        tmpl_put_le(at, rows[i].hash, LOW_SIZE);
    }
    return at;
}

static unsigned char *tops_put(unsigned char *at, const tmpl_bucket_row_t *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        *at++ = (unsigned char)(rows[i].hash >> 8 * LOW_SIZE);
    }
    return at;
}

/* The value of a row, under a clock that is not after it. */
static unsigned char *row_put(unsigned char *at, const tmpl_bucket_row_t *row, uint32_t clock)
{
    *at++ = row->tag;
    at = put(at, row->last - clock);
    if (row->len == 2) { /* as nearly all have: no call */
        memcpy(at, row->rest, 2);
    }
    else {
        memcpy(at, row->rest, row->len);
    }
    return at + row->len;
}

static int values_equal(const tmpl_bucket_row_t *a, const tmpl_bucket_row_t *b)
{
    return a->last == b->last && a->tag == b->tag && a->len == b->len &&
           memcmp(a->rest, b->rest, a->len) == 0;
}

/* In front of a value that so many rows have. */
static unsigned char *run_put(unsigned char *at, uint32_t run)
{
    if (run >= RUN_LEAST) {
        *at++ = (unsigned char)(run << KIND_BITS | TMPL_KIND_DOCUMENT);
    }
    return at;
}

/* The values of rows; one of rows beside each other that are alike. */
static unsigned char *rows_put(unsigned char *at, const tmpl_bucket_row_t *rows, uint32_t n,
                               uint32_t clock)
{
    for (uint32_t i = 0, run; i < n; i += run) {
        for (run = 1; run < RUN_MOST && i + run < n && values_equal(&rows[i], &rows[i + run]);
             run++) {
        }
        at = row_put(run_put(at, run), &rows[i], clock);
    }
    return at;
}

size_t tmpl_bucket_room(const tmpl_bucket_row_t *rows, uint32_t n)
{
    size_t room = VARINT_MOST + 4;

    for (uint32_t i = 0; i < n; i++) {
        room += HASH_SIZE + 1 + VARINT_MOST + (size_t)rows[i].len; /* a run takes less */
    }
    return room;
}

size_t tmpl_bucket_write(unsigned char *bytes, const tmpl_bucket_row_t *rows, uint32_t n)
{
    unsigned char *at = bytes;
    uint32_t clock = UINT32_MAX;

    if (n == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        clock = rows[i].last < clock ? rows[i].last : clock;
    }
    at = put(at, n);
    tmpl_put_le(at, clock, 4);
    at += 4;
    at = tops_put(lows_put(at, rows, n), rows, n);
    at = rows_put(at, rows, n, clock);
    return (size_t)(at - bytes);
}

/* ---- changing ---- */

/* Bytes of a number. */
static unsigned number_size(uint32_t x)
{
    return x < 1u << 7 ? 1 : x < 1u << 14 ? 2 : x < 1u << 21 ? 3 : x < 1u << 28 ? 4 : 5;
}

/* One bit a row: those that have the hash of a new row. */
#define MARK_BITS 64
#define MARKS     (TMPL_BUCKET_MOST / HASH_SIZE / MARK_BITS + 1)

static void rows_mark(uint64_t *marks, const tmpl_bucket_change_t *change,
                      const tmpl_bucket_reader_t *reader)
{
    memset(marks, 0, (reader->left / MARK_BITS + 1) * sizeof(*marks));
    for (uint32_t k = 0; k < change->n; k++) {
        uint64_t hash = change->rows[k].hash;

        for (uint32_t i = hash_find(reader, 0, hash); i < reader->left;
             i = hash_find(reader, i + 1, hash)) {
            marks[i / MARK_BITS] |= (uint64_t)1 << i % MARK_BITS;
        }
    }
}

static inline int is_marked(const uint64_t *marks, uint32_t i)
{
    return (int)(marks[i / MARK_BITS] >> i % MARK_BITS & 1);
}

/* The first row from i on that is marked, of n; n: there is none. */
static inline uint32_t next_marked(const uint64_t *marks, uint32_t i, uint32_t n)
{
    uint32_t word = i / MARK_BITS;
    uint64_t bits = marks[word] >> i % MARK_BITS << i % MARK_BITS;

    while (bits == 0 && ++word * MARK_BITS < n) {
        bits = marks[word];
    }
    return bits != 0 ? word * MARK_BITS + (uint32_t)__builtin_ctzll(bits) : n;
}

static int gives_way(const tmpl_bucket_change_t *change, const tmpl_bucket_row_t *row)
{
    const tmpl_bucket_row_t *at = change->rows, *end = at + change->n;

    while (at < end && (at->hash != row->hash || row_kind(at) != row_kind(row))) {
        at++;
    }
    return at < end;
}

static int is_dead(const tmpl_bucket_change_t *change, const tmpl_bucket_row_t *row)
{
    return change->lifetimes != NULL &&
           !tmpl_is_live(row->df, row->last, change->lifetimes, change->now);
}

/* Rows of a since from least to least + span are live whatever their DF is. */
typedef struct {
    uint32_t least, span;
} ages_t;

static ages_t live_ages(const tmpl_bucket_change_t *change, uint32_t clock)
{
    uint32_t most = change->now - clock, life;

    if (change->lifetimes == NULL) {
        return (ages_t){ 0, UINT32_MAX };
    }
    life = change->lifetimes->pages[0]; /* the shortest */
    if (change->now < clock) {
        return (ages_t){ UINT32_MAX, 0 }; /* none */
    }
    return most > life ? (ages_t){ most - life, life } : (ages_t){ 0, most };
}

/* Another clock is called for if new rows are older, or if last would then take fewer bytes. */
static int clock_fits(const tmpl_bucket_change_t *change, uint32_t clock, uint32_t oldest)
{
    uint32_t latest = oldest;

    if (oldest == UINT32_MAX) {
        return 0; /* none stays */
    }
    for (uint32_t i = 0; i < change->n; i++) {
        if (change->rows[i].last < clock) {
            return 0;
        }
        oldest = change->rows[i].last < oldest ? change->rows[i].last : oldest;
        latest = change->rows[i].last > latest ? change->rows[i].last : latest;
    }
    return number_size(latest - clock) == number_size(latest - oldest);
}

/*
 * Reads the value of row i, and finds out what becomes of it and those like it; returns what stands behind it, NULL: it
 * cannot be read. *run: how many they are.
 */
static const unsigned char *run_judge(tmpl_bucket_change_t *change,
                                      const tmpl_bucket_reader_t *reader, const uint64_t *marks,
                                      uint32_t i, uint32_t *run, uint32_t *oldest)
{
    tmpl_bucket_row_t row;
    const unsigned char *next = row_get(reader->at, reader->end, reader->clock, &row, run);
    uint32_t first = change->n_gone;
    int dead;

    if (next == NULL || *run > reader->left - i) {
        return NULL;
    }
    dead = is_dead(change, &row);
    for (uint32_t k = i; k < i + *run; k++) {
        row.hash = hash_get(reader, k);
        int gives = is_marked(marks, k) && gives_way(change, &row);

        if (gives || dead) {
            change->dead += (uint32_t)!gives;
            change->gone[change->n_gone++] = (tmpl_bucket_gone_t){ k, next, next, 0 };
        }
    }
    if (change->n_gone > first) {
        change->gone[first].from = reader->at;
        change->gone[first].left = *run - (change->n_gone - first);
    }
    if (change->n_gone - first < *run && row.last < *oldest) {
        *oldest = row.last;
    }
    return next;
}

#define SHORT_MOST 4                        /* fingerprints */
#define SHORT_ROW  (2 + 2 + 2 * SHORT_MOST) /* bytes, with that of a run */

/* By tag: bytes behind since and one more, or that it is a DF. 0: to be read as a whole. */
#define ONLY_DF 255
static const unsigned char short_rests[256] = {
    [TMPL_KIND_DOCUMENT] = 1,
    [TMPL_KIND_SEGMENT] = ONLY_DF,
    [TMPL_KIND_SEGMENT | 1 << KIND_BITS] = 1 + 2 * 1,
    [TMPL_KIND_SEGMENT | 2 << KIND_BITS] = 1 + 2 * 2,
    [TMPL_KIND_SEGMENT | 3 << KIND_BITS] = 1 + 2 * 3,
    [TMPL_KIND_SEGMENT | SHORT_MOST << KIND_BITS] = 1 + 2 * SHORT_MOST,
};

/*
 * What stands behind a row, and its since, if the row is as nearly all are: of a document, or of a segment with few
 * fingerprints or a DF of one or two bytes. NULL: it is not.
 */
static inline const unsigned char *short_row(const unsigned char *at, uint32_t *since)
{
    unsigned len = short_rests[at[0]];
    const unsigned char *rest = at + 2;

    if (len == 0) {
        return NULL;
    }
    *since = at[1];
    if (at[1] > 127) {
        *since = (at[1] & 127u) | (uint32_t)at[2] << 7;
        rest++;
        if (at[2] > 127) {
            return NULL;
        }
    }
    if (len == ONLY_DF) {
        len = rest[0] < 128 ? 1 : 2;
        return rest[len - 1] > 0 && rest[len - 1] < 128 ? rest + len : NULL;
    }
    return rest + len - 1;
}

/*
 * Passes by short rows that stay, from the i-th on, which is where the reader is, up to one that is marked; returns the
 * number of the first that is to be read as a whole. Of most rows no more is read. Lowers *oldest.
 */
static inline uint32_t rows_pass(const tmpl_bucket_change_t *change, tmpl_bucket_reader_t *reader,
                                 const uint64_t *marks, uint32_t i, uint32_t *oldest)
{
    ages_t live = live_ages(change, reader->clock);
    uint32_t stop = next_marked(marks, i, reader->left);
    const unsigned char *at = reader->at, *next;
    uint32_t since, run, earliest = UINT32_MAX;

    for (; reader->end - at >= SHORT_ROW; i += run, at = next) {
        run = 1;
        next = short_row(at, &since);
        if (next == NULL && is_run(at[0])) {
            run = at[0] >> KIND_BITS;
            next = short_row(at + 1, &since);
        }
        if (i + run > stop || next == NULL || since - live.least > live.span) {
            break;
        }
        earliest = since < earliest ? since : earliest;
    }
    reader->at = at;
    if (earliest != UINT32_MAX && reader->clock + earliest < *oldest) {
        *oldest = reader->clock + earliest;
    }
    return i;
}

void tmpl_bucket_change_find(tmpl_bucket_change_t *change)
{
    tmpl_bucket_reader_t reader;
    uint64_t marks[MARKS];
    uint32_t oldest = UINT32_MAX, i = 0;

    tmpl_bucket_open(&reader, change->is.bytes, change->is.len);
    rows_mark(marks, change, &reader);
    change->n_gone = change->dead = 0;
    while ((i = rows_pass(change, &reader, marks, i, &oldest)) < reader.left) {
        uint32_t run;

        reader.at = run_judge(change, &reader, marks, i, &run, &oldest);
        if (reader.at == NULL) {
            change->fits = 0;
            return;
        }
        i += run;
    }
    change->fits =
        reader.left > 0 && reader.at == reader.end && clock_fits(change, reader.clock, oldest);
}

/* Copies what stays of two rows of bytes between those who go. */
static unsigned char *copy(unsigned char *at, const unsigned char *from, const unsigned char *to)
{
    memcpy(at, from, (size_t)(to - from));
    return at + (to - from);
}

/* Of the parts of n rows, of so many bytes each, those of rows that stay. */
static unsigned char *stay_copy(unsigned char *at, const tmpl_bucket_change_t *change,
                                const unsigned char *parts, size_t size, uint32_t n)
{
    const unsigned char *from = parts;

    for (uint32_t i = 0; i < change->n_gone; i++) {
        const unsigned char *gone = parts + change->gone[i].row * size;

        at = copy(at, from, gone);
        from = gone + size;
    }
    return copy(at, from, parts + n * size);
}

/* The same of values; those of a run that stay are a shorter one. */
static unsigned char *gone_copy(unsigned char *at, const unsigned char *from,
                                const tmpl_bucket_gone_t *gone)
{
    const unsigned char *value = gone->from;

    at = copy(at, from, gone->from);
    if (gone->left > 0) {
        (void)run_get(&value);
        at = copy(run_put(at, gone->left), value, gone->to);
    }
    return at;
}

size_t tmpl_bucket_change_write(unsigned char *bytes, const tmpl_bucket_change_t *change)
{
    tmpl_bucket_reader_t reader;
    unsigned char *at = bytes;
    const unsigned char *values;

    tmpl_bucket_open(&reader, change->is.bytes, change->is.len);
    if (reader.lows == NULL || change->n + reader.left == change->n_gone) {
        return 0;
    }
    values = reader.at;
    at = put(at, change->n + reader.left - change->n_gone);
    tmpl_put_le(at, reader.clock, 4);
    at = lows_put(at + 4, change->rows, change->n);
    at = stay_copy(at, change, reader.lows, LOW_SIZE, reader.left);
    at = tops_put(at, change->rows, change->n);
    at = stay_copy(at, change, reader.tops, 1, reader.left);
    at = rows_put(at, change->rows, change->n, reader.clock);
    for (uint32_t i = 0; i < change->n_gone; i++) {
        at = gone_copy(at, values, &change->gone[i]);
        values = change->gone[i].to;
    }
    at = copy(at, values, reader.end);
    return (size_t)(at - bytes);
}
