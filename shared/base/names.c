/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include <string.h>

#include <apr_cstr.h>

int tmpl_names_find(const char *const *names, apr_size_t n, const char *word, apr_size_t len)
{
    for (apr_size_t i = 0; i < n; i++) {
        if (strlen(names[i]) == len && apr_cstr_casecmpn(word, names[i], len) == 0) {
            return (int)i;
        }
    }
    return -1;
}
