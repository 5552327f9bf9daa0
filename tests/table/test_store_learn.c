/* SPDX-License-Identifier: Apache-2.0 */
/* A batch with pages of several sites, some of which cannot be learnt: the result of the batch. */
#include "check.h"

#include <apr_strings.h>

#include "table/engine.h"
#include "table/store.h"

/* Each letter is the name of a site that always fails with its status. */
static const struct {
    char site;
    apr_status_t says;
} faults[] = { { 'p', TMPL_EPART }, { 'd', TMPL_EDAMAGED }, { 'f', APR_ENOSPC } };

static apr_status_t begin(tmpl_txn_t *txn)
{
    for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (faults[i].site == txn->site[0]) {
            return tmpl_fail(txn->err, faults[i].says, "site %s", txn->site);
        }
    }
    return tmpl_fail(txn->err, APR_EGENERAL, "no such site");
}

static const tmpl_provider_t failing = { .scheme = "failing:", .begin = begin };

/* Learns a batch with a page of each site, a letter each. */
static apr_status_t learn_sites(const char *sites, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_store_t store = { &failing, NULL, 0 };
    tmpl_document_t document = { 1, 1 };
    tmpl_policy_t policy = {
        .min_df = 3, .lifetime_tb = 100, .lifetime_n = 10, .max_entries = 100
    };
    uint32_t n = (uint32_t)strlen(sites);
    tmpl_observation_t *page = apr_pcalloc(pool, n * sizeof(*page));
    const tmpl_observation_t **pages = apr_palloc(pool, n * sizeof(*pages));

    for (uint32_t i = 0; i < n; i++) {
        page[i] = (tmpl_observation_t){ .site = apr_pstrmemdup(pool, sites + i, 1),
                                        .document = &document,
                                        .policy = &policy };
        pages[i] = &page[i];
    }
    return tmpl_store_learn(&store, pages, n, apr_time_from_sec(30), NULL, err, pool);
}

/* "Full" means that to try again would not help: it must not hide sites for which it would. */
static void a_full_site_hides_no_other_fault(void **state)
{
    static const struct {
        const char *sites;
        apr_status_t says;
        const char *of;
    } batches[] = { { "f", APR_ENOSPC, "site f" },     { "pf", TMPL_EPART, "site p" },
                    { "fp", TMPL_EPART, "site p" },    { "df", TMPL_EDAMAGED, "site d" },
                    { "fd", TMPL_EDAMAGED, "site d" }, { "pfpf", TMPL_EPART, "site p" } };

    for (unsigned i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
        tmpl_error_t err = { 0 };

        assert_int_equal(learn_sites(batches[i].sites, &err, *state), batches[i].says);
        assert_int_equal(err.status, batches[i].says);
        assert_string_equal(err.text, batches[i].of);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(a_full_site_hides_no_other_fault),
};

TAP_MAIN(tests)
