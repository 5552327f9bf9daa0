/* SPDX-License-Identifier: Apache-2.0 */
/* tmplctl explain: why each block of a page has its verdict, and what is cut or marked of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/tmpl.h"
#include "ctl.h"
#include "page_input.h"
#include "render.h"
#include "text/text.h"

/* Characters of a block's text that are shown. */
#define SNIPPET 80

static const char *const covered_names[] = { "none", "part", "all" };

/* A page that was judged, and what is said of it. */
typedef struct {
    ctl_t *ctl;
    const tmpl_input_t *input;
    const char *name;
    tmpl_outcome_t outcome; /* the outcome of mode strip */
    tmpl_outcome_t marked;  /* the outcome of mode annotate */
    tmpl_explain_t explain, explain_marked;
    tmpl_decoder_t charset;
    apr_pool_t *pool;
} explain_t;

/* --- JSON --- */

static json_t *features_json(const tmpl_contributions_t *of)
{
    json_t *list = json_array();
    for (unsigned k = 0; k < TMPL_CONTRIBUTIONS; k++) {
        json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "name",
                                              tmpl_block_feature_name(of->most[k].feature), "value",
                                              (double)of->most[k].value, "by", of->most[k].by));
    }
    return list;
}

static void add_block_json(json_t *json, const explain_t *e, uint32_t block)
{
    const tmpl_explain_block_t *why = &e->explain.blocks[block];
    int has_counts = e->outcome.counts.records != NULL;
    json_object_set_new(
        json, "df", has_counts ? ctl_json_span(tmpl_explain_df(&e->explain, block)) : json_null());
    if (e->outcome.verdicts == NULL) {
        return;
    }
    const char *selector = why->selector != NULL ? tmpl_selector_text(why->selector) : NULL;
    json_object_update_new(
        json, json_pack("{s:s, s:o, s:s, s:s, s:s?}", "rule", tmpl_rule_name(why->rule), "selector",
                        ctl_json_text(selector, e->pool), "cut", covered_names[why->covered],
                        "marked", covered_names[e->explain_marked.blocks[block].covered], "uncut",
                        why->uncut != TMPL_UNCUT_NONE ? tmpl_uncut_name(why->uncut) : NULL));
    if (e->explain.trees != NULL) {
        const tmpl_contributions_t *of = &e->explain.trees[block];
        json_object_update_new(json, json_pack("{s:o, s:f, s:f}", "features", features_json(of),
                                               "base", of->base, "rest", of->rest));
    }
}

static json_t *declined_json(const explain_t *e)
{
    const tmpl_outcome_t *outcome = &e->outcome;
    json_t *json = json_pack("{s:s, s:s}", "reason", tmpl_decline_name(outcome->decline), "text",
                             tmpl_decline_text(outcome->decline));
    if (outcome->declined_at != TMPL_NONE) {
        tmpl_place_t place =
            tmpl_place(e->input->body, (uint32_t)e->input->len, outcome->declined_at);
        json_object_update_new(json, json_pack("{s:I, s:I, s:o}", "byte",
                                               (json_int_t)outcome->declined_at, "line",
                                               (json_int_t)place.line, "tag",
                                               ctl_json_string(e->input->body + place.tag.start,
                                                               tmpl_span_len(place.tag), e->pool)));
    }
    return json;
}

static int explain_json(const explain_t *e)
{
    ctl_page_t page = { .path = e->name, .input = e->input, .outcome = &e->outcome };
    json_t *json = ctl_json_page(&page, e->pool);
    json_t *block;
    size_t i;
    json_object_set_new(json, "declined",
                        e->outcome.decline != TMPL_DECLINE_NONE ? declined_json(e) : json_null());
    json_object_set_new(json, "threshold",
                        e->outcome.verdicts != NULL ? json_real(e->explain.threshold)
                                                    : json_null());
    json_array_foreach(json_object_get(json, "blocks"), i, block)
    {
        add_block_json(block, e, (uint32_t)i);
    }
    return ctl_json_print(json);
}

/* --- text --- */

static void print_head(const explain_t *e)
{
    const tmpl_outcome_t *outcome = &e->outcome;
    printf("%s: %" APR_SIZE_T_FMT " bytes", ctl_printable(e->name, e->pool), e->input->len);
    if (outcome->verdicts != NULL) {
        printf(", %u blocks; %u of them, %.1f%% of the text, are template", outcome->page->n_blocks,
               outcome->closure.template_blocks, 100 * outcome->closure.ratio);
    }
    putchar('\n');
    if (outcome->decline != TMPL_DECLINE_NONE) {
        const char *place = ctl_page_place(outcome, e->input, e->pool);
        printf("declined: %s (%s)%s%s: nothing is cut or marked\n",
               tmpl_decline_name(outcome->decline), tmpl_decline_text(outcome->decline),
               place != NULL ? " at " : "", place != NULL ? ctl_printable(place, e->pool) : "");
    }
    if (outcome->verdicts != NULL) {
        printf("detector %s: template above %.3f; confidence %.3f%s\n", outcome->detector->name,
               e->explain.threshold, outcome->closure.confidence,
               e->explain.trees != NULL ? "; (+) speaks for template, (-) for content" : "");
    }
    if (outcome->counts.records != NULL) {
        printf("site %s: %u pages, %s\n", ctl_printable(e->input->site, e->pool),
               outcome->counts.pages, tmpl_state_name(outcome->state));
    }
    else if (outcome->verdicts != NULL) {
        printf("no counts of a site: judged as the first page of one\n");
    }
}

static const char *fate(const explain_t *e, uint32_t block)
{
    static const char *const cut[] = { "stays", "cut in part", "cut" };
    static const char *const marked[] = { "", ", marked in part", ", marked" };
    return apr_pstrcat(e->pool, cut[e->explain.blocks[block].covered],
                       marked[e->explain_marked.blocks[block].covered], NULL);
}

static void print_block(const explain_t *e, uint32_t block)
{
    const tmpl_page_t *page = e->outcome.page;
    const tmpl_verdict_t *verdict = &e->outcome.verdicts[block];
    tmpl_span_t span = ctl_block_span(page, &page->blocks[block]);
    tmpl_explain_why_t why = tmpl_explain_why(&e->explain, block, e->pool);
    tmpl_uncut_e uncut = e->explain.blocks[block].uncut;
    tmpl_buf_t text;
    tmpl_buf_init(&text, e->pool);
    tmpl_text_block(&text, page, block, &e->charset);
    tmpl_text_shorten(&text, SNIPPET);
    printf("\n%u  %s %.3f, ", block, verdict->template ? "template" : "content",
           (double)verdict->ratio);
    printf("%s%s%s", why.part != NULL ? why.part : "", why.part != NULL ? ", " : "",
           fate(e, block));
    if (e->outcome.counts.records != NULL) {
        tmpl_span_t df = tmpl_explain_df(&e->explain, block);
        printf(df.start == df.end ? "; DF %u" : "; DF %u to %u", df.start, df.end);
    }
    printf("; bytes %u-%u  %s\n", span.start, span.end,
           ctl_printable(ctl_node_path(page, page->blocks[block].node, e->pool), e->pool));
    printf("    %s\n", text.len > 0 ? ctl_printable(text.at, e->pool) : "(no text)");
    printf("    %s: %s\n", ctl_printable(why.rule, e->pool), why.evidence);
    if (uncut != TMPL_UNCUT_NONE) {
        printf("    it stays: %s\n", tmpl_uncut_text(uncut));
    }
}

static int print_text(explain_t *e)
{
    apr_pool_t *pool = e->pool;
    print_head(e);
    apr_pool_create(&e->pool, pool);
    for (uint32_t b = 0; e->outcome.verdicts != NULL && b < e->outcome.page->n_blocks; b++) {
        print_block(e, b);
        apr_pool_clear(e->pool);
    }
    apr_pool_destroy(e->pool);
    return CTL_OK;
}

static int explain(ctl_t *ctl, const tmpl_input_t *input, const char *name, tmpl_store_t *store)
{
    tmpl_clean_opts_t opts = ctl->options.clean;
    explain_t e = { .ctl = ctl, .input = input, .name = name, .pool = ctl->pool };
    opts.mode = TMPL_MODE_ANNOTATE;
    e.explain_marked.pool = e.explain.pool = ctl->pool;
    opts.detect.explain = &e.explain_marked;
    tmpl_clean(&e.marked, input, &opts, store, CTL_STORE_TIMEOUT, ctl->pool);
    opts.mode = TMPL_MODE_STRIP;
    opts.detect.explain = &e.explain;
    tmpl_clean(&e.outcome, input, &opts, store, CTL_STORE_TIMEOUT, ctl->pool);
    tmpl_decoder_find(&e.charset, input->body, input->len, input->charset, ctl->pool);
    int code = ctl->options.json ? explain_json(&e) : print_text(&e);
    if (e.outcome.counts.records != NULL && e.outcome.counts.pages == 0) {
        ctl_store_has_no(ctl, store, input->site);
    }
    if (store != NULL && e.outcome.store_error.status != APR_SUCCESS) {
        ctl_say("%s: store: %s", name, e.outcome.store_error.text);
        return CTL_FAILED;
    }
    return code;
}

/* Whether --store and --site fit together: the site of a URL is its host. */
static int are_options_whole(const ctl_t *ctl, const char *arg)
{
    const ctl_options_t *options = &ctl->options;
    const tmpl_detector_t *detector = tmpl_detector(options->clean.detector);
    if (options->store == NULL && detector->need == TMPL_NEED_COUNTS) {
        ctl_say("explain: --detector %s judges by the counts of a site: give --store and --site",
                detector->name);
        return 0;
    }
    if ((options->store == NULL && options->site != NULL) ||
        (options->store != NULL && options->site == NULL && !ctl_page_is_url(arg))) {
        ctl_say("explain: --store and --site must be given together");
        return 0;
    }
    return 1;
}

int ctl_explain(ctl_t *ctl)
{
    const char *arg =
        ctl->args->nelts > 0 ? APR_ARRAY_IDX(ctl->args, 0, const char *) : ctl_page_from_stdin();
    const char *site = "-";
    ctl_store_t store = { 0 };
    tmpl_input_t input;
    if (!are_options_whole(ctl, arg) ||
        (ctl->options.store != NULL && (site = ctl_page_site(ctl, arg)) == NULL)) {
        return CTL_USAGE;
    }
    if (ctl->options.store != NULL && ctl_store_open(&store, ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    int code = ctl_page_load(&input, ctl, arg, site);
    if (code == CTL_OK) {
        code = explain(ctl, &input, arg, store.store);
    }
    if (store.store != NULL) {
        ctl_store_close(&store);
    }
    return code;
}
