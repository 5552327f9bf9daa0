/* SPDX-License-Identifier: Apache-2.0 */
/* Near copies in every store: pages that show little but one document's text do not count. */
#include "store_fixture.h"

static const tmpl_policy_t near_policy = {
    .min_df = 5, .lifetime_tb = 40, .lifetime_n = 10, .max_entries = 1000000
};

/* A page of n keys from the first on, 10 bytes each, but for the last one; its address is in a
 * place of 64. */
static tmpl_observation_t *near_page(ctx_t *c, unsigned place, unsigned number, unsigned first,
                                     unsigned n, uint32_t last_length)
{
    tmpl_document_t *document = apr_palloc(c->pool, sizeof(*document));
    tmpl_observation_t *page = apr_pcalloc(c->pool, sizeof(*page));
    tmpl_share_t *shares = apr_palloc(c->pool, n * sizeof(*shares));
    tmpl_key_t *keys = keys_of(c->pool, first, n);

    for (unsigned i = 0; i < n; i++) {
        shares[i] = (tmpl_share_t){ .key = i, .length = i + 1 < n ? 10 : last_length };
    }
    keys[n - 1].hash = model_key(1000 + number); /* what only this page has */
    document->id = (uint64_t)number * 64 + place;
    document->text = model_document(number * 100 + last_length);
    page->site = "s";
    page->document = document;
    page->keys = keys;
    page->n = n;
    page->shares = shares;
    page->n_shares = n;
    page->policy = &near_policy;
    page->age = c->age;
    return page;
}

static void observe_near(ctx_t *c, unsigned place, unsigned number, unsigned first, unsigned n,
                         uint32_t last_length, tmpl_learning_e learning)
{
    tmpl_observation_t *page = near_page(c, place, number, first, n, last_length);

    page->learn = learning;
    assert_int_equal(tmpl_store_observe(c->store, page, TIMEOUT, &c->counts, &c->err, c->pool),
                     APR_SUCCESS);
}

static void assert_near(ctx_t *c, int near_copy, uint32_t pages, uint32_t df)
{
    assert_int_equal(c->counts.near_copy, near_copy);
    assert_int_equal(c->counts.counted, !near_copy);
    assert_int_equal(c->counts.pages, pages);
    assert_int_equal(c->counts.records[0].df, df);
}

/* An article with a clock, asked for as ?a=1, ?a=2 and so on: one document, of which nothing more
 * is kept. */
static void near_copies_do_not_count(void **state)
{
    ctx_t *c = *state;
    uint64_t entries;

    observe_near(c, 3, 1, 0, 10, 9, TMPL_LEARNING_NOW);
    assert_near(c, 0, 1, 1);
    entries = stats_of(c, "s", &near_policy).entries;
    for (unsigned i = 2; i < 20; i++) {
        observe_near(c, 3, i, 0, 10, 9, TMPL_LEARNING_NOW); /* 90 bytes of 99 */
        assert_near(c, 1, 1, 1);
        assert_int_equal(c->counts.records[9].df, 0);
        observe_near(c, 3, i, 0, 10, 9, TMPL_LEARNING_LATER);
        assert_near(c, 1, 1, 1);
        assert_false(c->counts.due);
    }
    assert_int_equal(stats_of(c, "s", &near_policy).entries, entries);
    observe_near(c, 3, 20, 0, 10, 10,
                 TMPL_LEARNING_NOW); /* 90 of 100: not more than nine parts of ten */
    assert_near(c, 0, 2, 2);
}

/* They may come so close to each other that none was known when they were judged: then learning
 * tells. */
static void near_copies_at_once_do_not_count(void **state)
{
    ctx_t *c = *state;
    const tmpl_observation_t *pages[TMPL_BATCH_MOST + 1];
    uint32_t counted;

    for (unsigned i = 0; i < DIM(pages); i++) {
        observe_near(c, 3, i + 1, 0, 10, 9, TMPL_LEARNING_LATER);
        assert_true(c->counts.due);
        pages[i] = near_page(c, 3, i + 1, 0, 10, 9);
    }
    assert_int_equal(
        tmpl_store_learn(c->store, pages, DIM(pages), TIMEOUT, &counted, &c->err, c->pool),
        APR_SUCCESS);
    assert_int_equal(counted, 1);
    look(c, "s", 0, 1);
    assert_int_equal(c->counts.records[0].df, 1);
}

/* However long it is: with 201 bytes of its own a page is a document. */
static void near_copies_have_little_of_their_own(void **state)
{
    ctx_t *c = *state;

    observe_near(c, 3, 1, 0, 401, 1, TMPL_LEARNING_NOW);
    observe_near(c, 3, 2, 0, 401, 200, TMPL_LEARNING_NOW); /* of 4200 */
    assert_near(c, 1, 1, 1);
    observe_near(c, 3, 3, 0, 401, 201, TMPL_LEARNING_NOW);
    assert_near(c, 0, 2, 2);
}

/* n pages with the same 4 keys of 10 bytes, and little of their own. */
static void observe_known(ctx_t *c, unsigned n)
{
    for (unsigned i = 1; i <= n; i++) {
        observe_near(c, i, i, 0, 5, 1, TMPL_LEARNING_NOW); /* 40 bytes of 41 */
        assert_near(c, 0, i, i);
    }
}

/* At another place so little in common is a template that nobody knows yet. */
static void near_copies_elsewhere_are_of_known_sites(void **state)
{
    const uint32_t known = 2 * near_policy.min_df;
    ctx_t *c = *state;

    observe_known(c, known - 2);
    observe_near(c, 30, 30, 0, 54, 1, TMPL_LEARNING_NOW); /* with 490 bytes of its own */
    observe_near(c, 31, 31, 0, 54, 1, TMPL_LEARNING_NOW); /* the site has a page too few */
    assert_near(c, 0, known, known);
    observe_near(c, 32, 32, 60, 54, 1, TMPL_LEARNING_NOW);
    observe_near(c, 33, 33, 60, 54, 1, TMPL_LEARNING_NOW); /* nothing of it is template */
    assert_near(c, 0, known + 2, 2);
}

/* Nearly all that is known is one document's, and little is new. */
static void near_copies_have_little_new(void **state)
{
    const uint32_t known = 2 * near_policy.min_df;
    ctx_t *c = *state;

    observe_known(c, known);
    observe_near(c, 30, 30, 0, 54, 1, TMPL_LEARNING_NOW);
    assert_near(c, 0, known + 1, known + 1);
    observe_near(c, 31, 31, 0, 54, 500, TMPL_LEARNING_NOW); /* 490 bytes, and 500 new ones */
    assert_near(c, 1, known + 1, known + 1);
    observe_near(c, 32, 32, 0, 54, 501, TMPL_LEARNING_NOW);
    assert_near(c, 0, known + 2, known + 2);
    observe_near(c, 33, 33, 0, 14, 180, TMPL_LEARNING_NOW); /* 90 bytes, and twice as much new */
    assert_near(c, 1, known + 2, known + 2);
    observe_near(c, 34, 34, 0, 14, 181, TMPL_LEARNING_NOW);
    assert_near(c, 0, known + 3, known + 3);
}

/* Texts behind a template: n of which the first n_same are the first page's, and n_own others. */
typedef struct {
    unsigned n, n_same;
    uint32_t length;
    unsigned n_own;
    uint32_t own_length;
} texts_t;

/* A page with the template of 4 keys, and texts. */
static void observe_texts(ctx_t *c, unsigned number, texts_t texts)
{
    unsigned n = 4 + texts.n + texts.n_own;
    tmpl_observation_t *page = near_page(c, number, number, 0, n, 10);
    tmpl_key_t *keys = keys_of(c->pool, 0, n);
    tmpl_share_t *shares = apr_palloc(c->pool, n * sizeof(*shares));

    for (unsigned i = 0; i < n; i++) {
        uint32_t length = i < 4 ? 10 : i < 4 + texts.n ? texts.length : texts.own_length;
        shares[i] = (tmpl_share_t){ .key = i, .length = length };
        keys[i].hash = i < 4 + texts.n_same ? keys[i].hash : model_key(100 * number + i);
    }
    page->keys = keys;
    page->shares = shares;
    page->learn = TMPL_LEARNING_NOW;
    assert_int_equal(tmpl_store_observe(c->store, page, TIMEOUT, &c->counts, &c->err, c->pool),
                     APR_SUCCESS);
}

/* Most of an article's paragraphs beside a list of other links; a paragraph has 80 bytes. */
static void near_copies_have_long_text_in_common(void **state)
{
    const uint32_t known = 2 * near_policy.min_df;
    ctx_t *c = *state;

    observe_known(c, known);
    observe_texts(c, 40, (texts_t){ 3, 3, 80, 81, 10 });
    assert_near(c, 0, known + 1, known + 1);
    observe_texts(c, 41, (texts_t){ 3, 2, 80, 81, 10 });
    assert_near(c, 1, known + 1, known + 1);
    observe_texts(c, 42, (texts_t){ 3, 1, 80, 81, 10 }); /* a third */
    assert_near(c, 0, known + 2, known + 2);
    observe_texts(c, 43, (texts_t){ 3, 3, 79, 7, 79 });
    observe_texts(c, 44, (texts_t){ 3, 3, 79, 7, 79 });
    assert_near(c, 0, known + 4, known + 4);
}

/* Half of its text from each of two documents, or a little of each of many; and a document that is
 * known, with a text that is not. */
static void near_copies_are_of_one_document(void **state)
{
    ctx_t *c = *state;

    observe_near(c, 3, 1, 0, 6, 1, TMPL_LEARNING_NOW);
    observe_near(c, 3, 2, 5, 6, 1, TMPL_LEARNING_NOW);
    observe_near(c, 3, 3, 0, 11, 1, TMPL_LEARNING_NOW);
    assert_near(c, 0, 3, 2);
    observe_near(c, 3, 1, 0, 6, 2, TMPL_LEARNING_NOW); /* what it says of itself it may change */
    assert_int_equal(c->counts.near_copy, 0);
    assert_int_equal(c->counts.counted, 0);
    assert_int_equal(c->counts.records[5].df, 1);
    assert_int_equal(c->counts.records[0].last, 3);
    for (unsigned i = 0; i < 40; i++) {
        observe_near(c, 3, 10 + i, 100 + 2 * i, 3, 1, TMPL_LEARNING_NOW);
    }
    observe_near(c, 3, 60, 100, 81, 1, TMPL_LEARNING_NOW);
    assert_near(c, 0, 44, 2);
    observe_near(c, 3, 61, 140, 41, 1, TMPL_LEARNING_NOW); /* this one has shown all of it */
    assert_near(c, 1, 44, 2);
}

/* Half of what is known is of each of two documents; what is template of all pages is of none. */
static void near_copies_share_more_than_the_template(void **state)
{
    const uint32_t min_df = near_policy.min_df;
    ctx_t *c = *state;

    for (unsigned i = 1; i < min_df; i++) {
        observe_near(c, i, i, 0, 5, 1, TMPL_LEARNING_NOW);
    }
    pass_pages(c, "s", 1000, min_df, &near_policy);
    observe_near(c, 30, 30, 3, 4, 1, TMPL_LEARNING_NOW);
    observe_near(c, 31, 31, 6, 3, 1, TMPL_LEARNING_NOW);
    observe_near(c, 32, 32, 0, 4, 1, TMPL_LEARNING_NOW);
    assert_near(c, 0, 2 * min_df + 2, min_df);
    observe_near(c, 34, 34, 0, 7, 1, TMPL_LEARNING_NOW); /* keys 4 and 5 are all that is known */
    assert_near(c, 1, 2 * min_df + 2, min_df);
    observe_near(c, 33, 33, 0, 9, 1, TMPL_LEARNING_NOW); /* keys 4 and 5, and 6 and 7 */
    assert_near(c, 0, 2 * min_df + 3, min_df + 1);
}

/* What is asked for under many addresses is in use, and lives. */
static void near_copies_keep_entries_alive(void **state)
{
    ctx_t *c = *state;
    const uint32_t tb = near_policy.lifetime_tb;

    observe_near(c, 3, 1, 0, 10, 1, TMPL_LEARNING_NOW);
    pass_pages(c, "s", 1000, tb / 4 - 1, &near_policy);
    observe_near(c, 3, 2, 0, 10, 1, TMPL_LEARNING_LATER);
    assert_near(c, 1, tb / 4, 1);
    assert_int_equal(c->counts.records[0].last, 1);
    assert_false(c->counts.due);
    pass_pages(c, "s", 2000, 1, &near_policy);
    observe_near(c, 3, 2, 0, 10, 1, TMPL_LEARNING_LATER);
    assert_true(c->counts.due);
    observe_near(c, 3, 2, 0, 10, 1, TMPL_LEARNING_NOW);
    assert_near(c, 1, tb / 4 + 1, 1);
    assert_int_equal(c->counts.records[0].last, tb / 4 + 1);
    pass_pages(c, "s", 3000, tb, &near_policy);
    look(c, "s", 0, 9);
    assert_int_equal(c->counts.records[0].df, 1);
    pass_pages(c, "s", 4000, tb, &near_policy); /* not for ever */
    observe_near(c, 3, 3, 0, 10, 1, TMPL_LEARNING_NOW);
    assert_int_equal(c->counts.near_copy, 0);
    assert_int_equal(c->counts.records[0].df, 1);
}

/*
 * A page with the template of 4 keys, n texts of the page number 40, of which the last are links, n
 * of the page number other unless it is 0, and texts of its own. No document has shown a third of
 * it.
 */
static void observe_taken_of(ctx_t *c, unsigned number, unsigned n, uint32_t length,
                             unsigned linked, unsigned other)
{
    tmpl_observation_t *page = near_page(c, number, number, 0, 60, 10);
    tmpl_key_t *keys = keys_of(c->pool, 0, 60);
    tmpl_share_t *shares = apr_palloc(c->pool, 60 * sizeof(*shares));

    for (unsigned i = 0; i < 60; i++) {
        int is_taken = i >= 4 && i < 4 + (other != 0 ? 2 * n : n);
        unsigned whose = is_taken ? other : number;
        /* what is taken stands first */
        shares[(i + 56) % 60] = (tmpl_share_t){ .key = i,
                                                .length = i < 4      ? 10
                                                          : is_taken ? length
                                                                     : 100,
                                                .linked = i < 4 + n && i >= 4 + n - linked };
        keys[i].hash = i < 4 + n ? keys[i].hash : model_key(100 * whose + i);
    }
    page->keys = keys;
    page->shares = shares;
    page->learn = TMPL_LEARNING_NOW;
    assert_int_equal(tmpl_store_observe(c->store, page, TIMEOUT, &c->counts, &c->err, c->pool),
                     APR_SUCCESS);
}

static void observe_taken(ctx_t *c, unsigned number, unsigned n, uint32_t length, unsigned linked)
{
    observe_taken_of(c, number, n, length, linked, 0);
}

static void assert_taken(ctx_t *c, uint32_t first_df, uint32_t last_df, unsigned n)
{
    assert_int_equal(c->counts.near_copy, 0);
    assert_int_equal(c->counts.counted, 1);
    assert_int_equal(c->counts.records[4].df, first_df);
    assert_int_equal(c->counts.records[4].last, c->counts.pages);
    assert_int_equal(c->counts.records[3 + n].df, last_df);
}

/* A document raises little of another one's text, however much it has of its own. */
static void little_is_raised_of_one_document(void **state)
{
    ctx_t *c = *state;

    observe_known(c, 2 * near_policy.min_df);
    observe_taken(c, 40, 56, 100, 0);
    observe_taken(c, 41, 4, 50, 0);
    assert_taken(c, 2, 2, 4);
    observe_taken(c, 42, 5, 50, 0); /* more than 200 bytes */
    assert_taken(c, 2, 1, 5);
    observe_taken(c, 45, 3, 67, 0);
    assert_taken(c, 2, 2, 3);
    observe_taken(c, 43, 20, 79, 20); /* links */
    assert_taken(c, 3, 2, 20);
    observe_taken(c, 44, 3, 80, 3); /* a long text is no link in a menu */
    assert_taken(c, 3, 3, 3);
    observe_taken(c, 49, 6, 66, 3); /* 198 bytes beside three links */
    assert_taken(c, 4, 3, 6);
}

/* Each document has a bound of its own, and a text that several have shown is theirs, too. */
static void little_is_raised_of_each_document(void **state)
{
    ctx_t *c = *state;

    observe_known(c, 2 * near_policy.min_df);
    observe_taken(c, 40, 56, 100, 0);
    observe_taken(c, 46, 0, 0, 0);
    observe_taken_of(c, 47, 4, 50, 0, 46); /* 200 bytes of each */
    assert_taken(c, 2, 2, 4);
    assert_int_equal(c->counts.records[8].df, 2);
    assert_int_equal(c->counts.records[11].df, 2);
    observe_taken_of(c, 48, 4, 50, 0, 46); /* the same, which 47 has shown whole: 400 bytes */
    assert_taken(c, 2, 2, 4);
    assert_int_equal(c->counts.records[8].df, 2);
    assert_int_equal(c->counts.records[11].df, 2);
}

/* A site that is known adds a menu: all pages show its links, and each raises all of them. */
static void a_new_menu_is_learnt(void **state)
{
    ctx_t *c = *state;

    observe_known(c, 2 * near_policy.min_df);
    for (unsigned i = 0; i < near_policy.min_df; i++) {
        observe_taken(c, 40 + i, 40, 40, 40);
        assert_taken(c, i + 1, i + 1, 40);
    }
}

/* What others copy of a document of a known site is template of theirs, and stays its own. */
static void text_of_the_first_documents_is_theirs(void **state)
{
    const uint32_t min_df = near_policy.min_df;
    ctx_t *c = *state;

    observe_known(c, 2 * min_df);
    for (unsigned i = 0; i <= min_df; i++) {
        observe_taken(c, 40 + i, 4, 50, 0); /* 200 bytes */
        assert_taken(c, i + 1, i + 1, 4);
    }
    for (unsigned i = 0; i <= min_df; i++) {
        observe_taken(c, 40 + i, 4, 50, 0);
        assert_int_equal(c->counts.records[4].df, i + 1 < min_df ? 1 : min_df + 1);
        assert_int_equal(c->counts.records[7].df, c->counts.records[4].df);
        assert_int_equal(c->counts.records[0].df, 3 * min_df + 1);
    }
}

/* A link in a menu is the first document's only. */
static void short_links_are_of_the_first_document(void **state)
{
    const uint32_t min_df = near_policy.min_df;
    ctx_t *c = *state;

    observe_known(c, 2 * min_df);
    for (unsigned i = 0; i < 2 * min_df; i++) {
        observe_taken(c, 40 + i % min_df, 4, 50, 4);
    }
    assert_int_equal(c->counts.records[4].df, min_df);
    observe_taken(c, 41, 4, 50, 4);
    assert_int_equal(c->counts.records[4].df, min_df);
    observe_taken(c, 40, 4, 50, 4);
    assert_int_equal(c->counts.records[4].df, 1);
}

/* What the request brought raises nothing, and a page without it is a near copy. */
static void echoes_raise_nothing(void **state)
{
    ctx_t *c = *state;

    observe_near(c, 3, 1, 0, 10, 9, TMPL_LEARNING_NOW);
    observe_near(c, 4, 2, 0, 10, 0, TMPL_LEARNING_NOW); /* the last text is an echo */
    assert_near(c, 0, 2, 2);
    assert_int_equal(c->counts.records[9].df, 0);
    observe_near(c, 3, 3, 0, 10, 0, TMPL_LEARNING_NOW);
    assert_near(c, 1, 2, 2);
}

static const store_test_t table[] = {
    TEST(ALL_STORES, near_copies_do_not_count),
    TEST(ALL_STORES, near_copies_at_once_do_not_count),
    TEST(ALL_STORES, near_copies_have_little_of_their_own),
    TEST(ALL_STORES, near_copies_elsewhere_are_of_known_sites),
    TEST(ALL_STORES, near_copies_have_little_new),
    TEST(ALL_STORES, near_copies_have_long_text_in_common),
    TEST(ALL_STORES, near_copies_are_of_one_document),
    TEST(ALL_STORES, near_copies_share_more_than_the_template),
    TEST(ALL_STORES, near_copies_keep_entries_alive),
    TEST(ALL_STORES, little_is_raised_of_one_document),
    TEST(ALL_STORES, little_is_raised_of_each_document),
    TEST(ALL_STORES, a_new_menu_is_learnt),
    TEST(ALL_STORES, text_of_the_first_documents_is_theirs),
    TEST(ALL_STORES, short_links_are_of_the_first_document),
    TEST(ALL_STORES, echoes_raise_nothing),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
