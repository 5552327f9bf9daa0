/* SPDX-License-Identifier: Apache-2.0 */
/* Dates in many forms, and numbers that are none. */
#include "check.h"

#include "metadata/dates.h"

static const struct {
    const char *text, *iso; /* NULL: no date */
} rows[] = {
    { "2026-01-02", "2026-01-02" },
    { "2026-01-02T03:04", "2026-01-02T03:04" },
    { "2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z" },
    { "2026-01-02T03:04:05.678+0100", "2026-01-02T03:04:05+01:00" },
    { "2026-01-02 03:04:05 -05", "2026-01-02T03:04:05-05:00" },
    { "2026-01-02 03:04:05 UTC", "2026-01-02T03:04:05Z" },
    { "2026-01-02T33:04", "2026-01-02" },
    { "2026/1/2", "2026-01-02" },
    { "2026.01.02", "2026-01-02" },
    { "January 2, 2026", "2026-01-02" },
    { "Jan. 2nd 2026", "2026-01-02" },
    { "Sept 30, 2026", "2026-09-30" },
    { "Posted on Friday, 2 January 2026 at 3:04 PM", "2026-01-02" },
    { "Fri, 02 Jan 2026 03:04:05 GMT", "2026-01-02" },
    { "the 2nd of March, 2026", "2026-03-02" },
    { "25.Jun.2019", "2019-06-25" },
    { "2. M\xC3\xA4rz 2026", "2026-03-02" },
    { "1er f\xC3\xA9vrier 2026", "2026-02-01" },
    { "2 de enero de 2026", "2026-01-02" },
    { "2 maggio 2026", "2026-05-02" },
    { "02.01.2026", "2026-01-02" },
    { "13/01/2026", "2026-01-13" },
    { "01/13/2026", "2026-01-13" },
    { "05/05/2026", "2026-05-05" },
    { "2026\xE5\xB9\xB4"
      "1\xE6\x9C\x88"
      "2\xE6\x97\xA5",
      "2026-01-02" },
    { "first 2026-01-02, then 2026-01-03", "2026-01-02" },
    /* day and month could be exchanged */
    { "03/04/2026", NULL },
    { "03-04-2026", NULL },
    /* no day of the calendar */
    { "2026-13-02", NULL },
    { "2026-02-30", NULL },
    { "1726-01-02", NULL },
    { "32 January 2026", NULL },
    /* parts of other things */
    { "/2026/01/02/", NULL },
    { "v1.2026-01-02", NULL },
    { "12026-01-02", NULL },
    { "2026-01-023", NULL },
    { "January 2026", NULL },
    { "Jan 2", NULL },
    { "10 minutes 2026", NULL },
    { "2026", NULL },
    { "", NULL },
};

static void dates(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char iso[TMPL_DATE_SIZE] = "";
        apr_size_t begin = 0;
        apr_size_t end = tmpl_date_find(iso, &begin, rows[i].text, strlen(rows[i].text));
        if (rows[i].iso == NULL) {
            assert_int_equal(end, 0);
            continue;
        }
        assert_string_equal(iso, rows[i].iso);
        assert_true(begin < end && end <= strlen(rows[i].text));
    }
}

static const struct CMUnitTest tests[] = { CHECK(dates) };

TAP_MAIN(tests)
