/* SPDX-License-Identifier: Apache-2.0 */
#include "tmpl_field.h"
#include "fields.h"
#include "kept.h"
#include "section.h"

/* httpd's logs write it as %{tmpl}n. */
static const char note[] = "tmpl";

/* Directives that may apply to a style element; the first one that a policy has counts. */
static const char *const style_directives[] = { "style-src-elem", "style-src", "default-src" };
#define STYLE_DIRECTIVES (sizeof(style_directives) / sizeof(style_directives[0]))

/* Whether a list of sources has 'unsafe-inline', and no nonce or hash, which would override it. */
static int allows_inline(char *sources)
{
    static const char *const strict[] = { "'nonce-", "'sha256-", "'sha384-", "'sha512-" };
    int allows = 0;
    char *state;
    char *source;
    size_t i;

    for (source = apr_strtok(sources, " \t", &state); source != NULL;
         source = apr_strtok(NULL, " \t", &state)) {
        allows |= ap_cstr_casecmp(source, "'unsafe-inline'") == 0;
        for (i = 0; i < sizeof(strict) / sizeof(strict[0]); i++) {
            if (ap_cstr_casecmpn(source, strict[i], strlen(strict[i])) == 0) {
                return 0;
            }
        }
    }
    return allows;
}

static int policy_allows(char *policy)
{
    char *sources[STYLE_DIRECTIVES] = { NULL };
    char *state;
    char *directive;
    char *rest;
    size_t i;

    for (directive = apr_strtok(policy, ";", &state); directive != NULL;
         directive = apr_strtok(NULL, ";", &state)) {
        char *name = apr_strtok(directive, " \t", &rest);

        for (i = 0; name != NULL && i < STYLE_DIRECTIVES; i++) {
            /* of two directives with the same name the first counts */
            if (sources[i] == NULL && ap_cstr_casecmp(name, style_directives[i]) == 0) {
                sources[i] = rest;
            }
        }
    }
    for (i = 0; i < STYLE_DIRECTIVES && sources[i] == NULL;) {
        i++;
    }
    return i == STYLE_DIRECTIVES || allows_inline(sources[i]);
}

/*
 * Whether every policy in the response's fields lets a style element without nonce take effect
 * (Content Security Policy Level 3, 6.7.3.3), as mode highlight adds one. Policies in the page's
 * own meta elements are not read.
 */
static int allows_style(request_rec *r)
{
    const char *field = tmpl_field(r, "Content-Security-Policy");
    char *state;
    char *policy;

    if (field == NULL) {
        return 1;
    }
    policy = apr_strtok(apr_pstrdup(r->pool, field), ",", &state);
    while (policy != NULL && policy_allows(policy)) {
        policy = apr_strtok(NULL, ",", &state);
    }
    return policy == NULL;
}

/* Adds a member to the field. */
__attribute__((format(printf, 2, 3))) static void say(apr_array_header_t *members,
                                                      const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tmpl_field_list_add(members, apr_pvsprintf(members->pool, format, args));
    va_end(args);
}

/* What the verdicts are, for a page that was counted or has verdicts. */
static void say_judged(apr_array_header_t *members, const tmpl_judged_t *judged)
{
    const tmpl_outcome_t *outcome = &judged->outcome;
    int counted = outcome->counts.records != NULL;
    int learned = judged->input.learn != TMPL_LEARNING_OFF && counted && !outcome->counts.frozen &&
                  outcome->store_error.status == APR_SUCCESS;

    say(members, "detector=%s, state=%s, pages=%u, learned=?%d, blocks=%u, template=%u",
        outcome->detector->name, tmpl_state_name(outcome->state), outcome->counts.pages, learned,
        outcome->page->n_blocks, outcome->closure.template_blocks);
    say(members, "ratio=%.3f, confidence=%.3f", outcome->closure.ratio,
        outcome->closure.confidence);
    if (outcome->closure.parts != 0) {
        say(members, "parts=(%s)", tmpl_part_names(outcome->closure.parts, members->pool));
    }
    if (outcome->unmarked >= 0) {
        say(members, "unmarked=%.3f", outcome->unmarked);
    }
    if (!counted) {
        say(members, "store=?%d", 0);
    }
}

/* The text of the Tmpl field and of the note. */
static const char *what_was_found(request_rec *r, const tmpl_judged_t *judged)
{
    const tmpl_outcome_t *outcome = &judged->outcome;
    apr_array_header_t *members = apr_array_make(r->pool, 8, sizeof(const char *));

    if (outcome->decline != TMPL_DECLINE_NONE) {
        say(members, "declined=%s", tmpl_decline_name(outcome->decline));
    }
    if (outcome->counts.records != NULL || outcome->verdicts != NULL) {
        say_judged(members, judged);
    }
    if (judged->fingerprint != NULL) {
        /* a string, as RFC 9651's integers have at most 15 digits */
        say(members, "fingerprint=\"%s\"", judged->fingerprint);
    }
    if (judged->changed > 0) {
        say(members, "changed=@%u", judged->changed);
    }
    if (outcome->verdicts != NULL) {
        say(members, "version=\"%08x-%08x\"", (unsigned)(outcome->version >> 32),
            (unsigned)outcome->version);
    }
    if (tmpl_conf_mode(tmpl_request_conf(r)) == TMPL_MODE_HIGHLIGHT && !allows_style(r)) {
        say(members, "style=?%d", 0);
    }
    if (judged->cached.cache != NULL) {
        say(members, "cache=%s", tmpl_cached_name(judged->cached.found));
    }
    return apr_array_pstrcat(r->pool, members, ',');
}

static void note_share(request_rec *r, const char *name, double share)
{
    apr_table_setn(r->notes, name, apr_psprintf(r->pool, "%.3f", share));
}

void tmpl_field_note(request_rec *r, const tmpl_judged_t *judged, apr_interval_time_t took)
{
    const tmpl_outcome_t *outcome = &judged->outcome;

    apr_table_setn(r->notes, note, what_was_found(r, judged));
    note_share(r, "tmpl-ms", (double)took / 1000);
    if (outcome->counts.records != NULL || outcome->verdicts != NULL) {
        apr_table_setn(r->notes, "tmpl-state", tmpl_state_name(outcome->state));
    }
    if (outcome->verdicts != NULL) {
        note_share(r, "tmpl-ratio", outcome->closure.ratio);
        note_share(r, "tmpl-confidence", outcome->closure.confidence);
    }
    if (judged->fingerprint != NULL) {
        /* a copy: the logs read it when the page's pool is gone */
        apr_table_set(r->notes, "tmpl-fingerprint", judged->fingerprint);
    }
}

void tmpl_field_set(request_rec *r, apr_interval_time_t took)
{
    apr_table_setn(r->headers_out, "Tmpl", apr_table_get(r->notes, note));
    apr_table_addn(r->headers_out, "Server-Timing",
                   apr_psprintf(r->pool, "tmpl;dur=%.3f", (double)took / 1000));
}

void tmpl_field_declined(request_rec *r, tmpl_decline_e reason, int is_sent)
{
    const char *said = apr_pstrcat(r->pool, "declined=", tmpl_decline_name(reason), NULL);

    apr_table_setn(r->notes, note, said);
    apr_table_setn(r->notes, "tmpl-declined", tmpl_decline_name(reason));
    if (is_sent) {
        apr_table_setn(r->headers_out, "Tmpl", said);
    }
}
