/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attacks DETECTOR KNOWN [ATTACK] < list of sites (bench/papers/paper-sites)
 *
 * How much text anybody can remove from a site's pages by requests. The first KNOWN pages of a site
 * are learnt; sites with fewer pages are left out. Then ATTACKED of these pages are requested as
 * variants, up to 300 of each page. Prints for each attack, over all sites, the share of their
 * earlier text that the attacked pages keep after 4, 10, 100 and 300 variants of each; and how
 * many sites lose more than 1 % and more than 10 %. Ids of documents are made up: canonical links
 * are ignored. Attacks with honest pages between the variants stop at HONEST_MOST pages: "nan".
 *
 * EVERY=N takes every Nth site. With DETECTOR "warmup" it prints
 * instead how soon the template of sites is known.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <apr_general.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <xxhash.h>

#include "base/buf.h"
#include "clean.h"
#include "read_file.h"
#include "site_list.h"
#include "table/rules.h"

#define ATTACKED  5  /* pages of a site */
#define BATCH     32 /* variants that are learnt at once */
#define PAGE_MOST 6  /* a profile replaces one of so many segments */

#define NOTHING     INT_MAX /* copied: no text is the page's */
#define ONE_TEXT    -1      /* copied: one text is the page's, each time another one */
#define SHORT_MOST  200     /* bytes of a short text */
#define HONEST_MOST 10000   /* pages between and with the variants of a page */
#define FLOOD       3       /* layout: and no text is the site's */

static const int stages[] = { 4, 10, 100, 300 };
#define STAGES (sizeof(stages) / sizeof(stages[0]))

/* How a variant differs from its page. */
typedef enum {
    BOX_NONE,
    BOX_END,   /* a box at the end of body; the learnt page has its own */
    BOX_BEGIN, /* the same in front of the first h1, as an echo of the query */
} box_e;

typedef struct {
    const char *name;
    box_e box;
    int words, length; /* of the box */
    int other_path;    /* 1: variants differ in their paths; 0: in their queries */
    int left_out;      /* of so many texts that are not template one is new; 1: one text */
    int copied;        /* N: every Nth text that is not template is copied; 0: all of them */
    int raw;           /* 1: no template is copied, so that the site's template is not on it */
    int only_short;    /* 1: only short texts are copied */
    int echoed;        /* the box's words are the query */
    int shown;         /* how often the box has its words; 0: once */
    int honest;        /* pages with each variant that share only template with others */
    int visited;       /* 1: the known pages are read all the time, so that none is forgotten */
    int template; /* what is measured is template that is still cut, not content that is kept */
    int layout;   /* 1: the content's paths have template in them; 2: the other way round */
    int comments; /* percent of the long texts that other pages get; 0: the attack is another */
} attack_t;

static const attack_t attacks[] = {
    { "60 words, queries", .box = BOX_END, .words = 60, .length = 6 },
    { "60 words, paths", .box = BOX_END, .words = 60, .length = 6, .other_path = 1 },
    { "clock of 45 bytes, paths", .box = BOX_END, .words = 5, .length = 8, .other_path = 1 },
    { "ad of 310 bytes, queries", .box = BOX_END, .words = 31, .length = 9 },
    { "echo of the query", .box = BOX_BEGIN, .words = 12, .length = 6, .echoed = 1 },
    { "echo of 190 bytes, 4 times", BOX_BEGIN, 27, 6, .echoed = 1, .shown = 4 },
    { "echo of 1 KB", .box = BOX_BEGIN, .words = 128, .length = 7, .echoed = 1 },
    { "echo of 7.9 KB", .box = BOX_BEGIN, .words = 985, .length = 7, .echoed = 1 },
    { "echo that is not seen", .box = BOX_BEGIN, .words = 985, .length = 7 },
    { "profiles, 5 of 6 texts", BOX_END, 60, 6, .other_path = 1, .left_out = PAGE_MOST },
    { "quarter copies", BOX_END, 60, 6, .other_path = 1, .copied = 4 },
    { "copies of every 2nd text", BOX_END, 60, 6, .other_path = 1, .copied = 2 },
    { "copies of every 8th text", BOX_END, 60, 6, .other_path = 1, .copied = 8 },
    { "copies of every 10th text", BOX_END, 60, 6, .other_path = 1, .copied = 10 },
    { "every 2nd text, no template", BOX_END, 60, 6, .other_path = 1, .copied = 2, .raw = 1 },
    { "all texts, no template", BOX_END, 60, 6, .other_path = 1, .copied = 1, .raw = 1 },
    { "one text, no template", BOX_END, 60, 6, .other_path = 1, .copied = ONE_TEXT, .raw = 1 },
    { "one text", BOX_END, 60, 6, .other_path = 1, .copied = ONE_TEXT },
    { "one short text", BOX_END, 60, 6, .other_path = 1, .copied = ONE_TEXT, .only_short = 1 },
    { "fresh copies, one text new", .other_path = 1, .left_out = 1 },
    { "comments, 30 % of the text", .comments = 30 },
    { "quarter, 10 % of all pages", BOX_END, 60, 6, .other_path = 1, .copied = 4, .honest = 9 },
    { "quarter, 1 % of all pages", BOX_END, 60, 6, .other_path = 1, .copied = 4, .honest = 99 },
    { "slow, 60 words, 1 in 1,000", BOX_END, 60, 6, .other_path = 1, .honest = 999, .visited = 1 },
    { "slow, quarter, 1 in 1,000", BOX_END, 60, 6, .other_path = 1, .copied = 4, .honest = 999,
      .visited = 1 },
    { "template in content's layout", .other_path = 1, .copied = NOTHING, .layout = 1 },
    { "content in template's layout", .other_path = 1, .copied = NOTHING, .layout = 2,
      .template = 1 },
    { "flood, template cut", .other_path = 1, .copied = NOTHING, .template = 1, .layout = FLOOD },
};
#define ATTACKS (sizeof(attacks) / sizeof(attacks[0]))

/* A page, and its keys that differ in each variant. */
typedef struct {
    tmpl_outcome_t outcome;
    const char *body; /* as the attack finds it */
    const char *uri;
    apr_size_t len;
    uint32_t *own; /* numbers of the n_own keys that differ in each variant */
    uint32_t n_own;
    unsigned char *is_template; /* for each key, before the attack */
    unsigned char *kept;        /* for each block, whether it was kept before the attack */
    double before;              /* bytes of text in these blocks */
} page_t;

typedef struct {
    double before, after[STAGES];
    int sites, lost_1[STAGES], lost_10[STAGES];
} sum_t;

static tmpl_clean_opts_t opts;
static tmpl_store_t *store;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "attacks: %s: %s\n", what, why);
    exit(2);
}

static uint64_t random_of(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t all[3] = { a, b, c };
    return XXH3_64bits(all, sizeof(all));
}

/* Random words of a box. */
static const char *box_words(const attack_t *attack, uint64_t seed, const char *between,
                             apr_pool_t *pool)
{
    tmpl_buf_t words;
    tmpl_buf_init(&words, pool);
    for (int i = 0; i < attack->words; i++) {
        tmpl_buf_add_text(&words, i > 0 ? between : "");
        tmpl_buf_add_text(
            &words, apr_psprintf(pool, "%.*s", attack->length,
                                 apr_psprintf(pool, "%c%016" APR_UINT64_T_HEX_FMT, 'g' + i % 20,
                                              random_of(seed, (uint64_t)i, 1))));
    }
    return words.at;
}

/* The page with a box. */
static const char *boxed(const page_t *page, const attack_t *attack, uint64_t seed,
                         apr_pool_t *pool)
{
    const char *at = page->body + page->len, *found = page->body;
    const char *tag = attack->box == BOX_BEGIN ? "<h1" : "</body>";
    while ((found = strstr(found, tag)) != NULL && at != found) {
        at = found;
        found += attack->box == BOX_END;
    }
    const char *words = box_words(attack, seed, " ", pool), *paragraphs = "";
    for (int i = 0; i == 0 || i < attack->shown; i++) {
        paragraphs = apr_psprintf(pool, "%s<p>%d %s</p>", paragraphs, i, words);
    }
    return apr_psprintf(pool, "%.*s<div>%s</div>%s", (int)(at - page->body), page->body, paragraphs,
                        at);
}

/* Parses and observes bytes; 0 if they are declined. */
static int read_page(tmpl_outcome_t *outcome, const char *body, const char *uri, const char *site,
                     uint64_t id, apr_pool_t *pool)
{
    tmpl_input_t input = {
        .body = body, .len = strlen(body), .site = site, .uri = uri, .learn = TMPL_LEARNING_NOW
    };
    if (!tmpl_clean_read(outcome, &input, &opts, pool)) {
        return 0;
    }
    tmpl_clean_observe(outcome, &input, &opts, pool);
    outcome->document.id = id;
    return 1;
}

/*
 * Reads a page as the attack finds it, and again with another box: the keys that differ between
 * the two differ in each variant. 0: the page cannot be used.
 */
static int page_prepare(page_t *page, const attack_t *attack, const char *site, apr_pool_t *pool)
{
    uint64_t id = XXH3_64bits(page->body, page->len);
    const char *first = page->body, *other = page->body;
    tmpl_outcome_t changed;
    const char *other_uri = "/";
    page->uri = "/";
    if (attack->box != BOX_NONE) {
        first = boxed(page, attack, id, pool);
        other = boxed(page, attack, id + 1, pool);
    }
    if (attack->echoed) {
        page->uri = apr_pstrcat(pool, "/?q=", box_words(attack, id, "+", pool), NULL);
        other_uri = apr_pstrcat(pool, "/?q=", box_words(attack, id + 1, "+", pool), NULL);
    }
    if (!read_page(&page->outcome, first, page->uri, site, id, pool) ||
        !read_page(&changed, other, other_uri, site, id, pool) ||
        page->outcome.observation.n != changed.observation.n) {
        return 0;
    }
    page->body = first;
    const tmpl_observation_t *obs = &page->outcome.observation;
    page->own = apr_palloc(pool, obs->n * sizeof(*page->own) + 1);
    page->n_own = 0;
    for (uint32_t i = 0; i < obs->n; i++) {
        if (obs->keys[i].hash != changed.observation.keys[i].hash) {
            page->own[page->n_own++] = i;
        }
    }
    return 1;
}

/* Looks up a page that has been read. */
static void look(tmpl_outcome_t *outcome, apr_pool_t *pool)
{
    outcome->observation.learn = TMPL_LEARNING_OFF;
    tmpl_clean_count(outcome, store, apr_time_from_sec(30), pool);
    if (outcome->store_error.status != APR_SUCCESS) {
        fail("look", outcome->store_error.text);
    }
}

static void learn(const tmpl_observation_t *const *pages, uint32_t n, apr_pool_t *pool)
{
    tmpl_error_t err;
    if (tmpl_store_learn(store, pages, n, apr_time_from_sec(30), NULL, &err, pool) != APR_SUCCESS) {
        fail("learn", err.text);
    }
}

/*
 * Bytes that a page keeps, or that are cut if the attack is on template. before: notes its kept
 * blocks; else counts only blocks noted before.
 */
static double measure(page_t *page, const attack_t *attack, int before, apr_pool_t *pool)
{
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    tmpl_outcome_t now; /* a new outcome: a detector judges an outcome only once */
    double kept = 0;
    read_page(&now, page->body, page->uri, page->outcome.observation.site, 0, scratch);
    now.document = page->outcome.document;
    look(&now, scratch);
    tmpl_clean_decide(&now, &opts, scratch);
    if (before) {
        page->kept = apr_pcalloc(pool, now.page->n_blocks + (apr_size_t)1);
        page->before = 0;
    }
    for (uint32_t b = 0; now.verdicts != NULL && b < now.page->n_blocks; b++) {
        int is_right = now.verdicts[b].template == attack->template;
        if (before) {
            page->kept[b] = (unsigned char)is_right;
        }
        kept += page->kept[b] && is_right ? now.page->blocks[b].length : 0;
    }
    if (before) {
        page->before = kept;
    }
    apr_pool_destroy(scratch);
    return kept;
}

/* The numbers of the page's segment keys that are not template now, and that the attack copies. */
static uint32_t rest_of(uint32_t **rest, page_t *page, const attack_t *attack, apr_pool_t *pool)
{
    const tmpl_observation_t *obs = &page->outcome.observation;
    tmpl_outcome_t now = page->outcome;
    uint32_t n = 0;
    look(&now, pool);
    page->is_template = apr_pcalloc(pool, obs->n + (apr_size_t)1);
    *rest = apr_palloc(pool, (obs->n_shares + (apr_size_t)1) * sizeof(**rest));
    for (uint32_t i = 0; i < obs->n_shares; i++) {
        uint32_t key = obs->shares[i].key;
        page->is_template[key] = now.counts.records[key].df >= opts.policy.min_df;
        if (!page->is_template[key] &&
            (!attack->only_short || obs->shares[i].length < SHORT_MOST)) {
            (*rest)[n++] = key;
        }
    }
    return n;
}

/* Replaces all texts but those that a variant copies. */
static void copy(tmpl_key_t *keys, const page_t *page, const attack_t *attack, uint64_t i,
                 const uint32_t *rest, uint32_t n_rest)
{
    const tmpl_observation_t *obs = &page->outcome.observation;
    uint64_t every = attack->copied == ONE_TEXT ? n_rest : (uint64_t)attack->copied;
    for (uint32_t k = 0; every > 0 && k < tmpl_observation_segments(obs); k++) {
        if (attack->raw || !page->is_template[k]) {
            keys[k].hash = random_of(page->outcome.document.id + i, k, 4) & TMPL_HASH_MASK;
        }
    }
    for (uint32_t k = 0; every > 0 && attack->copied != NOTHING && k < n_rest; k++) {
        if ((k + i) % every == 0) {
            keys[rest[k]] = obs->keys[rest[k]];
        }
    }
}

/* Puts the text of a block of one kind into all blocks of the other kind. */
static void layout_swap(tmpl_observation_t *obs, const attack_t *attack, const uint32_t *rest,
                        uint32_t n_rest, apr_pool_t *pool)
{
    tmpl_block_paths_t *blocks = apr_pmemdup(pool, obs->blocks, obs->n_blocks * sizeof(*blocks));
    unsigned char *is_rest = apr_pcalloc(pool, obs->n + 1);
    const tmpl_block_paths_t *from = NULL;
    int want = attack->layout == 2;
    for (uint32_t k = 0; k < n_rest; k++) {
        is_rest[rest[k]] = 1;
    }
    for (uint32_t b = 0; from == NULL && b < obs->n_blocks; b++) {
        const tmpl_block_paths_t *block = &obs->blocks[b];
        from = block->after > block->first && is_rest[obs->shares[block->first].key] == want ? block
                                                                                             : NULL;
    }
    for (uint32_t b = 0; from != NULL && b < obs->n_blocks; b++) {
        if (blocks[b].after > blocks[b].first &&
            is_rest[obs->shares[blocks[b].first].key] != want) {
            blocks[b].first = from->first;
            blocks[b].after = from->after;
        }
    }
    obs->blocks = blocks;
}

/* Variant number i of a page. */
static tmpl_observation_t *variant(const page_t *page, const attack_t *attack, uint64_t i,
                                   const uint32_t *rest, uint32_t n_rest, apr_pool_t *pool)
{
    uint64_t id = page->outcome.document.id, new = random_of(id, i, 2);
    tmpl_observation_t *obs = apr_pmemdup(pool, &page->outcome.observation, sizeof(*obs));
    tmpl_key_t *keys = apr_pmemdup(pool, obs->keys, obs->n * sizeof(*keys));
    tmpl_document_t *document = apr_palloc(pool, sizeof(*document));
    for (uint32_t k = 0; attack->left_out > 1 && k < n_rest; k++) {
        if ((k + i) % (uint64_t)attack->left_out == 0) {
            keys[rest[k]].hash = random_of(new, k, 4) & TMPL_HASH_MASK;
        }
    }
    copy(keys, page, attack, i, rest, n_rest);
    for (uint32_t k = 0; k < page->n_own; k++) {
        keys[page->own[k]].hash = random_of(new, k, 3) & TMPL_HASH_MASK;
    }
    if (attack->left_out == 1 && n_rest > 0) {
        keys[rest[i % n_rest]].hash = random_of(new, 0, 5) & TMPL_HASH_MASK;
    }
    for (uint32_t k = 0; attack->layout == FLOOD && k < obs->n; k++) {
        keys[k].hash = random_of(new, k, 9) & TMPL_HASH_MASK;
    }
    if (attack->layout == 1 || attack->layout == 2) {
        layout_swap(obs, attack, rest, n_rest, pool);
    }
    document->id =
        attack->other_path ? new : new - new % TMPL_DOCUMENT_PLACES + id % TMPL_DOCUMENT_PLACES;
    document->text = random_of(new, 0, 6);
    obs->keys = keys;
    obs->document = document;
    return obs;
}

/* Comment number i: host with a part of the long texts of a page. */
static tmpl_observation_t *comment(const page_t *host, const page_t *page, const attack_t *attack,
                                   uint64_t i, const uint32_t *rest, uint32_t n_rest,
                                   apr_pool_t *pool)
{
    const tmpl_observation_t *from = &page->outcome.observation;
    tmpl_observation_t *obs = apr_pmemdup(pool, &host->outcome.observation, sizeof(*obs));
    uint32_t n_segments = 0, n = 0;
    tmpl_key_t *keys = apr_palloc(pool, (obs->n + n_rest) * sizeof(*keys));
    tmpl_share_t *shares = apr_palloc(pool, (obs->n_shares + from->n_shares) * sizeof(*shares));
    tmpl_document_t *document = apr_pmemdup(pool, obs->document, sizeof(*document));
    unsigned char *is_rest = apr_pcalloc(pool, from->n + 1);
    for (uint32_t k = 0; k < n_rest; k++) {
        is_rest[rest[k]] = 1;
    }
    while (n_segments < obs->n && obs->keys[n_segments].kind != TMPL_KIND_PATH) {
        n_segments++;
    }
    memcpy(shares, obs->shares, obs->n_shares * sizeof(*shares));
    memcpy(keys, obs->keys, n_segments * sizeof(*keys));
    for (uint32_t k = 0; k < from->n_shares; k++) {
        const tmpl_share_t *share = &from->shares[k];
        if (!is_rest[share->key] || share->length < 80 ||
            random_of(i, share->key, 7) % 100 >= (uint64_t)attack->comments) {
            continue;
        }
        uint32_t at = 0;
        while (at < n_segments + n && keys[at].hash != from->keys[share->key].hash) {
            at++;
        }
        if (at == n_segments + n) {
            keys[at] = from->keys[share->key];
            n++;
        }
        shares[obs->n_shares++] = (tmpl_share_t){ at, share->length, 0 };
    }
    /* without layout paths, whose numbers would change */
    document->text = random_of(document->id, i, 8);
    obs->n = n_segments + n;
    obs->n_blocks = 0;
    obs->keys = keys;
    obs->shares = shares;
    obs->document = document;
    return obs;
}

/* Learns pages with new text between variants, a batch at once, and has the hosts visited. */
static void honest_learn(const page_t *hosts, uint32_t n_hosts, const page_t *page,
                         const attack_t *attack, uint64_t i, const uint32_t *rest, uint32_t n_rest,
                         apr_pool_t *pool)
{
    static const attack_t honest = { .other_path = 1, .copied = NOTHING };
    const tmpl_observation_t *batch[BATCH];
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    for (int h = 0; h < attack->honest;) {
        uint32_t n = 0;
        for (; n < BATCH && h < attack->honest; h++) {
            batch[n++] =
                variant(page, &honest, 1000000 + i * 1000 + (uint64_t)h, rest, n_rest, scratch);
        }
        learn(batch, n, scratch);
        for (uint32_t v = 0; attack->visited && v < n_hosts; v++) {
            const tmpl_observation_t *visit = &hosts[v].outcome.observation;
            learn(&visit, 1, scratch);
        }
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(scratch);
}

/* Learns variants [from, to) of a page. */
static void variants_learn(const page_t *hosts, uint32_t n_hosts, const page_t *page,
                           const attack_t *attack, int from, int to, const uint32_t *rest,
                           uint32_t n_rest, apr_pool_t *pool)
{
    const tmpl_observation_t *batch[BATCH];
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    while (from < to) {
        uint32_t n = 0;
        honest_learn(hosts, n_hosts, page, attack, (uint64_t)from, rest, n_rest, pool);
        for (; n < (attack->honest > 0 ? 1 : BATCH) && from < to; from++) {
            batch[n++] = attack->comments > 0
                             ? comment(&hosts[(uint32_t)from % n_hosts == (uint32_t)(page - hosts)
                                                  ? ((uint32_t)from + 1) % n_hosts
                                                  : (uint32_t)from % n_hosts],
                                       page, attack, (uint64_t)from, rest, n_rest, scratch)
                             : variant(page, attack, (uint64_t)from + 1, rest, n_rest, scratch);
        }
        learn(batch, n, scratch);
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(scratch);
}

/* Reads and learns the first known pages of a site that can be used; NULL: there are fewer. */
static page_t *site_learn(const attack_t *attack, const char *site, const apr_array_header_t *paths,
                          int known, apr_pool_t *pool)
{
    page_t *pages = apr_pcalloc(pool, (apr_size_t)known * sizeof(*pages));
    int n = 0;
    for (int i = 0; i < paths->nelts && n < known; i++) {
        apr_pool_t *own;
        apr_pool_create(&own, pool);
        pages[n].body = need_file(&pages[n].len, APR_ARRAY_IDX(paths, i, const char *), own);
        if (!page_prepare(&pages[n], attack, site, own)) {
            apr_pool_destroy(own);
            continue;
        }
        const tmpl_observation_t *obs = &pages[n++].outcome.observation;
        learn(&obs, 1, own);
    }
    return n < known ? NULL : pages;
}

/* One attack on one site. SHOW=1 prints the sites that lose more than 1 %. */
static void site_attack(sum_t *sum, const attack_t *attack, const char *key,
                        const apr_array_header_t *paths, int known, apr_pool_t *pool)
{
    int step = known / ATTACKED > 0 ? known / ATTACKED : 1, n_attacked = known / step;
    const char *site = apr_pstrcat(pool, key, " ", attack->name, NULL);
    page_t *pages = site_learn(attack, site, paths, known, pool);
    uint32_t **rest = apr_palloc(pool, (apr_size_t)n_attacked * sizeof(*rest));
    uint32_t *n_rest = apr_palloc(pool, (apr_size_t)n_attacked * sizeof(*n_rest));
    double before = 0;
    if (pages == NULL) {
        return;
    }
    for (int p = 0; p < n_attacked; p++) {
        measure(&pages[p * step], attack, 1, pool);
        n_rest[p] = rest_of(&rest[p], &pages[p * step], attack, pool);
        before += pages[p * step].before;
    }
    sum->before += before;
    sum->sites++;
    for (unsigned s = 0; s < STAGES; s++) {
        double after = 0;
        if (attack->honest > 0 && stages[s] > HONEST_MOST / (attack->honest + 1)) {
            sum->after[s] = NAN; /* it would take minutes */
            continue;
        }
        for (int p = 0; p < n_attacked; p++) {
            variants_learn(pages, (uint32_t)known, &pages[p * step], attack,
                           s > 0 ? stages[s - 1] : 0, stages[s], rest[p], n_rest[p], pool);
        }
        for (int p = 0; p < n_attacked; p++) {
            after += measure(&pages[p * step], attack, 0, pool);
        }
        sum->after[s] += after;
        sum->lost_1[s] += after < .99 * before;
        sum->lost_10[s] += after < .9 * before;
        if (getenv("SHOW") != NULL && s == STAGES - 1 && after < .99 * before) {
            printf("  %-28s %s: %.3f of %.0f bytes\n", attack->name, key, after / before, before);
        }
    }
    tmpl_store_forget(store, site, NULL, pool);
}

/* How many of a site's pages have each key: hash -> number of pages. */
static apr_hash_t *count_pages(const page_t *pages, int n, apr_pool_t *pool)
{
    apr_hash_t *counts = apr_hash_make(pool);
    for (int p = 0; p < n; p++) {
        const tmpl_page_t *page = pages[p].outcome.page;
        for (uint32_t k = 0; k < page->n_keys; k++) {
            uint32_t *count = apr_hash_get(counts, &page->keys[k], sizeof(page->keys[k]));
            if (count == NULL) {
                count = apr_pcalloc(pool, sizeof(*count));
                apr_hash_set(counts, &page->keys[k], sizeof(page->keys[k]), count);
            }
            ++*count;
        }
    }
    return counts;
}

typedef struct {
    int sites;
    double pages;     /* sum: the first page of which 80 % of the template is known */
    double recall[2]; /* sums: of pages 6 to 10, and of later pages */
    int counted[2];
    int never;
    int near_copies;
} warmup_t;

/*
 * The share of a page's template that its counts show. Texts on at least min_df pages of the site
 * are template.
 */
static double recall_of(page_t *page, apr_hash_t *counts, int *near_copy, apr_pool_t *pool)
{
    double template = 0, found = 0;
    tmpl_outcome_t now = page->outcome;
    tmpl_clean_count(&now, store, apr_time_from_sec(30), pool);
    *near_copy = now.counts.near_copy;
    for (uint32_t s = 0; s < now.page->n_segments; s++) {
        const tmpl_segment_t *segment = &now.page->segments[s];
        uint64_t *key = &now.page->keys[segment->key];
        if (*(uint32_t *)apr_hash_get(counts, key, sizeof(*key)) >= opts.policy.min_df) {
            template += segment->length;
            found +=
                now.counts.records[segment->key].df >= opts.policy.min_df ? segment->length : 0;
        }
    }
    return template > 0 ? found / template : -1;
}

/*
 * SHOW=1 prints the site, its first page of which 80 % of the template is known, its near copies,
 * and its recall.
 */
static void site_warmup(warmup_t *sum, const char *key, const apr_array_header_t *paths,
                        apr_pool_t *pool)
{
    static const attack_t none = { .box = BOX_NONE };
    page_t *pages = apr_pcalloc(pool, (apr_size_t)paths->nelts * sizeof(*pages));
    int n = 0, until = 0, near_copies = 0;
    double known = 0;
    for (int i = 0; i < paths->nelts; i++) {
        pages[n].body = need_file(&pages[n].len, APR_ARRAY_IDX(paths, i, const char *), pool);
        n += page_prepare(&pages[n], &none, key, pool);
    }
    apr_hash_t *counts = count_pages(pages, n, pool);
    for (int i = 0; i < n; i++) {
        int near_copy;
        double recall = recall_of(&pages[i], counts, &near_copy, pool);
        near_copies += near_copy;
        known += recall;
        if (recall >= .8 && until == 0) {
            until = i + 1;
        }
        if (i >= 5 && recall >= 0) {
            sum->recall[i >= 10] += recall;
            sum->counted[i >= 10]++;
        }
    }
    if (getenv("SHOW") != NULL) {
        printf("  %-40s %d %d of %d: %.3f\n", key, until, near_copies, n, known / n);
    }
    sum->sites++;
    sum->near_copies += near_copies;
    sum->never += until == 0;
    sum->pages += until;
    tmpl_store_forget(store, key, NULL, pool);
}

typedef struct {
    const attack_t *attack; /* NULL: warm-up */
    int known;
    sum_t sum;
    warmup_t warmup;
} run_t;

static void sites_run(run_t *run, const apr_array_header_t *sites)
{
    apr_pool_t *pool;
    apr_pool_create(&pool, NULL);
    const char *every = getenv("EVERY");
    int step = every != NULL && run->attack != NULL ? (int)strtol(every, NULL, 10) : 1;
    for (int i = 0; i<sites->nelts; i += step> 0 ? step : 1) {
        const listed_site_t *site = &APR_ARRAY_IDX(sites, i, listed_site_t);
        if (run->attack == NULL) {
            site_warmup(&run->warmup, site->key, site->paths, pool);
        }
        else if (site->paths->nelts >= run->known) {
            site_attack(&run->sum, run->attack, site->key, site->paths, run->known, pool);
        }
        apr_pool_clear(pool);
    }
    apr_pool_destroy(pool);
}

static void attacks_run(const char *detector, int known, const char *only,
                        const apr_array_header_t *sites)
{
    for (unsigned a = 0; a < ATTACKS; a++) {
        run_t run = { .attack = &attacks[a], .known = known };
        if (only != NULL && strncmp(only, attacks[a].name, strlen(only)) != 0) {
            continue;
        }
        sites_run(&run, sites);
        if (run.sum.sites == 0) {
            continue;
        }
        printf("%-11s %4d %-27s %3d", detector, known, attacks[a].name, run.sum.sites);
        for (unsigned s = 0; s < STAGES; s++) {
            printf("  %.3f %2d %2d", run.sum.after[s] / run.sum.before, run.sum.lost_1[s],
                   run.sum.lost_10[s]);
        }
        printf("\n");
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    apr_pool_t *pool;
    tmpl_error_t err;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    opts = tmpl_clean_opts_default();
    opts.mode = TMPL_MODE_ANNOTATE;
    int warmup = argc == 2 && strcmp(argv[1], "warmup") == 0;
    if (!warmup && argc < 3) {
        fail("usage", "attacks DETECTOR KNOWN [ATTACK] | warmup < LIST");
    }
    tmpl_models_builtin(&opts.detect.models, pool);
    if (tmpl_store_open(&store, "memory:", NULL, &err, pool) != APR_SUCCESS) {
        fail("start", err.text);
    }
    int detector = tmpl_detector_find(warmup ? "incremental" : argv[1]);
    if (detector < 0) {
        fail("no such detector", argv[1]);
    }
    opts.detector = (tmpl_detector_e)detector;
    apr_array_header_t *sites = site_list_read(pool);
    if (warmup) {
        run_t run = { 0 };
        sites_run(&run, sites);
        warmup_t *w = &run.warmup;
        printf("warm-up: %d sites: %.2f pages until 80 %% of a page's template is known (%d never);"
               " recall %.4f on pages 6 to 10, %.4f behind; %d near copies\n",
               w->sites, w->pages / (w->sites - w->never), w->never, w->recall[0] / w->counted[0],
               w->recall[1] / w->counted[1], w->near_copies);
    }
    else {
        attacks_run(argv[1], (int)strtol(argv[2], NULL, 10), argc > 3 ? argv[3] : NULL, sites);
    }
    apr_pool_destroy(pool);
    apr_terminate();
    return 0;
}
