/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/writer.h"

#include <string.h>

#include <apr_strings.h>

void tmpl_flow_init(tmpl_flow_t *flow, apr_size_t limit, tmpl_fragments_t *fragments,
                    apr_pool_t *pool)
{
    memset(flow, 0, sizeof(*flow));
    tmpl_buf_init(&flow->out, pool);
    flow->limit = limit;
    flow->fragments = fragments;
}

static tmpl_container_t *open_container(tmpl_flow_t *flow, const char *marker)
{
    if (flow->n == TMPL_FLOW_DEPTH) {
        flow->ignored++;
        return NULL;
    }
    tmpl_container_t *container = &flow->open[flow->n++];
    memset(container, 0, sizeof(*container));
    apr_cpystrn(container->marker, marker, sizeof(container->marker));
    container->width = container->indent = (unsigned char)strlen(container->marker);
    return container;
}

void tmpl_flow_quote(tmpl_flow_t *flow, const char *head)
{
    tmpl_container_t *container = open_container(flow, "> ");
    if (container != NULL) {
        container->quote = 1;
        container->head = head;
    }
}

void tmpl_flow_item(tmpl_flow_t *flow, const char *marker, int first)
{
    tmpl_container_t *container = open_container(flow, marker);
    /* without an empty line, only a list in an item may follow a text, with bullets or from "1." */
    if (container != NULL) {
        int interrupts = marker[0] < '0' || marker[0] > '9' || strncmp(marker, "1.", 2) == 0;
        int nested = flow->n > 1 && !flow->open[flow->n - 2].quote;
        container->first = (unsigned char)first;
        container->indent = (unsigned char)strcspn(marker, "["); /* a task's box is text */
        container->joins = (unsigned char)(interrupts && nested);
    }
}

void tmpl_flow_note(tmpl_flow_t *flow, unsigned number)
{
    char marker[sizeof(flow->open[0].marker)];
    apr_snprintf(marker, sizeof(marker), "[^%u]: ", number);
    tmpl_container_t *container = open_container(flow, marker);
    if (container != NULL) {
        container->indent = 4;
        container->first = 1;
    }
}

int tmpl_flow_close(tmpl_flow_t *flow)
{
    if (flow->ignored > 0) {
        flow->ignored--;
        return 0;
    }
    flow->n--;
    flow->shared = flow->shared < flow->n ? flow->shared : flow->n;
    flow->outside = flow->outside < flow->n ? flow->outside : flow->n;
    return flow->open[flow->n].used;
}

/* Writes the markers or indents of the first n containers; trim: without spaces at the end. */
static void write_prefix(tmpl_flow_t *flow, uint32_t n, int trim)
{
    static const char spaces[] = "           ";
    apr_size_t solid = flow->out.len;
    for (uint32_t i = flow->outside; i < n; i++) {
        tmpl_container_t *container = &flow->open[i];
        int marked = container->quote || !container->used;
        if (container->head != NULL && !container->used) {
            tmpl_buf_add_text(&flow->out, container->marker);
            tmpl_buf_add_text(&flow->out, container->head);
            tmpl_buf_add_byte(&flow->out, '\n');
            write_prefix(flow, i, 0);
        }
        tmpl_buf_add(&flow->out, marked ? container->marker : spaces,
                     marked ? container->width : container->indent);
        solid = marked ? flow->out.len - 1 : solid;
        container->used = 1;
    }
    if (trim) {
        flow->out.len = solid;
        flow->out.at[solid] = '\0';
    }
}

/* Whether the block is the first of an item that may follow the last text without an empty line. */
static int joins(const tmpl_flow_t *flow)
{
    uint32_t i = flow->outside;
    while (i < flow->n && flow->open[i].used) {
        i++;
    }
    if (flow->last != TMPL_FLOW_TEXT || i == flow->n || flow->open[i].quote || flow->shared != i) {
        return 0;
    }
    return flow->open[i].first ? flow->open[i].joins && flow->around == i : flow->around > i;
}

/* Begins a run of fragments, if the part has changed. */
static void begin_run(tmpl_flow_t *flow)
{
    if (tmpl_fragments_run(flow->fragments, flow->out.len)) {
        flow->outside = flow->fragments->part == TMPL_PART_HEADLINE ? flow->n : 0;
        while (flow->outside < flow->n && flow->open[flow->outside].used) {
            flow->outside++;
        }
        flow->begun = 0;
    }
}

void tmpl_flow_begin(tmpl_flow_t *flow, tmpl_flow_e kind)
{
    if (flow->fragments != NULL) {
        begin_run(flow);
    }
    flow->began = flow->out.len;
    flow->behind = TMPL_BEHIND_BLOCK;
    if (flow->begun && !joins(flow)) {
        write_prefix(flow, flow->shared, 1);
        tmpl_buf_add_byte(&flow->out, '\n');
    }
    write_prefix(flow, flow->n, 0);
    flow->begun = 1;
    flow->around = flow->shared = flow->n;
    flow->last = kind;
}

void tmpl_flow_break(tmpl_flow_t *flow)
{
    tmpl_flow_end(flow);
    write_prefix(flow, flow->n, 0);
}

void tmpl_flow_end(tmpl_flow_t *flow)
{
    tmpl_buf_add_byte(&flow->out, '\n');
    flow->over |= flow->out.len > flow->limit;
}
