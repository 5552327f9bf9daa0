/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/ascii.h"

const tmpl_unit_t tmpl_units_none[] = { { "", 1 }, { NULL, 0 } };
const tmpl_unit_t tmpl_units_bytes[] = {
    { "", 1 }, { "k", 1 << 10 }, { "m", 1 << 20 }, { "g", 1 << 30 }, { NULL, 0 }
};

static pthread_once_t plain_once = PTHREAD_ONCE_INIT;
static locale_t plain;

static void plain_make(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t tmpl_number_locale(void)
{
    pthread_once(&plain_once, plain_make);
    return plain;
}

double tmpl_number(const char *text, char **end)
{
    locale_t locale = tmpl_number_locale();
    return locale != (locale_t)0 ? strtod_l(text, end, locale) : strtod(text, end);
}

int tmpl_number_with(int64_t *number, const char *text, const tmpl_unit_t *units)
{
    char *unit;
    errno = 0;
    int64_t n = apr_strtoi64(text, &unit, 10);
    if (!tmpl_is_digit(text[0]) || errno != 0) {
        return 0;
    }
    while (units->text != NULL && apr_cstr_casecmp(unit, units->text) != 0) {
        units++;
    }
    return units->text != NULL && !__builtin_mul_overflow(n, units->factor, number);
}

int tmpl_number_between(int64_t *number, const char *text, const tmpl_unit_t *units,
                        const char *least, const char *most)
{
    int64_t from, to;
    return tmpl_number_with(number, text, units) && tmpl_number_with(&from, least, units) &&
           *number >= from && tmpl_number_with(&to, most, units) && *number <= to;
}
