/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/warm/warmup.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>
#include <apr_tables.h>

#include "base/ascii.h"
#include "base/number.h"
#include "address/address.h"

#define MOST_DELAY 3600.0 /* seconds */

typedef struct {
    const char *pattern; /* '*': any bytes; '$' at its end: the end of the address */
    int allow;
} robots_rule_t;

struct tmpl_robots_t {
    apr_array_header_t *rules; /* rule_t */
    apr_interval_time_t delay;
};

/* The crawlers that a group is for. */
typedef enum {
    FOR_OTHERS,
    FOR_ALL,
    FOR_AGENT,
} crawlers_e;

/* The state while lines are read. */
typedef struct {
    const char *agent;
    crawlers_e group;  /* the current one */
    int in_rules;      /* a rule followed the last user-agent line */
    tmpl_robots_t all; /* the rules of groups for "*" */
    tmpl_robots_t own; /* the rules of groups for agent */
    int named;         /* there is a group for agent */
    apr_pool_t *pool;
} robots_reader_t;

/* Whether value, of a user-agent line, begins with the product token agent, in any case. */
static int is_agent(const char *value, const char *agent)
{
    apr_size_t len = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-");
    return len == strlen(agent) && apr_cstr_casecmpn(value, agent, len) == 0;
}

static void read_agent(robots_reader_t *reader, const char *value)
{
    crawlers_e group = is_agent(value, reader->agent) ? FOR_AGENT
                       : value[0] == '*'              ? FOR_ALL
                                                      : FOR_OTHERS;
    if (reader->in_rules || group > reader->group) {
        reader->group = group;
    }
    reader->in_rules = 0;
    reader->named |= group == FOR_AGENT;
}

/* The rules that the current group adds to; NULL: none. */
static tmpl_robots_t *rules_for(robots_reader_t *reader)
{
    return reader->group == FOR_AGENT ? &reader->own
           : reader->group == FOR_ALL ? &reader->all
                                      : NULL;
}

static void read_rule(robots_reader_t *reader, const char *pattern, int allow)
{
    tmpl_robots_t *robots = rules_for(reader);
    reader->in_rules = 1;
    if (robots != NULL && pattern[0] != '\0') {
        APR_ARRAY_PUSH(robots->rules, robots_rule_t) =
            (robots_rule_t){ tmpl_address_spell(pattern, reader->pool), allow };
    }
}

/*
 * Reads Crawl-delay. It is no rule of the RFC, so it does not end a list of user-agent lines
 * (section 2.2.4).
 */
static void read_delay(robots_reader_t *reader, const char *value)
{
    tmpl_robots_t *robots = rules_for(reader);
    double seconds = tmpl_number(value, NULL);
    if (robots != NULL && seconds > 0) {
        seconds = seconds > MOST_DELAY ? MOST_DELAY : seconds;
        robots->delay = (apr_interval_time_t)(seconds * APR_USEC_PER_SEC);
    }
}

/* Removes a comment and the blanks around value, in place. */
static char *trimmed_value(char *value)
{
    value[strcspn(value, "#")] = '\0';
    value += strspn(value, " \t");
    apr_size_t len = strlen(value);
    while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t')) {
        len--;
    }
    value[len] = '\0';
    return value;
}

static void read_robots_line(robots_reader_t *reader, char *line)
{
    char *colon = strchr(line, ':');
    if (colon == NULL) {
        return;
    }
    *colon = '\0';
    const char *name = trimmed_value(line);
    const char *value = trimmed_value(colon + 1);
    if (apr_cstr_casecmp(name, "user-agent") == 0) {
        read_agent(reader, value);
    }
    else if (apr_cstr_casecmp(name, "allow") == 0 || apr_cstr_casecmp(name, "disallow") == 0) {
        read_rule(reader, value, tmpl_lower(name[0]) == 'a');
    }
    else if (apr_cstr_casecmp(name, "crawl-delay") == 0) {
        read_delay(reader, value);
    }
}

const tmpl_robots_t *tmpl_robots_parse(const char *text, apr_size_t len, const char *agent,
                                       apr_pool_t *pool)
{
    robots_reader_t reader = { .agent = agent, .pool = pool };
    reader.all.rules = apr_array_make(pool, 16, sizeof(robots_rule_t));
    reader.own.rules = apr_array_make(pool, 16, sizeof(robots_rule_t));
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        len -= 3;
    }
    char *rest = apr_pstrmemdup(pool, text, len < TMPL_ROBOTS_MOST ? len : TMPL_ROBOTS_MOST);
    char *state;
    for (char *line = apr_strtok(rest, "\r\n", &state); line != NULL;
         line = apr_strtok(NULL, "\r\n", &state)) {
        read_robots_line(&reader, line);
    }
    return apr_pmemdup(pool, reader.named ? &reader.own : &reader.all, sizeof(tmpl_robots_t));
}

/*
 * Whether pattern matches the beginning of uri. Only the last '*' is tried again, because the
 * pattern in front of it has its shortest match already: the time is at most the product of the
 * lengths.
 */
static int matches(const char *pattern, const char *uri)
{
    const char *star = NULL;
    const char *resume = NULL;
    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = uri;
        }
        else if (*pattern == '\0' || (*pattern == '$' && pattern[1] == '\0' && *uri == '\0')) {
            return 1;
        }
        else if (*uri != '\0' && *pattern == *uri) {
            pattern++;
            uri++;
        }
        else if (star != NULL && *resume != '\0') {
            pattern = star;
            uri = ++resume;
        }
        else {
            return 0;
        }
    }
}

int tmpl_robots_allow(const tmpl_robots_t *robots, const char *uri)
{
    apr_size_t longest = 0;
    int allowed = 1;
    if (strcmp(uri, "/robots.txt") == 0) {
        return 1;
    }
    for (int i = 0; i < robots->rules->nelts; i++) {
        const robots_rule_t *rule = &APR_ARRAY_IDX(robots->rules, i, robots_rule_t);
        apr_size_t len = strlen(rule->pattern);
        if (len >= longest && matches(rule->pattern, uri)) {
            allowed = rule->allow || (len == longest && allowed);
            longest = len;
        }
    }
    return allowed;
}

apr_interval_time_t tmpl_robots_delay(const tmpl_robots_t *robots)
{
    return robots->delay;
}
