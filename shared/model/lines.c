/* SPDX-License-Identifier: Apache-2.0 */
#include "model/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_md5.h>
#include <apr_strings.h>

#include "base/number.h"

apr_status_t tmpl_model_text_read(tmpl_model_text_t *text, const char *path, tmpl_error_t *err,
                                  apr_pool_t *pool)
{
    char why[120];
    apr_file_t *file;
    apr_finfo_t info;
    char *bytes = NULL;
    /* before opening it: opening a FIFO waits for a writer */
    apr_status_t status = apr_stat(&info, path, APR_FINFO_SIZE | APR_FINFO_TYPE, pool);
    if (status == APR_SUCCESS && (info.filetype != APR_REG || info.size > TMPL_MODEL_MOST)) {
        return tmpl_fail(err, APR_EINVAL, "%s: no file, or one of more than %d bytes", path,
                         TMPL_MODEL_MOST);
    }
    if (status == APR_SUCCESS) {
        status = apr_file_open(&file, path, APR_FOPEN_READ, 0, pool);
    }
    if (status == APR_SUCCESS) {
        bytes = apr_palloc(pool, (apr_size_t)info.size + 1);
        status = apr_file_read_full(file, bytes, (apr_size_t)info.size, &text->len);
        apr_file_close(file);
    }
    if (status != APR_SUCCESS && !APR_STATUS_IS_EOF(status)) {
        return tmpl_fail(err, status, "%s: %s", path, apr_strerror(status, why, sizeof(why)));
    }
    text->name = apr_pstrdup(pool, path);
    text->bytes = bytes;
    return APR_SUCCESS;
}

uint64_t tmpl_model_text_id(const tmpl_model_text_t *text)
{
    unsigned char digest[APR_MD5_DIGESTSIZE];
    uint64_t id = 0;
    apr_md5(digest, text->bytes, text->len);
    for (int i = 0; i < 8; i++) {
        id = id << 8 | digest[i];
    }
    return id;
}

void tmpl_lines_bad(tmpl_lines_t *lines, const char *fmt, ...)
{
    char what[200];
    va_list args;
    if (lines->status == APR_SUCCESS) {
        va_start(args, fmt);
        apr_vsnprintf(what, sizeof(what), fmt, args);
        va_end(args);
        lines->status =
            tmpl_fail(lines->err, APR_EINVAL, "%s: line %u: %s", lines->name, lines->line, what);
    }
}

/* Copies the line at lines->at, of len bytes without its end, to lines->text. */
static void take_line(tmpl_lines_t *lines, apr_size_t len)
{
    apr_size_t shown = len > 0 && lines->at[len - 1] == '\r' ? len - 1 : len;
    if (shown >= TMPL_LINE_MOST || memchr(lines->at, '\0', len) != NULL) {
        tmpl_lines_bad(lines, "longer than 255 bytes, or with a byte 0 in it");
        return;
    }
    memcpy(lines->text, lines->at, shown);
    lines->text[shown] = '\0';
    lines->next = lines->text;
}

void tmpl_lines_next(tmpl_lines_t *lines)
{
    for (int is_comment = 1; is_comment && lines->status == APR_SUCCESS;) {
        lines->line++;
        const char *newline = memchr(lines->at, '\n', (apr_size_t)(lines->end - lines->at));
        if (newline == NULL) {
            tmpl_lines_bad(lines, lines->at == lines->end
                                      ? "the end of the file, before that of the model"
                                      : "the end of the file, in the middle of a line");
            return;
        }
        is_comment = *lines->at == '#';
        if (!is_comment) {
            take_line(lines, (apr_size_t)(newline - lines->at));
        }
        lines->at = newline + 1;
    }
}

const char *tmpl_lines_word(tmpl_lines_t *lines)
{
    if (lines->status != APR_SUCCESS) {
        return "";
    }
    char *word = lines->next + strspn(lines->next, " ");
    char *end = word + strcspn(word, " ");
    lines->next = *end == '\0' ? end : end + 1;
    *end = '\0';
    return word;
}

void tmpl_lines_expect(tmpl_lines_t *lines, const char *word)
{
    const char *found = tmpl_lines_word(lines);
    if (strcmp(found, word) != 0) {
        tmpl_lines_bad(lines, "\"%s\" is expected, not \"%.40s\"", word, found);
    }
}

double tmpl_lines_number(tmpl_lines_t *lines, const char *what, double least, double most)
{
    char range[60];
    char *end;
    const char *word = tmpl_lines_word(lines);
    double number = tmpl_number(word, &end);
    if (end != word && *end == '\0' && number >= least && number <= most) {
        return number;
    }
    snprintf(range, sizeof(range), "%g to %g", least, most);
    tmpl_lines_bad(lines, "%s is not a number of %s: %.40s", what, range, word);
    return least;
}

uint32_t tmpl_lines_count(tmpl_lines_t *lines, const char *what, uint32_t least, uint32_t most)
{
    const char *word = tmpl_lines_word(lines);
    int64_t number = 0;
    if (tmpl_number_with(&number, word, tmpl_units_none) && number >= least && number <= most) {
        return (uint32_t)number;
    }
    tmpl_lines_bad(lines, "%s is not a whole number of %u to %u: %.40s", what, least, most, word);
    return least;
}

void tmpl_lines_end(tmpl_lines_t *lines)
{
    const char *word = tmpl_lines_word(lines);
    if (*word != '\0') {
        tmpl_lines_bad(lines, "too long: %s", word);
    }
}

void tmpl_lines_over(tmpl_lines_t *lines)
{
    if (lines->at != lines->end) {
        lines->line++;
        tmpl_lines_bad(lines, "goes on behind the end of the model");
    }
}
