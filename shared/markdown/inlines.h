/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of one block with its formats, links and images, first collected and then written as
 * Markdown or HTML. White space is collapsed as in a browser, and stands outside of formats.
 *
 * While text is collected, bytes below a space stand for marks: the text of a tree has none.
 */
#ifndef TMPL_INLINES_H
#define TMPL_INLINES_H

#include "base/buf.h"
#include "content/href.h"

/* X(id, begin and end in Markdown, element in HTML): the formats. Each may be open once. */
#define TMPL_INLINE_FORMATS(X)                                                                     \
    X(STRONG, "**", "**", "strong")                                                                \
    X(EM, "_", "_", "em")                                                                          \
    X(STAR, "*", "*", "em") /* em within a word */                                                 \
    X(DEL, "~~", "~~", "del")                                                                      \
    X(SUP, "<sup>", "</sup>", "sup")                                                               \
    X(SUB, "<sub>", "</sub>", "sub")
#define TMPL_FORMATS(X)                                                                            \
    TMPL_INLINE_FORMATS(X)                                                                         \
    X(LINK, "[", "]", "a")                                                                         \
    X(CODE, "`", "`", "code")

typedef enum {
#define TMPL_FORMAT_ID(id, begin, end, element) TMPL_FORMAT_##id,
    TMPL_FORMATS(TMPL_FORMAT_ID)
#undef TMPL_FORMAT_ID
        TMPL_FORMAT_COUNT
} tmpl_format_e;

/* Marks: the start and end of a format, and marks that come alone. */
#define TMPL_MARK(format)     ((char)(1 + 2 * (format)))
#define TMPL_MARK_END(format) ((char)(2 + 2 * (format)))
#define TMPL_MARK_CODE        TMPL_MARK(TMPL_FORMAT_CODE)
#define TMPL_MARK_LINK        TMPL_MARK(TMPL_FORMAT_LINK)
#define TMPL_MARK_LINK_END    TMPL_MARK_END(TMPL_FORMAT_LINK)
#define TMPL_MARK_NONE        ((char)0)    /* a mark that was dropped */
#define TMPL_MARK_FORMULA     ((char)0x19) /* then TeX, TMPL_MARK_STOP */
#define TMPL_MARK_IMAGE       ((char)0x1A) /* then text, TMPL_MARK_TO, address, TMPL_MARK_STOP */
#define TMPL_MARK_NOTE        ((char)0x1B) /* then a footnote's number, TMPL_MARK_STOP */
#define TMPL_MARK_TO          ((char)0x1C)
#define TMPL_MARK_STOP        ((char)0x1D) /* ends an address; a link's is behind its end mark */
#define TMPL_MARK_BREAK       ((char)0x1E)

typedef struct {
    tmpl_buf_t text;
    tmpl_buf_t copy; /* temporary */
    const tmpl_hrefs_t *hrefs;
    const char *href;                         /* address of the open link */
    tmpl_format_e formats[TMPL_FORMAT_COUNT]; /* open formats, outermost first; without CODE */
    uint32_t n;
    uint32_t written;                   /* how many of formats have their marks in text */
    uint32_t nested[TMPL_FORMAT_COUNT]; /* how many elements of a format are open */
    int plain;                          /* no marks of STRONG are written, as in a heading */
    int code;                           /* the mark of CODE is in text */
    int emphasis;                       /* a mark of STRONG, EM or DEL is in text */
    int space;                          /* white space was seen since the last character */
} tmpl_inlines_t;

void tmpl_inlines_init(tmpl_inlines_t *inlines, const tmpl_hrefs_t *hrefs, apr_pool_t *pool);

/* Opens or closes a format at an element's start or end. href: a LINK's safe address (href.h). */
void tmpl_inlines_open(tmpl_inlines_t *inlines, tmpl_format_e format, const char *href);
void tmpl_inlines_close(tmpl_inlines_t *inlines, tmpl_format_e format);

/* Adds text in UTF-8; behind len bytes are a NUL, and TMPL_BYTES16 bytes that may be read. */
void tmpl_inlines_add(tmpl_inlines_t *inlines, const char *text, apr_size_t len);
void tmpl_inlines_text(tmpl_inlines_t *inlines, const char *text);

/* Adds a sign between spaces, in front of the open formats that have no text yet. */
void tmpl_inlines_divide(tmpl_inlines_t *inlines, const char *sign);

/* A boundary of words. */
static inline void tmpl_inlines_space(tmpl_inlines_t *inlines)
{
    inlines->space = 1;
}

/* Ends a line, unless the text has not begun. */
void tmpl_inlines_break(tmpl_inlines_t *inlines);

/* Adds an image with its alternative text and its address, which must be safe (href.h). */
void tmpl_inlines_image(tmpl_inlines_t *inlines, const char *alt, const char *src);

/* Adds a formula in TeX (content/element_kinds.h). */
void tmpl_inlines_formula(tmpl_inlines_t *inlines, const char *tex);

/* Adds a reference to a footnote. */
void tmpl_inlines_note(tmpl_inlines_t *inlines, unsigned number);

/* Whether there is anything to write. */
static inline int tmpl_inlines_is_empty(const tmpl_inlines_t *inlines)
{
    return inlines->text.len == 0;
}

/* A part of finished inlines: a text, or a mark with what belongs to it. */
typedef struct {
    char mark;        /* TMPL_MARK_NONE: a text */
    const char *text; /* the text, an image's, code, TeX or a number; without a NUL */
    apr_size_t len;
    const char *address; /* of an image, or a link that ends */
    apr_size_t address_len;
} tmpl_inline_part_t;

/* Reads the part at an offset that is not the end. Returns the offset behind it. */
apr_size_t tmpl_inlines_read(tmpl_inline_part_t *part, const tmpl_inlines_t *inlines, apr_size_t i);

/* Reads the address of a link that begins with a part, which ends at an offset, into the part. */
void tmpl_inlines_read_link(tmpl_inline_part_t *part, const tmpl_inlines_t *inlines, apr_size_t i);

/*
 * Ends the text: writes the end marks of its formats, which stay open for the next text, and drops
 * marks that Markdown could not read. Then text is ready for write.c, which empties it.
 */
void tmpl_inlines_finish(tmpl_inlines_t *inlines);

#endif
