/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl rules: the rules that reader software shares (fivefilters' ftr-site-config), as
 * directives. A file is named after its host; a line is "key: value", and '#' begins a comment.
 */
#include <stdio.h>
#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "ctl.h"
#include "dom/xpath.h"
#include "file_io.h"
#include "progress.h"

/* What a key of a file becomes; keys that are not in the table are left out. */
typedef struct {
    const char *key;
    const char *directive;
    int names; /* the value is a part of an id or of a class, else XPath */
} site_key_t;

static const site_key_t keys[] = {
    { "body", "TmplKeep", 0 },
    { "strip", "TmplDrop", 0 },
    { "strip_id_or_class", "TmplDrop", 1 },
};
#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

typedef struct {
    const site_key_t *key;
    const char *xpath;
} rule_t;

typedef struct {
    const char *path;
    apr_array_header_t *rules; /* rule_t */
    unsigned others;           /* lines with other keys */
    unsigned invalid;
    apr_pool_t *pool;
} reading_t;

/* The line without white space around it. */
static char *trimmed_line(char *line)
{
    char *end = line + strlen(line);
    while (tmpl_is_space(*line)) {
        line++;
    }
    while (end > line && tmpl_is_space(end[-1])) {
        *--end = '\0';
    }
    return line;
}

/*
 * The XPath of elements of which the id or a class contains name; NULL if no literal can hold it.
 */
static const char *xpath_of_name(char *name, apr_pool_t *pool)
{
    apr_size_t len = strlen(name);
    if (len > 1 && (*name == '"' || *name == '\'') && name[len - 1] == *name) {
        name[len - 1] = '\0';
        name++;
    }
    if (*name == '\0' || (strchr(name, '\'') != NULL && strchr(name, '"') != NULL)) {
        return NULL;
    }
    const char *quote = strchr(name, '\'') != NULL ? "\"" : "'";
    return apr_pstrcat(pool, "//*[contains(@class, ", quote, name, quote, ") or contains(@id, ",
                       quote, name, quote, ")]", NULL);
}

/* httpd would replace "${...}" by a variable. */
static int is_rule_writable(const char *xpath)
{
    return xpath != NULL && strstr(xpath, "${") == NULL;
}

static void read_rules_line(reading_t *r, char *line, unsigned number)
{
    tmpl_error_t err;
    char *colon = strchr(line, ':');
    if (*line == '\0' || *line == '#' || colon == NULL) {
        return;
    }
    *colon = '\0';
    const char *name = trimmed_line(line);
    for (apr_size_t i = 0; i < N_KEYS; i++) {
        if (strcmp(name, keys[i].key) == 0) {
            char *value = trimmed_line(colon + 1);
            const char *xpath = keys[i].names ? xpath_of_name(value, r->pool) : value;
            if (!is_rule_writable(xpath) || tmpl_xpath_check(xpath, &err) != APR_SUCCESS) {
                ctl_say("%s:%u: %s: %s", r->path, number, name,
                        is_rule_writable(xpath) ? err.text : "cannot be written as a directive");
                r->invalid++;
                return;
            }
            *(rule_t *)apr_array_push(r->rules) = (rule_t){ &keys[i], xpath };
            return;
        }
    }
    r->others++;
}

static void read_rules(reading_t *r, const char *bytes, apr_size_t len)
{
    unsigned number = 0;
    const char *end = bytes + len;
    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (apr_size_t)(end - bytes));
        apr_size_t n = (apr_size_t)((newline != NULL ? newline : end) - bytes);
        read_rules_line(r, trimmed_line(apr_pstrmemdup(r->pool, bytes, n)), ++number);
        bytes += n + 1;
    }
}

/*
 * The condition that the host is the one that a file is named after: "example.org.txt", or
 * ".example.org.txt" with subdomains. NULL if the file is not named after a host.
 */
static const char *host_condition(const char *path, apr_pool_t *pool)
{
    const char *name = apr_filepath_name_get(path);
    apr_size_t len = strlen(name);
    len -= len > 4 && strcmp(name + len - 4, ".txt") == 0 ? 4 : 0;
    const char *host = apr_pstrmemdup(pool, name, len);
    for (const char *c = host; *c != '\0'; c++) {
        if (!tmpl_is_alnum(*c) && *c != '-' && *c != '.') {
            return NULL;
        }
    }
    return *host != '.' ? apr_psprintf(pool, "%%{SERVER_NAME} == '%s'", host)
                        : apr_psprintf(pool, "'.%%{SERVER_NAME}' -strcmatch '*%s'", host);
}

static void print_rules(const reading_t *r, const char *condition)
{
    int drops = 0;
    for (int i = 0; i < r->rules->nelts; i++) {
        drops += strcmp(APR_ARRAY_IDX(r->rules, i, rule_t).key->directive, "TmplDrop") == 0;
    }
    printf("<If \"%s\">\n", condition);
    for (int i = 0; i < r->rules->nelts; i++) {
        const rule_t *rule = &APR_ARRAY_IDX(r->rules, i, rule_t);
        /* if both directives name an element, TmplKeep counts: nothing in it would be dropped */
        int hides = drops > 0 && strcmp(rule->key->directive, "TmplKeep") == 0;
        printf("    %s%s \"%s%s\"\n", hides ? "# keeps what is dropped below: " : "",
               rule->key->directive, TMPL_SELECTOR_XPATH,
               tmpl_escape(rule->xpath, "\"\\", r->pool));
    }
    printf("</If>\n");
}

int ctl_rules(ctl_t *ctl)
{
    reading_t r = { .path = APR_ARRAY_IDX(ctl->args, 0, const char *), .pool = ctl->pool };
    const char *bytes;
    apr_size_t len;
    tmpl_error_t err;
    r.rules = apr_array_make(ctl->pool, 16, sizeof(rule_t));
    if (ctl_file_read(&bytes, &len, r.path, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("%s: %s", r.path, err.text);
        return CTL_FAILED;
    }
    const char *condition = host_condition(r.path, ctl->pool);
    if (condition == NULL) {
        ctl_say("%s: the file must be named after its host, as example.org.txt", r.path);
        return CTL_FAILED;
    }
    read_rules(&r, bytes, len);
    print_rules(&r, condition);
    if (r.others > 0) {
        ctl_say("%s: %u lines say what mod_tmpl has no directive for", r.path, r.others);
    }
    return r.invalid > 0 ? CTL_FAILED : CTL_OK;
}
