/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of what is read and written in a locale with a decimal comma. */
#ifndef COMMA_H
#define COMMA_H

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Sets one, made in a directory that goes; the test fails if there is none to make. Until setlocale(LC_NUMERIC, "C"). */
static void use_comma(void)
{
    char dir[] = "/tmp/tmpl-locale-XXXXXX", command[200];
    assert_non_null(mkdtemp(dir));
    snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >&2", dir);
    int made = system(command);
    setenv("LOCPATH", dir, 1);
    const char *is = made == 0 ? setlocale(LC_NUMERIC, "de_DE.UTF-8") : NULL;
    unsetenv("LOCPATH");
    snprintf(command, sizeof(command), "rm -r %s", dir);
    assert_int_equal(system(command), 0);
    if (is == NULL) {
        fail_msg("no locale de_DE: is the package locales installed?");
    }
}

#endif
