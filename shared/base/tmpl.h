/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all of libtmpl shares: byte spans, errors, and the table of reasons to pass a page
 * untouched.
 *
 * libtmpl turns an HTML page and what is known about its site into a list of edits. Data and
 * includes go one way (tests/project/structure.t):
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

#define TMPL_VERSION "1.0.0"

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
 * Ends the process as the pool does without memory, by its abort function, or by abort(): for
 * memory that is not from the pool.
 */
void tmpl_no_memory(apr_pool_t *pool) __attribute__((noreturn));

/*
 * X(id, name, explanation, advice): reasons to pass a page untouched. Logs, response fields,
 * counters and docs/troubleshooting.md show the name; advice says what to do.
 */
#define TMPL_DECLINES(X)                                                                           \
    X(NONE, "none", "not declined", "")                                                            \
    /* found by the module, before the body is parsed */                                           \
    X(SUBREQUEST, "subrequest", "the response is part of another page (a subrequest, as SSI)",     \
      "nothing: the page that it is part of is judged")                                            \
    X(STATUS, "status", "the status is not 200",                                                   \
      "nothing, unless pages of status 200 were expected")                                         \
    X(RANGE, "range", "the response is a part of a page (Content-Range)",                          \
      "nothing: a part of a page cannot be judged")                                                \
    X(TYPE, "type", "the response is not text/html",                                               \
      "nothing, unless the backend sends HTML under another type")                                 \
    X(ENCODING, "encoding", "the Content-Encoding cannot be decoded here",                         \
      "let the backend send gzip or no encoding, which mod_tmpl asks for")                         \
    X(NO_TRANSFORM, "no-transform", "Cache-Control: no-transform",                                 \
      "nothing: the backend forbids it")                                                           \
    X(ATTACHMENT, "attachment", "Content-Disposition: attachment", "nothing: it is a download")    \
    X(BACKEND, "backend",                                                                          \
      "the backend's Tmpl-Control says off, or no-tmpl is set for the request",                    \
      "nothing: the backend, or the configuration, asked for it")                                  \
    X(FRAGMENT, "fragment", "a script asked for it (HX-Request, Sec-Fetch-Dest: empty ...)",       \
      "nothing; if the answer is a page all the same, set tmpl-judge for the request")             \
    X(TOO_LARGE, "too-large",                                                                      \
      "the body is larger than TmplMaxBody, or than 1,032 times its compressed bytes",             \
      "raise TmplMaxBody")                                                                         \
    X(SLOW, "slow", "the body did not end within TmplMaxWait",                                     \
      "raise TmplMaxWait, or speed up the backend")                                                \
    X(INFLATE, "inflate", "the compressed body is cut short or damaged, or has a second member",   \
      "look at the backend, which sends damaged gzip, br or zstd")                                 \
    X(BROKEN, "broken", "the backend closed the connection within the body",                       \
      "look at the log of the backend")                                                            \
    /* found by the parser */                                                                      \
    X(EMPTY, "empty", "the body holds no text and no image",                                       \
      "nothing: a page that a script writes in the browser has no text")                           \
    X(CHARSET, "charset", "the charset is not a superset of ASCII (UTF-16, UTF-7, ISO-2022, HZ)",  \
      "let the backend send UTF-8")                                                                \
    X(FRAMESET, "frameset", "the page is a frameset",                                              \
      "nothing: the pages in its frames are judged")                                               \
    X(PLAINTEXT, "plaintext", "a plaintext element makes the rest of the page plain text",         \
      "nothing; if the page is yours, remove the element")                                         \
    X(TOO_DEEP, "too-deep", "elements nest deeper than the limit",                                 \
      "look for elements that are never closed; the limit is fixed")                               \
    X(TOO_MANY, "too-many", "more elements than the limit", "nothing: the limit is fixed")         \
    /* found later */                                                                              \
    X(STORE, "store", "the store did not answer, or not in time",                                  \
      "look for T011 and T015 in the error log: path, rights, disk, address or password are "      \
      "wrong")                                                                                     \
    X(MIN_KEEP, "min-keep", "less than TmplMinKeep of the page's text is content",                 \
      "name the content with TmplKeep, or lower TmplMinKeep")                                      \
    X(MIN_CONFIDENCE, "min-confidence", "the page's confidence is below TmplMinConfidence",        \
      "lower TmplMinConfidence; TmplKeep and TmplDrop do not change it")                           \
    X(XPATH, "xpath", "an XPath of TmplKeep or TmplDrop takes too many steps for the page",        \
      "compare attributes; avoid //, .. and other axes behind a step")                             \
    X(MARKDOWN, "markdown", "it would be more than three times as long as the page",               \
      "nothing: it has very many short links and a long address")

typedef enum {
#define TMPL_DECLINE_ID(id, name, explanation, advice) TMPL_DECLINE_##id,
    TMPL_DECLINES(TMPL_DECLINE_ID)
#undef TMPL_DECLINE_ID
        TMPL_DECLINE_COUNT
} tmpl_decline_e;

/* The reason's name; "unknown" for a value out of range. */
const char *tmpl_decline_name(tmpl_decline_e reason);

/* One line that explains the reason to an operator. */
const char *tmpl_decline_text(tmpl_decline_e reason);

/* What an operator can do about it, in one line; empty for NONE. */
const char *tmpl_decline_advice(tmpl_decline_e reason);

/* --- where a byte of a page's source is, for people --- */

/* Bytes of a tag that are shown at most. */
#define TMPL_PLACE_TAG 80

typedef struct {
    uint32_t line;   /* from 1 */
    tmpl_span_t tag; /* from the byte up to the end of its tag, TMPL_PLACE_TAG bytes at most */
} tmpl_place_t;

/* The place of offset at < len of src. Reads all of src before it. */
tmpl_place_t tmpl_place(const char *src, uint32_t len, uint32_t at);

#endif
