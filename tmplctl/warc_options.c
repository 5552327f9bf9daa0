/* SPDX-License-Identifier: Apache-2.0 */
/* What tmplctl warc is to do, and whether it can: options that go together, and the inputs. */
#include <errno.h>
#include <string.h>

#include <apr_strings.h>

#include "ctl.h"
#include "file_io.h"
#include "progress.h"
#include "warc_run.h"

static int has_suffix(const char *text, const char *end)
{
    apr_size_t len = strlen(text), n = strlen(end);
    return len >= n && strcmp(text + len - n, end) == 0;
}

/* Modes that are about a page rather than a form of it. */
static int is_no_form(const ctl_mode_t *mode)
{
    static const char *const names[] = { "highlight", "blocks", "fingerprint" };
    apr_size_t i = 0;
    while (i < 3 && strcmp(names[i], mode->name) != 0) {
        i++;
    }
    return i < 3;
}

/* Says what is wrong with options that do not go together; NULL: nothing. */
static const char *wrong_options(const ctl_warc_run_t *run)
{
    const ctl_options_t *options = &run->ctl->options;
    const ctl_mode_t *mode = run->form.mode;
    int has_own_store = options->out != NULL && options->store == NULL && !ctl_warc_observes(run);
    int is_html =
        mode != NULL && (strcmp(mode->name, "strip") == 0 || strcmp(mode->name, "annotate") == 0);
    return run->learns_only && options->store == NULL ? "--mode learn needs --store"
           : run->learns_only && (options->out != NULL || options->frozen || options->incremental)
               ? "--mode learn goes with neither --out nor --frozen nor --incremental"
           : options->frozen && options->store == NULL ? "--frozen needs --store"
           : options->frozen && options->incremental   ? "--frozen excludes --incremental"
           : run->form.responses && !is_html           ? "--responses needs mode strip or annotate"
           : ctl_warc_observes(run) &&
                   (options->incremental || options->frozen || options->index != NULL)
               ? "--mode keys goes with neither --incremental nor --frozen nor --index"
           : run->form.responses && run->form.json_lines ? "--responses excludes lines of JSON"
           : options->index != NULL &&
                   (run->learns_only || run->form.json_lines || options->out == NULL)
               ? "--index is of a file of records: name one by --out"
           : has_own_store && strchr(options->out, '?') != NULL
               ? "--out with a \"?\" needs --store: the run's own would be beside it, and ends at "
                 "\"?\""
               : NULL;
}

apr_status_t ctl_warc_options_check(ctl_warc_run_t *run)
{
    tmpl_error_t err;
    ctl_options_t *options = &run->ctl->options;
    const char *out = options->out != NULL ? options->out : "";
    run->learns_only = strcmp(options->mode, "learn") == 0;
    run->form.responses = options->responses;
    run->form.gzip = has_suffix(out, ".gz");
    run->form.json_lines =
        options->json_lines || has_suffix(out, ".jsonl") || has_suffix(out, ".jsonl.gz");
    if (!run->learns_only && ctl_mode_parse(&run->form.mode, options->mode, &err) != APR_SUCCESS) {
        ctl_say("warc: --mode: %s", err.text);
        return err.status;
    }
    if (run->form.mode != NULL && is_no_form(run->form.mode)) {
        ctl_say("warc: --mode: %s is for clean", options->mode);
        return APR_EINVAL;
    }
    const char *wrong = wrong_options(run);
    if (wrong != NULL) {
        ctl_say("warc: %s", wrong);
    }
    return wrong != NULL ? APR_EINVAL : APR_SUCCESS;
}

/* Whether a run reads its inputs once only. */
static int reads_once(const ctl_warc_run_t *run)
{
    const ctl_options_t *options = &run->ctl->options;
    return options->incremental || options->frozen || run->learns_only || ctl_warc_observes(run);
}

apr_status_t ctl_warc_inputs_check(ctl_warc_run_t *run)
{
    ctl_t *ctl = run->ctl;
    int n = ctl->args->nelts;
    run->sizes = apr_pcalloc(ctl->pool, ((apr_size_t)n + 1) * sizeof(*run->sizes));
    tmpl_buf_t what;
    tmpl_buf_init(&what, ctl->pool);
    tmpl_buf_add_text(&what, apr_psprintf(ctl->pool, "%016" APR_UINT64_T_HEX_FMT, ctl->given));
    for (int i = 0; i < n; i++) {
        apr_finfo_t info = { .size = 0 };
        const char *path = ctl_warc_input(run, i);
        apr_status_t status =
            path == CTL_STDIN ? APR_SUCCESS
                              : apr_stat(&info, path, APR_FINFO_SIZE | APR_FINFO_TYPE, ctl->pool);
        if (status == APR_SUCCESS && info.filetype == APR_DIR) {
            status = APR_FROM_OS_ERROR(EISDIR);
        }
        if (status != APR_SUCCESS && status != APR_INCOMPLETE) {
            ctl_say("warc: %s: %s", path, ctl_error_text(status, ctl->pool));
            return status;
        }
        if (info.filetype != APR_REG && !reads_once(run)) {
            ctl_say("warc: %s can be read once only: name --incremental or --frozen",
                    path == CTL_STDIN ? "standard input" : path);
            return APR_EINVAL;
        }
        run->sizes[i] = info.size;
        run->size += info.size;
        tmpl_buf_add_text(&what,
                          apr_psprintf(ctl->pool, "\n%" APR_OFF_T_FMT " %s", info.size, path));
    }
    run->what = what.at;
    return APR_SUCCESS;
}
