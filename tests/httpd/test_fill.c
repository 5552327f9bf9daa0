/* SPDX-License-Identifier: Apache-2.0 */
/* Files with places for JSON data: values, formats, sections, and escapes. */
#include "tap.h"

#include "mod_tmpl/status/fill.c"

static char sent[4096];

int ap_rwrite(const void *buf, int nbyte, request_rec *r)
{
    size_t len = strlen(sent);

    (void)r;
    apr_snprintf(sent + len, sizeof(sent) - len, "%.*s", nbyte, (const char *)buf);
    return nbyte;
}

char *ap_ht_time(apr_pool_t *pool, apr_time_t time, const char *format, int gmt)
{
    char *text = apr_palloc(pool, 64);
    apr_size_t len;
    apr_time_exp_t utc;

    assert_true(gmt);
    apr_time_exp_gmt(&utc, time);
    apr_strftime(text, &len, 64, format, &utc);
    return text;
}

char *ap_escape_urlencoded(apr_pool_t *pool, const char *text)
{
    return apr_pstrcat(pool, "%", text, NULL);
}

static const char *in_brackets(apr_pool_t *pool, const char *text)
{
    return apr_pstrcat(pool, "[", text, "]", NULL);
}

static void head(request_rec *r, char *text)
{
    ap_rputs(text, r);
}

static void check(const char *file, const char *data, const char *expected)
{
    static const tmpl_language_t language = { in_brackets, head };
    request_rec r = { 0 };
    json_t *json = json_loads(data, 0, NULL);

    assert_non_null(json);
    apr_pool_create(&r.pool, NULL);
    sent[0] = '\0';
    tmpl_fill(&r, file, json, &language);
    assert_string_equal(sent, expected);
    apr_pool_destroy(r.pool);
    json_decref(json);
}

static void values_are_escaped(void **state)
{
    (void)state;
    check("a {{x}} b", "{\"x\": \"<&>\"}", "a [<&>] b");
    check("{{x}}{{y}}", "{\"x\": 12345, \"y\": \"\"}", "[12345]");
    check("{{x|query}}", "{\"x\": \"a\"}", "[%a]");
    check("{{x}}", "{\"x\": 0.00025}", "[.00025]");
    check("{{! a comment }}\nno {place} }} here", "{}", "no {place} }} here");
    check("{{>a|b}}\n.{{?x}}{{>c}}{{/}}", "{}", "a|b.");
    check("never closed {{x", "{\"x\": 1}", "never closed {{x");
}

static void what_is_missing_has_another_text(void **state)
{
    (void)state;
    check("{{x}} {{x||none}} {{x|count|no count}}", "{}", " none no count");
    check("{{x|count|no count}}", "{\"x\": null}", "no count");
    check("{{x||none}}", "{\"x\": \"\"}", "none");
    check("{{x|count|no count}}", "{\"x\": 0}", "[0]");
}

static void numbers_have_formats(void **state)
{
    static const struct {
        const char *format, *number, *text;
    } cases[] = {
        { "count", "0", "[0]" },
        { "count", "999", "[999]" },
        { "count", "1234567", "[1,234,567]" },
        { "count", "9007199254740993", "[9,007,199,254,740,993]" },
        { "bytes", "999", "[1.0K]" },
        { "bytes", "1230000", "[1.2M]" },
        { "share", "0.1234", "[12.3 %]" },
        { ".3", "0.12345", "[0.123]" },
        { "duration", "0.000002", "[2 \xC2\xB5s]" },
        { "duration", "0.0025", "[2.5 ms]" },
        { "duration", "59", "[59 s]" },
        { "duration", "120", "[2 min]" },
        { "duration", "7200", "[2 h]" },
        { "duration", "864000", "[10 days]" },
        { "moment", "86400", "[1970-01-02 00:00:00Z]" },
        { "ago", "990", "[10 s]" },
        { "ago", "999.9", "[1 s]" },
    };
    char file[64], data[64];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        apr_snprintf(file, sizeof(file), "{{x|%s}}", cases[i].format);
        apr_snprintf(data, sizeof(data), "{\"time\": 1000, \"x\": %s}", cases[i].number);
        check(file, data, cases[i].text);
    }
}

static void sections_repeat(void **state)
{
    (void)state;
    check("{{#list}}\n{{x}},{{/}}\nend", "{\"list\": [{\"x\": 1}, {\"x\": 2}]}", "[1],[2],end");
    check("{{#list}}{{.}};{{/}}", "{\"list\": [1, \"a\"]}", "[1];[a];");
    check("{{#one}}{{x}}{{/}}{{#none}}{{x}}{{/}}", "{\"one\": {\"x\": 1}}", "[1]");
    check("{{*of}}{{name}}={{value}} {{/}}", "{\"of\": {\"a\": 1, \"b\": 2}}", "[a]=[1] [b]=[2] ");
    check("{{#list}}{{#list}}{{x}}{{/}}{{/}}", "{\"list\": [{\"list\": [{\"x\": 3}]}]}", "[3]");
}

/* The innermost object that has a name is asked, and null is a value of its own. */
static void names_are_found_outside(void **state)
{
    (void)state;
    check("{{#in}}{{x}}{{y}}{{z}}{{/}}",
          "{\"x\": 1, \"y\": 2, \"z\": 3, \"in\": {\"y\": 4, \"z\": null}}", "[1][4]");
}

static void sections_are_conditions(void **state)
{
    static const char *const false_ones[] = { "null", "false", "0", "0.0", "\"\"", "[]", "{}" };
    static const char *const true_ones[] = { "true", "1", "0.5", "\"a\"", "[0]", "{\"a\": 0}" };
    char data[64];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(false_ones) / sizeof(false_ones[0]); i++) {
        apr_snprintf(data, sizeof(data), "{\"x\": %s}", false_ones[i]);
        check("{{?x}}yes{{#y}}{{/}}{{/}}{{^x}}no{{/}}", data, "no");
    }
    for (i = 0; i < sizeof(true_ones) / sizeof(true_ones[0]); i++) {
        apr_snprintf(data, sizeof(data), "{\"x\": %s}", true_ones[i]);
        check("{{?x}}yes{{/}}{{^x}}no{{?x}}no{{/}}no{{/}}", data, "yes");
    }
    check("{{?x}}yes{{/}}{{^x}}no{{/}}", "{}", "no");
    check("{{?x=y}}same{{/}}{{^x=y}}other{{/}}", "{\"x\": \"a\", \"y\": \"a\"}", "same");
    check("{{?x=y}}same{{/}}{{^x=y}}other{{/}}", "{\"x\": 1, \"y\": 2}", "other");
    check("{{?x=y}}same{{/}}{{^x=y}}other{{/}}", "{\"x\": 1}", "other");
    check("{{#list}}{{?.=x}}!{{/}}{{.}}{{/}}", "{\"x\": \"b\", \"list\": [\"a\", \"b\"]}",
          "[a]![b]");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_escaped),      cmocka_unit_test(what_is_missing_has_another_text),
    cmocka_unit_test(numbers_have_formats),    cmocka_unit_test(sections_repeat),
    cmocka_unit_test(names_are_found_outside), cmocka_unit_test(sections_are_conditions),
};

TAP_MAIN(tests)
