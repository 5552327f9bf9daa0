/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page that README.md shows, demo/expected.txt, was written with this version, its settings and
 * its built-in model.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "clean.h"

/* Versions of the site's table that are tried: the page does not say it. Each entry counts one. */
#define VERSIONS 100000

static void the_page_of_the_demo_is_new(void **state)
{
    static char text[32768];
    unsigned pages, shown;
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    tmpl_outcome_t outcome = { .version = 0 };
    FILE *file = fopen("demo/expected.txt", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    const char *said = strstr(text, " pages="), *version = strstr(text, " version=\"");
    assert_true(said != NULL && sscanf(said, " pages=%u", &pages) == 1);
    assert_true(version != NULL && sscanf(version, " version=\"%8x-", &shown) == 1);
    tmpl_models_builtin(&opts.detect.models, *state);
    outcome.counts.pages = pages;
    for (uint64_t i = 0; i < VERSIONS && outcome.version >> 32 != shown; i++) {
        outcome.counts.version = i;
        tmpl_clean_version(&outcome, &opts, *state);
    }
    if (outcome.version >> 32 != shown) {
        fail_msg("the model or the settings have changed: EXPECTED=demo/expected.txt make demo "
                 "DEMO_WAIT=no, then copy it into README.md");
    }
}

static const struct CMUnitTest tests[] = { CHECK(the_page_of_the_demo_is_new) };
TAP_MAIN(tests)
