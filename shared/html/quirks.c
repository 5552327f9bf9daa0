/* SPDX-License-Identifier: Apache-2.0 */
/* Doctype -> quirks mode (HTML, 13.2.6.4.1). */
#include "html/attr.h"
#include "html/builder.h"

/* Prefixes of public identifiers that mean quirks mode. */
static const char *const old_prefixes[] = {
    /* clang-format off */
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
    /* clang-format on */
};

/* Prefixes that mean quirks mode only if there is no system identifier. */
static const char *const lone_prefixes[] = {
    "-//w3c//dtd html 4.01 frameset//",
    "-//w3c//dtd html 4.01 transitional//",
};

static const char *const old_publics[] = {
    "-//w3o//dtd w3 html strict 3.0//en//",
    "-/w3c/dtd html 4.0 transitional/en",
    "html",
};

static const char old_system[] = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/*
 * A doctype as the tokenizer reads it: 13.2.5.53 to 13.2.5.68. A missing identifier is empty, at 0.
 */
typedef struct {
    const char *src;
    uint32_t at;
    uint32_t end; /* the token's end, in front of its '>' */
    int force_quirks;
    tmpl_span_t name;
    tmpl_span_t public;
    tmpl_span_t system;
} doctype_t;

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static int value_begins(const char *src, tmpl_span_t span, const char *prefix)
{
    apr_size_t len = strlen(prefix);
    return tmpl_span_len(span) >= len && apr_cstr_casecmpn(src + span.start, prefix, len) == 0;
}

static int begins_with_one(const char *src, tmpl_span_t span, const char *const *prefixes, size_t n)
{
    size_t i = 0;
    while (i < n && !value_begins(src, span, prefixes[i])) {
        i++;
    }
    return i < n;
}

/* Skips white space and returns the next byte, '>' at the end. */
static char next_byte(doctype_t *d)
{
    d->at = tmpl_behind_space(d->src, d->at, d->end);
    return d->at < d->end ? d->src[d->at] : '>';
}

/* Reads an identifier in quotes. If it has no end or no quotes, quirks mode is forced. */
static tmpl_span_t read_identifier(doctype_t *d)
{
    tmpl_span_t none = { 0, 0 };
    char quote = next_byte(d);
    if (quote != '"' && quote != '\'') {
        d->force_quirks = 1;
        return none;
    }
    uint32_t start = ++d->at;
    const char *end = memchr(d->src + start, quote, d->end - start);
    if (end == NULL) {
        d->force_quirks = 1;
        return none;
    }
    d->at = (uint32_t)(end - d->src) + 1;
    return (tmpl_span_t){ start, (uint32_t)(end - d->src) };
}

static void read_identifiers(doctype_t *d)
{
    tmpl_span_t rest = { d->at, d->end };
    if (value_begins(d->src, rest, "public")) {
        d->at += 6;
        d->public = read_identifier(d);
        if (!d->force_quirks && next_byte(d) != '>') {
            d->system = read_identifier(d);
        }
    }
    else if (value_begins(d->src, rest, "system")) {
        d->at += 6;
        d->system = read_identifier(d);
    }
    else {
        d->force_quirks = 1;
    }
}

int tmpl_is_doctype(const char *src, tmpl_span_t token)
{
    return value_begins(src, token, "<!doctype");
}

tmpl_quirks_e tmpl_quirks(const char *src, tmpl_span_t doctype)
{
    doctype_t d = { .src = src, .at = doctype.start + 9, .end = doctype.end - 1 };
    d.force_quirks = src[d.end] != '>';
    d.end += (uint32_t)d.force_quirks;
    next_byte(&d);
    d.name.start = d.at;
    while (d.at < d.end && !tmpl_is_space(src[d.at])) {
        d.at++;
    }
    d.name.end = d.at;
    if (next_byte(&d) != '>') {
        read_identifiers(&d);
    }
    int is_old = d.force_quirks || !tmpl_span_is(src, d.name, "html") ||
                 tmpl_span_is(src, d.system, old_system) ||
                 begins_with_one(src, d.public, old_prefixes, LENGTH(old_prefixes)) ||
                 (d.system.start == 0 &&
                  begins_with_one(src, d.public, lone_prefixes, LENGTH(lone_prefixes)));
    for (size_t i = 0; i < LENGTH(old_publics); i++) {
        is_old |= tmpl_span_is(src, d.public, old_publics[i]);
    }
    return is_old ? TMPL_QUIRKS : TMPL_NO_QUIRKS;
}
