/* SPDX-License-Identifier: Apache-2.0 */
#include "table/listed.h"

#include <string.h>

#include "base/ascii.h"
#include "table/bucket.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define RECORD_SIZE  27 /* bytes of a record without address and title */
#define LAYOUT_BINS  16
#define LAYOUT_OTHER 4    /* bits in which sketches of different layouts differ, at least */
#define SHARD_LEAST  2048 /* bytes that a shard may have, whatever the limit is */

/* ---- what a sighting means ---- */

uint16_t tmpl_layout_sketch(const tmpl_observation_t *page)
{
    uint64_t least[LAYOUT_BINS];
    unsigned bits = 0;
    memset(least, 0xff, sizeof(least));
    for (uint32_t i = page->n; i > 0 && page->keys[i - 1].kind == TMPL_KIND_PATH; i--) {
        uint64_t hash = page->keys[i - 1].hash;
        uint64_t *bin = &least[hash % LAYOUT_BINS];
        *bin = hash / LAYOUT_BINS < *bin ? hash / LAYOUT_BINS : *bin;
    }
    for (unsigned i = 0; i < LAYOUT_BINS; i++) {
        bits |= least[i] != UINT64_MAX ? (unsigned)(least[i] % 2) << i : 0;
    }
    return (uint16_t)bits;
}

static int has_layout_of(const tmpl_listed_t *stored, const tmpl_listed_t *seen)
{
    return __builtin_popcount((unsigned)(stored->layout ^ seen->layout)) < LAYOUT_OTHER;
}

/* Bits in which the fingerprints differ; 0 if one is not known. */
static int distance_of(const tmpl_listed_t *stored, const tmpl_listed_t *seen)
{
    return stored->fingerprint != 0 && seen->fingerprint != 0
               ? __builtin_popcountll(stored->fingerprint ^ seen->fingerprint)
               : 0;
}

static int is_changed(const tmpl_listed_t *stored, const tmpl_sighting_t *sighting)
{
    const tmpl_listed_t *seen = &sighting->of;
    int distance = distance_of(stored, seen);
    if (stored->text == seen->text) {
        return 0;
    }
    return has_layout_of(stored, seen) ? distance > 0 && sighting->fresh >= TMPL_LISTED_FRESH
                                       : distance > TMPL_LISTED_FAR && sighting->is_settled;
}

/* Whether another host has dated the same change, or first sighting, later than this sighting. */
static int is_earlier(const tmpl_listed_t *stored, const tmpl_sighting_t *sighting)
{
    return sighting->is_changed && stored->changed > sighting->now &&
           distance_of(stored, &sighting->of) <= TMPL_LISTED_NEAR;
}

tmpl_listed_e tmpl_listed_judge(const tmpl_listed_t *stored, const tmpl_sighting_t *sighting)
{
    if (stored == NULL) {
        return sighting->is_gone ? TMPL_LISTED_SAME : TMPL_LISTED_NEW;
    }
    if (sighting->is_gone) {
        return TMPL_LISTED_GONE;
    }
    if (is_changed(stored, sighting)) {
        return TMPL_LISTED_CHANGED;
    }
    return tmpl_listed_day(sighting->now) > stored->day || is_earlier(stored, sighting) ||
                   (stored->fingerprint == 0 && sighting->of.fingerprint != 0)
               ? TMPL_LISTED_SEEN
               : TMPL_LISTED_SAME;
}

/* ---- shards ---- */

/* A hash that is the same for all spellings of an address. */
static uint64_t spelling_hash(const char *address, size_t len)
{
    static const char *const endings[] = { "/", ".html", ".htm" };
    char folded[TMPL_LISTED_ADDRESS];
    size_t n = 0;
    for (size_t i = 0; i < len && n < sizeof(folded); i++) {
        if (address[i] != '/' || n == 0 || folded[n - 1] != '/') {
            folded[n++] = tmpl_lower(address[i]);
        }
    }
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t end = strlen(endings[i]);
        n -= n > end && memcmp(folded + n - end, endings[i], end) == 0 ? end : 0;
    }
    return XXH3_64bits(folded, n);
}

uint32_t tmpl_listed_shard(const char *address, size_t len)
{
    return (uint32_t)(spelling_hash(address, len) % TMPL_LISTED_SHARDS);
}

int tmpl_listed_next(tmpl_listed_t *listed, const tmpl_bucket_t *shard, size_t *at)
{
    const unsigned char *bytes = shard->bytes + *at;
    if (*at + RECORD_SIZE > shard->len) {
        return 0;
    }
    *listed = (tmpl_listed_t){ .address_len = (uint32_t)tmpl_get_le(bytes, 2),
                               .title_len = bytes[2],
                               .day = (uint16_t)tmpl_get_le(bytes + 3, 2),
                               .layout = (uint16_t)tmpl_get_le(bytes + 5, 2),
                               .text = (uint32_t)tmpl_get_le(bytes + 7, 4),
                               .first = (uint32_t)tmpl_get_le(bytes + 11, 4),
                               .changed = (uint32_t)tmpl_get_le(bytes + 15, 4),
                               .fingerprint = tmpl_get_le(bytes + 19, 8) };
    listed->address = (const char *)bytes + RECORD_SIZE;
    listed->title = listed->address + listed->address_len;
    *at += RECORD_SIZE + listed->address_len + listed->title_len;
    return *at <= shard->len;
}

int tmpl_listed_find(tmpl_listed_t *listed, const tmpl_bucket_t *shard, const char *address,
                     size_t len, uint32_t text)
{
    tmpl_listed_t next;
    size_t at = 0;
    int found = 0;
    while (tmpl_listed_next(&next, shard, &at)) {
        if (next.address_len == len && memcmp(next.address, address, len) == 0) {
            *listed = next;
            return 1;
        }
        if (!found && text != 0 && next.text == text &&
            spelling_hash(next.address, next.address_len) == spelling_hash(address, len)) {
            *listed = next;
            found = 1;
        }
    }
    return found;
}

static size_t record_size(const tmpl_listed_t *listed)
{
    return RECORD_SIZE + listed->address_len + listed->title_len;
}

/* Writes a record at to, and returns where the next one goes. */
static unsigned char *record_put(unsigned char *to, const tmpl_listed_t *listed)
{
    tmpl_put_le(to, listed->address_len, 2);
    to[2] = (unsigned char)listed->title_len;
    tmpl_put_le(to + 3, listed->day, 2);
    tmpl_put_le(to + 5, listed->layout, 2);
    tmpl_put_le(to + 7, listed->text, 4);
    tmpl_put_le(to + 11, listed->first, 4);
    tmpl_put_le(to + 15, listed->changed, 4);
    tmpl_put_le(to + 19, listed->fingerprint, 8);
    memcpy(to + RECORD_SIZE, listed->address, listed->address_len);
    memcpy(to + RECORD_SIZE + listed->address_len, listed->title, listed->title_len);
    return to + record_size(listed);
}

/*
 * The document of a shard that makes room for another one today; its address is NULL if there is
 * none. New documents are at the end.
 */
static tmpl_listed_t victim_of(const tmpl_bucket_t *shard, uint16_t today)
{
    tmpl_listed_t victim = { .address = NULL }, youngest = victim, listed;
    size_t at = 0;
    while (tmpl_listed_next(&listed, shard, &at)) {
        if (victim.address == NULL || listed.day <= victim.day) {
            victim = listed;
        }
        youngest = listed;
    }
    return youngest.day == today ? youngest : victim;
}

/* What becomes of a shard. */
typedef struct {
    const char *stored, *victim; /* addresses in the shard of the documents meant; or NULL */
    const tmpl_listed_t *after;  /* takes the place of stored, else comes last; NULL: nothing */
    uint32_t now;                /* documents that were not seen for long go */
} change_t;

static tmpl_bucket_t shard_change(const tmpl_bucket_t *shard, const change_t *change,
                                  tmpl_listed_head_t *head, apr_pool_t *pool)
{
    size_t room = change->after != NULL ? record_size(change->after) : 0, at = 0;
    unsigned char *bytes = apr_palloc(pool, shard->len + room), *to = bytes;
    tmpl_listed_t listed;
    while (tmpl_listed_next(&listed, shard, &at)) {
        int is_stored = listed.address == change->stored;
        if (is_stored && change->after != NULL) {
            to = record_put(to, change->after);
        }
        else if (!is_stored && listed.address != change->victim &&
                 tmpl_listed_is_due(&listed, change->now)) {
            to = record_put(to, &listed);
        }
        else {
            head->n -= head->n > 0;
        }
    }
    if (change->stored == NULL && change->after != NULL) {
        to = record_put(to, change->after);
        head->n++;
    }
    return (tmpl_bucket_t){ bytes, (size_t)(to - bytes) };
}

int tmpl_listed_add(tmpl_bucket_t *shard, const tmpl_listed_t *listed, apr_pool_t *pool)
{
    const change_t change = { .after = listed };
    tmpl_listed_head_t head = { 0 };
    if (shard->len + record_size(listed) > TMPL_BUCKET_MOST) {
        return 0;
    }
    *shard = shard_change(shard, &change, &head, pool);
    return 1;
}

/* What is stored after a sighting; stored NULL: the document is new. */
static tmpl_listed_t record_after(const tmpl_listed_t *stored, const tmpl_sighting_t *sighting,
                                  tmpl_listed_e means, const tmpl_listed_head_t *head)
{
    tmpl_listed_t after = sighting->of;
    uint32_t now = sighting->now;
    after.day = tmpl_listed_day(now);
    if (stored == NULL) {
        int is_old = head->evicted || now < head->since + TMPL_LISTED_SETTLES * 86400;
        after.first = is_old ? 0 : now;
        return after;
    }
    after.address = stored->address; /* it may have been asked for by another spelling */
    after.address_len = stored->address_len;
    after.first = stored->first;
    after.changed =
        means == TMPL_LISTED_CHANGED || is_earlier(stored, sighting) ? now : stored->changed;
    if (means == TMPL_LISTED_CHANGED || stored->fingerprint == 0) {
        return after;
    }
    /* a layout that the site does not know yet tells nothing */
    int is_blind = !has_layout_of(stored, &after) && !sighting->is_settled;
    after.layout = is_blind ? stored->layout : after.layout;
    /* small edits add up until they count */
    if (is_blind || after.fingerprint == 0 || distance_of(stored, &after) <= TMPL_LISTED_NEAR) {
        after.fingerprint = stored->fingerprint;
        after.text = stored->text;
    }
    return after;
}

/* The bytes that a shard may have. */
static size_t shard_room(const tmpl_sighting_t *sighting)
{
    size_t room = (size_t)sighting->most * TMPL_LISTED_BYTES / TMPL_LISTED_SHARDS;
    room = room > SHARD_LEAST ? room : SHARD_LEAST;
    return room < TMPL_BUCKET_MOST ? room : TMPL_BUCKET_MOST;
}

int tmpl_listed_apply(tmpl_bucket_t *shard, tmpl_listed_head_t *head,
                      const tmpl_sighting_t *sighting, apr_pool_t *pool)
{
    const tmpl_listed_t *of = &sighting->of;
    tmpl_listed_t found, victim = { .address = NULL };
    const tmpl_listed_t *stored = tmpl_listed_find(&found, shard, of->address, of->address_len,
                                                   sighting->is_gone ? 0 : of->text)
                                      ? &found
                                      : NULL;
    tmpl_listed_e means = tmpl_listed_judge(stored, sighting);
    if (means == TMPL_LISTED_SAME) {
        return 0;
    }
    if (head->since == 0) {
        head->since = sighting->now;
    }
    uint32_t before = head->n;
    size_t size = record_size(of);
    if (means == TMPL_LISTED_NEW &&
        (head->n >= sighting->most || shard->len + size > shard_room(sighting))) {
        victim = victim_of(shard, tmpl_listed_day(sighting->now));
        head->evicted = 1;
        if (victim.address == NULL ||
            shard->len - record_size(&victim) + size > shard_room(sighting)) {
            return 0;
        }
    }
    tmpl_listed_t after = record_after(stored, sighting, means, head);
    change_t change = { stored != NULL ? found.address : NULL, victim.address,
                        means != TMPL_LISTED_GONE ? &after : NULL, sighting->now };
    *shard = shard_change(shard, &change, head, pool);
    head->edition += means != TMPL_LISTED_SEEN || head->n != before;
    return 1;
}

int tmpl_listed_by_address(const void *a, const void *b)
{
    const tmpl_listed_t *x = a, *y = b;
    size_t least = x->address_len < y->address_len ? x->address_len : y->address_len;
    int order = memcmp(x->address, y->address, least);
    return order != 0 ? order
                      : (x->address_len > y->address_len) - (x->address_len < y->address_len);
}

/* ---- the head ---- */

void tmpl_listed_head_pack(unsigned char bytes[TMPL_LISTED_HEAD_SIZE],
                           const tmpl_listed_head_t *head)
{
    tmpl_put_le(bytes, head->n, 4);
    tmpl_put_le(bytes + 4, head->since, 4);
    tmpl_put_le(bytes + 8, head->edition, 4);
    bytes[12] = head->evicted != 0;
}

tmpl_listed_head_t tmpl_listed_head_unpack(const tmpl_bucket_t *bytes)
{
    const unsigned char *at = bytes->bytes;
    return bytes->len != TMPL_LISTED_HEAD_SIZE
               ? (tmpl_listed_head_t){ 0 }
               : (tmpl_listed_head_t){ (uint32_t)tmpl_get_le(at, 4),
                                       (uint32_t)tmpl_get_le(at + 4, 4),
                                       (uint32_t)tmpl_get_le(at + 8, 4), at[12] };
}
