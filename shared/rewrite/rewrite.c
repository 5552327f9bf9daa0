/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>

#include "html/attr.h"
#include "html/tag.h"

/* Texts in front of the marks' texts: see texts_of. */
enum {
    FOREIGN,        /* inserted in front of "tmpl" in foreign marks */
    ATTRIBUTE_CODE, /* for an element with code: only tests annotate cuts made for strip */
    OF_PARTS,       /* an attribute that names a part: one text for each */
    FIRST = OF_PARTS + TMPL_PART_COUNT
};
/* A mark's texts, in the order of tmpl_marks_t.texts: a run may end where the next one begins. */
enum { ATTRIBUTE, RUN_CLOSE, RUN_OPEN, PER_MARK };

typedef struct {
    const tmpl_page_t *page;
    const tmpl_closure_t *closure;
    tmpl_edit_t *edits; /* there is room for most_edits() of each mark */
    uint32_t n;
    apr_pool_t *scratch;
    /* for marks of comments alone: where comments may stand, in order of position */
    tmpl_span_t *runs;
    uint32_t n_runs;
    /* for the current mark */
    const tmpl_mark_t *mark;
    uint32_t text;    /* the mark's first text */
    uint32_t segment; /* the first segment that take_segments() has not seen */
    uint64_t marked;  /* length of text in marks */
} marks_writer_t;

static void insert_mark(marks_writer_t *w, uint32_t at, uint32_t text)
{
    w->edits[w->n++] = (tmpl_edit_t){ { at, at }, text };
}

/* Counts the segments in span as marked; returns how many. Spans come in order of position. */
static uint32_t take_segments(marks_writer_t *w, tmpl_span_t span)
{
    const tmpl_segment_t *segments = w->page->segments;
    uint32_t n = 0;
    while (w->segment < w->page->n_segments && segments[w->segment].span.start < span.end) {
        if (segments[w->segment].span.start >= span.start) {
            w->marked += segments[w->segment].length;
            n++;
        }
        w->segment++;
    }
    return n;
}

/* ---- an attribute on elements, comments around runs ---- */

/* The text that marks an element of a cut. */
static uint32_t attribute_for(const marks_writer_t *w, const tmpl_node_t *node)
{
    const tmpl_page_t *page = w->page;
    uint64_t lengths[TMPL_PART_COUNT] = { 0 };
    uint64_t all = 0;
    for (uint32_t s = node->first_segment; s < node->after_segment; s++) {
        lengths[w->closure->verdicts[page->segments[s].block].part] += page->segments[s].length;
        all += page->segments[s].length;
    }
    unsigned part = TMPL_PART_TEMPLATE + 1;
    while (part < TMPL_PART_COUNT && 2 * lengths[part] <= all) {
        part++;
    }
    return part < TMPL_PART_COUNT ? OF_PARTS + part : w->text + ATTRIBUTE;
}

static void mark_cuts(marks_writer_t *w)
{
    for (uint32_t i = 0; i < w->closure->n_cuts; i++) {
        const tmpl_cut_t *cut = &w->closure->cuts[i];
        take_segments(w, cut->span);
        if (cut->node == TMPL_NONE) {
            insert_mark(w, cut->span.start, w->text + RUN_OPEN);
            insert_mark(w, cut->span.end, w->text + RUN_CLOSE);
        }
        else if (i == 0 || cut->node != w->closure->cuts[i - 1].node) {
            /* In front of the '>', behind the page's own attributes. */
            const tmpl_node_t *node = &w->page->nodes[cut->node];
            int is_whole = cut->span.end == tmpl_node_span(node).end;
            insert_mark(w, node->open.end - 1,
                        !is_whole                        ? ATTRIBUTE_CODE
                        : tmpl_mark_names_parts(w->mark) ? attribute_for(w, node)
                                                         : w->text + ATTRIBUTE);
        }
    }
    for (uint32_t i = 0; i < w->page->n_foreign_marks; i++) {
        insert_mark(w, w->page->foreign_marks[i], FOREIGN);
    }
}

/* ---- an attribute alone ---- */

static int obeys(const tmpl_mark_t *mark, const tmpl_node_t *node)
{
    const char *elements = mark->elements;
    tmpl_span_t all = { 0, (uint32_t)strlen(elements) };
    return elements[0] == '\0' ||
           tmpl_has_word(elements, all, tmpl_tag_name((tmpl_tag_e)node->tag), tmpl_span_is);
}

/*
 * Whether the page itself says what readers do with an element: *leaves_out is 1 if they leave the
 * element out.
 */
static int is_decided(const marks_writer_t *w, const tmpl_node_t *node, int *leaves_out)
{
    const tmpl_mark_t *mark = w->mark;
    const char *src = w->page->src;
    tmpl_attr_t attr;
    if (mark->against[0] != '\0' && tmpl_attr_find(&attr, src, node->open, mark->against)) {
        *leaves_out = 0;
        return 1;
    }
    if (!tmpl_attr_find(&attr, src, node->open, mark->attribute)) {
        return 0;
    }
    *leaves_out = mark->value[0] == '\0' || tmpl_span_is(src, attr.value, mark->value);
    return 1;
}

/* Marks a node in a cut, if that is possible. Returns whether its descendants need no mark. */
static int mark_element(marks_writer_t *w, const tmpl_node_t *node)
{
    int leaves_out = 1;
    if (node->first_segment == node->after_segment) {
        return 1;
    }
    if (!obeys(w->mark, node)) {
        return 0;
    }
    if (!is_decided(w, node, &leaves_out)) {
        if (!(node->flags & TMPL_NODE_MARK)) {
            return 0;
        }
        insert_mark(w, node->open.end - 1, w->text + ATTRIBUTE);
    }
    for (uint32_t s = node->first_segment; leaves_out && s < node->after_segment; s++) {
        w->marked += w->page->segments[s].length;
    }
    return 1;
}

/* Nodes and cuts are in order of position. */
static void mark_elements(marks_writer_t *w)
{
    const tmpl_page_t *page = w->page;
    uint32_t i = 1; /* body is in no cut */
    for (uint32_t c = 0; c < w->closure->n_cuts; c++) {
        tmpl_span_t span = w->closure->cuts[c].span;
        while (i < page->n_nodes && page->nodes[i].open.start < span.end) {
            int is_done =
                page->nodes[i].open.start >= span.start && mark_element(w, &page->nodes[i]);
            i = is_done ? page->nodes[i].after : i + 1;
        }
    }
}

/* ---- comments alone ---- */

/*
 * Where the comments of a cut stand: at the two ends of the span. Empty: nowhere. If an element's
 * start tag does more than open the element, a parser may have moved what is in front of the tag
 * elsewhere; so the comments stand inside the element.
 */
static tmpl_span_t comment_places(const tmpl_page_t *page, const tmpl_cut_t *cut)
{
    const tmpl_node_t *node = &page->nodes[cut->node == TMPL_NONE ? 0 : cut->node];
    if (cut->node == TMPL_NONE || (node->flags & TMPL_NODE_CUT)) {
        return cut->span;
    }
    /* a line break behind the start tag of a pre counts only if nothing is in front of it */
    int is_pre = tmpl_tag_is_pre((tmpl_tag_e)node->tag);
    return is_pre || tmpl_span_len(node->close) == 0
               ? (tmpl_span_t){ 0, 0 }
               : (tmpl_span_t){ node->open.end, node->close.start };
}

static void find_runs(marks_writer_t *w)
{
    const char *src = w->page->src;
    w->runs = apr_palloc(w->scratch, (w->closure->n_cuts + 1) * sizeof(*w->runs));
    for (uint32_t i = 0; i < w->closure->n_cuts; i++) {
        tmpl_span_t span = comment_places(w->page, &w->closure->cuts[i]);
        tmpl_span_t *last = w->n_runs > 0 ? &w->runs[w->n_runs - 1] : NULL;
        if (tmpl_span_len(span) == 0) {
            continue;
        }
        if (last != NULL && tmpl_behind_space(src, last->end, span.start) == span.start) {
            last->end = span.end;
        }
        else {
            w->runs[w->n_runs++] = span;
        }
    }
}

/*
 * Whether a comment of the page is text, a comment of the mark. Readers ignore case; readers of
 * googleoff also ignore blanks in front, and all that is behind the colon.
 */
static int is_own(const tmpl_page_t *page, tmpl_span_t comment, const char *text)
{
    enum { BEGIN = sizeof("<!--") - 1 };
    const char *name = text + BEGIN + strspn(text + BEGIN, " ");
    const char *colon = strchr(name, ':');
    size_t len = colon != NULL ? (size_t)(colon + 1 - name) : strlen(name);
    uint32_t p = tmpl_behind_space(page->src, comment.start + BEGIN, comment.end);
    return comment.end - p >= len && apr_cstr_casecmpn(page->src + p, name, len) == 0;
}

/*
 * The *n ranges between the page's own comments of the current mark. The first end ends a range; a
 * range without an end goes to the end of the page. An end without a range is a range itself.
 */
static const tmpl_span_t *own_ranges(const marks_writer_t *w, uint32_t *n)
{
    const tmpl_page_t *page = w->page;
    tmpl_span_t *ranges = apr_palloc(w->scratch, (page->n_comments + 1) * sizeof(*ranges));
    int is_open = 0;
    *n = 0;
    for (uint32_t i = 0; i < page->n_comments; i++) {
        tmpl_span_t comment = page->comments[i];
        int begins = is_own(page, comment, w->mark->begin);
        if (!begins && !is_own(page, comment, w->mark->end)) {
            continue;
        }
        if (!is_open) {
            ranges[(*n)++] = comment;
        }
        ranges[*n - 1].end = begins ? page->len : comment.end;
        is_open = begins;
    }
    return ranges;
}

/*
 * Writes comments around the parts of a run that are in no range of the page. own is the first of
 * these ranges that may be in the run.
 */
static void mark_run(marks_writer_t *w, tmpl_span_t run, const tmpl_span_t *own,
                     const tmpl_span_t *after)
{
    while (run.start < run.end) {
        int is_cut = own < after && own->start < run.end;
        tmpl_span_t part = { run.start, !is_cut                  ? run.end
                                        : own->start > run.start ? own->start
                                                                 : run.start };
        if (take_segments(w, part) > 0) {
            insert_mark(w, part.start, w->text + RUN_OPEN);
            insert_mark(w, part.end, w->text + RUN_CLOSE);
        }
        run.start = part.end;
        if (is_cut) {
            tmpl_span_t theirs = { part.end, own->end < run.end ? own->end : run.end };
            take_segments(w, theirs);
            run.start = theirs.end;
            own++;
        }
    }
}

static void mark_runs(marks_writer_t *w)
{
    uint32_t n;
    const tmpl_span_t *own = own_ranges(w, &n);
    const tmpl_span_t *after = own + n;
    for (uint32_t i = 0; i < w->n_runs; i++) {
        while (own < after && own->end <= w->runs[i].start) {
            own++;
        }
        mark_run(w, w->runs[i], own, after);
    }
}

/* ---- all marks ---- */

static int by_position(const void *a, const void *b)
{
    const tmpl_edit_t *x = a, *y = b;
    if (x->span.start != y->span.start) {
        return x->span.start < y->span.start ? -1 : 1;
    }
    return (x->text > y->text) - (x->text < y->text);
}

/* The kinds of marks. Each has a function that writes a mark, and a limit for its edits. */
typedef enum { CUTS, ELEMENTS, RUNS } mark_kind_e;

static void (*const writers[])(marks_writer_t *w) = {
    [CUTS] = mark_cuts,
    [ELEMENTS] = mark_elements,
    [RUNS] = mark_runs,
};

static mark_kind_e kind_of_mark(const tmpl_mark_t *mark)
{
    return mark->attribute[0] == '\0' ? RUNS : mark->begin[0] == '\0' ? ELEMENTS : CUTS;
}

static size_t most_edits(const marks_writer_t *w, const tmpl_marks_t *marks)
{
    size_t of[] = {
        [CUTS] = 2 * (size_t)w->closure->n_cuts + w->page->n_foreign_marks,
        [ELEMENTS] = w->page->n_segments,
        [RUNS] = 2 * ((size_t)w->n_runs + w->page->n_comments),
    };
    size_t most = 0;
    for (uint32_t i = 0; i < marks->n; i++) {
        most += of[kind_of_mark(marks->marks[i])];
    }
    return most;
}

/* Sorts edits that are not in order. Sorting takes memory; the edits of one mark are in order. */
static void sort(tmpl_edit_t *edits, uint32_t n)
{
    uint32_t i = 1;
    while (i < n && by_position(&edits[i - 1], &edits[i]) <= 0) {
        i++;
    }
    if (i < n) {
        qsort(edits, n, sizeof(*edits), by_position);
    }
}

static const char *const *texts_of(const tmpl_marks_t *marks, apr_pool_t *pool)
{
    const char **texts = apr_palloc(pool, (FIRST + marks->n * PER_MARK) * sizeof(*texts));
    texts[FOREIGN] = "x-";
    texts[ATTRIBUTE_CODE] = " data-tmpl=\"code\"";
#define OF_PART(id, name, explanation) texts[OF_PARTS + TMPL_PART_##id] = " data-tmpl=\"" name "\"";
    TMPL_PARTS(OF_PART)
#undef OF_PART
    memcpy(texts + FIRST, marks->texts, marks->n * PER_MARK * sizeof(*texts));
    return texts;
}

double tmpl_annotate(tmpl_edits_t *edits, const tmpl_page_t *page, const tmpl_closure_t *closure,
                     const tmpl_marks_t *marks, apr_pool_t *pool)
{
    apr_pool_t *scratch;
    apr_pool_create(&scratch, pool);
    marks_writer_t w = { .page = page, .closure = closure, .scratch = scratch };
    double template = closure->ratio * page->length;
    double least = template;
    marks = marks != NULL ? marks : &tmpl_marks_default;
    if (tmpl_marks_need_comments(marks)) {
        find_runs(&w);
    }
    w.edits = apr_palloc(pool, (most_edits(&w, marks) + 1) * sizeof(*w.edits));
    for (uint32_t i = 0; i < marks->n; i++) {
        w.mark = marks->marks[i];
        w.text = FIRST + i * PER_MARK;
        w.segment = 0;
        w.marked = 0;
        writers[kind_of_mark(w.mark)](&w);
        least = (double)w.marked < least ? (double)w.marked : least;
    }
    apr_pool_destroy(scratch);
    sort(w.edits, w.n);
    *edits = (tmpl_edits_t){ w.edits, w.n, texts_of(marks, pool) };
    return template > 0 ? 1 - least / template : 0;
}

void tmpl_strip(tmpl_edits_t *edits, const tmpl_closure_t *closure, apr_pool_t *pool)
{
    static const char *const nothing[] = { "" };
    tmpl_edit_t *e = apr_palloc(pool, (closure->n_cuts + 1) * sizeof(*e));
    for (uint32_t i = 0; i < closure->n_cuts; i++) {
        e[i] = (tmpl_edit_t){ closure->cuts[i].span, 0 };
    }
    *edits = (tmpl_edits_t){ e, closure->n_cuts, nothing };
}

const char *tmpl_edits_apply(apr_size_t *out_len, const tmpl_edits_t *edits, const char *src,
                             apr_size_t len, apr_pool_t *pool)
{
    apr_size_t room = len + 1;
    for (uint32_t i = 0; i < edits->n; i++) {
        room += strlen(tmpl_edit_text(edits, i));
    }
    char *out = apr_palloc(pool, room);
    char *to = out;
    apr_size_t at = 0;
    for (uint32_t i = 0; i < edits->n; i++) {
        const tmpl_edit_t *edit = &edits->edits[i];
        memcpy(to, src + at, edit->span.start - at);
        to += edit->span.start - at;
        to = stpcpy(to, tmpl_edit_text(edits, i));
        at = edit->span.end;
    }
    memcpy(to, src + at, len - at);
    to += len - at;
    *to = '\0';
    *out_len = (apr_size_t)(to - out);
    return out;
}
