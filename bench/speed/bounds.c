/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds [LIST [KIND]]: time and memory of the worst pages. A page is parsed, looked up in a store,
 * copied as a page that waits to be learnt is, judged, marked as template completely and stripped,
 * in a process of its own; then it is learnt. With MODE=marks it is annotated with 16 marks at once
 * instead of stripped; with MODE=markdown all of it is written as Markdown, too.
 *
 * The kinds that a table lists are made at doubling sizes up to the default of TmplMaxBody, with
 * detector incremental and with auto: prints time and peak memory by size. The kinds that a grammar
 * derives from each element are made at one size, with each detector: prints those that take the
 * most memory. Fails if time or memory per byte grows with the size, or if a page takes too much
 * time or memory. With LIST, a file that names pages, prints their memory, and how many of them are
 * declined as too dense.
 *
 * KIND is a name of the table, or one that the grammar has printed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_strings.h>

#include "body.h"
#include "clean.h"
#include "measure.h"

#define KIB        1024u
#define SMALLEST   (64 * KIB)
#define SIZES      8    /* 64 KiB to 8 MiB */
#define ENOUGH     0.05 /* seconds to measure for each size: the clock may tick every 10 ms */
#define ROUNDS     5000 /* or that many pages */
#define SECONDS    10   /* the limit for a page */
#define MAX_GROWTH 3.0  /* of the time per byte from the smallest to the largest size */
#define MAX_TIME   1.0  /* seconds, of any page */
#define FIXED      (2048.0 * KIB) /* bytes of memory that a page of any size may take (page.h) */

/* What is measured, and how much memory it may take: so many times the page, and FIXED. */
typedef struct {
    const char *name; /* of MODE */
    tmpl_mode_e mode;
    double times, fixed;
    int by_detector; /* it depends on the detector */
} measured_t;

static const measured_t measures[] = {
    { "strip", TMPL_MODE_STRIP, 15, 1, 1 },
    { "marks", TMPL_MODE_ANNOTATE, 15, 1, 0 },
    { "markdown", TMPL_MODE_MARKDOWN, 25, 2, 0 }, /* with a tree */
};
static const measured_t *measured = &measures[0];

/*
 * A page: begin, deep times nest, then unit until the size is reached, then end. '#' in a unit
 * becomes an increasing number, '@' the same number in letters, of which it needs fewer. With
 * middle, there are two halves with the same numbers, and middle in between.
 */
typedef struct {
    const char *name;
    const char *nest;
    unsigned deep;
    const char *begin;
    const char *unit;
    const char *middle;
    const char *end;
} kind_t;

static const kind_t kinds[] = {
    { .name = "ordinary", .unit = "<div class=c><p>Some text, <a href=/#>a link</a>.</div>\n" },
    { .name = "one huge text", .unit = "text " },
    { .name = "references to nothing", .unit = "&zzzzzz " },
    { .name = "huge attribute", .begin = "<div title=\"", .unit = "text ", .end = "\">x</div>" },
    { .name = "huge comment", .begin = "<!--", .unit = "text ", .end = "-->x" },
    { .name = "huge script", .begin = "<script>", .unit = "text ", .end = "</script>x" },
    { .name = "100,000 deep", .unit = "<div>x" },
    { .name = "spans deep", .unit = "<span>x" },
    { .name = "unknown deep", .unit = "<x-#>" },
    { .name = "500 deep", .nest = "<div>", .deep = 500, .unit = "<p>x</p>" },
    { .name = "500 deep, blocks", .nest = "<div>", .deep = 500, .unit = "<div>x</div>" },
    { .name = "500 deep, stray ends", .nest = "<div>", .deep = 500, .unit = "</p>" },
    { .name = "500 deep, stray i", .nest = "<div>", .deep = 500, .unit = "</i>" },
    { .name = "500 spans, stray ends", .nest = "<span>", .deep = 500, .unit = "</x>" },
    { .name = "500 spans, text", .nest = "<span>", .deep = 500, .unit = "x<br>" },
    { .name = "500 deep in b", .begin = "<b>", .nest = "<div>", .deep = 500, .unit = "x<br>" },
    { .name = "500 deep, over and over",
      .unit = "<i><i><i><i><i><u><u><u></u></u></u></i></i></i></i></i>" },
    { .name = "tiny elements", .unit = "<i>x</i>" },
    { .name = "tiny empty elements", .unit = "<b></b>" },
    { .name = "br", .unit = "<br>" },
    { .name = "img", .unit = "<img src=#>" },
    { .name = "unknown names", .unit = "<x#>x</x#>" },
    { .name = "attributes", .begin = "<div ", .unit = "a# ", .end = ">x</div>" },
    { .name = "attributes, one name", .begin = "<div ", .unit = "a ", .end = ">x</div>" },
    { .name = "attributes, two b",
      .begin = "<b ",
      .unit = "a# ",
      .middle = ">x<b ",
      .end = ">x</b></b>" },
    { .name = "attributes, many b", .unit = "<b a b c d e f g h i j k l m n o p=#>x</b>" },
    { .name = "attributes in open b",
      .nest = "<b a b c d e f g h i j=#>",
      .deep = 480,
      .unit = "<b a b c d e f g h i j=x>x</b>" },
    { .name = "b not closed", .unit = "<b>" },
    { .name = "b x not closed", .unit = "<b>x" },
    { .name = "b in p not closed", .unit = "<p><b>x" },
    { .name = "b in p, ends", .unit = "<p><b></p>" },
    { .name = "b in p, numbered", .unit = "<p><b id=#></p>" },
    { .name = "b come back", .begin = "<p>", .nest = "<b id=#>", .deep = 480, .unit = "</p><p>x" },
    { .name = "b come back, 240 deep",
      .nest = "<div>",
      .deep = 240,
      .begin =
          "<p><b id=1><b id=2><b id=3><b id=4><b id=5><b id=6><b id=7><b id=8><b id=9><b id=10>",
      .unit = "</p><p>x" },
    { .name = "a in a", .unit = "<a href=#>x" },
    { .name = "a in a, blocks", .unit = "<a href=#><div>x" },
    { .name = "nobr", .unit = "<nobr>x" },
    { .name = "misnested", .unit = "<p><b><i>x</b>y</i></p>" },
    { .name = "misnested blocks", .unit = "<b><div>x</b>y</div>" },
    { .name = "adoption", .nest = "<b><div>", .deep = 240, .unit = "</b>" },
    { .name = "adoption again", .nest = "<div>", .deep = 240, .unit = "<b><p><p></b></p>" },
    { .name = "adoption over spans",
      .unit = "<b><u><s><i><span><span><div>x</b></div></span></span></i></s></u>" },
    { .name = "b over a table", .begin = "<b><table>", .unit = "</b>" },
    { .name = "markers left", .unit = "<div><object></div>", .middle = "", .end = "x" },
    { .name = "markers left, b",
      .begin = "",
      .unit = "<div><object></div><div><b><b><b><b></b></b></b></b></div>" },
    { .name = "marquee left, b", .unit = "<div><marquee><b></div>" },
    { .name = "foster parents", .unit = "<table>x<b>y</table>" },
    { .name = "table in table", .unit = "<table>" },
    { .name = "cells", .begin = "<table>", .unit = "<tr><td>x" },
    { .name = "tables in cells", .unit = "<table><tr><td>x" },
    { .name = "text in table", .begin = "<table>", .unit = "x<tr>" },
    { .name = "hidden in table", .begin = "<table>", .unit = "<script></script>" },
    { .name = "colgroups", .begin = "<table>", .unit = "<colgroup><col>" },
    { .name = "li", .begin = "<ul>", .unit = "<li>x" },
    { .name = "dl", .begin = "<dl>", .unit = "<dt>x<dd>y" },
    { .name = "dl numbered", .begin = "<dl>", .unit = "<dt>T#<dd>D#" },
    { .name = "headings numbered", .unit = "<h1>H#</h1><p>t#" },
    { .name = "li in spans", .begin = "<ul>", .nest = "<span>", .deep = 500, .unit = "<li>" },
    { .name = "headings", .unit = "<h1>x<h2>y" },
    { .name = "buttons", .unit = "<button>x" },
    { .name = "forms", .unit = "<form>x" },
    { .name = "form ends", .unit = "</form>" },
    { .name = "forms, divs", .unit = "<form><div></form>x</div>" },
    { .name = "ruby", .begin = "<ruby>", .unit = "<rb>x<rt>y" },
    { .name = "select", .unit = "<select><option>x</select>" },
    { .name = "select not closed", .unit = "<select>" },
    { .name = "option", .unit = "<option>" },
    { .name = "option in select", .begin = "x<select>", .unit = "<option>x", .end = "</select>" },
    { .name = "optgroup", .begin = "x<select>", .unit = "<optgroup><option>x", .end = "</select>" },
    { .name = "select, divs", .begin = "x<select>", .unit = "<div>", .end = "</select>" },
    { .name = "stray ends", .unit = "</div>" },
    { .name = "stray p", .unit = "</p>" },
    { .name = "stray br", .unit = "</br>" },
    { .name = "stray body", .unit = "</body>x" },
    { .name = "body", .unit = "<body>x" },
    { .name = "html", .unit = "<html>x" },
    { .name = "svg", .unit = "<svg><g/></svg>x" },
    { .name = "svg deep", .begin = "x<svg>", .unit = "<g>" },
    { .name = "svg in svg", .begin = "x", .unit = "<svg>" },
    { .name = "foreignObject", .begin = "x", .unit = "<svg><foreignObject>" },
    { .name = "cdata in svg", .begin = "x<svg>", .unit = "<![CDATA[x]]>", .end = "</svg>" },
    { .name = "cdata", .begin = "x", .unit = "<![CDATA[" },
    { .name = "math", .unit = "<math><mi>x</mi></math>x" },
    { .name = "template", .unit = "<template><div></template>x" },
    { .name = "templates deep", .begin = "x", .unit = "<template>" },
    { .name = "template, divs", .begin = "x<template>", .unit = "<div>", .end = "</template>" },
    { .name = "noscript", .unit = "<noscript>x</noscript>y" },
    { .name = "noscript not closed", .begin = "x", .unit = "<noscript>" },
    { .name = "noscripts in one", .begin = "x", .unit = "<noscript>", .end = "</noscript>" },
    { .name = "textarea", .unit = "<textarea>x</textarea>y" },
    { .name = "iframe", .begin = "x", .unit = "<iframe>" },
    { .name = "comments", .unit = "<!-- -->x" },
    { .name = "comment not closed", .begin = "x<!--", .unit = "-- >" },
    { .name = "comments opened", .begin = "x", .unit = "<!--" },
    { .name = "comment of dashes", .begin = "x<!--", .unit = "-", .end = "-->" },
    { .name = "comment of --!", .begin = "x<!--", .unit = "--!", .end = "-->" },
    { .name = "bogus comments", .unit = "<?x>y" },
    { .name = "bogus comments opened", .begin = "x", .unit = "<?" },
    { .name = "</ in script", .begin = "x<script>", .unit = "</script", .end = "</script>" },
    { .name = "<!-- in script", .begin = "x<script>", .unit = "<!--", .end = "--></script>" },
    { .name = "<script in script",
      .begin = "x<script><!--",
      .unit = "<script ",
      .end = "--></script>" },
    { .name = "script not closed", .begin = "x", .unit = "<script>" },
    { .name = "scripts", .unit = "<script></script>x" },
    { .name = "scripts 500 deep", .nest = "<div>", .deep = 500, .unit = "<script></script>x" },
    { .name = "</ in style", .begin = "x<style>", .unit = "</", .end = "</style>" },
    { .name = "title", .unit = "<title>x</title>y" },
    { .name = "<", .unit = "<" },
    { .name = "< and spaces", .unit = "< " },
    { .name = "</", .unit = "</" },
    { .name = "<a", .unit = "<a" },
    { .name = "tag not closed", .begin = "x<div ", .unit = "a=\"" },
    { .name = "<a href=\"", .begin = "x", .unit = "<a href=\"" },
    { .name = "&", .unit = "&" },
    { .name = "&nbsp;", .unit = "&nbsp;", .end = "x" },
    { .name = "&nbsp", .unit = "&nbsp" },
    { .name = "character references", .unit = "&#1;&amp;&notit;" },
    { .name = "spaces", .unit = " ", .end = "x" },
    { .name = "NUL", .unit = "^" },
    { .name = "links", .unit = "<link rel=\"x x x x canonica\" href=x>x" },
    { .name = "metas", .unit = "<meta charset=x>" },
    { .name = "hr in p", .unit = "<p>x<hr>" },
    { .name = "pre", .unit = "<pre>\n<b>x</pre>" },
    { .name = "template and content", .unit = "<div>x</div><section><p>x<br>y</section>" },
    { .name = "separators", .unit = "<ul><li>x</ul>" },
    { .name = "controls of one part",
      .begin = "<div id=x>",
      .unit = "<p><a aria-controls=x>x</a>" },
    { .name = "asked for by one script",
      .begin = "<p>x</p><script>",
      .unit = "document.getElementById('#')",
      .end = "</script>x" },
    { .name = "asked for", .unit = "<b id=x#>x</b><script>document.querySelector('#x#')</script>" },
    { .name = "asking where they stand, deep",
      .nest = "<div>",
      .deep = 500,
      .unit = "<i><b><u>x</u></b></i><script>document.write()</script>" },
    { .name = "runs", .begin = "<div>", .unit = "x<br>y<span>z</span>", .end = "</div>" },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

typedef struct {
    double seconds;
    double memory; /* peak in bytes, without the page itself */
    tmpl_decline_e decline;
    uint32_t cuts;
} cost_t;

typedef struct {
    char *bytes;
    apr_size_t len;
    apr_size_t room;
} buffer_t;

/* A number in base 52: no digits, which layout paths take for one another. */
static void put_letters(buffer_t *b, unsigned number)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    do {
        b->bytes[b->len++] = letters[number % 52];
        number /= 52;
    } while (number > 0);
}

static void put(buffer_t *b, const char *text, unsigned number)
{
    for (const char *p = text != NULL ? text : ""; *p != '\0' && b->room - b->len > 16; p++) {
        if (*p == '#') {
            b->len += (apr_size_t)snprintf(b->bytes + b->len, 12, "%u", number);
        }
        else if (*p == '@') {
            put_letters(b, number);
        }
        else {
            b->bytes[b->len++] = *p == '^' ? '\0' : *p;
        }
    }
}

static void fill(buffer_t *b, const char *unit, apr_size_t until)
{
    for (unsigned i = 0; b->len < until; i++) {
        put(b, unit, i);
    }
}

static void make_page(buffer_t *b, const kind_t *kind, apr_size_t size)
{
    b->room = size + 64 * KIB;
    b->bytes = malloc(b->room);
    b->len = 0;
    if (b->bytes == NULL) {
        abort();
    }
    put(b, "<!DOCTYPE html><html><head><title>t</title></head><body><p>A text.</p>", 0);
    put(b, kind->begin, 0);
    for (unsigned i = 0; i < kind->deep; i++) {
        put(b, kind->nest, i);
    }
    if (kind->middle != NULL) {
        fill(b, kind->unit, size / 2);
        put(b, kind->middle, 0);
    }
    fill(b, kind->unit, size);
    put(b, kind->end, 0);
}

static double now(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* A field of /proc/self/status, in bytes. */
static double status_of(const char *field)
{
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        if (strncmp(line, field, strlen(field)) == 0) {
            kib = strtod(line + strlen(field) + 1, NULL);
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    return kib * KIB;
}

static void reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f == NULL || fputs("5", f) < 0 || fclose(f) != 0) {
        perror("bounds: /proc/self/clear_refs");
        exit(2);
    }
}

static tmpl_clean_opts_t opts;

/* As many marks as there may be: all presets, and attributes. */
static const tmpl_marks_t *most_marks(apr_pool_t *pool)
{
    static const char *const names[] = {
#define NAME(name, attribute, value, elements, against, begin, end, readers) name,
        TMPL_MARKS(NAME)
#undef NAME
    };
    tmpl_marks_t *marks = NULL;
    tmpl_error_t err;
    for (unsigned i = 0; i < TMPL_MARKS_MOST; i++) {
        const char *name =
            i < sizeof(names) / sizeof(*names) ? names[i] : apr_psprintf(pool, "data-mark-%u", i);
        if (tmpl_marks_add(&marks, name, &err, pool) != APR_SUCCESS) {
            abort();
        }
    }
    return marks;
}

/* Takes all of a page as template, and strips or marks it: no page has more edits. */
static void edit(cost_t *cost, const tmpl_outcome_t *outcome, const buffer_t *b, apr_pool_t *pool)
{
    const tmpl_page_t *page = outcome->page;
    tmpl_verdict_t *verdicts = apr_palloc(pool, page->n_blocks * sizeof(*verdicts));
    tmpl_guards_t guards = { 0 };
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    for (uint32_t i = 0; i < page->n_blocks; i++) {
        verdicts[i] = (tmpl_verdict_t){ 1, 1 };
    }
    if (opts.mode == TMPL_MODE_ANNOTATE) {
        tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_MARK, pool);
        tmpl_annotate(&edits, page, &closure, opts.marks, pool);
    }
    else {
        tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, pool);
        tmpl_strip(&edits, &closure, pool);
    }
    tmpl_edits_apply(&len, &edits, b->bytes, b->len, pool);
    cost->cuts = closure.n_cuts;
}

/* All steps of a request. Returns the copy that waits to be learnt, from malloc, or NULL. */
static tmpl_observation_t *request(cost_t *cost, const buffer_t *b, tmpl_store_t *store,
                                   apr_pool_t *pool)
{
    tmpl_outcome_t outcome;
    tmpl_input_t input = { .body = b->bytes, .len = b->len, .site = "s", .uri = "/" };
    input.learn = TMPL_LEARNING_LATER;
    if (!tmpl_clean_read(&outcome, &input, &opts, pool)) {
        cost->decline = outcome.decline;
        return NULL;
    }
    cost->decline = TMPL_DECLINE_NONE;
    tmpl_clean_observe(&outcome, &input, &opts, pool);
    if (outcome.decline != TMPL_DECLINE_NONE) {
        cost->decline = outcome.decline;
        return NULL;
    }
    tmpl_clean_count(&outcome, store, apr_time_from_sec(SECONDS), pool);
    tmpl_observation_t *waiting = tmpl_observation_copy(&outcome.observation);
    tmpl_clean_decide(&outcome, &opts, pool);
    if (opts.mode == TMPL_MODE_MARKDOWN) {
        apr_size_t len;
        if (tmpl_body(&len, &outcome, &input, &opts, "http://site.example/page", pool) == NULL) {
            cost->decline = TMPL_DECLINE_MARKDOWN;
        }
    }
    edit(cost, &outcome, b, pool);
    return waiting;
}

/* A pool that returns memory to the system as httpd's pools do (MaxMemFree's default). */
static apr_pool_t *new_pool(void)
{
    enum { MAX_FREE = 2048 * KIB };
    apr_allocator_t *allocator;
    apr_pool_t *pool;
    if (apr_allocator_create(&allocator) != APR_SUCCESS) {
        abort();
    }
    apr_allocator_max_free_set(allocator, MAX_FREE);
    apr_pool_create_ex(&pool, NULL, NULL, allocator);
    apr_allocator_owner_set(allocator, pool);
    return pool;
}

/* Learns the page that waits, as the watchdog does: its request has ended. */
static void learn(tmpl_observation_t *waiting, tmpl_store_t *store)
{
    const tmpl_observation_t *pages[] = { waiting };
    apr_pool_t *pool = new_pool();
    tmpl_error_t err;
    if (waiting != NULL && tmpl_store_learn(store, pages, 1, apr_time_from_sec(SECONDS), NULL, &err,
                                            pool) != APR_SUCCESS) {
        fprintf(stderr, "bounds: learning: %s\n", err.text);
        exit(2);
    }
    apr_pool_destroy(pool);
    free(waiting);
}

/* A request on a new site, and learning if it is wanted; returns the CPU time of the request. */
static double round_trip(cost_t *cost, const buffer_t *b, int learns)
{
    tmpl_error_t err;
    tmpl_store_t *store;
    apr_pool_t *process = new_pool();
    apr_pool_t *pool = new_pool();
    if (tmpl_store_open(&store, "memory:", NULL, &err, process) != APR_SUCCESS) {
        abort();
    }
    double begin = now();
    tmpl_observation_t *waiting = request(cost, b, store, pool);
    apr_pool_destroy(pool);
    double took = now() - begin;
    if (learns) {
        learn(waiting, store);
    }
    else {
        free(waiting);
    }
    apr_pool_destroy(process);
    return took;
}

/*
 * Pages before the measured one, so that one-time costs of a process do not count: code, random
 * bytes, tables that grow with the length of texts.
 */
static void warm_up(void)
{
    static char small[] = "<!DOCTYPE html><title>t</title><p>x <a href=/>y</a><img src=z><b>x</b>";
    buffer_t pages[] = { { small, sizeof(small) - 1, sizeof(small) }, { 0 } };
    make_page(&pages[1], &kinds[0], 2 * SMALLEST);
    for (int i = 0; i < 2; i++) {
        cost_t cost;
        round_trip(&cost, &pages[i], 1);
    }
    free(pages[1].bytes);
}

/*
 * Memory of the first run of a page, and its time as a mean over ENOUGH seconds, at least one run.
 */
static void measure(cost_t *cost, const buffer_t *b, double enough)
{
    double total = 0;
    int rounds = 0;
    reset_peak();
    double before = status_of("VmRSS:");
    do {
        total += round_trip(cost, b, rounds == 0);
        if (rounds++ == 0) {
            cost->memory = status_of("VmHWM:") - before;
        }
    } while (total < enough && rounds < ROUNDS);
    cost->seconds = total / rounds;
}

/* In its own process, so that memory of one page does not count for the next. */
static void run(cost_t *cost, const kind_t *kind, apr_size_t size, double enough)
{
    static const struct rlimit limit = { SECONDS, SECONDS + 1 };
    int status;
    *cost = (cost_t){ .seconds = SECONDS };
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        buffer_t b;
        setrlimit(RLIMIT_CPU, &limit);
        apr_initialize();
        make_page(&b, kind, size);
        measure(cost, &b, enough);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGXCPU) {
        fprintf(stderr, "bounds: %s: signal %d\n", kind->name, WTERMSIG(status));
        exit(2);
    }
}

/* The cost of a byte at the smallest size, and the largest cost at any other size. */
typedef struct {
    double first;
    double most;
} per_byte_t;

static int is_too_much(double memory, double size)
{
    return memory > measured->times * size + measured->fixed * FIXED;
}

static void note(per_byte_t *p, double cost, double size)
{
    if (p->first == 0) {
        p->first = cost / size;
    }
    p->most = cost / size > p->most ? cost / size : p->most;
}

static int run_kind(const kind_t *kind, cost_t *cost)
{
    double largest = 0;
    int too_much = 0;
    per_byte_t time = { 0, 0 };
    per_byte_t memory = { 0, 0 };
    printf("%-26s %-11s", kind->name, tmpl_detector(opts.detector)->name);
    for (unsigned i = 0; i < SIZES; i++) {
        double size = (double)(SMALLEST << i);
        run(cost, kind, SMALLEST << i, ENOUGH);
        if (cost->seconds >= SECONDS) {
            printf("  NO END\n");
            return 0;
        }
        printf(" %8.2f", cost->seconds * 1e3);
        largest = cost->seconds > largest ? cost->seconds : largest;
        /* If a limit declines the larger pages, growth is that of the others. */
        if (i == 0 || i >= 2) {
            note(&time, cost->seconds, size);
        }
        if (i >= 2) { /* for smaller sizes constant costs dominate */
            note(&memory, cost->memory, size);
            too_much |= is_too_much(cost->memory, size);
        }
    }
    double growth = time.most / time.first;
    double memory_growth = memory.first > 0 ? memory.most / memory.first : 1;
    const char *verdict = largest > MAX_TIME                              ? "  TOO LONG"
                          : growth > MAX_GROWTH && largest > 2e-3         ? "  GROWS"
                          : too_much                                      ? "  TOO MUCH MEMORY"
                          : memory_growth > MAX_GROWTH && memory.most > 1 ? "  MEMORY GROWS"
                                                                          : "";
    printf(" %6.2f %6.1f %6.2f  %s%s\n", growth, memory.most, memory_growth,
           cost->decline != TMPL_DECLINE_NONE ? tmpl_decline_name(cost->decline) : "", verdict);
    return *verdict == '\0';
}

/* Memory of the pages that a list names, as a multiple of their size. */
static void run_list(const char *list, cost_t *cost)
{
    enum { MAX_PAGES = 20000, SMALL = 16 * KIB };
    static double ratios[MAX_PAGES];
    unsigned n = 0;
    unsigned dense = 0;
    char path[4096];
    FILE *names = fopen(list, "r");
    while (names != NULL && n < MAX_PAGES && fgets(path, sizeof(path), names) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        FILE *f = fopen(path, "rb");
        buffer_t b = { malloc(16 * KIB * KIB), 0, 16 * KIB * KIB };
        if (f == NULL || b.bytes == NULL) {
            fprintf(stderr, "bounds: cannot read %s\n", path);
            exit(2);
        }
        b.len = fread(b.bytes, 1, b.room, f);
        fclose(f);
        if (b.len > 0) {
            pid_t pid = fork();
            if (pid == 0) {
                apr_initialize();
                measure(cost, &b, 0);
                _exit(0);
            }
            waitpid(pid, NULL, 0);
            dense += cost->decline == TMPL_DECLINE_TOO_MANY;
        }
        if (b.len > SMALL) {
            ratios[n++] = cost->memory / (double)b.len;
        }
        free(b.bytes);
    }
    if (n > 0) {
        double median = median_of(ratios, n);
        printf("%s: %u pages of more than %u KiB: memory over size, median %.1f, 99 of 100 below "
               "%.1f, largest %.1f; %u pages declined as %s\n",
               tmpl_detector(opts.detector)->name, n, SMALL / KIB, median, ratios[n * 99 / 100],
               ratios[n - 1], dense, tmpl_decline_name(TMPL_DECLINE_TOO_MANY));
    }
    if (names != NULL) {
        fclose(names);
    }
}

/* ---- the grammar ---- */

#define DERIVED_SIZE  (1024 * KIB)
#define DERIVED_SHOWN 5 /* kinds for each detector */

/*
 * A derived kind: units <ELEMENT ATTRIBUTE>TEXT, with an end tag or without, and perhaps the text
 * again behind it.
 */
typedef struct {
    kind_t kind;
    char name[64];
    double memory;
} derived_t;

static const char *const derived_texts[] = { "", "x", "@" };
static const char *const derived_attributes[] = { "", " class=c", " id=@", " href=@ src=@" };
enum {
    TEXTS = sizeof(derived_texts) / sizeof(*derived_texts),
    ATTRIBUTES = sizeof(derived_attributes) / sizeof(*derived_attributes),
    FORMS = 3, /* no end tag; an end tag; an end tag and text */
    DERIVED_MOST = (TMPL_TAG_COUNT + 1) * TEXTS * ATTRIBUTES * FORMS
};

static void derive(derived_t *to, const char *element, unsigned flags, unsigned text,
                   unsigned attribute, unsigned form)
{
    const char *words = derived_texts[text];
    int len = snprintf(to->name, sizeof(to->name), "<%s%s>%s", element,
                       derived_attributes[attribute], words);
    if (form > 0) {
        snprintf(to->name + len, sizeof(to->name) - (size_t)len, "</%s>%s", element,
                 form > 1 ? words : "");
    }
    to->kind = (kind_t){ .name = to->name, .unit = to->name };
    /* parts of a table stand in a table only */
    to->kind.begin = flags & TMPL_IS_PART ? "<table>" : NULL;
}

/* All kinds. A unit of the grammar is its kind's name. */
static unsigned derive_all(derived_t *all)
{
    unsigned n = 0;
    for (unsigned tag = TMPL_TAG_OTHER; tag <= TMPL_TAG_COUNT; tag++) {
        const char *element = tag == TMPL_TAG_OTHER   ? "x-x"
                              : tag == TMPL_TAG_COUNT ? "x-@"
                                                      : tmpl_tag_name((tmpl_tag_e)tag);
        unsigned flags = tag < TMPL_TAG_COUNT ? tmpl_tag_flags((tmpl_tag_e)tag) : 0;
        unsigned forms = flags & TMPL_IS_VOID ? 1 : FORMS;
        for (unsigned i = 0; i < TEXTS * ATTRIBUTES * forms; i++) {
            derive(&all[n++], element, flags, i % TEXTS, i / TEXTS % ATTRIBUTES,
                   i / TEXTS / ATTRIBUTES);
        }
    }
    return n;
}

static int by_memory(const void *a, const void *b)
{
    double x = ((const derived_t *)a)->memory;
    double y = ((const derived_t *)b)->memory;
    return (x < y) - (x > y);
}

/* Prints the derived kinds that take the most memory; returns whether all are within the bound. */
static int run_derived(const char *only, cost_t *cost)
{
    static derived_t all[DERIVED_MOST];
    unsigned n = derive_all(all);
    unsigned declined = 0;
    for (unsigned i = 0; i < n; i++) {
        all[i].memory = 0;
        if (only == NULL || strcmp(only, all[i].name) == 0) {
            run(cost, &all[i].kind, DERIVED_SIZE, 0);
            declined += cost->decline == TMPL_DECLINE_TOO_MANY;
            all[i].memory = cost->memory;
        }
    }
    qsort(all, n, sizeof(*all), by_memory);
    printf("%s: %u derived kinds of %u KiB, %u declined as %s; memory over size of the worst:",
           tmpl_detector(opts.detector)->name, n, DERIVED_SIZE / KIB, declined,
           tmpl_decline_name(TMPL_DECLINE_TOO_MANY));
    for (unsigned i = 0; i < DERIVED_SHOWN && all[i].memory > 0; i++) {
        printf(" %.1f %s", all[i].memory / DERIVED_SIZE, all[i].name);
    }
    int too_much = is_too_much(all[0].memory, DERIVED_SIZE);
    printf("%s\n", too_much ? "  TOO MUCH MEMORY" : "");
    return !too_much;
}

static int run_listed(const char *only, cost_t *cost)
{
    static const tmpl_detector_e detectors[] = { TMPL_DETECTOR_INCREMENTAL, TMPL_DETECTOR_AUTO };
    unsigned n = measured->by_detector ? sizeof(detectors) / sizeof(*detectors) : 1;
    int ok = 1;
    printf("milliseconds by size; the largest time per byte over that of the smallest size; peak "
           "memory over size, and the largest over that of 256 KiB\n%-26s %-11s",
           "", "");
    for (unsigned i = 0; i < SIZES; i++) {
        printf(" %5u KiB", (SMALLEST << i) / KIB);
    }
    printf(" growth memory growth\n");
    for (unsigned i = 0; i < KINDS; i++) {
        for (unsigned k = 0; k < n; k++) {
            if (only == NULL || strcmp(only, kinds[i].name) == 0) {
                opts.detector = detectors[k];
                ok &= run_kind(&kinds[i], cost);
            }
        }
    }
    return ok;
}

int main(int argc, char **argv)
{
    const char *only = argc > 2 ? argv[2] : NULL;
    tmpl_error_t err;
    apr_pool_t *pool;
    cost_t *cost =
        mmap(NULL, sizeof(*cost), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    apr_initialize();
    apr_pool_create(&pool, NULL);
    opts = tmpl_clean_opts_default;
    const char *mode = getenv("MODE");
    for (unsigned i = 0; i < sizeof(measures) / sizeof(*measures); i++) {
        measured = mode != NULL && strcmp(mode, measures[i].name) == 0 ? &measures[i] : measured;
    }
    opts.mode = measured->mode;
    opts.marks = most_marks(pool);
    if (cost == MAP_FAILED || tmpl_models_builtin(&opts.detect.models, &err, pool) != APR_SUCCESS) {
        return 2;
    }
    warm_up(); /* here, so that each process begins with it */
    unsigned detectors = measured->by_detector ? TMPL_DETECTOR_COUNT : 1;
    for (unsigned k = 0; argc > 1 && k < detectors; k++) {
        opts.detector = (tmpl_detector_e)k;
        run_list(argv[1], cost);
    }
    int ok = run_listed(only, cost);
    for (unsigned k = 0; k < detectors; k++) {
        opts.detector = (tmpl_detector_e)k;
        ok &= run_derived(only, cost);
    }
    return ok ? 0 : 1;
}
