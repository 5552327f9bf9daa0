/* SPDX-License-Identifier: Apache-2.0 */
/* For tests with a locale, which any module of a server may set. */
#ifndef LOCALES_H
#define LOCALES_H

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/*
 * Makes the locale of name ("de_DE") and charset ("UTF-8") in a temporary directory and sets it;
 * the test fails if the locale cannot be made. It stays set until setlocale(category, "C").
 */
static void use_locale(int category, const char *name, const char *charset)
{
    char dir[] = "/tmp/tmpl-locale-XXXXXX", made[100], command[300];
    assert_non_null(mkdtemp(dir));
    snprintf(made, sizeof(made), "%s.%s", name, charset);
    snprintf(command, sizeof(command), "localedef -i %s -f %s %s/%s >&2", name, charset, dir, made);
    int failed = system(command);
    setenv("LOCPATH", dir, 1);
    const char *is = failed ? NULL : setlocale(category, made);
    unsetenv("LOCPATH");
    snprintf(command, sizeof(command), "rm -r %s", dir);
    assert_int_equal(system(command), 0);
    if (is == NULL) {
        fail_msg("no locale %s: is the package locales installed?", made);
    }
}

/* Sets a locale whose decimal point is a comma; it stays until setlocale(LC_NUMERIC, "C"). */
static inline void use_comma(void)
{
    use_locale(LC_NUMERIC, "de_DE", "UTF-8");
}

#endif
