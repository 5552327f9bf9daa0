/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/buf.h"
#include "html/attr.h"
#include "html/tag.h"

/* X(id, name, colour, label): how a block is shaded. */
#define KINDS(X)                                                                                   \
    X(TEMPLATE, "template", "213,43,30", "Template, which strip removes")                          \
    X(PART, "part", "122,60,170", "Left out by TmplParts")                                         \
    X(KEPT, "kept", "178,106,0", "Kept by a rule, though the detector says template")              \
    X(CONTENT, "content", "0,112,60", "Content")

typedef enum {
#define KIND_ID(id, name, colour, label) KIND_##id,
    KINDS(KIND_ID)
#undef KIND_ID
        KIND_COUNT,
    KIND_SEVERAL = KIND_COUNT /* text of several kinds directly in one element */
} shade_e;

static const struct {
    const char *name, *label;
} kinds[] = {
#define KIND_ROW(id, name, colour, label) { name, label },
    KINDS(KIND_ROW)
#undef KIND_ROW
};

/*
 * Every selector begins with :root:root, so that it is stronger than most of a page's own. Lines
 * and shades are inset shadows, as browsers paint these behind letters. A picture or a control is
 * in front of its shadows, so there an outline is the line. The shade is so light that text keeps
 * about nine tenths of its contrast.
 */
#define REPLACED ":is(img,video,audio,iframe,object,embed,canvas,svg,input,select,textarea)"
#define LINE(id, name, colour, label)                                                              \
    ":root:root [data-tmpl-is=" name "]{box-shadow:inset 0 0 0 1px rgb(" colour                    \
    "),inset 0 0 0 100vmax rgba(" colour ",.07)!important}\n"                                      \
    ":root:root [data-tmpl-is=own-" name "]{box-shadow:inset 0 0 0 1px rgb(" colour                \
    ")!important}\n"                                                                               \
    ":root:root [data-tmpl-is$=" name "]" REPLACED "{outline:2px solid rgb(" colour                \
    ")!important;outline-offset:-2px!important}\n"

/* What the legend looks like; the colour of a kind is at the left of its line. */
#define SAMPLE(id, name, colour, label)                                                            \
    ":root:root>head>meta[data-tmpl-is=" name "]{border-left:1em solid rgb(" colour ")!important;" \
    "box-shadow:none!important}\n"

/*
 * The legend is closed by a click on its first line. A style cannot remember that, so a transition
 * does: the line loses the focus with its visibility, and becomes visible again after 10^7 seconds.
 * The space behind the page's end is as high as the legend of a narrow window.
 */
static const char style[] =
    "<style>@media screen{\n"
    ":root:root>head{all:initial!important;display:block!important;position:fixed!important;"
    "left:0!important;bottom:0!important;z-index:2147483647!important;max-width:60em!important;"
    "max-height:50vh!important;overflow:hidden!important;pointer-events:none!important;"
    "color-scheme:light dark!important;font:13px/1.5 sans-serif!important}\n"
    ":root:root>head>meta[data-tmpl-note]{display:block!important;padding:0 .6em!important;"
    "background:Canvas!important;color:CanvasText!important;white-space:pre-line!important;"
    "border:solid CanvasText!important;border-width:0 1px 0 0!important;"
    "visibility:visible!important;transition:visibility 0s 10000000s!important}\n"
    ":root:root:has(>head>meta[data-tmpl-close]:focus)>head>meta"
    "{visibility:hidden!important;transition:none!important}\n"
    ":root:root>head>meta[data-tmpl-close]{pointer-events:auto!important;cursor:pointer!important;"
    "text-decoration:underline!important;border-top-width:1px!important}\n"
    ":root:root>head>:not([data-tmpl-note]){display:none!important}\n"
    /* on a phone the lines of the kinds are enough */
    "@media(max-width:40em){:root:root>head>meta[data-tmpl-how]{display:none!important}}\n"
    ":root:root>head>meta[data-tmpl-note]::after{content:attr(data-tmpl-note)!important}\n"
    /* the reasons of the innermost element that has the focus, in a corner of the window */
    ":root:root "
    "[data-tmpl-is]:focus-within:not(:has([data-tmpl-is]:focus-within))::after{content:attr(title)!"
    "important;position:fixed!important;"
    "right:0!important;bottom:0!important;z-index:2147483647!important;max-width:60em!important;"
    "padding:.3em .6em!important;border:1px solid!important;white-space:pre-line!important;"
    "color-scheme:light dark!important;background:Canvas!important;color:CanvasText!important;"
    "font:13px/1.5 sans-serif!important}\n"
    ":root:root::after{content:\"\"!important;display:block!important;clear:both!important;"
    "height:15em!important;"
    "font:13px/1.5 sans-serif!important}\n" /**/
    KINDS(LINE) KINDS(SAMPLE) ":root:root [data-tmpl-is=several]{box-shadow:inset 0 0 0 1px "
                              "#888!important}\n}</style>";
#undef LINE
#undef SAMPLE

/* An element, and a block whose text it shows. */
typedef struct {
    uint32_t node;
    uint32_t block;
    int whole; /* all text of the element is the block's */
} shown_t;

typedef struct {
    const tmpl_closure_t *closure;
    const tmpl_explain_t *explain;
    const tmpl_page_t *page;
    unsigned char *kinds; /* the kind of each block */
    const char **whys;    /* the reasons of each block, escaped */
    shown_t *shown;       /* in order of nodes, then of blocks */
    uint32_t n_shown;
    unsigned char *closed; /* for each node: the keyboard may not stop at it */
    const char **texts;
    tmpl_edit_t *edits;
    uint32_t n_edits;
    apr_pool_t *pool;
} highlight_t;

/* --- what is said --- */

/* Adds text as a value between '"', in ASCII whatever the page's charset is. */
static void add_escaped(tmpl_buf_t *buf, const char *text)
{
    for (size_t used, len = strlen(text); len > 0; text += used, len -= used) {
        uint32_t code = tmpl_utf8_next(text, len, &used);
        if (code >= 0x20 && code < 0x7F && strchr("&<>\"'", (int)code) == NULL) {
            tmpl_buf_add_byte(buf, (char)code);
        }
        else {
            char reference[16];
            int n = sprintf(reference, "&#%u;",
                            tmpl_is_character(code) ? code : (uint32_t)TMPL_REPLACEMENT);
            tmpl_buf_add(buf, reference, (apr_size_t)n);
        }
    }
}

static shade_e kind_of_block(const tmpl_explain_block_t *block)
{
    if (block->verdict.template) {
        return block->covered == TMPL_CUT_NONE             ? KIND_KEPT
               : block->verdict.part == TMPL_PART_TEMPLATE ? KIND_TEMPLATE
                                                           : KIND_PART;
    }
    return block->rule != TMPL_RULE_DETECTOR ? KIND_KEPT : KIND_CONTENT;
}

static const char *verdict_text(const tmpl_explain_block_t *block)
{
    return !block->verdict.template          ? "Content"
           : block->covered == TMPL_CUT_ALL  ? "Template"
           : block->covered == TMPL_CUT_PART ? "Template, cut in part"
                                             : "Template that stays";
}

static const char *df_text(const tmpl_explain_t *explain, uint32_t block, apr_pool_t *pool)
{
    const tmpl_counts_t *counts = explain->counts;
    if (counts->records == NULL) {
        return "DF: no counts of the site";
    }
    tmpl_span_t df = tmpl_explain_df(explain, block);
    return df.start == df.end
               ? apr_psprintf(pool, "DF: %u of %u pages", df.start, counts->pages)
               : apr_psprintf(pool, "DF: %u to %u of %u pages", df.start, df.end, counts->pages);
}

/* Why a block has its verdict, in some lines; temporary memory is from scratch. */
static const char *why_of(const highlight_t *h, uint32_t block, apr_pool_t *scratch)
{
    const tmpl_explain_t *explain = h->explain;
    const tmpl_explain_block_t *of = &explain->blocks[block];
    tmpl_explain_why_t why = tmpl_explain_why(explain, block, scratch);
    const char *text =
        apr_psprintf(scratch, "%s%s%s, %s%s%s\nDetector %s: %.3f, template above %.3f\n%s\n%s%s",
                     verdict_text(of), of->uncut != TMPL_UNCUT_NONE ? ": " : "",
                     tmpl_uncut_text(of->uncut), why.rule, why.part != NULL ? "\nPart: " : "",
                     why.part != NULL ? why.part : "", explain->detector, (double)of->verdict.ratio,
                     explain->threshold, df_text(explain, block, scratch),
                     explain->trees != NULL ? "Weighs most: " : "", why.evidence);
    tmpl_buf_t buf;
    tmpl_buf_init(&buf, h->pool);
    add_escaped(&buf, text);
    return buf.at;
}

static void say_why(highlight_t *h)
{
    uint32_t n = h->page->n_blocks;
    apr_pool_t *scratch;
    apr_pool_create(&scratch, h->pool);
    h->kinds = apr_palloc(h->pool, n + (apr_size_t)1);
    h->whys = apr_palloc(h->pool, (n + (apr_size_t)1) * sizeof(*h->whys));
    for (uint32_t b = 0; b < n; b++) {
        h->kinds[b] = (unsigned char)kind_of_block(&h->explain->blocks[b]);
        h->whys[b] = why_of(h, b, scratch);
        apr_pool_clear(scratch);
    }
    apr_pool_destroy(scratch);
}

/* --- which elements show a block --- */

/*
 * Whether an element may get attributes: it has a start tag, and the attributes do not change which
 * copies the parser makes of it (HTML5's list of formatting elements compares attributes).
 */
static int may_show(const tmpl_node_t *node)
{
    return tmpl_span_len(node->open) > 0 &&
           ((node->flags & TMPL_NODE_MARK) ||
            !(tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_FORMATTING));
}

static int is_within_block(const tmpl_node_t *node, const tmpl_block_t *block)
{
    return node->first_segment >= block->first_segment &&
           node->after_segment <= block->after_segment;
}

/*
 * The outermost element around a segment that has text of the segment's block only; if there is
 * none, the innermost element around the segment that may show it.
 */
static shown_t shown_by(const tmpl_page_t *page, uint32_t segment)
{
    uint32_t block = page->segments[segment].block;
    uint32_t i = page->segments[segment].node;
    shown_t found = { TMPL_NONE, block, 0 };
    for (; i != TMPL_NONE && is_within_block(&page->nodes[i], &page->blocks[block]);
         i = page->nodes[i].parent) {
        if (i != 0 && may_show(&page->nodes[i])) {
            found = (shown_t){ i, block, 1 };
        }
    }
    while (found.node == TMPL_NONE && i != TMPL_NONE) {
        if (may_show(&page->nodes[i])) {
            found.node = i;
        }
        i = page->nodes[i].parent;
    }
    return found;
}

static int by_place(const void *a, const void *b)
{
    const shown_t *one = a, *two = b;
    uint32_t x = one->node != two->node ? one->node : one->block;
    uint32_t y = one->node != two->node ? two->node : two->block;
    return x < y ? -1 : x > y;
}

static void find_shown(highlight_t *h)
{
    const tmpl_page_t *page = h->page;
    h->shown = apr_palloc(h->pool, (page->n_segments + (apr_size_t)1) * sizeof(*h->shown));
    for (uint32_t s = 0; s < page->n_segments;) {
        shown_t shown = shown_by(page, s);
        if (shown.node != TMPL_NONE) {
            h->shown[h->n_shown++] = shown;
        }
        s = shown.whole ? page->nodes[shown.node].after_segment : s + 1;
    }
    qsort(h->shown, h->n_shown, sizeof(*h->shown), by_place);
    /* several segments of a block may be directly in one element */
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->n_shown; i++) {
        if (n == 0 || by_place(&h->shown[n - 1], &h->shown[i]) != 0) {
            h->shown[n++] = h->shown[i];
        }
    }
    h->n_shown = n;
}

/* --- edits --- */

static void insert_in_highlight(highlight_t *h, uint32_t at, const char *text)
{
    h->texts[h->n_edits] = text;
    h->edits[h->n_edits] = (tmpl_edit_t){ { at, at }, h->n_edits };
    h->n_edits++;
}

/* Whether an element's role is one of the words. */
static int has_role(const tmpl_page_t *page, uint32_t node, const char *const *words)
{
    tmpl_attr_t role;
    if (!tmpl_attr_find(&role, page->src, page->nodes[node].open, "role")) {
        return 0;
    }
    while (*words != NULL && !tmpl_has_word(page->src, role.value, *words, tmpl_span_is)) {
        words++;
    }
    return *words != NULL;
}

/*
 * Finds the elements at which the keyboard may not stop, because a stop would break what the page
 * tells screen readers (ARIA): controls and what is inside them, which is a single thing to screen
 * readers, and elements that are hidden from screen readers.
 */
static void find_closed(highlight_t *h)
{
    static const char *const whole[] = {
        "button",      "checkbox",         "img",           "math",   "meter",  "option",
        "radio",       "menuitemcheckbox", "menuitemradio", "slider", "switch", "tab",
        "progressbar", "scrollbar",        "separator",     NULL
    };
    const tmpl_page_t *page = h->page;
    h->closed = apr_pcalloc(h->pool, page->n_nodes);
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const tmpl_node_t *node = &page->nodes[i];
        tmpl_attr_t attr;
        h->closed[i] = h->closed[node->parent] || node->tag == TMPL_TAG_BUTTON ||
                       tmpl_attr_find(&attr, page->src, node->open, "aria-hidden") ||
                       has_role(page, i, whole);
    }
}

/* Whether the keyboard may stop at an element. It may not if screen readers skip the element. */
static int may_focus(const highlight_t *h, uint32_t node)
{
    static const char *const nothing[] = { "none", "presentation", NULL };
    const tmpl_page_t *page = h->page;
    tmpl_span_t open = page->nodes[node].open;
    tmpl_attr_t attr;
    int is_ornament = page->nodes[node].tag == TMPL_TAG_IMG &&
                      tmpl_attr_find(&attr, page->src, open, "alt") &&
                      tmpl_span_len(attr.value) == 0;
    return !h->closed[node] && !is_ornament && !has_role(page, node, nothing) &&
           !tmpl_attr_find(&attr, page->src, open, "tabindex");
}

/* Gives an element the attributes of its blocks, shown[0] to shown[n - 1]. */
static void show_blocks(highlight_t *h, const shown_t *shown, uint32_t n)
{
    unsigned kind = h->kinds[shown->block];
    tmpl_buf_t text;
    tmpl_buf_init(&text, h->pool);
    for (uint32_t i = 0; i < n; i++) {
        kind = h->kinds[shown[i].block] == kind ? kind : KIND_SEVERAL;
    }
    tmpl_buf_add_text(&text, " data-tmpl-is=\"");
    tmpl_buf_add_text(&text, shown->whole ? "" : kind == KIND_SEVERAL ? "several" : "own-");
    tmpl_buf_add_text(&text, kind == KIND_SEVERAL ? "" : kinds[kind].name);
    for (uint32_t i = 0; i < n; i++) {
        tmpl_buf_add_text(&text, i > 0 ? "&#10;" : "\" title=\"");
        tmpl_buf_add_text(&text, h->whys[shown[i].block]);
    }
    tmpl_buf_add_text(&text, may_focus(h, shown->node) ? "\" tabindex=\"0\"" : "\"");
    insert_in_highlight(h, tmpl_attr_first(h->page->src, h->page->nodes[shown->node].open),
                        text.at);
}

/* Where the head ends: in front of body's start tag, or of what makes the parser open body. */
static uint32_t end_of_head(const tmpl_page_t *page)
{
    uint32_t at = page->segments[0].span.start;
    if (tmpl_span_len(page->nodes[0].open) > 0) {
        return page->nodes[0].open.start;
    }
    return page->n_nodes > 1 && page->nodes[1].open.start < at ? page->nodes[1].open.start : at;
}

static const char *legend(const highlight_t *h)
{
    uint32_t n[KIND_COUNT] = { 0 };
    const char *text =
        "<meta data-tmpl-close tabindex=\"-1\" data-tmpl-note=\"Close this legend\">";
    for (uint32_t b = 0; b < h->page->n_blocks; b++) {
        n[h->kinds[b]]++;
    }
    for (unsigned k = 0; k < KIND_COUNT; k++) {
        tmpl_part_set_t parts = k == KIND_PART ? h->closure->parts : 0;
        if (n[k] == 0) {
            continue;
        }
        text = apr_psprintf(h->pool, "%s<meta data-tmpl-is=\"%s\" data-tmpl-note=\"%s: %u%s%s\">",
                            text, kinds[k].name, kinds[k].label, n[k], parts != 0 ? ", of " : "",
                            tmpl_part_names(parts, h->pool));
    }
    return apr_pstrcat(
        h->pool, text,
        "<meta data-tmpl-how data-tmpl-note=\"Not shaded: not judged. Only a line: only the text "
        "directly in the element. Why: point at a block, or press Tab.\">",
        NULL);
}

void tmpl_highlight(tmpl_edits_t *edits, const tmpl_closure_t *closure,
                    const tmpl_explain_t *explain, apr_pool_t *pool)
{
    highlight_t h = { .closure = closure, .explain = explain, .page = explain->page, .pool = pool };
    say_why(&h);
    find_shown(&h);
    find_closed(&h);
    h.texts = apr_palloc(pool, (h.n_shown + (apr_size_t)1) * sizeof(*h.texts));
    h.edits = apr_palloc(pool, (h.n_shown + (apr_size_t)1) * sizeof(*h.edits));
    insert_in_highlight(&h, end_of_head(h.page), "");
    for (uint32_t i = 0, n; i < h.n_shown; i += n) {
        n = 1;
        while (i + n < h.n_shown && h.shown[i + n].node == h.shown[i].node) {
            n++;
        }
        show_blocks(&h, &h.shown[i], n);
    }
    h.texts[0] = apr_pstrcat(pool, style, legend(&h), NULL);
    *edits = (tmpl_edits_t){ h.edits, h.n_edits, h.texts };
}
