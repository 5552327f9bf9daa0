/* SPDX-License-Identifier: Apache-2.0 */
#include "html/tag_set.h"

#include <string.h>

const tmpl_tag_set_t tmpl_separators_default = { .has = {
                                                     [TMPL_TAG_TABLE] = 1,
                                                     [TMPL_TAG_DIV] = 1,
                                                     [TMPL_TAG_SECTION] = 1,
                                                     [TMPL_TAG_ARTICLE] = 1,
                                                     [TMPL_TAG_NAV] = 1,
                                                     [TMPL_TAG_HEADER] = 1,
                                                     [TMPL_TAG_FOOTER] = 1,
                                                     [TMPL_TAG_ASIDE] = 1,
                                                     [TMPL_TAG_MAIN] = 1,
                                                     [TMPL_TAG_FORM] = 1,
                                                     [TMPL_TAG_UL] = 1,
                                                     [TMPL_TAG_OL] = 1,
                                                     [TMPL_TAG_DL] = 1,
                                                 } };

const tmpl_tag_set_t
    tmpl_separators_leaf = { .has = {
                                 [TMPL_TAG_ADDRESS] = 1,    [TMPL_TAG_ARTICLE] = 1,
                                 [TMPL_TAG_ASIDE] = 1,      [TMPL_TAG_BLOCKQUOTE] = 1,
                                 [TMPL_TAG_BODY] = 1,       [TMPL_TAG_BR] = 1,
                                 [TMPL_TAG_CAPTION] = 1,    [TMPL_TAG_CENTER] = 1,
                                 [TMPL_TAG_DD] = 1,         [TMPL_TAG_DETAILS] = 1,
                                 [TMPL_TAG_DIALOG] = 1,     [TMPL_TAG_DIR] = 1,
                                 [TMPL_TAG_DIV] = 1,        [TMPL_TAG_DL] = 1,
                                 [TMPL_TAG_DT] = 1,         [TMPL_TAG_FIELDSET] = 1,
                                 [TMPL_TAG_FIGCAPTION] = 1, [TMPL_TAG_FIGURE] = 1,
                                 [TMPL_TAG_FOOTER] = 1,     [TMPL_TAG_FORM] = 1,
                                 [TMPL_TAG_H1] = 1,         [TMPL_TAG_H2] = 1,
                                 [TMPL_TAG_H3] = 1,         [TMPL_TAG_H4] = 1,
                                 [TMPL_TAG_H5] = 1,         [TMPL_TAG_H6] = 1,
                                 [TMPL_TAG_HEADER] = 1,     [TMPL_TAG_HGROUP] = 1,
                                 [TMPL_TAG_HR] = 1,         [TMPL_TAG_LEGEND] = 1,
                                 [TMPL_TAG_LI] = 1,         [TMPL_TAG_LISTING] = 1,
                                 [TMPL_TAG_MAIN] = 1,       [TMPL_TAG_MENU] = 1,
                                 [TMPL_TAG_NAV] = 1,        [TMPL_TAG_OL] = 1,
                                 [TMPL_TAG_P] = 1,          [TMPL_TAG_PRE] = 1,
                                 [TMPL_TAG_SEARCH] = 1,     [TMPL_TAG_SECTION] = 1,
                                 [TMPL_TAG_SUMMARY] = 1,    [TMPL_TAG_TABLE] = 1,
                                 [TMPL_TAG_TBODY] = 1,      [TMPL_TAG_TD] = 1,
                                 [TMPL_TAG_TFOOT] = 1,      [TMPL_TAG_TH] = 1,
                                 [TMPL_TAG_THEAD] = 1,      [TMPL_TAG_TR] = 1,
                                 [TMPL_TAG_UL] = 1,
                             } };

apr_status_t tmpl_tag_set_add(tmpl_tag_set_t *set, const char *words, tmpl_error_t *err)
{
    while (*words != '\0') {
        apr_size_t len = strcspn(words, " \t\r\n");
        if (len > 0) {
            tmpl_tag_e tag = tmpl_tag_find(words, len);
            if (tag == TMPL_TAG_OTHER) {
                return tmpl_fail(err, APR_EINVAL, "'%.*s' is not the name of an HTML element",
                                 (int)len, words);
            }
            set->has[tag] = 1;
        }
        words += len + (words[len] != '\0');
    }
    return APR_SUCCESS;
}
