/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that people write: with a unit, or with a decimal point. strtod() and printf() follow the
 * locale, which other modules in the process may set: in many locales they use a decimal comma.
 */
#ifndef TMPL_NUMBER_H
#define TMPL_NUMBER_H

#include <locale.h>
#include <stdint.h>

/*
 * A locale with a decimal point, made by the first call and kept. Any thread may call. Returns
 * (locale_t)0 if there is no memory.
 */
locale_t tmpl_number_locale(void);

/* strtod() with a decimal point in every locale. */
double tmpl_number(const char *text, char **end);

/* A unit that may follow a number, in any case, and the factor that the unit means. */
typedef struct {
    const char *text; /* NULL: the list ends */
    int64_t factor;
} tmpl_unit_t;

extern const tmpl_unit_t tmpl_units_none[];
extern const tmpl_unit_t tmpl_units_bytes[]; /* K, M, G, or nothing */

/* Whether text is decimal digits and one of the units: no sign, no blank, no fraction. */
int tmpl_number_with(int64_t *number, const char *text, const tmpl_unit_t *units);

/* The same for a number from least to most, two texts of the same form. */
int tmpl_number_between(int64_t *number, const char *text, const tmpl_unit_t *units,
                        const char *least, const char *most);

#endif
