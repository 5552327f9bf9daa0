/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model's text as lines of words and numbers, divided by blanks. Lines that begin with # are comments.
 * Whatever does not read as it should is an error that names the file and the line.
 */
#ifndef TMPL_LINES_H
#define TMPL_LINES_H

#include "base/tmpl.h"

#define TMPL_LINE_MOST 256 /* bytes of a line */

/* The text of a model. */
typedef struct {
    const char *name; /* of its file, for messages */
    const char *bytes;
    apr_size_t len;
} tmpl_model_text_t;

/*
 * Reads a file of at most TMPL_MODEL_MOST bytes; name and bytes are from pool. The error of the file, or
 * APR_EINVAL if it is longer, or is no file.
 */
apr_status_t tmpl_model_text_read(tmpl_model_text_t *text, const char *path, tmpl_error_t *err,
                                  apr_pool_t *pool);

#define TMPL_MODEL_MOST (16 * 1024 * 1024)

/* A text while it is read. Set name, at, end and err to begin; the rest to 0. */
typedef struct {
    const char *name; /* of the file, for messages */
    const char *at;   /* what is still to be read: [at, end) */
    const char *end;
    tmpl_error_t *err; /* may be NULL */
    unsigned line;     /* its number, from 1 */
    char text[TMPL_LINE_MOST];
    char *next; /* what is still to be read of text */
} tmpl_lines_t;

/*
 * Each returns APR_SUCCESS, or APR_EINVAL once it has filled err. All but the first two read on in the
 * line that tmpl_lines_next has come to.
 */

/* Says what is wrong in this line, or with the word behind it, and returns APR_EINVAL. */
apr_status_t tmpl_lines_bad(const tmpl_lines_t *lines, const char *what, const char *word);

/* Goes to the next line that is no comment. */
apr_status_t tmpl_lines_next(tmpl_lines_t *lines);

/* The line goes on with this word. */
apr_status_t tmpl_lines_expect(tmpl_lines_t *lines, const char *word);

/* The next word of the line, in place: it lives as long as the line. "" at its end. */
const char *tmpl_lines_word(tmpl_lines_t *lines);

/* A number of least to most; what names it in messages. */
apr_status_t tmpl_lines_number(double *number, tmpl_lines_t *lines, const char *what, double least,
                               double most);
apr_status_t tmpl_lines_count(uint32_t *count, tmpl_lines_t *lines, const char *what,
                              uint32_t least, uint32_t most);

/* There is no more on this line. */
apr_status_t tmpl_lines_end(tmpl_lines_t *lines);

/* There is no line behind this one. */
apr_status_t tmpl_lines_over(tmpl_lines_t *lines);

#endif
