/* SPDX-License-Identifier: Apache-2.0 */
/* Random pages in every store, one by one or many at once: the store's answers are the answers of a
 * model. */
#include "store_fixture.h"

/* ---- thousands of random observations against the model ---- */

typedef struct {
    uint64_t state;
} random_t;

#define BLOCKS_MOST 12

static unsigned draw(random_t *r, unsigned below)
{
    r->state += 0x9e3779b97f4a7c15ULL;
    return (unsigned)((model_mix(model_mix(r->state)) >> 16) % below);
}

/* A page as a site would have it: some keys of all pages, some of many, some of few. */
static unsigned draw_keys(random_t *r, unsigned *numbers, tmpl_key_t *keys)
{
    unsigned n = 0, every = 1 + draw(r, 40);

    for (unsigned k = draw(r, every); k < MODEL_KEYS; k += 1 + draw(r, every)) {
        numbers[n] = k;
        keys[n++] = (tmpl_key_t){ model_key(k), TMPL_KIND_SEGMENT };
    }
    return n;
}

/* Blocks of up to four shares each, in up to four of the first paths of a page; after its
   segments. */
static void draw_blocks(random_t *r, unsigned *numbers, tmpl_key_t *keys, unsigned n,
                        tmpl_share_t *shares, tmpl_block_paths_t *blocks, tmpl_observation_t *page)
{
    unsigned n_paths = draw(r, 5), first = draw(r, MODEL_PATHS);

    for (unsigned i = 0; i < n_paths; i++) {
        numbers[n + i] = (first + 3 * i) % MODEL_PATHS;
        keys[n + i] = (tmpl_key_t){ model_path(numbers[n + i]), TMPL_KIND_PATH };
    }
    page->n = n + n_paths;
    while (n > 0 && page->n_blocks < BLOCKS_MOST) {
        tmpl_block_paths_t *block = &blocks[page->n_blocks++];

        for (unsigned level = 0; level < TMPL_PATH_LEVELS; level++) {
            unsigned path = draw(r, 6);
            int named = (level > 0 && block->paths[0] == n + path) ||
                        (level > 1 && block->paths[1] == n + path);

            block->paths[level] = path < n_paths && !named ? n + path : TMPL_NONE;
        }
        block->first = page->n_shares;
        for (unsigned i = draw(r, 5); i > 0; i--) {
            uint32_t length = draw(r, 40) == 0 ? 1U << 30 : draw(r, 2) * draw(r, 300) + draw(r, 70);

            shares[page->n_shares++] =
                (tmpl_share_t){ .key = draw(r, n), .length = length, .linked = draw(r, 2) };
        }
        block->after = page->n_shares;
    }
}

static void draw_policy(random_t *r, tmpl_policy_t *policy)
{
    static const uint32_t min_dfs[] = { 2, 3, 5, 5, 5, 8, 64 };
    static const uint32_t tbs[] = { 1, 5, 20, 20, 100 };

    policy->min_df = min_dfs[draw(r, DIM(min_dfs))];
    policy->lifetime_tb = tbs[draw(r, DIM(tbs))];
    policy->lifetime_n = 1 + draw(r, 2) * draw(r, 20);
}

/* The entries that are alive, of store and model: the same ones, down to their fingerprints. */
static void assert_model_held(ctx_t *c, const char *site, const model_t *model,
                              const tmpl_policy_t *policy)
{
    table_t *table = table_of(c, site);
    unsigned found = 0, alive = 0;

    for (unsigned kind = 0; kind < TMPL_KIND_COUNT; kind++) {
        const model_entry_t *entries = kind == TMPL_KIND_DOCUMENT  ? model->documents
                                       : kind == TMPL_KIND_SEGMENT ? model->keys
                                                                   : model->paths;
        unsigned n = kind == TMPL_KIND_DOCUMENT  ? MODEL_DOCUMENTS
                     : kind == TMPL_KIND_SEGMENT ? MODEL_KEYS
                                                 : MODEL_PATHS;

        for (unsigned i = 0; i < n; i++) {
            const model_entry_t *e = &entries[i];
            uint64_t hash =
                kind == TMPL_KIND_DOCUMENT ? model_document(i) & TMPL_HASH_MASK : model_key(i);
            unsigned char fingerprints[2 * TMPL_FINGERPRINTS_MAX];
            tmpl_value_t value = { .df = e->df,
                                   .last = e->last,
                                   .text = (uint32_t)e->text,
                                   .repeated = (uint32_t)e->repeated,
                                   .n = e->n,
                                   .fingerprints = fingerprints };
            tmpl_entry_t want = { { hash, (tmpl_kind_e)kind }, &value };
            const tmpl_entry_t *got =
                bsearch(&want, table->entries->elts, (size_t)table->entries->nelts, sizeof(want),
                        entry_order);

            for (unsigned k = 0; k < e->n; k++) {
                tmpl_put_le(fingerprints + 2 * (size_t)k, e->fp[k], 2);
            }
            if (!model_live(e, policy, model->pages)) {
                continue;
            }
            alive++;
            if (got != NULL) {
                found++;
                assert_true(entry_equal(got, &want));
            }
        }
    }
    assert_int_equal(found, alive);
    assert_int_equal(stats_of(c, site, policy).live, alive);
}

typedef struct {
    model_t model;
    tmpl_policy_t policy;
    unsigned counted, crossed, repeats, late, near; /* how often */
} walk_t;

typedef struct {
    void *at;
    size_t size;
} place_t;

/* The same bytes somewhere else, where they can be spoilt. */
static void *moved(ctx_t *c, const void *from, size_t size, apr_array_header_t *places)
{
    place_t *place = apr_array_push(places);

    place->at = apr_palloc(c->pool, size + 1);
    memcpy(place->at, from, size);
    place->size = size;
    return place->at;
}

/* Learns a page from a copy of it; what the copy was made from is spoilt by then. */
static void learn_copy(ctx_t *c, const tmpl_observation_t *page, uint32_t counted)
{
    apr_array_header_t *places = apr_array_make(c->pool, 8, sizeof(place_t));
    tmpl_observation_t whole = *page;
    const tmpl_observation_t *pages[1];
    tmpl_observation_t *copy;
    uint32_t new_ones = 1000;

    whole.site = moved(c, page->site, strlen(page->site) + 1, places);
    whole.document = moved(c, page->document, sizeof(*page->document), places);
    whole.policy = moved(c, page->policy, sizeof(*page->policy), places);
    whole.keys = moved(c, page->keys, page->n * sizeof(*page->keys), places);
    whole.shares = moved(c, page->shares, page->n_shares * sizeof(*page->shares), places);
    whole.blocks = moved(c, page->blocks, page->n_blocks * sizeof(*page->blocks), places);
    copy = tmpl_observation_copy(&whole);
    assert_non_null(copy);
    for (int i = 0; i < places->nelts; i++) {
        place_t *place = &APR_ARRAY_IDX(places, i, place_t);

        memset(place->at, 0xff, place->size);
    }
    pages[0] = copy;
    assert_int_equal(tmpl_store_learn(c->store, pages, 1, TIMEOUT, &new_ones, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(new_ones, counted);
    free(copy);
}

/* One random page, into store and model: both must say the same, whenever it is learnt. */
static void walk_page(ctx_t *c, random_t *r, const char *site, walk_t *w)
{
    unsigned numbers[MODEL_KEYS + MODEL_PATHS], id = draw(r, 150), text = 90 + draw(r, 150);
    tmpl_document_t document = { model_document(id), model_document(text) };
    tmpl_key_t keys[MODEL_KEYS + MODEL_PATHS];
    tmpl_share_t shares[4 * BLOCKS_MOST];
    tmpl_block_paths_t blocks[BLOCKS_MOST];
    unsigned n = draw_keys(r, numbers, keys);
    tmpl_observation_t page = { .site = site,
                                .document = &document,
                                .keys = keys,
                                .shares = shares,
                                .blocks = blocks,
                                .policy = &w->policy,
                                .learn = draw(r, 8) == 0   ? TMPL_LEARNING_OFF
                                         : draw(r, 2) == 0 ? TMPL_LEARNING_NOW
                                                           : TMPL_LEARNING_LATER };
    uint64_t version = w->model.version;
    int counted;

    draw_blocks(r, numbers, keys, n, shares, blocks, &page);
    counted = model_observe(&w->model, id, text, numbers, n, &page);
    assert_int_equal(tmpl_store_observe(c->store, &page, TIMEOUT, &c->counts, &c->err, c->pool),
                     APR_SUCCESS);
    assert_int_equal(c->counts.counted, counted);
    assert_int_equal(c->counts.pages, w->model.pages);
    assert_int_equal(c->counts.version, w->model.version);
    for (unsigned i = 0; i < page.n; i++) {
        const model_entry_t *e = i < n ? &w->model.keys[numbers[i]] : &w->model.paths[numbers[i]];
        int live = model_live(e, &w->policy, w->model.pages);

        assert_int_equal(c->counts.records[i].df,
                         i < n  ? model_df(&w->model, (uint16_t)document.id, i, numbers, &page)
                         : live ? e->df
                                : 0);
        assert_int_equal(c->counts.records[i].last, live ? e->last : 0);
        assert_int_equal(c->counts.records[i].text, live ? e->text : 0);
        assert_int_equal(c->counts.records[i].repeated, live ? e->repeated : 0);
        w->repeats += live && e->repeated > 0 && e->repeated < e->text;
    }
    assert_true(!c->counts.due || page.learn == TMPL_LEARNING_LATER);
    if (c->counts.due) {
        learn_copy(c, &page, (uint32_t)counted);
        w->late++;
    }
    w->counted += (unsigned)counted;
    w->crossed += w->model.version != version;
    w->near += (unsigned)c->counts.near_copy;
}

/* One life per site: shorter ones would let the sweeper take what a longer one finds alive. */
static void random_pages_agree_with_the_model(void **state)
{
    static const char *const sites[] = { "one", "two", "three" };
    walk_t *walks = calloc(DIM(sites), sizeof(*walks));
    ctx_t *c = *state;
    apr_pool_t *whole = c->pool;
    random_t r = { 20240607 };

    for (unsigned i = 0; i < DIM(sites); i++) {
        walks[i].policy = usual;
        draw_policy(&r, &walks[i].policy);
        walks[i].policy.lifetime_tb = 4 + 8 * i;
    }
    apr_pool_create(&c->pool, whole);
    for (unsigned round = 0; round < 6000; round++) {
        unsigned s = draw(&r, DIM(sites));

        if (draw(&r, 50) == 0) {
            tmpl_policy_t changed;

            draw_policy(&r, &changed);
            walks[s].policy.min_df = changed.min_df;
        }
        walk_page(c, &r, sites[s], &walks[s]);
        if (round % 500 == 499) {
            assert_model_held(c, sites[s], &walks[s].model, &walks[s].policy);
        }
        apr_pool_clear(c->pool);
    }
    apr_pool_destroy(c->pool);
    c->pool = whole;
    for (unsigned i = 0; i < DIM(sites); i++) {
        /* the draw is of any use only if much has happened */
        assert_true(walks[i].counted > 100 && walks[i].crossed > 30 && walks[i].repeats > 100);
        assert_true(walks[i].late > 100 && walks[i].near > 20);
    }
    free(walks);
}

/* Pages of two sites, in turn, that share segments and paths with those before them. */
#define BATCH_USUAL 40
#define BATCH_MOST  (TMPL_BATCH_MOST + 12) /* more than a store learns in one transaction */

typedef struct {
    tmpl_key_t keys[MODEL_KEYS + MODEL_PATHS];
    unsigned numbers[MODEL_KEYS + MODEL_PATHS];
    tmpl_share_t shares[4 * BLOCKS_MOST];
    tmpl_block_paths_t blocks[BLOCKS_MOST];
    tmpl_document_t document;
    tmpl_observation_t page;
} drawn_t;

static void draw_page(drawn_t *drawn, random_t *r, const char *site)
{
    unsigned n = draw_keys(r, drawn->numbers, drawn->keys);

    drawn->document =
        (tmpl_document_t){ model_document(draw(r, 150)), model_document(90 + draw(r, 150)) };
    drawn->page = (tmpl_observation_t){ .site = site,
                                        .document = &drawn->document,
                                        .keys = drawn->keys,
                                        .shares = drawn->shares,
                                        .blocks = drawn->blocks,
                                        .policy = &usual };
    draw_blocks(r, drawn->numbers, drawn->keys, n, drawn->shares, drawn->blocks, &drawn->page);
}

/* The same pages one by one and many at once: whatever is asked of the store then is the same. */
static void many_pages_at_once_are_learnt_as_one_by_one(void **state)
{
    static const char *const alone[] = { "one", "two" }, *const together[] = { "1", "2" };
    drawn_t *drawn = calloc(BATCH_MOST, sizeof(*drawn));
    const tmpl_observation_t *pages[BATCH_MOST];
    random_t r = { 4711 };
    ctx_t *c = *state;
    unsigned most = 0;

    for (unsigned batch = 0; batch < 40; batch++) {
        unsigned n = batch > 0 ? 1 + draw(&r, BATCH_USUAL) : BATCH_MOST, counted = 0;
        uint32_t new_ones;

        for (unsigned i = 0; i < n; i++) {
            unsigned site = draw(&r, DIM(alone));

            draw_page(&drawn[i], &r, alone[site]);
            drawn[i].page.learn = TMPL_LEARNING_NOW;
            assert_int_equal(
                tmpl_store_observe(c->store, &drawn[i].page, TIMEOUT, &c->counts, &c->err, c->pool),
                APR_SUCCESS);
            counted += (unsigned)c->counts.counted;
            drawn[i].page.site = together[site];
            drawn[i].page.learn = TMPL_LEARNING_OFF;
            pages[i] = &drawn[i].page;
        }
        assert_int_equal(tmpl_store_learn(c->store, pages, n, TIMEOUT, &new_ones, &c->err, c->pool),
                         APR_SUCCESS);
        assert_int_equal(new_ones, counted);
        most = counted > most ? counted : most;
        for (unsigned i = 0; i < DIM(alone); i++) {
            assert_tables_equal(table_of(c, alone[i]), table_of(c, together[i]));
        }
    }
    assert_true(most > 10);
    free(drawn);
}

/* Observed at once, each page has the counts that it has alone. */
static void many_pages_at_once_are_observed_as_one_by_one(void **state)
{
    drawn_t *drawn = calloc(BATCH_MOST, sizeof(*drawn));
    const tmpl_observation_t *pages[BATCH_MOST];
    tmpl_counts_t alone[BATCH_MOST], together[BATCH_MOST];
    random_t r = { 815 };
    ctx_t *c = *state;
    unsigned counted = 0;

    for (unsigned batch = 0; batch < 40; batch++) {
        unsigned n = batch > 0 ? 1 + draw(&r, BATCH_USUAL) : BATCH_MOST;

        for (unsigned i = 0; i < n; i++) {
            draw_page(&drawn[i], &r, "one");
            drawn[i].page.learn = TMPL_LEARNING_NOW;
            assert_int_equal(
                tmpl_store_observe(c->store, &drawn[i].page, TIMEOUT, &alone[i], &c->err, c->pool),
                APR_SUCCESS);
            drawn[i].page.site = "1";
            pages[i] = &drawn[i].page;
        }
        assert_int_equal(
            tmpl_store_observe_many(c->store, pages, n, TIMEOUT, together, &c->err, c->pool),
            APR_SUCCESS);
        for (unsigned i = 0; i < n; i++) {
            assert_int_equal(together[i].pages, alone[i].pages);
            assert_int_equal(together[i].version, alone[i].version);
            assert_int_equal(together[i].counted, alone[i].counted);
            assert_memory_equal(together[i].records, alone[i].records,
                                pages[i]->n * sizeof(*alone->records));
            counted += (unsigned)alone[i].counted;
        }
        assert_tables_equal(table_of(c, "one"), table_of(c, "1"));
    }
    assert_true(counted > 50);
    free(drawn);
}

/*
 * Many keys at once, of many at first, then of few, and all short-lived: the site's buckets become
 * many and few again, and each page is told what a store in memory tells it.
 */
static void a_site_that_grows_and_shrinks_keeps_all(void **state)
{
    enum { BATCHES = 60, PAGES = 8, KEYS_MOST = 400 };
    static const tmpl_policy_t brief = {
        .min_df = 3, .lifetime_tb = 12, .lifetime_n = 3, .max_entries = 1000000
    };
    ctx_t *c = *state, memory = *c;
    tmpl_observation_t page[PAGES];
    tmpl_document_t document[PAGES];
    const tmpl_observation_t *pages[PAGES];
    tmpl_counts_t counts[PAGES], expected[PAGES];
    random_t r = { 99 };

    memory.store = open_with(c, "memory:", NULL);
    for (unsigned batch = 0; batch < BATCHES; batch++) {
        for (unsigned i = 0; i < PAGES; i++) {
            unsigned n = batch / 20 % 2 == 0 ? 1 + draw(&r, KEYS_MOST) : 1 + draw(&r, 20);

            page_init(&page[i], &document[i], c, batch * PAGES + i, draw(&r, 3000), n);
            page[i].policy = &brief;
            pages[i] = &page[i];
        }
        assert_int_equal(
            tmpl_store_observe_many(c->store, pages, PAGES, TIMEOUT, counts, &c->err, c->pool),
            APR_SUCCESS);
        assert_int_equal(tmpl_store_observe_many(memory.store, pages, PAGES, TIMEOUT, expected,
                                                 &c->err, c->pool),
                         APR_SUCCESS);
        for (unsigned i = 0; i < PAGES; i++) {
            assert_int_equal(counts[i].pages, expected[i].pages);
            assert_int_equal(counts[i].version, expected[i].version);
            assert_memory_equal(counts[i].records, expected[i].records,
                                pages[i]->n * sizeof(*counts->records));
        }
        assert_int_equal(stats_of(c, "s", &brief).live, stats_of(&memory, "s", &brief).live);
        assert_int_equal(table_of(c, "s")->entries->nelts, stats_of(c, "s", &brief).entries);
    }
}

static const store_test_t table[] = {
    TEST(ALL_STORES, random_pages_agree_with_the_model),
    TEST(ALL_STORES, many_pages_at_once_are_learnt_as_one_by_one),
    TEST(ALL_STORES, many_pages_at_once_are_observed_as_one_by_one),
    TEST(ALL_STORES, a_site_that_grows_and_shrinks_keeps_all),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
