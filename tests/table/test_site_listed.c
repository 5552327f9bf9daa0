/* SPDX-License-Identifier: Apache-2.0 */
/* The listed documents of a site: what dates a change, and their lists in every store. */
#include "table/listed.h"

#include "store_fixture.h"

#define DAY   86400u
#define BEGAN (20000u * DAY) /* the time of the first sighting */
#define OLD   0x1234567890abcdefULL
#define OTHER (~OLD) /* 64 bits from OLD */

static tmpl_listed_t document(const char *address, const char *title, uint64_t fingerprint,
                              uint32_t text)
{
    return (tmpl_listed_t){ .address = address,
                            .title = title,
                            .address_len = (uint32_t)strlen(address),
                            .title_len = (uint32_t)strlen(title),
                            .fingerprint = fingerprint,
                            .text = text };
}

static tmpl_sighting_t sighting(const char *address, uint64_t fingerprint, uint32_t text,
                                uint32_t now)
{
    return (tmpl_sighting_t){
        .of = document(address, "T", fingerprint, text), .now = now, .most = 50000, .is_settled = 1
    };
}

/* ---- what dates a change ---- */

static void changes_are_new_text_in_known_places(void **state)
{
    tmpl_listed_t stored = document("/a", "A", OLD, 1);
    tmpl_sighting_t seen = sighting("/a", OTHER, 2, BEGAN);
    (void)state;
    stored.day = tmpl_listed_day(BEGAN);

    assert_int_equal(tmpl_listed_judge(NULL, &seen), TMPL_LISTED_NEW);
    /* the table has grown, or the model is another one: nothing new in known places */
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_SAME);
    seen.fresh = TMPL_LISTED_FRESH;
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_CHANGED);
    /* the same page, whatever is cut of it */
    seen.of.text = 1;
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_SAME);
    seen.of.text = 2;
    /* a clock */
    seen.of.fingerprint = OLD ^ 7;
    seen.fresh = TMPL_LISTED_FRESH - 1;
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_SAME);
    /* an edit */
    seen.fresh = TMPL_LISTED_FRESH;
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_CHANGED);
    /* news in the template */
    seen.of.fingerprint = OLD;
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_SAME);
    /* a site that is not warm has no fingerprints */
    seen.of.fingerprint = 0;
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_SAME);
    seen.now += DAY;
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_SEEN);
}

/* In another layout all segments are new, and some verdicts are others. */
static void new_templates_are_no_changes(void **state)
{
    tmpl_listed_t stored = document("/a", "A", OLD, 1);
    tmpl_sighting_t seen = sighting("/a", OLD ^ 0xfffff, 2, BEGAN);
    (void)state;
    stored.day = tmpl_listed_day(BEGAN);
    seen.fresh = 1000;
    seen.of.layout = 0xff;
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_SAME);
    seen.of.fingerprint = OTHER;
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_CHANGED);
    seen.is_settled = 0;
    assert_int_equal(tmpl_listed_judge(&stored, &seen), TMPL_LISTED_SAME);
}

/* A shard, with its list, to which sightings are applied. */
typedef struct {
    tmpl_bucket_t shard;
    tmpl_listed_head_t head;
    apr_pool_t *pool;
} applied_t;

static tmpl_listed_t apply(applied_t *to, tmpl_sighting_t seen)
{
    tmpl_listed_t found = { .first = 1, .changed = 1 };
    (void)tmpl_listed_apply(&to->shard, &to->head, &seen, to->pool);
    (void)tmpl_listed_find(&found, &to->shard, seen.of.address, seen.of.address_len, 0);
    return found;
}

static void dates_are_unknown_until_the_list_is_old(void **state)
{
    applied_t to = { .pool = ((ctx_t *)*state)->pool };
    uint32_t later = BEGAN + 8 * DAY;
    tmpl_sighting_t seen = sighting("/a", OTHER, 2, later + 5);

    assert_int_equal(apply(&to, sighting("/a", OLD, 1, BEGAN)).first, 0);
    assert_int_equal(apply(&to, sighting("/b", OLD, 1, later)).first, later);
    /* two hosts see the same change: the earlier one dates it, whoever writes first */
    seen.fresh = 1000;
    seen.is_changed = 1;
    assert_int_equal(apply(&to, seen).changed, later + 5);
    seen.now = later + 3;
    assert_int_equal(apply(&to, seen).changed, later + 3);
    seen.now = later + 4;
    assert_int_equal(apply(&to, seen).changed, later + 3);
    assert_int_equal(to.head.n, 2);
    /* not seen for a month, and asked to go */
    assert_int_equal(apply(&to, sighting("/c", OLD, 1, later + 32 * DAY)).first, later + 32 * DAY);
    assert_int_equal(to.head.n, 1);
    seen = sighting("/c", OLD, 1, later + 32 * DAY);
    seen.is_gone = 1;
    (void)apply(&to, seen);
    assert_int_equal(to.head.n, 0);
}

/* What was cut by another table becomes the former state; small edits add up. */
static void the_former_state_moves_only_by_verdicts(void **state)
{
    applied_t to = { .pool = ((ctx_t *)*state)->pool };
    tmpl_sighting_t seen = sighting("/a", OLD ^ 7, 2, BEGAN + DAY);

    (void)apply(&to, sighting("/a", OLD, 1, BEGAN));
    assert_true(apply(&to, seen).fingerprint == OLD);
    seen.of.fingerprint = OLD ^ 0xff;
    seen.now += DAY;
    assert_true(apply(&to, seen).fingerprint == (OLD ^ 0xff));
    assert_int_equal(apply(&to, seen).changed, 0);
    seen.of.layout = 0xff;
    seen.of.fingerprint = OLD ^ 0xfff;
    seen.is_settled = 0;
    seen.now += DAY;
    assert_true(apply(&to, seen).fingerprint == (OLD ^ 0xff));
    assert_int_equal(apply(&to, seen).layout, 0);
    seen.is_settled = 1;
    seen.now += DAY;
    assert_int_equal(apply(&to, seen).layout, 0xff);
}

static void floods_replace_themselves(void **state)
{
    applied_t to = { .pool = ((ctx_t *)*state)->pool };
    tmpl_listed_t found;

    for (unsigned i = 0; i < 4; i++) {
        (void)apply(&to, sighting(apr_psprintf(to.pool, "/article/%u", i), OLD, 1, BEGAN));
    }
    for (unsigned i = 0; i < 1000; i++) {
        tmpl_sighting_t seen =
            sighting(apr_psprintf(to.pool, "/made/up/%u", i), OLD, 1, BEGAN + 8 * DAY);
        seen.most = 10;
        (void)apply(&to, seen);
    }
    assert_int_equal(to.head.n, 10);
    assert_true(to.head.evicted);
    /* the articles were not seen for longer, and stay */
    assert_true(tmpl_listed_find(&found, &to.shard, "/article/0", 10, 0));
    assert_true(tmpl_listed_find(&found, &to.shard, "/article/3", 10, 0));
    /* one document a day takes the place of one that was not seen for longer */
    tmpl_sighting_t next = sighting("/next", OLD, 1, BEGAN + 9 * DAY);
    next.most = 10;
    (void)apply(&to, next);
    assert_int_equal(to.head.n, 10);
    assert_false(tmpl_listed_find(&found, &to.shard, "/article/3", 10, 0));
    assert_true(tmpl_listed_find(&found, &to.shard, "/article/2", 10, 0));
    to.shard.len = to.head.n = 0;
    for (unsigned i = 0; i < 1004; i++) {
        tmpl_sighting_t seen = sighting(apr_psprintf(to.pool, i < 4 ? "/article/%u" : "/up/%u", i),
                                        OLD, 1, BEGAN + 9 * DAY + i);
        seen.most = 10;
        (void)apply(&to, seen);
    }
    assert_int_equal(to.head.n, 10);
    assert_true(tmpl_listed_find(&found, &to.shard, "/article/3", 10, 0));
}

/* Spellings that a server takes for one, with equal text, are one document. */
static void spellings_of_an_address_are_one_document(void **state)
{
    static const char *const same[] = { "/A/1", "/a//1", "/a/1.html", "/a/1/", "/A//1.HTM" };
    applied_t to = { .pool = ((ctx_t *)*state)->pool };
    tmpl_listed_t found;

    (void)apply(&to, sighting("/a/1", OLD, 1, BEGAN));
    for (unsigned i = 0; i < DIM(same); i++) {
        assert_int_equal(tmpl_listed_shard(same[i], strlen(same[i])), tmpl_listed_shard("/a/1", 4));
        (void)apply(&to, sighting(same[i], OLD, 1, BEGAN + (i + 1) * DAY));
        assert_int_equal(to.head.n, 1);
    }
    assert_true(tmpl_listed_find(&found, &to.shard, "/a/1", 4, 0));
    assert_int_equal(found.day, tmpl_listed_day(BEGAN + DIM(same) * DAY));
    /* a spelling that is missing, and one with another text, are not the document */
    tmpl_sighting_t gone = sighting("/A/1", OLD, 1, BEGAN);
    gone.is_gone = 1;
    (void)apply(&to, gone);
    assert_int_equal(to.head.n, 1);
    (void)apply(&to, sighting("/A/1", OTHER, 2, BEGAN + DIM(same) * DAY));
    assert_int_equal(to.head.n, 2);
    (void)apply(&to, sighting("/a/2", OLD, 1, BEGAN + DIM(same) * DAY));
    assert_int_equal(to.head.n, 3);
}

/* Any bytes are read within their bounds. */
static void damaged_shards_are_read_within_bounds(void **state)
{
    applied_t to = { .pool = ((ctx_t *)*state)->pool };
    tmpl_listed_t listed;

    for (unsigned i = 0; i < 10; i++) {
        (void)apply(&to, sighting(apr_psprintf(to.pool, "/%u", i), OLD, 1, BEGAN));
    }
    for (size_t cut = 0; cut < to.shard.len; cut++) {
        unsigned char *bytes = apr_pmemdup(to.pool, to.shard.bytes, cut);
        tmpl_bucket_t part = { bytes, cut };
        for (size_t at = 0; tmpl_listed_next(&listed, &part, &at);) {
            assert_true((const unsigned char *)listed.title + listed.title_len <= bytes + cut);
        }
    }
}

/* ---- in every store ---- */

typedef struct {
    apr_array_header_t *list; /* tmpl_listed_t */
    tmpl_listed_head_t head;
} read_t;

static apr_status_t listed_push(void *baton, const tmpl_listed_t *listed)
{
    apr_array_header_t *list = baton;
    tmpl_listed_t *copy = apr_array_push(list);
    *copy = *listed;
    copy->address = apr_pstrmemdup(list->pool, listed->address, listed->address_len);
    copy->title = apr_pstrmemdup(list->pool, listed->title, listed->title_len);
    return APR_SUCCESS;
}

/* The list, in parts of 100 shards. */
static read_t list_of(ctx_t *c, const char *site)
{
    read_t read = { .list = apr_array_make(c->pool, 8, sizeof(tmpl_listed_t)) };
    for (uint32_t first = 0; first < TMPL_LISTED_SHARDS; first += 100) {
        assert_int_equal(tmpl_site_list_read(c->store, site, first, 100, &read.head, listed_push,
                                             read.list, &c->err, c->pool),
                         APR_SUCCESS);
    }
    return read;
}

/* Has pages seen, n at a time; the first also learns the site. */
static void see(ctx_t *c, const char *site, unsigned from, unsigned n, uint32_t now)
{
    tmpl_observation_t pages[64];
    const tmpl_observation_t *list[64];
    tmpl_document_t documents[64];
    tmpl_sighting_t seen[64];
    for (unsigned i = 0; i < n; i++) {
        page_init(&pages[i], &documents[i], c, from + i, 0, 2);
        seen[i] = sighting(apr_psprintf(c->pool, "/page/%u", from + i), OLD, 1, now);
        pages[i].site = site;
        pages[i].sighting = &seen[i];
        pages[i].learn = i % 2 ? TMPL_LEARNING_OFF : TMPL_LEARNING_LATER;
        list[i] = &pages[i];
    }
    assert_int_equal(tmpl_store_learn(c->store, list, n, TIMEOUT, NULL, &c->err, c->pool),
                     APR_SUCCESS);
}

static void lists_are_kept_with_their_site(void **state)
{
    ctx_t *c = *state;
    tmpl_listed_t found;

    assert_int_equal(
        tmpl_site_list_find(c->store, "s", "/page/1", 0, TIMEOUT, &found, &c->err, c->pool),
        APR_NOTFOUND);
    for (unsigned i = 0; i < 320; i += 64) {
        see(c, "s", i, 64, BEGAN);
        see(c, "other", i, 64, BEGAN);
    }
    see(c, "s", 0, 1, BEGAN + 2 * DAY);
    assert_int_equal(list_of(c, "s").list->nelts, 320);
    assert_int_equal(list_of(c, "s").head.n, 320);
    assert_int_equal(list_of(c, "s").head.since, BEGAN);
    assert_int_equal(
        tmpl_site_list_find(c->store, "s", "/page/1", 0, TIMEOUT, &found, &c->err, c->pool),
        APR_SUCCESS);
    assert_true(found.fingerprint == OLD);
    /* nothing of a document that is not listed is known, though others are in its shard */
    for (unsigned i = 320; i < 384; i++) {
        assert_int_equal(tmpl_site_list_find(c->store, "s", apr_psprintf(c->pool, "/page/%u", i), 0,
                                             TIMEOUT, &found, &c->err, c->pool),
                         APR_NOTFOUND);
        assert_int_equal(found.day, 0);
    }
    /* what is learnt of the site, and its order in the file, leave the list alone */
    for (unsigned i = 0; i < 200; i++) {
        learn(c, "s", 1000 + i, i, 90);
    }
    assert_int_equal(stats_of(c, "s", &usual).listed, 320);
    assert_int_equal(stats_of(c, "s", &usual).pages, 160 + 200);
    assert_int_equal(tmpl_store_forget(c->store, "s", &c->err, c->pool), APR_SUCCESS);
    assert_unknown(c, "s");
    learn(c, "s", 1, 0, 50);
    assert_int_equal(list_of(c, "s").list->nelts, 0);
    assert_int_equal(list_of(c, "other").list->nelts, 320);
}

static void lists_are_imported(void **state)
{
    ctx_t *c = *state;
    for (unsigned i = 0; i < 128; i += 64) {
        see(c, "s", i, 64, BEGAN);
    }
    read_t read = list_of(c, "s");
    import_into(c, "copy", table_of(c, "s"));
    assert_int_equal(stats_of(c, "copy", &usual).listed, 0);
    assert_int_equal(tmpl_site_list_import(c->store, "copy", &read.head,
                                           (tmpl_listed_t *)read.list->elts,
                                           (uint32_t)read.list->nelts, &c->err, c->pool),
                     APR_SUCCESS);
    read_t copy = list_of(c, "copy");
    assert_int_equal(copy.list->nelts, 128);
    assert_memory_equal(&copy.head, &read.head, sizeof(read.head));
    assert_int_equal(tmpl_site_list_import(c->store, "none", &read.head, NULL, 0, &c->err, c->pool),
                     APR_NOTFOUND);
}

static const store_test_t table[] = {
    TEST(MEMORY, changes_are_new_text_in_known_places),
    TEST(MEMORY, new_templates_are_no_changes),
    TEST(MEMORY, dates_are_unknown_until_the_list_is_old),
    TEST(MEMORY, the_former_state_moves_only_by_verdicts),
    TEST(MEMORY, floods_replace_themselves),
    TEST(MEMORY, spellings_of_an_address_are_one_document),
    TEST(MEMORY, damaged_shards_are_read_within_bounds),
    TEST(ALL_STORES, lists_are_kept_with_their_site),
    TEST(ALL_STORES, lists_are_imported),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
