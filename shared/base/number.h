/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers with a decimal point, read and written. strtod() and printf() follow the locale, which
 * other modules in the process may set, and would read and write a comma in many of them.
 */
#ifndef TMPL_NUMBER_H
#define TMPL_NUMBER_H

#include <locale.h>

/*
 * A locale with a decimal point, made by the first call and kept. Any thread may call. Returns
 * (locale_t)0 if there is no memory.
 */
locale_t tmpl_number_locale(void);

/* strtod() with a decimal point in every locale. */
double tmpl_number(const char *text, char **end);

#endif
