/* SPDX-License-Identifier: Apache-2.0 */
/* Names of people, and texts that name none. */
#include "check.h"

#include "metadata/people.h"

typedef struct {
    const char *text, *names; /* with '|' between them */
} row_t;

static const row_t rows[] = {
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
    { "Dr. Ann Lee", "Dr. Ann Lee" },
    { "ByAnn Lee", "Ann Lee" },
    { "Kommentar von Ann Lee", "Ann Lee" },
    { "Kommentar von", "" },
    { "Bericht von", "" },
    { "Ann Lee, Bo Chen and Cem Demir", "Ann Lee|Bo Chen|Cem Demir" },
    { "Ann Lee & Bo Chen", "Ann Lee|Bo Chen" },
    { "Ann Lee; Ann Lee", "Ann Lee" },
    /* what follows the name */
    { "By Ann Lee | January 2, 2026", "Ann Lee" },
    { "By Ann Lee (Reuters)", "Ann Lee" },
    { "By Ann Lee on May 3", "Ann Lee" },
    { "By Ann Lee, senior editor", "Ann Lee" },
    { "Ann Lee <ann@example.org>", "Ann Lee" },
    { "Ann Lee (https://example.org/)", "Ann Lee" },
    { "Ann Marie Lee III", "Ann Marie Lee III" },
    { "ANN MARIE LEE", "ANN MARIE LEE" },
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

/* Lines of authors in other languages. */
static const row_t languages[] = {
    { "Автор: Анна Иванова", "Анна Иванова" },
    { "АВТОР: Анна Иванова и Пётр Сидоров", "Анна Иванова|Пётр Сидоров" },
    { "Автори: Ярослав Кузишин, Карина Гасимова", "Ярослав Кузишин|Карина Гасимова" },
    { "От Иван Петров", "Иван Петров" },
    { "от первого лица", "" },
    { "Редакция новостей", "" },
    { "Oprac. Anna Nowak", "Anna Nowak" },
    { "Autorzy: Anna Nowak i Jan Kowalski", "Anna Nowak|Jan Kowalski" },
    { "Napsala Jana Nováková", "Jana Nováková" },
    { "Autoři: Jana Nováková a Petr Dvořák", "Jana Nováková|Petr Dvořák" },
    { "Skrevet af Trine Jensen og Ole Lund", "Trine Jensen|Ole Lund" },
    { "Av Åsa Öberg och Per Lind", "Åsa Öberg|Per Lind" },
    { "Tekst: Kari Nordmann", "Kari Nordmann" },
    { "Kirjoittanut Aino Virtanen ja Eero Salo", "Aino Virtanen|Eero Salo" },
    { "Írta: Kovács Éva és Nagy Pál", "Kovács Éva|Nagy Pál" },
    { "Scris de Ion Popescu și Ana Ionescu", "Ion Popescu|Ana Ionescu" },
    { "Yazar: Ayşe Yılmaz ve Can Öztürk", "Ayşe Yılmaz|Can Öztürk" },
    { "Haber: Anadolu Ajansı", "" },
    { "Γράφει ο Γιώργος Παπαδόπουλος", "Γιώργος Παπαδόπουλος" },
    { "Ditulis oleh Budi Santoso dan Siti Aminah", "Budi Santoso|Siti Aminah" },
    { "Tác giả: Lê Phương", "Lê Phương" },
    { "Testo di Mario Rossi e Anna Bianchi", "Mario Rossi|Anna Bianchi" },
    { "Door Jan de Vries en Piet Bakker", "Jan de Vries|Piet Bakker" },
    { "بقلم أحمد علي", "أحمد علي" },
    { "מאת דנה כהן", "דנה כהן" },
    { "लेखक: राम शर्मा", "राम शर्मा" },
    { "作者：张伟、李娜", "张伟|李娜" },
    { "執筆者：山田太郎", "山田太郎" },
    { "박준석 기자", "박준석" },
};

static void check_names(const row_t *some, size_t n, apr_pool_t *pool)
{
    for (size_t i = 0; i < n; i++) {
        apr_array_header_t *names = apr_array_make(pool, 1, sizeof(const char *));
        tmpl_people_read(names, some[i].text, TMPL_NAMES_WHOLE);
        assert_string_equal(apr_array_pstrcat(pool, names, '|'), some[i].names);
    }
}

static void people(void **state)
{
    check_names(rows, sizeof(rows) / sizeof(rows[0]), *state);
}

static void people_of_languages(void **state)
{
    check_names(languages, sizeof(languages) / sizeof(languages[0]), *state);
}

/* Single words. */
static void single_words(void **state)
{
    static const row_t ones[] = { { "Kim", "Kim" },         { "By Kim", "Kim" }, { "kim", "" },
                                  { "Kim, editor", "" },    { "kim_77", "" },    { "Admin", "" },
                                  { "kim@example.org", "" } };
    static const row_t logins[] = { { "kim_77", "kim_77" }, { "Kim", "Kim" },
                                    { "1234", "" },         { "Ann Lee", "Ann Lee" },
                                    { "guest", "" },        { "kim@example.org", "" } };
    for (size_t i = 0; i < sizeof(ones) / sizeof(ones[0]); i++) {
        apr_array_header_t *names = apr_array_make(*state, 1, sizeof(const char *));
        tmpl_people_read(names, ones[i].text, TMPL_NAMES_ONE);
        assert_string_equal(apr_array_pstrcat(*state, names, '|'), ones[i].names);
    }
    for (size_t i = 0; i < sizeof(logins) / sizeof(logins[0]); i++) {
        apr_array_header_t *names = apr_array_make(*state, 1, sizeof(const char *));
        tmpl_people_read(names, logins[i].text, TMPL_NAMES_LOGIN);
        assert_string_equal(apr_array_pstrcat(*state, names, '|'), logins[i].names);
    }
}

/* The time that a long list takes grows with its length alone. */
static void long_lists(void **state)
{
    apr_array_header_t *names = apr_array_make(*state, 1, sizeof(const char *));
    const char *list = "";
    for (int i = 0; i < 26 * 26; i++) {
        list = apr_psprintf(*state, "%sAnq%c Leq%c, ", list, 'a' + i / 26, 'a' + i % 26);
    }
    tmpl_people_read(names, list, TMPL_NAMES_WHOLE);
    assert_int_equal(names->nelts, 64);
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

static const struct CMUnitTest tests[] = { CHECK(people), CHECK(people_of_languages),
                                           CHECK(single_words), CHECK(long_lists),
                                           CHECK(begins_of_bylines) };

TAP_MAIN(tests)
