/* SPDX-License-Identifier: Apache-2.0 */
/* What is written at the begin and end of each kind of element, in the walk of markdown.c. */
#ifndef TMPL_HANDLERS_H
#define TMPL_HANDLERS_H

#include "markdown/writer.h"

/* Called at an element's begin; returns whether to skip its content. And at its end. */
typedef int tmpl_enter_t(tmpl_writer_t *w, const xmlNode *node);
typedef void tmpl_leave_t(tmpl_writer_t *w, const xmlNode *node);

/* NULL: nothing is written there. */
typedef struct {
    tmpl_enter_t *enter;
    tmpl_leave_t *leave;
} tmpl_handler_t;

/* blocks.c */
extern const tmpl_handler_t tmpl_handler_block;
extern const tmpl_handler_t tmpl_handler_heading;
extern const tmpl_handler_t tmpl_handler_term; /* a summary; a term of no list */
extern const tmpl_handler_t tmpl_handler_quote;
extern const tmpl_handler_t tmpl_handler_rule; /* hr */
extern const tmpl_handler_t tmpl_handler_pre;

/* list_handlers.c */
extern const tmpl_handler_t tmpl_handler_list;
extern const tmpl_handler_t tmpl_handler_item;
extern const tmpl_handler_t tmpl_handler_terms; /* dl */
extern const tmpl_handler_t tmpl_handler_term_of_list;
extern const tmpl_handler_t tmpl_handler_definition;

/* tables.c */
extern const tmpl_handler_t tmpl_handler_table;
extern const tmpl_handler_t tmpl_handler_row;
extern const tmpl_handler_t tmpl_handler_cell;

/* inlines.c */
extern const tmpl_handler_t tmpl_handler_link;
extern const tmpl_handler_t tmpl_handler_image;
extern const tmpl_handler_t tmpl_handler_player; /* iframe, video, audio */
extern const tmpl_handler_t tmpl_handler_break;  /* br */
extern const tmpl_handler_t tmpl_handler_spaced; /* between words */
extern const tmpl_handler_t tmpl_handler_format;
extern const tmpl_handler_t tmpl_handler_formula; /* the writer's last one */

/* footnotes.c: by tmpl_note_e; without enter for an element that has no part in footnotes. */
extern const tmpl_handler_t tmpl_handlers_notes[];

/* record_handlers.c: by tmpl_record_part_e; without enter for an element that is no part. */
extern const tmpl_handler_t tmpl_handlers_records[];

/* Adds a text to the leaf, without the brackets of a reference that is left out. */
void tmpl_handler_text(tmpl_writer_t *w, const xmlNode *text);

/* markdown.c: writes the content of an element, in one walk. */
void tmpl_markdown_content(tmpl_writer_t *w, const xmlNode *top);

/* Writes the notes in sentences; what stands in front of a note in its span is its number. */
void tmpl_handler_inline_notes(tmpl_writer_t *w);

/* front.c: the front matter, the page's metadata as YAML. */

/*
 * Adds a line for each field that has a value, in the order of TMPL_METADATA, and an empty line;
 * nothing if no field has one. Addresses become absolute; without a canonical one the page's URL is
 * it. Authors are one text, with commas; tags and breadcrumb are lists.
 */
void tmpl_front_write(tmpl_buf_t *out, const tmpl_content_t *content, apr_pool_t *pool);

#endif
