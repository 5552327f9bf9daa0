/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks: how readers of pages are told to leave a part out. The table below is the only list of
 * presets. From it come TmplMark and --mark, docs/indexing.md's table (docs/settings), and the
 * tests that read it.
 */
#ifndef TMPL_MARK_H
#define TMPL_MARK_H

#include "base/tmpl.h"

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

#endif
