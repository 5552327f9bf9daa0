/* SPDX-License-Identifier: Apache-2.0 */
/* Names of people, and texts that name none. */
#include "check.h"

#include "metadata/people.h"

static const struct {
    const char *text, *names; /* with '|' between them */
} rows[] = {
    { "Ann Lee", "Ann Lee" },
    { "By Ann Lee", "Ann Lee" },
    { "Written by: Ann Lee", "Ann Lee" },
    { "By\nAnn Lee", "Ann Lee" },
    { "Von Jana M\xC3\xBCller", "Jana M\xC3\xBCller" },
    { "Par \xC3\x89lodie Petit", "\xC3\x89lodie Petit" },
    { "Escrito por Juan P\xC3\xA9rez", "Juan P\xC3\xA9rez" },
    { "Ludwig van der Rohe", "Ludwig van der Rohe" },
    { "Aoife O'Riordan", "Aoife O'Riordan" },
    { "A. B. Chen", "A. B. Chen" },
    { "\xE5\xBC\xA0\xE4\xBC\x9F", "\xE5\xBC\xA0\xE4\xBC\x9F" },
    { "ANN LEE", "ANN LEE" },
    { "Dr. Ann Lee", "Ann Lee" },
    { "Ann Lee, Bo Chen and Cem Demir", "Ann Lee|Bo Chen|Cem Demir" },
    { "Ann Lee & Bo Chen", "Ann Lee|Bo Chen" },
    { "Ann Lee; Ann Lee", "Ann Lee" },
    /* what follows the name */
    { "By Ann Lee | January 2, 2026", "Ann Lee" },
    { "By Ann Lee (Reuters)", "Ann Lee" },
    { "By Ann Lee on May 3", "Ann Lee" },
    { "By Ann Lee, senior editor", "Ann Lee" },
    { "Ann Lee <ann@example.org>", "Ann Lee" },
    /* organisations, roles, logins, addresses, other texts */
    { "Example News", "" },
    { "Acme Inc", "" },
    { "Editorial Team", "" },
    { "By Staff Writer", "" },
    { "admin", "" },
    { "Ann", "" },
    { "annlee77", "" },
    { "ann lee", "" },
    { "@annlee", "" },
    { "ann@example.org", "" },
    { "https://example.org/Ann Lee", "" },
    { "example.com Ann", "" },
    { "By the Numbers", "" },
    { "Reviewed by Ann Lee", "" },
    { "5 Things To Know", "" },
    { "One Two Three Four Five Six Seven", "" },
    { "By", "" },
    { "", "" },
};

static void people(void **state)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        apr_array_header_t *names = apr_array_make(*state, 1, sizeof(const char *));
        tmpl_people_read(names, rows[i].text, TMPL_NAMES_WHOLE);
        assert_string_equal(apr_array_pstrcat(*state, names, '|'), rows[i].names);
    }
}

static void begins_of_bylines(void **state)
{
    (void)state;
    assert_int_equal(tmpl_people_by("Posted by Ann"), strlen("Posted by "));
    assert_int_equal(tmpl_people_by("Author: Ann"), strlen("Author: "));
    assert_int_equal(tmpl_people_by("by"), 2);
    assert_int_equal(tmpl_people_by("Byron"), 0);
    assert_int_equal(tmpl_people_by(""), 0);
}

static const struct CMUnitTest tests[] = { CHECK(people), CHECK(begins_of_bylines) };

TAP_MAIN(tests)
