/* SPDX-License-Identifier: Apache-2.0 */
/* Layout paths in every store: the text that is credited to them, and their lifetime. */
#include "store_fixture.h"

/* One segment in a box, and what the halving leaves. */
static void paths_are_credited(void **state)
{
    ctx_t *c = *state;
    const tmpl_key_t keys[] = { { 1, TMPL_KIND_SEGMENT }, { 1, TMPL_KIND_PATH } };
    static const struct {
        uint32_t length, df, text, repeated;
    } pages[] = {
        { 100, 1, 100, 0 },
        { 100, 2, 200, 200 }, /* from 1 to 2: both are credited */
        { 101, 3, 301, 301 },
        { 1U << 31, 4, (1U << 31) + 150, (1U << 31) + 150 },
        { UINT32_MAX - 1, 5, UINT32_MAX, UINT32_MAX },
    };

    for (unsigned i = 0; i < DIM(pages); i++) {
        tmpl_document_t document = { model_document(2 * i), model_document(2 * i + 1) };
        tmpl_share_t shares[] = { { .length = pages[i].length - pages[i].length / 2 },
                                  { .length = pages[i].length / 2 } };
        tmpl_block_paths_t block = { { 1, TMPL_NONE, TMPL_NONE }, 0, 2 };
        tmpl_observation_t page = { "s",    &document, keys,   2, shares, 2,
                                    &block, 1,         &usual, 1, 0,      NULL };

        assert_int_equal(tmpl_store_observe(c->store, &page, TIMEOUT, &c->counts, &c->err, c->pool),
                         APR_SUCCESS);
        assert_int_equal(c->counts.records[0].text, 0);
        assert_int_equal(c->counts.records[1].df, pages[i].df);
        assert_int_equal(c->counts.records[1].last, i + 1);
        assert_int_equal(c->counts.records[1].text, pages[i].text);
        assert_int_equal(c->counts.records[1].repeated, pages[i].repeated);
    }
    assert_int_equal(stats_of(c, "s", &usual).template, 1); /* the path has DF 5 as well */
}

/* Paths go from this kind of store into each of the others, and on they count alike. */
static void paths_are_exported(void **state)
{
    ctx_t *c = *state;
    table_t *table;

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(try_path(c, "s", i, &usual, 1), APR_SUCCESS);
    }
    table = table_of(c, "s");
    for (uintptr_t to = 0; to < BACKENDS; to++) {
        void *other = (void *)to;

        if (to != c->backend) {
            assert_int_equal(setup(&other), 0);
            import_into(other, "s", table);
            assert_tables_equal(table, table_of(other, "s"));
            assert_int_equal(try_path(other, "s", 9, &usual, 0), APR_SUCCESS);
            assert_path(other, 3, 3, 30, 30);
            assert_int_equal(try_path(other, "s", 9, &usual, 1), APR_SUCCESS);
            assert_path(other, 4, 4, 40, 40);
            teardown(&other);
        }
    }
}

/* A text known for long: last moves on, and nothing else. Without it the path dies. */
static void known_text_keeps_its_paths_alive(void **state)
{
    ctx_t *c = *state;
    tmpl_policy_t policy = { .min_df = 5, .lifetime_tb = 20, .lifetime_n = 1, .max_entries = 1000 };

    assert_int_equal(try_path(c, "s", 0, &policy, 1), APR_SUCCESS);
    pass_pages(c, "s", 50, 5, &policy);
    assert_int_equal(try_path(c, "s", 0, &policy, 1), APR_SUCCESS);
    assert_path(c, 1, 6, 10, 0);
    pass_pages(c, "s", 60, 20, &policy);
    assert_int_equal(try_path(c, "s", 99, &policy, 0), APR_SUCCESS);
    assert_path(c, 1, 6, 10, 0);
    pass_pages(c, "s", 90, 1, &policy);
    assert_int_equal(try_path(c, "s", 99, &policy, 0), APR_SUCCESS);
    assert_path(c, 0, 0, 0, 0);
}

/* How many entries of a kind a site's table holds. */
static unsigned kind_held(ctx_t *c, const char *site, tmpl_kind_e kind)
{
    const table_t *table = table_of(c, site);
    unsigned n = 0;

    for (int i = 0; i < table->entries->nelts; i++) {
        n += APR_ARRAY_IDX(table->entries, i, tmpl_entry_t).key.kind == kind;
    }
    return n;
}

/* The sweeper goes by the DF of a path, 1 and 20, not by what its bytes say of another kind. */
static void sweeper_knows_paths(void **state)
{
    ctx_t *c = *state;
    tmpl_policy_t policy = {
        .min_df = 5, .lifetime_tb = 2, .lifetime_n = 1000, .max_entries = 100000
    };

    assert_int_equal(try_path(c, "s", 0, &policy, 1), APR_SUCCESS);
    pass_pages(c, "s", 100, 40, &policy);
    assert_int_equal(kind_held(c, "s", TMPL_KIND_PATH), 0);
    for (unsigned i = 1; i <= 20; i++) {
        assert_int_equal(try_path(c, "s", i, &policy, 1), APR_SUCCESS);
    }
    pass_pages(c, "s", 200, 300, &policy); /* a DF of 6 would live for 258 */
    assert_int_equal(kind_held(c, "s", TMPL_KIND_PATH), 1);
    assert_int_equal(try_path(c, "s", 99, &policy, 0), APR_SUCCESS);
    assert_path(c, 20, 61, 200, 200);
}

/* Segments come first: at max_entries the path finds no room, and its record says so. */
static void full_site_takes_no_new_paths(void **state)
{
    ctx_t *c = *state;
    const tmpl_key_t keys[] = { { 1, TMPL_KIND_SEGMENT }, { 1, TMPL_KIND_PATH } };
    const tmpl_document_t document = { 1, 2 };
    const tmpl_share_t share = { .length = 10 };
    const tmpl_block_paths_t block = { { 1, TMPL_NONE, TMPL_NONE }, 0, 1 };
    tmpl_policy_t policy = usual;
    tmpl_observation_t page = {
        "s", &document, keys, 2, &share, 1, &block, 1, &policy, 1, 0, NULL
    };

    policy.max_entries = 1;
    assert_int_equal(tmpl_store_observe(c->store, &page, TIMEOUT, &c->counts, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(c->counts.records[0].df, 1);
    assert_int_equal(c->counts.records[1].df, 0);
    assert_int_equal(c->counts.records[1].text, 0);
}

/* Text without an entry is new if the place of its block has one; once it is learnt, it is not. */
static void new_text_in_known_places(void **state)
{
    ctx_t *c = *state;
    const tmpl_key_t keys[] = { { 1, TMPL_KIND_SEGMENT },
                                { 2, TMPL_KIND_SEGMENT },
                                { 8, TMPL_KIND_PATH },
                                { 9, TMPL_KIND_PATH } };
    const tmpl_share_t shares[] = { { .key = 0, .length = 10 }, { .key = 1, .length = 10 } };
    const tmpl_block_paths_t blocks[] = { { { 2, TMPL_NONE, TMPL_NONE }, 0, 1 },
                                          { { 3, TMPL_NONE, TMPL_NONE }, 1, 2 } };
    const tmpl_key_t first[] = { { 3, TMPL_KIND_SEGMENT }, { 8, TMPL_KIND_PATH } };
    const tmpl_block_paths_t first_block = { { 1, TMPL_NONE, TMPL_NONE }, 0, 1 };
    tmpl_document_t document = { 1, 2 };
    tmpl_observation_t page = { "s",    &document,         first, 2,   shares, 1, &first_block, 1,
                                &usual, TMPL_LEARNING_NOW, 0,     NULL };

    assert_int_equal(tmpl_store_observe(c->store, &page, TIMEOUT, &c->counts, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(c->counts.fresh[0], 0);
    page.keys = keys;
    page.n = 4;
    page.shares = shares;
    page.n_shares = 2;
    page.blocks = blocks;
    page.n_blocks = 2;
    for (unsigned char i = 0; i < 2; i++) {
        document = (tmpl_document_t){ 1, 3 + i };
        assert_int_equal(tmpl_store_observe(c->store, &page, TIMEOUT, &c->counts, &c->err, c->pool),
                         APR_SUCCESS);
        assert_int_equal(c->counts.fresh[0], 1 - i);
        assert_int_equal(c->counts.fresh[1], 0);
    }
}

static const store_test_t table[] = {
    TEST(MEMORY, new_text_in_known_places), TEST(ALL_STORES, paths_are_credited),
    TEST(ALL_STORES, paths_are_exported),   TEST(ALL_STORES, known_text_keeps_its_paths_alive),
    TEST(ALL_STORES, sweeper_knows_paths),  TEST(ALL_STORES, full_site_takes_no_new_paths),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
