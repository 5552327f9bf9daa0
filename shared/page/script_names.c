/* SPDX-License-Identifier: Apache-2.0 */
#include "page/script_names.h"

#include <string.h>

#include "html/attr.h"

#define DOCUMENT "document."

static const struct {
    const char *member;
    tmpl_look_e by;
} members[] = {
    { "getElementById(", TMPL_LOOK_ID },      { "getElementsByClassName(", TMPL_LOOK_CLASS },
    { "querySelector(", TMPL_LOOK_SELECTOR }, { "currentScript", TMPL_LOOK_POSITION },
    { "write", TMPL_LOOK_POSITION },
};

/* The string literal at the start of [at, end), without its quotes; empty if there is none. */
static tmpl_span_t string_at(const char *src, uint32_t at, uint32_t end)
{
    at = tmpl_behind_space(src, at, end);
    if (at < end && (src[at] == '"' || src[at] == '\'' || src[at] == '`')) {
        const char *quote = memchr(src + at + 1, src[at], end - at - 1);
        if (quote != NULL) {
            return (tmpl_span_t){ at + 1, (uint32_t)(quote - src) };
        }
    }
    return (tmpl_span_t){ 0, 0 };
}

static int is_name_char(char c)
{
    return tmpl_is_alnum(c) || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

/* The id or class that a selector begins with; empty if it begins with something else. */
static tmpl_span_t first_name(const char *src, tmpl_span_t selector, tmpl_look_e *by)
{
    tmpl_span_t name = { selector.start + 1, selector.start + 1 };
    char first = tmpl_span_len(selector) > 0 ? src[selector.start] : '\0';
    if (first != '#' && first != '.') {
        return (tmpl_span_t){ 0, 0 };
    }
    *by = first == '#' ? TMPL_LOOK_ID : TMPL_LOOK_CLASS;
    while (name.end < selector.end && is_name_char(src[name.end])) {
        name.end++;
    }
    return name;
}

int tmpl_script_look(tmpl_script_look_t *look, const char *src, uint32_t end)
{
    const char *hit;
    while (look->at < end &&
           (hit = memmem(src + look->at, end - look->at, DOCUMENT, sizeof(DOCUMENT) - 1)) != NULL) {
        look->at = (uint32_t)(hit - src) + sizeof(DOCUMENT) - 1;
        for (unsigned i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
            uint32_t len = (uint32_t)strlen(members[i].member);
            if (end - look->at < len || memcmp(src + look->at, members[i].member, len) != 0) {
                continue;
            }
            look->by = members[i].by;
            look->name = look->by != TMPL_LOOK_POSITION ? string_at(src, look->at + len, end)
                                                        : (tmpl_span_t){ 0, 0 };
            if (look->by == TMPL_LOOK_SELECTOR) {
                look->name = first_name(src, look->name, &look->by);
            }
            return 1;
        }
    }
    return 0;
}
