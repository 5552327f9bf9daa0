/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuts -> edits -> bytes. An edit replaces a span of the source; bytes outside the edits are not
 * changed. Nothing here knows stores or detectors. Edits are allocated from pool; the edits of
 * tmpl_annotate and tmpl_strip do not point into the page.
 */
#ifndef TMPL_REWRITE_H
#define TMPL_REWRITE_H

#include "cut/closure.h"

/*
 * Replaces the bytes of span by a text. An empty span inserts. A page may have as many edits as
 * elements, so the text is an index: half the size of a pointer.
 */
typedef struct {
    tmpl_span_t span;
    uint32_t text; /* index in tmpl_edits_t.texts */
} tmpl_edit_t;

/* Edits in order of position; none overlaps another. All zero: no edits. */
typedef struct {
    const tmpl_edit_t *edits;
    uint32_t n;
    const char *const *texts; /* "" deletes */
} tmpl_edits_t;

/* The text that replaces the span of edit i. */
static inline const char *tmpl_edit_text(const tmpl_edits_t *edits, uint32_t i)
{
    return edits->texts[edits->edits[i].text];
}

/*
 * --- mark.c: marks, by which readers of pages are told to leave a part out. The table is the only
 * list of presets. From it come TmplMark and --mark, docs/indexing.md's table (docs/settings), and
 * the tests that read it ---
 */

/*
 * X(name, attribute, value, elements, against, begin, end, readers)
 *
 *     attribute  marks an element; "" if there is none
 *     value      of the attribute. If it is "", the attribute counts whatever its value is
 *     elements   on which readers obey the attribute; "" for all
 *     against    an attribute of the page's author that asks for the opposite; "" if there is none
 *     begin, end comments around runs of siblings; "" if there are none
 *     readers    who obeys it
 */
/* clang-format off */
#define TMPL_MARKS(X) \
    X("data-tmpl", "data-tmpl", "", "", "", "<!--tmpl-->", "<!--/tmpl-->", \
      "your own programs") \
    X("parts", "data-tmpl", "", "", "", "<!--tmpl-->", "<!--/tmpl-->", \
      "the same; the value says which part it is: data-tmpl=comment") \
    X("pagefind", "data-pagefind-ignore", "", "", "", "", "", \
      "Pagefind") \
    X("elastic", "data-elastic-exclude", "", "", "data-elastic-include", "", "", \
      "Elastic Open Crawler, App Search crawler") \
    X("swiftype", "data-swiftype-index", "false", "", "", "", "", \
      "Swiftype Site Search") \
    X("nosnippet", "data-nosnippet", "", "span div section", "", "", "", \
      "Google, Bing: for snippets and AI answers; the text stays indexed") \
    X("googleoff", "", "", "", "", "<!--googleoff: index-->", "<!--googleon: index-->", \
      "Fess, Google Search Appliance; not Google's web search") \
    X("htdig", "", "", "", "", "<!--htdig_noindex-->", "<!--/htdig_noindex-->", \
      "ht://Dig, Xapian Omega, DataparkSearch, libzim (Kiwix)") \
    X("udm", "", "", "", "", "<!--UdmComment-->", "<!--/UdmComment-->", \
      "mnoGoSearch, DataparkSearch, Xapian Omega") \
    X("noindex", "", "", "", "", "<!--noindex-->", "<!--/noindex-->", \
      "Yandex, DataparkSearch") \
    X("stopindex", "", "", "", "", "<!--stopindex-->", "<!--startindex-->", \
      "Atomz, Adobe Search&Promote")
/* clang-format on */

/*
 * A row of the table, or a mark of the operator's own. The value of preset parts is the name of the
 * part (detect/parts.h) that more than half of the element's text has; "" if that is template, or
 * if no part has so much.
 */
typedef struct {
    const char *name;
    const char *attribute;
    const char *value;
    const char *elements;
    const char *against;
    const char *begin;
    const char *end;
    const char *readers;
} tmpl_mark_t;

#define TMPL_MARKS_MOST 16

/* The marks of a section of the configuration. */
typedef struct {
    const tmpl_mark_t *marks[TMPL_MARKS_MOST];
    uint32_t n;
    const char *id; /* for entity tags, different for each list; "" for the default */
    const char *texts[TMPL_MARKS_MOST * 3]; /* mark i: attribute, end, begin from 3 * i on */
} tmpl_marks_t;

/* data-tmpl */
extern const tmpl_marks_t tmpl_marks_default;

/*
 * Adds a mark to *marks, which is made if it is NULL. word is the name of a preset in any case, an
 * attribute as data-NAME or data-NAME=VALUE, or a pair of comments as <!--BEGIN--><!--END-->.
 * APR_EINVAL, with what is wrong, if word is none of these, or if the mark is in *marks already or
 * is one too many.
 */
apr_status_t tmpl_marks_add(tmpl_marks_t **marks, const char *word, tmpl_error_t *err,
                            apr_pool_t *pool);

/* Whether a mark is preset parts. */
int tmpl_mark_names_parts(const tmpl_mark_t *mark);

/* Whether the page must list its comments: a mark is comments that the page may bring itself. */
int tmpl_marks_need_comments(const tmpl_marks_t *marks);

/* --- rewrite.c --- */

/*
 * Marks the cuts of closure, which was made for TMPL_NODE_MARK; marks NULL: tmpl_marks_default. The
 * kind of a mark decides where it is written:
 *
 *     attribute and comments  the attribute on elements that are cut, the comments around runs.
 *                             Foreign marks become data-x-tmpl and <!--x-tmpl-->: every data-tmpl
 *                             that is left is ours
 *     attribute               on the topmost elements in cuts on which readers obey the attribute
 *     comments                around cuts; cuts with only white space between them share a pair
 *
 * An element that has the attribute of the second kind already, or the attribute against it, is not
 * changed. Comments of the third kind make ranges. Our ranges and ranges that the page brings never
 * overlap: text in the page's ranges gets no mark. Comments are flat and closed. The page must list
 * its comments (page.h) if tmpl_marks_need_comments().
 *
 * The value of preset parts is from closure->verdicts.
 *
 * Returns the share of template text, 0..1, that is in no mark, neither ours nor the page's own.
 * With several marks: the share for the mark that marks least. Edits point to marks.
 */
double tmpl_annotate(tmpl_edits_t *edits, const tmpl_page_t *page, const tmpl_closure_t *closure,
                     const tmpl_marks_t *marks, apr_pool_t *pool);

/* Deletes the bytes of every cut. */
void tmpl_strip(tmpl_edits_t *edits, const tmpl_closure_t *closure, apr_pool_t *pool);

/*
 * Applies edits to the len bytes at src. Returns the result, *out_len bytes and a NUL, from pool.
 * For callers without a bucket brigade.
 */
const char *tmpl_edits_apply(apr_size_t *out_len, const tmpl_edits_t *edits, const char *src,
                             apr_size_t len, apr_pool_t *pool);

/*
 * Mode highlight: the page as it is, with each block shaded by its verdict, and why. For people who
 * look at a page in a browser; scripts are not needed.
 *
 * Nothing takes room, and no element is added to body, so that the page's own selectors
 * (:last-child, p + p) match the same elements as before:
 *
 *   - Elements get attributes: data-tmpl-is, by which the style shades the element; title, the
 *     reasons; and tabindex, so that the keyboard reaches the element, and a corner of the window
 *     shows its reasons, in place of what the page has as its ::after. They stand in front of the
 *     page's own attributes, because the first of two attributes of a name counts. A page's own
 *     tabindex is left alone.
 *   - In the head, just before body, stand a style and, as empty meta elements, the lines of the
 *     legend. The head itself, which browsers do not display, is the panel that shows it.
 *
 * The style sets box-shadow, which is behind letters, and on pictures and controls outline; nothing
 * in print. It adds space behind the page's end for the legend, which a click closes. It is inline:
 * where the page's Content-Security-Policy forbids that, only the titles are left.
 *
 * The outermost element whose text is all of one block is shaded. If an element also has text of
 * other blocks, a line without shade shows the text that is directly in it.
 */

/* Segments of a page at most: each takes up to 4 KB of memory, including its reasons. */
#define TMPL_HIGHLIGHT_SEGMENTS 16384

/*
 * Makes the edits. They only insert; their texts are from pool. closure is the one for strip, and
 * has filled explain.
 */
void tmpl_highlight(tmpl_edits_t *edits, const tmpl_closure_t *closure,
                    const tmpl_explain_t *explain, apr_pool_t *pool);

#endif
