/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and their items. */
#include "markdown/handlers.h"

#include <stdlib.h>

#include <apr_strings.h>

static void close_item(tmpl_writer_t *w)
{
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (tmpl_flow_close(&w->flow) && list != NULL) {
        list->begun = 1;
    }
}

static int is_list(const tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_tag_e tag = tmpl_grid_tag(w->page, node);
    return (tag == TMPL_TAG_UL || tag == TMPL_TAG_OL || tag == TMPL_TAG_MENU ||
            tag == TMPL_TAG_DIR) &&
           (w->notes == NULL || w->notes[tmpl_dom_node(node)].kind == TMPL_NOTE_NONE);
}

/* Whether a list follows an item, or a list, directly in a list: it belongs to the item. */
static int has_list_behind(const tmpl_writer_t *w, const xmlNode *node)
{
    return node->next != NULL && is_list(w, node->next) && is_list(w, node->parent);
}

static int enter_list(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    w->n_lists++;
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (list == NULL) {
        return 0;
    }
    const char *start = tmpl_dom_attribute(node, "start");
    long number = start != NULL ? strtol(start, NULL, 10) : 1;
    list->ordered = tmpl_grid_tag(w->page, node) == TMPL_TAG_OL;
    list->begun = list->holds = 0;
    list->number = number >= 0 && number < 100000000 ? (uint32_t)number : 1;
    /* directly behind a list, the same mark would continue that list */
    int again = w->behind_list == w->flow.out.len;
    list->mark = list->ordered ? (again && w->last_mark == '.' ? ')' : '.')
                               : (again && w->last_mark == '-' ? '+' : '-');
    return 0;
}

static void leave_list(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (list != NULL && list->begun && w->one_leaf == NULL) {
        w->behind_list = w->flow.out.len;
        w->last_mark = list->mark;
    }
    w->n_lists--;
    list = tmpl_writer_list(w);
    if (list != NULL && list->holds && !has_list_behind(w, node)) {
        list->holds = 0;
        close_item(w);
    }
}

static int enter_item(tmpl_writer_t *w, const xmlNode *node)
{
    (void)node;
    tmpl_writer_part(w);
    if (w->one_leaf != NULL) {
        return 0;
    }
    tmpl_open_list_t *list = tmpl_writer_list(w);
    char marker[12] = "- ";
    if (list != NULL && list->ordered) {
        apr_snprintf(marker, sizeof(marker), "%u%c ", list->number++, list->mark);
    }
    else if (list != NULL) {
        marker[0] = list->mark;
    }
    tmpl_flow_item(&w->flow, marker, list == NULL || !list->begun);
    return 0;
}

static void leave_item(tmpl_writer_t *w, const xmlNode *node)
{
    tmpl_writer_part(w);
    tmpl_open_list_t *list = tmpl_writer_list(w);
    if (w->one_leaf != NULL) {
        return;
    }
    if (list != NULL && has_list_behind(w, node)) {
        list->holds = 1;
    }
    else {
        close_item(w);
    }
}

const tmpl_handler_t tmpl_handler_list = { enter_list, leave_list };
const tmpl_handler_t tmpl_handler_item = { enter_item, leave_item };
