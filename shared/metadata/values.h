/* SPDX-License-Identifier: Apache-2.0 */
/* Values of metadata: what a field makes of a text that a place of the page says. */
#ifndef TMPL_VALUES_H
#define TMPL_VALUES_H

#include "metadata/metadata.h"

/* Adds to values (const char *) what the text is as a value of the field; nothing if it is none. */
void tmpl_values_add(apr_array_header_t *values, tmpl_metadata_e field, const char *text);

/* Whether values have a text, in any case. */
int tmpl_values_have(const apr_array_header_t *values, const char *text);

#endif
