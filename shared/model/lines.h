/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a model: lines of words and numbers, separated by blanks. Lines that begin with # are
 * comments. Errors name the file and the line.
 */
#ifndef TMPL_LINES_H
#define TMPL_LINES_H

#include "base/tmpl.h"

#define TMPL_LINE_MOST 256 /* bytes of a line */

/* The text of a model. */
typedef struct {
    const char *name; /* name of its file, for messages */
    const char *bytes;
    apr_size_t len;
} tmpl_model_text_t;

/*
 * Reads a file of at most TMPL_MODEL_MOST bytes; name and bytes are from pool. Returns the error of
 * the file, or APR_EINVAL if it is longer or not a regular file.
 */
apr_status_t tmpl_model_text_read(tmpl_model_text_t *text, const char *path, tmpl_error_t *err,
                                  apr_pool_t *pool);

#define TMPL_MODEL_MOST (16 * 1024 * 1024)

/* The first 64 bits of the text's MD5, which models/arrays computes, too. */
uint64_t tmpl_model_text_id(const tmpl_model_text_t *text);

/*
 * The state while a text is read. The caller sets name, at, end and err, and the rest to 0. After
 * the first error, which err gets, all functions do nothing, and give the least value.
 */
typedef struct {
    const char *name; /* name of the file, for messages */
    const char *at;   /* [at, end) is still to be read */
    const char *end;
    tmpl_error_t *err;   /* may be NULL */
    apr_status_t status; /* APR_EINVAL after an error */
    unsigned line;       /* the number of the line, from 1 */
    char text[TMPL_LINE_MOST];
    char *next; /* the rest of the line */
} tmpl_lines_t;

/* Reports what is wrong in this line. */
void tmpl_lines_bad(tmpl_lines_t *lines, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Advances to the next line that is not a comment: the functions below read it. */
void tmpl_lines_next(tmpl_lines_t *lines);

/* Expects this word next. */
void tmpl_lines_expect(tmpl_lines_t *lines, const char *word);

/* The next word of the line, valid until the next line; "" at its end. */
const char *tmpl_lines_word(tmpl_lines_t *lines);

/* A number from least to most; messages call it `what`. */
double tmpl_lines_number(tmpl_lines_t *lines, const char *what, double least, double most);
uint32_t tmpl_lines_count(tmpl_lines_t *lines, const char *what, uint32_t least, uint32_t most);

/* Expects the end of the line. */
void tmpl_lines_end(tmpl_lines_t *lines);

/* Expects the end of the text. */
void tmpl_lines_over(tmpl_lines_t *lines);

#endif
