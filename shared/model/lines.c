/* SPDX-License-Identifier: Apache-2.0 */
#include "model/lines.h"

#include <stdio.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_lib.h>
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

apr_status_t tmpl_lines_bad(const tmpl_lines_t *lines, const char *what, const char *word)
{
    return tmpl_fail(lines->err, APR_EINVAL, "%s: line %u: %s%s", lines->name, lines->line, what,
                     word);
}

/* Copies the line at lines->at, of len bytes without its end, to lines->text. */
static apr_status_t take_line(tmpl_lines_t *lines, apr_size_t len)
{
    apr_size_t shown = len > 0 && lines->at[len - 1] == '\r' ? len - 1 : len;
    if (shown >= TMPL_LINE_MOST || memchr(lines->at, '\0', len) != NULL) {
        return tmpl_lines_bad(lines, "longer than 255 bytes, or with a byte 0 in it", "");
    }
    memcpy(lines->text, lines->at, shown);
    lines->text[shown] = '\0';
    lines->next = lines->text;
    return APR_SUCCESS;
}

apr_status_t tmpl_lines_next(tmpl_lines_t *lines)
{
    for (;;) {
        lines->line++;
        if (lines->at == lines->end) {
            return tmpl_lines_bad(lines, "the end of the file, before that of the model", "");
        }
        const char *newline = memchr(lines->at, '\n', (apr_size_t)(lines->end - lines->at));
        if (newline == NULL) {
            return tmpl_lines_bad(lines, "the end of the file, in the middle of a line", "");
        }
        apr_size_t len = (apr_size_t)(newline - lines->at);
        int comment = *lines->at == '#';
        apr_status_t status = comment ? APR_SUCCESS : take_line(lines, len);
        lines->at = newline + 1;
        if (!comment) {
            return status;
        }
    }
}

const char *tmpl_lines_word(tmpl_lines_t *lines)
{
    char *word = lines->next;
    while (*word == ' ') {
        word++;
    }
    char *end = word;
    while (*end != '\0' && *end != ' ') {
        end++;
    }
    lines->next = *end == '\0' ? end : end + 1;
    *end = '\0';
    return word;
}

apr_status_t tmpl_lines_expect(tmpl_lines_t *lines, const char *word)
{
    const char *found = tmpl_lines_word(lines);
    if (strcmp(found, word) != 0) {
        return tmpl_fail(lines->err, APR_EINVAL, "%s: line %u: \"%s\" is expected, not \"%.40s\"",
                         lines->name, lines->line, word, found);
    }
    return APR_SUCCESS;
}

apr_status_t tmpl_lines_number(double *number, tmpl_lines_t *lines, const char *what, double least,
                               double most)
{
    char range[60];
    char *end;
    const char *word = tmpl_lines_word(lines);
    *number = tmpl_number(word, &end);
    if (end == word || *end != '\0' || !(*number >= least && *number <= most)) {
        snprintf(range, sizeof(range), " is not a number of %g to %g: ", least, most);
        return tmpl_fail(lines->err, APR_EINVAL, "%s: line %u: %s%s%.40s", lines->name, lines->line,
                         what, range, word);
    }
    return APR_SUCCESS;
}

apr_status_t tmpl_lines_count(uint32_t *count, tmpl_lines_t *lines, const char *what,
                              uint32_t least, uint32_t most)
{
    const char *word = tmpl_lines_word(lines);
    const char *end = word;
    uint64_t number = 0;
    for (; apr_isdigit(*end) && number <= most; end++) {
        number = 10 * number + (uint64_t)(*end - '0');
    }
    if (end == word || *end != '\0' || number < least || number > most) {
        return tmpl_fail(lines->err, APR_EINVAL,
                         "%s: line %u: %s is not a whole number of %u to %u: %.40s", lines->name,
                         lines->line, what, least, most, word);
    }
    *count = (uint32_t)number;
    return APR_SUCCESS;
}

apr_status_t tmpl_lines_end(tmpl_lines_t *lines)
{
    const char *word = tmpl_lines_word(lines);
    return *word == '\0' ? APR_SUCCESS : tmpl_lines_bad(lines, "too long: ", word);
}

apr_status_t tmpl_lines_over(tmpl_lines_t *lines)
{
    if (lines->at == lines->end) {
        return APR_SUCCESS;
    }
    lines->line++;
    return tmpl_lines_bad(lines, "goes on behind the end of the model", "");
}
