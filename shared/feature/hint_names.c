/* SPDX-License-Identifier: Apache-2.0 */
/* The table of names, and the search for them in classes and ids. */
#include <pthread.h>

#include "feature/hint_names.h"
#include "html/attr.h"

#define KIND(id)    (1U << TMPL_NAME_##id)
#define AND_BAD(id) (KIND(id) | KIND(BAD))

/* Where a name must be: anywhere, at the beginning of a word, or as a whole word. */
enum { ANYWHERE, BEGIN, WHOLE };

typedef struct {
    const char *name; /* without its first letter */
    unsigned kinds;
    int where;
} name_t;

#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }

/* The names, by first letter. */
static const name_t *const names[26] = {
    ['a' - 'a'] = (const name_t[]){ { "ddthis", AND_BAD(SHARE), ANYWHERE },
                                    { "dvert", AND_BAD(OFFER), ANYWHERE },
                                    { "d", AND_BAD(OFFER), WHOLE },
                                    { "ds", AND_BAD(OFFER), WHOLE },
                                    { "lso", KIND(MORE), BEGIN },
                                    { "nswer", KIND(GOOD), ANYWHERE },
                                    { "rchive", AND_BAD(MORE), ANYWHERE },
                                    { "rticle", KIND(GOOD), ANYWHERE },
                                    { "uthor", KIND(ABOUT), ANYWHERE },
                                    END },
    ['b' - 'a'] = (const name_t[]){ { "anner", AND_BAD(OFFER), ANYWHERE },
                                    { "io", KIND(ABOUT), WHOLE },
                                    { "ody", KIND(GOOD), ANYWHERE },
                                    { "ookmark", KIND(SHARE), ANYWHERE },
                                    { "ottom", KIND(EDGE), BEGIN },
                                    { "readcrumb", AND_BAD(MENU), ANYWHERE },
                                    { "yline", AND_BAD(ABOUT), ANYWHERE },
                                    END },
    ['c' - 'a'] = (const name_t[]){ { "ategor", AND_BAD(ABOUT), ANYWHERE },
                                    { "hapter", KIND(GOOD), ANYWHERE },
                                    { "olophon", AND_BAD(EDGE), ANYWHERE },
                                    { "omment", AND_BAD(COMMENT), ANYWHERE },
                                    { "ontent", KIND(GOOD), ANYWHERE },
                                    { "ookie", AND_BAD(OFFER), ANYWHERE },
                                    { "opyright", AND_BAD(EDGE), ANYWHERE },
                                    { "redit", KIND(ABOUT), ANYWHERE },
                                    { "rumb", AND_BAD(MENU), ANYWHERE },
                                    END },
    ['d' - 'a'] = (const name_t[]){ { "ate", KIND(ABOUT), BEGIN },
                                    { "escription", KIND(GOOD), ANYWHERE },
                                    { "etail", KIND(GOOD), ANYWHERE },
                                    { "iscuss", KIND(COMMENT), ANYWHERE },
                                    { "isqus", KIND(COMMENT), ANYWHERE },
                                    { "ocument", KIND(GOOD), ANYWHERE },
                                    END },
    ['e' - 'a'] =
        (const name_t[]){ { "mail", KIND(SHARE), BEGIN }, { "ntry", KIND(GOOD), ANYWHERE }, END },
    ['f' - 'a'] = (const name_t[]){ { "acebook", KIND(SHARE), ANYWHERE },
                                    { "eed", KIND(SHARE), WHOLE },
                                    { "ollow", KIND(SHARE), BEGIN },
                                    { "oot", AND_BAD(EDGE), ANYWHERE },
                                    END },
    ['h' - 'a'] = (const name_t[]){ { "eader", AND_BAD(EDGE), ANYWHERE },
                                    { "eadlines", AND_BAD(MORE), ANYWHERE },
                                    { "ead", KIND(BAD), ANYWHERE },
                                    END },
    ['i' - 'a'] = (const name_t[]){ { "ndex", KIND(BAD), ANYWHERE }, END },
    ['l' - 'a'] = (const name_t[]){ { "atest", KIND(MORE), ANYWHERE },
                                    { "egal", AND_BAD(EDGE), ANYWHERE },
                                    { "ike", KIND(SHARE), WHOLE },
                                    { "ink", KIND(BAD), ANYWHERE },
                                    { "ogin", AND_BAD(OFFER), ANYWHERE },
                                    { "ogo", AND_BAD(EDGE), ANYWHERE },
                                    END },
    ['m' - 'a'] = (const name_t[]){ { "ain", KIND(GOOD), ANYWHERE },
                                    { "asthead", AND_BAD(EDGE), ANYWHERE },
                                    { "enu", AND_BAD(MENU), ANYWHERE },
                                    { "essage", KIND(GOOD), ANYWHERE },
                                    { "eta", AND_BAD(ABOUT), ANYWHERE },
                                    { "ore", KIND(MORE), BEGIN },
                                    { "ost", KIND(MORE), BEGIN },
                                    END },
    ['n' - 'a'] = (const name_t[]){ { "av", AND_BAD(MENU), ANYWHERE },
                                    { "ewsletter", AND_BAD(OFFER), ANYWHERE },
                                    { "ext", AND_BAD(MENU), ANYWHERE },
                                    END },
    ['p' - 'a'] = (const name_t[]){ { "ag", KIND(BAD), ANYWHERE },
                                    { "ager", KIND(MENU), ANYWHERE },
                                    { "aginat", KIND(MENU), ANYWHERE },
                                    { "opular", AND_BAD(MORE), ANYWHERE },
                                    { "opup", AND_BAD(OFFER), ANYWHERE },
                                    { "ost", KIND(GOOD), ANYWHERE },
                                    { "osted", KIND(ABOUT), ANYWHERE },
                                    { "rev", AND_BAD(MENU), ANYWHERE },
                                    { "rint", KIND(SHARE), BEGIN },
                                    { "roduct", KIND(GOOD), ANYWHERE },
                                    { "romo", AND_BAD(OFFER), ANYWHERE },
                                    { "ublish", KIND(ABOUT), ANYWHERE },
                                    END },
    ['q' - 'a'] = (const name_t[]){ { "uestion", KIND(GOOD), ANYWHERE }, END },
    ['r' - 'a'] = (const name_t[]){ { "ail", KIND(SIDE), BEGIN },
                                    { "ecent", KIND(MORE), ANYWHERE },
                                    { "ecommend", AND_BAD(MORE), ANYWHERE },
                                    { "egist", KIND(OFFER), BEGIN },
                                    { "elated", AND_BAD(MORE), ANYWHERE },
                                    { "epl", KIND(COMMENT), BEGIN },
                                    { "espon", KIND(COMMENT), BEGIN },
                                    { "ss", KIND(SHARE), WHOLE },
                                    END },
    ['s' - 'a'] = (const name_t[]){ { "earch", KIND(BAD), ANYWHERE },
                                    { "ection", KIND(GOOD), ANYWHERE },
                                    { "hare", AND_BAD(SHARE), ANYWHERE },
                                    { "haring", AND_BAD(SHARE), ANYWHERE },
                                    { "ide", AND_BAD(SIDE), ANYWHERE },
                                    { "ignup", KIND(OFFER), ANYWHERE },
                                    { "kip", AND_BAD(MENU), ANYWHERE },
                                    { "ocial", AND_BAD(SHARE), ANYWHERE },
                                    { "ponsor", AND_BAD(OFFER), ANYWHERE },
                                    { "tory", KIND(GOOD), ANYWHERE },
                                    { "ubscri", AND_BAD(OFFER), ANYWHERE },
                                    END },
    ['t' - 'a'] = (const name_t[]){ { "ab", KIND(MENU), WHOLE },
                                    { "abs", KIND(MENU), WHOLE },
                                    { "ag", KIND(ABOUT), WHOLE },
                                    { "ags", AND_BAD(ABOUT), ANYWHERE },
                                    { "easer", AND_BAD(MORE), ANYWHERE },
                                    { "ext", KIND(GOOD), ANYWHERE },
                                    { "ime", KIND(ABOUT), BEGIN },
                                    { "oc", AND_BAD(MENU), ANYWHERE },
                                    { "ool", AND_BAD(SHARE), ANYWHERE },
                                    { "op", KIND(EDGE), WHOLE },
                                    { "rend", KIND(MORE), BEGIN },
                                    { "witter", KIND(SHARE), ANYWHERE },
                                    END },
    ['w' - 'a'] = (const name_t[]){ { "idget", AND_BAD(SIDE), ANYWHERE }, END },
};

/* The offset behind name if it is at `at`; 0 otherwise. */
static uint32_t behind(const char *name, const char *value, uint32_t len, uint32_t at)
{
    while (*name != '\0' && at < len && tmpl_lower(value[at]) == *name) {
        name++;
        at++;
    }
    return *name == '\0' ? at : 0;
}

static int stands(const name_t *name, const char *value, uint32_t len, uint32_t at)
{
    uint32_t after = behind(name->name, value, len, at + 1);
    if (after == 0) {
        return 0; /* most names are not there */
    }
    int begins = at == 0 || !tmpl_is_alpha(value[at - 1]);
    int ends = after >= len || !tmpl_is_alpha(value[after]);
    return (name->where == ANYWHERE || begins) && (name->where != WHOLE || ends);
}

/*
 * By the first two letters: 1 + index of their first name; 0: no name begins so, as for most pairs.
 */
static unsigned char firsts[26][26];
static pthread_once_t firsts_once = PTHREAD_ONCE_INIT;

/* Names of a letter are in the order of their second letters. */
static void firsts_fill(void)
{
    for (unsigned letter = 0; letter < 26; letter++) {
        for (unsigned i = 0; names[letter] != NULL && names[letter][i].name != NULL; i++) {
            unsigned char *first = &firsts[letter][names[letter][i].name[0] - 'a'];
            *first = *first != 0 ? *first : (unsigned char)(i + 1);
        }
    }
}

unsigned tmpl_names_in(const char *value, uint32_t len)
{
    unsigned kinds = 0;
    unsigned second = len > 0 ? (unsigned)(tmpl_lower(value[0]) - 'a') : 0;
    pthread_once(&firsts_once, firsts_fill);
    for (uint32_t at = 0; at + 1 < len; at++) {
        unsigned letter = second;
        second = (unsigned)(tmpl_lower(value[at + 1]) - 'a');
        if (letter >= 26 || second >= 26 || firsts[letter][second] == 0) {
            continue;
        }
        const name_t *name = &names[letter][firsts[letter][second] - 1];
        for (; name->name != NULL && name->name[0] - 'a' == (int)second; name++) {
            kinds |= stands(name, value, len, at) ? name->kinds : 0;
        }
    }
    return kinds;
}
