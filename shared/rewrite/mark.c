/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/rewrite.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include <xxhash.h>

#include "base/ascii.h"

static const char comment_begin[] = "<!--", comment_end[] = "-->", own_prefix[] = "data-";

#define LONGEST 100 /* bytes of a mark of the operator's own */

static const tmpl_mark_t presets[] = {
#define TMPL_MARK_ROW(name, attribute, value, elements, against, begin, end, readers)              \
    { name, attribute, value, elements, against, begin, end, readers },
    TMPL_MARKS(TMPL_MARK_ROW)
#undef TMPL_MARK_ROW
};

/* The first row of the table. */
const tmpl_marks_t tmpl_marks_default = {
    .marks = { &presets[0] },
    .n = 1,
    .id = "",
    .texts = { " data-tmpl=\"\"", "<!--/tmpl-->", "<!--tmpl-->" },
};

static const tmpl_mark_t *preset_of(const char *name)
{
    for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
        if (apr_cstr_casecmp(name, presets[i].name) == 0) {
            return &presets[i];
        }
    }
    return NULL;
}

/* The length of the run of bytes at text that may stand in a name, or in a value. */
static size_t length_of(const char *text, const char *more)
{
    size_t len = 0;
    while (tmpl_is_alpha(text[len]) || tmpl_is_digit(text[len]) ||
           (text[len] != '\0' && strchr(more, text[len]) != NULL)) {
        len++;
    }
    return len;
}

/* data-NAME or data-NAME=VALUE */
static apr_status_t own_attribute(tmpl_mark_t *mark, tmpl_error_t *err, apr_pool_t *pool)
{
    const char *word = mark->name;
    size_t prefix = sizeof(own_prefix) - 1;
    size_t name = prefix + length_of(word + prefix, "-_.");
    const char *value = word[name] == '=' ? word + name + 1 : word + name;
    if (name == prefix || value[length_of(value, "-_.:")] != '\0') {
        return tmpl_fail(err, APR_EINVAL, "names have letters, digits and -_. only, values :, too");
    }
    mark->attribute = apr_pstrmemdup(pool, word, name);
    mark->value = value;
    return apr_cstr_casecmp(mark->attribute, "data-pagefind-body") != 0
               ? APR_SUCCESS
               : tmpl_fail(err, APR_EINVAL, "Pagefind would leave out every page without it");
}

/* What is behind the comment at text; NULL if parsers may differ about the comment's end. */
static const char *comment_at(const char *text)
{
    size_t begin = sizeof(comment_begin) - 1, end = sizeof(comment_end) - 1;
    if (strncmp(text, comment_begin, begin) != 0) {
        return NULL;
    }
    const char *name = text + begin;
    const char *dashes = strstr(name, "--");
    if (dashes == NULL || dashes == name || *name == '-' || *name == '>' || *name == '[' ||
        strncmp(dashes, comment_end, end) != 0) {
        return NULL;
    }
    for (const char *p = name; p < dashes; p++) {
        if (*p < ' ' || *p > '~') {
            return NULL;
        }
    }
    return dashes + end;
}

/* <!--BEGIN--><!--END--> */
static apr_status_t own_comments(tmpl_mark_t *mark, tmpl_error_t *err, apr_pool_t *pool)
{
    const char *word = mark->name;
    const char *second = comment_at(word);
    const char *behind = second != NULL ? comment_at(second) : NULL;
    if (behind == NULL || *behind != '\0') {
        return tmpl_fail(err, APR_EINVAL, "not two comments, without -- and [ in them");
    }
    mark->begin = apr_pstrmemdup(pool, word, (apr_size_t)(second - word));
    mark->end = second;
    return apr_cstr_casecmp(mark->begin, second) != 0
               ? APR_SUCCESS
               : tmpl_fail(err, APR_EINVAL, "both comments are the same");
}

/* Reads a mark of the operator's own. Sets *found even if the mark is not valid. */
static apr_status_t own_mark(const tmpl_mark_t **found, const char *word, tmpl_error_t *err,
                             apr_pool_t *pool)
{
    tmpl_mark_t *mark = apr_palloc(pool, sizeof(*mark));
    *mark = (tmpl_mark_t){ apr_pstrdup(pool, word), "", "", "", "", "", "", "" };
    *found = mark;
    if (strlen(word) > LONGEST) {
        return tmpl_fail(err, APR_EINVAL, "longer than %d bytes", LONGEST);
    }
    if (apr_cstr_casecmpn(word, own_prefix, sizeof(own_prefix) - 1) == 0) {
        return own_attribute(mark, err, pool);
    }
    if (strncmp(word, comment_begin, sizeof(comment_begin) - 1) == 0) {
        return own_comments(mark, err, pool);
    }
    return tmpl_fail(err, APR_EINVAL, "no such mark");
}

/* A hash of the names, because entity tags may not hold all bytes of names. */
static const char *id_of(const tmpl_marks_t *marks, apr_pool_t *pool)
{
    const char *names = "";
    for (uint32_t i = 0; i < marks->n; i++) {
        names = apr_pstrcat(pool, names, marks->marks[i]->name, "\n", NULL);
    }
    if (marks->n == 1 && marks->marks[0] == tmpl_marks_default.marks[0]) {
        return "";
    }
    return apr_psprintf(pool, "-%08x", (unsigned)XXH3_64bits(names, strlen(names)));
}

apr_status_t tmpl_marks_add(tmpl_marks_t **marks, const char *word, tmpl_error_t *err,
                            apr_pool_t *pool)
{
    const tmpl_mark_t *mark = preset_of(word);
    apr_status_t status = mark != NULL ? APR_SUCCESS : own_mark(&mark, word, err, pool);
    tmpl_marks_t *list = *marks != NULL ? *marks : apr_pcalloc(pool, sizeof(*list));
    if (status != APR_SUCCESS) {
        return status;
    }
    if (list->n == TMPL_MARKS_MOST) {
        return tmpl_fail(err, APR_EINVAL, "more than %d marks", TMPL_MARKS_MOST);
    }
    for (uint32_t i = 0; i < list->n; i++) {
        if (apr_cstr_casecmp(list->marks[i]->attribute, mark->attribute) == 0 &&
            apr_cstr_casecmp(list->marks[i]->begin, mark->begin) == 0) {
            return tmpl_fail(err, APR_EINVAL, "it is named twice");
        }
    }
    const char **texts = &list->texts[3 * list->n];
    texts[0] = apr_psprintf(pool, " %s=\"%s\"", mark->attribute, mark->value);
    texts[1] = mark->end;
    texts[2] = mark->begin;
    list->marks[list->n++] = mark;
    list->id = id_of(list, pool);
    *marks = list;
    return APR_SUCCESS;
}

int tmpl_mark_names_parts(const tmpl_mark_t *mark)
{
    return strcmp(mark->name, "parts") == 0;
}

int tmpl_marks_need_comments(const tmpl_marks_t *marks)
{
    for (uint32_t i = 0; i < marks->n; i++) {
        if (marks->marks[i]->attribute[0] == '\0') {
            return 1;
        }
    }
    return 0;
}
