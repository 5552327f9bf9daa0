/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of one block with its formats, links and images, first collected and then written as
 * Markdown or HTML. White space is collapsed as in a browser, and stands outside of formats.
 *
 * While it is collected, bytes below a space stand for marks: the text of a tree has none.
 */
#ifndef TMPL_LEAF_H
#define TMPL_LEAF_H

#include "markdown/href.h"

/* X(id, Markdown's mark, HTML's element): formats that may be open, each once. */
#define TMPL_FORMATS(X)                                                                            \
    X(STRONG, "**", "strong")                                                                      \
    X(EM, "_", "em")                                                                               \
    X(STAR, "*", "em") /* em within a word */                                                      \
    X(DEL, "~~", "del")                                                                            \
    X(SUP, NULL, "sup")                                                                            \
    X(SUB, NULL, "sub")                                                                            \
    X(LINK, "[", "a")                                                                              \
    X(CODE, "`", "code")

typedef enum {
#define TMPL_FORMAT_ID(id, mark, element) TMPL_FORMAT_##id,
    TMPL_FORMATS(TMPL_FORMAT_ID)
#undef TMPL_FORMAT_ID
        TMPL_FORMAT_COUNT
} tmpl_format_e;

/* Marks: a format's begin and end, and those without a partner. */
#define TMPL_MARK(format)     ((char)(1 + 2 * (format)))
#define TMPL_MARK_END(format) ((char)(2 + 2 * (format)))
#define TMPL_MARK_NONE        ((char)0)    /* a mark that was dropped */
#define TMPL_MARK_IMAGE       ((char)0x1A) /* its text, TMPL_MARK_TO, address, TMPL_MARK_STOP */
#define TMPL_MARK_TO          ((char)0x1C)
#define TMPL_MARK_STOP        ((char)0x1D) /* ends what follows the end of a link: its address */
#define TMPL_MARK_BREAK       ((char)0x1E)

typedef struct {
    tmpl_buf_t text;
    const tmpl_hrefs_t *hrefs;
    const char *href;                         /* of the open link */
    tmpl_format_e formats[TMPL_FORMAT_COUNT]; /* open around the text, outermost first; not CODE */
    uint32_t n;
    uint32_t written;                   /* of these, whose marks are in text */
    uint32_t nested[TMPL_FORMAT_COUNT]; /* how many elements of a format are open */
    int code;                           /* the mark of CODE is in text */
    int emphasis;                       /* a mark of STRONG, EM or DEL is in text */
    int space;                          /* white space was seen since the last character */
} tmpl_leaf_t;

void tmpl_leaf_init(tmpl_leaf_t *leaf, const tmpl_hrefs_t *hrefs, apr_pool_t *pool);

/* An element that formats begins or ends; href is the safe address of a LINK (href.h). */
void tmpl_leaf_open(tmpl_leaf_t *leaf, tmpl_format_e format, const char *href);
void tmpl_leaf_close(tmpl_leaf_t *leaf, tmpl_format_e format);

/* Adds text in UTF-8. */
void tmpl_leaf_text(tmpl_leaf_t *leaf, const char *text);

/* A boundary of words. */
static inline void tmpl_leaf_space(tmpl_leaf_t *leaf)
{
    leaf->space = 1;
}

/* Ends a line, unless the text has not begun. */
void tmpl_leaf_break(tmpl_leaf_t *leaf);

/* Adds an image with its alternative text and its address, which must be safe (href.h). */
void tmpl_leaf_image(tmpl_leaf_t *leaf, const char *alt, const char *src);

/* Whether there is anything to write. */
static inline int tmpl_leaf_is_empty(const tmpl_leaf_t *leaf)
{
    return leaf->text.len == 0;
}

/*
 * Ends the text: closes its formats, which stay open for the next one, and drops those that
 * Markdown could not read. Then text is ready for write.h, which empties it.
 */
void tmpl_leaf_finish(tmpl_leaf_t *leaf);

#endif
