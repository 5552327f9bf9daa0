/* SPDX-License-Identifier: Apache-2.0 */
#include "render.h"

#include <string.h>

#include <apr_strings.h>

#include "body.h"
#include "clean.h"
#include "page_input.h"
#include "table/keys_line.h"

static void render_html(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool)
{
    const tmpl_edits_t *edits = &page->outcome->edits;
    rendered->edited = edits->n > 0;
    rendered->bytes = page->input->body;
    rendered->len = page->input->len;
    if (rendered->edited) {
        rendered->bytes =
            tmpl_edits_apply(&rendered->len, edits, page->input->body, page->input->len, pool);
    }
}

/* What the module sends in modes text, markdown, reader and json. */
static void render_body(ctl_rendered_t *rendered, const ctl_page_t *page,
                        const tmpl_outcome_t *outcome, const char *fingerprint, apr_pool_t *pool)
{
    tmpl_clean_opts_t opts = tmpl_clean_opts_default();
    opts.mode = page->opts->mode;
    rendered->edited =
        outcome->decline == TMPL_DECLINE_NONE && outcome->closure.template_blocks > 0;
    const char *url = page->url != NULL ? page->url : page->address;
    rendered->bytes =
        tmpl_body(&rendered->len, outcome, page->input, &opts, url, fingerprint, pool);
}

/* Text, Markdown, a reader view or JSON; says why there is none, if there is none. */
static void render_form(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool)
{
    tmpl_outcome_t outcome = *page->outcome;
    tmpl_mode_e mode = page->opts->mode;
    const char *fingerprint = NULL;
    if (mode == TMPL_MODE_JSON) {
        fingerprint = tmpl_clean_fingerprint(&outcome, page->input, pool);
        if (outcome.verdicts != NULL) {
            tmpl_clean_version(&outcome, page->opts, pool);
        }
    }
    render_body(rendered, page, &outcome, fingerprint, pool);
    if (rendered->bytes == NULL) {
        rendered->bytes = "";
        rendered->len = 0;
        rendered->lost = apr_pstrcat(
            pool, "no ",
            mode == TMPL_MODE_JSON     ? "JSON"
            : mode == TMPL_MODE_READER ? "reader view"
            : mode == TMPL_MODE_TEXT   ? "text"
                                       : "Markdown",
            outcome.page == NULL ? ", " : ": it would be more than three times as long as the page",
            outcome.page == NULL ? ctl_page_why_declined(&outcome, page->input, pool) : NULL, NULL);
    }
}

/* A line in sha256sum's format: it begins with a backslash if the path has escapes. */
static void render_fingerprint(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool)
{
    const char *fingerprint = tmpl_clean_fingerprint(page->outcome, page->input, pool);
    const char *name = page->address != NULL ? page->address : page->path;
    const char *path = tmpl_escape(name, "\\\n\r", pool);
    rendered->edited = 0;
    rendered->bytes = apr_pstrcat(pool, strcmp(path, name) != 0 ? "\\" : "",
                                  fingerprint != NULL ? fingerprint : "-", "  ", path, "\n", NULL);
    rendered->len = strlen(rendered->bytes);
}

/* Nothing of a page that was declined. */
static void render_keys(ctl_rendered_t *rendered, const ctl_page_t *page, apr_pool_t *pool)
{
    const tmpl_outcome_t *outcome = page->outcome;
    rendered->bytes = "";
    if (outcome->decline == TMPL_DECLINE_NONE) {
        rendered->bytes = tmpl_keys_line(&outcome->observation, page->opts->page.seed, pool);
    }
    if (rendered->bytes == NULL) {
        rendered->bytes = "";
        rendered->lost = "no keys: the site's name has a control character";
    }
    rendered->len = strlen(rendered->bytes);
}

#define HTML "text/html"
#define UTF8 "; charset=utf-8"

/* clang-format off */
static const ctl_mode_t modes[] = {
    { "annotate", TMPL_MODE_ANNOTATE, 0, ".html", HTML, "html", render_html },
    { "strip", TMPL_MODE_STRIP, 0, ".html", HTML, "html", render_html },
    { "highlight", TMPL_MODE_HIGHLIGHT, 0, ".html", NULL, NULL, render_html },
    { "text", TMPL_MODE_TEXT, 0, ".txt", "text/plain" UTF8, "text", render_form },
    { "markdown", TMPL_MODE_MARKDOWN, 0, ".md", "text/markdown" UTF8, "markdown", render_form },
    { "reader", TMPL_MODE_READER, 0, ".html", HTML UTF8, "html", render_form },
    { "json", TMPL_MODE_JSON, 1, ".json", "application/json", "json", render_form },
    { "blocks", TMPL_MODE_STRIP, 0, ".json", NULL, NULL, ctl_render_blocks },
    { "fingerprint", TMPL_MODE_STRIP, 0, ".txt", NULL, NULL, render_fingerprint },
    { "keys", TMPL_MODE_LEARN, 1, ".keys", "text/plain" UTF8, "keys", render_keys },
};
/* clang-format on */

apr_status_t ctl_mode_parse(const ctl_mode_t **mode, const char *name, tmpl_error_t *err)
{
    char names[100] = "";
    for (apr_size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(name, modes[i].name) == 0) {
            *mode = &modes[i];
            return APR_SUCCESS;
        }
        apr_size_t len = strlen(names);
        apr_snprintf(names + len, sizeof(names) - len, "%s%s", i > 0 ? ", " : "", modes[i].name);
    }
    return tmpl_fail(err, APR_EINVAL, "\"%s\" is not one of %s", name, names);
}
