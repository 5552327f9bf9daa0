/* SPDX-License-Identifier: Apache-2.0 */
/* Where buckets stand in a snapshot: what is noted holds for that snapshot, site and file, and for no other. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "table/lmdb/lmdb_places.h"

#define NUMBER 3 /* of the bucket that is noted */

static const unsigned char bytes[200];
static const tmpl_bucket_t anchor = { bytes, 20 };
static const tmpl_bucket_t bucket = { bytes + 50, 30 };

/* A new file of LMDB's own with one commit, in a directory that is gone as soon as it is open. */
static MDB_env *file_open(void)
{
    char dir[] = "/tmp/tmpl-places-XXXXXX", data[64], lock[64];
    MDB_env *env;
    assert_non_null(mkdtemp(dir));
    apr_snprintf(data, sizeof(data), "%s/data.mdb", dir);
    apr_snprintf(lock, sizeof(lock), "%s/lock.mdb", dir);
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_open(env, dir, MDB_NOTLS, 0600), 0);
    unlink(data);
    unlink(lock);
    rmdir(dir);
    return env;
}

static void commit(MDB_env *env)
{
    char byte[] = "1";
    MDB_val key = { 1, byte }, data = key;
    MDB_txn *txn;
    MDB_dbi dbi;
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, NULL, 0, &dbi), 0);
    assert_int_equal(mdb_put(txn, dbi, &key, &data, 0), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
}

static MDB_txn *read_begin(MDB_env *env)
{
    MDB_txn *txn;
    assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), 0);
    return txn;
}

static tmpl_site_t site_of(uint32_t serial)
{
    return (tmpl_site_t){ .serial = serial, .buckets = { .n = 10 } };
}

/* Whether the bucket has been noted for a site in what txn reads. */
static int is_noted(tmpl_lmdb_notes_t *notes, MDB_txn *txn, uint32_t serial)
{
    tmpl_site_t site = site_of(serial);
    tmpl_lmdb_places_t *places = tmpl_lmdb_places_take(notes, txn, &site, &anchor);
    tmpl_bucket_t found;
    assert_non_null(places);
    int is = tmpl_lmdb_place_get(places, NUMBER, &anchor, &found);
    if (is) {
        assert_ptr_equal(found.bytes, bucket.bytes);
        assert_int_equal(found.len, bucket.len);
    }
    tmpl_lmdb_places_give(notes, places);
    return is;
}

static void note(tmpl_lmdb_notes_t *notes, MDB_txn *txn, uint32_t serial)
{
    tmpl_site_t site = site_of(serial);
    tmpl_lmdb_places_t *places = tmpl_lmdb_places_take(notes, txn, &site, &anchor);
    assert_non_null(places);
    tmpl_lmdb_place_note(places, NUMBER, &anchor, &bucket);
    tmpl_lmdb_places_give(notes, places);
}

static void holds_for_all_who_read_a_snapshot(void **state)
{
    tmpl_lmdb_notes_t *notes = tmpl_lmdb_notes_create(*state);
    MDB_env *env = file_open();
    commit(env);
    MDB_txn *one = read_begin(env), *other = read_begin(env);
    assert_false(is_noted(notes, one, 7));
    note(notes, one, 7);
    assert_true(is_noted(notes, one, 7));
    assert_true(is_noted(notes, other, 7));
    mdb_txn_abort(one);
    mdb_txn_abort(other);
    one = read_begin(env);
    assert_true(is_noted(notes, one, 7)); /* nobody has written */
    mdb_txn_abort(one);
    mdb_env_close(env);
}

static void does_not_hold_behind_a_commit(void **state)
{
    tmpl_lmdb_notes_t *notes = tmpl_lmdb_notes_create(*state);
    MDB_env *env = file_open();
    commit(env);
    MDB_txn *before = read_begin(env);
    note(notes, before, 7);
    commit(env);
    MDB_txn *behind = read_begin(env);
    assert_false(is_noted(notes, behind, 7));
    mdb_txn_abort(before);
    mdb_txn_abort(behind);
    mdb_env_close(env);
}

/* Who holds the notes of a snapshot goes on with them, whatever others ask for. */
static void lives_as_long_as_it_is_held(void **state)
{
    tmpl_lmdb_notes_t *notes = tmpl_lmdb_notes_create(*state);
    MDB_env *env = file_open();
    commit(env);
    MDB_txn *before = read_begin(env);
    tmpl_site_t site = site_of(7);
    tmpl_lmdb_places_t *places = tmpl_lmdb_places_take(notes, before, &site, &anchor);
    assert_non_null(places);
    commit(env);
    MDB_txn *behind = read_begin(env);
    note(notes, behind, 7);
    tmpl_lmdb_place_note(places, NUMBER, &anchor, &bucket);
    tmpl_bucket_t found;
    assert_true(tmpl_lmdb_place_get(places, NUMBER, &anchor, &found));
    tmpl_lmdb_places_give(notes, places);
    mdb_txn_abort(before);
    mdb_txn_abort(behind);
    mdb_env_close(env);
}

static void is_of_one_site(void **state)
{
    tmpl_lmdb_notes_t *notes = tmpl_lmdb_notes_create(*state);
    MDB_env *env = file_open();
    commit(env);
    MDB_txn *txn = read_begin(env);
    note(notes, txn, 1);
    for (uint32_t serial = 2; serial < 100; serial++) {
        assert_false(is_noted(notes, txn, serial));
    }
    mdb_txn_abort(txn);
    mdb_env_close(env);
}

/* A file that takes another's place begins with the same numbers of snapshots. */
static void is_of_one_file(void **state)
{
    tmpl_lmdb_notes_t *notes = tmpl_lmdb_notes_create(*state);
    MDB_env *env = file_open();
    commit(env);
    MDB_txn *txn = read_begin(env);
    size_t snapshot = mdb_txn_id(txn);
    note(notes, txn, 7);
    mdb_txn_abort(txn);
    mdb_env_close(env);
    env = file_open();
    commit(env);
    txn = read_begin(env);
    assert_true(mdb_txn_id(txn) == snapshot);
    assert_false(is_noted(notes, txn, 7));
    mdb_txn_abort(txn);
    mdb_env_close(env);
}

/* The map may be moved within the process: places are told from that of the anchor on. */
static void moves_with_the_map(void **state)
{
    tmpl_lmdb_notes_t *notes = tmpl_lmdb_notes_create(*state);
    MDB_env *env = file_open();
    commit(env);
    MDB_txn *txn = read_begin(env);
    tmpl_site_t site = site_of(7);
    tmpl_bucket_t moved = { anchor.bytes + 100, anchor.len }, found;
    note(notes, txn, 7);
    tmpl_lmdb_places_t *places = tmpl_lmdb_places_take(notes, txn, &site, &moved);
    assert_non_null(places);
    assert_true(tmpl_lmdb_place_get(places, NUMBER, &moved, &found));
    assert_ptr_equal(found.bytes, bucket.bytes + 100);
    tmpl_lmdb_places_give(notes, places);
    mdb_txn_abort(txn);
    mdb_env_close(env);
}

static void what_cannot_be_noted(void **state)
{
    tmpl_lmdb_notes_t *notes = tmpl_lmdb_notes_create(*state);
    MDB_env *env = file_open();
    commit(env);
    MDB_txn *txn = read_begin(env);
    tmpl_site_t site = site_of(7), large = site;
    tmpl_bucket_t none = { 0 }, found;
    large.buckets.n = TMPL_PLACES_MOST + 1;
    assert_null(tmpl_lmdb_places_take(notes, txn, &large, &anchor));
    assert_null(tmpl_lmdb_places_take(notes, txn, &site, &none));
    tmpl_lmdb_places_t *places = tmpl_lmdb_places_take(notes, txn, &site, &anchor);
    assert_non_null(places);
    tmpl_lmdb_place_note(places, site.buckets.n, &anchor, &bucket); /* out of bounds */
    assert_false(tmpl_lmdb_place_get(places, site.buckets.n, &anchor, &found));
    tmpl_lmdb_place_note(places, NUMBER, &anchor, &none);
    assert_false(tmpl_lmdb_place_get(places, NUMBER, &anchor, &found));
    tmpl_lmdb_places_give(notes, places);
    mdb_txn_abort(txn);
    mdb_env_close(env);
}

static const struct CMUnitTest tests[] = {
    CHECK(holds_for_all_who_read_a_snapshot),
    CHECK(does_not_hold_behind_a_commit),
    CHECK(lives_as_long_as_it_is_held),
    CHECK(is_of_one_site),
    CHECK(is_of_one_file),
    CHECK(moves_with_the_map),
    CHECK(what_cannot_be_noted),
};

TAP_MAIN(tests)
