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
    { "Fri Jan  2 03:04:05 UTC 2026", "2026-01-02" },
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
    /* years of two digits */
    { "22.01.26", "2026-01-22" },
    { "01.22.26, 6:00 PM ET", "2026-01-22" },
    { "02.01.26", NULL },
    { "12/31/24, 10:15", "2024-12-31" },
    { "By Ann | 2-Jan-26 | News", "2026-01-02" },
    { "2 Jan '26", "2026-01-02" },
    { "15 March 10 am", NULL },
    { "15 March 10:30", NULL },
    { "1.2.15", NULL },
    { "12.10.15.3", NULL },
    { "01/02/26", NULL },
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

/* Months of other languages, as bylines there write dates. */
static const struct {
    const char *language, *text, *iso;
} languages[] = {
    { "bg", "2 януари 2026 г.", "2026-01-02" },
    { "ca", "Dimarts, 2 d’abril de 2026", "2026-04-02" },
    { "cs", "Publikováno 2. června 2026", "2026-06-02" },
    { "cs", "2. července 2026", "2026-07-02" },
    { "cs", "2. 1. 2026", "2026-01-02" },
    { "da", "2. marts 2026", "2026-03-02" },
    { "el", "Παρασκευή, 2 Ιανουαρίου 2026", "2026-01-02" },
    { "es", "2 de septiembre de 2026", "2026-09-02" },
    { "et", "2. veebruar 2026", "2026-02-02" },
    { "fi", "Julkaistu 2. heinäkuuta 2026", "2026-07-02" },
    { "hu", "2026. május 2., szombat", "2026-05-02" },
    { "hu", "2026. 01. 02. 10:15", "2026-01-02" },
    { "id", "Jumat, 2 Agustus 2026", "2026-08-02" },
    { "it", "venerdì 2 gennaio 2026", "2026-01-02" },
    { "lt", "2026 m. sausio 2 d.", "2026-01-02" },
    { "lv", "2026. gada 2. maijs", "2026-05-02" },
    { "nb", "2. desember 2026", "2026-12-02" },
    { "nl", "2 augustus 2026", "2026-08-02" },
    { "pl", "2 stycznia 2026, 10:15", "2026-01-02" },
    { "pl", "2 listopada 2026", "2026-11-02" },
    { "pt", "2 de março de 2026", "2026-03-02" },
    { "ro", "2 Ianuarie 2026", "2026-01-02" },
    { "ru", "Опубликовано 2 Января 2026 года", "2026-01-02" },
    { "ru", "2 мая 2026", "2026-05-02" },
    { "sk", "2. októbra 2026", "2026-10-02" },
    { "sv", "fredag 2 maj 2026", "2026-05-02" },
    { "tr", "2 Ağustos 2026 Pazar", "2026-08-02" },
    { "tr", "02 ŞUBAT 2026", "2026-02-02" },
    { "uk", "2 січня 2026", "2026-01-02" },
    { "vi", "ngày 2 tháng 1 năm 2026", "2026-01-02" },
    { "ar", "2 يناير 2026", "2026-01-02" },
    { "he", "2 בינואר 2026", "2026-01-02" },
    { "hi", "2 जनवरी 2026", "2026-01-02" },
    { "ja", "公開日2026年1月2日", "2026-01-02" },
    { "ja", "2026 年 1 月 2 日", "2026-01-02" },
    { "ko", "2026. 1. 2. 10:15", "2026-01-02" },
    { "ko", "2026년 1월 2일", "2026-01-02" },
    { "zh", "2026年01月02日23:52", "2026-01-02" },
};

static void dates_of_languages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++) {
        char iso[TMPL_DATE_SIZE] = "";
        apr_size_t begin = 0;
        tmpl_date_find(iso, &begin, languages[i].text, strlen(languages[i].text));
        assert_string_equal(iso, languages[i].iso);
    }
}

/* What says that a date is one of a change, and what says nothing of it. */
static void changes(void **state)
{
    static const char *const of_change[] = {
        "Last edited on ", "AKTUALISIERT: ", "Обновлено ", "Güncelleme : ", "Päivitetty ", "更新 ",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(of_change) / sizeof(of_change[0]); i++) {
        assert_true(tmpl_date_is_of_change(of_change[i], strlen(of_change[i])));
    }
    assert_false(tmpl_date_is_of_change("Published ", 10));
    assert_false(tmpl_date_is_of_change("Updated", 0));
}

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

static const struct CMUnitTest tests[] = { CHECK(dates), CHECK(dates_of_languages),
                                           CHECK(changes) };

TAP_MAIN(tests)
