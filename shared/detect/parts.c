/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/parts.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/names.h"

static const char *const names[] = { TMPL_PARTS(TMPL_COLUMN_2) };

static const char separators[] = ", \t\r\n";

TMPL_ENUM_COLUMN(tmpl_part_name, tmpl_part_e, TMPL_PARTS, TMPL_COLUMN_2)

const char *tmpl_part_names(tmpl_part_set_t set, apr_pool_t *pool)
{
    const char *text = "";
    for (unsigned i = 0; i < TMPL_PART_COUNT; i++) {
        if (set & TMPL_PART_BIT(i)) {
            text = apr_pstrcat(pool, text, text[0] != '\0' ? " " : "", names[i], NULL);
        }
    }
    return text;
}

/* The set that a word names, behind its sign if it has one; 0: none. */
static tmpl_part_set_t set_of(const char *word, size_t len, int has_sign)
{
    if (len == strlen("all") && apr_cstr_casecmpn(word, "all", len) == 0) {
        return TMPL_PARTS_ALL;
    }
    int part = tmpl_names_find(names, TMPL_PART_COUNT, word, len);
    tmpl_part_set_t with = part == TMPL_PART_BODY && !has_sign ? TMPL_PART_BIT(TMPL_PART_LEAD) : 0;
    return part >= 0 ? TMPL_PART_BIT(part) | with : 0;
}

apr_status_t tmpl_parts_parse(tmpl_parts_t *parts, const char *text, tmpl_error_t *err)
{
    tmpl_parts_t said = { 0, 0 };
    int is_first = 1;
    int is_all = 0; /* the first word is all, which may be changed both ways */
    int is_change = 0;
    for (const char *word = text + strspn(text, separators); *word != '\0';
         word += strspn(word, separators), is_first = 0) {
        int len = (int)strcspn(word, separators);
        int has_sign = *word == '+' || *word == '-';
        tmpl_part_set_t set = set_of(word + has_sign, (size_t)(len - has_sign), has_sign);
        if (set == 0) {
            return tmpl_fail(err, APR_EINVAL, "there is no part \"%.*s\"", len, word);
        }
        if (set == TMPL_PART_BIT(TMPL_PART_TEMPLATE)) {
            return tmpl_fail(err, APR_EINVAL, "template always goes");
        }
        if (is_first) {
            is_all = !has_sign && set == TMPL_PARTS_ALL;
            is_change = has_sign;
            said.off = has_sign ? 0 : TMPL_PARTS_ALL;
        }
        if (has_sign != is_change && !(has_sign && (is_all || *word == '-'))) {
            return tmpl_fail(err, APR_EINVAL, "\"%.*s\" has %s + or - in front, unlike the first",
                             len, word, has_sign ? "a" : "no");
        }
        said =
            tmpl_parts_join(said, (tmpl_parts_t){ *word == '-' ? set : 0, *word == '-' ? 0 : set });
        word += len;
    }
    if (is_first) {
        return tmpl_fail(err, APR_EINVAL, "no part is named");
    }
    *parts = said;
    return APR_SUCCESS;
}
