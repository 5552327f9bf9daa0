/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers with a decimal point. What httpd hosts may set a locale in which it is a comma, and strtod() and printf() would
 * then read and write what nobody has written and nobody can read.
 */
#ifndef TMPL_NUMBER_H
#define TMPL_NUMBER_H

#include <locale.h>

/*
 * The locale in which numbers have a point, made at the first call and kept; any thread may ask. (locale_t)0: there is
 * no memory.
 */
locale_t tmpl_number_locale(void);

/* As strtod(), with a decimal point in every locale. */
double tmpl_number(const char *text, char **end);

#endif
