/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all of libtmpl shares: byte spans, errors, and the table of reasons to pass a page
 * untouched.
 *
 * libtmpl turns an HTML page and what is known about its site into a list of edits. Data flows one
 * way, and so do includes (tests/project/structure.t):
 *
 *     bytes -> page -> keys, features -> counts -> verdicts -> cuts -> edits -> bytes
 *     html/    page/   text/ feature/    table/    detect/     cut/    rewrite/
 *                                                  model/
 *
 * clean.h runs the whole way, for the module and for tmplctl: read it first. Nothing in shared/
 * knows httpd. Memory comes from the APR pool that is the last argument of a function, unless its
 * comment says otherwise. Lengths are in bytes, times in microseconds (apr_interval_time_t).
 */
#ifndef TMPL_H
#define TMPL_H

#include <stdint.h>

#include <apr_errno.h>
#include <apr_pools.h>

#define TMPL_VERSION "0.1.0"

/* No index: the parent of the root, the block of an element. */
#define TMPL_NONE UINT32_MAX

/* Bytes [start, end) of the page's source. start == end: empty. */
typedef struct {
    uint32_t start;
    uint32_t end;
} tmpl_span_t;

static inline uint32_t tmpl_span_len(tmpl_span_t span)
{
    return span.end - span.start;
}

/*
 * An error with a message for people. A function fills it if and only if it returns something other
 * than APR_SUCCESS. The text names the object and, for invalid input, the valid range.
 */
typedef struct {
    apr_status_t status;
    char text[256];
} tmpl_error_t;

/*
 * Fills err, which may be NULL, and returns status: `return tmpl_fail(...)`. The format is APR's:
 * APR_SIZE_T_FMT and APR_UINT64_T_FMT instead of %zu and %llu.
 */
apr_status_t tmpl_fail(tmpl_error_t *err, apr_status_t status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * X(id, name, explanation): reasons to pass a page untouched. Logs, response fields, counters and
 * docs/declines.md show the name.
 */
#define TMPL_DECLINES(X)                                                                           \
    X(NONE, "none", "not declined")                                                                \
    /* found by the module, before the body is parsed */                                           \
    X(SUBREQUEST, "subrequest", "the response is part of another page (a subrequest, as SSI)")     \
    X(STATUS, "status", "the status is not 200")                                                   \
    X(RANGE, "range", "the response is a part of a page (Content-Range)")                          \
    X(TYPE, "type", "the response is not text/html")                                               \
    X(ENCODING, "encoding", "the Content-Encoding cannot be decoded here")                         \
    X(NO_TRANSFORM, "no-transform", "Cache-Control: no-transform")                                 \
    X(ATTACHMENT, "attachment", "Content-Disposition: attachment")                                 \
    X(TOO_LARGE, "too-large", "the body is larger than TmplMaxBody")                               \
    X(SLOW, "slow", "the body did not end within TmplMaxWait")                                     \
    X(INFLATE, "inflate", "the gzipped body is truncated or damaged, or has more than one member") \
    X(BROKEN, "broken", "the backend closed the connection within the body")                       \
    /* found by the parser */                                                                      \
    X(EMPTY, "empty", "the body holds no text and no image")                                       \
    X(CHARSET, "charset", "the charset is not a superset of ASCII (UTF-16, UTF-7, ISO-2022, HZ)")  \
    X(FRAMESET, "frameset", "the page is a frameset")                                              \
    X(PLAINTEXT, "plaintext", "a plaintext element makes the rest of the page plain text")         \
    X(TOO_DEEP, "too-deep", "elements nest deeper than the limit")                                 \
    X(TOO_MANY, "too-many", "more elements than the limit")                                        \
    /* found later */                                                                              \
    X(STORE, "store", "the store did not answer, or not in time")                                  \
    X(MIN_KEEP, "min-keep", "less than TmplMinKeep of the page's text is content")                 \
    X(MIN_CONFIDENCE, "min-confidence", "the page's confidence is below TmplMinConfidence")        \
    X(XPATH, "xpath", "an XPath of TmplKeep or TmplDrop takes too many steps for the page")        \
    X(MARKDOWN, "markdown", "its Markdown would be more than three times as long as the page")

typedef enum {
#define TMPL_DECLINE_ID(id, name, explanation) TMPL_DECLINE_##id,
    TMPL_DECLINES(TMPL_DECLINE_ID)
#undef TMPL_DECLINE_ID
        TMPL_DECLINE_COUNT
} tmpl_decline_e;

/* The reason's name; "unknown" for a value out of range. */
const char *tmpl_decline_name(tmpl_decline_e reason);

/* One line that explains the reason to an operator. */
const char *tmpl_decline_text(tmpl_decline_e reason);

#endif
