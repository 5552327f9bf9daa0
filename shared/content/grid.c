/* SPDX-License-Identifier: Apache-2.0 */
#include "content/element_kinds.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t rows, columns;
    uint32_t cells; /* cells of the current row */
    int plain;      /* a cell of the first row is td */
    int any_head;   /* a cell is th */
    int spans;      /* a cell spans others, or holds a list */
    int lays_out;   /* in a cell, or beside cells, is something that no table of data has */
    int filled;     /* there is a text or an image */
} view_t;

/* What an element in a table says about the table. */
static const enum {
    NOTHING,
    ROW,
    CELL,
    LIST,
    BLOCK
} kinds[TMPL_TAG_COUNT] = {
    [TMPL_TAG_TR] = ROW,      [TMPL_TAG_TD] = CELL,       [TMPL_TAG_TH] = CELL,
    [TMPL_TAG_UL] = LIST,     [TMPL_TAG_OL] = LIST,       [TMPL_TAG_DL] = LIST,
    [TMPL_TAG_TABLE] = BLOCK, [TMPL_TAG_PRE] = BLOCK,     [TMPL_TAG_BLOCKQUOTE] = BLOCK,
    [TMPL_TAG_H1] = BLOCK,    [TMPL_TAG_H2] = BLOCK,      [TMPL_TAG_H3] = BLOCK,
    [TMPL_TAG_H4] = BLOCK,    [TMPL_TAG_H5] = BLOCK,      [TMPL_TAG_H6] = BLOCK,
    [TMPL_TAG_HR] = BLOCK,    [TMPL_TAG_ARTICLE] = BLOCK, [TMPL_TAG_SECTION] = BLOCK,
    [TMPL_TAG_FORM] = BLOCK,  [TMPL_TAG_FIGURE] = BLOCK,
};

long tmpl_grid_span(const xmlNode *cell, const char *name)
{
    const char *value = tmpl_dom_attribute(cell, name);
    return value != NULL ? strtol(value, NULL, 10) : 1;
}

/* Whether a cell is a heading without being th: it is in thead, or all of it is bold. */
static int is_like_head(const tmpl_page_t *page, const xmlNode *cell)
{
    const xmlNode *row = cell->parent;
    if (row->parent != NULL && tmpl_dom_tag(page, row->parent) == TMPL_TAG_THEAD) {
        return 1;
    }
    int bold = 0;
    for (const xmlNode *node = cell->children; node != NULL; node = node->next) {
        if (node->type == XML_TEXT_NODE && tmpl_dom_is_blank(node)) {
            continue;
        }
        tmpl_tag_e tag = tmpl_dom_tag(page, node);
        if (bold || (tag != TMPL_TAG_B && tag != TMPL_TAG_STRONG)) {
            return 0;
        }
        bold = 1;
    }
    return bold;
}

static void see_cell(view_t *view, const tmpl_page_t *page, const xmlNode *cell)
{
    int head = tmpl_dom_table_tag(page, cell) == TMPL_TAG_TH;
    view->lays_out |= tmpl_dom_table_tag(page, cell->parent) != TMPL_TAG_TR;
    view->spans |= tmpl_grid_span(cell, "colspan") > 1 || tmpl_grid_span(cell, "rowspan") > 1;
    view->rows += view->cells == 0;
    view->plain |= view->rows == 1 && !head && !view->plain && !is_like_head(page, cell);
    view->any_head |= head;
    view->cells++;
    view->columns = view->cells > view->columns ? view->cells : view->columns;
}

static void see_in_table(view_t *view, const tmpl_page_t *page, const xmlNode *node)
{
    tmpl_tag_e parent = tmpl_dom_table_tag(page, node->parent);
    int beside = (tmpl_tag_flags(parent) & TMPL_IS_TABLE) != 0 || parent == TMPL_TAG_COLGROUP;
    if (node->type != XML_ELEMENT_NODE) {
        view->lays_out |= beside && !tmpl_dom_is_blank(node);
        view->filled |= !tmpl_dom_is_blank(node);
        return;
    }
    tmpl_tag_e tag = tmpl_dom_table_tag(page, node);
    view->lays_out |= (beside && !(tmpl_tag_flags(tag) & TMPL_IS_PART)) ||
                      (tag == TMPL_TAG_CAPTION && view->rows > 0);
    view->filled |= tag == TMPL_TAG_IMG;
    if (kinds[tag] == ROW) {
        view->cells = 0;
    }
    else if (kinds[tag] == CELL) {
        see_cell(view, page, node);
    }
    view->spans |= kinds[tag] == LIST;
    int is_name = parent == TMPL_TAG_TH && (tmpl_tag_flags(tag) & TMPL_IS_HEADING);
    view->lays_out |= kinds[tag] == BLOCK && !is_name; /* a header cell may hold a heading */
}

void tmpl_grid_read(tmpl_grid_t *grid, const tmpl_page_t *page, const xmlNode *table)
{
    view_t view = { 0 };
    const char *role = tmpl_dom_listed(table, TMPL_ATTR_ROLE);
    view.lays_out =
        role != NULL && (strcmp(role, "presentation") == 0 || strcmp(role, "none") == 0);
    for (const xmlNode *node = tmpl_dom_next(table, table, 0); node != NULL && !view.lays_out;
         node = tmpl_dom_next(node, table, 0)) {
        see_in_table(&view, page, node);
    }
    const char *border = tmpl_dom_attribute(table, "border");
    view.lays_out |= view.spans && !view.any_head && border != NULL && strcmp(border, "0") == 0;
    view.lays_out |= !view.filled || view.columns < 2 || (view.rows < 2 && !view.any_head);
    grid->kind = view.lays_out ? TMPL_GRID_LAYOUT : view.spans ? TMPL_GRID_HTML : TMPL_GRID_SIMPLE;
    grid->columns = view.columns;
    grid->headed = !view.plain;
}
