/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/lead_in.h"

#include <string.h>

#include <apr_cstr.h>

#include "base/ascii.h"
#include "base/chars.h"

/* A block of so many words that are no links is text. */
#define TEXT_WORDS 8

/* The offset behind the address of the mark at i. */
static apr_size_t behind_address(const tmpl_leaf_t *leaf, apr_size_t i)
{
    const char *stop = memchr(leaf->text.at + i, TMPL_MARK_STOP, leaf->text.len - i);
    return stop != NULL ? (apr_size_t)(stop - leaf->text.at) + 1 : leaf->text.len;
}

/* The length of the word at text; *says: whether it says that the block is more than a tail. */
static apr_size_t read_word(const char *text, int *says)
{
    static const char *const currencies[] = { "$", "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5" };
    apr_size_t len = 0, digits = 0;
    while (tmpl_is_word_byte(text[len])) {
        digits += tmpl_is_digit(text[len]) ? 1 : 0;
        len++;
    }
    int is_by = len == 2 && apr_cstr_casecmpn(text, "by", 2) == 0;
    *says |= is_by || (digits == len && digits == 4);
    for (unsigned i = 0; i < sizeof(currencies) / sizeof(currencies[0]); i++) {
        *says |= strncmp(text, currencies[i], strlen(currencies[i])) == 0;
    }
    return len > 0 ? len : 1;
}

int tmpl_lead_in_is_tail(const tmpl_leaf_t *leaf)
{
    const char *text = leaf->text.at;
    int words = 0, says = 0, in_link = 0;
    if (strstr(text, "\xC2\xA9") != NULL) {
        return 1;
    }
    for (apr_size_t i = 0; i < leaf->text.len && words < TEXT_WORDS;) {
        if (text[i] == TMPL_MARK_IMAGE) {
            says |= !in_link && text[i + 1] != TMPL_MARK_TO;
            i = behind_address(leaf, i);
        }
        else if (text[i] == TMPL_MARK_END(TMPL_FORMAT_LINK)) {
            in_link = 0;
            i = behind_address(leaf, i);
        }
        else if (text[i] == TMPL_MARK(TMPL_FORMAT_LINK) || in_link) {
            in_link = 1;
            i++;
        }
        else {
            words += tmpl_is_word_byte(text[i]) ? 1 : 0;
            i += read_word(text + i, &says);
        }
    }
    return words < TEXT_WORDS && !says;
}
