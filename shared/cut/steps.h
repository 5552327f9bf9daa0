/* SPDX-License-Identifier: Apache-2.0 */
/* What closure.c calls, in this order. */
#ifndef TMPL_STEPS_H
#define TMPL_STEPS_H

#include "cut/closure.h"

/* --- headings.c --- */

/*
 * Headings and their sections. A detector judges each block by itself, and the heading "Parameters"
 * stands on every page of a manual; but a heading is needed as long as its section is there, and
 * useless without it.
 *
 *   heading                            section
 *   h1 .. h6                           what follows in the nearest ancestor that holds more text,
 *                                      up to the next heading of its rank or above
 *   dt                                 what follows in its dl, up to the next dt
 *   caption, thead, a row of th        the rest of the table
 *   figcaption, legend, summary        the rest of the figure, fieldset, details
 *
 * Adjusts the verdicts of headings that are made of whole blocks, of their sections, and of rows:
 *   1. A template h1 to h6 or dt becomes content if its section begins with content and more than
 *      half of the section's length is content.
 *   2. Any other template heading becomes content if there is content in its section.
 *   3. A content h2 to h6 becomes template if its section is template, and is links and images
 *      only, or both are in a form of their own. (A heading over a byline stays, one that is a
 *      byline, and one that is surely content, unless it is in nav, aside or footer.)
 *   4. The template section of a content dt becomes content.
 *   5. In a row whose cells have a block each at most, all cells become content if one is content.
 */
void tmpl_headings(tmpl_verdict_t *verdicts, const tmpl_page_t *page, apr_pool_t *pool);

/* --- refs.c --- */

/*
 * A block that holds nothing but links to template elements of the page becomes template. A link to
 * a heading does not count, because the heading's section may stay.
 */
void tmpl_refs_links(tmpl_verdict_t *verdicts, const tmpl_page_t *page, apr_pool_t *pool);

/*
 * Controls are a, button and li elements that name a panel: by aria-controls, data-target or
 * data-bs-target, or by href if they have role=tab, data-toggle or data-bs-toggle. A template
 * control is content if its panel holds content. Returns a copy of verdicts from pool in which
 * these controls are content, or verdicts itself if there is no such control. verdicts does not
 * change.
 */
tmpl_verdict_t *tmpl_refs_controls(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                   apr_pool_t *pool);

/* --- guards.c --- */

/*
 * Sets the verdicts of blocks in elements that match drop or keep; keep wins over drop. explain
 * gets the reasons; it may be NULL. Returns a byte for each selector of keep, then of drop, from
 * pool: 1 if the selector matches an element with text. Returns NULL without selectors. If an XPath
 * expression takes too many steps for the page, it matches nothing, and *decline is XPATH; decline
 * may be NULL.
 */
const unsigned char *tmpl_guards_apply(tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                       const tmpl_guards_t *guards, tmpl_decline_e *decline,
                                       tmpl_explain_t *explain, apr_pool_t *pool);

/* --- script_refs.c --- */

/*
 * Elements that the page's scripts look up. Scripts are never cut. A script that does not find its
 * element stops with an exception. A script that looks for its own position, and whose box was cut,
 * hides or fills the next box outwards, which belongs to the page.
 *
 * Returns a byte for each node, from pool: 1 if the element must stay, as an empty box at least.
 * NULL if no element must stay. These elements must stay:
 *   1. the first element with an id or class that a script names in document.getElementById,
 *      getElementsByClassName or querySelector (the first name of the selector); but not controls,
 *      because rule 8 of closure.h keeps forms whole;
 *   2. the box of a script that uses document.currentScript or document.write, and the element in
 *      front of the script in this box;
 *   3. the box of a template with an id: the template marks, between two comments, where a script
 *      inserts what the server sends later;
 *   4. all ancestors of these.
 */
unsigned char *tmpl_script_refs(const tmpl_page_t *page, apr_pool_t *pool);

/* --- cuts.c --- */

/* A search for the cuts of a page by the rules of closure.h. The caller sets what is first. */
typedef struct {
    const tmpl_page_t *page;
    const tmpl_verdict_t *verdicts;
    const unsigned char *script_refs; /* from tmpl_script_refs; NULL: no element must stay */
    unsigned char *opened; /* for each element that was not cut whole: its tmpl_uncut_e; or NULL */

    tmpl_cut_t *cuts;
    uint32_t n_cuts;
    uint32_t room;
    apr_pool_t *pool;    /* pool of the cuts */
    unsigned need;       /* TMPL_NODE_CUT or TMPL_NODE_MARK */
    uint32_t *content;   /* [i]: content segments before segment i */
    double *expected;    /* [i]: expected content before segment i, in bytes (rule 7) */
    int in_template;     /* how many elements around were opened by rule 11 */
    uint32_t next_fixed; /* the first control, from the current node on, that rule 5 keeps */
} tmpl_cuts_t;

/* Begins a search. The cuts are from pool, other memory is from scratch. */
void tmpl_cuts_init(tmpl_cuts_t *c, const tmpl_page_t *page, const tmpl_verdict_t *verdicts,
                    apr_pool_t *pool, apr_pool_t *scratch);

/* Fills c->cuts, anew if it has some. */
void tmpl_cuts_find(tmpl_cuts_t *c, unsigned need);

/* --- control_texts.c --- */

/*
 * The texts of forms and controls that stay. A detector takes "Name", "Send" and "optional" for
 * template wherever they stand, but nobody can use a form without them.
 *
 * A control is a button, or an input that is not hidden, a select or a textarea. Its texts are
 *   1. what is in it, and in a label around it or for it;
 *   2. the elements that aria-labelledby and aria-describedby name, of it or of an element around;
 *   3. the summary of each details around it;
 *   4. all texts of its form and of each fieldset around it, unless that is more of a page than
 *      of a form: it has more than FORM_BLOCKS blocks for each control that stays, or it is a
 *      form with article, nav or main;
 *   5. of a form that is a page all labels, legends, buttons, outputs and meters, and the innermost
 *      elements with text around its fields, if they have few blocks.
 *
 * A copy of verdicts, from pool, in which blocks with texts of controls that are in no cut are
 * content; NULL if they are all content. cuts are n, in order. On a page without body tag and title
 * all controls stay: it is an answer to a script, and the page that it goes to needs them.
 */
tmpl_verdict_t *tmpl_control_texts(const tmpl_verdict_t *verdicts, const tmpl_page_t *page,
                                   const tmpl_cut_t *cuts, uint32_t n, apr_pool_t *pool);

#endif
