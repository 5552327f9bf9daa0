/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <pthread.h>
#include <stdlib.h>

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
